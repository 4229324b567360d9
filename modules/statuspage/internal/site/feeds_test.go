package site

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func feedOf(t *testing.T, s *Site) (feed atomFeed) {
	t.Helper()
	require.NoError(t, xml.Unmarshal([]byte(text(t, built(t, s), "feed.xml")), &feed))
	return feed
}

// Work is an entry of its own: when it begins and ends, what it is, and when it was said last.
func TestTheFeedTellsOfWork(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Default, s.Locales, s.Address = "ru", []string{"ru"}, "https://status.example.com/"
	s.Maintenance = []Maintenance{{
		ID: "m1", Titles: Text{"ru": "Диски"}, Bodies: Text{"ru": "Меняем *диски*"}, State: "cancelled", StartsAt: noon,
		EndsAt: noon.Add(time.Hour), UpdatedAt: noon.Add(-time.Hour),
	}}
	feed := feedOf(t, s)
	require.Equal(t, "Пусто", feed.Title)
	require.Equal(t, feed.Title, feed.Author)
	require.Equal(t, "2026-11-27T11:34:00Z", feed.Updated)
	require.Equal(t, []atomEntry{{
		ID: "urn:uuid:m1", Title: "Диски – Отменено", Published: "2026-11-27T11:34:00Z", Updated: "2026-11-27T11:34:00Z",
		Links: []atomLink{{Rel: "alternate", Type: "text/html", Href: "https://status.example.com/history/index.html"}},
		Content: atomContent{
			Type: "html",
			Text: "<p>27 ноя 2026, 12:34 UTC – 27 ноя 2026, 13:34 UTC</p><p>Меняем <em>диски</em></p>\n",
		},
	}}, feed.Entries)
	require.Contains(t, text(t, built(t, s), "feed.xml"), `xml:lang="ru"`)
	require.Equal(t, []atomLink{
		{Rel: "self", Type: "application/atom+xml", Href: "https://status.example.com/feed.xml"},
		{Rel: "alternate", Type: "text/html", Href: "https://status.example.com/index.html"},
	}, feed.Links)
	s.Address = ""
	quiet := feedOf(t, s)
	require.Empty(t, quiet.Links, "nobody knows where the page is")
	require.Empty(t, quiet.Entries[0].Links)
}

// An entry is as new as the last that was said of it, and the feed as its newest entry.
func TestTheFeedIsAsNewAsItsNewestWord(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Notices = []Notice{
		{ID: "old", State: "resolved", StartedAt: noon.Add(-48 * time.Hour), Updates: []Update{
			{At: noon.Add(-time.Hour), State: "resolved", Bodies: Text{"en": "Over."}},
			{At: noon.Add(-48 * time.Hour), State: "investigating", Bodies: Text{"en": "We look."}},
		}},
		{ID: "new", State: "investigating", StartedAt: noon.Add(-2 * time.Hour)},
	}
	feed := feedOf(t, s)
	require.Equal(t, "2026-11-27T11:34:00Z", feed.Updated)
	require.Equal(t, []string{"2026-11-25T12:34:00Z", "2026-11-27T11:34:00Z"},
		[]string{feed.Entries[0].Published, feed.Entries[0].Updated})
	require.Equal(t, "2026-11-27T10:34:00Z", feed.Entries[1].Updated)
	require.Equal(t, "<p><strong>Resolved</strong> · 27 Nov 2026, 11:34 UTC</p><p>Over.</p>\n"+
		"<p><strong>Investigating</strong> · 25 Nov 2026, 12:34 UTC</p><p>We look.</p>\n", feed.Entries[0].Content.Text)
}

// A name may hold whatever it wants: the feed stays a feed.
func TestTheFeedTakesEveryName(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Titles = Text{"en": "a & <b> ]]> \x01 \"q\""}
	s.Notices = []Notice{{ID: "n", Titles: Text{"en": "</title><entry>"}, State: "identified", StartedAt: noon}}
	feed := feedOf(t, s)
	require.Equal(t, "a & <b> ]]> \ufffd \"q\"", feed.Title)
	require.Len(t, feed.Entries, 1)
	require.Equal(t, "</title><entry> – Identified", feed.Entries[0].Title)
}

func calendarOf(t *testing.T, s *Site) string {
	t.Helper()
	return text(t, built(t, s), "maintenance.ics")
}

// RFC 5545: a cancelled event stays, is struck out, and each change of it counts; moments are in UTC whatever the clock
// of the panel says.
func TestTheCalendarStrikesOutWhatWasCancelled(t *testing.T) {
	t.Parallel()
	local := time.FixedZone("x", 3*3600)
	s := bare()
	s.Maintenance = []Maintenance{
		{
			ID: "m1", Titles: Text{"en": "Disks"}, State: "cancelled", StartsAt: noon.In(local), EndsAt: noon.Add(time.Hour).In(local),
			UpdatedAt: noon.In(local), Revision: 2,
		},
		{ID: "m2", Titles: Text{"en": "Nets"}, State: "done", StartsAt: noon, EndsAt: noon, UpdatedAt: noon, Revision: 1},
	}
	require.Equal(t, strings.Join([]string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Panel//Status page//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
		"X-WR-CALNAME:Bare",
		"BEGIN:VEVENT", "UID:m1", "DTSTAMP:20261127T123400Z", "SEQUENCE:1", "DTSTART:20261127T123400Z",
		"DTEND:20261127T133400Z", "SUMMARY:Disks", "STATUS:CANCELLED", "TRANSP:TRANSPARENT", "END:VEVENT",
		"BEGIN:VEVENT", "UID:m2", "DTSTAMP:20261127T123400Z", "SEQUENCE:0", "DTSTART:20261127T123400Z",
		"DTEND:20261127T123400Z", "SUMMARY:Nets", "STATUS:CONFIRMED", "TRANSP:TRANSPARENT", "END:VEVENT",
		"END:VCALENDAR", "",
	}, "\r\n"), calendarOf(t, s))
}

// Nobody who writes a text adds a line of his own to the calendar.
func TestATextIsOneLineOfTheCalendar(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"":                     "",
		"plain: a/b":           "plain: a/b",
		`a\b;c,d`:              `a\\b\;c\,d`,
		"one\ntwo\r\nthree\rf": `one\ntwo\nthree\nf`,
		`\n`:                   `\\n`,
	} {
		require.Equal(t, want, escaped(written), "%q", written)
	}
	s := bare()
	s.Titles = Text{"en": "x\r\nMETHOD:CANCEL"}
	s.Maintenance = []Maintenance{{
		Titles: Text{"en": "x\r\nEND:VEVENT\rBEGIN:VEVENT\nUID:other\u2028"}, Bodies: Text{"en": "\r\nATTACH:https://evil.example"},
	}}
	calendar := calendarOf(t, s)
	for _, line := range []string{"BEGIN:VEVENT", "END:VEVENT", "UID:", "METHOD:"} {
		require.Equal(t, 1, strings.Count("\r\n"+calendar, "\r\n"+line), line)
	}
	require.NotContains(t, calendar, "\nATTACH")
}

// Whatever a line holds, it is cut into pieces of 75 octets at most that are text themselves, and put together again it
// is the same.
func TestALineIsFoldedAndUnfolded(t *testing.T) {
	t.Parallel()
	folded := func(line string) string {
		var out bytes.Buffer
		fold(&out, line)
		return out.String()
	}
	require.Equal(t, strings.Repeat("x", 75)+"\r\n", folded(strings.Repeat("x", 75)), "so many fit")
	require.Equal(t, strings.Repeat("x", 75)+"\r\n x\r\n", folded(strings.Repeat("x", 76)))
	require.Equal(t, strings.Repeat("x", 74)+"\r\n я\r\n", folded(strings.Repeat("x", 74)+"я"), "a letter is not cut")
	require.Equal(t, strings.Repeat("x", 75)+"\r\n "+strings.Repeat("x", 74)+"\r\n x\r\n", folded(strings.Repeat("x", 150)))
	require.Equal(t, "abc\r\n", folded("a\x00b\tc"), "what is no letter is left out")
	letters := rapid.SliceOf(rapid.SampledFrom([]rune("aя€😀 ,\\")))
	rapid.Check(t, func(t *rapid.T) {
		line := string(letters.Draw(t, "line"))
		out := folded(line)
		for part := range strings.SplitSeq(strings.TrimSuffix(out, "\r\n"), "\r\n") {
			require.LessOrEqual(t, len(part), 75)
			require.True(t, utf8.ValidString(part))
		}
		require.Equal(t, line, strings.TrimSuffix(strings.ReplaceAll(out, "\r\n ", ""), "\r\n"))
	})
}

// What programs read is the whole page, in every language it has, and null only for what is not known.
func TestProgramsReadTheWholePage(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Groups = []Group{
		{Components: []Component{{ID: "c1", Names: Text{"en": "Web", "ru": "Сайт"}, Status: MajorOutage, Uptime: percent(99.5)}}},
		{Names: Text{"en": "Europe"}, Components: []Component{{ID: "c2", Names: Text{"en": "Mail"}, Status: Operational}}},
	}
	s.Notices = []Notice{{
		ID: "n1", Titles: Text{"en": "Down"}, Impact: "critical", State: "identified", StartedAt: noon,
		Updates: []Update{{At: noon, State: "identified", Bodies: Text{"en": "A **disk**"}}},
	}}
	s.Maintenance = []Maintenance{{
		ID: "m1", Titles: Text{"en": "Disks"}, State: "planned", StartsAt: noon.AddDate(1, 0, 0), EndsAt: noon.AddDate(1, 0, 1),
	}}
	require.JSONEq(t, `{
		"titles": {"en": "Bare", "ru": "Пусто"}, "status": "partial_outage", "data_at": "2026-11-27T12:34:00Z",
		"components": [
			{"id": "c1", "names": {"en": "Web", "ru": "Сайт"}, "group": {}, "status": "major_outage", "uptime_percent": 99.5},
			{"id": "c2", "names": {"en": "Mail"}, "group": {"en": "Europe"}, "status": "operational", "uptime_percent": null}
		],
		"incidents": [{
			"id": "n1", "titles": {"en": "Down"}, "impact": "critical", "state": "identified",
			"started_at": "2026-11-27T12:34:00Z", "resolved_at": null,
			"updates": [{"at": "2026-11-27T12:34:00Z", "state": "identified", "bodies": {"en": "A **disk**"}}]
		}],
		"maintenance": [{
			"id": "m1", "titles": {"en": "Disks"}, "state": "planned", "starts_at": "2027-11-27T12:34:00Z",
			"ends_at": "2027-11-28T12:34:00Z"
		}]
	}`, text(t, built(t, s), "status.json"))
}

// The badge says the state of the whole in the default language, in its colour and as wide as its words.
func TestTheBadgeSaysTheState(t *testing.T) {
	t.Parallel()
	for status, want := range map[string][2]string{
		Operational: {"status: Operational", "статус: Работает"}, Degraded: {"status: Degraded", "статус: Работает с перебоями"},
		PartialOutage: {"status: Partial outage", "статус: Частичный сбой"},
		MajorOutage:   {"status: Major outage", "статус: Не работает"},
		Maintained:    {"status: Maintenance", "статус: Обслуживание"}, Unknown: {"status: No data", "статус: Нет данных"},
	} {
		for i, locale := range []string{"en", "ru"} {
			s := showing(status)
			s.Default = locale
			badge := text(t, built(t, s), "badge.svg")
			require.NoError(t, xml.Unmarshal([]byte(badge), new(struct{})), status)
			require.Contains(t, badge, `aria-label="`+want[i]+`"><title>`+want[i]+"</title>")
			require.Contains(t, badge, `fill="`+badgeColours[status]+`"`)
			require.Len(t, badgeColours[status], len("#rrggbb"), status)
		}
	}
	require.Contains(t, text(t, built(t, bare()), "badge.svg"), `width="147" height="22"`, "6 and 11 letters of 7, twice 14")
}

// Texts keep what a text needs: lines, lists, emphasis, code and links to the outside; the rest is words or nothing.
func TestMarkdownKeepsWhatATextNeeds(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"a\nb":                          "<p>a<br>\nb</p>\n",
		"~~old~~ **new** *now*":         "<p><del>old</del> <strong>new</strong> <em>now</em></p>\n",
		"`a < b`":                       "<p><code>a &lt; b</code></p>\n",
		"> said":                        "<blockquote>\n<p>said</p>\n</blockquote>\n",
		"1. one":                        "<ol>\n<li>one</li>\n</ol>\n",
		"# Head":                        "Head\n",
		"[x](mailto:a@example.com)":     `<p><a href="mailto:a@example.com" rel="nofollow noreferrer">x</a></p>` + "\n",
		"[x](/etc) [y](ftp://a.b/)":     "<p>x y</p>\n",
		"![alt](https://evil.test/p.g)": "<p></p>\n",
		"<b>raw</b>":                    "<p>raw</p>\n",
		"":                              "",
	} {
		got, err := markdown(written)
		require.NoError(t, err)
		require.Equal(t, want, string(got), "%q", written)
	}
}
