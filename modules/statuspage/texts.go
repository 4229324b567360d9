package statuspage

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"panel/platform/fault"
)

const (
	longestName = 200
	longestBody = 10_000
)

var allLocales = []string{"en", "ru"}

// checked refuses texts that are too long, of a language that no page has, or without one in the language that is
// needed; empty needs none. Spaces around a text are taken off. Fault: invalid_value (422).
func checked(field string, t Localised, needed string, longest int) error {
	for locale, text := range t {
		text = strings.TrimSpace(text)
		t[locale] = text
		switch {
		case !slices.Contains(allLocales, locale):
			return fault.InvalidValue(field, "texts are in the languages en and ru")
		case utf8.RuneCountInString(text) > longest:
			return fault.InvalidValue(field+"."+locale, fmt.Sprintf("at most %d characters", longest))
		}
	}
	if needed != "" && t[needed] == "" {
		return fault.InvalidValue(field+"."+needed, "a text in the default language of the page is needed")
	}
	return nil
}

// titled is checked for a name, which is one line.
func titled(field string, t Localised, needed string) error {
	for locale, text := range t {
		if strings.ContainsAny(text, "\r\n") {
			return fault.InvalidValue(field+"."+locale, "one line")
		}
	}
	return checked(field, t, needed, longestName)
}

// together is the first fault of several checks.
func together(faults ...error) error {
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}
