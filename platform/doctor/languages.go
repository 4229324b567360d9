package doctor

import (
	_ "embed" // for the texts
	"fmt"
	"strings"
	"sync"
)

// Russian is the code of the language beside English that everything is said in.
const Russian = "ru"

//go:embed russian.txt
var russianText string

// RussianWords is what checks and logs say in Russian, by the English text.
var RussianWords = sync.OnceValue(func() map[string]string { return Catalogue(russianText) })

// Catalogue reads English texts, each with its translation in the line below; an empty line parts them.
func Catalogue(text string) map[string]string {
	words := map[string]string{}
	for entry := range strings.SplitSeq(text, "\n\n") {
		if english, translated, found := strings.Cut(strings.Trim(entry, "\n"), "\n"); found && !strings.HasPrefix(english, "#") {
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
	if language == Russian && RussianWords()[text] != "" {
		return RussianWords()[text]
	}
	return text
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
		Title: wordsIn(Russian, result.Check.Title), Finding: result.Finding.Found.In(Russian), Action: result.Finding.Do.In(Russian),
	}}
}

// In gives the texts of the result in a language; a document of an earlier version has them in English alone.
func (c CheckDocument) In(language string) Words {
	if words, has := c.Translations[language]; has {
		return words
	}
	return Words{Title: c.Title, Finding: c.Finding, Action: c.Action}
}
