package cli

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"panel/platform/pattern"
)

// English makes a message of an English text that comes from elsewhere: an error, or a sentence of the panel. In
// another language the parts of it that the catalogue knows are translated.
func English(text string) Message { return Message{Text: "%s", Args: []any{sentence(text)}} }

type sentence string

// oneLine is the text on one line, however many errors it joins.
func (s sentence) oneLine(inRussian bool) string {
	lines := strings.Split(string(s), "\n")
	for i := range lines {
		if inRussian {
			lines[i] = sentence(lines[i]).in(russian())
		}
	}
	return strings.Join(lines, "; ")
}

// in translates the whole, else each part between colons.
func (s sentence) in(words map[string]string) string {
	if translated, known := s.whole(words); known {
		return translated
	}
	parts := strings.Split(string(s), ": ")
	for i, part := range parts {
		if translated, known := sentence(part).whole(words); known {
			parts[i] = translated
		}
	}
	return strings.Join(parts, ": ")
}

// whole finds the text itself in the catalogue, or the one with values that it was made of.
func (s sentence) whole(words map[string]string) (string, bool) {
	if translated := words[string(s)]; translated != "" {
		return translated, true
	}
	for _, m := range moulds() {
		values := m.text.FindStringSubmatch(string(s))
		if values == nil {
			continue
		}
		args := make([]any, len(values)-1)
		for i, value := range values[1:] {
			args[i] = value
			if strings.Contains(value, " ") { // a name stays as it is
				args[i] = sentence(value).in(words)
			}
		}
		return fmt.Sprintf(m.translated, args...), true
	}
	return "", false
}

// mould is a text of the catalogue that takes values.
type mould struct {
	text       *regexp.Regexp
	translated string
}

// moulds are made when an error is told in another language. Those that say most come first; those that say too little
// would fit anything.
var moulds = sync.OnceValue(func() []mould {
	const telling = 12
	var all []mould
	most := func(a, b string) int {
		return cmp.Or(len(verbs().ReplaceAllString(b, ""))-len(verbs().ReplaceAllString(a, "")), strings.Compare(a, b))
	}
	for _, text := range slices.SortedFunc(maps.Keys(russian()), most) {
		literal := verbs().ReplaceAllString(text, "")
		if literal == text || len(literal) < telling || strings.Contains(text, "\n") {
			continue
		}
		form := verbs().ReplaceAllStringFunc(regexp.QuoteMeta(text), func(verb string) string {
			if verb == "%q" {
				return `"(.+?)"`
			}
			return "(.+?)"
		})
		all = append(all, mould{regexp.MustCompile("^" + form + "$"), strings.ReplaceAll(russian()[text], "%d",
			"%s")})
	}
	return all
})

var verbs = pattern.Of(`%[sdq]`)
