package health

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// Design, layers: a real tunnel. The agent of another node goes in; where there is none nobody looks, as a node never
// vouches for itself alone.
func TestATunnelIsTriedFromAnotherNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra")
	flow := w.flow("Europe", "ams")
	checking(t, w.admin, fields{"type": "tls"}, fields{"type": "tunnel"})
	w.place()
	var from []string
	entered := func() []string {
		from = nil
		err := w.DB.NewRaw(`select concat_ws(' ', watch ->> 'flow_id', watch ->> 'entry', watch ->> 'from', interval_s)
			from health_checks c join health_watches w on w.check_id = c.id where type = 'tunnel'`).Scan(t.Context(), &from)
		require.NoError(t, err)
		return from
	}
	require.Equal(t, []string{flow + " in " + w.node("fra") + " 300"}, entered())
	require.Equal(t, []string{"tls"}, w.toldTypes(), "an agent is told when it is to try, with credentials that it does not keep")
	w.fleet.nodes[1].Capabilities = nil
	w.place()
	require.Empty(t, entered())
	w.admin.Patch(policiesPath+"/"+defaultID, fields{"revision": 2, "checks": []fields{
		{"type": "tunnel", "interval_s": 20},
	}}).Refused(422, "invalid_value")
}

// What a client meets decides: nothing that comes out is down, an exit that is not the flow's own degraded; an agent
// that could not try says nothing.
func TestWhatAClientMeetsDecides(t *testing.T) {
	t.Parallel()
	guest := &flows{}
	p := paneltest.Start(t, paneltest.Modules(guest.modules(Module())...))
	watches := func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.DocumentWatches.Capability())
	}
	admin, entry, from := p.Admin(), p.Enroll("ams"), p.Enroll("fra")
	entry.Online(watches)
	from.Online(watches)
	met := make(chan flowsapi.Probe, 1)
	guest.tunnel = func(block, node string) flowsapi.Probe {
		require.Equal(t, []string{"in", from.NodeID}, []string{block, node})
		one := <-met
		met <- one
		return one
	}
	const flow = "01990000-0000-7000-8000-000000000004"
	guest.install(flowsapi.Flow{
		ID: flow, Name: "Europe", Enabled: true, InstalledRevision: 1, NodeIDs: []string{entry.NodeID},
		Entries: []flowsapi.Entry{{Block: "in", NodeID: entry.NodeID, Host: "entry.example", Port: "443", L4: "tcp"}},
	})
	at := policiesPath + "/" + defaultID
	admin.Patch(at, fields{
		"revision": 1, "checks": []fields{{"type": "tunnel", "interval_s": 30}}, "failure_threshold": 1,
		"success_threshold": 1, "recheck": fields{"count": 0, "every_s": 1},
	}).Is(200)
	met <- flowsapi.Probe{Code: string(agentapi.CodeExpired)}
	becomes := func(state, reason string, now flowsapi.Probe) {
		t.Helper()
		<-met
		met <- now
		require.Eventually(t, func() bool {
			entry.Beat(watches)
			from.Beat(watches)
			admin.Post(runPath, fields{"connection_unit_ids": []string{flow}})
			answer := admin.Get("/api/v1/health/connection-units/" + flow)
			return answer.Status == 200 && answer.Text("state") == state && answer.Text("reason") == reason
		}, within, 10*every, "%s for %s", state, reason)
	}
	becomes(healthapi.Unknown, "no_evidence", flowsapi.Probe{Code: string(agentapi.CodeExpired)})
	becomes(healthapi.Up, "", flowsapi.Probe{OK: true, Millis: 90, ExitIP: "192.0.2.9"})
	becomes(healthapi.Degraded, "exit_elsewhere", flowsapi.Probe{OK: true, ExitIP: "192.0.2.1", Elsewhere: "ams"})
	becomes(healthapi.Down, "tunnel_failed", flowsapi.Probe{Code: string(agentapi.CodeUnreachable), Error: "no answer"})
	becomes(healthapi.Up, "", flowsapi.Probe{OK: true, Millis: 80, ExitIP: "192.0.2.9"})
}
