package tui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// menu is the first page.
type menu struct {
	base
	entries []entry
	list    list
	filter  filter
}

func newMenu(w *session) page {
	return &menu{base: base{w: w}, entries: entries(), filter: filter{w: w}}
}

func (m *menu) start(ctx context.Context) tea.Cmd {
	m.ctx = ctx
	return m.w.readLast()
}

func (m *menu) update(msg tea.Msg) tea.Cmd {
	if kept, is := msg.(lastMsg); is {
		m.w.last = kept.document
	}
	if m.filter.typing() {
		return m.filter.field.update(msg)
	}
	return nil
}

func (m *menu) title() (string, string) { return "", "" }

func (m *menu) typing() bool { return m.filter.typing() }

func (m *menu) closes() bool { return m.filter.closes() }

func (m *menu) keys() []binding {
	return []binding{{key: "↑↓/1-6", does: "select"}, {key: "enter", does: "open"}, {key: "/", does: "filter"}}
}

func (m *menu) shown() []int {
	var shown []int
	for i, one := range m.entries {
		if m.filter.matches(m.w.say(one.name), one.name, one.hint(m.w)) {
			shown = append(shown, i)
		}
	}
	return shown
}

func (m *menu) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	shown := m.shown()
	if key == "enter" && len(shown) > 0 {
		m.filter.field = nil
		return push(m.entries[shown[min(m.list.at, len(shown)-1)]].open(m.w))
	}
	if cmd, used := m.filter.press(key, msg); used {
		m.list.at = 0
		return cmd
	}
	if number, err := strconv.Atoi(key); err == nil && number >= 1 && number <= len(m.entries) {
		m.filter.text, m.list.at = "", number-1
		return push(m.entries[number-1].open(m.w))
	}
	m.list.move(key, len(shown), len(shown))
	return nil
}

func (m *menu) view(width, height int) []line {
	shown := m.shown()
	m.list.window(len(shown), len(m.entries))
	names := 0
	for _, one := range m.entries {
		names = max(names, m.w.look.width(m.w.say(one.name)))
	}
	var lines []line
	for i, at := range shown {
		one := m.entries[at]
		text := "  " + strconv.Itoa(at+1) + "  " + m.w.look.fit(m.w.say(one.name), names)
		if i == m.list.at {
			text = m.w.look.paint(strong, "> "+strings.TrimPrefix(text, "  "))
		}
		lines = append(lines, row(text+"   "+one.hint(m.w)))
	}
	if len(shown) == 0 {
		lines = append(lines, row(m.w.say("nothing matches")))
	}
	lines = append(append(tall(lines, len(m.entries)), row("")), m.advice(width)...)
	foot := m.filter.line(width)
	if foot == "" {
		foot = m.w.say("↑↓/1-6 select  enter open  / filter  L ru/en  ? keys  q quit")
	}
	return append(tall(lines, height-1), row(foot))
}

// advice is the next step of somebody whose panel is not well.
func (m *menu) advice(width int) []line {
	w, s := m.w, m.w.state
	var texts []string
	switch {
	case !s.asked || s.healthy && !s.refused:
		return nil
	case s.silence != nil:
		texts = append(w.trouble(s.silence), "",
			w.say("Start with 2, Doctor: it needs neither the panel nor its database."))
	case s.healthy:
		texts = []string{
			w.say("The panel works, but tells more only to an administrator. Press i to sign in, or set PANEL_API_TOKEN."),
		}
	default:
		texts = []string{
			w.say("The panel answers but is not well: 2, Doctor, says why."),
			w.say("3, Logs, shows its last words."),
		}
	}
	var lines []line
	for _, text := range texts {
		lines = append(lines, rows(w.look.wrapped(text, width))...)
	}
	return lines
}

// keyHelp lists the keys of the page it was called from, then those that work everywhere.
type keyHelp struct {
	base
	name string
	own  []binding

	scroll scroll
}

func newKeyHelp(w *session, from page) page {
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
	lines := append(
		rows(p.w.look.columns(cells)),
		row(""),
		row(p.w.look.paint(quiet, p.w.say("Keys work in the Russian keyboard layout too."))),
	)
	return p.scroll.window(p.w, lines, height)
}
