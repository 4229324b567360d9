package tui

import (
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/doctor"
)

// checkRow is one check as the screen shows it, of a run that goes on, has ended, or was kept.
type checkRow struct {
	id, group, title string
	status           doctor.Status // empty while there is no answer
	asking           bool
	found, do        string
	took             time.Duration
	data             map[string]any
	repair           string // what the safe recovery would do; empty for none
	kept             bool   // of an earlier run, which says nothing about repairs now
}

// checklist shows rows of checks with the details of the chosen one below.
type checklist struct {
	w      *session
	list   list
	filter filter
	rows   []checkRow
	room   int // rows that the window shows
}

func newChecklist(w *session) checklist { return checklist{w: w, filter: filter{w: w}} }

func (c *checklist) shown() []checkRow {
	return slices.DeleteFunc(slices.Clone(c.rows), func(r checkRow) bool {
		return !c.filter.matches(r.id, r.title, string(r.status), r.found, c.w.group(r.group))
	})
}

// worstFirst puts the marker on the first check that failed, else on the first that warns.
func (c *checklist) worstFirst() {
	for _, status := range []doctor.Status{doctor.Failed, doctor.Warning} {
		for i, one := range c.shown() {
			if one.status == status {
				c.list.at = i
				return
			}
		}
	}
}

// press takes the keys for moving, filtering and opening a check.
func (c *checklist) press(key string, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if cmd, used := c.filter.press(key, msg); used {
		c.list.at = 0
		return cmd, true
	}
	shown := c.shown()
	if key == "enter" && len(shown) > 0 {
		return push(&checkPage{base: base{w: c.w}, row: c.rowOf(shown[min(c.list.at, len(shown)-1)].id)}), true
	}
	return nil, c.list.move(key, len(shown), max(1, c.room-1))
}

// rowOf gives the row of a check as it is whenever it is asked for: the language may be another by then.
func (c *checklist) rowOf(id string) func() checkRow {
	return func() checkRow {
		for _, one := range c.rows {
			if one.id == id {
				return one
			}
		}
		return checkRow{id: id}
	}
}

const detailLines = 5

func (c *checklist) view(width, height int) []line {
	shown := c.shown()
	room := height - detailLines - 1
	if extra := room - len(shown); extra > 0 && len(shown) > 0 {
		room = len(shown) + extra/2 // a tall window gives the details their share
	}
	c.room = room
	from, to := c.list.window(len(shown), room)
	groups, titles := 0, 0
	for _, one := range c.rows {
		groups, titles = max(groups, c.w.look.width(c.w.group(one.group))),
			max(titles, c.w.look.width(c.w.env.T(one.title)))
	}
	titles = min(titles, width/4)
	var lines []line
	for i := from; i < to; i++ {
		group := c.w.group(shown[i].group)
		if i > from && shown[i-1].group == shown[i].group {
			group = ""
		}
		lines = append(lines, row(c.row(shown[i], group, [2]int{groups, titles}, i == c.list.at)))
	}
	if len(shown) == 0 {
		return tall([]line{row(c.w.say("nothing matches"))}, height)
	}
	chosen := shown[c.list.at]
	lines = append(tall(lines, room), ruled(chosen.id, c.place(len(shown), chosen)))
	return tall(append(lines, c.w.details(chosen, width, height-room-1)...), height)
}

// place tells which of the rows is chosen, so that a list longer than its window does not look complete.
func (c *checklist) place(shown int, chosen checkRow) string {
	place := fmt.Sprintf("%d/%d", c.list.at+1, shown)
	if took := c.w.tookText(chosen); took != "" {
		place += " · " + took
	}
	return place
}

func (c *checklist) row(r checkRow, group string, widths [2]int, chosen bool) string {
	l := c.w.look
	marker, status, text := "  ", l.paint(toneOf(r.status), l.fit(string(r.status), statusWidth)), r.found
	switch {
	case r.asking:
		status, text = l.fit("  "+l.spinner(c.w.step), statusWidth), ""
	case r.status == "":
		status, text = l.paint(quiet, l.fit("  -", statusWidth)), ""
	}
	title := l.fit(c.w.env.T(r.title), widths[1])
	if chosen {
		marker, title = "> ", l.paint(strong, title)
	}
	return l.fit(group, widths[0]) + " " + marker + status + "  " + title + "  " + text
}

// details are the finding and the action; the longer of them gets the room that the other leaves.
func (w *session) details(r checkRow, width, height int) []line {
	if r.status == "" {
		return []line{row(w.say("Not asked yet: r runs the diagnosis."))}
	}
	repair := w.say("not available for this check")
	if r.repair != "" {
		repair = r.repair + "  " + w.say("(press s)")
	}
	if r.kept || r.status == doctor.OK || r.status == doctor.Skipped {
		repair = ""
	}
	lines := w.labelled("Found", r.found, width)
	if r.do != "" {
		lines = append(lines, w.labelled("Do|for finding", r.do, width)...)
	}
	if repair == "" {
		return lines
	}
	recovery := w.labelled("Safe recovery:", repair, width)
	if keep := height - len(recovery); len(lines) > keep {
		lines = lines[:max(0, keep)]
	}
	return append(lines, recovery...)
}

// labelled wraps a text beside its label, as wide as the labels of a finding are.
func (w *session) labelled(label, text string, width int) []line {
	return w.labelledAt(
		max(w.look.width(w.say(label)), w.look.width(w.say("Found")), w.look.width(w.say("Do|for finding"))),
		label,
		text,
		width,
	)
}

// labelledAt wraps a text beside a label that takes a given width.
func (w *session) labelledAt(wide int, label, text string, width int) []line {
	var lines []line
	for i, part := range w.look.wrapped(text, width-wide-2) {
		head := ""
		if i == 0 && label != "" {
			head = w.say(label)
		}
		lines = append(lines, row(w.look.paint(quiet, w.look.fit(head, wide+2))+part))
	}
	return lines
}

func (w *session) tookText(r checkRow) string {
	if r.status == "" {
		return ""
	}
	return w.say("%d ms", r.took.Milliseconds())
}

var groups = map[string]string{
	"configuration": "Configuration", "services": "Services", "database": "Database", "disk": "Disk",
	"network": "Network", "dns": "DNS", "tls": "TLS", "components": "Components",
}

func (w *session) group(key string) string {
	if name := groups[key]; name != "" {
		return w.say(name)
	}
	return key
}

// checkPage is one check with everything that is known of it.
type checkPage struct {
	base
	row    func() checkRow
	scroll scroll
}

func (p *checkPage) title() (string, string) {
	r := p.row()
	return r.id, p.w.tookText(r)
}

func (p *checkPage) keys() []binding { return []binding{{key: "↑↓", does: "scroll", quiet: true}} }

func (p *checkPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if !p.scroll.press(key) && key == "enter" {
		return pop(p)
	}
	return nil
}

func (p *checkPage) view(width, height int) []line {
	w, r := p.w, p.row()
	status := string(r.status)
	if status == "" {
		status = "-"
	}
	lines := []line{
		row(w.group(r.group) + " · " + w.env.T(r.title) + "   " + w.look.paint(toneOf(r.status), status)),
		row(""),
	}
	lines = append(lines, w.details(r, width, height)...)
	if len(r.data) > 0 {
		lines = append(lines, row(""), row(w.look.paint(quiet, w.say("Facts"))))
		var cells [][]string
		for _, name := range slices.Sorted(maps.Keys(r.data)) {
			cells = append(cells, []string{"  " + name, fmt.Sprint(r.data[name])})
		}
		lines = append(lines, rows(w.look.columns(cells))...)
	}
	return p.scroll.window(w, lines, height)
}
