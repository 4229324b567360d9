package site

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

//go:embed page.html
var source string

// script tells a reader who has the page open how old it is, and brings newer words without a reload.
//
//go:embed fresh.js
var script string

// tree is parsed for the first page, so that no command of a second's fraction parses it.
var tree = sync.OnceValue(func() *template.Template { return template.Must(template.New("site").Parse(source)) })

const (
	recently = 14 * 24 * time.Hour // what closed so long ago still stands on the first page
	soon     = 30 * 24 * time.Hour // maintenance that stands on the first page
	fewParts = 12                  // a group of so many components is open
)

// said are the words of a page as the template reads them.
type said struct {
	Locale, Skip, Current, Planned, Components, PastOnes, History, Nothing, None, Back, Feed, Calendar, Machines string
	AsOf, Old, Minutes, Hours, Languages                                                                         string
}

func (w *words) said() said {
	return said{
		Locale: w.locale, Skip: w.skip, Current: w.current, Planned: w.planned, Components: w.components,
		PastOnes: w.past,
		History:  w.history, Nothing: w.nothing, None: w.none, Back: w.back, Feed: w.feed, Calendar: w.calendar,
		Machines: w.machines, AsOf: w.asOf, Old: w.old, Minutes: w.minutes, Hours: w.hours, Languages: w.languages,
	}
}

// sheet is what the template shows.
type sheet struct {
	Words             said
	Mode              string
	Policy            string
	Style             template.CSS
	StyleFile         string
	Script            template.JS
	Logo              template.URL
	Up                string
	Home, HistoryLink string
	Past              bool
	Title             string
	Heading           string
	Description       string
	Footer            template.HTML
	Languages         []language
	Worst, Headline   string
	Machine, People   string
	Announcements     []post
	Open, Closed      []noticeShown
	Works             []workShown
	Groups            []groupShown
}

type language struct {
	Locale, Name, Link string
	Here               bool
}

type post struct {
	Title string
	Text  template.HTML
}

type noticeShown struct {
	Title, Look, State, Impact, Machine, At, Parts string
	Updates                                        []updateShown
}

type updateShown struct {
	State, Machine, At string
	Text               template.HTML
}

type workShown struct {
	Title, State, Machine, MachineEnd, From, To, Parts string
	Text                                               template.HTML
}

type groupShown struct {
	Name, Status, Word string
	Expanded           bool

	components []Component
	strips     []strip
}

// largest is the length of the longest page so far: the next one is about as long.
var largest atomic.Int64

// write fills in the templates one after the other; the groups of a page are drawn between them.
func (b *builder) write(s *sheet, d *drawing, first, last string) ([]byte, error) {
	d.out.Grow(int(largest.Load()))
	err := tree().ExecuteTemplate(&d.out, first, s)
	for i := range s.Groups {
		g := &s.Groups[i]
		err = errors.Join(err, tree().ExecuteTemplate(&d.out, "group", g))
		d.group(g.components, g.strips)
		err = errors.Join(err, tree().ExecuteTemplate(&d.out, "group-end", g))
	}
	err = errors.Join(err, tree().ExecuteTemplate(&d.out, last, s))
	largest.Store(max(largest.Load(), int64(d.out.Len())))
	return d.out.Bytes(), err
}

// sheet begins a page of a language.
func (b *builder) sheet(locale string, past bool) (*sheet, *words, error) {
	w := wordsOf(locale)
	s := &sheet{
		Words: w.said(), Mode: b.site.Mode, Up: upwards, Past: past, StyleFile: b.style, Logo: b.logoLink(),
		Title: b.site.Titles.In(locale, b.site.Default), Description: b.site.Descriptions.In(locale, b.site.Default),
		Machine: momentOfMachines, People: momentOfPeople, Home: upwards + "index.html",
		HistoryLink: upwards + locale + "/history.html",
	}
	if locale != b.site.Default {
		s.Home = upwards + locale + "/index.html"
	}
	if s.Heading = s.Title; past {
		s.Heading = s.Title + " – " + w.history
	}
	file := "index.html"
	if past {
		file = "history.html"
	}
	for _, one := range b.site.Locales {
		s.Languages = append(s.Languages, language{
			Locale: one, Name: wordsOf(one).name, Link: upwards + one + "/" + file, Here: one == locale,
		})
	}
	b.guarded(s)
	var err error
	if footer := b.site.Footers.In(locale, b.site.Default); footer != "" {
		s.Footer, err = b.html(footer)
	}
	return s, w, err
}

// guarded gives a page the policy without which a browser runs and fetches nothing.
func (b *builder) guarded(s *sheet) {
	if b.alone {
		s.Style = template.CSS(b.css()) //nolint:gosec // the page's own style
		s.Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
		return
	}
	s.Policy = Policy()
	if !s.Past {
		s.Script = template.JS(fresh()) //nolint:gosec // the page's own script
	}
}

func fresh() string { return strings.TrimSpace(script) }

// Policy is what a browser may run and fetch for a page: what lies beside it, and the one script that it brings.
var Policy = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(fresh()))
	return "default-src 'none'; style-src 'self'; img-src 'self' data:; connect-src 'self'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
})

func (b *builder) logoLink() template.URL {
	switch logo := b.site.Logo; {
	case logo == nil:
		return ""
	case b.alone:
		return template.URL("data:" + logo.MediaType + ";base64," + //nolint:gosec // an image of a known kind
			base64.StdEncoding.EncodeToString(logo.Content))
	}
	return template.URL(upwards + b.logo) //nolint:gosec // a path of the page's own
}

// page is how things are now.
func (b *builder) page(locale string) ([]byte, error) {
	s, w, err := b.sheet(locale, false)
	if err != nil {
		return nil, err
	}
	s.Worst = b.site.Worst()
	s.Headline = w.headlines[s.Worst]
	if s.Worst == Operational && b.site.silent() {
		s.Headline = w.unproven
	}
	for _, one := range b.site.Announcements {
		text, err := b.html(one.Bodies.In(locale, b.site.Default))
		if err != nil {
			return nil, err
		}
		s.Announcements = append(s.Announcements, post{one.Titles.In(locale, b.site.Default), text})
	}
	for i := range b.site.Notices {
		n := &b.site.Notices[i]
		closed := n.ResolvedAt != nil
		if closed && n.ResolvedAt.Before(b.site.DataAt.Add(-recently)) {
			continue
		}
		shown, err := b.notice(n, locale, w)
		if err != nil {
			return nil, err
		}
		if closed {
			s.Closed = append(s.Closed, shown)
			continue
		}
		s.Open = append(s.Open, shown)
	}
	s.Works, err = b.works(locale, w, func(m *Maintenance) bool {
		return m.State == "active" || m.State == "planned" && m.StartsAt.Before(b.site.DataAt.Add(soon))
	})
	s.Groups = b.groups(locale, w)
	if err != nil {
		return nil, err
	}
	return b.write(s, b.drawing(w), "page", "page-end")
}

// history is what was.
func (b *builder) history(locale string) ([]byte, error) {
	s, w, err := b.sheet(locale, true)
	if err != nil {
		return nil, err
	}
	for i := range b.site.Notices {
		shown, err := b.notice(&b.site.Notices[i], locale, w)
		if err != nil {
			return nil, err
		}
		s.Closed = append(s.Closed, shown)
	}
	if s.Works, err = b.works(locale, w, func(*Maintenance) bool { return true }); err != nil {
		return nil, err
	}
	return b.write(s, b.drawing(w), "history", "foot")
}

var looks = map[string]string{"none": Unknown, "minor": Degraded, "major": PartialOutage, "critical": MajorOutage}

func (b *builder) notice(n *Notice, locale string, w *words) (noticeShown, error) {
	out := noticeShown{
		Title: n.Titles.In(locale, b.site.Default), Look: looks[n.Impact], State: w.states[n.State],
		Impact: w.impacts[n.Impact], Machine: machine(n.StartedAt), At: w.moment(n.StartedAt),
		Parts: b.affected(n.Components, locale, w),
	}
	if n.ResolvedAt != nil {
		out.Look = Operational
	}
	for _, u := range n.Updates {
		text, err := b.html(u.Bodies.In(locale, b.site.Default))
		if err != nil {
			return out, err
		}
		out.Updates = append(out.Updates, updateShown{w.states[u.State], machine(u.At), w.moment(u.At), text})
	}
	return out, nil
}

func (b *builder) affected(names []Text, locale string, w *words) string {
	const most = 12
	list := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			list = append(list, "…")
			break
		}
		list = append(list, name.In(locale, b.site.Default))
	}
	if len(list) == 0 {
		return ""
	}
	return w.affected + ": " + strings.Join(list, ", ")
}

func machine(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func (b *builder) works(locale string, w *words, stands func(*Maintenance) bool) (out []workShown, err error) {
	for i := range b.site.Maintenance {
		m := &b.site.Maintenance[i]
		if !stands(m) {
			continue
		}
		shown := workShown{
			Title: m.Titles.In(locale, b.site.Default), State: w.works[m.State], Machine: machine(m.StartsAt),
			MachineEnd: machine(m.EndsAt), From: w.moment(m.StartsAt), To: w.moment(m.EndsAt),
			Parts: b.affected(m.Components, locale, w),
		}
		if shown.Text, err = b.html(m.Bodies.In(locale, b.site.Default)); err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

func (b *builder) groups(locale string, w *words) (out []groupShown) {
	for i := range b.site.Groups {
		g := &b.site.Groups[i]
		if len(g.Components) == 0 {
			continue
		}
		shown := groupShown{
			Name: g.Names.In(locale, b.site.Default), Status: worstOf(g.Components), components: g.Components,
			strips: b.strips(i),
		}
		shown.Word = w.statuses[shown.Status]
		shown.Expanded = len(g.Components) <= fewParts || shown.Status != Operational
		out = append(out, shown)
	}
	return out
}

// ranks say which status counts for the whole.
var ranks = []string{Operational, Unknown, Maintained, Degraded, PartialOutage, MajorOutage}

// Worse is the one of two statuses that counts.
func Worse(a, b string) string {
	if slices.Index(ranks, b) > slices.Index(ranks, a) {
		return b
	}
	return a
}

func worstOf(components []Component) string {
	worst := Operational
	for i := range components {
		worst = Worse(worst, components[i].Status)
	}
	return worst
}

// Worst is the status of the whole page. One of many that is down is no outage of all.
func (s *Site) Worst() string {
	worst, all, down, silent := Operational, 0, 0, 0
	for i := range s.Groups {
		worst = Worse(worst, worstOf(s.Groups[i].Components))
		for j := range s.Groups[i].Components {
			all++
			switch s.Groups[i].Components[j].Status {
			case MajorOutage:
				down++
			case Unknown:
				silent++
			}
		}
	}
	switch {
	case worst == MajorOutage && down < all:
		return PartialOutage
	case worst == Unknown && silent < all:
		return Operational
	}
	return worst
}

// silent says whether nothing is known of some component that readers see.
func (s *Site) silent() bool {
	return slices.ContainsFunc(s.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.Components, func(c Component) bool { return c.Status == Unknown })
	})
}
