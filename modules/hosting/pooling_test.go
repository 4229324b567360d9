package hosting

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

const poolsPath = "/api/v1/transit-pools"

// pooled makes a pool of nodes, and a flow that sends its traffic through it from a node of its own.
func (s *stage) pooled(name string, port int, members ...string) (pool, flow string) {
	s.t.Helper()
	list := []fields{}
	for _, id := range members {
		list = append(list, fields{"node_id": id, "weight": 3})
	}
	pool = s.Admin().Post(poolsPath, fields{"name": name, "strategy": "round_robin", "members": list}).
		Is(http.StatusCreated).Text("id")
	flow = s.Admin().Post(units, fields{"name": name, "graph": fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": s.exit, "params": fields{"listener": fields{
				"protocol": "vless", "port": port, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "pool", "kind": "transit_pool", "pool_id": pool},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "pool"}, {"from": "pool", "to": "out"}},
	}}).Is(http.StatusCreated).Text("id")
	return pool, flow
}

// membersOf gives the nodes of a pool.
func (s *stage) membersOf(pool string) (nodes []string) {
	s.t.Helper()
	require.NoError(s.t, s.DB.NewRaw("select node_id::text from transit_pool_members where pool_id = ? order by position",
		pool).Scan(s.t.Context(), &nodes))
	return nodes
}

// A machine whose node is the only member of a pool is replaced: the preview names the pool, the new node is the member
// afterwards, and the flow that sends its traffic there is installed anew with nothing on the old node.
func TestAMemberOfAPoolIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	own := s.flow("Own", 443)
	pool, through := s.pooled("Europe", 8443, s.oldNode)
	s.install(own)
	s.install(through)
	require.ElementsMatch(t, []string{own, through}, s.installedOn(s.oldNode))
	asked := s.wanted(oldKeep)
	delete(asked, "price")
	delete(asked, "old")
	var quote ReplacementQuote
	s.Admin().Post(s.path("/servers/"+s.old.ID+"/replace/preview"), asked).Is(http.StatusOK).JSON(&quote)
	require.Equal(t, []HitPool{{PoolID: pool, Name: "Europe"}}, quote.Pools)
	require.Equal(t, []HitFlow{
		{FlowID: through, Name: "Europe", Installed: true, ByPool: true}, {FlowID: own, Name: "Own", Installed: true},
	}, quote.Flows)

	begun := s.begin(oldKeep)
	s.comesUp()
	done := s.ends(begun.ID, replaceDone)
	require.Equal(t, []HitPool{{PoolID: pool, Name: "Europe"}}, done.Pools)
	require.Equal(t, []string{*done.ByNodeID}, s.membersOf(pool))
	require.Empty(t, s.installedOn(s.oldNode))
	require.ElementsMatch(t, []string{own, through}, s.installedOn(*done.ByNodeID))
	require.Len(t, done.Flows, 1, "the drawing of a flow that uses a pool stays")
	require.Equal(t, []string{"machine done", "flows done", "pools done", "drain done", "old skipped"}, states(done.Steps))
}

// "Stops at any failure with everything still serving": the new core refuses what the pool sends there, so the flow
// serves on through the old member; the replacement stops when it was waited for, and goes on from there.
func TestAReplacementStopsAtAPoolThatCannotChange(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, through := s.pooled("Europe", 8443, s.oldNode)
	s.install(through)
	begun := s.begin(oldDelete)
	agent := s.comesUp()
	agent.answers(func(kind agentapi.CommandKind, args json.RawMessage) *agentapi.CommandResult {
		var in agentapi.ApplyConfigArgs
		_ = json.Unmarshal(args, &in)
		if kind != agentapi.ApplyConfig || in.Phase != agentapi.PhasePrepare {
			return nil
		}
		return &agentapi.CommandResult{Code: agentapi.CodeFailed, Stage: agentapi.StageTest, Error: "core: no"}
	})
	require.Eventually(t, func() bool { return s.at(begun.ID).State == replacePooling }, within, every)
	failed := Replacement{}
	require.Eventually(t, func() bool { // time passes
		_, err := s.DB.ExecContext(t.Context(),
			"update hosting_replacements set pooled_at = pooled_at - interval '6 minutes' where pooled_at is not null")
		require.NoError(t, err)
		failed = s.at(begun.ID)
		return failed.FinishedAt != nil
	}, within, every)
	require.Equal(t, []any{replaceFailed, replacePooling}, []any{failed.State, failed.FailedIn}, failed.Error)
	require.Contains(t, failed.Error, "Europe")
	require.Equal(t, []string{through}, s.installedOn(s.oldNode))
	require.Equal(t, "online", s.Admin().Get("/api/v1/nodes/"+s.oldNode).Is(http.StatusOK).Text("state"))

	agent.answers(nil)
	s.Admin().Post(s.path("/replacements/"+failed.ID+"/continue"), nil).Is(http.StatusAccepted)
	done := s.ends(failed.ID, replaceDone)
	require.Empty(t, s.installedOn(s.oldNode))
	require.Equal(t, []string{through}, s.installedOn(*done.ByNodeID))
}
