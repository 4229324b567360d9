package httpapi

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"panel/platform/fault"
)

func hasControl(text string) bool { return strings.ContainsFunc(text, isControl) }

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }

// cleanURL refuses what no parameter of ours may hold: control characters and bytes that are not UTF-8.
func cleanURL(raw string) error {
	text, err := url.QueryUnescape(raw)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.Malformed("bad_parameter", "the address holds characters that are not allowed")
	}
	return nil
}
