package health

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/paneltest"
)

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	w := &flows{}
	paneltest.Check(t, Module(), nodesModule(), w.manifest(), w.poolsModule(), w.panelsModule(), w.namesModule())
}

// watched is a fleet whose first node serves a flow that all vantages see well.
func watched(t *testing.T) (w *world, node, flow, port, handshake string) {
	t.Helper()
	w = newWorld(t, "ams", "fra", "waw", "ber")
	flow = w.flow("Europe", "ams")
	w.place()
	node = w.node("ams")
	port, handshake = w.check(node, "tcp"), w.check(flow, "tls")
	w.settled()
	w.all(port, true)
	w.all(handshake, true)
	w.folded()
	w.becomes(node, well)
	w.becomes(flow, well)
	return w, node, flow, port, handshake
}

// Issue: verdicts come with evidence, its age and vantage, and change together with their event.
func TestAFlowThatNobodyReachesIsDownWithItsEvidence(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	news := w.Follow()
	w.passes(time.Minute)
	w.beat()
	w.all(handshake, false)
	w.folded()
	w.becomes(flow, missing)
	d := w.detail("connection-units", flow)
	require.Equal(t, "down", d.State)
	require.Equal(t, "Everything", d.PolicyName)
	require.Equal(t, 2, d.Quorum)
	require.Len(t, d.Evidence, 4)
	kinds := map[string]int{}
	for _, e := range d.Evidence {
		kinds[e.Vantage.Kind]++
		require.Equal(t, "entry.example:443", e.Target)
		require.Equal(t, "target.example", e.ServerName)
		require.Equal(t, []any{"down", "timeout", 3, false}, []any{e.State, e.Reason, e.Failures, e.Stale})
		require.True(t, w.clock.Now().Equal(*e.At))
	}
	require.Equal(t, map[string]int{"panel": 1, "agent": 3}, kinds)
	require.Equal(t, 4, d.Checks[0].Down)
	require.Equal(t, []string{"up", "down"}, w.turns(flow))

	event := news.Next(healthapi.EventStateChanged)
	require.Equal(t, flow, event.SubjectID)
	states, err := w.flows.states(t.Context(), []string{flow, "zzz"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{flow: "down"}, states, "the flow's own page says so")

	w.passes(time.Minute)
	w.beat()
	w.all(handshake, true)
	w.becomes(flow, well)
	states, err = w.flows.states(t.Context(), []string{flow})
	require.NoError(t, err)
	require.Equal(t, map[string]string{flow: "healthy"}, states)
}

// Issue: the quorum is proven by cutting the panel's own route alone: no node is down.
func TestThePanelsOwnRouteAloneMakesNoNodeDown(t *testing.T) {
	t.Parallel()
	w, node, flow, port, handshake := watched(t)
	for range 3 {
		w.passes(40 * time.Second)
		w.beat()
		for _, agent := range []string{"fra", "waw", "ber"} {
			w.says(agent, port, true, 1)
			w.says(agent, handshake, true, 1)
		}
		w.says("panel", port, false, 3)
		w.says("panel", handshake, false, 3)
		w.folded()
		require.Equal(t, well, w.verdict(node), "one of four does not see it")
		require.Equal(t, well, w.verdict(flow))
	}
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State = false, "offline" }, node)
	w.becomes(node, verdictRow{healthapi.Degraded, "agent_unheard", "agent"})
	require.NotContains(t, w.changes(node), "down")
}

// Down for three of four agents, and the panel sees it: the way there, not the node.
func TestWhatSomeSeeIsAMatterOfTheRoute(t *testing.T) {
	t.Parallel()
	w, node, _, port, _ := watched(t)
	w.passes(time.Minute)
	w.beat()
	for _, agent := range []string{"fra", "waw", "ber"} {
		w.says(agent, port, false, 3)
	}
	w.says("panel", port, true, 1)
	w.becomes(node, verdictRow{healthapi.Degraded, "partly_unreachable", "route"})
}

// Rule: old evidence is unknown, never green.
func TestOldEvidenceIsUnknown(t *testing.T) {
	t.Parallel()
	w, node, flow, _, _ := watched(t)
	for range 4 { // agents still report, and nobody looks
		w.passes(50 * time.Second)
		w.beat()
		w.round()
	}
	require.Equal(t, verdictRow{healthapi.Unknown, "evidence_old", ""}, w.verdict(flow))
	require.Equal(t, well, w.verdict(node), "its own agent reports that all is well")
	for _, e := range w.detail("connection-units", flow).Evidence {
		require.True(t, e.Stale)
		require.Equal(t, "up", e.State, "what was seen last is still told")
	}
}

// A core that is dead is a node that is down, though its port may answer for a while.
func TestADeadCoreIsANodeThatIsDown(t *testing.T) {
	t.Parallel()
	w, node, flow, _, _ := watched(t)
	w.fleet.set(func(n *nodesapi.Node) { n.CoreState = "failed" }, node)
	w.becomes(node, verdictRow{healthapi.Down, "core_failed", "core_failed"})
	require.Equal(t, verdictRow{healthapi.Degraded, "node_down", "node"}, w.verdict(flow),
		"its entry still answers, its node does not serve")
	w.fleet.set(func(n *nodesapi.Node) { n.CoreState = "running" }, node)
	w.becomes(node, well)
	w.becomes(flow, well)
}

// Rule: a panel that hears almost nobody doubts itself.
func TestAPanelThatIsCutOffSaysNothingIsDown(t *testing.T) {
	t.Parallel()
	w, node, flow, port, handshake := watched(t)
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State = false, "offline" })
	for range 8 {
		w.passes(30 * time.Second)
		w.says("panel", port, false, 3)
		w.says("panel", handshake, false, 3)
		w.folded()
	}
	require.Equal(t, verdictRow{healthapi.Unknown, "panel_cut_off", "panel_route"}, w.verdict(node))
	require.Equal(t, healthapi.Unknown, w.verdict(flow).State)
	for _, subject := range []string{node, flow, w.node("fra")} {
		require.NotContains(t, w.changes(subject), "down")
	}
	require.Equal(t, true, w.As(string(View)).Get("/api/v1/health/summary").Is(http.StatusOK).Value("panel_cut_off"))
}

// Domain 4.23 trap 7 and the issue: the panel is away for an hour, agents go on, their history arrives once, and
// nothing is made up of it.
func TestAnHourWithoutThePanelMakesNoFalseVerdict(t *testing.T) {
	t.Parallel()
	w, node, flow, port, handshake := watched(t)
	before := len(w.changes(flow)) + len(w.changes(node))
	w.passes(time.Hour)
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State = false, "offline" }) // nobody has reported yet
	w.folded()
	require.Equal(t, well, w.verdict(flow), "what did not come yet is no change for the worse")
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State = true, "online" })
	w.beat()
	for minute := 60; minute >= 0; minute -= 10 { // the backlog, with a fault in the middle that is long over
		at := w.clock.Now().Add(-time.Duration(minute) * time.Minute)
		for _, agent := range []string{"fra", "waw", "ber"} {
			w.saysAt(agent, port, minute != 30, 3, at)
			w.saysAt(agent, handshake, minute != 30, 3, at)
		}
		w.folded()
	}
	for range 4 {
		w.passes(40 * time.Second)
		w.beat()
		w.all(port, true)
		w.all(handshake, true)
		w.folded()
	}
	require.Equal(t, well, w.verdict(flow))
	require.Equal(t, well, w.verdict(node))
	require.Equal(t, before, len(w.changes(flow))+len(w.changes(node)))
}

// Rule: of what comes and goes people hear little; it is held at the worse state until it rests.
func TestWhatComesAndGoesIsHeldAtTheWorseState(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	before := len(w.changes(flow)) // it may have been seen in part first
	for i := range 12 {
		w.passes(10 * time.Second)
		w.beat()
		w.all(handshake, i%2 == 1)
		w.folded()
	}
	d := w.detail("connection-units", flow)
	require.True(t, d.Flapping)
	require.Equal(t, "down", d.State)
	require.LessOrEqual(t, len(w.changes(flow))-before, 7)
	for range 13 {
		w.passes(time.Minute)
		w.beat()
		w.all(handshake, true)
		w.folded()
	}
	d = w.detail("connection-units", flow)
	require.False(t, d.Flapping)
	require.Equal(t, "up", d.State)
}

// A node in maintenance is watched and marked; one that was taken out of use is not judged.
func TestNodesAtRestAreMarked(t *testing.T) {
	t.Parallel()
	w, node, _, port, _ := watched(t)
	w.fleet.set(func(n *nodesapi.Node) { n.State = "maintenance" }, node)
	w.passes(time.Minute)
	w.beat()
	w.all(port, false)
	w.becomes(node, missing)
	require.True(t, w.detail("nodes", node).Maintenance)
	w.fleet.set(func(n *nodesapi.Node) { n.State = "disabled" }, node)
	w.becomes(node, verdictRow{healthapi.Unknown, "disabled", ""})
}

// A certificate that has ended is told as such, and not as a node that nobody reaches.
func TestACertificateThatHasEndedIsNamed(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	w.passes(time.Minute)
	w.beat()
	for _, agent := range []string{"fra", "waw", "ber"} {
		for i := range 3 {
			w.refused(agent, handshake, "certificate_expired", w.clock.Now().Add(time.Duration(i-3)*time.Second))
		}
	}
	w.says("panel", handshake, false, 3)
	w.becomes(flow, verdictRow{healthapi.Down, "certificate_expired", "cert"})
}

// Rule: two panels on one database judge each result once, and tell each change once.
func TestTwoPanelsTellAChangeOnce(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	w.passes(time.Minute)
	w.beat()
	w.all(handshake, false)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for range 20 {
				require.NoError(t, w.judge.Round(t.Context()))
			}
		})
	}
	both.Wait()
	w.becomes(flow, missing)
	require.Equal(t, []string{"up", "down"}, w.turns(flow))
}

// A flow that was switched off is not judged; one that goes is forgotten.
func TestAFlowThatIsOffOrGoneIsNotJudged(t *testing.T) {
	t.Parallel()
	w, _, flow, _, _ := watched(t)
	w.flows.mu.Lock()
	w.flows.all[0].Enabled = false
	w.flows.mu.Unlock()
	w.place()
	w.becomes(flow, verdictRow{healthapi.Unknown, "disabled", ""})
	require.Empty(t, w.detail("connection-units", flow).Evidence)
	w.flows.mu.Lock()
	w.flows.all = []flowsapi.Flow{}
	w.flows.mu.Unlock()
	w.place()
	w.As(string(View)).Get("/api/v1/health/connection-units/"+flow).Refused(http.StatusNotFound, "not_found")
}
