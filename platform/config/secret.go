package config

import (
	"fmt"
	"strings"
)

const stars = "*****"

// Secret is a value that prints as stars wherever it is formatted, logged or encoded.
type Secret struct{ value string }

// NewSecret wraps a value that must never be printed.
func NewSecret(value string) Secret { return Secret{value: value} }

// Reveal gives the value itself, for the one place that needs it.
func (s Secret) Reveal() string { return s.value }

// List gives the parts of a value that is separated by commas.
func (s Secret) List() []string {
	return strings.FieldsFunc(s.value, func(r rune) bool { return r == ',' || r == ' ' })
}

// Empty reports whether there is no value.
func (s Secret) Empty() bool { return s.value == "" }

// String gives stars, or nothing when there is no value.
func (s Secret) String() string {
	if s.value == "" {
		return ""
	}
	return stars
}

// Format keeps every verb, %#v and %x included, from showing the value.
func (s Secret) Format(out fmt.State, _ rune) { _, _ = out.Write([]byte(s.String())) }

// MarshalText gives stars to JSON and to the log.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
