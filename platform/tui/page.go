package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// entry is one line of the menu and the page behind it. A page is one file.
type entry struct {
	name  string                  // English
	hint  func(w *session) string // what the menu says beside the name
	open  func(w *session) page   // a fresh page
	lines func(q *lines)          // the same in the linear mode: questions and the commands themselves
}

// entries are the menu, in the order of their numbers.
func entries() []entry {
	return []entry{stateEntry(), doctorEntry(), logsEntry(), licenseEntry(), resetEntry(), versionEntry()}
}

// page is what fills the frame below the header. Its methods never wait for anything: what takes time is a tea.Cmd with
// a deadline, whose answer comes back to update as a message.
type page interface {
	// start gives the first command; ctx ends when the page is left.
	start(ctx context.Context) tea.Cmd
	update(msg tea.Msg) tea.Cmd
	// press takes a key that the frame does not use itself.
	press(key string, msg tea.KeyPressMsg) tea.Cmd
	// view draws exactly as many lines as there is height.
	view(width, height int) []line
	title() (name, aside string)
	keys() []binding
	// typing says that keys are text now, so that the frame keeps its hands off letters.
	typing() bool
	// busy says that something moves on the page while no key is pressed.
	busy() bool
}

// closer is a page that keeps esc for itself while it has something to close.
type closer interface{ closes() bool }

// footed is a page whose foot has keys of its own, in English.
type footed interface{ foot() string }

// leaver is a page that wipes something when it is left.
type leaver interface{ leave() }

// binding is a key with what it does, in English; a short one is shown on the page, all are shown by "?".
type binding struct {
	key   string
	does  string
	quiet bool // only in the list of "?"
}

// pushMsg opens a page above the one that is shown; popMsg leaves a page and all above it; noteMsg is a remark that
// goes away by itself.
type (
	pushMsg struct{ page page }
	popMsg  struct{ page page }
	noteMsg struct {
		text string
		bad  bool
	}
)

func push(p page) tea.Cmd { return func() tea.Msg { return pushMsg{p} } }

func pop(p page) tea.Cmd { return func() tea.Msg { return popMsg{p} } }

func note(text string) tea.Cmd { return func() tea.Msg { return noteMsg{text: text} } }

func warn(text string) tea.Cmd { return func() tea.Msg { return noteMsg{text: text, bad: true} } }

// base is what most pages have in common.
type base struct {
	w   *session
	ctx context.Context //nolint:containedctx // the life of the page
}

func (b *base) start(ctx context.Context) tea.Cmd {
	b.ctx = ctx
	return nil
}

func (b *base) update(tea.Msg) tea.Cmd { return nil }

func (b *base) press(string, tea.KeyPressMsg) tea.Cmd { return nil }

func (b *base) typing() bool { return false }

func (b *base) busy() bool { return false }

func (b *base) keys() []binding { return nil }

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

func newConfirmPage(w *session, name, word string, lines func(width int) []line, agreed func() tea.Cmd) page {
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
		lines = append(lines, row(""), row(p.w.look.paint(careful, p.w.say("That is not %s. Nothing was changed.",
			p.word))))
	}
	return lines
}
