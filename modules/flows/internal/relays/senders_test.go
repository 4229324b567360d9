package relays

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
)

func pool(id, fallback string, flows ...string) flowsapi.Pool {
	out := flowsapi.Pool{ID: id, Fallback: flowsapi.PoolFallback{PoolID: fallback}}
	for _, flow := range flows {
		out.Members = append(out.Members, flowsapi.PoolMember{FlowID: flow})
	}
	return out
}

// A pool reaches the flows of the pools that it falls back on, too; pools that fall back on each other come to an end.
func TestAPoolReachesWhatItFallsBackOn(t *testing.T) {
	t.Parallel()
	pools := map[string]flowsapi.Pool{
		"one": pool("one", "two", "a"), "two": pool("two", "three", "b", "a"), "three": pool("three", "one"),
		"other": pool("other", "", "c"), "nodes": {ID: "nodes", Members: []flowsapi.PoolMember{{NodeID: "n"}}},
	}
	require.Equal(t, []string{"a", "b"}, reached(pools, []string{"one", "nodes"}))
	require.Empty(t, reached(pools, []string{"nodes", "unknown", ""}))
}

// Whoever sends into a flow is found through all flows between, once, and the flow itself is not among them.
func TestSendersAreFoundOverAllHops(t *testing.T) {
	t.Parallel()
	into := map[string][]string{"far": {"near"}, "near": {"exit", "other"}, "beside": {"else"}, "round": {"far", "round"}}
	require.Equal(t, []string{"far", "near", "round"}, against(into, []string{"exit"}))
	require.Equal(t, []string{"far", "round"}, against(into, []string{"exit", "near"}))
	require.Empty(t, against(into, []string{"nobody"}))
}
