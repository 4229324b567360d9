package health

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/paneltest"
)

// against gives the codes of what verdicts have against a canary of a flow on a node, with the nodes that they name.
func (w *world) against(flow, node string, since time.Time) (codes []string) {
	w.t.Helper()
	found, err := w.views.CanaryFindings(w.t.Context(), flowsapi.CanaryWatch{
		FlowID: flow, NodeIDs: []string{node, "no id"}, Since: since,
	})
	require.NoError(w.t, err)
	for _, f := range found {
		codes = append(codes, f.Text.Code)
		if f.Text.Code == "health_node_down" {
			require.Equal(w.t, node, f.NodeID)
		} else {
			require.Empty(w.t, f.NodeID)
		}
		require.Contains(w.t, []string{"unreachable", "node_down"}, f.Text.Params["reason"])
	}
	return codes
}

// A canary whose node or flow becomes down while it is watched has that against it; what was down before has not come
// with the canary.
func TestAVerdictThatTurnsDuringTheWatchSpeaksAgainstACanary(t *testing.T) {
	t.Parallel()
	w, node, flow, port, handshake := watched(t)
	w.passes(time.Minute)
	w.beat()
	began := w.clock.Now()
	require.Empty(t, w.against(flow, node, began), "all is well")
	w.all(handshake, false)
	w.folded()
	w.becomes(flow, missing)
	require.Equal(t, []string{"health_flow_down"}, w.against(flow, node, began))
	require.Empty(t, w.against("01990000-0000-7000-8000-0000000000aa", w.node("fra"), began), "of others it says nothing")
	w.all(port, false)
	w.becomes(node, missing)
	require.Equal(t, []string{"health_node_down", "health_flow_down"}, w.against(flow, node, began))
	require.Empty(t, w.against(flow, node, w.clock.Now().Add(time.Second)), "down before the watch")
}

// What is not known is no failure: neither old evidence, nor a node in maintenance, nor a verdict that nobody renews.
func TestWhatIsUnknownSpeaksAgainstNoCanary(t *testing.T) {
	t.Parallel()
	w, node, flow, port, handshake := watched(t)
	began := w.clock.Now()
	w.passes(20 * time.Minute)
	w.beat()
	w.settled()
	require.Equal(t, healthapi.Unknown, w.verdict(flow).State, "nobody has looked for too long")
	require.Empty(t, w.against(flow, node, began))

	w.all(handshake, false)
	w.all(port, false)
	w.becomes(node, missing)
	require.Eventually(t, func() bool { w.round(); return len(w.against(flow, node, began)) == 2 }, within, every)
	w.fleet.set(func(n *nodesapi.Node) { n.State = "maintenance" }, node)
	w.round()
	require.Empty(t, w.against(flow, node, began), "somebody works on it")
	w.fleet.set(func(n *nodesapi.Node) { n.State = "online" }, node)
	w.round()
	require.Len(t, w.against(flow, node, began), 2)
	w.passes(3 * time.Minute)
	require.Empty(t, w.against(flow, node, began), "nobody judges, so nobody knows")
}

// Pools show what verdicts say of nodes and flows, with the age of the newest evidence.
func TestMembersOfPoolsHaveTheirVerdicts(t *testing.T) {
	t.Parallel()
	w, node, flow, _, handshake := watched(t)
	w.passes(time.Minute)
	w.beat()
	w.all(handshake, false)
	w.folded()
	w.becomes(flow, missing)
	ids := []string{node, flow, "01990000-0000-7000-8000-0000000000aa", "zzz"}
	said, err := w.views.MemberEvidence(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, said, 2, "of what is not known nothing is said")
	require.Equal(t, poolsapi.HealthUp, said[node].State)
	require.WithinDuration(t, w.clock.Now(), *said[node].CheckedAt, time.Second, "its agent was heard")
	require.Equal(t, poolsapi.HealthDown, said[flow].State)
	require.Equal(t, "unreachable", said[flow].Reason)
	require.WithinDuration(t, w.clock.Now(), *said[flow].CheckedAt, time.Second)
	w.passes(3 * time.Minute)
	said, err = w.views.MemberEvidence(t.Context(), ids)
	require.NoError(t, err)
	require.Empty(t, said, "nobody judges, so nobody knows")
}

// The module tells those who decide by themselves: flows with canaries, and pools.
func TestVerdictsReachCanariesAndPools(t *testing.T) {
	t.Parallel()
	guest := &flows{}
	p := paneltest.New(t, guest.modules(Module())...)
	node := p.Admin().AddNode("ams", "address", "192.0.2.1")
	require.Eventually(t, func() bool {
		said, err := guest.members(t.Context(), []string{node})
		require.NoError(t, err)
		return said[node].State == poolsapi.HealthUnknown
	}, within, every, "its agent was never there")
	began := time.Now()
	_, err := p.DB.NewRaw("update health_states set state = 'down', reason = 'unreachable', since = now() where subject_id = ?",
		node).Exec(t.Context())
	require.NoError(t, err)
	watch := flowsapi.CanaryWatch{NodeIDs: []string{node}, Since: began.Add(-time.Minute)}
	found, err := guest.canaries(t.Context(), watch)
	require.NoError(t, err)
	require.Equal(t, node, found[0].NodeID)
}

// A flow that is installed while a placing runs, which has read the flows already, is placed by the next one within
// seconds, and not when the schedule comes round.
func TestWhatIsInstalledDuringAPlacingIsPlacedToo(t *testing.T) {
	t.Parallel()
	var armed atomic.Bool
	read, on := make(chan struct{}), make(chan struct{})
	guest := &flows{readAll: func() {
		if armed.CompareAndSwap(true, false) {
			close(read)
			<-on
		}
	}}
	p := paneltest.New(t, guest.modules(Module())...)
	admin := p.Admin()
	total := func(kind string) any { return admin.Get("/api/v1/health/" + kind).Is(http.StatusOK).Value("total") }
	node := admin.AddNode("ams", "address", "192.0.2.1")
	require.Eventually(t, func() bool { return total("nodes") == 1.0 && placings(t, p) == 0 }, within, every)
	armed.Store(true)
	changed := events.Event{Kind: flowsapi.EventChanged, SubjectID: database.NewID(), At: time.Now()}
	require.NoError(t, p.Bus().Emit(t.Context(), changed))
	<-read
	flow := flowsapi.Flow{
		ID: database.NewID(), Name: "Late", Enabled: true, InstalledRevision: 1, NodeIDs: []string{node},
		Entries: []flowsapi.Entry{{Block: "in", NodeID: node, Host: "192.0.2.1", Port: "443", L4: "tcp", Protocol: "vless"}},
	}
	guest.install(flow)
	installed := events.Event{Kind: flowsapi.EventApplySucceeded, SubjectID: flow.ID, At: time.Now()}
	require.NoError(t, p.Bus().Emit(t.Context(), installed))
	require.Eventually(t, func() bool {
		var waiting int
		err := p.DB.NewRaw("select count(*) from jobs.river_job where kind = 'health.follow' and finalized_at is null").
			Scan(t.Context(), &waiting)
		require.NoError(t, err)
		return waiting == 0
	}, within, every, "the event is taken in while the placing runs")
	close(on)
	require.Eventually(t, func() bool { return total("connection-units") == 1.0 }, 30*time.Second, every)
}

// placings counts the jobs that are to place, or do.
func placings(t *testing.T, p *paneltest.Panel) (n int) {
	t.Helper()
	err := p.DB.NewRaw("select count(*) from jobs.river_job where kind = ? and finalized_at is null", placeKind).
		Scan(t.Context(), &n)
	require.NoError(t, err)
	return n
}
