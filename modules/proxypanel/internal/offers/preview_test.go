package offers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/mapping"
)

func entry(port, remark string, squads ...string) flowsapi.Entry {
	return flowsapi.Entry{
		Host: "a.example.com", Port: port, Protocol: "vless", Transport: "raw", Security: "reality", Tag: "tag-" + port,
		Offer: &flowsapi.Offer{ConnectionID: "c", SquadIDs: squads, Remark: remark},
	}
}

func onNode(before, after side) *sides {
	m := &mapping.Mapping{NodeID: "our-node", Name: "ams", PanelNodeID: "there", ProfileName: "panel_1", Connected: true}
	m.Remember(mapping.Before{ProfileID: "p", ProfileName: "Theirs"})
	return &sides{at: m, label: "main", before: before, after: after}
}

// line is a difference without what all of a node have in common.
type line struct{ op, name, field, from, to string }

func linesOf(t *testing.T, diffs []flowsapi.Diff) (lines []line) {
	t.Helper()
	for _, d := range diffs {
		require.Equal(t, []string{flowsapi.GroupProxyPanel, "our-node"}, []string{d.Group, d.NodeID})
		lines = append(lines, line{d.Op, d.Name, d.Field, d.From, d.To})
	}
	return lines
}

// A profile comes with the first entry of a node and goes with the last of all flows; in between it stays.
func TestAProfileComesWithTheFirstEntryAndGoesWithTheLast(t *testing.T) {
	t.Parallel()
	served := side{"in": entry("443", "")}
	require.Equal(t, []line{
		{"added", "panel_1", "profile", "", "panel_1"}, {"changed", "ams", "runs", "Theirs", "panel_1"},
	}, linesOf(t, onNode(side{}, served).frame(0)))
	there := func(before, after side) *sides {
		s := onNode(before, after)
		s.at.ProfileID = "ours"
		return s
	}
	require.Empty(t, there(side{}, served).frame(1), "another flow has brought it")
	require.Empty(t, there(served, served).frame(0))
	require.Empty(t, there(served, side{}).frame(1), "another flow needs it")
	require.Equal(t, []line{
		{"removed", "panel_1", "profile", "panel_1", ""}, {"changed", "ams", "runs", "panel_1", "Theirs"},
	}, linesOf(t, there(served, side{}).frame(0)))
}

// Of each entry it is told what changes of its inbound, its squads and its host, by names, and nothing of what stays.
func TestWhatChangesOfAnEntryIsTold(t *testing.T) {
	t.Parallel()
	names := map[string]string{"s1": "All", "s2": "Few"}
	parts := func(before, after side) []line { return linesOf(t, onNode(before, after).parts("Flow", names)) }
	one := side{"in": entry("443", "", "s2", "s1")}
	require.Equal(t, []line{
		{"added", "tag-443", "inbound", "", "vless raw reality :443"},
		{"added", "tag-443", "squads", "", "All, Few"},
		{"added", "Flow", "host", "", "Flow a.example.com:443"},
	}, parts(side{}, one))
	require.Equal(t, []line{
		{"removed", "tag-443", "inbound", "vless raw reality :443", ""},
		{"removed", "tag-443", "squads", "All, Few", ""},
		{"removed", "Flow", "host", "Flow a.example.com:443", ""},
	}, parts(one, side{}))
	require.Empty(t, parts(one, side{"in": entry("443", "", "s1", "s2")}), "another sequence of squads is no change")
	require.Equal(t, []line{
		{"changed", "tag-8443", "inbound", "vless raw reality :443", "vless raw reality :8443"},
		{"changed", "tag-8443", "squads", "All, Few", "s3"},
		{"changed", "Europe", "host", "Flow a.example.com:443", "Europe a.example.com:8443"},
	}, parts(one, side{"in": entry("8443", "Europe", "s3")}), "a squad without a name is told by its id")
	two := parts(side{}, side{"b": entry("2", ""), "a": entry("1", "")})
	require.Equal(t, []string{"tag-1", "Flow", "tag-2", "Flow"}, []string{two[0].name, two[1].name, two[2].name, two[3].name})
}

// What stands in the way of an apply: a node there that is gone, but only for what is to run on it.
func TestANodeThatIsGoneStandsInTheWay(t *testing.T) {
	t.Parallel()
	served, now := side{"in": entry("443", "")}, time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	check := func(after side, change func(m *mapping.Mapping)) flowsapi.Check {
		s := onNode(side{}, after)
		change(s.at)
		found := s.connected()
		require.Equal(t, []string{"node:there", "our-node"}, []string{found.Key, found.NodeID})
		return found
	}
	fine := check(served, func(*mapping.Mapping) {})
	require.Equal(t, []any{flowsapi.Confirmed, false, "panel_node_connected"}, []any{fine.Status, fine.Blocks, fine.Finding.Code})
	for state, change := range map[string]func(m *mapping.Mapping){
		"disconnected": func(m *mapping.Mapping) { m.Connected = false }, "disabled": func(m *mapping.Mapping) { m.Disabled = true },
	} {
		away := check(served, change)
		require.Equal(t, []any{flowsapi.Unconfirmed, false}, []any{away.Status, away.Blocks}, state)
		require.Equal(t, map[string]string{"node": "ams", "state": state, "connection": "main"}, away.Finding.Params)
	}
	lost := func(m *mapping.Mapping) { m.GoneAt, m.Disabled = &now, true }
	gone := check(served, lost)
	require.Equal(t, []any{flowsapi.Failed, true, "panel_node_gone"}, []any{gone.Status, gone.Blocks, gone.Finding.Code})
	require.False(t, check(side{}, lost).Blocks, "who leaves it is not held back")
	drops := onNode(side{}, served).drops(3)
	require.Equal(t, map[string]string{"node": "ams", "flows": "3"}, drops.Finding.Params)
	require.False(t, drops.Blocks)
}
