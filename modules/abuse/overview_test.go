package abuse

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/views"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
)

func (w *world) overview() (got views.Overview) {
	w.t.Helper()
	w.As(string(View)).Get("/api/v1/abuse/overview").Is(http.StatusOK).JSON(&got)
	return got
}

// Rule: signals are counted once, in the hour in which they happened, whenever they came and however often rounds run.
func TestTheOverviewCountsEachSignalOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	empty := w.overview()
	require.Len(t, empty.Hours, 24)
	require.Len(t, empty.Days, 7)
	require.Empty(t, empty.Hours[23].Kinds)
	now := time.Now().UTC()
	at := func(back time.Duration, kind agentapi.AbuseKind) agentapi.AbuseSignal {
		return seen(w.users[0], func(s *agentapi.AbuseSignal) {
			s.Kind, s.LastAt = kind, now.Add(-back)
			s.FirstAt = s.LastAt
		})
	}
	w.tells(1, at(0, agentapi.AbuseTorrent), at(0, agentapi.AbuseTorrent), at(0, agentapi.AbuseHighRate))
	w.scores()
	w.tells(2, at(0, agentapi.AbuseHighRate), at(3*time.Hour, agentapi.AbuseTorrent),
		at(6*24*time.Hour, agentapi.AbuseTorrent), at(9*24*time.Hour, agentapi.AbuseTorrent))
	w.scores()
	w.scores()
	got := w.overview()
	require.NotNil(t, got.CountedAt)
	hours, days := map[time.Time]int64{}, int64(0)
	for _, one := range got.Hours {
		hours[one.At] = one.Total
	}
	for _, one := range got.Days {
		days += one.Total
	}
	require.EqualValues(t, 4, hours[now.Truncate(time.Hour)])
	require.EqualValues(t, 1, hours[now.Add(-3*time.Hour).Truncate(time.Hour)])
	require.EqualValues(t, 6, days, "what is older is not shown")
	require.Equal(t, []views.KindCount{{Kind: "high_rate", Signals: 2}, {Kind: "torrent", Signals: 2}},
		got.Hours[23].Kinds)
	require.Equal(t, now.Truncate(24*time.Hour), got.Days[6].At)
}

// Rule: what is not seen and what cannot be blocked is said of each node, with the agent's reason; a node whose agent
// never came is none of them.
func TestTheOverviewSaysWhatIsNotSeenAndNotBlocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin.AddNode("waits")
	w.told(0, 1, agentapi.DiversityBatch{Coverage: []agentapi.Coverage{
		{InboundTag: "in", Source: agentapi.CoverageStats, Complete: true},
		{InboundTag: "wg", Source: agentapi.CoverageStats},
	}})
	w.told(1, 1, agentapi.DiversityBatch{Coverage: []agentapi.Coverage{
		{InboundTag: "in", Source: agentapi.CoverageStats, Complete: true},
	}})
	w.nodes[0].Online(func(h *agentapi.Heartbeat) {
		h.Firewall = []agentapi.Firewall{{Kind: "ufw", Active: true}, {Kind: "none", Detail: "not permitted"}}
	})
	w.nodes[1].Online(func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.DocumentBlocks.Capability())
	})
	w.tells(1, scan(w.users[0]))
	w.scores()
	got := w.overview()
	require.Equal(t, []views.Incomplete{{NodeID: w.nodes[0].NodeID, Node: "fra", Listeners: 2, Incomplete: 1}},
		got.Incomplete)
	w.served.serves(flowsapi.ServedEntry{NodeID: w.nodes[0].NodeID}, flowsapi.ServedEntry{NodeID: w.nodes[1].NodeID})
	require.Equal(t, []views.Incomplete{
		{NodeID: w.nodes[0].NodeID, Node: "fra", Listeners: 3, Incomplete: 2},
		{NodeID: w.nodes[1].NodeID, Node: w.overview().Incomplete[1].Node, Listeners: 1, Incomplete: 1},
	}, w.overview().Incomplete, "what proxy panels serve is not seen either")
	require.Equal(t, []views.Unprotected{{NodeID: w.nodes[0].NodeID, Node: "fra", Why: "not permitted"}}, got.Unprotected)
	require.Equal(t, 1, got.Blocking)
	require.Equal(t, views.CaseCounts{Open: 1}, got.Cases)
	w.As("nodes.view").Get("/api/v1/abuse/overview").Refused(http.StatusForbidden, "permission_denied")
}
