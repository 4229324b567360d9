package names

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Pattern is a regular expression of PostgreSQL that finds a text as it is written, and in any other case and
// composition of its letters. It is for rows that hold no search key, and takes about twice as long as ILIKE. Unlike a
// key it knows no compatibility forms, such as full width.
func Pattern(text string) string {
	var folded strings.Builder
	for key := SearchKey(text); key != ""; {
		if rest, doubled := strings.CutPrefix(key, "ss"); doubled {
			folded.WriteString("(?:[sSſ][sSſ]|[ßẞ])")
			key = rest
			continue
		}
		end := norm.NFC.NextBoundaryInString(key, true)
		folded.WriteString(oneOf(spellings(key[:end])))
		key = key[end:]
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return folded.String()
	}
	return "(?:" + folded.String() + "|" + regexp.QuoteMeta(text) + ")"
}

// WholePattern is the Pattern of a text that nothing precedes or follows.
func WholePattern(text string) string { return "^(?:" + Pattern(text) + ")$" }

// spellings are the ways to write a folded letter with its marks.
func spellings(letter string) (all []string) {
	add := func(spelling string) {
		for _, form := range []string{spelling, norm.NFC.String(spelling), norm.NFD.String(spelling)} {
			if !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	add(letter)
	first, size := utf8.DecodeRuneInString(letter)
	for other := unicode.SimpleFold(first); other != first; other = unicode.SimpleFold(other) {
		add(string(other) + letter[size:])
	}
	if letter == "i" {
		add("ı")
		add("İ")
		add("i\u0307")
	}
	return all
}

// oneOf is a pattern that matches any of the spellings.
func oneOf(spellings []string) string {
	if len(spellings) == 1 {
		return regexp.QuoteMeta(spellings[0])
	}
	single, longer := "", []string(nil)
	for _, spelling := range spellings {
		if r, size := utf8.DecodeRuneInString(spelling); size == len(spelling) && unicode.IsLetter(r) {
			single += spelling
		} else {
			longer = append(longer, regexp.QuoteMeta(spelling))
		}
	}
	if single != "" {
		longer = append([]string{"[" + single + "]"}, longer...)
	}
	if len(longer) == 1 {
		return longer[0]
	}
	return "(?:" + strings.Join(longer, "|") + ")"
}
