package tui

import (
	_ "embed" // for the texts
	"errors"
	"fmt"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"panel/platform/cli"
	"panel/platform/doctor"
)

//go:embed russian.txt
var russianText string

// russian is read when somebody needs it: the texts of this interface; the command line has its own.
var russian = sync.OnceValue(func() map[string]string { return doctor.Catalogue(russianText) })

// say translates an English text of this interface and fills in its values.
func (w *session) say(text string, values ...any) string {
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
func (w *session) found(text doctor.Text) string {
	return w.env.Text(cli.Message{Text: text.Format, Args: text.Args})
}

// trouble is a failure in two or three lines: what, why, what to do.
func (w *session) trouble(err error) []string {
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
		{w.env.T("Error:"), w.env.Text(failure.Problem)},
		{w.env.T("Cause:"), w.env.Text(failure.Cause)},
		{w.env.T("Try:"), strings.Join(try, " · ")},
	} {
		if one[1] != "" {
			lines = append(lines, ansi.Strip(one[0]+" "+one[1]))
		}
	}
	return lines
}

// look is what a terminal can show: Unicode or ASCII, colours or none.
type look struct {
	unicode, coloured bool
}

func lookOf(env cli.Env) look { return look{unicode: env.Unicode(), coloured: env.Coloured()} }

// border holds the pieces of a frame.
type border struct{ side, line, topLeft, topRight, left, right, bottomLeft, bottomRight string }

func (l look) border() border {
	if l.unicode {
		return border{"│", "─", "┌", "┐", "├", "┤", "└", "┘"}
	}
	return border{"|", "-", "+", "+", "+", "+", "+", "+"}
}

// inASCII says every sign that this interface uses beyond letters in plain characters.
var inASCII = strings.NewReplacer(
	"●",
	"*",
	"○",
	"o",
	"→",
	"->",
	"·",
	"|",
	"…",
	"...",
	"—",
	"-",
	"–",
	"-",
	"•",
	"*",
	"↑↓",
	"up/down",
	"←→",
	"left/right",
	"↑",
	"^",
	"↓",
	"v",
	"«",
	`"`,
	"»",
	`"`,
	"≥",
	">=",
)

// plain is the text as this terminal can show it. Control characters, which a log may hold, never reach the terminal.
func (l look) plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r != '\x1b' && (r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0)):
			return -1
		}
		return r
	}, text)
	if l.unicode {
		return text
	}
	return inASCII.Replace(text)
}

func (l look) ellipsis() string {
	if l.unicode {
		return "…"
	}
	return "~"
}

// cut shortens a text to a width and says so with an ellipsis.
func (l look) cut(text string, width int) string {
	return ansi.Truncate(l.plain(text), max(0, width), l.ellipsis())
}

// fit makes a text exactly as wide as asked.
func (l look) fit(text string, width int) string {
	text = l.cut(text, width)
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// wrapped breaks a text into lines of at most that width, at spaces where there are some.
func (l look) wrapped(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Split(ansi.Wrap(l.plain(paragraph), max(1, width), " "), "\n")...)
	}
	return lines
}

func (l look) width(text string) int { return ansi.StringWidth(l.plain(text)) }

// tone is why a text stands out.
type tone int

const (
	quiet tone = iota
	good
	careful
	bad
	strong
	found
	calm
)

func (l look) paint(t tone, text string) string {
	if !l.coloured || text == "" || t == calm {
		return text
	}
	style := lipgloss.NewStyle()
	switch t {
	case quiet:
		style = style.Faint(true)
	case good:
		style = style.Foreground(lipgloss.Green)
	case careful:
		style = style.Foreground(lipgloss.Yellow)
	case bad:
		style = style.Foreground(lipgloss.Red).Bold(true)
	case strong:
		style = style.Bold(true)
	case found:
		style = style.Reverse(true)
	case calm:
	}
	return style.Render(text)
}

func toneOf(status doctor.Status) tone {
	switch status {
	case doctor.OK:
		return good
	case doctor.Warning, doctor.Unknown:
		return careful
	case doctor.Failed:
		return bad
	case doctor.Skipped:
	}
	return quiet
}

// spinner is one picture of work going on.
func (l look) spinner(step int) string {
	frames := []string{"|", "/", "-", `\`}
	if l.unicode {
		frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	}
	return frames[step%len(frames)]
}

// choice is a round button.
func (l look) choice(chosen bool) string {
	if chosen {
		return l.plain("(•)")
	}
	return "( )"
}
