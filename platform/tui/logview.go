package tui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"panel/platform/logs"
)

// logView keeps the rows that lines of a log take on the screen, and where in them the reader is.
type logView struct {
	rows   []logRow
	drawn  int // lines that rows exist for
	width  int
	wrap   bool
	top    int
	left   int
	height int
	loose  bool // the reader has left the end
}

type logRow struct {
	text string
	line int // the line it belongs to
	tone tone
}

func (v *logView) forget() {
	v.rows, v.drawn = nil, 0
}

// draw makes the rows of lines that have none yet; a new width or another wrapping makes all anew.
func (v *logView) draw(w *session, all []logs.Line, width int, wrap bool) {
	if v.width != width || v.wrap != wrap || v.drawn > len(all) {
		v.forget()
		v.width, v.wrap, v.left = width, wrap, 0
	}
	for ; v.drawn < len(all); v.drawn++ {
		one := all[v.drawn]
		text := w.look.plain(ansi.Strip(w.lineText(one)))
		pieces := []string{text}
		if wrap && ansi.StringWidth(text) > width {
			pieces = strings.Split(ansi.Wrap(text, width, ""), "\n")
		}
		for _, piece := range pieces {
			v.rows = append(v.rows, logRow{piece, v.drawn, levelTone(one.Level)})
		}
	}
}

func levelTone(level string) tone {
	switch level {
	case "ERROR", "FATAL", "PANIC":
		return bad
	case "WARN":
		return careful
	case "DEBUG":
		return quiet
	}
	return calm
}

// move follows a key; the end is where new lines keep the reader.
func (v *logView) move(key, search string) {
	switch key {
	case "up", "k":
		v.top--
	case "down", "j":
		v.top++
	case "pgup":
		v.top -= v.height
	case "pgdown", "space":
		v.top += v.height
	case "home", "g":
		v.top = 0
	case "end", "G":
		v.top = len(v.rows)
	case "left":
		v.left = max(0, v.left-v.width/4)
	case "right":
		v.left += v.width / 4
	case "n":
		v.seek(1, search)
	case "N":
		v.seek(-1, search)
	}
	v.settle()
}

func (v *logView) settle() {
	last := max(0, len(v.rows)-v.height)
	v.top = max(0, min(v.top, last))
	v.loose = v.top < last
}

// matches are the first rows of lines that hold the text.
func (v *logView) matches(search string) []int {
	var found []int
	if search == "" {
		return nil
	}
	for i, one := range v.rows {
		if strings.Contains(strings.ToLower(one.text), strings.ToLower(search)) {
			found = append(found, i)
		}
	}
	return found
}

// seek goes to the next match below the first row of the screen, or above it.
func (v *logView) seek(direction int, search string) {
	found := v.matches(search)
	if len(found) == 0 {
		return
	}
	at, _ := slices.BinarySearch(found, v.top)
	switch {
	case direction < 0:
		at = (at - 1 + len(found)) % len(found)
	case at < len(found) && found[at] == v.top:
		at++
	}
	v.top = found[at%len(found)]
	v.settle()
}

// place tells how many rows match and which of them is first on the screen.
func (v *logView) place(w *session, search string) string {
	found := v.matches(search)
	if len(found) == 0 {
		return w.say("no match")
	}
	at, _ := slices.BinarySearch(found, v.top)
	return fmt.Sprintf("%d/%d", min(at+1, len(found)), len(found))
}

func (v *logView) window(l look, height, width int, search string, follow bool) []string {
	v.height = height
	if !v.loose || follow && v.top >= len(v.rows)-height {
		v.top = len(v.rows)
	}
	v.settle()
	var lines []string
	for _, one := range v.rows[v.top:min(len(v.rows), v.top+height)] {
		text := ansi.Cut(one.text, v.left, v.left+width)
		if v.left == 0 {
			text = l.cut(one.text, width)
		}
		lines = append(lines, marked(l, text, search, one.tone))
	}
	return lines
}

// marked paints a row and turns what is searched for around.
func marked(l look, text, search string, t tone) string {
	if search == "" {
		return l.paint(t, text)
	}
	var b strings.Builder
	for {
		at := strings.Index(strings.ToLower(text), strings.ToLower(search))
		if at < 0 || at+len(search) > len(text) {
			break
		}
		b.WriteString(l.paint(t, text[:at]) + l.paint(found, text[at:at+len(search)]))
		text = text[at+len(search):]
	}
	return b.String() + l.paint(t, text)
}

// linesOnScreen are the lines that the shown rows belong to.
func (v *logView) linesOnScreen() []int {
	var lines []int
	for _, one := range v.rows[v.top:min(len(v.rows), v.top+v.height)] {
		if len(lines) == 0 || lines[len(lines)-1] != one.line {
			lines = append(lines, one.line)
		}
	}
	return lines
}

// lineText is one entry in one line: time, level, component, message, attributes.
func (w *session) lineText(one logs.Line) string {
	if one.Time.IsZero() {
		return one.Raw
	}
	at, now := one.Time.In(w.clock.Now().Location()), w.clock.Now()
	text := at.Format("15:04:05")
	if at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		text = at.Format("01-02 15:04:05")
	}
	text += fmt.Sprintf(" %-5s %-*s  %s", one.Level, componentWidth, one.Component, one.Message)
	for _, name := range slices.SortedFunc(maps.Keys(one.Attrs), byWeight) {
		text += fmt.Sprintf(" %s=%v", name, one.Attrs[name])
	}
	return text
}

const componentWidth = 9 // "scheduler"

// lastAttrs are for machines, or long: a narrow screen rather cuts them than what happened.
var lastAttrs = []string{"ip", "took", "request_id", "hash", "mac", "stack"}

func byWeight(a, b string) int {
	return cmp.Or(cmp.Compare(slices.Index(lastAttrs, a), slices.Index(lastAttrs, b)), cmp.Compare(a, b))
}

func (p *logsPage) view(width, height int) []line {
	w := p.w
	lines := []line{row(p.components()), row(p.head(width)), row(w.look.paint(quiet, p.sourceText()))}
	if p.trouble != nil {
		return append(lines, p.why(width)...)
	}
	if len(p.all) == 0 {
		text := w.say("no lines")
		switch {
		case p.follow && p.source != nil:
			text = w.say("no lines yet; new ones appear here")
		case p.reading:
			text = w.look.spinner(w.step) + " " + w.say("reading")
		}
		return append(lines, row(text))
	}
	p.shown.draw(w, p.all, width, p.wrap)
	return append(lines, rows(p.shown.window(w.look, height-len(lines), width, p.search, p.follow))...)
}

func (p *logsPage) components() string {
	text := ""
	for i, name := range logs.Components() {
		if i == p.component {
			text += p.w.look.paint(strong, fmt.Sprintf("[%d %s]", i+1, name)) + " "
			continue
		}
		text += fmt.Sprintf(" %d %s  ", i+1, name)
	}
	return text
}

func (p *logsPage) head(width int) string {
	switch {
	case p.wrong:
		return p.w.look.paint(bad, p.w.say("Write a period such as 30m, 2h or 7d.")) + " " + p.field.view(width/4)
	case p.field != nil:
		question := p.w.say(p.asking)
		return question + " " + p.field.view(width-p.w.look.width(question)-1)
	case p.search != "":
		return p.w.say(
			"Search: %s",
			p.search,
		) + "  " + p.shown.place(
			p.w,
			p.search,
		) + "  " + p.w.say(
			"n N next, previous  esc clears",
		)
	}
	return p.w.bar(p.keys())
}

func (p *logsPage) sourceText() string {
	if p.source == nil {
		return ""
	}
	return p.w.say("Source: %s", p.w.found(p.source.Text))
}

// why tells each place that was looked at.
func (p *logsPage) why(width int) []line {
	w := p.w
	var nowhere *logs.NotFoundError
	if !errors.As(p.trouble, &nowhere) {
		return rows(w.look.wrapped(w.say("the log cannot be read: %s", p.trouble.Error()), width))
	}
	lines := []line{row(""), row(w.say("There is no log of %s on this machine. Looked at:", nowhere.Component))}
	for _, one := range nowhere.Looked {
		lines = append(lines, row("  "+w.look.plain("·")+" "+w.found(one)))
	}
	return append(
		lines,
		row(""),
		row(w.look.paint(quiet, w.say("Reading the system journal may need root: sudo panelctl tui"))),
	)
}
