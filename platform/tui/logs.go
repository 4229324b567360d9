package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/logs"
)

func logsEntry() entry {
	return entry{
		name:  "Logs",
		hint:  func(*session) string { return strings.Join(logs.Components(), " · ") },
		open:  func(w *session) page { return &logsPage{base: base{w: w}} },
		lines: logsLines,
	}
}

const (
	logTail       = 1000
	mostLogLines  = 20000
	logReadWithin = 30 * time.Second
	logBatch      = 500
)

// What a typed line of the logs page is for.
const (
	forSearch = "Search:"
	forSince  = "Since (30m, 2h, 7d; empty for the last lines):"
)

// logsPage reads the log of a component from wherever this machine keeps it, and follows it.
type logsPage struct {
	base
	component    int
	since        string
	follow, wrap bool

	round   int
	end     context.CancelFunc
	items   chan logItem
	reading bool
	source  *logs.Source
	all     []logs.Line
	trouble error

	field  *field
	asking string // forSearch or forSince while something is typed
	wrong  bool
	search string
	shown  logView
}

// logItem is where the lines come from, a line, or why there are no more.
type logItem struct {
	source *logs.Source
	line   logs.Line
	err    error
}

type logMsg struct {
	page  *logsPage
	round int
	items []logItem
	ended bool
}

func (p *logsPage) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	return p.load()
}

// load begins to read anew; answers of an earlier reading are dropped.
func (p *logsPage) load() tea.Cmd {
	if p.end != nil {
		p.end()
	}
	p.round++
	p.all, p.source, p.trouble, p.reading = nil, nil, nil, true
	p.shown.forget()
	ctx, end := context.WithCancel(p.ctx)
	if !p.follow {
		ctx, end = context.WithTimeout(p.ctx, logReadWithin)
	}
	p.end = end
	p.items = make(chan logItem, logBatch)
	go readLog(ctx, p.w.reader(), p.query(), p.items)
	return p.next()
}

func (p *logsPage) query() logs.Query {
	query := logs.Query{Component: logs.Components()[p.component], Tail: logTail, Follow: p.follow}
	if long, err := parsePeriod(p.since); err == nil {
		query.Since, query.Tail = p.w.clock.Now().Add(-long), -1
	}
	return query
}

// opening finds the log of a query; it looks at files and programs of this machine.
type opening func(context.Context, logs.Query) (*logs.Reader, error)

func (w *session) reader() opening {
	env, ask, places := w.fixed(), w.doctor, w.places
	return func(ctx context.Context, query logs.Query) (*logs.Reader, error) {
		machine, _ := ask(env)
		return logs.Open(ctx, places(machine), query)
	}
}

// readLog hands over the source, then the lines, until the log or ctx ends. A panic in it must not leave the terminal
// as it is.
func readLog(ctx context.Context, open opening, query logs.Query, items chan<- logItem) {
	defer close(items)
	defer func() {
		if trouble := recover(); trouble != nil {
			items <- logItem{err: fmt.Errorf("reading ended: %v", trouble)}
		}
	}()
	hand := func(item logItem) bool {
		select {
		case items <- item:
			return true
		case <-ctx.Done():
			return false
		}
	}
	reader, err := open(ctx, query)
	if err != nil {
		hand(logItem{err: err})
		return
	}
	hand(logItem{source: &reader.Source})
	for one, err := range reader.Lines(ctx) {
		if !hand(logItem{line: one, err: err}) || err != nil {
			return
		}
	}
}

// next waits for one item and takes what else is there already.
func (p *logsPage) next() tea.Cmd {
	items, round := p.items, p.round
	return func() tea.Msg {
		first, open := <-items
		msg := logMsg{page: p, round: round, ended: !open}
		if open {
			msg.items = append(msg.items, first)
		}
		for open && len(msg.items) < logBatch {
			select {
			case item, more := <-items:
				if !more {
					msg.ended = true
					return msg
				}
				msg.items = append(msg.items, item)
			default:
				return msg
			}
		}
		return msg
	}
}

func (p *logsPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case logMsg:
		if msg.page != p || msg.round != p.round {
			return nil
		}
		for _, item := range msg.items {
			p.take(item)
		}
		if msg.ended {
			p.reading = false
			p.end()
			return nil
		}
		return p.next()
	case languageMsg:
		p.shown.forget()
	}
	if p.field != nil {
		return p.field.update(msg)
	}
	return nil
}

func (p *logsPage) take(item logItem) {
	switch {
	case item.source != nil:
		p.source = item.source
	case item.err != nil && !errors.Is(item.err, context.Canceled):
		p.trouble = item.err
	case item.err == nil:
		p.all = append(p.all, item.line)
		if len(p.all) > mostLogLines+mostLogLines/4 {
			p.all = slices.Clone(p.all[len(p.all)-mostLogLines:])
			p.shown.forget()
		}
	}
}

func (p *logsPage) busy() bool { return p.reading && !p.follow }

func (p *logsPage) typing() bool { return p.field != nil }

func (p *logsPage) closes() bool { return p.field != nil || p.search != "" }

func (p *logsPage) title() (string, string) {
	aside := p.w.say("%d lines", len(p.all))
	if p.since != "" {
		aside += " · " + p.w.say("since %s", p.since)
	}
	if p.follow {
		aside += " · " + p.w.say("following")
	}
	return p.w.say("Logs") + " · " + logs.Components()[p.component], aside
}

func (p *logsPage) keys() []binding {
	return []binding{
		{key: "f", does: "follow"},
		{key: "/", does: "search"},
		{key: "t", does: "since"},
		{key: "w", does: "wrap"},
		{key: "y", does: "copy"},
		{key: "s", does: "save"},
		{key: "1-4", does: "component", quiet: true},
		{key: "n N", does: "next and previous match", quiet: true},
		{key: "r", does: "read anew", quiet: true},
		{key: "↑↓ pgup pgdown g G", does: "move", quiet: true},
		{key: "←→", does: "move sideways", quiet: true},
	}
}

func (p *logsPage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if p.field != nil {
		return p.pressField(key, msg)
	}
	switch key {
	case "1", "2", "3", "4":
		p.component = int(key[0] - '1')
		return p.load()
	case "f":
		p.follow = !p.follow
		return p.load()
	case "r":
		return p.load()
	case "w":
		p.wrap = !p.wrap
	case "/":
		p.field, p.asking = newField(p.search), forSearch
	case "t":
		p.field, p.asking = newField(p.since), forSince
	case "esc":
		p.search = ""
	case "y":
		return p.copy()
	case "s":
		return p.save()
	default:
		p.shown.move(key, p.search)
	}
	return nil
}

func (p *logsPage) pressField(key string, msg tea.KeyPressMsg) tea.Cmd {
	switch key {
	case "esc":
		p.field, p.wrong = nil, false
		return nil
	case "enter":
		return p.typed(strings.TrimSpace(p.field.value()))
	}
	p.wrong = false
	return p.field.update(msg)
}

func (p *logsPage) typed(text string) tea.Cmd {
	if p.asking == forSearch {
		p.field, p.search = nil, text
		p.shown.seek(-1, text)
		return nil
	}
	if _, err := parsePeriod(text); err != nil && text != "" {
		p.wrong = true
		return nil
	}
	p.field, p.since = nil, text
	return p.load()
}

// copy hands the lines on the screen to the terminal, which may or may not pass them on to a clipboard.
func (p *logsPage) copy() tea.Cmd {
	var raw []string
	for _, at := range p.shown.linesOnScreen() {
		raw = append(raw, p.all[at].Raw)
	}
	if len(raw) == 0 {
		return nil
	}
	return tea.Batch(
		tea.SetClipboard(strings.Join(raw, "\n")),
		note(p.w.say("%d lines copied, if this terminal allows it", len(raw))),
	)
}

func (p *logsPage) save() tea.Cmd {
	if len(p.all) == 0 {
		return nil
	}
	all := slices.Clone(p.all)
	return push(
		newSavePage(
			p.w,
			"Save the log",
			p.w.fileName("panel-"+logs.Components()[p.component], "log"),
			func() ([]byte, error) {
				var b strings.Builder
				for i, one := range all {
					if i > 0 {
						b.WriteByte('\n')
					}
					b.WriteString(one.Raw)
				}
				return []byte(b.String()), nil
			},
		),
	)
}
