package statuspage

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/statuspage/internal/site"
	"panel/platform/fault"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// fleetOf is a fleet of nodes by their addresses.
type fleetOf struct {
	nodesapi.Fleet
	addresses map[string]string
}

func (f fleetOf) Node(_ context.Context, id string) (nodesapi.Node, error) {
	address, there := f.addresses[id]
	if !there {
		return nodesapi.Node{}, nodesapi.ErrUnknown
	}
	return nodesapi.Node{ID: id, Address: address}, nil
}

// Where readers find a page follows from its place: the panel's own address, what people say, or the node's.
func TestReadersFindAPageAtItsPlace(t *testing.T) {
	t.Parallel()
	s := &service{address: "https://panel.example.com/", neighbours: &neighbours{fleet: fleetOf{addresses: map[string]string{
		"v4": "198.51.100.7", "v6": "2001:db8::7", "new": "",
	}}}}
	at := func(kind, public, node string) *targetRow {
		return &targetRow{Kind: kind, Config: TargetConfig{PublicURL: public, NodeID: node, Port: 8080}}
	}
	for want, targets := range map[string][]*targetRow{
		"https://panel.example.com/status/service": {at(kindPanel, "", ""), at(kindPanel, "https://elsewhere.example.com", "")},
		"https://status.example.com/": {
			at(kindLocal, "https://status.example.com", ""), at(kindS3, "https://status.example.com/", ""),
			at(kindNode, "https://status.example.com", "v4"),
		},
		"http://198.51.100.7:8080/":  {at(kindNode, "", "v4")},
		"http://[2001:db8::7]:8080/": {at(kindNode, "", "v6")},
		"":                           {at(kindNode, "", "new"), at(kindNode, "", "gone"), at(kindLocal, "", ""), at(kindSFTP, "", "")},
	} {
		for _, target := range targets {
			require.Equal(t, want, s.readersAt(t.Context(), target, "service"), "%+v", target)
		}
	}
	s.address = ""
	require.Empty(t, s.addressOf(at(kindPanel, "", ""), "service"), "nobody said where the panel is")
	require.Equal(t, "https://x.example.com/", s.addressOf(at(kindPanel, "https://x.example.com", ""), "service"))
	for address, want := range map[string]string{"": "", "https://a.b/c": "https://a.b/c/", "https://a.b/c/": "https://a.b/c/"} {
		require.Equal(t, want, directory(address))
	}
}

// A page is where its first live place is, and as old as the oldest of them.
func TestAPageIsAsOldAsItsOldestPlace(t *testing.T) {
	t.Parallel()
	s, live, page := &service{}, "deploy", &pageRow{ID: "p", Slug: "service"}
	place := func(pageID, public string, ago time.Duration) targetRow {
		return targetRow{
			PageID: pageID, Kind: kindLocal, Enabled: true, LiveDeployID: &live, DataAt: new(noon.Add(-ago)),
			Config: TargetConfig{PublicURL: public},
		}
	}
	off, never, silent := place("p", "https://off.example.com", 90*time.Hour), place("p", "https://never.example.com", 80*time.Hour),
		place("p", "", 0)
	off.Enabled, never.LiveDeployID, silent.DataAt = false, nil, nil
	address, oldest := s.reached(page, []targetRow{
		off, never, place("other", "https://other.example.com", 70*time.Hour), silent, place("p", "https://one.example.com", time.Hour),
		place("p", "https://two.example.com", 2*time.Hour),
	})
	require.Equal(t, "https://one.example.com/", address)
	require.Equal(t, noon.Add(-2*time.Hour), *oldest)
	address, oldest = s.reached(page, []targetRow{off, never})
	require.Empty(t, address)
	require.Nil(t, oldest)
}

// A place is live, behind, failed, or was never deployed to; a failure counts more than what it still shows.
func TestThePlaceSaysHowItIs(t *testing.T) {
	t.Parallel()
	live, page := "deploy", &pageRow{PublishedRevision: 3}
	for want, target := range map[string]targetRow{
		"never": {}, "live": {LiveDeployID: &live, LiveRevision: 3}, "outdated": {LiveDeployID: &live, LiveRevision: 2},
		"failed": {LiveDeployID: &live, LiveRevision: 3, Failed: true},
	} {
		require.Equal(t, want, target.state(page))
	}
}

// A deploy gets on with each place, and is never at its end before all are.
func TestADeployTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		states []string
		want   int
	}{
		{nil, 10},
		{[]string{targetWaiting, targetWaiting}, 10},
		{[]string{deployUploading, targetWaiting}, 32},
		{[]string{deployVerifying, deployVerifying}, 55},
		{[]string{deployLive, targetWaiting}, 55},
		{[]string{deployFailed, targetUnchanged}, 100},
		{[]string{deployLive, deployLive, deployVerifying}, 85},
	} {
		row := deployRow{}
		for _, state := range test.states {
			row.Targets = append(row.Targets, DeployTarget{State: state})
		}
		require.Equal(t, test.want, row.percent(), test.states)
	}
	require.True(t, early(&site.File{Path: "assets/1.css"}))
	require.True(t, early(&site.File{Path: "ru/index.html"}))
	require.True(t, late(&site.File{Path: "index.html"}))
}

// Programs learn by a stable word why a place cannot be used, however deep the reason lies.
func TestEveryReasonHasItsWord(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"node_has_entry": errNodeEntry, "agent_lacks": errAgentLacks, "agent_away": errAgentAway,
		"host_key_changed": errHostKey, "disk_full": errFull, "content_differs": errOther, "missing": errMissing,
		"invalid_value": fault.InvalidValue("config.folder", "no"), "failed": errors.New("anything"),
	} {
		require.Equal(t, want, codeOf(err))
		require.Equal(t, want, codeOf(fmt.Errorf("index.html: %w", errors.Join(err, errors.New("and more")))), want)
	}
}

// Announcements stand from their beginning up to their end, to the moment.
func TestAnAnnouncementStandsForItsTime(t *testing.T) {
	t.Parallel()
	end := noon.Add(time.Hour)
	all := []Announcement{
		{Titles: Localised{"en": "for a time"}, StartsAt: noon, EndsAt: &end}, {Titles: Localised{"en": "for ever"}, StartsAt: noon},
	}
	for moment, want := range map[time.Time]int{
		noon.Add(-time.Nanosecond): 0, noon: 2, end.Add(-time.Nanosecond): 2, end: 1, end.AddDate(9, 0, 0): 1,
	} {
		require.Len(t, announcementsOf(all, moment), want, moment)
	}
}

// Readers see components in their groups, in the order of the page; days are those of what is measured alone.
func TestComponentsStandInTheirGroups(t *testing.T) {
	t.Parallel()
	d := &draft{Groups: []Group{{ID: "g1", Names: Localised{"en": "One"}}, {ID: "g2", Names: Localised{"en": "Two"}}}}
	visible := []Component{
		{ID: "a", GroupID: "g2", Source: fromPool, SourceID: "p", ShowBars: true},
		{ID: "b", Source: fromPool, SourceID: "p"},
		{ID: "c", GroupID: "g2", Source: byHand, ManualStatus: site.Degraded, ShowBars: true},
	}
	w := said(healthapi.Up)
	w.dates = []string{"2026-11-27"}
	groups := grouped(d, visible, w, announced{impacts: map[string]string{"b": site.MajorOutage}})
	require.Len(t, groups, 3)
	require.Empty(t, groups[0].Names, "those of no group come first")
	require.Equal(t, "b", groups[0].Components[0].ID)
	require.Equal(t, site.MajorOutage, groups[0].Components[0].Status, "as readers were told")
	require.Nil(t, groups[0].Components[0].Days)
	require.Empty(t, groups[1].Components)
	require.Equal(t, site.Text{"en": "Two"}, groups[2].Names)
	require.Equal(t, site.Operational, groups[2].Components[0].Status)
	require.Len(t, groups[2].Components[0].Days, 1)
	require.Equal(t, "c", groups[2].Components[1].ID)
	require.Equal(t, site.Degraded, groups[2].Components[1].Status)
	require.Nil(t, groups[2].Components[1].Days, "what people say has no days")
}

// What readers are told names components as they know them; those that they do not see are not named.
func TestOnlyVisibleComponentsAreNamed(t *testing.T) {
	t.Parallel()
	visible := []Component{{ID: "a", Names: Localised{"en": "A"}}, {ID: "b", Names: Localised{"en": "B"}}}
	local := noon.In(time.FixedZone("x", 3600))
	notices := noticesOf(publication{
		notices: []noticeRow{{
			ID: "n", Titles: Localised{"en": "Slow"}, Impact: "minor", State: "resolved", StartedAt: local, ResolvedAt: &local,
			ComponentIDs: []string{"hidden", "b", "a"},
		}},
		updates: map[string][]updateRow{
			"n": {{At: local, State: "resolved", Bodies: Localised{"en": "Over."}, By: "secret-admin"}}, "other": {{}},
		},
	}, visible)
	require.Equal(t, []site.Notice{{
		ID: "n", Titles: site.Text{"en": "Slow"}, Impact: "minor", State: "resolved", StartedAt: noon, ResolvedAt: new(noon),
		Components: []site.Text{{"en": "A"}, {"en": "B"}},
		Updates:    []site.Update{{At: noon, State: "resolved", Bodies: site.Text{"en": "Over."}}},
	}}, notices)
	works := worksOf([]maintenanceRow{
		{ID: "m", StartsAt: local, EndsAt: local.Add(time.Hour), UpdatedAt: local, Revision: 4, ComponentIDs: []string{"a", "hidden"}},
	}, visible, noon)
	require.Equal(t, []site.Maintenance{{
		ID: "m", StartsAt: noon, EndsAt: noon.Add(time.Hour), UpdatedAt: noon, Revision: 4, State: "active",
		Components: []site.Text{{"en": "A"}},
	}}, works)
}

// A certificate authority is one in PEM or none at all; what is no certificate is refused by its field.
func TestACertificateAuthorityIsOne(t *testing.T) {
	t.Parallel()
	pool, err := authorities("")
	require.NoError(t, err)
	require.Nil(t, pool, "those of the system")
	for _, text := range []string{"x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		_, err = authorities(text)
		require.Equal(t, []string{"config.ca"}, blamed(t, err))
	}
}

// Lines of commands show a dash for what is not there, and the title in the language that it has.
func TestLinesOfCommandsHaveNoHoles(t *testing.T) {
	t.Parallel()
	require.Equal(t, "-", moment(nil))
	require.Equal(t, "2026-11-27T12:00:00Z", moment(new(noon.In(time.FixedZone("x", -3600)))))
	require.Equal(t, []string{"-", "x"}, []string{dash(""), dash("x")})
	require.Equal(t, []string{"d", "7", "live", "2026-11-27T12:00:00Z", "-"},
		deployLine(Deploy{ID: "d", Revision: 7, State: deployLive, StartedAt: noon}))
	for want, titles := range map[string]Localised{"Slow": {"en": "Slow", "ru": "Медленно"}, "Медленно": {"ru": "Медленно"}, "": nil} {
		require.Equal(t, []string{"n", want, "minor", "resolved", "true", "2026-11-27T12:00:00Z"}, noticeLine(Notice{
			ID: "n", Titles: titles, Impact: "minor", State: stateResolved, Published: true, StartedAt: noon,
		}))
	}
	require.Equal(t, Localised{}, (&spoken{}).text())
	require.Equal(t, Localised{"ru": "Да"}, (&spoken{russian: "Да"}).text())
	require.Equal(t, Localised{"en": "Yes", "ru": "Да"}, (&spoken{"Yes", "Да"}).text())
}
