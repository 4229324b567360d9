package statuspage

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/statuspage/internal/site"
)

// said are readings of a pool whose members are in these states.
func said(states ...string) *readings {
	w := &readings{members: map[string][]subject{}, verdicts: map[subject]healthapi.Verdict{}}
	for i, state := range states {
		m := subject{healthapi.Node, string(rune('a' + i))}
		w.members[fromPool+" p"] = append(w.members[fromPool+" p"], m)
		if state != "" {
			known, rests := strings.CutPrefix(state, "resting ")
			w.verdicts[m] = healthapi.Verdict{State: known, Maintenance: rests}
		}
	}
	return w
}

func TestAComponentIsAsItsMembersAre(t *testing.T) {
	t.Parallel()
	const up, down, degraded = healthapi.Up, healthapi.Down, healthapi.Degraded
	for name, test := range map[string]struct {
		members []string
		want    string
	}{
		"nobody":                           {nil, site.Unknown},
		"nobody is judged":                 {[]string{"", ""}, site.Unknown},
		"all are up":                       {[]string{up, up}, site.Operational},
		"one of many is down":              {[]string{up, down}, site.PartialOutage},
		"all are down":                     {[]string{down, down}, site.MajorOutage},
		"all that are known are down":      {[]string{down, ""}, site.MajorOutage},
		"one is slow":                      {[]string{up, degraded}, site.Degraded},
		"down counts more than slow":       {[]string{up, degraded, down}, site.PartialOutage},
		"who rests does not count":         {[]string{up, "resting " + down}, site.Operational},
		"all rest":                         {[]string{"resting " + down, "resting " + up}, site.Maintained},
		"the others of who rests are down": {[]string{"resting " + up, down}, site.MajorOutage},
	} {
		got := said(test.members...).status(&Component{Source: fromPool, SourceID: "p"})
		require.Equal(t, test.want, got, name)
	}
	byPeople := Component{Source: byHand, ManualStatus: site.PartialOutage}
	require.Equal(t, site.PartialOutage, said().status(&byPeople))
}

func share(value float64) *float64 { return &value }

// The days of a pool are those of its members together; what nobody knows is unknown, and work is told of.
func TestTheDaysOfAComponentAreThoseOfItsMembers(t *testing.T) {
	t.Parallel()
	w := said(healthapi.Up, healthapi.Up)
	w.dates = []string{"2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27"}
	members := w.members[fromPool+" p"]
	w.days = map[subject][]healthapi.Day{
		members[0]: {
			{Date: "2026-11-01", State: healthapi.Down, UpPercent: share(0)}, // before those that are shown
			{Date: "2026-11-25", State: healthapi.Up, UpPercent: share(100)},
			{Date: "2026-11-26", State: healthapi.Down, UpPercent: share(50)},
			{Date: "2026-11-27", State: healthapi.Unknown},
		},
		members[1]: {{Date: "2026-11-26", State: healthapi.Up, UpPercent: share(100)}},
	}
	c := &Component{ID: "c", Source: fromPool, SourceID: "p"}
	work := announced{worked: map[string]map[string]bool{"c": {"2026-11-24": true, "2026-11-26": true}}}
	for range 2 { // one component leaves nothing behind for the next
		bar := w.bar(c, work)
		require.Equal(t, []BarDay{
			{Date: "2026-11-24", Worst: site.Maintained},
			{Date: "2026-11-25", Worst: site.Operational, UptimePercent: share(100)},
			{Date: "2026-11-26", Worst: site.PartialOutage, UptimePercent: share(75)},
			{Date: "2026-11-27", Worst: site.Unknown},
		}, bar.Days)
		require.InDelta(t, 87.5, *bar.UptimePercent, 0.001, "of the days that are known")
		none := w.bar(&Component{ID: "d", Source: fromPool, SourceID: "nobody"}, announced{})
		require.Nil(t, none.UptimePercent)
		require.Equal(t, site.Unknown, none.Days[2].Worst)
		require.Nil(t, none.Days[2].UptimePercent)
	}
}

// What readers are told counts beside what is measured: the worse of both, and work instead of it.
func TestWhatReadersAreToldIsOverWhatIsMeasured(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	a := announcedBy("page", []noticeRow{
		{PageID: "page", Impact: "minor", ComponentIDs: []string{"slow", "dead"}},
		{PageID: "page", Impact: "critical", ComponentIDs: []string{"dead"}},
		{PageID: "page", Impact: "none", ComponentIDs: []string{"told"}},
		{PageID: "another", Impact: "critical", ComponentIDs: []string{"told"}},
	}, []maintenanceRow{
		{PageID: "page", ComponentIDs: []string{"worked"}, StartsAt: now.Add(-37 * time.Hour), EndsAt: now.Add(time.Hour)},
		{PageID: "page", ComponentIDs: []string{"done"}, StartsAt: now.Add(-3 * time.Hour), EndsAt: now.Add(-time.Hour)},
		{PageID: "page", ComponentIDs: []string{"cut"}, StartsAt: now, EndsAt: now.Add(time.Hour), Cancelled: true},
		{PageID: "another", ComponentIDs: []string{"told"}, StartsAt: now.Add(-time.Hour), EndsAt: now.Add(time.Hour)},
	}, now)
	for id, want := range map[string]string{
		"slow": site.Degraded, "dead": site.MajorOutage, "told": site.Operational, "worked": site.Maintained,
		"done": site.Operational, "cut": site.Operational, "other": site.Operational,
	} {
		require.Equal(t, want, a.over(id, site.Operational), id)
	}
	require.Equal(t, site.MajorOutage, a.over("slow", site.MajorOutage), "news never make it look better")
	require.Len(t, a.worked["worked"], 3, "each day that it touches, in UTC")
	require.True(t, a.worked["worked"]["2026-11-26"])
	require.True(t, a.worked["done"]["2026-11-27"], "what is over was work all the same")
}

// A notice that the panel drafts names the first components as readers know them, in each language, and never too long.
func TestADraftIsNamedByWhatReadersKnow(t *testing.T) {
	t.Parallel()
	ams, fra := Localised{"en": "Amsterdam", "ru": "Амстердам"}, Localised{"en": "Frankfurt"}
	require.Equal(t, Localised{"en": "Problems with Amsterdam", "ru": "Проблемы: Амстердам"}, titleOf([]Localised{ams}))
	two := titleOf([]Localised{ams, fra})
	require.Equal(t, "Problems with Amsterdam, Frankfurt", two["en"])
	require.Equal(t, "Проблемы: Амстердам, Frankfurt", two["ru"], "a name that has no Russian is taken as it is")
	many := titleOf([]Localised{fra, ams, fra})
	require.Equal(t, "Problems with Frankfurt, Amsterdam and others", many["en"])
	require.Equal(t, "Проблемы: Frankfurt, Амстердам и другие", many["ru"])
	long := titleOf([]Localised{{"en": strings.Repeat("я", longestName)}, ams, fra})
	for locale, title := range long {
		require.Len(t, []rune(title), longestName, locale)
	}
	require.NoError(t, titled("titles", long, "en"), "what is drafted can be stored")
}

// The state of work follows from the clock alone.
func TestWorkIsPlannedActiveOrDoneByTheClock(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	m := maintenanceRow{StartsAt: from, EndsAt: from.Add(time.Hour)}
	for moment, want := range map[time.Time]string{
		from.Add(-time.Second): "planned", from: "active", from.Add(time.Hour - time.Second): "active",
		from.Add(time.Hour): "done",
	} {
		require.Equal(t, want, m.state(moment), moment)
		cut := m
		cut.Cancelled = true
		require.Equal(t, "cancelled", cut.state(moment))
	}
}
