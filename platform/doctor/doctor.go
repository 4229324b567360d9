// Package doctor runs the checks that tell an operator what is wrong with a panel and what to do about it.
package doctor

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"panel/platform/config"
	"panel/platform/vault"
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

// Say makes a text. A value may be a text or a decimal itself; it is translated with the sentence.
func Say(format string, args ...any) Text { return Text{Format: format, Args: args} }

// Command makes a text that reads the same in every language: what the operator types.
func Command(format string, args ...any) Text {
	return Text{Format: "%s", Args: []any{fmt.Sprintf(format, args...)}}
}

// Decimal is a number with at most one digit behind the point, which is a comma in some languages.
type Decimal float64

// String is the English form.
func (d Decimal) String() string {
	text := strconv.FormatFloat(float64(d), 'f', 1, 64)
	if whole, fraction := text[:len(text)-2], text[len(text)-1]; fraction == '0' {
		return whole
	}
	return text
}

// Finding is what a check found and what the operator should do.
type Finding struct {
	Status  Status
	Subject string // what was looked at, such as a folder or a name; shown instead of the title of the check
	Found   Text
	Do      Text           // with the next command where there is one
	Data    map[string]any // facts for scripts
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
	// Names are all settings that were given, in the environment or in the file, also unknown ones.
	Names []string
	// Known is what this build declares.
	Known Known
	// Trace is told of each request that a check makes; nil for nobody.
	Trace func(request string)
}

// Ask sends the request of a check and tells who follows what is asked, without secrets that the address may hold.
func (e Env) Ask(client *http.Client, request *http.Request) (*http.Response, error) {
	if e.Trace != nil {
		address := *request.URL
		address.RawQuery = ""
		e.Trace(request.Method + " " + address.Redacted())
	}
	return client.Do(request)
}

// Known is what a build declares, needed to tell what is missing or misspelt.
type Known struct {
	Keys   []config.Key   // the settings of modules, beside the platform's
	Steps  []string       // the migrations as they are recorded in the database
	Sealed []vault.Column // where secrets are
	// Outlives are the queries for what must outlive a full restore, by module
	Outlives map[string]string
}
