package tui

import (
	_ "embed" // for the texts
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"panel/platform/cli"
	"panel/platform/doctor"
)

//go:embed russian.txt
var russianText string

// russian is read when somebody needs it: the texts of this interface; the command line has its own.
var russian = sync.OnceValue(func() map[string]string { return doctor.Catalogue(russianText) })

// say translates an English text of this interface and fills in its values.
func (w *world) say(text string, values ...any) string {
	if w.russian {
		if translated := russian()[text]; translated != "" {
			text = translated
		} else {
			text = w.env.T(text)
		}
	}
	text, _, _ = strings.Cut(text, "|for ")
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// found is what a check says, in the language of the operator.
func (w *world) found(text doctor.Text) string {
	return w.env.Text(cli.Message{Text: text.Format, Args: text.Args})
}

// trouble is a failure in two or three lines: what, why, what to do.
func (w *world) trouble(err error) []string {
	var said complaint
	if errors.As(err, &said) {
		return strings.Split(ansi.Strip(string(said)), "\n")
	}
	var failure *cli.Failure
	if !errors.As(err, &failure) {
		failure = cli.Failed(cli.Plain(err.Error()))
	}
	var try []string
	for _, one := range failure.Try {
		try = append(try, w.env.Text(one))
	}
	var lines []string
	for _, one := range [][2]string{
		{w.env.T("Error:"), w.env.Text(failure.Problem)}, {w.env.T("Cause:"), w.env.Text(failure.Cause)}, {w.env.T("Try:"), strings.Join(try, " · ")},
	} {
		if one[1] != "" {
			lines = append(lines, ansi.Strip(one[0]+" "+one[1]))
		}
	}
	return lines
}
