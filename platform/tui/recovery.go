package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/doctor/recovery"
)

// repairWithin is the time that one repair may take.
const repairWithin = time.Minute

// recoveryPage offers the repairs that the report calls for, one at a time.
type recoveryPage struct {
	base
	actions []recovery.Action
	finding func(check string) string // what the check found
	list    list
	working bool
	trouble error
}

type repairedMsg struct {
	page *recoveryPage
	name string
	err  error
}

func newRecoveryPage(w *session, actions []recovery.Action) *recoveryPage {
	return &recoveryPage{base: base{w: w}, actions: actions, finding: func(check string) string { return check }}
}

func (p *recoveryPage) title() (string, string) { return p.w.say("Safe recovery"), "" }

func (p *recoveryPage) busy() bool { return p.working }

// closes keeps the page open while a repair is at work: half of one helps nobody.
func (p *recoveryPage) closes() bool { return p.working }

func (p *recoveryPage) keys() []binding {
	return []binding{{key: "↑↓", does: "choose"}, {key: "enter", does: "preview"}}
}

func (p *recoveryPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if p.working || p.list.move(key, len(p.actions), len(p.actions)) || key != "enter" {
		return nil
	}
	action := p.actions[p.list.at]
	preview := func(width int) []line {
		lines := append(
			p.w.labelled("Found", p.finding(action.CheckID), width),
			p.w.labelled("Do|for finding", p.w.found(action.Title), width)...)
		lines = append(lines, row(""), row(p.w.look.paint(quiet, p.w.say("This will be done, and nothing else:"))))
		return append(lines, rows(p.w.look.wrapped(p.w.found(action.What), width))...)
	}
	return push(newConfirmPage(p.w, "Safe recovery", repairWord, preview, func() tea.Cmd { return p.repair(action) }))
}

// repairWord is typed to agree to a repair; it is the same in every language.
const repairWord = "REPAIR"

func (p *recoveryPage) repair(action recovery.Action) tea.Cmd {
	p.working, p.trouble = true, nil
	ctx, name := p.ctx, p.w.found(action.Title)
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, repairWithin)
		defer cancel()
		return repairedMsg{p, name, action.Do(ctx)}
	}
}

func (p *recoveryPage) update(msg tea.Msg) tea.Cmd {
	done, is := msg.(repairedMsg)
	if !is || done.page != p {
		return nil
	}
	p.working, p.trouble = false, done.err
	if done.err != nil {
		return warn(p.w.say("failed: %s", done.name))
	}
	again := func() tea.Msg { return rerunMsg{} }
	return tea.Sequence(pop(p), note(p.w.say("done: %s", done.name)), again)
}

func (p *recoveryPage) view(width, _ int) []line {
	w := p.w
	lines := []line{row(w.bar(p.keys())), row("")}
	for i, action := range p.actions {
		marker := "  "
		if i == p.list.at {
			marker = "> "
		}
		lines = append(lines, row(marker+w.found(action.Title)+"  "+w.look.paint(quiet, "("+action.CheckID+")")))
	}
	lines = append(lines, row(""))
	lines = append(
		lines,
		rows(
			w.look.wrapped(w.say("Only repairs that lose nothing are offered. Each is shown and confirmed first."),
				width),
		)...)
	if p.working {
		lines = append(lines, row(""), row(w.look.spinner(w.step)+" "+w.say("at work")))
	}
	if p.trouble != nil {
		lines = append(lines, row(""))
		for _, text := range w.trouble(p.trouble) {
			lines = append(lines, rows(w.look.wrapped(text, width))...)
		}
	}
	return lines
}
