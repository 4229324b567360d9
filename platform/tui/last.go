package tui

import (
	"context"
	"errors"
	"io/fs"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// lastMsg is the diagnosis that was kept in the data folder.
type lastMsg struct {
	document *doctor.Document
	err      error
}

func (w *session) readLast() tea.Cmd {
	env, ask := w.fixed(), w.doctor
	return func() tea.Msg {
		machine, _ := ask(env)
		document, err := doctor.Last(checks.DataDir(machine))
		if err != nil {
			return lastMsg{err: err}
		}
		return lastMsg{document: &document}
	}
}

// lastHint is what the menu says beside Doctor.
func (w *session) lastHint() string {
	if w.last == nil {
		return w.say("finds out what is wrong and what to do")
	}
	return w.say("last run %s", w.moment(w.last.StartedAt)) + ": " + w.tally(w.last.Summary)
}

// moment is the time of a day as people say it.
func (w *session) moment(at time.Time) string {
	now := w.clock.Now()
	at = at.In(now.Location())
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return w.say("%s today", at.Format("15:04"))
	}
	if w.russian {
		return at.Format("02.01.2006 15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// lastPage shows the kept diagnosis without asking anything anew.
type lastPage struct {
	base
	checks   checklist
	document *doctor.Document
	err      error
	reading  bool
}

func newLastPage(w *session) page {
	return &lastPage{base: base{w: w}, checks: newChecklist(w), reading: true}
}

func (p *lastPage) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	return p.w.readLast()
}

func (p *lastPage) update(msg tea.Msg) tea.Cmd {
	if kept, is := msg.(lastMsg); is {
		p.document, p.err, p.reading = kept.document, kept.err, false
		p.draw()
	}
	if p.checks.filter.typing() {
		return p.checks.filter.field.update(msg)
	}
	return nil
}

func (p *lastPage) draw() {
	if p.document == nil {
		return
	}
	p.checks.rows = nil
	for _, one := range p.document.Checks {
		words := one.In(p.w.language())
		p.checks.rows = append(p.checks.rows, checkRow{
			id: one.ID, group: one.Group, title: one.Title, status: one.Status, found: words.Finding, do: words.Action,
			took: time.Duration(one.DurationMS) * time.Millisecond, data: one.Data, kept: true,
		})
	}
	p.checks.worstFirst()
}

func (p *lastPage) typing() bool { return p.checks.filter.typing() }

func (p *lastPage) closes() bool { return p.checks.filter.closes() }

func (p *lastPage) title() (string, string) {
	if p.document == nil {
		return p.w.say("Last diagnosis"), ""
	}
	return p.w.say("Last diagnosis"), p.w.moment(p.document.StartedAt) + " · " + p.w.tally(p.document.Summary)
}

func (p *lastPage) keys() []binding {
	return []binding{
		{key: "e", does: "Export"}, {key: "enter", does: "everything about the check"}, {key: "/", does: "filter"},
	}
}

func (p *lastPage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if cmd, used := p.checks.press(key, msg); used || p.typing() {
		return cmd
	}
	if key == "e" && p.document != nil {
		return p.w.exportDiagnosis(*p.document)
	}
	return nil
}

func (p *lastPage) view(width, height int) []line {
	switch {
	case p.reading:
		return []line{row(p.w.say("looking"))}
	case errors.Is(p.err, fs.ErrNotExist):
		return []line{row(p.w.say("There is no diagnosis yet: esc, then r runs one."))}
	case p.err != nil:
		return rows(p.w.look.wrapped(p.err.Error(), width))
	}
	head := p.w.bar(p.keys())
	if narrowed := p.checks.filter.line(width); narrowed != "" {
		head = narrowed
	}
	return append([]line{row(head)}, p.checks.view(width, height-1)...)
}
