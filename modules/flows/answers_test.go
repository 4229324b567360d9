package flows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/readiness"
	"panel/modules/nodes/nodesapi"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// Whoever asks to begin without a wait has the answer at once; left out, the answer waits a little for quick applies.
func TestHowLongTheAnswerToAnApplyWaits(t *testing.T) {
	t.Parallel()
	for want, in := range map[time.Duration]httpapi.Optional[int]{
		10 * time.Second: {}, 0: {Given: true}, 25 * time.Second: {Given: true, Value: 25},
	} {
		require.Equal(t, want, (&applyInput{Wait: in}).wait())
	}
}

// A change says which revision it starts from, in its body or as If-Match.
func TestARevisionIsTakenFromTheBodyOrIfMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body    int
		ifMatch string
		want    int
		code    string
	}{
		{3, "", 3, ""},
		{3, `"7"`, 3, ""},
		{0, `"7"`, 7, ""},
		{0, `W/"7"`, 7, ""},
		{0, "7", 7, ""},
		{0, "", 0, "missing_field"},
		{0, "*", 0, "bad_parameter"},
		{0, `"0"`, 0, "bad_parameter"},
		{0, `"-1"`, 0, "bad_parameter"},
		{-1, "", 0, "missing_field"},
	} {
		got, err := revisionOf(c.body, c.ifMatch)
		require.Equal(t, c.want, got, "%+v", c)
		if c.code == "" {
			require.NoError(t, err)
			continue
		}
		var refused *fault.Fault
		require.ErrorAs(t, err, &refused)
		require.Equal(t, c.code, refused.Code)
	}
}

// Domain 4.15: what is being installed comes first, then what became of the last try, what is installed, what is
// compiled.
func TestTheStateOfAFlow(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	number := func(n int) *int { return &n }
	for want, rows := range map[string][]shownRow{
		"draft":    {{}, {flowRow: flowRow{DraftRevision: 2, CompiledRevision: number(1)}}},
		"compiled": {{flowRow: flowRow{DraftRevision: 2, CompiledRevision: number(2)}}},
		"applied": {
			{flowRow: flowRow{InstalledVersionID: text("v")}},
			{flowRow: flowRow{InstalledVersionID: text("v")}, LastStage: text("applied"), LastFinished: true},
		},
		"apply_failed": {
			{LastStage: text("apply_failed"), LastFinished: true},
			{flowRow: flowRow{InstalledVersionID: text("v")}, LastStage: text("apply_failed"), LastFinished: true},
		},
		"applying": {
			{LastStage: text("preparing")},
			{flowRow: flowRow{InstalledVersionID: text("v")}, LastStage: text("reverting")},
		},
	} {
		for i := range rows {
			require.Equal(t, want, rows[i].state(), "%d of %s", i, want)
		}
	}
}

// A flow drifts where a node runs something else than it shall, or where its links name another host than its entry has
// now; what is silent tells nothing.
func TestWhatDriftIs(t *testing.T) {
	t.Parallel()
	well := nodesapi.Serving{ID: "a", Online: true, Address: "192.0.2.1", RevisionDesired: 3, RevisionInstalled: 3}
	behind, silent, moved := well, well, well
	behind.RevisionInstalled, silent.Online, moved.Address = 2, false, "192.0.2.9"
	host := []plan.Host{{Block: "in", NodeID: "a", Host: "192.0.2.1"}}
	bound := []plan.Host{{Block: "in", NodeID: "a", DomainID: "d", Host: "a.example.org"}}
	for name, c := range map[string]struct {
		node    *nodesapi.Serving
		hosts   []plan.Host
		domains map[string]domainsapi.Domain
		pending []Stage
		state   string
		nodes   []string
	}{
		"all is well":         {&well, host, nil, nil, "in_sync", []string{}},
		"another revision":    {&behind, host, nil, nil, "drifted", []string{"a"}},
		"a silent node":       {&silent, host, nil, nil, "unknown", []string{}},
		"a node that is gone": {nil, host, nil, nil, "unknown", []string{}},
		"another address":     {&moved, host, nil, nil, "drifted", []string{"a"}},
		"bound, another address": {
			&moved, bound,
			map[string]domainsapi.Domain{"d": {Hostname: "a.example.org"}},
			nil,
			"in_sync",
			[]string{},
		},
		"a binding renamed": {
			&well, bound,
			map[string]domainsapi.Domain{"d": {Hostname: "b.example.org"}},
			nil,
			"drifted",
			[]string{"a"},
		},
		"a binding that is gone": {&well, bound, nil, nil, "in_sync", []string{}},
		"a stage to be repeated": {&well, host, nil, []Stage{{Name: "cdn.sync"}}, "drifted", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			around := &relations{nodes: map[string]nodesapi.Serving{}, domains: c.domains}
			if c.node != nil {
				around.nodes["a"] = *c.node
			}
			d := around.drift(&shownRow{flowRow: flowRow{InstalledHosts: c.hosts}, Pending: c.pending}, []string{"a"})
			require.Equal(t, c.state, d.State)
			require.Equal(t, c.nodes, d.NodeIDs)
			require.NotNil(t, d.Stages)
		})
	}
	require.Equal(t, "unknown", (&relations{}).drift(&shownRow{}, nil).State, "nothing is installed")
}

// The health of a flow is what its nodes say, unless another module knows better.
func TestWhatHealthIs(t *testing.T) {
	t.Parallel()
	nodes := map[string]nodesapi.Serving{
		"up": {
			Online:    true,
			CoreState: "running",
		}, "up2": {Online: true, CoreState: "running"}, "down": {Online: true, CoreState: "failed"},
		"silent": {CoreState: "running"},
	}
	for _, c := range []struct {
		ids   []string
		known string
		want  string
	}{
		{nil, "", "unknown"},
		{[]string{"up", "up2"}, "", "healthy"},
		{[]string{"up", "down"}, "", "degraded"},
		{[]string{"down"}, "", "down"},
		{[]string{"silent"}, "", "unknown"},
		{[]string{"up", "silent"}, "", "unknown"},
		{[]string{"gone"}, "", "unknown"},
		{[]string{"up"}, "down", "down"},
		{[]string{"down"}, "healthy", "healthy"},
	} {
		around := &relations{nodes: nodes, health: map[string]string{"f": c.known}}
		require.Equal(t, c.want, around.healthOf("f", c.ids), "%v %q", c.ids, c.known)
	}
}

// Of several modules that know the health of a flow the worst counts; one that cannot say is left out.
func TestTheWorstHealthCounts(t *testing.T) {
	t.Parallel()
	says := func(states map[string]string, err error) func(context.Context, []string) (map[string]string, error) {
		return func(context.Context, []string) (map[string]string, error) { return states, err }
	}
	h := newHooks(zap.NewNop())
	healthHook{h}.Add("one", says(map[string]string{"a": "healthy", "b": "down", "c": "degraded"}, nil))
	healthHook{h}.Add("two", says(map[string]string{"a": "degraded", "b": "healthy", "d": "odd"}, nil))
	healthHook{h}.Add("three", says(nil, errors.New("away")))
	require.Equal(
		t,
		map[string]string{"a": "degraded", "b": "down", "c": "degraded"},
		h.health(t.Context(), []string{"a", "b", "c", "d"}),
	)
}

// Pools are asked for together, each once, by whoever knows them; without pools nobody is asked, and an error ends the
// compilation.
func TestPoolsAreAskedForTogether(t *testing.T) {
	t.Parallel()
	var asked [][]string
	failure := error(nil)
	h := newHooks(zap.NewNop())
	blockHook{h}.Add("pools", func(_ context.Context, ids []string) ([]flowsapi.Pool, error) {
		asked = append(asked, ids)
		return []flowsapi.Pool{{ID: "europe"}}, failure
	})
	pool := func(key, id string) graph.Node { return graph.Node{Key: key, Kind: graph.TransitPool, PoolID: id} }
	found, err := h.pools(
		t.Context(),
		graph.Graph{Nodes: []graph.Node{{Key: "in", Kind: graph.Entry, PoolID: "odd"}, pool("x", "")}},
	)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Empty(t, asked)
	g := graph.Graph{Nodes: []graph.Node{pool("a", "europe"), pool("b", "asia"), pool("c", "europe")}}
	found, err = h.pools(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, map[string]flowsapi.Pool{"europe": {ID: "europe"}}, found)
	require.Equal(t, [][]string{{"europe", "asia"}}, asked)
	failure = errors.New("away")
	_, err = h.pools(t.Context(), g)
	require.ErrorContains(t, err, "read the pools of pools: away")
}

// Force passes what is not confirmed, but no check that blocks and none of a node that has to answer anyway; what no
// force passes is listed with its reason. Specification, Endpoints rule 2: force_apply accepts unconfirmed readiness
// and nothing else.
func TestWhatForcePasses(t *testing.T) {
	t.Parallel()
	steps := []plan.Step{
		{NodeID: "up", NodeName: "fra-01", Action: plan.ActionConfigure},
		{NodeID: "away", NodeName: "ams-01", Action: plan.ActionConfigure},
		{NodeID: "left", NodeName: "waw-01", Action: plan.ActionRemove},
	}
	nodes := map[string]nodesapi.Node{
		"up": {
			ID:     "up",
			Name:   "fra-01",
			Online: true,
		}, "away": {ID: "away", Name: "ams-01"}, "left": {ID: "left", Name: "waw-01"},
	}
	checks := marked([]plan.Check{
		{Key: "confirmed", NodeID: "up", Status: plan.Confirmed},
		{Key: "open", NodeID: "up", Status: plan.Unconfirmed},
		{Key: "failed", NodeID: "up", Status: plan.Failed},
		{Key: "blocks", NodeID: "up", Status: plan.Failed, Blocks: true},
		{Key: "away", NodeID: "away", Status: plan.Unconfirmed},
		{Key: "left", NodeID: "left", Status: plan.Unconfirmed},
		{Key: "stage", Status: plan.Failed, Blocks: true, Group: plan.GroupStages, Finding: plan.Say("unpaid",
			"not paid")},
	}, steps, nodes)
	var passed []string
	for _, c := range checks {
		if c.Forceable {
			passed = append(passed, c.Key)
		}
	}
	require.Equal(t, []string{"open", "failed", "left"}, passed)

	found := []readiness.Row{
		{Blocker: readiness.BlockedTarget, Probe: plan.Probe{Path: "nodes[0].params.listener.reality.target"}},
	}
	p := &plan.Plan{
		Steps:     steps,
		Readiness: checks,
		Conflicts: []plan.Conflict{{NodeID: "gone", Path: "nodes[1].params.hop.port"}},
	}
	var codes, names []string
	for _, o := range obstacles(p, found, nodes) {
		codes, names = append(codes, o.Code), append(names, o.NodeName)
		require.NotEmpty(t, o.Finding.Text)
	}
	require.Equal(t, []string{"agent_offline", "port_conflict", "target_private", "stage_blocked"}, codes)
	require.Equal(t, []string{"ams-01", "node gone", "", ""}, names)
	require.Empty(t, obstacles(&plan.Plan{}, nil, nil))
}

// Tags are kept once each and without spaces around them, in the order in which they were given.
func TestTagsAreKeptOnceEach(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"vip", "eu"}, tagsOf([]string{" vip", "eu", "vip ", "", "  "}))
	require.Equal(t, []string{}, tagsOf(nil))
}
