package kills

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/proxypanel/remnawavetest"
)

// Rule: kill -9 of the panel at each write that an apply makes at a proxy panel, and at each that takes it away again:
// there is exactly one of each object, or none, and in the end nothing of ours is left. PANEL_TEST_KILLS asks for all.
func TestKillsAtTheWritesToAProxyPanelMakeNothingTwice(t *testing.T) {
	t.Parallel()
	o := beginOffers(t)
	o.cycle(0)
	writes := o.writes.Load()
	require.GreaterOrEqual(t, writes, int64(10), "profile, node, squad and host, there and back")
	number := min(int64(max(kills(t)/4, 3)), writes)
	for i := range number {
		o.cycle(1 + i*writes/number)
	}
	t.Logf("killed at %d of %d writes", number, writes)
}

// offersWorld is a panel that offers a flow through a proxy panel.
type offersWorld struct {
	*testing.T
	stand      *rig.Stand
	there      *remnawavetest.Panel
	connection string
	node       string
	squad      string
	writes     atomic.Int64
	killAt     atomic.Int64
}

func beginOffers(t *testing.T) *offersWorld {
	t.Helper()
	o := &offersWorld{T: t, there: remnawavetest.New(t)}
	o.stand = rigtest.Install(t, rig.PanelSettings{Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.1"}})
	theirs := o.there.AddNode("ams", "192.0.2.1", true)
	o.squad = o.there.AddSquad("All")
	var connection, node struct{ ID string }
	o.post("/api/v1/proxypanel/connections", map[string]any{
		"label": "main", "base_url": o.there.URL, "token": o.there.Token(24*time.Hour, "*"),
	}, &connection)
	o.post("/api/v1/nodes", map[string]any{"name": "ams", "address": "192.0.2.1"}, &node)
	o.connection, o.node = connection.ID, node.ID
	path := "/api/v1/proxypanel/connections/" + connection.ID
	o.post(path+"/adopt", map[string]any{"panel_node_id": theirs, "node_id": node.ID, "replace": true}, nil)
	o.post(path+"/sync", nil, nil)
	o.until(func(ctx context.Context) bool {
		var page struct{ Total int }
		return o.stand.API.Get(ctx, path+"/squads", &page) == nil && page.Total == 1
	})
	o.there.Before(o.seen)
	return o
}

func (o *offersWorld) post(path string, in, out any) {
	o.Helper()
	require.NoError(o, o.stand.API.Post(o.Context(), path, in, out))
}

func (o *offersWorld) until(holds func(context.Context) bool) {
	o.Helper()
	const most = 2 * time.Minute
	require.Eventually(o, func() bool { return holds(o.Context()) }, most, 100*time.Millisecond,
		o.stand.Panel.LastWords())
}

// seen counts writes, and kills the panel at one of them: it is done, and nobody hears of it.
func (o *offersWorld) seen(call remnawavetest.Call) {
	if call.Method != http.MethodGet && o.writes.Add(1) == o.killAt.Load() {
		_ = syscall.Kill(o.stand.Panel.PID(), syscall.SIGKILL)
	}
}

// cycle draws a flow, installs it and removes it, and kills the panel at a write.
func (o *offersWorld) cycle(killAt int64) {
	o.Helper()
	before := o.ours()
	o.writes.Store(0)
	o.killAt.Store(killAt)
	flow, err := o.stand.API.Draw(o.Context(), "Europe", o.drawing())
	require.NoError(o, err)
	var plan rig.Plan // no agent is there to confirm it
	o.post("/api/v1/connection-units/"+flow.ID+"/plan/compile", nil, &plan)
	order := map[string]any{"id": plan.ID, "revision": plan.Revision, "force_apply": true}
	_ = o.stand.API.Post(o.Context(), "/api/v1/connection-units/"+flow.ID+"/apply", order, nil)
	o.revive()
	o.until(func(context.Context) bool {
		o.revive()
		hosts := o.there.Dump()["hosts"]
		return len(hosts) > 0 && hosts[0]["isDisabled"] == false
	})
	require.Equal(o, [2]int{before[0] + 1, 1}, o.ours(), "killed at write %d", killAt)
	o.until(func(ctx context.Context) bool {
		o.revive()
		err := o.stand.API.Call(ctx, http.MethodDelete, "/api/v1/connection-units/"+flow.ID, nil, nil)
		var refusal *rig.Refusal
		return errors.As(err, &refusal) && refusal.Status == http.StatusNotFound && o.ours() == before
	})
}

// revive starts the panel where it was killed.
func (o *offersWorld) revive() {
	o.Helper()
	if !o.stand.Panel.Running() {
		o.killAt.Store(0)
		require.NoError(o, o.stand.Panel.Up(o.Context()))
	}
}

// ours counts profiles and hosts there.
func (o *offersWorld) ours() [2]int {
	all := o.there.Dump()
	return [2]int{len(all["config-profiles"]), len(all["hosts"])}
}

func (o *offersWorld) drawing() map[string]any {
	return map[string]any{
		"nodes": []map[string]any{
			{"key": "in", "kind": "entry", "node_id": o.node, "params": map[string]any{
				"listener": map[string]any{
					"protocol": "vless", "port": 8443, "reality": map[string]any{"target": "www.example.org:443"},
				},
				"proxypanel": map[string]any{"connection_id": o.connection, "squad_ids": []string{o.squad}},
			}},
			{"key": "out", "kind": "direct"},
		},
		"edges": []map[string]any{{"from": "in", "to": "out"}},
	}
}
