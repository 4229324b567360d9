package tui

import (
	tea "charm.land/bubbletea/v2"
)

// keyHelp lists the keys of the page it was called from, then those that work everywhere.
type keyHelp struct {
	base
	name string
	own  []binding

	scroll scroll
}

func newKeyHelp(w *world, from page) page {
	name, _ := from.title()
	return &keyHelp{base: base{w: w}, name: name, own: from.keys()}
}

func (p *keyHelp) title() (string, string) { return p.w.say("Keys"), p.name }

func (p *keyHelp) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if !p.scroll.press(key) && (key == "enter" || key == "?") {
		return pop(p)
	}
	return nil
}

var everywhere = []binding{
	{key: "esc", does: "back"},
	{key: "L", does: "Russian or English"},
	{key: "i", does: "sign in, where the panel asks for it"},
	{key: "?", does: "this list"},
	{key: "q", does: "quit"},
	{key: "ctrl+c", does: "quit at once"},
}

func (p *keyHelp) view(_, height int) []line {
	var cells [][]string
	for _, one := range p.own {
		cells = append(cells, []string{"  " + one.key, p.w.say(one.does)})
	}
	cells = append(cells, []string{"", ""})
	for _, one := range everywhere {
		cells = append(cells, []string{"  " + one.key, p.w.say(one.does)})
	}
	lines := append(rows(p.w.look.columns(cells)), row(""), row(p.w.look.paint(quiet, p.w.say("Keys work in the Russian keyboard layout too."))))
	return p.scroll.window(p.w, lines, height)
}
