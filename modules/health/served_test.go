package health

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/proxypanelapi"
)

const panelConnection = "0190a000-0000-7000-8000-00000000c011"

// servedFlow is a flow whose entry the node of a proxy panel serves.
func (w *world) servedFlow(node string) string {
	return w.flow("Served", node, func(f *flowsapi.Flow) {
		f.Entries[0].Offer = &flowsapi.Offer{ConnectionID: panelConnection}
	})
}

// panelSays lets the proxy panel say of its node on one of ours how it is; empty: it is not adopted.
func (w *world) panelSays(node, state string) {
	w.hosts.set(func() {
		w.hosts.nodes = nil
		if state != "" {
			one := proxypanelapi.NodeState{ConnectionID: panelConnection, NodeID: w.node(node), State: state}
			w.hosts.nodes = []proxypanelapi.NodeState{one}
		}
	})
	w.passes(time.Minute)
	w.beat()
	w.round()
}

func (w *world) judged(flow string) [2]string {
	w.t.Helper()
	a := w.admin.Get("/api/v1/health/connection-units/" + flow).Is(http.StatusOK)
	return [2]string{a.Text("state"), a.Text("reason")}
}

// An entry that a proxy panel serves is as that panel says of its node, and unknown where it says nothing: nobody looks
// at it, and that nothing of ours listens there is no failure.
func TestAServedEntryIsAsItsProxyPanelSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "ber", "fra")
	flow := w.servedFlow("ams")
	w.place()
	var looked int
	require.NoError(t, w.DB.NewRaw("select count(*) from health_checks where subject_id = ?", flow).Scan(t.Context(), &looked))
	require.Zero(t, looked, "a check would find nothing of ours")
	for _, one := range []struct{ says, state, reason string }{
		{"", "unknown", "panel_node_unknown"},
		{proxypanelapi.NodeConnected, "up", ""},
		{proxypanelapi.NodeUnread, "unknown", "panel_not_read"},
		{proxypanelapi.NodeConnecting, "unknown", "panel_node_connecting"},
		{proxypanelapi.NodeDisconnected, "down", "panel_node_disconnected"},
	} {
		w.panelSays("ams", one.says)
		require.Equal(t, [2]string{one.state, one.reason}, w.judged(flow), one.says)
	}
	w.passes(time.Hour) // not for coming and going
	for _, one := range []struct{ says, reason string }{
		{proxypanelapi.NodeDisabled, "panel_node_disabled"}, {proxypanelapi.NodeGone, "panel_node_gone"},
	} {
		w.panelSays("ams", one.says)
		require.Equal(t, [2]string{"down", one.reason}, w.judged(flow))
	}
}

// What our agent says of the machine makes the entry down no more than unknown: the node there is another program.
func TestAServedEntryIsNotDownWithOurCore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "ber", "fra")
	flow := w.servedFlow("ams")
	w.place()
	w.panelSays("ams", proxypanelapi.NodeUnread)
	w.fleet.set(func(n *nodesapi.Node) { n.CoreState = "failed" }, w.node("ams"))
	w.passes(20 * time.Second)
	w.beat()
	w.round()
	require.NotEqual(t, "down", w.judged(flow)[0])
}
