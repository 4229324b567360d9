package statuspage

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/internal/site"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// drafted is a draft that can be saved.
func drafted() *draft {
	return &draft{
		Slug: "service", Titles: Localised{"en": "Our service"}, Locales: []string{"en", "ru"}, DefaultLocale: "en",
		Theme: Theme{Mode: site.Light, Accent: usualAccent, LogoSHA256: "abc"},
		Auto:  Auto{Draft: true, Publish: publishNever, MinSeverity: "critical"},
	}
}

// blamed are the fields that a refusal names.
func blamed(t *testing.T, err error) (fields []string) {
	t.Helper()
	refused, is := fault.As(err)
	require.True(t, is, "%v", err)
	require.Equal(t, "invalid_value", refused.Code)
	for _, one := range refused.Fields {
		require.NotEmpty(t, one.Message)
		fields = append(fields, one.Field)
	}
	return fields
}

// What a page may be is the same wherever it is changed, and each refusal names the field.
func TestTheBoundsOfAPage(t *testing.T) {
	t.Parallel()
	for _, good := range []func(d *draft){
		func(*draft) {},
		func(d *draft) { d.Slug = "0-" + strings.Repeat("a", 61) },
		func(d *draft) { d.Slug = "a" },
		func(d *draft) {
			d.Locales, d.DefaultLocale, d.Titles = []string{"ru"}, "ru", Localised{"ru": "Наш сервис"}
		},
		func(d *draft) { d.Theme.Accent = "#AbCdEf" },
		func(d *draft) { d.Titles["en"] = strings.Repeat("я", longestName) },
		func(d *draft) {
			d.Descriptions, d.Footers = Localised{"ru": "x\ny"}, Localised{"en": strings.Repeat("я", longestBody)}
		},
	} {
		d := drafted()
		good(d)
		require.NoError(t, d.check(), "%+v", d)
	}
	for field, bad := range map[string][]func(d *draft){
		"slug": {
			func(d *draft) { d.Slug = "" }, func(d *draft) { d.Slug = "-a" }, func(d *draft) { d.Slug = "a_b" },
			func(d *draft) { d.Slug = strings.Repeat("a", 64) }, func(d *draft) { d.Slug = "a\n" }, func(d *draft) { d.Slug = "é" },
		},
		"locales": {
			func(d *draft) { d.Locales = nil }, func(d *draft) { d.Locales = []string{"ru"} },
			func(d *draft) { d.Locales = []string{"en", "en"} }, func(d *draft) { d.Locales = []string{"en", "de"} },
		},
		"theme.accent": {
			func(d *draft) { d.Theme.Accent = "#fff" }, func(d *draft) { d.Theme.Accent = "#12345g" },
			func(d *draft) { d.Theme.Accent = "#2563eb;}*{" }, func(d *draft) { d.Theme.Accent = "" },
		},
		"titles.en": {
			func(d *draft) { d.Titles = nil }, func(d *draft) { d.Titles = Localised{"en": " \t "} },
			func(d *draft) { d.Titles["en"] = "a\rb" }, func(d *draft) { d.Titles["en"] = strings.Repeat("x", longestName+1) },
		},
		"descriptions.ru": {func(d *draft) { d.Descriptions = Localised{"ru": strings.Repeat("x", longestBody+1)} }},
		"footers":         {func(d *draft) { d.Footers = Localised{"de": "x"} }},
	} {
		for i, one := range bad {
			d := drafted()
			one(d)
			require.Equal(t, []string{field}, blamed(t, d.check()), "%d", i)
		}
	}
}

// A change alters what it names and nothing else; spaces around texts are nobody's.
func TestAChangeAltersWhatItNames(t *testing.T) {
	t.Parallel()
	d := drafted()
	require.NoError(t, d.edit(PageFields{}))
	require.Equal(t, drafted(), d)
	require.NoError(t, d.edit(PageFields{Titles: Localised{"en": "  New "}, Theme: &ThemeChange{Accent: new("#ff0000")}}))
	want := drafted()
	want.Titles, want.Theme.Accent = Localised{"en": "New"}, "#ff0000"
	require.Equal(t, want, d, "mode and logo stay")
	require.NoError(t, d.edit(PageFields{DefaultLocale: new("ru"), Titles: Localised{"ru": "Новое"}, Locales: []string{"ru"}}))
	require.Equal(t, []string{"titles.en"}, blamed(t, d.edit(PageFields{DefaultLocale: new("en"), Locales: []string{"en"}})),
		"a default language needs its title")
}

func part(names Localised, source, id string) Component {
	return Component{Names: names, Source: source, SourceID: id, Visible: true}
}

// New groups and components get their ids, and what is read only is not taken from whoever sends it.
func TestComponentsAreComposed(t *testing.T) {
	t.Parallel()
	d, group, node := drafted(), database.NewID(), database.NewID()
	name := Localised{"en": " Web "}
	byPeople, measured := part(name, byHand, "leftover"), part(Localised{"en": "Node"}, fromNode, node)
	byPeople.GroupID, byPeople.SourceName, byPeople.Status = group, "secret-node", "major_outage"
	measured.ManualStatus = "degraded"
	require.NoError(t, d.compose([]Group{{ID: group, Names: Localised{"en": "A"}}, {Names: Localised{"en": "B"}}},
		[]Component{byPeople, measured}, map[string]string{"node " + node: "ams"}))
	require.Equal(t, group, d.Groups[0].ID)
	require.True(t, database.IsID(d.Groups[1].ID))
	first, second := d.Components[0], d.Components[1]
	require.True(t, database.IsID(first.ID))
	require.NotEqual(t, first.ID, second.ID)
	require.Equal(t, Component{
		ID: first.ID, GroupID: group, Names: Localised{"en": "Web"}, Source: byHand, Visible: true, ManualStatus: "operational",
	}, first)
	require.Equal(t, Component{ID: second.ID, Names: Localised{"en": "Node"}, Source: fromNode, SourceID: node, Visible: true},
		second)
	require.NoError(t, d.compose(d.Groups, d.Components, nil), "what is gone since then may stay")
	require.Equal(t, []string{"components[0].source_id"}, blamed(t, d.compose(nil,
		[]Component{part(Localised{"en": "x"}, fromFlow, node)}, nil)), "as what it was, and as nothing else")
}

// Whatever is wrong with one of many components, all stay as they were.
func TestComponentsThatAreWrongChangeNothing(t *testing.T) {
	t.Parallel()
	id, name := database.NewID(), Localised{"en": "x"}
	with := func(change func(c *Component)) []Component {
		wrong := part(name, byHand, "")
		change(&wrong)
		return []Component{part(name, byHand, ""), wrong}
	}
	for _, test := range []struct {
		groups     []Group
		components []Component
		field      string
	}{
		{[]Group{{ID: "1", Names: name}}, nil, "groups[0].id"},
		{[]Group{{ID: id, Names: name}, {ID: id, Names: name}}, nil, "groups[1].id"},
		{[]Group{{Names: Localised{"ru": "x"}}}, nil, "groups[0].names.en"},
		{nil, with(func(c *Component) { c.ID = "1" }), "components[1].id"},
		{nil, with(func(c *Component) { c.ID, c.SourceID = id, id }), "components[1].id"},
		{nil, with(func(c *Component) { c.GroupID = id }), "components[1].group_id"},
		{nil, with(func(c *Component) { c.Names = Localised{"en": "a\nb"} }), "components[1].names.en"},
		{nil, with(func(c *Component) { c.Source, c.SourceID = fromPool, id }), "components[1].source_id"},
	} {
		d := drafted()
		d.Groups, d.Components = []Group{{ID: "before"}}, []Component{{ID: "before"}}
		require.Equal(t, []string{test.field}, blamed(t, d.compose(test.groups, test.components, nil)))
		require.Equal(t, []Group{{ID: "before"}}, d.Groups, test.field)
		require.Equal(t, []Component{{ID: "before"}}, d.Components, test.field)
	}
	twice := with(func(c *Component) { c.ID = id })
	twice[0].ID = id
	require.Equal(t, []string{"components[1].id"}, blamed(t, drafted().compose(nil, twice, nil)))
}

// Announcements keep their ids as long as they stand, last until they end or for ever, and are in UTC.
func TestAnnouncementsAreKeptByTheirIDs(t *testing.T) {
	t.Parallel()
	d, from := drafted(), time.Date(2026, 11, 27, 12, 0, 0, 0, time.FixedZone("x", 3600))
	news := Announcement{ID: "made up", Titles: Localised{"en": "News"}, StartsAt: from, EndsAt: new(from.Add(time.Hour))}
	require.NoError(t, d.announce([]Announcement{news, {Titles: Localised{"en": "More"}, StartsAt: from}}))
	first := d.Announcements[0]
	require.True(t, database.IsID(first.ID), "nobody makes an id up")
	require.Equal(t, "2026-11-27T11:00:00Z", first.StartsAt.Format(time.RFC3339))
	require.Equal(t, "2026-11-27T12:00:00Z", first.EndsAt.Format(time.RFC3339))
	require.Nil(t, d.Announcements[1].EndsAt)
	first.Titles = Localised{"en": "Other news"}
	require.NoError(t, d.announce([]Announcement{first}))
	require.Equal(t, []Announcement{first}, d.Announcements)
	news.EndsAt = &from
	require.Equal(t, []string{"announcements[0].ends_at"}, blamed(t, d.announce([]Announcement{news})))
	require.Equal(t, []string{"announcements[1].titles.en"}, blamed(t, d.announce([]Announcement{first, {StartsAt: from}})))
	require.Equal(t, []Announcement{first}, d.Announcements)
}

// Readers are told of components of the page alone, each once.
func TestComponentsAreNamedOnce(t *testing.T) {
	t.Parallel()
	d := &draft{Components: []Component{{ID: "a"}, {ID: "b"}}}
	ids, err := d.named([]string{"b", "a", "b"})
	require.NoError(t, err)
	require.Equal(t, []string{"b", "a"}, ids)
	none, err := d.named(nil)
	require.NoError(t, err)
	require.NotNil(t, none, "an empty list, and never null")
	_, err = d.named([]string{"a", "c"})
	require.Equal(t, []string{"component_ids[1]"}, blamed(t, err))
}

// The journal tells what was changed of a page; of long lists it tells how long they are.
func TestTheJournalTellsWhatWasChanged(t *testing.T) {
	t.Parallel()
	was := drafted()
	require.Empty(t, differences(was, drafted()))
	now := drafted()
	now.Slug, now.DefaultLocale, now.Auto.Publish = "other", "ru", publishAtOnce
	now.Components = []Component{{ID: "a"}, {ID: "b"}}
	require.Equal(t, map[string]audit.Change{
		"slug": {From: "service", To: "other"}, "default_locale": {From: "en", To: "ru"}, "components": {From: 0, To: 2},
		"auto": {From: was.Auto, To: now.Auto},
	}, differences(was, now))
	was.Components = []Component{{ID: "b"}, {ID: "a"}}
	require.Equal(t, audit.Change{From: 2, To: 2}, differences(was, now)["components"], "another order is a change")
	now = drafted()
	now.Groups, now.Announcements = []Group{{}}, []Announcement{{}}
	now.Titles, now.Footers, now.Locales = Localised{"en": "x"}, Localised{"en": "y"}, []string{"en"}
	changed := differences(drafted(), now)
	require.Len(t, changed, 5)
	require.Equal(t, audit.Change{From: Localised{"en": "Our service"}, To: Localised{"en": "x"}}, changed["titles"])
}

// Before a deploy people see each text that readers will see differently, by its field and language.
func TestTextsThatChangeAreNamed(t *testing.T) {
	t.Parallel()
	page := &pageRow{Draft: draft{
		Titles: Localised{"en": "T", "ru": ""}, Descriptions: Localised{"ru": "О нас"}, Footers: Localised{"en": "F"},
		Groups: []Group{{ID: "g", Names: Localised{"en": "G"}}},
		Components: []Component{
			{ID: "c", Names: Localised{"en": "C"}, Visible: true}, {ID: "h", Names: Localised{"en": "Hidden"}},
		},
		Announcements: []Announcement{{ID: "a", Titles: Localised{"en": "A"}, Bodies: Localised{"en": "B"}}},
	}}
	changes, err := (&service{}).textChanges(t.Context(), page)
	require.NoError(t, err)
	require.Equal(t, []TextChange{
		{Field: "announcements.a.bodies.en", To: "B"},
		{Field: "announcements.a.titles.en", To: "A"},
		{Field: "components.c.en", To: "C"},
		{Field: "descriptions.ru", To: "О нас"},
		{Field: "footers.en", To: "F"},
		{Field: "groups.g.en", To: "G"},
		{Field: "titles.en", To: "T"},
	}, changes)
	none, err := (&service{}).textChanges(t.Context(), &pageRow{})
	require.NoError(t, err)
	require.NotNil(t, none)
	require.Equal(t, map[string]string{"a": "2", "b": "1"}, merged(map[string]string{"a": "1", "b": "1"}, map[string]string{"a": "2"}))
}

// Before a deploy people see what becomes of each file. That the data are of another minute is no change.
func TestFilesThatChangeAreNamed(t *testing.T) {
	t.Parallel()
	file := func(path, stable string) site.File {
		return site.File{Path: path, Stable: stable, SHA256: stable + "now", Content: []byte("four")}
	}
	before := map[string]held{
		"same": {SHA256: "then", Stable: "1"}, "changed": {SHA256: "then", Stable: "1"}, "b": {Stable: "1"}, "a": {Stable: "1"},
	}
	changes, unchanged := fileChanges(before, []site.File{file("same", "1"), file("changed", "2"), file("new", "1")})
	require.False(t, unchanged)
	require.Equal(t, []FileChange{
		{Path: "same", Change: "same", Bytes: 4},
		{Path: "changed", Change: "changed", Bytes: 4},
		{Path: "new", Change: "added", Bytes: 4},
		{Path: "a", Change: "removed"},
		{Path: "b", Change: "removed"},
	}, changes)
	delete(before, "a")
	delete(before, "b")
	all := []site.File{file("same", "1"), file("changed", "1")}
	_, unchanged = fileChanges(before, all)
	require.True(t, unchanged)
	_, unchanged = fileChanges(before, all[:1])
	require.False(t, unchanged, "one goes")
	none, unchanged := fileChanges(nil, nil)
	require.NotNil(t, none)
	require.True(t, unchanged)
}
