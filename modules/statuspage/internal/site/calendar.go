package site

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// calendar has the announced work, as RFC 5545 wants it: CRLF, lines of 75 octets at most.
func (b *builder) calendar() ([]byte, error) {
	w := wordsOf(b.site.Default)
	var out bytes.Buffer
	line := func(name, value string) { fold(&out, name+":"+value) }
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//Panel//Status page//EN")
	line("CALSCALE", "GREGORIAN")
	line("METHOD", "PUBLISH")
	line("X-WR-CALNAME", escaped(b.site.Titles.In(w.locale, w.locale)))
	for i := range b.site.Maintenance {
		m := &b.site.Maintenance[i]
		line("BEGIN", "VEVENT")
		line("UID", m.ID)
		line("DTSTAMP", stamp(m.UpdatedAt))
		line("SEQUENCE", fmt.Sprint(m.Revision-1))
		line("DTSTART", stamp(m.StartsAt))
		line("DTEND", stamp(m.EndsAt))
		line("SUMMARY", escaped(m.Titles.In(w.locale, b.site.Default)))
		if text := m.Bodies.In(w.locale, b.site.Default); text != "" {
			line("DESCRIPTION", escaped(text))
		}
		line("STATUS", map[bool]string{true: "CANCELLED", false: "CONFIRMED"}[m.State == "cancelled"])
		line("TRANSP", "TRANSPARENT")
		line("END", "VEVENT")
	}
	line("END", "VCALENDAR")
	return out.Bytes(), nil
}

func stamp(at time.Time) string { return at.UTC().Format("20060102T150405Z") }

var escapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

func escaped(text string) string { return escapes.Replace(text) }

// fold breaks a line after 75 octets, never inside of a letter; what follows begins with a space.
func fold(out *bytes.Buffer, line string) {
	const most = 75
	width := 0
	for _, letter := range line {
		if letter < ' ' {
			continue
		}
		size := utf8.RuneLen(letter)
		if width+size > most {
			out.WriteString("\r\n ")
			width = 1
		}
		out.WriteRune(letter)
		width += size
	}
	out.WriteString("\r\n")
}
