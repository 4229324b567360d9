package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// confirmPage shows what will happen and goes on only when a word is typed.
type confirmPage struct {
	base
	name   string
	lines  func(width int) []line
	word   string
	field  *field
	wrong  bool
	agreed func() tea.Cmd
}

func newConfirmPage(w *world, name, word string, lines func(width int) []line, agreed func() tea.Cmd) page {
	return &confirmPage{base: base{w: w}, name: name, lines: lines, word: word, field: newField(""), agreed: agreed}
}

func (p *confirmPage) title() (string, string) { return p.w.say(p.name), "" }

func (p *confirmPage) typing() bool { return true }

func (p *confirmPage) update(msg tea.Msg) tea.Cmd { return p.field.update(msg) }

func (p *confirmPage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if key != "enter" {
		p.wrong = false
		return p.field.update(msg)
	}
	if strings.TrimSpace(p.field.value()) != p.word {
		p.wrong = true
		return nil
	}
	return tea.Sequence(pop(p), p.agreed())
}

func (p *confirmPage) view(width, _ int) []line {
	question := p.w.say("Type %s to go on:", p.word)
	lines := append(p.lines(width), row(""), row(question+" "+p.field.view(width-p.w.look.width(question)-1)))
	if p.wrong {
		lines = append(lines, row(""), row(p.w.look.paint(careful, p.w.say("That is not %s. Nothing was changed.", p.word))))
	}
	return lines
}
