package site

import (
	"encoding/xml"
	"time"
)

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Published string      `xml:"published"`
	Updated   string      `xml:"updated"`
	Links     []atomLink  `xml:"link"`
	Content   atomContent `xml:"content"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// epoch is when a page without news was updated: the same as long as nothing happens.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// feed has one entry for each incident and each maintenance, with all that was said.
func (b *builder) feed() ([]byte, error) {
	w := wordsOf(b.site.Default)
	feed := atomFeed{
		Lang: w.locale, ID: "urn:uuid:" + b.site.Key, Title: b.site.Titles.In(w.locale, w.locale),
		Author: b.site.Titles.In(w.locale, w.locale),
	}
	newest := epoch
	for i := range b.site.Notices {
		entry, at, err := b.noticeEntry(&b.site.Notices[i], w)
		if err != nil {
			return nil, err
		}
		feed.Entries = append(feed.Entries, entry)
		newest = later(newest, at)
	}
	for i := range b.site.Maintenance {
		entry, at, err := b.workEntry(&b.site.Maintenance[i], w)
		if err != nil {
			return nil, err
		}
		feed.Entries = append(feed.Entries, entry)
		newest = later(newest, at)
	}
	feed.Updated = machine(newest)
	if b.site.Address != "" {
		feed.Links = []atomLink{
			{Rel: "self", Type: "application/atom+xml", Href: b.site.Address + "feed.xml"},
			{Rel: "alternate", Type: "text/html", Href: b.site.Address + "index.html"},
		}
	}
	text, err := xml.MarshalIndent(feed, "", " ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (b *builder) noticeEntry(n *Notice, w *words) (atomEntry, time.Time, error) {
	at, text := n.StartedAt, ""
	for _, u := range n.Updates {
		at = later(at, u.At)
		body, err := b.html(u.Bodies.In(w.locale, b.site.Default))
		if err != nil {
			return atomEntry{}, at, err
		}
		text += "<p><strong>" + w.states[u.State] + "</strong> · " + w.moment(u.At) + "</p>" + string(body)
	}
	return b.entry(n.ID, n.Titles.In(w.locale, b.site.Default)+" – "+w.states[n.State], text, n.StartedAt, at), at, nil
}

func (b *builder) workEntry(m *Maintenance, w *words) (atomEntry, time.Time, error) {
	body, err := b.html(m.Bodies.In(w.locale, b.site.Default))
	text := "<p>" + w.moment(m.StartsAt) + " – " + w.moment(m.EndsAt) + "</p>" + string(body)
	title := m.Titles.In(w.locale, b.site.Default) + " – " + w.works[m.State]
	return b.entry(m.ID, title, text, m.UpdatedAt, m.UpdatedAt), m.UpdatedAt, err
}

func (b *builder) entry(id, title, text string, published, updated time.Time) atomEntry {
	e := atomEntry{
		ID: "urn:uuid:" + id, Title: title, Published: machine(published), Updated: machine(updated),
		Content: atomContent{Type: "html", Text: text},
	}
	if b.site.Address != "" {
		e.Links = []atomLink{{Rel: "alternate", Type: "text/html", Href: b.site.Address + "history/index.html"}}
	}
	return e
}
