// Package texts bounds and checks what agents write, before it is stored together with what other agents write.
package texts

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"panel/platform/fault"
)

var (
	errControl = fault.Invalid("invalid_value", "a text holds a control character")
	errNotUTF8 = fault.Malformed("bad_json", "the message is not UTF-8")
)

// Storable refuses well-formed JSON whose texts hold control characters, by the rule that POSTs are under: what one agent says
// is written together with what others say, and one text that the database does not take would fail them all.
func Storable(text []byte) error {
	if !utf8.Valid(text) {
		return errNotUTF8
	}
	if bytes.IndexByte(text, 0x7f) >= 0 {
		return errControl
	}
	for at := bytes.IndexByte(text, '\\'); at >= 0; {
		if isControl(text[at+1:]) {
			return errControl
		}
		next := bytes.IndexByte(text[at+2:], '\\')
		if next < 0 {
			break
		}
		at += 2 + next
	}
	return nil
}

// isControl reports whether what follows a backslash stands for a control character other than an end of line or a tab.
func isControl(escaped []byte) bool {
	switch escaped[0] {
	case 'b', 'f':
		return true
	case 'u':
		code, err := strconv.ParseUint(string(escaped[1:5]), 16, 16)
		return err != nil || code < ' ' && code != '\n' && code != '\r' && code != '\t' || code == 0x7f
	}
	return false
}

// Most bytes of a word and of a name that an agent reports.
const (
	WordLimit = 64
	NameLimit = 255
)

// Clip cuts a text to so many bytes at its end, which says most of what went wrong.
func Clip(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "�")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-most:], "")
}
