package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 11, 27, 12, 34, 0, 0, time.UTC)

func days(worst ...string) (out []Day) {
	for i := range 90 {
		day := Day{Date: noon.AddDate(0, 0, i-89).Format(time.DateOnly), Worst: Operational}
		if i < len(worst) {
			day.Worst = worst[i]
		}
		out = append(out, day)
	}
	return out
}

func percent(value float64) *float64 { return &value }

func sample() *Site {
	resolved := noon.Add(-time.Hour)
	return &Site{
		Key: "0199a0de-0000-7000-8000-000000000001", Address: "https://status.example.com/",
		Titles: Text{"en": "Example status", "ru": "Состояние Example"}, Descriptions: Text{"en": "All about us"},
		Footers: Text{"en": "Write to [us](mailto:help@example.com)"}, Locales: []string{"en", "ru"}, Default: "en",
		Mode: Auto, Accent: "#2563eb", DataAt: noon,
		Groups: []Group{
			{Components: []Component{{
				ID: "c1", Names: Text{"en": "Website", "ru": "Сайт"}, Status: Operational, Days: days(Unknown, MajorOutage),
				Uptime: percent(99.987),
			}}},
			{Names: Text{"en": "Europe", "ru": "Европа"}, Components: []Component{
				{ID: "c2", Names: Text{"en": "Amsterdam"}, Status: Degraded, Days: days()},
				{ID: "c3", Names: Text{"en": "Helsinki"}, Status: Maintained},
			}},
		},
		Announcements: []Announcement{{Titles: Text{"en": "News"}, Bodies: Text{"en": "A **new** place"}}},
		Notices: []Notice{
			{
				ID: "n1", Titles: Text{"en": "Slow in Europe"}, Impact: "minor", State: "identified", StartedAt: noon.Add(-time.Hour),
				Components: []Text{{"en": "Amsterdam"}},
				Updates:    []Update{{At: noon.Add(-time.Minute), State: "identified", Bodies: Text{"en": "We know why."}}},
			},
			{
				ID: "n2", Titles: Text{"en": "It was over"}, Impact: "critical", State: "resolved", StartedAt: noon.Add(-3 * time.Hour),
				ResolvedAt: &resolved,
			},
			{
				ID: "n3", Titles: Text{"en": "Long ago"}, Impact: "major", State: "resolved", StartedAt: noon.AddDate(0, 0, -60),
				ResolvedAt: new(noon.AddDate(0, 0, -59)),
			},
		},
		Maintenance: []Maintenance{{
			ID: "m1", Titles: Text{"en": "New disks"}, Bodies: Text{"en": "We change; disks, and \\ more\nsoon"}, State: "planned",
			StartsAt: noon.AddDate(0, 0, 2), EndsAt: noon.AddDate(0, 0, 2).Add(time.Hour), Revision: 3, UpdatedAt: noon,
		}},
	}
}

func built(t testing.TB, s *Site) map[string]File {
	t.Helper()
	files, err := Build(s)
	require.NoError(t, err)
	out := map[string]File{}
	last := 0
	for _, f := range files {
		require.GreaterOrEqual(t, Order(f.Path), last, "%s comes too late", f.Path)
		last = Order(f.Path)
		require.NotContains(t, out, f.Path)
		out[f.Path] = f
	}
	return out
}

func text(t testing.TB, files map[string]File, path string) string {
	t.Helper()
	require.Contains(t, files, path)
	return string(files[path].Content)
}

func TestAPageSaysHowThingsAreInEachLanguage(t *testing.T) {
	t.Parallel()
	files := built(t, sample())
	page := text(t, files, "index.html")
	for _, said := range []string{
		`<html lang="en">`, "Example status", "Some systems are degraded", "Slow in Europe", "We know why.", "New disks",
		"<strong>new</strong>", "It was over", "27 Nov 2026, 12:34 UTC", `datetime="2026-11-27T12:34:00Z"`, "Website",
		"99.98% uptime", `href="mailto:help@example.com"`, "Affected: Amsterdam", `href="feed.xml"`,
	} {
		require.Contains(t, page, said)
	}
	require.NotContains(t, page, "Long ago", "what closed long ago stands in the history")
	require.Contains(t, text(t, files, "history/index.html"), "Long ago")
	russian := text(t, files, "ru/index.html")
	for _, said := range []string{
		`<html lang="ru">`, "Состояние Example", "Часть систем работает с перебоями", "Сайт", "Amsterdam",
		"27 ноя 2026, 12:34 UTC", "доступность 99,98 %", `href="../feed.xml"`, `href="../en/index.html"`,
	} {
		require.Contains(t, russian, said)
	}
	require.Equal(t, `<html lang="en" class="dark">`, regexp.MustCompile(`<html[^>]*>`).FindString(
		text(t, built(t, func() *Site { s := sample(); s.Mode = Dark; return s }()), "index.html")))
}

// "Works without JavaScript": all is in the page; the script only tells how old it is. Nothing comes from elsewhere.
func TestAPageFetchesNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Logo = &Logo{MediaType: "image/png", Content: []byte("\x89PNG")}
	for path, f := range built(t, s) {
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		page := string(f.Content)
		require.Contains(t, page, "default-src &#39;none&#39;", path)
		require.NotContains(t, page, "unsafe-inline", path)
		require.NotRegexp(t, `(?i)src="(https?:)?//`, page, path)
		require.NotRegexp(t, `(?i)<link[^>]*href="https?:`, page, path)
		require.NotRegexp(t, `(?i)\son[a-z]+=|style="`, page, path)
		require.Contains(t, page, `src="`+strings.Repeat("../", strings.Count(path, "/"))+"assets/", path)
	}
	preview, err := Preview(s, "ru", Light)
	require.NoError(t, err)
	require.NotContains(t, string(preview), "<script")
	require.NotContains(t, string(preview), `rel="stylesheet"`)
	require.Contains(t, string(preview), `class="light"`)
	require.Contains(t, string(preview), "data:image/png;base64,")
}

// How old the page is is known before anything below it is drawn, so that nothing moves when the warning is shown.
func TestThePageKnowsItsAgeBeforeItIsDrawn(t *testing.T) {
	t.Parallel()
	page := text(t, built(t, sample()), "index.html")
	require.Contains(t, page, `data-at="2026-11-27T12:34:00Z"`)
	require.Less(t, strings.Index(page, "data-at="), strings.Index(page, "<script>"))
	require.Less(t, strings.Index(page, "</script>"), strings.Index(page, `class="card hero`))
	require.Equal(t, 1, strings.Count(page, "<script"))
}

// Texts of incidents may hold what a log said: no script, no raw HTML, no remote image, no link that runs.
func TestHostileMarkdownIsHarmless(t *testing.T) {
	t.Parallel()
	hostile := []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![x](https://evil.example/x.png)",
		"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html;base64,PHNjcmlwdD4=)",
		"[x](vbscript:msgbox(1))", "<a href=\"javascript:alert(1)\">x</a>", "<iframe src=https://evil.example></iframe>",
		"<svg/onload=alert(1)>", "<style>*{display:none}</style>", "<p style=\"position:fixed\">x</p>",
		"<form action=https://evil.example><input name=p></form>", "[x](//evil.example)", "<base href=https://evil.example>",
		"<meta http-equiv=refresh content=0;url=https://evil.example>", "![x](javascript:alert(1))", "<!--><img src=x>-->",
		"[x](https://a.example \"onmouseover=alert(1)\")", "```html\n<script>alert(1)</script>\n```", "<object data=x></object>",
		"<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>", "`</code><script>alert(1)</script>`",
		"<details open ontoggle=alert(1)>", "[x]: javascript:alert(1)\n\n[x]",
	}
	for _, said := range hostile {
		s := sample()
		s.Notices[0].Updates[0].Bodies = Text{"en": said}
		s.Notices[0].Titles = Text{"en": said}
		s.Titles, s.Footers, s.Descriptions = Text{"en": said}, Text{"en": said}, Text{"en": said}
		s.Groups[0].Components[0].Names = Text{"en": said}
		for path, f := range built(t, s) {
			switch {
			case strings.HasSuffix(path, ".html"):
				harmless(t, said, string(f.Content))
			case strings.HasSuffix(path, ".xml"):
				var feed atomFeed
				require.NoError(t, xml.Unmarshal(f.Content, &feed), said)
				for _, e := range feed.Entries {
					harmless(t, said, e.Content.Text)
				}
			case strings.HasSuffix(path, ".svg"):
				require.NoError(t, xml.Unmarshal(f.Content, new(struct{})), said)
			}
		}
	}
}

var ownScript = regexp.MustCompile(`(?s)<script>\(function\(\)\{.*?</script>`)

func harmless(t *testing.T, said, page string) {
	t.Helper()
	page = ownScript.ReplaceAllString(page, "")
	page = regexp.MustCompile(`<meta name="description"[^>]*>|<link rel="alternate"[^>]*>`).ReplaceAllString(page, "")
	require.NotRegexp(t, `(?i)<(script|iframe|style|form|object|base|math|input)`, page, said)
	require.NotRegexp(t, `(?i)<img`, page, said)
	require.NotRegexp(t, `(?i)<[^>]*\s(on[a-z]+|style)\s*=`, strings.ReplaceAll(page, "&#34;", ""), said)
	require.NotRegexp(t, `(?i)href="?\s*(javascript|data:text|vbscript|//)`, page, said)
}

func TestLinksLeadOutWithoutTellingWhere(t *testing.T) {
	t.Parallel()
	html, err := markdown("[x](https://a.example/) and https://b.example/\n* one\n* two")
	require.NoError(t, err)
	require.Contains(t, string(html), `<a href="https://a.example/" rel="nofollow noreferrer">x</a>`)
	require.Contains(t, string(html), `<a href="https://b.example/" rel="nofollow noreferrer">`)
	require.Contains(t, string(html), "<li>one</li>")
}

// "Published page at most 60 kB gz without images": with 500 components of which a tenth had bad days.
func TestALargePageIsSmall(t *testing.T) {
	t.Parallel()
	s := large(500)
	for path, f := range built(t, s) {
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		_, err := zip.Write(f.Content)
		require.NoError(t, err)
		require.NoError(t, zip.Close())
		require.Less(t, out.Len(), 60<<10, path)
	}
}

func large(count int) *Site {
	s := sample()
	s.Groups = nil
	for i := range count {
		if i%25 == 0 {
			s.Groups = append(s.Groups, Group{Names: Text{"en": fmt.Sprintf("Group %d", i)}})
		}
		c := Component{
			ID: fmt.Sprintf("c%d", i), Names: Text{"en": fmt.Sprintf("Place %d", i), "ru": fmt.Sprintf("Место %d", i)},
			Status: Operational, Days: days(), Uptime: percent(99.9),
		}
		if i%10 == 0 {
			c.Days[i%90].Worst, c.Days[i%90].Uptime = MajorOutage, percent(97)
		}
		g := &s.Groups[len(s.Groups)-1]
		g.Components = append(g.Components, c)
	}
	return s
}

// What says the same has the same digest without the moment of its data: a deploy of it touches nothing.
func TestOnlyTheMomentDiffersWhenNothingChanged(t *testing.T) {
	t.Parallel()
	first, s := built(t, sample()), sample()
	s.DataAt = noon.Add(time.Minute)
	second := built(t, s)
	require.Len(t, second, len(first))
	for path, f := range first {
		require.Equal(t, f.Stable, second[path].Stable, path)
	}
	require.NotEqual(t, first["index.html"].SHA256, second["index.html"].SHA256)
	require.Equal(t, first["feed.xml"].SHA256, second["feed.xml"].SHA256)
	require.Equal(t, first["maintenance.ics"].SHA256, second["maintenance.ics"].SHA256)
	require.Contains(t, string(second["ru/index.html"].Content), "27 ноя 2026, 12:35 UTC")
}

// RFC 5545: lines end with CRLF and have 75 octets at most, and no letter is cut.
func TestTheCalendarIsFolded(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Default = "ru"
	s.Maintenance[0].Bodies["ru"] = s.Maintenance[0].Bodies["en"]
	s.Maintenance[0].Titles = Text{"ru": strings.Repeat("Длинное название, ", 12)}
	calendar := text(t, built(t, s), "maintenance.ics")
	require.True(t, strings.HasSuffix(calendar, "END:VCALENDAR\r\n"))
	for line := range strings.SplitSeq(strings.TrimSuffix(calendar, "\r\n"), "\r\n") {
		require.LessOrEqual(t, len(line), 75, line)
		require.NotContains(t, line, "\n")
		require.Equal(t, strings.ToValidUTF8(line, ""), line)
	}
	whole := strings.ReplaceAll(calendar, "\r\n ", "")
	require.Contains(t, whole, "SUMMARY:"+strings.Repeat(`Длинное название\, `, 12))
	require.Contains(t, whole, `DESCRIPTION:We change\; disks\, and \\ more\nsoon`)
	require.Contains(t, whole, "DTSTART:20261129T123400Z\r\nDTEND:20261129T133400Z")
	require.Contains(t, whole, "SEQUENCE:2")
	require.Contains(t, whole, "STATUS:CONFIRMED")
}

func TestTheFeedHasAllThatWasSaid(t *testing.T) {
	t.Parallel()
	var feed atomFeed
	require.NoError(t, xml.Unmarshal([]byte(text(t, built(t, sample()), "feed.xml")), &feed))
	require.Equal(t, "urn:uuid:0199a0de-0000-7000-8000-000000000001", feed.ID)
	require.Len(t, feed.Entries, 4)
	require.Equal(t, "Slow in Europe – Identified", feed.Entries[0].Title)
	require.Equal(t, noon.Add(-time.Minute).Format(time.RFC3339), feed.Entries[0].Updated)
	require.Contains(t, feed.Entries[0].Content.Text, "<p>We know why.</p>")
	require.Equal(t, "https://status.example.com/history/index.html", feed.Entries[0].Links[0].Href)
	quiet := sample()
	quiet.Notices, quiet.Maintenance, quiet.Address = nil, nil, ""
	require.NoError(t, xml.Unmarshal([]byte(text(t, built(t, quiet), "feed.xml")), &feed))
	require.Equal(t, machine(epoch), feed.Updated)
}

func TestMachinesReadTheSame(t *testing.T) {
	t.Parallel()
	var page machinePage
	require.NoError(t, json.Unmarshal([]byte(text(t, built(t, sample()), "status.json")), &page))
	require.Equal(t, Degraded, page.Status)
	require.Equal(t, "2026-11-27T12:34:00Z", page.DataAt)
	require.Len(t, page.Components, 3)
	require.Len(t, page.Incidents, 2)
	require.Equal(t, "planned", page.Works[0].State)
	empty := text(t, built(t, &Site{Default: "en", Locales: []string{"en"}, Accent: "#000000", DataAt: noon}), "status.json")
	require.NotContains(t, empty, "null")
}

func TestTheWorstCountsAndOneOfManyIsNoOutageOfAll(t *testing.T) {
	t.Parallel()
	of := func(statuses ...string) string {
		s := &Site{Groups: []Group{{}}}
		for _, status := range statuses {
			s.Groups[0].Components = append(s.Groups[0].Components, Component{Status: status})
		}
		return s.Worst()
	}
	require.Equal(t, Operational, of())
	require.Equal(t, Operational, of(Operational, Unknown))
	require.Equal(t, Unknown, of(Unknown, Unknown), "no data is never shown as well")
	require.Equal(t, PartialOutage, of(Operational, MajorOutage))
	require.Equal(t, MajorOutage, of(MajorOutage, MajorOutage))
	require.Equal(t, Maintained, of(Maintained, Operational))
	require.Equal(t, Degraded, of(Maintained, Degraded))
}

func TestThePageClaimsNothingOfWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	s := &Site{Default: "ru", Locales: []string{"ru"}, Accent: "#000000", DataAt: noon, Groups: []Group{{
		Components: []Component{{Status: Operational}},
	}}}
	require.Contains(t, text(t, built(t, s), "index.html"), "Все системы работают")
	s.Groups[0].Components = append(s.Groups[0].Components, Component{Status: Unknown})
	page := text(t, built(t, s), "index.html")
	require.NotContains(t, page, "Все системы работают")
	require.Contains(t, page, "Известных проблем нет")
}

// WCAG AA: an accent of one's own can be read on both backgrounds.
func TestEveryAccentCanBeRead(t *testing.T) {
	t.Parallel()
	for _, accent := range []string{
		"#000000", "#ffffff", "#ffff00", "#2563eb", "#ff0000", "#808080", "#00ff00", "#123456", "#fafafa", "nothing",
	} {
		for _, background := range []string{paper, night} {
			colour := readable(accent, background)
			require.GreaterOrEqual(t, contrast(colour, background), 4.5, "%s on %s", accent, background)
			require.GreaterOrEqual(t, contrast(upon(colour), colour), 4.5, accent)
		}
	}
	require.Equal(t, "#2563eb", readable("#2563eb", paper), "what can be read stays as it was chosen")
}

func TestPercentsAreNeverRoundedUp(t *testing.T) {
	t.Parallel()
	require.Equal(t, "99.99%", english.percent(99.99999))
	require.Equal(t, "100.00%", english.percent(100))
	require.Equal(t, "99,98 %", russian.percent(99.987))
}

// Bars are read by people who do not see them, and days without data are never green.
func TestBarsHaveWords(t *testing.T) {
	t.Parallel()
	c := sample().Groups[0].Components[:1]
	s := stripOf(c[0].Days)
	require.Equal(t, []run{{0, 1}, {1, 1}, {2, 88}}, s.runs)
	d := (&builder{site: sample()}).drawing(english)
	require.Equal(t, "99.98% uptime, Major outage: 1, No data: 1, Operational: 88", d.label(d.upFor(99.987), &s))
	require.Equal(t, "31 Aug 2026: Major outage", d.title(&c[0].Days[1]))
	d.group(c, []strip{s})
	drawn := d.out.String()
	require.Contains(t, drawn, `<rect class="unknown" x="0" width="1" height="1"></rect>`)
	require.Contains(t, drawn, `<rect class="major_outage" x="1" width="1" height="1"><title>31 Aug 2026: Major outage<`)
	d.out.Reset()
	d.group([]Component{{Status: Operational}}, make([]strip, 1))
	require.NotContains(t, d.out.String(), "<svg")
}

func TestBothLanguagesSayEverything(t *testing.T) {
	t.Parallel()
	for _, of := range []func(*words) map[string]string{
		func(w *words) map[string]string { return w.statuses }, func(w *words) map[string]string { return w.headlines },
		func(w *words) map[string]string { return w.states }, func(w *words) map[string]string { return w.impacts },
		func(w *words) map[string]string { return w.works },
	} {
		require.Equal(t, sorted(of(english)), sorted(of(russian)))
	}
	require.NotContains(t, fmt.Sprint(russian.said()), "{}")
	require.Equal(t, english.said().Languages != "", russian.said().Languages != "")
}

func BenchmarkBuild500(b *testing.B) {
	s := large(500)
	for b.Loop() {
		_, err := Build(s)
		require.NoError(b, err)
	}
}
