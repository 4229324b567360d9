package site

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kinds are the files of a page by what they are; styles are called by their digest.
func kinds(files map[string]File, same func(path string, f File) bool) (out []string) {
	for path, f := range files {
		if !same(path, f) {
			if strings.HasPrefix(path, "assets/") {
				path = "assets"
			}
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// A change is brought to those files alone that tell of it: what stays the same is sent nowhere.
func TestAChangeTouchesOnlyTheFilesThatTellOfIt(t *testing.T) {
	t.Parallel()
	pages := []string{"en/index.html", "index.html", "ru/index.html"}
	history := []string{"en/history.html", "history/index.html", "ru/history.html"}
	with := func(more ...[]string) []string {
		all := slices.Concat(more...)
		slices.Sort(all)
		return all
	}
	before := built(t, sample())
	for name, test := range map[string]struct {
		change  func(s *Site)
		touched []string
	}{
		"nothing": {func(*Site) {}, nil},
		"how a component is": {
			func(s *Site) { s.Groups[1].Components[1].Status = Operational }, with(pages, []string{"status.json"}),
		},
		"how the whole is": {
			func(s *Site) { s.Groups[0].Components[0].Status = MajorOutage }, with(pages, []string{"status.json", "badge.svg"}),
		},
		"a day":           {func(s *Site) { s.Groups[0].Components[0].Days[5].Worst = Degraded }, pages},
		"an announcement": {func(s *Site) { s.Announcements = nil }, pages},
		"an update": {
			func(s *Site) { s.Notices[0].Updates[0].Bodies = Text{"en": "Done."} },
			with(pages, history, []string{"status.json", "feed.xml"}),
		},
		"an old incident": {func(s *Site) { s.Notices[2].Titles = Text{"en": "x"} }, with(history, []string{"feed.xml"})},
		"announced work": {
			func(s *Site) { s.Maintenance[0].Titles = Text{"en": "x"} },
			with(pages, history, []string{"status.json", "feed.xml", "maintenance.ics"}),
		},
		"a Russian title": {
			func(s *Site) { s.Titles = Text{"en": "Example status", "ru": "Иначе"} },
			[]string{"ru/history.html", "ru/index.html", "status.json"},
		},
		"the colour":  {func(s *Site) { s.Accent = "#00aa00" }, with([]string{"assets"}, pages, history)},
		"the mode":    {func(s *Site) { s.Mode = Dark }, with(pages, history)},
		"the address": {func(s *Site) { s.Address = "https://other.example.com/" }, []string{"feed.xml"}},
	} {
		s := sample()
		test.change(s)
		touched := kinds(built(t, s), func(path string, f File) bool { return f.Stable == before[path].Stable })
		require.Equal(t, test.touched, touched, name)
	}
}

// What others need is sent first, and what readers look at last, so that whoever stops in the middle breaks nothing.
func TestWhatReadersLookAtIsSentLast(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]int{
		"assets/0.css": orderAssets, "assets/0.png": orderAssets, "en/index.html": orderPages, "en/history.html": orderPages,
		"history/index.html": orderPages, "feed.xml": orderPages, "badge.svg": orderPages, "index.html": orderLast,
		"status.json": orderLast,
	} {
		require.Equal(t, want, Order(file), file)
	}
	s := sample()
	s.Logo = &Logo{MediaType: "image/webp", Content: []byte("RIFF")}
	for path, f := range built(t, s) {
		require.Equal(t, !strings.HasPrefix(path, "assets/"), f.Live, "%s: news are in all but what never changes", path)
		require.Equal(t, digest(f.Content), f.SHA256, path)
		require.NotContains(t, string(f.Content), markBegins, path)
	}
}

// Assets are called by what they hold: the same style has the same name, and an image the ending of its kind.
func TestAssetsAreCalledByWhatTheyHold(t *testing.T) {
	t.Parallel()
	assets := func(change func(s *Site)) []string {
		s := sample()
		change(s)
		return slices.DeleteFunc(sorted(built(t, s)), func(path string) bool { return !strings.HasPrefix(path, "assets/") })
	}
	usual := assets(func(*Site) {})
	require.Len(t, usual, 1)
	require.Equal(t, usual, assets(func(s *Site) { s.Titles = Text{"en": "x"} }))
	require.NotEqual(t, usual, assets(func(s *Site) { s.Accent = "#ff0000" }))
	for mediaType, ending := range map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"} {
		with := assets(func(s *Site) { s.Logo = &Logo{MediaType: mediaType, Content: []byte("x")} })
		require.Contains(t, with, "assets/2d711642b726b044"+ending)
		require.Contains(t, with, usual[0])
	}
}

// The preview is one document: it carries style and logo, and leads to no file that is not there.
func TestThePreviewIsOneDocument(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Logo = &Logo{MediaType: "image/png", Content: []byte("x")}
	for mode, head := range map[string]string{
		"": `<html lang="ru">`, Auto: `<html lang="ru">`, Light: `<html lang="ru" class="light">`, Dark: `<html lang="ru" class="dark">`,
	} {
		page, err := Preview(s, "ru", mode)
		require.NoError(t, err)
		require.Contains(t, string(page), head)
		require.Contains(t, string(page), "<style>")
		require.Contains(t, string(page), `<img src="data:image/png;base64,eA=="`)
		require.Contains(t, string(page), "27 ноя 2026, 12:34 UTC")
		for _, absent := range []string{markBegins, `rel="alternate"`, "<script", "assets/"} {
			require.NotContains(t, string(page), absent, mode)
		}
	}
	require.Equal(t, Auto, s.Mode, "what is previewed is not what is stored")
	s.Mode = Dark
	page, err := Preview(s, "en", "")
	require.NoError(t, err)
	require.Contains(t, string(page), `class="dark"`, "without a wish it looks as it is stored")
}

// The digest of a whole page depends on every name and every digest in it, and on no order.
func TestTheDigestOfAWholePageIsThatOfItsFiles(t *testing.T) {
	t.Parallel()
	one := Whole(map[string]string{"a": "1", "b": "2"})
	require.Equal(t, one, Whole(map[string]string{"b": "2", "a": "1"}))
	require.Equal(t, one, Whole(map[string]string{"./a": "1", "b": "2"}), "a path is what it leads to")
	for _, other := range []map[string]string{{"a": "2", "b": "1"}, {"a": "1"}, {"a": "1", "b": "2", "c": "3"}, {}} {
		require.NotEqual(t, one, Whole(other))
	}
	f := NewFile("x.txt", "text/plain", []byte("x"))
	require.Equal(t, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", f.SHA256)
	require.Equal(t, f.SHA256, f.Stable)
	require.False(t, f.Live)
}
