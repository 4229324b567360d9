package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"panel/platform/cli"
	"panel/platform/doctor"
)

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
var inASCII = strings.NewReplacer("●", "*", "○", "o", "→", "->", "·", "|", "…", "...", "—", "-", "–", "-", "•", "*", "↑↓", "up/down",
	"←→", "left/right", "↑", "^", "↓", "v", "«", `"`, "»", `"`, "≥", ">=")

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
