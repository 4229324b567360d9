package traffic_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/traffic"
	"panel/modules/nodes/nodesapi"
)

const flow = "f1"

func count(n int64) *int64 { return &n }

func drawn() graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: "a"},
			{Key: "udp", Kind: graph.Entry, NodeID: "b"},
			{Key: "pool", Kind: graph.TransitPool, PoolID: "p"},
			{Key: "here", Kind: graph.Direct},
			{Key: "stop", Kind: graph.Block},
		},
		Edges: []graph.Edge{
			{From: "in", To: "here"},
			{From: "in", To: "stop", Match: &graph.Match{Port: "25"}},
			{From: "in", To: "here", Match: &graph.Match{Port: "53"}},
			{From: "in", To: "pool", Match: &graph.Match{Port: "80"}},
			{From: "udp", To: "pool"},
			{From: "pool", To: "here"},
		},
	}
}

// Each entry and edge has the figures of its own tag on its own node; what the operator closed has none.
func TestFiguresStandWhereTheyWereMeasured(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	got := traffic.Of(flow, drawn(), map[string]nodesapi.Reading{
		"a": {
			ObservedAt: now, Listeners: map[string]nodesapi.Carried{plan.InboundTag(flow, "in"): {
				Sessions: count(3),
				UpBps:    10, DownBps: 20,
			}},
			Outbounds: map[string]nodesapi.Carried{
				"flow.f1.out.in.here.public": {UpBps: 1, DownBps: 2}, "flow.f1.out.in.here#2.public": {
					UpBps:   3,
					DownBps: 4,
				},
				"flow.f1.out.in.pool~m1": {UpBps: 5, DownBps: 2}, "flow.f1.out.in.pool~m2": {DownBps: 4}, "flow.other.out.in.here": {UpBps: 999},
			},
		},
		"b": {ObservedAt: now, Listeners: map[string]nodesapi.Carried{plan.InboundTag(flow, "udp"): {UpBps: 7}}},
		"c": {
			ObservedAt: now, Outbounds: map[string]nodesapi.Carried{"flow.f1.out.pool~m1.here": {DownBps: 8}},
		},
		"d": {
			ObservedAt: now, Outbounds: map[string]nodesapi.Carried{"flow.f1.out.pool~m2.here.public": {DownBps: 3}},
		},
	}, now)
	require.EqualValues(t, 3, *got.Entries[0].Sessions)
	require.Nil(t, got.Entries[1].Sessions, "nobody counts sessions of UDP")
	require.EqualValues(t, 3, *got.Sessions)
	require.EqualValues(t, 17, *got.UpBps)
	require.EqualValues(t, 20, *got.DownBps)
	type shown struct {
		index    int
		node     string
		up, down int64
	}
	var edges []shown
	for _, e := range got.Edges {
		edges = append(edges, shown{e.Index, e.NodeID, *e.UpBps, *e.DownBps})
	}
	require.Equal(t, []shown{{0, "a", 3, 4}, {2, "a", 1, 2}, {3, "a", 5, 6}, {4, "b", 0, 0}, {5, "", 0, 11}}, edges,
		"conditions are tried before the edge that takes the rest")
}

// What nobody measured is no zero, and what was measured long ago is shown with its time but not summed up.
func TestWhatIsNotMeasuredIsNotSaid(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	none := traffic.Of(flow, drawn(), nil, now)
	require.Len(t, none.Entries, 2)
	require.Nil(t, none.Sessions)
	require.Nil(t, none.UpBps)
	for _, e := range none.Edges {
		require.Nil(t, e.UpBps)
		require.Nil(t, e.ObservedAt)
	}
	old := map[string]nodesapi.Reading{"a": {
		ObservedAt: now.Add(-nodesapi.ReadingStaleAfter), Listeners: map[string]nodesapi.Carried{plan.InboundTag(flow,
			"in"): {Sessions: count(3)}},
	}}
	stale := traffic.Of(flow, drawn(), old, now)
	require.EqualValues(t, 3, *stale.Entries[0].Sessions)
	require.Nil(t, stale.Sessions)
	require.NotNil(t, traffic.Of(flow, graph.Graph{}, nil, now).Edges, "a list is never null")
}
