package pools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
)

// A flow is blocked as long as no member of a pool is usable on a node that forwards to it, and the fallback blocks.
func TestFlowsThatAPoolBlocks(t *testing.T) {
	t.Parallel()
	w, directory := exported[poolsapi.Directory](t)
	blocking, leaving := w.pool("Europe"), w.pool("Asia", "fallback", fields{"kind": "direct"})
	flow := w.flow("Main", blocking.ID)
	w.flow("Other", leaving.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 2 }, within, every)
	at := w.panel.Clock.Now()
	says := func(p Pool, flowID, who string, usable int) agentapi.PoolReport {
		report := serves(p, who, usable, "all_down", at)
		report.Group = "flow." + flowID + ".out.in.pool"
		return report
	}
	blocked := func() []string {
		ids, err := directory.Blocked(t.Context())
		require.NoError(t, err)
		return ids
	}
	require.Empty(t, blocked())
	w.report(says(blocking, flow, "fallback", 0), says(leaving, flow, "fallback", 0))
	require.Equal(t, []string{flow}, blocked())
	w.report(says(blocking, flow, "members", 1))
	require.Empty(t, blocked())
}
