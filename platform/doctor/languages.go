package doctor

import (
	"cmp"
	_ "embed" // for the texts
	"fmt"
	"maps"
	"strings"
	"sync"
)

// Russian is the code of the language beside English that everything is said in.
const Russian = "ru"

//go:embed russian.txt
var russianText string

// learned are the Russian texts by the English ones: those of this package and what modules bring.
var learned = lexicon{unread: []string{russianText}}

// lexicon reads its texts when the first word is asked for: most commands speak English.
type lexicon struct {
	mu     sync.Mutex
	unread []string
	words  map[string]string
}

// Translate adds the texts of a module, in the form that Catalogue reads.
func Translate(text string) {
	learned.mu.Lock()
	defer learned.mu.Unlock()
	learned.unread = append(learned.unread, text)
}

// RussianWords is what checks, logs and modules say in Russian, by the English text.
func RussianWords() map[string]string {
	learned.mu.Lock()
	defer learned.mu.Unlock()
	return maps.Clone(learned.read())
}

// read is for who holds the lock; of two translations of a text the later one counts.
func (l *lexicon) read() map[string]string {
	if l.words == nil {
		l.words = map[string]string{}
	}
	for _, text := range l.unread {
		maps.Copy(l.words, Catalogue(text))
	}
	l.unread = nil
	return l.words
}

// Catalogue reads English texts, each with its translation in the line below; an empty line parts them.
func Catalogue(text string) map[string]string {
	words := map[string]string{}
	for entry := range strings.SplitSeq(text, "\n\n") {
		if english, translated, found := strings.Cut(strings.Trim(entry, "\n"), "\n"); found &&
			!strings.HasPrefix(english, "#") {
			words[english] = translated
		}
	}
	return words
}

// In gives the text in a language; one without a translation stays English.
func (t Text) In(language string) string {
	if t.Format == "" {
		return ""
	}
	args := make([]any, len(t.Args))
	for i, arg := range t.Args {
		args[i] = argumentIn(language, arg)
	}
	return fmt.Sprintf(wordsIn(language, t.Format), args...)
}

func argumentIn(language string, arg any) any {
	switch value := arg.(type) {
	case Text:
		return value.In(language)
	case Decimal:
		return value.In(language)
	}
	return arg
}

func wordsIn(language, text string) string {
	if language != Russian {
		return text
	}
	learned.mu.Lock()
	defer learned.mu.Unlock()
	return cmp.Or(learned.read()[text], text)
}

// In writes the number as people of a language do.
func (d Decimal) In(language string) string {
	if language == Russian {
		return strings.Replace(d.String(), ".", ",", 1)
	}
	return d.String()
}

// Words are the texts of one result in another language than English.
type Words struct {
	Title   string `json:"title"`
	Finding string `json:"finding"`
	Action  string `json:"action,omitempty"`
}

// translations are kept with a result, because who reads it later has only the document.
func translations(result Result) map[string]Words {
	return map[string]Words{Russian: {
		Title: wordsIn(Russian, result.Check.Title), Finding: result.Finding.Found.In(Russian),
		Action: result.Finding.Do.In(Russian),
	}}
}

// In gives the texts of the result in a language; a document of an earlier version has them in English alone.
func (c CheckDocument) In(language string) Words {
	if words, has := c.Translations[language]; has {
		return words
	}
	return Words{Title: c.Title, Finding: c.Finding, Action: c.Action}
}
