// Package retention decides which artefacts of one destination may go.
package retention

import "time"

// Rules say what stays: what any rule of KeepLast and KeepDays keeps, as far as MaxBytes allows. Zero means no such rule;
// without any rule everything stays.
type Rules struct {
	KeepLast int
	KeepDays int
	MaxBytes int64
}

// Kept is an artefact of one destination.
type Kept struct {
	Name  string
	At    time.Time
	Bytes int64
	// Good tells that it is complete and was not found damaged.
	Good bool
}

// Excess names what goes, oldest first. The newest good one never goes, whatever the rules say.
func Excess(all []Kept, r Rules, now time.Time) []string { return nil }
