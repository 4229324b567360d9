package stages_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/stages"
)

// What stages need of agents is listed once each, in an order that does not change, so that plans compare.
func TestNeedsAreListedInOneOrder(t *testing.T) {
	t.Parallel()
	pools, challenges := well("pools.fill", flowsapi.AfterCommit), well("acme.issue", flowsapi.BeforePrepare)
	pools.Needs = func(w flowsapi.Wanted) map[string][]string {
		out := map[string][]string{}
		for _, id := range w.NodeIDs {
			out[id] = []string{"document_pools", "batch_pools", "document_pools"}
		}
		return out
	}
	challenges.Needs = func(w flowsapi.Wanted) map[string][]string {
		return map[string][]string{w.Entries[0].NodeID: {"document_challenges"}}
	}
	r := registry(pools, well("cdn.look", flowsapi.BeforePrepare), challenges)
	w := flowsapi.Wanted{FlowID: "flow", NodeIDs: []string{"waw", "ams"}, Entries: []flowsapi.Entry{{NodeID: "waw"}}}
	want := []stages.Need{
		{Stage: "acme.issue", NodeID: "waw", Capability: "document_challenges"},
		{Stage: "pools.fill", NodeID: "ams", Capability: "batch_pools"},
		{Stage: "pools.fill", NodeID: "ams", Capability: "document_pools"},
		{Stage: "pools.fill", NodeID: "waw", Capability: "batch_pools"},
		{Stage: "pools.fill", NodeID: "waw", Capability: "document_pools"},
	}
	for range 5 {
		require.Equal(t, want, r.Needs(w))
	}
	require.Empty(t, stages.NewRegistry().Needs(w))
}

// A plan shows what every stage would do; one that cannot say is named with its error and keeps nobody else from
// saying.
func TestAPreviewNamesWhoCouldNotSay(t *testing.T) {
	t.Parallel()
	says := func(name string, diffs []flowsapi.Diff, checks []flowsapi.Check, err error) flowsapi.Stage {
		s := well(name, flowsapi.BeforePrepare)
		s.Preview = func(context.Context, flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check, error) {
			return diffs, checks, err
		}
		return s
	}
	broken := well("d.panic", flowsapi.BeforePrepare)
	broken.Preview = func(context.Context, flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check,
		error,
	) {
		panic("no account")
	}
	diff, check := flowsapi.Diff{
		Group: flowsapi.GroupCDN,
		Op:    "added",
		Name:  "zone",
	}, flowsapi.Check{
		Key:    "account",
		Status: flowsapi.Confirmed,
	}
	r := registry(
		says("a.changes", []flowsapi.Diff{diff}, nil, nil), says("b.checks", nil, []flowsapi.Check{check}, nil),
		says("c.fails", []flowsapi.Diff{diff}, []flowsapi.Check{check}, errors.New("away")), broken,
		says("e.nothing", nil, nil, nil), well("f.silent", flowsapi.BeforePrepare),
	)
	previews := r.Preview(t.Context(), flowsapi.Change{})
	require.Len(t, previews, 4)
	require.Equal(
		t,
		stages.Preview{Stage: "a.changes", At: flowsapi.BeforePrepare, Diffs: []flowsapi.Diff{diff}},
		previews[0],
	)
	require.Equal(
		t,
		stages.Preview{Stage: "b.checks", At: flowsapi.BeforePrepare, Checks: []flowsapi.Check{check}},
		previews[1],
	)
	require.EqualError(t, previews[2].Err, "away")
	require.Empty(t, previews[2].Diffs, "half an answer is none")
	require.Empty(t, previews[2].Checks)
	require.EqualError(t, previews[3].Err, "panic: no account")
}
