package geo

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/oschwald/maxminddb-golang/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/geo/internal/dat"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/places"
)

func pointer[T any](value T) *T { return &value }

// Every token that can be meant is read as it was written, of any file and category.
func TestEveryTokenIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := token{
			File:      rapid.SampledFrom([]string{nameGeoIP, nameGeosite, "own.dat", "a.b-c_d.dat"}).Draw(t, "file"),
			Category:  rapid.StringMatching(`[a-z0-9][a-z0-9!_.+-]{0,63}`).Draw(t, "category"),
			Attribute: rapid.StringMatching(`([a-z0-9!_.+-]{1,32})?`).Draw(t, "attribute"),
		}
		want.Not = want.File != nameGeosite && rapid.Bool().Draw(t, "not")
		got, ok := parseToken(strings.ToUpper(want.text()))
		require.True(t, ok, want.text())
		require.Equal(t, want, got)
	})
}

func TestTokensThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64)
	for _, text := range []string{"geosite:" + long, "geosite:a@" + long[:32], "geoip:!" + long, strings.Repeat("a", 60) + ".dat:a"} {
		_, ok := parseToken(text)
		require.True(t, ok, text)
	}
	for _, text := range []string{
		"geosite:" + long + "a", "geosite:a@" + long[:33], strings.Repeat("a", 61) + ".dat:a", "geosite:!cn", "geoip:!!ru",
		"geosite.dat:a", "geosite:a@", "geosite:@ads", "geosite:a@b@c", "geosite:a:b", ":a", ".dat:a", "own:a", "own.DAT.exe:a",
		"a/b.dat:a", `a\b.dat:a`, "geosite:-a", "geosite:ä", "geosite: a", "geosite:a\n", "geosite", "http://x.dat:80",
	} {
		_, ok := parseToken(text)
		require.False(t, ok, text)
	}
}

// Flows that use a category are named once each; what is missing is told by its token, in order.
func TestUseIsCountedByCategory(t *testing.T) {
	t.Parallel()
	used := []usedToken{
		{token{File: nameGeosite, Category: "b"}, []string{"2", "1"}},
		{token{File: nameGeosite, Category: "b", Attribute: "ads"}, []string{"1", "3"}},
		{token{File: nameGeoIP, Category: "b", Not: true}, []string{"4"}},
		{token{File: nameGeosite, Category: "a"}, nil},
	}
	require.Equal(t, map[string][]string{"b": {"1", "2", "3"}, "a": nil}, flowsBy(used, nameGeosite))
	require.Equal(t, map[string][]string{"b": {"4"}}, flowsBy(used, nameGeoIP))
	require.Empty(t, flowsBy(used, "own.dat"))
	require.Equal(t, []MissingToken{
		{"geoip:!b", []string{"4"}}, {"geosite:a", []string{}}, {"geosite:b", []string{"2", "1"}}, {"geosite:b@ads", []string{"1", "3"}},
	}, missingOf(used))
	require.NotNil(t, missingOf(nil))
	require.Equal(t, map[string]int{"a": 1, "b": 2}, countsOf([]dat.Category{{Name: "a", Entries: 1}, {Name: "b", Entries: 2}}))
}

// Without versions a comparison is of what was fetched with what nodes hold, else of that with the one before.
func TestAComparisonHasItsUsualSides(t *testing.T) {
	t.Parallel()
	all := assetRow{Version: pointer("v"), Previous: pointer("p"), Candidate: pointer("c")}
	held := assetRow{Version: pointer("v"), Previous: pointer("p")}
	fetched := assetRow{Candidate: pointer("c")}
	for _, one := range []struct {
		row            assetRow
		from, to, want string
	}{
		{all, "", "", "v c"},
		{all, "", "v", "p v"},
		{all, "", "p", "v p"},
		{all, "x", "", "x c"},
		{all, "x", "y", "x y"},
		{held, "", "", "p v"},
		{held, "v", "", "v v"},
		{fetched, "", "", " c"},
		{assetRow{}, "", "", " "},
	} {
		from, to := sides(&one.row, one.from, one.to)
		require.Equal(t, one.want, from+" "+to, one)
	}
}

// Categories are listed by their names; by their size the names decide where that is the same, turned with it.
func TestCategoriesAreSorted(t *testing.T) {
	t.Parallel()
	for sort, want := range map[string]string{
		"": "a b c d", "category": "a b c d", "-category": "d c b a", "entries": "b c d a", "-entries": "a d c b",
	} {
		list := []dat.Category{{Name: "c", Entries: 2}, {Name: "a", Entries: 9}, {Name: "d", Entries: 2}, {Name: "b", Entries: 1}}
		slices.SortFunc(list, categoryOrder(sort))
		names := make([]string, len(list))
		for i, one := range list {
			names[i] = one.Name
		}
		require.Equal(t, want, strings.Join(names, " "), sort)
	}
}

// The place of a page is one within the list that it was given for, and no other.
func TestAPageGoesOnWhereItsListEnded(t *testing.T) {
	t.Parallel()
	id := database.NewID()
	query := httpapi.PageQuery{Sort: "entries"}
	at, err := placeIn(query, id)
	require.NoError(t, err)
	require.Zero(t, at)
	query.Cursor = *cursorAt(query, id, 1<<33)
	at, err = placeIn(query, id)
	require.NoError(t, err)
	require.Equal(t, int64(1<<33), at)
	_, err = placeIn(query, database.NewID())
	require.ErrorIs(t, err, httpapi.ErrCursor, "of another file")
	for _, text := range []string{"-1", "1.5", "1e3", "99999999999999999999"} {
		query.Cursor = *httpapi.Cursor{Sort: "entries", Value: text, ID: id}.Text()
		_, err = placeIn(query, id)
		require.ErrorIs(t, err, httpapi.ErrCursor, text)
	}
	query.Cursor, query.Sort = *cursorAt(query, id, 5), ""
	_, err = placeIn(query, id)
	require.ErrorIs(t, err, httpapi.ErrCursor, "of another sequence")
}

func clocked(clock clockwork.Clock) *service { return &service{clock: clock} }

// A file has the name that the core looks for, or one of its own that leads nowhere else.
func TestAFileHasOneName(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ file, preset, name, want string }{
		{fileGeoIP, "v2fly", "", nameGeoIP},
		{fileGeosite, presetCustom, nameGeosite, nameGeosite},
		{fileMMDB, "loyalsoldier", "", "country.mmdb"},
		{fileMMDB, "loyalsoldier", "own.mmdb", "own.mmdb"},
		{fileCustom, presetCustom, "a_b-c.1.dat", "a_b-c.1.dat"},
		{fileCustom, presetCustom, strings.Repeat("a", 60) + ".dat", strings.Repeat("a", 60) + ".dat"},
		{fileGeoIP, "v2fly", nameGeosite, ""},
		{fileMMDB, presetCustom, "", ""},
		{fileCustom, presetCustom, "", ""},
		{fileCustom, presetCustom, ".dat", ""},
		{fileCustom, presetCustom, "a.dat.", ""},
		{fileCustom, presetCustom, "a.mmdb", ""},
		{fileCustom, presetCustom, "a/b.dat", ""},
		{fileCustom, presetCustom, "..dat", ""},
		{fileCustom, presetCustom, "a b.dat", ""},
		{fileCustom, presetCustom, nameGeosite, ""},
		{fileCustom, presetCustom, strings.Repeat("a", 61) + ".dat", ""},
		{fileMMDB, presetCustom, ".mmdb", ""},
	} {
		row := assetRow{File: one.file, Preset: one.preset, Name: one.name}
		err := clocked(clockwork.NewFakeClock()).named(&row)
		if one.want == "" {
			require.Equal(t, "invalid_value", fault.Code(err), one)
			continue
		}
		require.NoError(t, err, one)
		require.Equal(t, one.want, row.Name)
	}
}

// What is absent of a change stays; a preset brings its addresses, of which each can be another one.
func TestAChangeTakesOverWhatIsGiven(t *testing.T) {
	t.Parallel()
	s := clocked(clockwork.NewFakeClockAt(time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)))
	row := assetRow{File: fileGeosite, Preset: presetCustom, SourceURL: "https://a.example/x", Scheduled: true, Cron: usualCron}
	require.NoError(t, s.changed(&row, AssetChange{}))
	require.Equal(t, "https://a.example/x", row.SourceURL)
	require.NoError(t, s.changed(&row, AssetChange{Preset: pointer("v2fly")}))
	require.Equal(t, "https://github.com/v2fly/domain-list-community/releases/latest/download/dlc.dat", row.SourceURL)
	require.Equal(t, row.SourceURL+".sha256sum", row.ChecksumURL)
	require.NoError(t, s.changed(&row, AssetChange{
		Preset: pointer("loyalsoldier"), SourceURL: pointer(" http://mirror.example/geosite.dat "), ChecksumURL: pointer(""),
	}))
	require.Equal(t, []string{"loyalsoldier", "http://mirror.example/geosite.dat", ""},
		[]string{row.Preset, row.SourceURL, row.ChecksumURL})
	require.NoError(t, s.changed(&row, AssetChange{Schedule: &Schedule{Enabled: true, Cron: "  "}}))
	require.Equal(t, usualCron, row.Cron, "a rule that is left out is the usual one")
	for name, change := range map[string]AssetChange{
		"another kind of file": {Preset: pointer("nobody")}, "no address": {SourceURL: pointer("")},
		"no host": {SourceURL: pointer("https:///x")}, "a path": {SourceURL: pointer("/etc/passwd")},
		"FTP": {SourceURL: pointer("ftp://a.example/x")}, "a name and a password": {SourceURL: pointer("https://a:sesame@a.example")},
		"a checksum on the disk": {ChecksumURL: pointer("file:///x")}, "a rule of six fields": {Schedule: &Schedule{Cron: "0 0 4 * * *"}},
		"a word": {Schedule: &Schedule{Cron: "@daily"}}, "a zone": {Schedule: &Schedule{Cron: "TZ=UTC 0 4 * * *"}},
		"no day": {Schedule: &Schedule{Cron: "0 25 * * *"}},
	} {
		tried := row
		err := s.changed(&tried, change)
		require.Equal(t, "invalid_value", fault.Code(err), name)
		require.NotContains(t, err.Error(), "sesame")
	}
	was := row
	row.Pinned, row.Cron = true, "1 2 * * *"
	require.Equal(t, map[string]audit.Change{
		"pinned": {From: false, To: true}, "cron": {From: usualCron, To: "1 2 * * *"},
	}, differences(&was, &row))
}

// The next update is the next time of the rule and up to half an hour later; there is none for what is pinned, switched
// off, or has a day that never comes.
func TestTheNextUpdateFollowsTheRule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	s := clocked(clockwork.NewFakeClockAt(now))
	for range 20 {
		row := assetRow{Scheduled: true, Cron: usualCron}
		require.NoError(t, s.timed(&row))
		late := row.NextUpdateAt.Sub(time.Date(2026, 11, 27, 4, 0, 0, 0, time.UTC))
		require.GreaterOrEqual(t, late, time.Duration(0))
		require.Less(t, late, 30*time.Minute)
	}
	for name, row := range map[string]assetRow{
		"pinned": {Scheduled: true, Pinned: true, Cron: usualCron}, "off": {Cron: usualCron}, "30 February": {Scheduled: true, Cron: "0 0 30 2 *"},
	} {
		row.NextUpdateAt = &now
		require.NoError(t, s.timed(&row), name)
		require.Nil(t, row.NextUpdateAt, name)
	}
}

// What becomes of a version that was fetched, beside what nodes hold and how the last roll-out of that went.
func TestWhatWasFetchedIsRolledOutOrWaits(t *testing.T) {
	t.Parallel()
	person, schedule := updateArgs{Distribute: true}, updateArgs{Distribute: true, Scheduled: true}
	for name, one := range map[string]struct {
		version *string
		last    string
		order   updateArgs
		state   string
		waits   bool // as the candidate
		rolls   bool
	}{
		"the first one":                 {nil, "", person, stateReady, true, true},
		"the first one, to be kept":     {nil, "", updateArgs{}, stateReady, true, false},
		"a newer one by the schedule":   {pointer("old"), rollDone, schedule, stateReady, true, true},
		"the same one again":            {pointer("new"), rollDone, person, stateCurrent, false, false},
		"the same one, never rolled":    {pointer("new"), "", schedule, stateCurrent, false, false},
		"one that failed, by a person":  {pointer("new"), rollFailed, person, stateReady, true, true},
		"one that failed, by the clock": {pointer("new"), rollFailed, schedule, stateFailed, false, false},
		"a newer one while one rolls":   {pointer("old"), rollRunning, person, stateDistributing, true, false},
		"the same one while it rolls":   {pointer("new"), rollRunning, person, stateDistributing, false, false},
		"a newer one after a failure":   {pointer("old"), rollFailed, schedule, stateReady, true, true},
	} {
		row := assetRow{Version: one.version, RejectReason: "x", RejectDetail: "y"}
		require.Equal(t, one.rolls, row.received("new", one.last, one.order), name)
		require.Equal(t, one.state, row.State, name)
		require.Equal(t, one.waits, row.Candidate != nil, name)
		if row.State == stateFailed {
			require.Equal(t, reasonNode, row.RejectReason, name)
			continue
		}
		require.Empty(t, row.RejectReason+row.RejectDetail, name)
	}
	full := assetRow{Version: pointer("new"), RejectReason: reasonDisk}
	require.False(t, full.received("new", rollFailed, schedule))
	require.Equal(t, reasonDisk, full.RejectReason, "that a disk was full stays the reason")
}

// Failures of a source are one word each; those of the way to it are tried again soon.
func TestFailuresOfASourceAreOneWord(t *testing.T) {
	t.Parallel()
	for _, full := range []error{syscall.ENOSPC, fmt.Errorf("write: %w", syscall.EDQUOT), fault.Unavailable("no room")} {
		require.Equal(t, reasonDisk, dat.AsRefusal(onDisk(full)).Reason)
	}
	other := errors.New("other")
	require.Same(t, other, onDisk(other))
	require.NoError(t, onDisk(nil))
	require.ErrorIs(t, unreachable(context.Canceled), context.Canceled)
	require.Nil(t, dat.AsRefusal(unreachable(context.Canceled)), "who gave up has not found out anything")
	require.Equal(t, reasonUnreachable, dat.AsRefusal(unreachable(context.DeadlineExceeded)).Reason)
	for reason, wanted := range map[string]bool{
		reasonUnreachable: true, reasonRefused: true, reasonDisk: true, reasonChecksum: false, reasonMissing: false,
		reasonNode: false, dat.HTML: false, dat.Empty: false, dat.Truncated: false,
	} {
		require.Equal(t, wanted, away(reason), reason)
	}
}

// Rings grow: the first is one node, each node is in one, and none comes before a smaller one.
func TestRingsGrow(t *testing.T) {
	t.Parallel()
	for all := 1; all <= 300; all++ {
		last, count := firstRing, map[int]int{}
		for at := range all {
			ring := ringOf(at, all)
			require.GreaterOrEqual(t, ring, last)
			require.LessOrEqual(t, ring, lastRing)
			last = ring
			count[ring]++
		}
		require.Equal(t, 1, count[firstRing], all)
		require.LessOrEqual(t, count[2]*100, all*5, all)
		require.LessOrEqual(t, (count[2]+count[3])*100, all*25, all)
	}
}

// Several databases are put together: of each thing the first one that knows it counts.
func TestDatabasesOfPlacesCompleteEachOther(t *testing.T) {
	t.Parallel()
	open := func(known map[string]mmdbtype.Map) *maxminddb.Reader {
		r, err := maxminddb.OpenBytes(placesFile(t, known))
		require.NoError(t, err)
		return r
	}
	first := open(map[string]mmdbtype.Map{"192.0.2.0/24": inCountry("NL"), "198.51.100.0/24": inNetwork(0, "Nobody")})
	second := open(map[string]mmdbtype.Map{"192.0.2.0/24": inCountry("DE"), "2001:db8::/32": inCountry("SE")})
	third := open(map[string]mmdbtype.Map{"192.0.2.0/25": inNetwork(64500, "One"), "198.51.100.0/24": inNetwork(64501, "Two")})
	for address, want := range map[string]places.Place{
		"192.0.2.1":   {Country: "NL", ASN: 64500, Network: "One"},
		"192.0.2.200": {Country: "NL"}, "198.51.100.9": {ASN: 64501, Network: "Two"}, "2001:db8::1": {Country: "SE"},
		"203.0.113.1": {}, "2001:db9::1": {},
	} {
		var place places.Place
		for _, r := range []*maxminddb.Reader{first, second, third} {
			fill(&place, r, netip.MustParseAddr(address))
		}
		require.Equal(t, want, place, address)
	}
}

// A table of changes says of each category whether it has come, gone or how it has changed.
func TestLinesOfATable(t *testing.T) {
	t.Parallel()
	require.Equal(t, [][]string{{"n", "+", ""}, {"g", "", "-"}, {"c", "+2", "-1"}}, linesOf(Changes{
		Added: []string{"n"}, Removed: []string{"g"}, Changed: []CategoryChange{{Category: "c", AddedCount: 2, RemovedCount: 1}},
	}))
	require.Equal(t, []string{"own.dat", "idle", "-", "-", "-", "0/0"}, row(Asset{Name: "own.dat", State: stateIdle}))
	require.Equal(t, []string{"own.dat", "failed", "disk_full", "0123456789ab", "7", "1/3"}, row(Asset{
		Name: "own.dat", State: stateFailed, RejectReason: reasonDisk, Version: &Version{SHA256: "0123456789abcdef", Entries: 7},
		Nodes: NodeCounts{Current: 1, Total: 3},
	}))
	require.Equal(t, NodeCounts{Total: 5, Current: 1, Failed: 1, Waiting: 3}, counted([]onNode{
		{State: nodeCurrent}, {State: nodeFailed}, {State: nodeOffline}, {State: nodeWaiting}, {State: nodeUnsupported},
	}))
	held := assetRow{Version: pointer("v"), Candidate: pointer("c")}
	require.Equal(t, []string{"v", "c"}, held.holds())
	require.Equal(t, stateReady, held.settled())
	require.Equal(t, stateCurrent, (&assetRow{Version: pointer("v")}).settled())
}
