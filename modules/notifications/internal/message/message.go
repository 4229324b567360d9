// Package message turns a notice into what people read: on a phone, in a mail, or as data for a program.
package message

import (
	"fmt"
	"html"
	"strings"
	"time"
	"unicode"
)

// Message is one notice in the language of its reader.
type Message struct {
	// ID is the event's; a receiver that gets it twice knows so.
	ID string
	// Kind is that of the event, "node.offline".
	Kind     string
	Severity string
	// Title says what happened, Name to whom, Effect what it means.
	Title, Name, Effect string
	Details             []Detail
	At, Last            time.Time
	Zone                *time.Location
	// Count is how many events the message stands for.
	Count int
	// Link leads into the panel; empty where the panel does not know its own address.
	Link string
	// Resolved marks the end of what another message is about.
	Resolved bool
	Words    Words

	SubjectType, SubjectID string
	// Answers is the ID of the message that this one answers, and Thread what the channel called it.
	Answers, Thread string
}

// Detail is one more fact.
type Detail struct{ Label, Text string }

// longest are the most characters of one field: the whole message stays below the 4096 that messengers take.
const (
	longestName   = 120
	longestDetail = 400
	longestText   = 600
	mostDetails   = 4
)

// Clean makes text of others fit for one line: no control characters, nothing that turns the direction of writing, and
// no more than most characters.
func Clean(text string, most int) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// line is one line of a message: a label, and what stands behind it.
type line struct{ label, text string }

func (m Message) lines() (all []line) {
	add := func(label, text string, most int) {
		if text = Clean(text, most); text != "" {
			all = append(all, line{label, text})
		}
	}
	add(m.Words.Where, m.Name, longestName)
	add(m.Words.Since, m.stamp(m.At), longestName)
	if m.Count > 1 {
		add(m.Words.Count, fmt.Sprintf(m.Words.Events, m.Count, m.stamp(m.Last)), longestName)
	}
	for i, detail := range m.Details {
		if i < mostDetails {
			add(detail.Label, detail.Text, longestDetail)
		}
	}
	add("", m.Effect, longestText)
	return all
}

func (m Message) stamp(at time.Time) string {
	if m.Zone == nil {
		m.Zone = time.UTC
	}
	return at.In(m.Zone).Format("2006-01-02 15:04:05 -07:00")
}

func (m Message) sign() string {
	switch {
	case m.Resolved:
		return "✅"
	case m.Severity == "critical":
		return "🔴"
	case m.Severity == "warning":
		return "🟠"
	}
	return "🔵"
}

// HTML is the message for a messenger that knows a few tags.
func (m Message) HTML() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s <b>%s</b>\n", m.sign(), html.EscapeString(Clean(m.Title, longestText)))
	for _, l := range m.lines() {
		if l.label != "" {
			fmt.Fprintf(&text, "%s: ", html.EscapeString(l.label))
		}
		text.WriteString(html.EscapeString(l.text) + "\n")
	}
	if m.Link != "" {
		fmt.Fprintf(&text, `<a href="%s">%s</a>`, html.EscapeString(m.Link), html.EscapeString(m.Words.Open))
	}
	return strings.TrimSpace(text.String())
}

// Subject is the heading of a mail, one line.
func (m Message) Subject() string {
	subject := Clean(m.Title, longestText)
	if name := Clean(m.Name, longestName); name != "" {
		subject += ": " + name
	}
	return m.sign() + " " + subject
}

// Plain is the message without any marks.
func (m Message) Plain() string {
	var text strings.Builder
	text.WriteString(Clean(m.Title, longestText) + "\n\n")
	for _, l := range m.lines() {
		if l.label != "" {
			text.WriteString(l.label + ": ")
		}
		text.WriteString(l.text + "\n")
	}
	if m.Link != "" {
		text.WriteString("\n" + m.Words.Open + ": " + m.Link + "\n")
	}
	return text.String()
}

// Body is what a program gets. Members are only ever added: receivers ignore what they do not know.
type Body struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      Data      `json:"data"`
}

// Data is what a program gets to know of the notice.
type Data struct {
	EventID     string    `json:"event_id"`
	Severity    string    `json:"severity"`
	SubjectType string    `json:"subject_type"`
	SubjectID   string    `json:"subject_id"`
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Effect      string    `json:"effect,omitempty"`
	Link        string    `json:"link,omitempty"`
	Count       int       `json:"count"`
	LastAt      time.Time `json:"last_at"`
	Resolved    bool      `json:"resolved"`
	Answers     string    `json:"answers,omitempty"`
}

// Body gives the message as data.
func (m Message) Body() Body {
	return Body{Type: m.Kind, Timestamp: m.At.UTC(), Data: Data{
		EventID: m.ID, Severity: m.Severity, SubjectType: m.SubjectType, SubjectID: m.SubjectID, Name: m.Name,
		Title: m.Title, Effect: m.Effect, Link: m.Link, Count: m.Count, LastAt: m.Last.UTC(), Resolved: m.Resolved,
		Answers: m.Answers,
	}}
}
