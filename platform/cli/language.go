package cli

import (
	_ "embed" // for the texts
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"panel/platform/doctor"
)

// Russian tells whether people read Russian here: PANEL_LANG=ru forces it; otherwise the language is taken from LANG.
func (env Env) Russian() bool {
	return env.Getenv("PANEL_LANG") == doctor.Russian || localeLanguage(env.Getenv("LANG")) == doctor.Russian
}

// localeLanguage is the language of a locale: "ru" of ru_RU.UTF-8.
func localeLanguage(locale string) string {
	if end := strings.IndexAny(locale, "_.@-"); end >= 0 {
		locale = locale[:end]
	}
	return strings.ToLower(locale)
}

// Speaking gives an environment in which a chosen language counts, whatever PANEL_LANG and LANG say outside. The choice
// may change between two look-ups.
func Speaking(russian func() bool, outside func(string) string) func(string) string {
	return func(name string) string {
		switch name {
		case "PANEL_LANG":
			if russian() {
				return doctor.Russian
			}
			return ""
		case "LANG":
			locale := outside(name)
			if letters := strings.IndexByte(locale, '.'); letters >= 0 {
				return "C" + locale[letters:]
			}
			return ""
		}
		return outside(name)
	}
}

// inEnglish is the same environment for what scripts read.
func (env Env) inEnglish() Env {
	env.Getenv = Speaking(func() bool { return false }, env.Getenv)
	return env
}

//go:embed russian.txt
var russianText string

// russian is read when somebody needs it; most runs do not. Doctor, the logs and the modules bring their own words.
var russian = sync.OnceValue(func() map[string]string {
	words := doctor.RussianWords()
	maps.Copy(words, doctor.Catalogue(russianText))
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
	args := make([]any, len(m.Args))
	for i, arg := range m.Args {
		args[i] = env.argument(arg)
	}
	return fmt.Sprintf(env.T(m.Text), args...)
}

// argument translates what is inside a sentence: another sentence, or a number with a decimal comma.
func (env Env) argument(arg any) any {
	switch value := arg.(type) {
	case Message:
		return env.Text(value)
	case doctor.Text:
		return value.In(env.language())
	case sentence:
		return value.oneLine(env.Russian())
	case Day:
		return env.date(time.Time(value), "")
	case Moment:
		return env.date(time.Time(value), " 15:04")
	case doctor.Decimal:
		return value.In(env.language())
	}
	return arg
}

func (env Env) language() string {
	if env.Russian() {
		return doctor.Russian
	}
	return "en"
}

// Day is a date inside a sentence, written as people write it.
type Day time.Time

// Moment is a date with the time of the day, to the minute.
type Moment time.Time

func (env Env) date(t time.Time, clock string) string {
	if env.Russian() {
		return t.Format("02.01.2006" + clock)
	}
	return t.Format(time.DateOnly + clock)
}
