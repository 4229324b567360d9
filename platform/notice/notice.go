// Package notice names what the panel may notify people about; sending is best effort and lives in a module.
package notice

// Kind is one event that a module may notify about, a word of the event catalogue.
type Kind struct {
	Key      string
	Summary  string
	Severity string
}
