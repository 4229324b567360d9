package support

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// shortestKnown is the least length of a value that can be searched for without tearing up ordinary words.
const shortestKnown = 4

// known finds values in every form that programs write them in: as they are, in capitals, escaped for JSON, URLs and
// HTML, in base64 and in hexadecimal, also inside longer encoded text.
type known struct {
	forms map[string][]form // by their first letters
}

type form struct{ text, kind string }

func newKnown() *known { return &known{forms: map[string][]form{}} }

func (k *known) add(value, kind string) {
	if len(value) < shortestKnown {
		return
	}
	for _, text := range slices.Concat(formsOf(value), formsOf(strings.ToUpper(value)),
		formsOf(strings.ToLower(value))) {
		lower := lowered(text)
		at := lower[:shortestKnown]
		if f := (form{text: lower, kind: kind}); !slices.Contains(k.forms[at], f) {
			k.forms[at] = append(k.forms[at], f)
		}
	}
}

// lowered keeps the length, so that a place in it is a place in the text.
func lowered(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if b >= 'A' && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}

func formsOf(value string) []string {
	all := []string{
		value, url.QueryEscape(value), url.PathEscape(value), percent(value), html.EscapeString(value),
		hex.EncodeToString([]byte(value)),
	}
	all = append(all, escapedUnicode(value), escapedHex(value))
	if encoded, err := json.Marshal(value); err == nil {
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(encoded))
		twice, _ := json.Marshal(plain[1 : len(plain)-1]) // a text always encodes
		all = append(all, string(encoded[1:len(encoded)-1]), plain[1:len(plain)-1], string(twice[1:len(twice)-1]))
	}
	all = append(append(all, inBase64(value)...), inBase64(utf16Text(value))...)
	seen, kept := map[string]bool{}, []string{}
	for _, text := range all {
		if len(text) >= shortestKnown && !seen[text] {
			seen[text], kept = true, append(kept, text)
		}
	}
	return kept
}

func percent(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		b.WriteString("%" + hex.EncodeToString([]byte{c}))
	}
	return b.String()
}

func escapedHex(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		b.WriteString(`\x` + hex.EncodeToString([]byte{c}))
	}
	return b.String()
}

func escapedUnicode(value string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(value)) {
		b.WriteString(`\u` + hex.EncodeToString([]byte{byte(unit >> 8), byte(unit)}))
	}
	return b.String()
}

func utf16Text(value string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(value)) {
		b.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return b.String()
}

// inBase64 gives what base64 makes of the value at each of the three places that it can have in a longer text, without
// the letters that its neighbours change.
func inBase64(value string) []string {
	const enough = 6
	var all []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + value))
			first := []int{0, 2, 3}[before]
			last := (before + len(value)) * 8 / 6
			if last-first >= enough {
				all = append(all, text[first:last])
			}
		}
	}
	return all
}

// mask replaces every form of every value and counts by kind.
func (k *known) mask(text string, counts map[string]int) string {
	if len(k.forms) == 0 {
		return text
	}
	lower := lowered(text)
	var out strings.Builder
	done := 0
	for i := 0; i+shortestKnown <= len(lower); {
		longest, kind := 0, ""
		for _, f := range k.forms[lower[i:i+shortestKnown]] {
			if len(f.text) > longest && strings.HasPrefix(lower[i:], f.text) {
				longest, kind = len(f.text), f.kind
			}
		}
		if longest == 0 {
			i++
			continue
		}
		out.WriteString(text[done:i] + stars(kind))
		counts[kind]++
		i += longest
		done = i
	}
	out.WriteString(text[done:])
	return out.String()
}

func stars(kind string) string { return "***" + kind + "***" }
