package site

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A file has the same digest of its words at any moment, and another one when its words change.
func TestTheMomentIsNoPartOfTheStableDigest(t *testing.T) {
	t.Parallel()
	fill := func(content string, at time.Time) (string, string) {
		f := filling{up: "../", at: at, locale: "ru"}
		return string(f.fill([]byte(content))), f.stable()
	}
	page := `<a href="` + upwards + `feed.xml">` + momentOfMachines + " – " + momentOfPeople + "</a>"
	first, stable := fill(page, noon)
	require.Equal(t, `<a href="../feed.xml">2026-11-27T12:34:00Z – 27 ноя 2026, 12:34 UTC</a>`, first)
	second, same := fill(page, noon.Add(time.Hour))
	require.NotEqual(t, first, second)
	require.Equal(t, stable, same)
	_, other := fill(page+"!", noon)
	require.NotEqual(t, stable, other)
	plain, whole := fill("no mark", noon)
	require.Equal(t, "no mark", plain)
	require.Equal(t, digest([]byte("no mark")), whole, "without a moment both digests are one")
}

// What somebody writes that looks like a mark stays as it is written, and harms nothing after it.
func TestWhatOnlyLooksLikeAMarkStays(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"":                         "",
		"@":                        "@",
		"@@":                       "@@",
		"a@@b@@":                   "a@@b@@",
		"@@@@" + upwards:           "@@@@/",
		"me@@example.org@@up@@":    "me@@example.org@@up@@",
		"@" + momentOfMachines:     "@2026-11-27T12:34:00Z",
		momentOfMachines + "@@up@": "2026-11-27T12:34:00Z@@up@",
	} {
		f := filling{up: "/", at: noon, locale: "en"}
		require.Equal(t, want, string(f.fill([]byte(written))), written)
	}
}

// Days side by side are one shape only where they need no words of their own.
func TestAStripIsCutWhereADayIsToldOf(t *testing.T) {
	t.Parallel()
	days := func(worst ...string) (out []Day) {
		for _, one := range worst {
			out = append(out, Day{Date: "2026-11-27", Worst: one})
		}
		return out
	}
	for name, test := range map[string]struct {
		days []Day
		runs []run
	}{
		"none":              {nil, nil},
		"alike":             {days(Operational, Operational, Operational), []run{{0, 3}}},
		"bad days stay one": {days(MajorOutage, MajorOutage), []run{{0, 1}, {1, 1}}},
		"unknown is no gap": {days(Unknown, Unknown, Operational), []run{{0, 2}, {2, 1}}},
		"work in between":   {days(Operational, Maintained, Operational), []run{{0, 1}, {1, 1}, {2, 1}}},
	} {
		require.Equal(t, test.runs, stripOf(test.days).runs, name)
	}
}

// Every language is drawn from the same days, and says them in its own words.
func TestStripsAreLaidOutOnceForAllLanguages(t *testing.T) {
	t.Parallel()
	b := &builder{site: sample()}
	first := b.strips(0)
	require.Same(t, &first[0], &b.strips(0)[0])
	for w, want := range map[*words]string{
		english: "31 Aug 2026: Major outage (97.00%)", russian: "31 авг 2026: Не работает (97,00 %)",
	} {
		day := first[0].days[1]
		day.Uptime = percent(97)
		require.Equal(t, want, b.drawing(w).title(&day))
	}
	odd := Day{Date: "soon", Worst: Maintained}
	require.Equal(t, "soon: Maintenance", b.drawing(english).title(&odd), "what is no date is told as it is")
}

// A text that stands in several files and languages is read once, and a wrong one never instead of another.
func TestATextIsReadOnce(t *testing.T) {
	t.Parallel()
	b := &builder{site: sample()}
	for range 2 {
		one, err := b.html("a **b**")
		require.NoError(t, err)
		require.Contains(t, string(one), "<strong>b</strong>")
		other, err := b.html("a *b*")
		require.NoError(t, err)
		require.Contains(t, string(other), "<em>b</em>")
	}
	require.Len(t, b.texts, 2)
}
