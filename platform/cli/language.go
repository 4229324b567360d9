package cli

import (
	_ "embed" // for the texts
	"fmt"
	"strings"
	"sync"
)

// Russian tells whether people read Russian here: PANEL_LANG=ru, else LANG.
func (env Env) Russian() bool {
	if forced := env.Getenv("PANEL_LANG"); forced != "" {
		return strings.HasPrefix(strings.ToLower(forced), "ru")
	}
	return strings.HasPrefix(strings.ToLower(env.Getenv("LANG")), "ru")
}

//go:embed russian.txt
var russianText string

// russian is read when somebody needs it; most runs do not.
var russian = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	for entry := range strings.SplitSeq(russianText, "\n\n") {
		if text, translated, found := strings.Cut(strings.Trim(entry, "\n"), "\n"); found && !strings.HasPrefix(text, "#") {
			words[text] = translated
		}
	}
	return words
})

// T translates an English text; a text without a translation stays English.
func (env Env) T(text string) string {
	if env.Russian() && russian()[text] != "" {
		return russian()[text]
	}
	plain, _, _ := strings.Cut(text, "|")
	return plain
}

// Text renders a message in the language of the operator.
func (env Env) Text(m Message) string {
	if m.Text == "" {
		return ""
	}
	return fmt.Sprintf(env.T(m.Text), m.Args...)
}
