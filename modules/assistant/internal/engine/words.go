package engine

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed words.txt
var wordList string

// concept is a thing that questions speak of, known by the beginnings of its words in both languages.
type concept string

// stem is the beginning of a word, or with "=" before it a whole word. A phrase has several.
type stem struct {
	of    concept
	words []string
}

// stop is the concept of words that say nothing.
const stop concept = "stop"

// lexicon are all phrases.
var lexicon = readLexicon(wordList)

func readLexicon(text string) (all []stem) {
	for line := range strings.SplitSeq(text, "\n") {
		name, phrases, found := strings.Cut(line, ":")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for phrase := range strings.SplitSeq(phrases, ",") {
			all = append(all, stem{concept(strings.TrimSpace(name)), strings.Fields(phrase)})
		}
	}
	return all
}

// word is a word of a question with what it stands for.
type word struct {
	text   string // lower case
	quoted bool
	of     []concept // all that it may stand for; empty: unknown
}

// is says whether the word may stand for one of the concepts.
func (w word) is(any ...concept) bool {
	return slices.ContainsFunc(w.of, func(c concept) bool { return slices.Contains(any, c) })
}

// read cuts a question into words and finds the concepts in it.
func read(text string) []word {
	words := cut(text)
	for at := range words {
		for _, s := range lexicon {
			if !matches(words[at:], s.words) {
				continue
			}
			for i := range s.words {
				words[at+i].of = append(words[at+i].of, s.of)
			}
		}
	}
	return words
}

func matches(words []word, phrase []string) bool {
	if len(phrase) == 0 || len(words) < len(phrase) {
		return false
	}
	for i, want := range phrase {
		whole, exact := strings.CutPrefix(want, "=")
		switch got := words[i]; {
		case got.quoted, exact && got.text != whole, !exact && !strings.HasPrefix(got.text, want):
			return false
		}
	}
	return true
}

// quotes are the marks that names may stand in.
var quotes = map[rune]rune{'"': '"', '«': '»', '“': '”', '„': '“', '`': '`'}

// cut parts a text into words; what stands in quotes is one.
func cut(text string) (words []word) {
	var current strings.Builder
	var until rune
	flush := func(quoted bool) {
		plain := current.String()
		current.Reset()
		if !quoted {
			plain = strings.Trim(plain, ".-_:/'")
		}
		if plain = strings.TrimSpace(plain); plain != "" {
			words = append(words, word{text: fold(plain), quoted: quoted})
		}
	}
	for _, r := range text {
		if until == 0 && strings.ContainsRune("‘’", r) {
			r = '\'' // phones put the curled ones into "what's" by themselves
		}
		closing, opens := quotes[r]
		switch {
		case until != 0 && r == until:
			flush(true)
			until = 0
		case until != 0:
			current.WriteRune(r)
		case opens:
			flush(false)
			until = closing
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("-_.:/'", r):
			current.WriteRune(r)
		default:
			flush(false)
		}
	}
	flush(until != 0)
	return words
}

// fold makes words comparable.
func fold(text string) string { return strings.ReplaceAll(strings.ToLower(text), "ё", "е") }
