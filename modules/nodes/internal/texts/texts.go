// Package texts bounds what agents write, before it is stored together with what other agents write.
package texts

import "strings"

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
