package pools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/doctor"
	"panel/platform/module"
	"panel/platform/paneltest"
)

type fields = map[string]any

func features() []module.Module {
	return []module.Module{nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module()}
}

// world is a panel with three exits and an entry whose agent the test speaks for.
type world struct {
	t     *testing.T
	panel *paneltest.Panel
	admin *paneltest.Client
	entry *paneltest.Agent
	exits []string
	sent  int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, paneltest.New(t, features()...))
}

func newWorldOn(t *testing.T, panel *paneltest.Panel) *world {
	t.Helper()
	w := &world{t: t, panel: panel}
	w.admin, w.entry = w.panel.Admin(), w.panel.Enroll("fra-01")
	for _, name := range []string{"ams-01", "waw-01", "ber-01"} {
		w.exits = append(w.exits, w.admin.AddNode(name, "address", "192.0.2.1"))
	}
	return w
}

// exported is a panel, and what another module gets of pools there.
func exported[T any](t *testing.T) (*world, T) {
	t.Helper()
	var out T
	guest := module.Module{
		Name: "guest", Summary: "A test that asks pools", Requires: []string{"pools"},
		Attach: func(what T) module.Parts { out = what; return module.Parts{} },
	}
	w := &world{t: t, panel: paneltest.New(t, append(features(), guest)...)}
	w.admin, w.entry = w.panel.Admin(), w.panel.Enroll("fra-01")
	for _, name := range []string{"ams-01", "waw-01", "ber-01"} {
		w.exits = append(w.exits, w.admin.AddNode(name, "address", "192.0.2.1"))
	}
	return w, out
}

func members(nodes ...string) []fields {
	out := []fields{}
	for _, id := range nodes {
		out = append(out, fields{"node_id": id})
	}
	return out
}

func (w *world) pool(name string, more ...any) Pool {
	w.t.Helper()
	body := fields{"name": name, "strategy": "round_robin", "members": members(w.exits...)}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	var p Pool
	w.admin.Post(path, body).Is(http.StatusCreated).JSON(&p)
	return p
}

func (w *world) read(id string) (p Pool) {
	w.t.Helper()
	w.admin.Get(path + "/" + id).Is(http.StatusOK).JSON(&p)
	return p
}

// flow draws a flow from the entry through a pool.
func (w *world) flow(name, poolID string) string {
	w.t.Helper()
	return w.admin.Post("/api/v1/connection-units", fields{"name": name, "graph": fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": w.entry.NodeID, "params": fields{"listener": fields{
				"protocol": "vless", "port": 443, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "pool", "kind": "transit_pool", "pool_id": poolID},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "pool"}, {"from": "pool", "to": "out"}},
	}}).Is(http.StatusCreated).Text("id")
}

// told is what the agent of the entry shall hold of pools.
func (w *world) told() (said agentapi.Pools) {
	w.t.Helper()
	answer := w.entry.Get("/agent/v1/desired/pools")
	if answer.Status != http.StatusOK {
		return said
	}
	var document agentapi.Document
	answer.JSON(&document)
	require.NoError(w.t, json.Unmarshal(document.Content, &said))
	return said
}

// report sends a batch of the entry's agent.
func (w *world) report(reports ...agentapi.PoolReport) {
	w.t.Helper()
	w.sent++
	batch := agentapi.Batch{StreamID: "s", Seq: w.sent}
	for _, r := range reports {
		raw, err := json.Marshal(r)
		require.NoError(w.t, err)
		batch.Items = append(batch.Items, raw)
	}
	w.entry.Post("/agent/v1/batches/pools", batch).Is(http.StatusOK)
}

const (
	within = 60 * time.Second
	every  = 50 * time.Millisecond
)

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module(), features()[:4]...)
}

func TestAPoolIsMadeReadChangedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	require.Equal(t, "none", p.Stickiness)
	require.Equal(t, "unused", p.State)
	require.Equal(t, Fallback{Kind: "block"}, p.Fallback)
	require.Equal(t, 1, p.MinHealthy)
	require.Equal(t, Health{
		ProbeURL: agentapi.PoolProbeURL, IntervalS: 10, TimeoutS: 3, FailureThreshold: 2, SuccessThreshold: 2,
		Sampling: 3, Tolerance: 25,
	}, p.Health, "the defaults")
	require.Equal(t, "ams-01", p.Members[0].NodeName)
	require.Equal(t, 1, p.Members[0].Weight)
	require.True(t, p.Members[0].Enabled)

	one := path + "/" + p.ID
	w.admin.Patch(one, fields{"members": members()}).Refused(http.StatusBadRequest, "missing_field")
	w.admin.Patch(one, fields{"revision": 7}).Refused(http.StatusConflict, "revision_conflict")
	var changed Pool
	w.admin.Patch(one, fields{
		"revision": 1, "name": "Europe 2", "members": []fields{
			{"node_id": w.exits[2], "weight": 1000, "priority": 3}, {"node_id": w.exits[0], "enabled": false},
		},
		"fallback": fields{"kind": "member", "node_id": w.exits[2]},
	}).Is(http.StatusOK).JSON(&changed)
	require.EqualValues(t, 2, changed.Revision)
	require.Equal(t, p.Members[2].ID, changed.Members[0].ID, "a member that stays keeps its id")
	require.Equal(t, 1000, changed.Members[0].Weight)
	require.False(t, changed.Members[1].Enabled)
	require.Equal(t, Fallback{Kind: "member", NodeID: w.exits[2]}, changed.Fallback)
	w.admin.Patch(one, fields{"revision": 2, "members": members(w.exits[0])}).Refused(422, "invalid_value")

	require.EqualValues(t, 1, w.admin.Get(path+"?q=PE%202").Value("total"))
	require.EqualValues(t, 0, w.admin.Get(path+"?q=asia").Value("total"))
	require.EqualValues(t, 1, w.admin.Get(path+"?node_id="+w.exits[2]).Value("total"), "it is a member")
	require.EqualValues(t, 0, w.admin.Get(path+"?node_id="+w.exits[1]).Value("total"), "it is one no longer")
	w.admin.Delete(one).Is(http.StatusNoContent)
	w.admin.Get(one).Refused(http.StatusNotFound, "not_found")
	w.admin.Delete(one).Refused(http.StatusNotFound, "not_found")
	w.admin.Get(path+"/no-id").Refused(http.StatusNotFound, "not_found")
	w.admin.Get(one+"/status").Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{"pool.created", "pool.updated", "pool.deleted"}, w.panel.Recorded(object, p.ID))
}

// What makes no sense is refused with the field that it is about.
func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool("Europe")
	for _, change := range map[string]fields{
		"a weight of 0":             {"members": []fields{{"node_id": w.exits[0], "weight": 1001}}},
		"an unknown node":           {"members": members("0190a000-0000-7000-8000-00000000000a")},
		"no id":                     {"members": members("fra-01")},
		"a node twice":              {"members": members(w.exits[0], w.exits[0])},
		"too quick":                 {"health": fields{"interval_s": 9}},
		"a long timeout":            {"health": fields{"interval_s": 10, "timeout_s": 11}},
		"no URL":                    {"health": fields{"probe_url": "ftp://x"}},
		"a password":                {"health": fields{"probe_url": "http://a:b@example.org/"}},
		"an unknown strategy":       {"strategy": "best"},
		"stickiness without sticky": {"stickiness": "user"},
		"sticky without a key":      {"strategy": "sticky", "stickiness": "none"},
		"a stranger as fallback":    {"fallback": fields{"kind": "member", "node_id": w.entry.NodeID}},
		"an unknown pool":           {"fallback": fields{"kind": "pool", "pool_id": "0190a000-0000-7000-8000-00000000000a"}},
		"too few":                   {"min_healthy": 4},
		"an empty name":             {"name": "  "},
	} {
		body := fields{"name": "Asia", "strategy": "random", "members": members(w.exits...)}
		for key, value := range change {
			body[key] = value
		}
		w.admin.Post(path, body).Refused(422, "invalid_value")
	}
	w.admin.Post(path, fields{"name": "EUROPE", "strategy": "random", "members": members()}).Refused(409, "name_taken")
	require.Equal(t, "user", w.pool("Sticky", "strategy", "sticky").Stickiness)
}

// Rule: cycles through fallbacks and more than four pools one behind the other are refused.
func TestPoolsDoNotFallBackInCircles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	back := func(id string) fields { return fields{"kind": "pool", "pool_id": id} }
	last := w.pool("4")
	all := []Pool{last}
	for i := 3; i >= 1; i-- {
		last = w.pool(fmt.Sprint(i), "fallback", back(last.ID))
		all = append(all, last)
	}
	w.admin.Post(path, fields{
		"name": "0", "strategy": "random", "members": members(), "fallback": back(last.ID),
	}).Refused(422, "invalid_value")
	w.admin.Patch(path+"/"+all[0].ID, fields{"revision": 1, "fallback": back(last.ID)}).Refused(422, "invalid_value")
	w.admin.Patch(path+"/"+all[0].ID, fields{"revision": 1, "fallback": back(all[0].ID)}).Refused(422, "invalid_value")
	w.admin.Delete(path+"/"+all[0].ID).Refused(http.StatusConflict, "pool_in_use")
}

// Rule: a pool that a flow uses stays, and so does a node that is a member.
func TestWhatIsUsedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.admin.Delete("/api/v1/nodes/"+w.exits[0]).Refused(http.StatusConflict, "node_in_use")
	flow := w.flow("Main", p.ID)
	w.admin.Delete(path+"/"+p.ID).Refused(http.StatusConflict, "pool_in_use")
	require.Equal(t, []PoolUser{{FlowID: flow, Name: "Main", Draft: true}}, w.read(p.ID).UsedByFlows)
	var page struct{ Items []PoolSummary }
	w.admin.Get(path).Is(http.StatusOK).JSON(&page)
	require.Equal(t, 1, page.Items[0].Flows)
}

// The agent of a node that forwards to a pool is told of it. Weights, drains and overrides reach it at once, without a
// plan; a pool that it falls back on is told, too; when the flow leaves the pool, it is told so.
func TestAgentsAreToldOfPools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spare := w.pool("Spare")
	p := w.pool("Europe", "fallback", fields{"kind": "pool", "pool_id": spare.ID})
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 2 }, within, every)
	mine := func() agentapi.Pool {
		said := w.told().Pools
		return said[slices.IndexFunc(said, func(one agentapi.Pool) bool { return one.ID == p.ID })]
	}
	require.Len(t, mine().Members, 3)

	drained := w.admin.Post(path+"/"+p.ID+"/members/"+p.Members[1].ID+"/drain", fields{}).Is(http.StatusOK)
	require.EqualValues(t, 2, drained.Value("revision"))
	require.True(t, mine().Members[1].Drain)
	w.admin.Post(path+"/"+p.ID+"/members/"+p.Members[1].ID+"/drain", fields{"drain": false}).Is(http.StatusOK)
	require.False(t, mine().Members[1].Drain)
	w.admin.Post(path+"/"+p.ID+"/members/"+spare.Members[1].ID+"/drain", fields{}).Refused(404, "not_found")

	over := path + "/" + p.ID + "/override"
	w.admin.Post(over, fields{"member_id": p.Members[2].ID, "ttl_s": 59}).Refused(422, "invalid_value")
	w.admin.Post(over, fields{"member_id": spare.Members[0].ID}).Refused(422, "invalid_value")
	w.admin.Post(over, fields{"member_id": p.Members[2].ID, "ttl_s": 600}).Is(http.StatusOK)
	require.Equal(t, p.Members[2].ID, mine().Override.MemberID)
	require.WithinDuration(t, w.panel.Clock.Now().Add(10*time.Minute), mine().Override.Until, time.Minute)
	require.Equal(t, p.Members[2].ID, w.read(p.ID).Override.MemberID)
	w.admin.Post(over, fields{}).Is(http.StatusOK)
	require.Nil(t, mine().Override)
	require.Nil(t, w.read(p.ID).Override)

	w.admin.Patch(path+"/"+p.ID, fields{"revision": 3, "members": []fields{
		{"node_id": w.exits[1], "weight": 9}, {"node_id": w.exits[0]},
	}}).Is(http.StatusOK)
	require.Equal(t, p.Members[1].ID, mine().Members[0].ID)
	require.Equal(t, 9, mine().Members[0].Weight)

	w.admin.Post("/api/v1/nodes/"+w.exits[0]+"/maintenance", fields{"on": true}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return mine().Members[1].Drain }, within, every, "a node that rests gets nothing new")
	require.True(t, w.read(p.ID).Members[1].Resting)
	require.Equal(t,
		[]string{"pool.created", "pool.drained", "pool.drained", "pool.overridden", "pool.overridden", "pool.updated"},
		w.panel.Recorded(object, p.ID))

	flow := w.read(p.ID).UsedByFlows[0].FlowID
	revision := w.admin.Get("/api/v1/connection-units/" + flow).Value("draft_revision")
	w.admin.Put("/api/v1/connection-units/"+flow+"/draft", fields{
		"revision": revision, "graph": fields{"nodes": []fields{}, "edges": []fields{}},
	}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 0 }, within, every)
	w.admin.Delete(path + "/" + p.ID).Is(http.StatusNoContent)
}

func state(p Pool, member int, state string, at time.Time) agentapi.PoolReport {
	return agentapi.PoolReport{
		Core: "c", Seq: 1, At: at, PoolID: p.ID, Group: "flow.f.out.in.pool", MemberID: p.Members[member].ID, State: state,
		Reason: "refused", RTTMs: 12,
	}
}

func serves(p Pool, who string, usable int, reason string, at time.Time) agentapi.PoolReport {
	return agentapi.PoolReport{
		Core: "c", Seq: 1, At: at, PoolID: p.ID, Group: "flow.f.out.in.pool", Serves: who, Usable: usable, Reason: reason,
	}
}

// belowMinimum lists the pools that lack usable members.
func (w *world) belowMinimum() (names []string) {
	var page struct{ Items []PoolSummary }
	w.admin.Get(path + "?below_minimum=true").Is(http.StatusOK).JSON(&page)
	for _, one := range page.Items {
		names = append(names, one.Name)
	}
	return names
}

// What agents report is shown with the last switch and its reason; too few members and their return are told. A batch
// that comes twice counts once.
func TestWhatAgentsReportIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, news := w.pool("Europe", "min_healthy", 2), w.panel.Follow()
	w.pool("Asia")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	require.Equal(t, "unknown", w.read(p.ID).State)
	at := w.panel.Clock.Now()
	w.report(serves(p, "members", 3, "started", at), state(p, 0, "healthy", at), state(p, 1, "healthy", at))
	require.Equal(t, "healthy", w.read(p.ID).State)
	require.Nil(t, w.read(p.ID).LastSwitch, "a beginning is no switch")

	w.report(state(p, 0, "down", at), serves(p, "members", 2, "member_down", at))
	down := paneltest.NextData[poolsapi.MemberNews](news, poolsapi.EventMemberDown)
	require.Equal(t, poolsapi.MemberNews{Name: "Europe", MemberID: p.Members[0].ID, Member: "ams-01", Reason: "refused"}, down)
	news.Next(poolsapi.EventSwitched)
	shown := w.read(p.ID)
	require.Equal(t, "degraded", shown.State)
	require.Equal(t, "down", shown.Members[0].State)
	require.EqualValues(t, 12, shown.Members[1].RTTMs)
	require.Equal(t, "member_down", shown.LastSwitch.Reason)
	require.Equal(t, "fra-01", shown.LastSwitch.NodeName)

	w.report(state(p, 1, "down", at), serves(p, "members", 1, "member_down", at))
	require.Equal(t, poolsapi.CountNews{Name: "Europe", Usable: 1, Minimum: 2}, news.Next(poolsapi.EventBelowMinimum).Data)
	require.Equal(t, []string{"Europe"}, w.belowMinimum(), "too few are usable")
	w.report(serves(p, "fallback", 0, "all_down", at))
	require.Equal(t, "down", w.read(p.ID).State)
	require.Equal(t, []string{"Europe"}, w.belowMinimum(), "the fallback carries the traffic")
	require.Contains(t, w.panel.Scrape(), "panel_pools_on_fallback 1\n")
	found := check().Run(t.Context(), doctor.Env{
		Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": w.panel.DB.Pool.Config().ConnString()}[name]
		},
	})
	require.Equal(t, doctor.Failed, found.Status)
	require.Equal(t, "пулов, трафик которых идёт по запасному пути: 1 из 2", found.Found.In(doctor.Russian))
	w.report(state(p, 0, "healthy", at), serves(p, "members", 2, "member_up", at))
	news.Next(poolsapi.EventMemberUp)
	news.Next(poolsapi.EventMinimumRestored)
	require.Empty(t, w.belowMinimum())

	w.sent--
	w.report(serves(p, "fallback", 0, "all_down", at))
	require.NotEqual(t, "down", w.read(p.ID).State, "the batch has been taken before")
	var status Status
	w.admin.Get(path + "/" + p.ID + "/status").Is(http.StatusOK).JSON(&status)
	require.Len(t, status.Seen, 2)
	require.Len(t, status.Nodes, 1)
	require.Equal(t, "f", status.Nodes[0].FlowID)
	require.Len(t, status.Switches, 4)
	require.Equal(t, "member_up", status.Switches[0].Reason)
}

// Rule: a member that flaps ten times a minute is told once.
func TestAFlappingMemberIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, news := w.pool("Europe"), w.panel.Follow()
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	told := func() (at time.Time) {
		require.NoError(t, w.panel.DB.NewRaw("select told_at from transit_pool_members where told_at is not null").
			Scan(t.Context(), &at))
		return at
	}
	w.report(state(p, 0, "down", at))
	news.Next(poolsapi.EventMemberDown)
	first := told()
	for range 10 {
		w.report(state(p, 0, "healthy", at))
		w.report(state(p, 0, "down", at))
	}
	news.Next(poolsapi.EventMemberUp)
	require.Equal(t, first, told(), "nobody is told again")
	_, err := w.panel.DB.ExecContext(t.Context(), "update transit_pool_members set told_at = told_at - interval '11 minutes'")
	require.NoError(t, err)
	w.report(state(p, 0, "healthy", at))
	w.report(state(p, 0, "down", at))
	require.False(t, told().Before(first))
	news.Next(poolsapi.EventMemberDown)
}

// What is no report is refused, and what is about a pool that the node does not forward to is passed over.
func TestStrangeReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	for i, item := range []string{`1`, `{}`, `{"pool_id":"x"}`, `{"pool_id":"` + p.ID + `","serves":"nobody"}`} {
		batch := agentapi.Batch{StreamID: "odd", Seq: int64(i + 1), Items: []json.RawMessage{json.RawMessage(item)}}
		w.entry.Post("/agent/v1/batches/pools", batch).Refused(422, "invalid_value")
	}
	w.report(state(p, 0, "down", w.panel.Clock.Now()), serves(p, "fallback", 0, "all_down", w.panel.Clock.Now()))
	require.Equal(t, "unused", w.read(p.ID).State)
	require.Equal(t, "unknown", w.read(p.ID).Members[0].State)
}

// Rule: reads need the view of flows, changes their edit, and what acts on running traffic their apply.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	one := path + "/" + p.ID
	viewer, editor := w.panel.As(string(view)), w.panel.As(string(view), string(edit))
	viewer.Get(one).Is(http.StatusOK)
	viewer.Patch(one, fields{"revision": 1}).Refused(http.StatusForbidden, "permission_denied")
	editor.Patch(one, fields{"revision": 1, "name": "Asia"}).Is(http.StatusOK)
	editor.Post(one+"/override", fields{}).Refused(http.StatusForbidden, "permission_denied")
	editor.Post(one+"/members/"+p.Members[0].ID+"/drain", fields{}).Refused(http.StatusForbidden, "permission_denied")
	w.panel.As(string(install), string(view)).Post(one+"/override", fields{}).Is(http.StatusOK)
}
