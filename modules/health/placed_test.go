package health

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// Defaults of the issue: an entry is looked at as clients do, by the panel and three other nodes, and never only by the
// node itself.
func TestWhatIsInstalledIsLookedAtByOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw", "ber", "par", "vie")
	flow := w.flow("Europe", "ams")
	w.place()
	handshake := w.check(flow, "tls")
	watchers := w.vantages(handshake)
	require.Len(t, watchers, 3)
	require.NotContains(t, watchers, "ams")
	for _, name := range []string{"ams", "fra", "waw", "ber", "par", "vie"} {
		told, looks := w.told(name)[handshake]
		require.Equal(t, slices.Contains(watchers, name), looks, name)
		if looks {
			require.Equal(t, agentapi.Watch{
				ID: handshake, Type: "tls", Address: "entry.example:443", ServerName: "target.example",
				IntervalSeconds: 30, TimeoutSeconds: 5, RecheckCount: 3, RecheckSeconds: 5,
			}, told)
		}
	}
	require.Equal(t, watchers, w.vantages(w.check(w.node("ams"), "tcp")), "the port of the node is looked at from the same places")
	var panel int
	require.NoError(t, w.DB.NewRaw("select count(*) from health_watches where next_at is not null").Scan(t.Context(), &panel))
	require.Equal(t, 2, panel)

	sets := w.documents.sets
	w.place()
	require.Equal(t, sets, w.documents.sets, "nothing has changed, and no agent hears of it")
}

// Each kind of listener is looked at in its way: a datagram where there is one, a handshake where there is a name.
func TestEachListenerIsLookedAtInItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra")
	entry := func(change func(*flowsapi.Entry)) func(*flowsapi.Flow) {
		return func(f *flowsapi.Flow) { change(&f.Entries[0]) }
	}
	for name, one := range map[string]struct {
		change func(*flowsapi.Entry)
		want   []string
	}{
		"tls":        {func(*flowsapi.Entry) {}, []string{"tls entry.example:443 false false"}},
		"plain":      {func(e *flowsapi.Entry) { e.ServerName = "" }, []string{"tcp entry.example:443 false false"}},
		"hysteria":   {func(e *flowsapi.Entry) { e.Protocol, e.L4 = "hysteria2", "udp" }, []string{"udp entry.example:443 true false"}},
		"obfuscated": {func(e *flowsapi.Entry) { e.Protocol, e.L4, e.Obfuscated = "hysteria2", "udp", true }, []string{"udp entry.example:443 false true"}},
		"both":       {func(e *flowsapi.Entry) { e.L4, e.ServerName = "both", "" }, []string{"tcp entry.example:443 false false", "udp entry.example:443 false true"}},
		"hopping":    {func(e *flowsapi.Entry) { e.Port = "20000-20010" }, []string{"tls entry.example:20000 false false"}},
		"no port":    {func(e *flowsapi.Entry) { e.Port = "" }, nil},
	} {
		flow := w.flow(name, "ams", entry(one.change))
		w.place()
		var got []string
		err := w.DB.NewRaw(`select concat_ws(' ', type, target, coalesce((watch ->> 'answers')::boolean, false)::text,
			weak::text) from health_checks where subject_id = ? order by 1`, flow).Scan(t.Context(), &got)
		require.NoError(t, err)
		require.Equal(t, one.want, got, name)
	}
}

// A node on the way has no entry: its port is the lowest on which its configuration listens for others.
func TestAnExitIsLookedAtByThePortOfItsConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw")
	w.fleet.ports[w.node("fra")] = 8443
	w.flow("Europe", "ams", func(f *flowsapi.Flow) { f.NodeIDs = append(f.NodeIDs, w.node("fra")) })
	w.place()
	var targets []string
	require.NoError(t, w.DB.NewRaw("select target from health_checks where kind = 'node' order by 1").Scan(t.Context(), &targets))
	require.Equal(t, []string{"192.0.2.1:443", "192.0.2.2:8443"}, targets, "waw has nothing installed")
}

// Only agents look that can, are heard and are not at rest; while the panel hears almost nobody all keep what they
// have.
func TestOnlyAgentsLookThatCan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw", "ber", "par")
	w.flow("Europe", "ams")
	w.fleet.set(func(n *nodesapi.Node) { n.Capabilities = nil }, w.node("fra"))
	w.fleet.set(func(n *nodesapi.Node) { n.State = "maintenance" }, w.node("waw"))
	w.fleet.set(func(n *nodesapi.Node) { n.State, n.Online = "offline", false }, w.node("ber"))
	w.place()
	port := w.check(w.node("ams"), "tcp")
	require.Equal(t, []string{"par"}, w.vantages(port))
	w.fleet.set(func(n *nodesapi.Node) { n.State, n.Online = "online", true }, w.node("ber"))
	w.place()
	require.Equal(t, []string{"ber", "par"}, w.vantages(port))
	w.fleet.set(func(n *nodesapi.Node) { n.State, n.Online = "offline", false })
	w.place()
	require.Equal(t, []string{"ber", "fra", "par"}[0:1], w.vantages(port)[0:1])
	require.Contains(t, w.vantages(port), "par", "the panel's own network is the likely cause")
}

// One that joins or leaves moves few watches.
func TestAnAgentThatLeavesMovesFewWatches(t *testing.T) {
	t.Parallel()
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprintf("node-%02d", i)
	}
	w := newWorld(t, names...)
	for _, name := range names {
		w.flow("flow of "+name, name)
	}
	w.place()
	before := w.pairs()
	w.fleet.set(func(n *nodesapi.Node) { n.State, n.Online = "offline", false }, w.node("node-07"))
	w.place()
	moved := 0
	after := w.pairs()
	for pair := range before {
		if !after[pair] {
			moved++
		}
	}
	require.Less(t, moved, 40, "of %d", len(before))
	require.Len(t, after, len(before), "somebody else looks in its place")
}

func (w *world) pairs() map[string]bool {
	w.t.Helper()
	var rows []string
	err := w.DB.NewRaw("select check_id || ' ' || vantage from health_watches").Scan(w.t.Context(), &rows)
	require.NoError(w.t, err)
	out := map[string]bool{}
	for _, row := range rows {
		out[row] = true
	}
	return out
}

// What a policy says of what a node itself reaches is looked at by that node alone.
func TestWhatANodeReachesIsLookedAtByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra")
	w.admin.Post(policiesPath, fields{
		"name": "Egress", "scope": fields{"kind": "node", "id": w.node("ams")},
		"checks": []fields{
			{"type": "heartbeat"}, {"type": "http", "page": "https://www.example.com/"}, {"type": "dns", "name": "example.com"},
		},
	}).Is(http.StatusCreated)
	w.place()
	for _, kind := range []string{"http", "dns"} {
		require.Equal(t, []string{"ams"}, w.vantages(w.check(w.node("ams"), kind)))
	}
	told := w.told("ams")
	require.Equal(t, "https://www.example.com/", told[w.check(w.node("ams"), "http")].URL)
	require.Empty(t, w.told("fra"))
	w.settled()
	for range 3 {
		w.says("ams", w.check(w.node("ams"), "dns"), false, 3)
	}
	w.becomes(w.node("ams"), verdictRow{"degraded", "egress", "dns"})
	d := w.detail("nodes", w.node("ams"))
	require.Equal(t, "Egress", d.PolicyName)
}

// Somebody may have a subject looked at now: agents get a new number, and keep it.
func TestChecksRunWhenSomebodyAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw")
	flow := w.flow("Europe", "ams")
	w.place()
	manager := w.As(string(Manage))
	answer := manager.Post(runPath, fields{"connection_unit_ids": []string{flow}}).Is(http.StatusAccepted)
	require.EqualValues(t, 3, answer.Value("vantages"))
	manager.Post(runPath, fields{"connection_unit_ids": []string{flow}, "node_ids": []string{w.node("ams")}}).
		Is(http.StatusAccepted)
	w.place()
	var run int
	require.NoError(t, w.DB.NewRaw("select (watch ->> 'run')::integer from health_checks where subject_id = ?", flow).
		Scan(t.Context(), &run))
	require.Equal(t, 2, run)
	require.Equal(t, []string{actionChecked, actionChecked}, w.Recorded("flow", flow))

	for field, body := range map[string]fields{
		"node_ids[0]":            {"node_ids": []string{flow}},
		"connection_unit_ids[1]": {"connection_unit_ids": []string{flow, "zzz"}},
		"node_ids":               {},
	} {
		refused := manager.Post(runPath, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Equal(t, field, fieldOf(refused))
	}
	w.As(string(View)).Post(runPath, fields{"node_ids": []string{w.node("ams")}}).
		Refused(http.StatusForbidden, "permission_denied")
}

// What was there before the module came is watched as soon as the panel runs, and not when the schedule comes round.
func TestWhatWasThereBeforeIsWatchedFromTheBeginning(t *testing.T) {
	t.Parallel()
	flows, idle := &flows{}, Module()
	idle.Attach = func() module.Parts { return module.Parts{} }
	before := paneltest.New(t, flows.modules(idle)...)
	before.Admin().AddNode("ams", "address", "192.0.2.1")
	all := paneltest.Modules(flows.modules(Module())...)
	after := paneltest.Start(t, paneltest.On(before.DB), all)
	require.Eventually(t, func() bool {
		return after.Admin().Get("/api/v1/health/nodes").Is(http.StatusOK).Value("total") == 1.0
	}, time.Minute, 50*time.Millisecond)
}
