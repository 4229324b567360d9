package pools

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/database"
)

const units = "/api/v1/connection-units"

// plain makes a flow that leaves by the node of its entry, without a pool.
func (w *world) plain(name string) string {
	w.t.Helper()
	return w.admin.Post(units, fields{"name": name, "graph": fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": w.exits[0], "params": fields{"listener": fields{
				"protocol": "vless", "port": 8443, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "out"}},
	}}).Is(http.StatusCreated).Text("id")
}

// install notes what an apply of the draft leaves behind.
func (w *world) install(flowID string) {
	w.t.Helper()
	version := database.NewID()
	for _, statement := range []string{
		`insert into flow_versions (id, flow_id, number, revision, reason, graph, applied, created_at, created_by)
			select ?0, id, (select count(*) + 1 from flow_versions where flow_id = f.id), draft_revision, 'apply', graph, true,
				now(), 'test' from flows f where id = ?1`,
		`update flows set installed_version_id = ?0, installed_revision = draft_revision, installed_at = now(),
			enabled = true, installed_hosts = (select jsonb_agg(jsonb_build_object('block', n ->> 'key', 'node_id',
				n ->> 'node_id', 'host', '192.0.2.1')) from jsonb_array_elements(graph -> 'nodes') n
				where n ->> 'kind' = 'entry') where id = ?1`,
	} {
		_, err := w.panel.DB.NewRaw(statement, version, flowID).Exec(w.t.Context())
		require.NoError(w.t, err)
	}
}

func inFlows(flows ...string) []fields {
	out := []fields{}
	for _, id := range flows {
		out = append(out, fields{"flow_id": id})
	}
	return out
}

type previewed struct {
	Errors   []fields
	Warnings []fields
	Steps    []fields
}

func (w *world) preview(flowID string) (p previewed) {
	w.t.Helper()
	w.admin.Post(units+"/"+flowID+"/plan/preview", fields{}).Is(http.StatusOK).JSON(&p)
	return p
}

// rerendered counts the jobs that install a flow anew.
func (w *world) rerendered(flowID string) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.panel.DB.NewRaw(
		"select count(*) from jobs.river_job where kind = 'flows.rerender' and strpos(args::text, ?) > 0", flowID).
		Scan(w.t.Context(), &n))
	return n
}

// Rule: a member of a pool is a node or a flow. Agents are told of both alike, and a flow keeps its id as a member.
func TestAMemberIsANodeOrAFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	p := w.pool("Mixed", "members", append(members(w.exits[1]), inFlows(other)...),
		"fallback", fields{"kind": "member", "flow_id": other})
	require.Equal(t, Fallback{Kind: "member", FlowID: other}, p.Fallback)
	require.Equal(t, []string{"waw-01", "Other"}, []string{p.Members[0].Name, p.Members[1].Name})
	require.Equal(t, other, p.Members[1].FlowID)
	require.Empty(t, p.Members[1].NodeID)
	require.False(t, p.Members[1].Resting)

	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	require.Equal(t, p.Members[1].ID, w.told().Pools[0].Members[1].ID)
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "members": []fields{
		{"flow_id": other, "weight": 7, "priority": 1}, {"node_id": w.exits[1]},
	}}).Is(http.StatusOK)
	now := w.read(p.ID)
	require.Equal(t, p.Members[1].ID, now.Members[0].ID)
	require.Equal(t, 7, w.told().Pools[0].Members[0].Weight)
	w.admin.Post(path+"/"+p.ID+"/members/"+now.Members[0].ID+"/drain", fields{}).Is(http.StatusOK)
	require.True(t, w.told().Pools[0].Members[0].Drain)
	w.admin.Post(path+"/"+p.ID+"/override", fields{"member_id": now.Members[0].ID}).Is(http.StatusOK)
	require.Equal(t, now.Members[0].ID, w.told().Pools[0].Override.MemberID)

	news, at := w.panel.Follow(), w.panel.Clock.Now()
	w.report(state(p, 1, "down", at))
	down := news.Next("pool.member_down")
	require.Contains(t, string(mustJSON(t, down.Data)), `"Other"`, "people are told which flow it is")
}

// A member names one of both, and one that is there; a pool has each once.
func TestAFlowThatCannotBeAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	for field, wrong := range map[string][]fields{
		"members[0]":         {{"node_id": w.exits[0], "flow_id": other}},
		"members[1]":         {{"node_id": w.exits[0]}, {"weight": 3}},
		"members[0].flow_id": {{"flow_id": database.NewID()}},
		"members[1].flow_id": append(inFlows(other), inFlows(other)...),
	} {
		body := fields{"name": "Wrong", "strategy": "random", "members": wrong}
		answer := w.admin.Post(path, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(answer.Body), `"`+field+`"`)
	}
	w.admin.Post(path, fields{
		"name": "Wrong", "strategy": "random", "members": inFlows(other), "fallback": fields{"kind": "member", "node_id": other},
	}).Is(http.StatusCreated) // an id is an id, whatever it is called
	w.admin.Post(path, fields{
		"name": "Wrong too", "strategy": "random", "members": members(w.exits[0]),
		"fallback": fields{"kind": "member", "flow_id": other},
	}).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Rule: a flow that is in a pool is not deleted (409 pool_in_use); out of it, it is.
func TestAFlowInAPoolStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	p := w.pool("Flows", "members", inFlows(other))
	require.Contains(t,
		string(w.admin.Delete(units+"/"+other).Refused(http.StatusConflict, "pool_in_use").Body), p.ID)
	blind := w.panel.As(string(install), string(view))
	require.Contains(t, string(blind.Delete(units+"/"+other).Refused(http.StatusConflict, "pool_in_use").Body), p.ID)
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "members": members()}).Is(http.StatusOK)
	w.admin.Delete(units + "/" + other)
	require.Eventually(t, func() bool {
		return w.admin.Get(units+"/"+other).Status == http.StatusNotFound
	}, within, every)
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 2, "members": inFlows(other)}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Rule: circles through pools of flows are refused, whether the pool or the drawing closes them.
func TestCirclesThroughPoolsOfFlowsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := w.pool("Last")
	through := w.flow("Through", last.ID)
	first := w.pool("First", "members", inFlows(through))
	for _, wrong := range []fields{
		{"revision": 1, "members": inFlows(through)},
		{"revision": 1, "fallback": fields{"kind": "pool", "pool_id": first.ID}},
	} {
		answer := w.admin.Patch(path+"/"+last.ID, wrong).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(answer.Body), "leads back into this one")
	}
	require.Equal(t, w.exits, nodesIn(w.read(last.ID)), "what is refused changes nothing")

	revision := w.admin.Get(units + "/" + through).Value("draft_revision")
	drawing := fields{}
	w.admin.Get(units + "/" + through + "/draft").Is(http.StatusOK).JSON(&drawing)
	drawn := drawing["graph"].(fields)
	for _, b := range drawn["nodes"].([]any) {
		if b := b.(fields); b["kind"] == "transit_pool" {
			b["pool_id"] = first.ID
		}
	}
	w.admin.Put(units+"/"+through+"/draft", fields{"revision": revision, "graph": drawn}).Is(http.StatusOK)
	errors := w.preview(through).Errors
	require.Len(t, errors, 1)
	require.Equal(t, "pool_flow_circle", errors[0]["code"])
	require.Equal(t, "nodes[1].pool_id", errors[0]["path"])
	w.admin.Post(units+"/"+through+"/plan/compile", fields{}).Refused(http.StatusUnprocessableEntity, "compile_failed")
}

func nodesIn(p Pool) []string {
	var out []string
	for _, m := range p.Members {
		out = append(out, m.NodeID)
	}
	return out
}

// Rule: at most four pools of flows are one behind the other.
func TestPoolsOfFlowsAreAtMostFourDeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("4")
	for _, name := range []string{"3", "2", "1"} {
		flow := w.flow("Into "+p.Name, p.ID)
		w.install(flow)
		p = w.pool(name, "members", inFlows(flow))
	}
	over := w.flow("Into 1", p.ID)
	w.install(over)
	answer := w.admin.Post(path, fields{"name": "0", "strategy": "random", "members": inFlows(over)}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, string(answer.Body), "at most four pools of flows")
	require.Empty(t, w.preview(over).Errors, "four are allowed")

	behind := w.pool("5")
	deeper := w.flow("Into 5", behind.ID)
	w.install(deeper)
	var fourth struct{ Items []PoolSummary }
	w.admin.Get(path + "?q=4").Is(http.StatusOK).JSON(&fourth)
	w.admin.Patch(path+"/"+fourth.Items[0].ID, fields{"revision": 1, "members": inFlows(deeper)}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	_, err := w.panel.DB.NewRaw(`update transit_pool_members set node_id = null, flow_id = ?
		where id = (select id from transit_pool_members where pool_id = ? limit 1)`, deeper, fourth.Items[0].ID).
		Exec(t.Context())
	require.NoError(t, err)
	errors := w.preview(over).Errors
	require.Len(t, errors, 1, "whoever else has made it so deep, a plan refuses it")
	require.Equal(t, "pool_flows_too_deep", errors[0]["code"])
}

// How deep pools are and whether they lead back is found in any web of them, circles elsewhere included.
func TestWhereALeadGoes(t *testing.T) {
	t.Parallel()
	led := leads{"a": {"b", "c"}, "b": {"d"}, "c": {"b"}, "x": {"y"}, "y": {"x", "a"}}
	require.Equal(t, 4, led.longest("a", map[string]bool{}))
	require.Equal(t, 1, led.longest("d", map[string]bool{}))
	require.Equal(t, 3, led.reversed().longest("a", map[string]bool{}))
	require.False(t, led.reaches("a", "a", map[string]bool{}))
	require.True(t, led.reaches("x", "x", map[string]bool{}))
	require.True(t, led.reaches("x", "d", map[string]bool{}))
	require.False(t, led.reaches("d", "x", map[string]bool{}))
}

// What is installed of a member decides about the plan of the flow that uses it. Another version of the member, and
// whoever becomes a member or leaves, has the flows installed anew that it concerns.
func TestFlowsFollowTheFlowsOfTheirPools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	p := w.pool("Mixed", "members", append(members(w.exits[1]), inFlows(other)...))
	main := w.flow("Main", p.ID)
	before := w.preview(main)
	require.Equal(t, "pool_flow_not_installed", before.Warnings[slices.IndexFunc(before.Warnings, func(f fields) bool {
		return f["code"] == "pool_flow_not_installed"
	})]["code"])
	w.install(other)
	after := w.preview(main)
	require.False(t, slices.ContainsFunc(after.Warnings, func(f fields) bool {
		return f["code"] == "pool_flow_not_installed"
	}))
	require.Zero(t, w.rerendered(main))
	w.install(main)

	editor := w.panel.As(string(view), string(edit))
	editor.Patch(path+"/"+p.ID, fields{"revision": 1, "members": members(w.exits[1])}).
		Refused(http.StatusForbidden, "permission_denied")
	w.admin.Patch(path+"/"+p.ID, fields{"revision": 1, "members": members(w.exits[1])}).Is(http.StatusOK)
	require.Equal(t, 1, w.rerendered(main))
	require.Equal(t, 1, w.rerendered(other), "the member lets the pool in no more")
	w.admin.Patch(path+"/"+p.ID, fields{
		"revision": 2, "members": []fields{{"node_id": w.exits[1], "weight": 3}},
	}).Is(http.StatusOK)
	require.Equal(t, 1, w.rerendered(main), "weights act at once")

	alone := w.pool("Alone", "members", inFlows(other))
	require.Equal(t, 2, w.rerendered(other), "a new pool is let in")
	w.admin.Delete(path + "/" + alone.ID).Is(http.StatusNoContent)
	require.Equal(t, 3, w.rerendered(other))
}

// The agents of nodes that a flow of a pool is on are told nothing of pools behind it: the flow sends on by itself.
func TestAFlowInAPoolForwardsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	near, far := w.pool("Near", "members", inFlows(other)), w.pool("Far")
	body := fields{"name": "Both", "graph": fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": w.entry.NodeID, "params": fields{"listener": fields{
				"protocol": "vless", "port": 443, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "near", "kind": "transit_pool", "pool_id": near.ID},
			{"key": "far", "kind": "transit_pool", "pool_id": far.ID},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "near"}, {"from": "near", "to": "far"}, {"from": "far", "to": "out"}},
	}}
	w.admin.Post(units, body).Is(http.StatusCreated)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	require.Equal(t, near.ID, w.told().Pools[0].ID)
	var places int
	require.NoError(t, w.panel.DB.NewRaw("select count(*) from transit_pool_places").Scan(t.Context(), &places))
	require.Equal(t, 1, places, "the far pool has no sender")
}

// A way through a pool tells which flow carries the traffic on.
func TestAWayThroughAFlowIsExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.plain("Other")
	p := w.pool("Mixed", "members", append(members(w.exits[1]), inFlows(other)...))
	main := w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	group, at := "flow."+main+".out.in.pool", w.panel.Clock.Now()
	alone := agentapi.PoolReport{
		Core: "c", Seq: 1, At: at, PoolID: p.ID, Group: group, Serves: "members", Active: p.Members[1].ID, Usable: 1,
		Reason: "member_down",
	}
	w.report(alone)
	var way struct {
		NodeID string `json:"node_id"`
		Pools  []struct {
			Choices []struct {
				ActiveName string `json:"active_name"`
			}
			Members []struct {
				NodeName string `json:"node_name"`
				FlowID   string `json:"flow_id"`
				Active   bool
			}
		}
	}
	w.admin.Get(units + "/" + main + "/explain?domain=example.org").Is(http.StatusOK).JSON(&way)
	require.Empty(t, way.NodeID, "where traffic leaves is the matter of the other flow")
	require.Equal(t, "Other", way.Pools[0].Choices[0].ActiveName)
	require.Equal(t, other, way.Pools[0].Members[0].FlowID)
	require.True(t, way.Pools[0].Members[0].Active)
	require.Equal(t, "waw-01", way.Pools[0].Members[1].NodeName)
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return raw
}
