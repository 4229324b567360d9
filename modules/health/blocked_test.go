package health

import (
	"testing"
	"time"

	"panel/modules/health/healthapi"
)

// A flow into which clients get, while a transit pool blocks their traffic, is degraded until the pool has a member
// again. Nobody has to look at it for that.
func TestAFlowThatAPoolBlocksIsDegraded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "ber", "fra")
	flow := w.flow("Office", "ams")
	w.place()
	w.settled()
	w.all(w.check(w.node("ams"), "tcp"), true)
	w.all(w.check(flow, "tls"), true)
	w.becomes(flow, verdictRow{healthapi.Up, "", ""})

	w.pools.block(flow)
	w.passes(10 * time.Second)
	w.becomes(flow, verdictRow{healthapi.Degraded, "pool_blocked", ""})
	w.pools.block()
	w.passes(10 * time.Second)
	w.becomes(flow, verdictRow{healthapi.Up, "", ""})
}
