package site

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bare is a page with nothing on it.
func bare() *Site {
	return &Site{
		Key: "k", Titles: Text{"en": "Bare", "ru": "Пусто"}, Default: "en", Locales: []string{"en"}, Mode: Auto,
		Accent: "#2563eb", DataAt: noon,
	}
}

// showing is a page whose components have these statuses.
func showing(statuses ...string) *Site {
	s := bare()
	s.Locales, s.Groups = []string{"en", "ru"}, []Group{{}}
	for _, status := range statuses {
		s.Groups[0].Components = append(s.Groups[0].Components, Component{ID: status, Names: Text{"en": status}, Status: status})
	}
	return s
}

// A page without anything is whole: it says that nothing happened, and has no heading over nothing.
func TestAnEmptyPageIsWhole(t *testing.T) {
	t.Parallel()
	files := built(t, bare())
	paths := slices.Sorted(maps.Keys(files))
	require.Regexp(t, `^assets/[0-9a-f]{16}\.css$`, paths[0])
	require.Equal(t, []string{
		"badge.svg", "en/history.html", "en/index.html", "feed.xml", "history/index.html", "index.html", "maintenance.ics",
		"status.json",
	}, paths[1:])
	page := text(t, files, "index.html")
	require.Contains(t, page, "All systems operational")
	require.Contains(t, page, "No incidents in the last two weeks.")
	require.Contains(t, text(t, files, "history/index.html"), "No incidents in the last 90 days.")
	for _, absent := range []string{
		`id="components"`, `id="planned"`, `id="current"`, "<nav", `class="lead"`, `name="description"`, `<div class="text">`,
		"<img", "@@",
	} {
		require.NotContains(t, page, absent)
	}
}

// The first thing that a reader sees is how the whole does, in his language and by its colour.
func TestEveryStateHasItsHeadline(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		statuses             []string
		look, english, other string
	}{
		{[]string{Operational, Operational}, Operational, "All systems operational", "Все системы работают"},
		{[]string{Operational, Unknown}, Operational, "No known problems", "Известных проблем нет"},
		{[]string{Unknown}, Unknown, "Status is not known at the moment", "Состояние сейчас неизвестно"},
		{[]string{Maintained, Operational}, Maintained, "Maintenance in progress", "Идёт обслуживание"},
		{[]string{Degraded, Unknown}, Degraded, "Some systems are degraded", "Часть систем работает с перебоями"},
		{[]string{PartialOutage}, PartialOutage, "Some systems are down", "Часть систем не работает"},
		{[]string{MajorOutage, Degraded}, PartialOutage, "Some systems are down", "Часть систем не работает"},
		{[]string{MajorOutage}, MajorOutage, "Major outage", "Крупный сбой"},
	} {
		files := built(t, showing(test.statuses...))
		for path, headline := range map[string]string{"index.html": test.english, "ru/index.html": test.other} {
			page := text(t, files, path)
			require.Contains(t, page, `<div class="card hero `+test.look+`">`, test.statuses)
			require.Contains(t, page, `<p class="say">`+headline+"</p>", test.statuses)
		}
	}
}

// Each component says its own state in words, and a name is a name whatever it is made of.
func TestEveryComponentSaysItsState(t *testing.T) {
	t.Parallel()
	s := showing(Operational, Degraded, PartialOutage, MajorOutage, Maintained, Unknown)
	s.Groups[0].Components[0].Names = Text{"en": `<b>"A" & B</b>`}
	files := built(t, s)
	for path, words := range map[string][]string{
		"index.html":    {"Operational", "Degraded", "Partial outage", "Major outage", "Maintenance", "No data"},
		"ru/index.html": {"Работает", "Работает с перебоями", "Частичный сбой", "Не работает", "Обслуживание", "Нет данных"},
	} {
		page := text(t, files, path)
		for i, word := range words {
			require.Contains(t, page, `<span class="state `+s.Groups[0].Components[i].Status+`">`+word+"</span>", path)
		}
		require.Contains(t, page, `<span class="name">&lt;b&gt;&#34;A&#34; &amp; B&lt;/b&gt;</span>`, path)
	}
}

// What is open stands first, what closed in the last two weeks at the end, and all that is older in the history alone;
// programs are told of the same ones.
func TestAnIncidentStandsWhereItsTimePutsIt(t *testing.T) {
	t.Parallel()
	s := bare()
	resolved := func(title string, ago time.Duration) Notice {
		return Notice{
			ID: title, Titles: Text{"en": title}, Impact: "critical", State: "resolved", StartedAt: noon.Add(-ago - time.Hour),
			ResolvedAt: new(noon.Add(-ago)),
		}
	}
	s.Notices = []Notice{
		{ID: "Open", Titles: Text{"en": "Open"}, Impact: "major", State: "monitoring", StartedAt: noon.AddDate(0, -2, 0)},
		resolved("Lately", time.Minute), resolved("Just", recently), resolved("Older", recently+time.Second),
	}
	files := built(t, s)
	now, past, _ := strings.Cut(text(t, files, "index.html"), `id="past"`)
	require.Contains(t, now, `<article class="card post edge partial_outage">`)
	require.Contains(t, now, "<h3>Open</h3>")
	require.NotContains(t, past, "<h3>Open</h3>")
	for _, title := range []string{"Lately", "Just"} {
		require.NotContains(t, now, title)
		require.Contains(t, past, "<h3>"+title+"</h3>")
	}
	require.Contains(t, past, `<article class="card post edge operational">`, "what is over does not look as bad as it was")
	require.NotContains(t, now+past, "Older")
	require.NotContains(t, past, "No incidents in the last two weeks.")
	history := text(t, files, "history/index.html")
	for _, title := range []string{"Open", "Lately", "Just", "Older"} {
		require.Contains(t, history, "<h3>"+title+"</h3>")
	}
	machines := text(t, files, "status.json")
	require.Contains(t, machines, `"id":"Just"`)
	require.NotContains(t, machines, "Older")
}

// An incident is told with its state, impact, those affected and each update, in every language.
func TestAnIncidentIsToldWithAllItsUpdates(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Locales = []string{"en", "ru"}
	s.Notices = []Notice{{
		ID: "n", Titles: Text{"en": "Slow", "ru": "Медленно"}, Impact: "none", State: "monitoring", StartedAt: noon.Add(-time.Hour),
		Components: []Text{{"en": "Mail", "ru": "Почта"}, {"en": "Web"}},
		Updates: []Update{
			{At: noon.Add(-time.Minute), State: "monitoring", Bodies: Text{"en": "Better.", "ru": "Лучше."}},
			{At: noon.Add(-time.Hour), State: "investigating", Bodies: Text{"en": "We look."}},
		},
	}}
	files := built(t, s)
	for path, said := range map[string][]string{
		"index.html": {
			"<h3>Slow</h3>", `<span class="tag">Monitoring</span>`, "No impact", "Affected: Mail, Web", "Better.", "Investigating",
			"We look.", `<time datetime="2026-11-27T11:34:00Z">27 Nov 2026, 11:34 UTC</time>`,
		},
		"ru/index.html": {
			"<h3>Медленно</h3>", `<span class="tag">Наблюдаем</span>`, "Без последствий", "Затронуто: Почта, Web", "Лучше.",
			"Выясняем", "We look.", `<time datetime="2026-11-27T11:34:00Z">27 ноя 2026, 11:34 UTC</time>`,
		},
	} {
		rest, found := text(t, files, path), false
		for _, words := range said[:len(said)-1] {
			_, rest, found = strings.Cut(rest, words)
			require.True(t, found, "%s: %q stands where it belongs", path, words)
		}
		require.Contains(t, text(t, files, path), said[len(said)-1])
	}
	require.Contains(t, text(t, files, "index.html"), `edge unknown">`, "what has no impact has no colour of trouble")
}

// Of many that are affected the first dozen is named.
func TestOnlyADozenIsNamedAsAffected(t *testing.T) {
	t.Parallel()
	b, names := &builder{site: bare()}, []Text{}
	for range 12 {
		names = append(names, Text{"en": "P"})
	}
	require.Empty(t, b.affected(nil, "en", english))
	require.Equal(t, "Affected: "+strings.Repeat("P, ", 11)+"P", b.affected(names, "en", english))
	names = append(names, Text{"en": "Last"}, Text{"en": "Least"})
	require.Equal(t, "Затронуто: "+strings.Repeat("P, ", 12)+"…", b.affected(names, "ru", russian))
}

// Announced work stands on the first page while it goes on and for the month before; programs are told of all that is
// to come, and the history of everything.
func TestWorkStandsOnTheFirstPageUntilItIsOver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state         string
		begins        time.Duration
		shown, told   bool
		english, said string
	}{
		{"planned", time.Hour, true, true, "Planned", "Запланировано"},
		{"planned", soon - time.Second, true, true, "Planned", "Запланировано"},
		{"planned", soon, false, true, "Planned", "Запланировано"},
		{"active", -time.Hour, true, true, "In progress", "Идёт"},
		{"done", -3 * time.Hour, false, false, "Completed", "Завершено"},
		{"cancelled", time.Hour, false, false, "Cancelled", "Отменено"},
	} {
		s := bare()
		s.Locales = []string{"en", "ru"}
		s.Maintenance = []Maintenance{{
			ID: "m", Titles: Text{"en": "Disks"}, Bodies: Text{"en": "**New** ones"}, State: test.state, Components: []Text{{"en": "Mail"}},
			StartsAt: noon.Add(test.begins), EndsAt: noon.Add(test.begins + 2*time.Hour), UpdatedAt: noon, Revision: 1,
		}}
		files := built(t, s)
		page := text(t, files, "index.html")
		require.Equal(t, test.shown, strings.Contains(page, "<h3>Disks</h3>"), "%+v", test)
		require.Equal(t, test.shown, strings.Contains(page, `id="planned"`), "%+v", test)
		require.Equal(t, test.told, strings.Contains(text(t, files, "status.json"), `"id":"m"`), "%+v", test)
		for path, word := range map[string]string{"en/history.html": test.english, "ru/history.html": test.said} {
			history := text(t, files, path)
			require.Contains(t, history, `<span class="tag">`+word+"</span>")
			require.Contains(t, history, "<strong>New</strong> ones")
			require.Contains(t, history, "Mail</p>")
		}
	}
}

// Groups that are small or not well are open; one that has nothing to show is left out, and components of no group have
// no heading.
func TestGroupsAreOpenWhereTheyAreWorthALook(t *testing.T) {
	t.Parallel()
	group := func(name string, count int, last string) Group {
		g := Group{Names: Text{"en": name}}
		for range count - 1 {
			g.Components = append(g.Components, Component{Status: Operational})
		}
		g.Components = append(g.Components, Component{Status: last})
		return g
	}
	s := bare()
	s.Groups = []Group{
		group("", 1, Operational), group("Small", fewParts, Operational), group("Large", fewParts+1, Operational),
		group("Ill", fewParts+1, Degraded),
		{Names: Text{"en": "Empty"}},
	}
	page := text(t, built(t, s), "index.html")
	for _, head := range []string{
		`<div class="card group"><ul class="parts">`,
		`<details class="card group" open><summary><h3>Small</h3><span class="state operational">Operational</span></summary>`,
		`<details class="card group"><summary><h3>Large</h3><span class="state operational">Operational</span></summary>`,
		`<details class="card group" open><summary><h3>Ill</h3><span class="state degraded">Degraded</span></summary>`,
	} {
		require.Contains(t, page, head)
	}
	require.NotContains(t, page, "Empty")
	require.Equal(t, strings.Count(page, "<details"), strings.Count(page, "</details>"))
}

// Whoever reads one language finds the other one, the history and the way back, from every folder and without a server.
func TestPagesLeadToEachOther(t *testing.T) {
	t.Parallel()
	files := built(t, sample())
	for path, links := range map[string][]string{
		"index.html":         {`href="en/history.html"`, `<a href="ru/index.html" lang="ru" hreflang="ru">Русский</a>`},
		"en/index.html":      {`href="../en/history.html"`, `<span aria-current="true" lang="en">English</span>`},
		"ru/index.html":      {`href="../ru/history.html"`, `<span aria-current="true" lang="ru">Русский</span>`},
		"en/history.html":    {`<a class="brand" href="../index.html">`, `href="../ru/history.html" lang="ru"`},
		"ru/history.html":    {`<a class="brand" href="../ru/index.html">`, `<li><a href="../ru/index.html">Текущее состояние</a>`},
		"history/index.html": {`<a class="brand" href="../index.html">`, `<title>Example status – Incident history</title>`},
	} {
		for _, link := range append(links, "feed.xml", "maintenance.ics", "status.json") {
			require.Contains(t, text(t, files, path), link, path)
		}
	}
	href := regexp.MustCompile(`(?:href|src)="((?:\.\./)*)([a-z]+[^":]*)"`)
	for path, f := range files {
		for _, link := range href.FindAllStringSubmatch(string(f.Content), -1) {
			if strings.HasSuffix(path, ".html") {
				require.Contains(t, files, link[2], "%s leads to it", path)
				require.Equal(t, strings.Count(path, "/"), strings.Count(link[1], "../"), "%s leads to %s", path, link[2])
			}
		}
	}
}

// A text that a language lacks is the one of the default language.
func TestATextThatALanguageLacksIsThatOfTheDefault(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Default, s.Locales = "ru", []string{"ru", "en"}
	s.Titles, s.Descriptions, s.Footers = Text{"ru": "Название"}, Text{"ru": "О нас"}, Text{"ru": "Пишите", "en": "Write"}
	s.Groups = []Group{{Names: Text{"ru": "Группа"}, Components: []Component{{Names: Text{"ru": "Часть", "en": ""}}}}}
	s.Announcements = []Announcement{{Titles: Text{"ru": "Новость"}, Bodies: Text{"ru": "Текст"}}}
	files := built(t, s)
	english := text(t, files, "en/index.html")
	for _, words := range []string{
		`<html lang="en">`, "<h1>Название</h1>", `content="О нас"`, "<h3>Группа</h3>", ">Часть<", "<h2>Новость</h2>", "<p>Текст</p>",
		"<p>Write</p>", "Data as of",
	} {
		require.Contains(t, english, words)
	}
	require.NotContains(t, english, "Пишите")
	require.Contains(t, text(t, files, "index.html"), `<html lang="ru">`, "the first page is in the default language")
}

// Bars tell their ends and what is not known in words of the language.
func TestBarsTellTheirEnds(t *testing.T) {
	t.Parallel()
	s := bare()
	s.Locales = []string{"en", "ru"}
	s.Groups = []Group{{Components: []Component{{Status: Unknown, Days: days(Unknown, PartialOutage)[:30]}}}}
	files := built(t, s)
	require.Contains(t, text(t, files, "index.html"),
		`<div class="scale"><span>30 days ago</span><span>no data</span><span>Today</span></div>`)
	russian := text(t, files, "ru/index.html")
	require.Contains(t, russian, "<span>30 дней назад</span><span>нет данных</span><span>Сегодня</span>")
	require.Contains(t, russian, `viewBox="0 0 30 1"`)
	require.Contains(t, russian, `aria-label="нет данных, Частичный сбой: 1, Нет данных: 1, Работает: 28"`)
}

// Whatever is written around the marks, no mark is left, and the moment is the only thing that the digest passes over.
func TestNoMarkIsEverLeft(t *testing.T) {
	t.Parallel()
	pieces := []string{upwards, momentOfMachines, momentOfPeople, "@", "@@", "a", "<b>", "/", "у"}
	rapid.Check(t, func(t *rapid.T) {
		content := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "content"), ""))
		at := noon.Add(time.Duration(rapid.IntRange(0, 1e6).Draw(t, "minutes")) * time.Minute)
		first, second := filling{up: "../", at: noon, locale: "en"}, filling{up: "../", at: at, locale: "en"}
		one, two := first.fill(content), second.fill(content)
		require.Equal(t, first.stable(), second.stable())
		require.Equal(t, at.Equal(noon) || len(first.moments) == 0, bytes.Equal(one, two))
		for _, mark := range []string{momentOfMachines, momentOfPeople} {
			require.NotContains(t, string(one), mark)
		}
	})
}
