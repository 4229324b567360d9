package proxypanel

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/module"
)

const units = "/api/v1/connection-units"

// whole is a panel with real flows beside the stand-in: nothing of the module is called but by the API.
type whole struct {
	*offering
	flow, ours, theirs string
	fails              *atomic.Bool // a stage after ours, as a node that cannot
}

// newWhole draws a flow whose one entry a proxy panel serves. Its traffic leaves from that node, so that no agent of
// ours has anything to do.
func newWhole(t *testing.T) *whole {
	t.Helper()
	fails := &atomic.Bool{}
	failing := module.Module{
		Name: "zfailing", Summary: "Fails when it is told to", Requires: []string{"flows"},
		Attach: func(stages flowsapi.Stages) module.Parts {
			stages.Add(flowsapi.Stage{
				Name: "zfailing.fail", At: flowsapi.BeforeSwitch,
				Do: func(context.Context, flowsapi.Apply) (flowsapi.Outcome, error) {
					if fails.Load() {
						return flowsapi.Outcome{}, errors.New("the node does not serve")
					}
					return flowsapi.Outcome{Result: flowsapi.Done}, nil
				},
			})
			return module.Parts{}
		},
	}
	w := &whole{offering: newOffering(t, failing), fails: fails}
	w.ours, w.theirs = w.node("ams", "192.0.2.1")
	w.see()
	w.flow = w.Admin().Post(units, fields{"name": "Europe", "graph": w.drawing(8443)}).Is(http.StatusCreated).Text("id")
	return w
}

func (w *whole) drawing(port int) fields {
	return fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": w.ours, "params": fields{
				"listener":   fields{"protocol": "vless", "port": port, "reality": fields{"target": "www.example.org:443"}},
				"proxypanel": fields{"connection_id": w.connection, "squad_ids": []string{w.squad}, "remark": "Europe"},
			}},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "out"}},
	}
}

func (w *whole) path(rest string) string { return units + "/" + w.flow + rest }

// apply compiles the draft, and installs it over checks that no agent is there to confirm.
func (w *whole) apply() (ended map[string]any) {
	w.t.Helper()
	plan := w.Admin().Post(w.path("/plan/compile"), nil).Is(http.StatusCreated)
	id := w.Admin().Post(w.path("/apply"), fields{
		"id": plan.Value("id"), "revision": plan.Value("revision"), "force_apply": true,
	}).Is(http.StatusOK).Text("apply_id")
	return w.ended(id)
}

func (w *whole) ended(id string) (ended map[string]any) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		ended = nil
		w.Admin().Get(w.path("/applies/" + id)).Is(http.StatusOK).JSON(&ended)
		return ended["finished_at"] != nil
	}, 60*time.Second, 20*time.Millisecond)
	return ended
}

// settled waits until the stages after the commit hold.
func (w *whole) settled() {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		left, err := w.DB.NewSelect().TableExpr("flow_followups").Count(w.t.Context())
		return err == nil && left == 0
	}, 60*time.Second, 20*time.Millisecond)
}

func (w *whole) draw(port int) {
	w.t.Helper()
	revision := w.Admin().Get(w.path("")).Is(http.StatusOK).Value("draft_revision")
	w.Admin().Put(w.path("/draft"), fields{"revision": revision, "graph": w.drawing(port)}).Is(http.StatusOK)
}

// Rule: connect, adopt, draw a flow, apply: profile, inbound and host exist; change port: same inbound id; revert on a
// failing node: everything there as before; delete: nothing of ours left, nothing of theirs touched. By real flows.
func TestARealFlowIsServedByAProxyPanel(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	bare := w.dump()
	plan := w.Admin().Post(w.path("/plan/compile"), nil).Is(http.StatusCreated)
	diffs, _ := plan.Value("diff.proxypanel").([]any)
	require.Len(t, diffs, 5, "profile, node, inbound, squads, host")
	ended := w.apply()
	require.Equal(t, "applied", ended["state"], ended)
	w.settled()
	host := w.host()
	require.Equal(t, false, host["isDisabled"])
	require.Equal(t, "Europe", host["remark"])
	require.EqualValues(t, 8443, host["port"])
	require.Equal(t, "192.0.2.1", host["address"])
	inbound := inboundID(t, host)
	require.Empty(t, w.drift().Items)
	require.Equal(t, []string{w.flow}, w.mapping().Items[0].Mapping.FlowIDs)
	noop := w.Admin().Post(w.path("/plan/compile"), nil).Is(http.StatusCreated)
	require.Equal(t, true, noop.Value("is_noop"))

	w.draw(9443)
	require.Equal(t, "applied", w.apply()["state"])
	w.settled()
	require.EqualValues(t, 9443, w.host()["port"])
	require.Equal(t, inbound, inboundID(t, w.host()), "a tag that stays keeps its inbound")
	stands := w.dump()

	w.fails.Store(true)
	w.draw(7443)
	require.Equal(t, "apply_failed", w.apply()["state"])
	require.Equal(t, stands, w.dump(), "everything there is as before")
	w.fails.Store(false)

	w.Admin().Delete("/api/v1/nodes/"+w.ours).Refused(http.StatusConflict, "node_in_use")
	w.Admin().Delete(w.path("")).Is(http.StatusAccepted)
	require.Eventually(t, func() bool { return len(w.offering.ours()) == 0 }, 60*time.Second, 20*time.Millisecond)
	w.settled()
	require.Equal(t, bare, w.dump())
	w.Admin().Delete(connectionsPath + "/" + w.connection + "/nodes/" + w.theirs + "/mapping").Is(http.StatusNoContent)
}
