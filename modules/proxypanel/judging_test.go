package proxypanel

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
)

// A node there is proposed for the one node of ours that has its address and is free; two that have it are none.
func TestANodeIsProposedForTheOneWithItsAddress(t *testing.T) {
	t.Parallel()
	ours := []nodesapi.Node{
		{ID: "1", Name: "ams", Address: "192.0.2.1", Addresses: []string{"10.0.0.1", "2001:db8::1"}},
		{ID: "2", Name: "fra", Address: "fra.example.com", Addresses: []string{"192.0.2.2", "10.0.0.1"}},
		{ID: "3", Name: "without an address"},
	}
	ams, fra := &NodeMatch{"1", "ams"}, &NodeMatch{"2", "fra"}
	for _, one := range []struct {
		address string
		taken   string
		want    *NodeMatch
	}{
		{"192.0.2.1", "", ams},
		{"2001:db8::1", "", ams},
		{"fra.example.com", "", fra},
		{"192.0.2.2", "", fra},
		{"192.0.2.1", "1", nil},
		{"10.0.0.1", "", nil},
		{"10.0.0.1", "1", fra},
		{"192.0.2.9", "", nil},
		{"", "", nil},
	} {
		require.Equal(t, one.want, match(one.address, ours, map[string]bool{one.taken: true}), one)
	}
}

// A node is shown with the name of its profile, its id while that is not known, and the worst of its states.
func TestANodeIsShownAsItWasSeen(t *testing.T) {
	t.Parallel()
	object := &shadow.Object{ExternalID: "n", Name: "ams", Fields: json.RawMessage(`{"address":"192.0.2.1","connected":true,
		"core_version":"25.1.1","profile_id":"p"}`)}
	want := PanelNodeView{
		PanelNodeID: "n", Name: "ams", Address: "192.0.2.1", State: "connected", CoreVersion: "25.1.1", Runs: "Europe",
	}
	got, err := viewOf(object, map[string]string{"p": "Europe"})
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = viewOf(object, nil)
	require.NoError(t, err)
	require.Equal(t, "p", got.Runs)
	got, err = viewOf(&shadow.Object{Fields: json.RawMessage(`{"disabled":true,"connected":true}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"disabled", ""}, []string{got.State, got.Runs})
	_, err = viewOf(&shadow.Object{Fields: json.RawMessage(`7`)}, nil)
	require.Error(t, err)
	m := &mapping.Mapping{NodeID: "1", ProfileName: "panel_1", AdoptedBy: "anna"}
	m.Remember(mapping.Before{ProfileID: "p", ProfileName: "Europe"})
	shown := shownMapping(m, []nodesapi.Node{{ID: "1", Name: "ams"}, {ID: "2", Name: "fra"}}, nil)
	require.Equal(t, []string{"ams", "panel_1", "Europe"}, []string{shown.NodeName, shown.ProfileName, shown.Replaces})
	require.NotNil(t, shown.FlowIDs)
	require.Empty(t, shownMapping(m, nil, nil).NodeName, "the node of ours was deleted")
}

func pointer[T any](value T) *T { return &value }

// The state of a connection is what the look found, made worse by what its token says: an end that is near, or scopes
// that were missing when they were asked about last.
func TestAConnectionIsJudgedByItsTokenToo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) *time.Time { return pointer(now.Add(d)) }
	for name, one := range map[string]struct {
		state, cause string
		expires      *time.Time
		missing      string
		want         string
	}{
		"well":                      {remnawave.StateOK, "", nil, "[]", "ok "},
		"an end that is far":        {remnawave.StateOK, "", in(14 * 24 * time.Hour), "[]", "ok "},
		"an end that is near":       {remnawave.StateOK, "", in(14*24*time.Hour - time.Second), "[]", "degraded token_expiring"},
		"a scope to act with":       {remnawave.StateOK, "", in(time.Hour), `["users:write"]`, "degraded scope_missing"},
		"a scope to read by":        {remnawave.StateOK, "", nil, `["users:write","nodes:read"]`, "auth scope_missing"},
		"worse already":             {remnawave.StateDegraded, remnawave.NodesDown, in(time.Hour), `["users:write"]`, "degraded nodes_down"},
		"refused at its end":        {remnawave.StateAuth, remnawave.TokenRefused, in(0), "[]", "auth token_expired"},
		"refused before its end":    {remnawave.StateAuth, remnawave.TokenRefused, in(time.Second), "[]", "auth token_refused"},
		"refused without an end":    {remnawave.StateAuth, remnawave.TokenRefused, nil, "[]", "auth token_refused"},
		"away after its end":        {remnawave.StateUnreachable, "timeout", in(-time.Hour), "[]", "unreachable timeout"},
		"what is stored is nothing": {remnawave.StateOK, "", nil, "", "ok "},
	} {
		row := connectionRow{
			State: one.state, Cause: one.cause, TokenExpiresAt: one.expires,
			MissingScopes: json.RawMessage(one.missing),
		}
		row.judge(now)
		require.Equal(t, one.want, row.State+" "+row.Cause, name)
	}
}

// What a look did not ask about stays as it was known, and the last good look stays the last good one.
func TestWhatALookDidNotAskAboutStays(t *testing.T) {
	t.Parallel()
	now, before := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	row := connectionRow{
		Version: "3.0.1", LatencyMS: pointer(int64(7)), Panel: json.RawMessage(`{"users":5}`), LastOKAt: &before,
		MissingScopes: json.RawMessage(`["users:write"]`), ScopesCheckedAt: &before,
	}
	require.NoError(t, row.note(remnawave.Seen{State: remnawave.StateUnreachable, Cause: "timeout", Detail: "why"}, now))
	shown := row.shown()
	require.Equal(t, []string{"unreachable", "timeout", "why", "3.0.1", remnawave.Supported},
		[]string{shown.State, shown.Cause, shown.Detail, shown.Version, shown.Compatibility})
	require.Equal(t, []any{int64(7), 5, &before, &now},
		[]any{*shown.LatencyMS, shown.Panel.Users, shown.LastOKAt, shown.CheckedAt})
	require.Equal(t, []string{"users:write"}, shown.MissingScopes)
	require.Equal(t, &before, row.ScopesCheckedAt)
	require.NoError(t, row.note(remnawave.Seen{
		State: remnawave.StateOK, Version: "3.1.0", Latency: 1500 * time.Microsecond, Missing: []string{},
		Figures: &remnawave.Figures{Users: 9},
	}, now))
	shown = row.shown()
	require.Equal(t, []string{"ok", "", "", "3.1.0"}, []string{shown.State, shown.Cause, shown.Detail, shown.Version})
	require.Equal(t, []any{int64(1), 9, &now}, []any{*shown.LatencyMS, shown.Panel.Users, shown.LastOKAt})
	require.Equal(t, []string{}, shown.MissingScopes)
	require.Equal(t, &now, row.ScopesCheckedAt)
	for state, want := range map[string][2]bool{
		remnawave.StateOK: {true, false}, remnawave.StateDegraded: {true, false}, remnawave.StateAuth: {false, true},
		remnawave.StateUnsupported: {false, true}, remnawave.StateUnreachable: {false, false},
		remnawave.StateGate: {false, false},
	} {
		judged := connectionRow{State: state}
		require.Equal(t, want, [2]bool{judged.works(), judged.lasting()}, state)
	}
}
