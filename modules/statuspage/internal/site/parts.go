package site

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"time"
)

// strip is the days of a component as every language draws them.
type strip struct {
	days   []Day
	counts [6]int // by the place in ranks
	runs   []run
}

// run are days of one kind side by side; the style cuts it into days.
type run struct{ from, days int }

// stripOf lays days side by side; those that are alike are one shape.
func stripOf(days []Day) (out strip) {
	out.days = days
	for i := range days {
		worst := days[i].Worst
		if at := slices.Index(ranks, worst); at >= 0 {
			out.counts[at]++
		}
		if last := len(out.runs) - 1; i > 0 && days[i-1].Worst == worst && plain(worst) {
			out.runs[last].days++
			continue
		}
		out.runs = append(out.runs, run{i, 1})
	}
	return out
}

// plain days need no words of their own.
func plain(worst string) bool { return worst == Operational || worst == Unknown }

// strips are those of all components, group by group, made for the first language that asks.
func (b *builder) strips(group int) []strip {
	if b.drawn == nil {
		b.drawn = make([][]strip, len(b.site.Groups))
	}
	if components := b.site.Groups[group].Components; b.drawn[group] == nil {
		b.drawn[group] = make([]strip, len(components))
		for i := range components {
			b.drawn[group][i] = stripOf(components[i].Days)
		}
	}
	return b.drawn[group]
}

// drawing writes the components of a page in one language. A page has thousands of days, so no template does it: each
// text passes through html.EscapeString, and all else is a number or a word of this package.
type drawing struct {
	*words

	otherwise string            // the language of texts that this one lacks
	dates     map[string]string // as people read them
	out       bytes.Buffer
}

func (b *builder) drawing(w *words) *drawing {
	return &drawing{words: w, otherwise: b.site.Default, dates: map[string]string{}}
}

// group writes components with their days.
func (d *drawing) group(components []Component, strips []strip) {
	d.write(`<ul class="parts">`)
	for i := range components {
		c := &components[i]
		d.write("\n"+`<li><div class="row"><span class="name">`, html.EscapeString(c.Names.In(d.locale, d.otherwise)),
			`</span><span class="state `, c.Status, `">`, html.EscapeString(d.statuses[c.Status]), "</span></div>")
		if len(c.Days) > 0 {
			d.bars(c, &strips[i])
		}
		d.write("</li>")
	}
	d.write("\n</ul>")
}

func (d *drawing) write(parts ...string) {
	for _, part := range parts {
		d.out.WriteString(part)
	}
}

func (d *drawing) number(n int) {
	d.out.Write(strconv.AppendInt(d.out.AvailableBuffer(), int64(n), 10))
}

// bars draws the days, with words for those who do not see them.
func (d *drawing) bars(c *Component, s *strip) {
	uptime := d.noData
	if c.Uptime != nil {
		uptime = d.upFor(*c.Uptime)
	}
	d.write(`<svg class="bars" viewBox="0 0 `)
	d.number(len(s.days))
	d.write(` 1" preserveAspectRatio="none" role="img" aria-label="`, html.EscapeString(d.label(uptime, s)), `">`)
	for _, r := range s.runs {
		day := &s.days[r.from]
		d.write(`<rect class="`, day.Worst, `" x="`)
		d.number(r.from)
		d.write(`" width="`)
		d.number(r.days)
		d.write(`" height="1">`)
		if !plain(day.Worst) {
			d.write("<title>", html.EscapeString(d.title(day)), "</title>")
		}
		d.write("</rect>")
	}
	d.write(`</svg><div class="scale"><span>`, html.EscapeString(d.ago(len(s.days))), "</span><span>",
		html.EscapeString(uptime), "</span><span>", html.EscapeString(d.today), "</span></div>")
}

// title says what a day was.
func (d *drawing) title(day *Day) string {
	date, known := d.dates[day.Date]
	if !known {
		date = day.Date
		if at, err := time.Parse(time.DateOnly, day.Date); err == nil {
			date = d.date(at)
		}
		d.dates[day.Date] = date
	}
	text := date + ": " + d.statuses[day.Worst]
	if day.Uptime != nil {
		text += " (" + d.percent(*day.Uptime) + ")"
	}
	return text
}

// label says in words what the bars show, the worst first.
func (d *drawing) label(uptime string, s *strip) string {
	text := uptime
	for at, status := range slices.Backward(ranks) {
		if n := s.counts[at]; n > 0 {
			text += ", " + d.statuses[status] + ": " + strconv.Itoa(n)
		}
	}
	return text
}
