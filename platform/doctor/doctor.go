// Package doctor runs the checks that tell an operator what is wrong with a panel and what to do about it.
package doctor

import (
	"context"
	"time"
)

// Status is the outcome of a check.
type Status string

// The five outcomes; they read the same in every language.
const (
	OK      Status = "OK"
	Warning Status = "Warning"
	Failed  Status = "Failed"
	Skipped Status = "Skipped"
	Unknown Status = "Unknown"
)

// Text is an English sentence with its values; the command line translates the sentence.
type Text struct {
	Format string
	Args   []any
}

// Say makes a text.
func Say(format string, args ...any) Text { return Text{Format: format, Args: args} }

// Finding is what a check found and what the operator should do.
type Finding struct {
	Status Status
	Found  Text
	Do     Text
	Data   map[string]any // facts for scripts
}

// Check is one question with a stable id such as "database.connect".
type Check struct {
	ID    string
	Group string // services, database, disk, network, dns, tls, components, configuration
	Title string
	Run   func(context.Context, Env) Finding
}

// Env is what a check may look at; everything in it works while the database is down.
type Env struct {
	Getenv  func(string) string // the environment, then the file of settings
	File    string              // the file of settings that was found; empty for none
	FileErr error               // why it could not be read
	Now     func() time.Time
}
