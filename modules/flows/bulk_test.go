package flows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/bulk"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// several makes more flows and gives the plans of all, ready to be installed.
func (s *stage) several(ports ...int) (wanted []bulk.Wanted) {
	s.t.Helper()
	for _, port := range ports {
		s.flow = s.create(fmt.Sprintf("Flow on %d", port), port)
		wanted = append(wanted, s.wanted(s.ready()))
	}
	return wanted
}

func (s *stage) wanted(p plan.Plan) bulk.Wanted {
	return bulk.Wanted{FlowID: s.flow, ID: p.ID, Revision: p.Revision}
}

func (s *stage) startBulk(stopOnFailure bool, wanted ...bulk.Wanted) bulk.Apply {
	s.t.Helper()
	var begun bulk.Apply
	s.admin.Post(units+"/bulk/apply", map[string]any{"items": wanted, "stop_on_failure": stopOnFailure}).Is(202).JSON(&begun)
	return begun
}

func (s *stage) bulkApply(id string) (shown bulk.Apply) {
	s.t.Helper()
	s.admin.Get(units + "/bulk/apply/" + id).Is(200).JSON(&shown)
	return shown
}

func (s *stage) bulkEnded(id string) (shown bulk.Apply) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		shown = s.bulkApply(id)
		return shown.FinishedAt != nil
	}, 60*time.Second, 50*time.Millisecond)
	return shown
}

func statesOf(a bulk.Apply) (states []string) {
	for _, item := range a.Items {
		states = append(states, item.State)
	}
	return states
}

func (s *stage) operation(id string) (state, why string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		o := s.admin.Get("/api/v1/operations/" + id).Is(200)
		state, why = o.Text("state"), o.Text("error")
		return o.Value("finished_at") != nil
	}, 60*time.Second, 50*time.Millisecond)
	return state, why
}

// Plans of many flows are installed as one operation; one whose node is away is refused with its name and keeps back
// nobody.
func TestManyFlowsAreAppliedAsOneOperation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	wanted := s.several(1443, 2443, 3443)
	away := s.flow
	g := s.drawing(4443)
	g.Nodes[1] = graph.Node{Key: "out", Kind: graph.Direct}
	for i := range wanted[:2] {
		s.flow = wanted[i].FlowID
		g.Nodes[0].Params.Listener.Port = 5000 + i
		s.save(g)
		wanted[i] = s.wanted(s.ready())
	}
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Online = false })
	begun := s.startBulk(false, wanted...)
	require.Len(t, begun.Items, 3)
	require.NotEmpty(t, begun.OperationID)
	a := s.bulkEnded(begun.ID)
	require.Equal(t, []string{"applied", "applied", "refused"}, statesOf(a))
	require.Equal(t, "agent_offline", a.Items[2].Code)
	require.Contains(t, a.Items[2].Error, "ams-01")
	require.Equal(t, away, a.Items[2].FlowID)
	require.Nil(t, a.Items[2].ApplyID)
	state, why := s.operation(begun.OperationID)
	require.Equal(t, "failed", state)
	require.Contains(t, why, "1 of 3 flows")
	for _, item := range a.Items[:2] {
		s.flow = item.FlowID
		require.Equal(t, "applied", s.get().State)
		require.Equal(t, *item.ApplyID, s.ended(*item.ApplyID).ApplyID)
	}
}

// Specification, Flow: nothing is installed beyond a plan; each flow keeps the rules of a single apply, so that a draft
// that has moved on is refused with the code of a single apply.
func TestABulkApplyKeepsTheRulesOfASingleOne(t *testing.T) {
	t.Parallel()
	s := setup(t)
	wanted := s.several(1443)
	s.save(s.drawing(1444))
	a := s.bulkEnded(s.startBulk(false, wanted...).ID)
	require.Equal(t, "refused", a.Items[0].State)
	require.Equal(t, "plan_revision_conflict", a.Items[0].Code)
	require.Empty(t, s.fleet.serving("fra-01"))
}

// One after the other: the flows after the first that goes wrong are not begun.
func TestABulkApplyStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	s := setup(t)
	wanted := s.several(1443, 2443, 3443)
	refused := nodesapi.Result{Code: "test_failed", Error: "no"}
	begun, broken := 0, wanted[1].FlowID
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ApplyConfigArgs)
		of := func(c nodesapi.Config) bool {
			return c.Revision == args.Revision && strings.Contains(string(c.Core), broken)
		}
		if !ok || args.Phase != agentapi.PhasePrepare || !slices.ContainsFunc(s.fleet.configs[o.NodeID], of) {
			return nil, false
		}
		begun++
		return &refused, true
	})
	one := s.startBulk(true, wanted...)
	a := s.bulkEnded(one.ID)
	require.Equal(t, []string{"applied", "failed", "skipped"}, statesOf(a))
	require.NotZero(t, begun)
	require.Equal(t, "stopped", a.Items[2].Code)
	require.NotEmpty(t, a.Items[1].Error)
	s.flow = wanted[2].FlowID
	require.Equal(t, "compiled", s.get().State)
	first := s.endOf(wanted[0].FlowID, *a.Items[0].ApplyID)
	require.False(t, s.beginningOf(wanted[1].FlowID, *a.Items[1].ApplyID).Before(first), "one after the other")
	state, _ := s.operation(one.OperationID)
	require.Equal(t, "failed", state)
}

func (s *stage) endOf(flow, apply string) time.Time {
	s.flow = flow
	return *s.ended(apply).FinishedAt
}

func (s *stage) beginningOf(flow, apply string) time.Time {
	s.flow = flow
	return s.ended(apply).StartedAt
}

// Whoever cancels the operation keeps what was not begun from being begun; what goes on comes to its own end.
func TestACancelledBulkApplyBeginsNothingMore(t *testing.T) {
	t.Parallel()
	s := setup(t)
	wanted := s.several(1443, 2443)
	s.fleet.scripted(silence(agentapi.PhasePrepare))
	begun := s.startBulk(true, wanted...)
	require.Eventually(t, func() bool {
		return slices.Equal([]string{"applying", "waiting"}, statesOf(s.bulkApply(begun.ID)))
	}, 60*time.Second, 20*time.Millisecond)
	s.admin.Post("/api/v1/operations/"+begun.OperationID+"/cancel", nil).Is(200)
	a := s.bulkEnded(begun.ID)
	require.Equal(t, []string{"applying", "skipped"}, statesOf(a))
	require.Equal(t, "cancelled", a.Items[1].Code)
	state, _ := s.operation(begun.OperationID)
	require.Equal(t, "cancelled", state)
	s.flow = wanted[1].FlowID
	require.Equal(t, "compiled", s.get().State)
}

// What cannot be meant is refused as a whole, and nothing is begun.
func TestABulkApplyThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	wanted := s.several(1443, 2443)
	path := units + "/bulk/apply"
	crossed := bulk.Wanted{FlowID: wanted[0].FlowID, ID: wanted[1].ID, Revision: wanted[1].Revision}
	for name, items := range map[string][]bulk.Wanted{
		"nothing": {}, "twice": {wanted[0], wanted[0]}, "plan of another flow": {crossed},
		"unknown plan": {{FlowID: wanted[0].FlowID, ID: database.NewID(), Revision: 1}},
		"too many":     make([]bulk.Wanted, 501), "no id": {{FlowID: "x", ID: "'; drop table flows", Revision: 1}},
	} {
		answer := s.admin.Post(path, map[string]any{"items": items})
		require.Equal(t, 422, answer.Status, name)
	}
	s.panel.As("connection_units.view", "connection_units.edit").Post(path, map[string]any{"items": wanted}).
		Refused(403, "permission_denied")
	s.admin.Get(path+"/"+database.NewID()).Refused(404, "not_found")
	s.admin.Get(path+"/zzz").Refused(404, "not_found")
	var applies int
	require.NoError(t, s.panel.DB.NewRaw("select count(*) from flow_applies").Scan(t.Context(), &applies))
	require.Zero(t, applies)
}
