package flows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// compiledBy gives the statements that a request to compile a flow over so many nodes takes.
func compiledBy(t *testing.T, nodes int) int64 {
	t.Helper()
	s, count := counted(t, nodes)
	s.fleet.mu.Lock()
	for _, n := range s.fleet.nodes {
		n.Online = false
	}
	s.fleet.mu.Unlock()
	s.fleet.scripted(silence(agentapi.PhasePrepare))
	return count.OfRequests(func() { s.compile() })
}

// The checks of a plan are stored in one statement, however many there are.
func TestAPlanTakesAsManyStatementsForManyChecksAsForFew(t *testing.T) {
	t.Parallel()
	few, many := compiledBy(t, 3), compiledBy(t, 60)
	t.Logf("%d statements for 3 nodes, %d for 60", few, many)
	require.LessOrEqual(t, many, few+12, "evidence that comes in meanwhile is stored in batches")
}

// An apply whose nodes are silent writes nothing: neither its row nor its steps.
func TestAnApplyThatWaitsForItsNodesWritesNoSteps(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	id := s.begin(p)
	s.phase(id, "switching")
	written := func() (rows string) {
		require.NoError(
			t,
			s.panel.DB.NewRaw("select string_agg(xmin::text, ' ' order by position) from flow_apply_steps where apply_id = ?", id).
				Scan(t.Context(), &rows),
		)
		return rows
	}
	s.switching(id, "ams-01")
	s.fleet.awaited(t)
	before := written()
	for range 2 {
		s.fleet.awaited(t)
	}
	require.Equal(t, before, written())
	s.fleet.catchUp()
	require.Equal(t, "applied", s.ended(id).State)
}

// awaited returns when a new wait for answers has begun.
func (f *fleet) awaited(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	seen := f.awaits
	f.mu.Unlock()
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.awaits > seen
	}, 60*time.Second, 5*time.Millisecond)
}

// A plan is installed as it was compiled: nothing is compiled for it again, so that no secret of a client is opened.
func TestAnUnchangedPlanIsNotCompiledAgain(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	_, err := s.panel.DB.ExecContext(t.Context(), "update client_flows set secret = 'unreadable'")
	require.NoError(t, err)
	require.Equal(t, "applied", s.ended(s.begin(p)).State)
	require.Equal(t, 500, s.admin.Post(s.path("/plan/preview"), nil).Status)
}

// The content of an older plan is not stored; it is compiled again where it still can be applied.
func TestAPlanWithoutItsContentIsCompiledAgain(t *testing.T) {
	t.Parallel()
	s := setup(t)
	older := s.ready()
	s.ready()
	var stored int
	require.NoError(t, s.panel.DB.NewRaw("select count(*) from flow_plans where content <> ''").Scan(t.Context(),
		&stored))
	require.Equal(t, 1, stored)
	require.Equal(t, "applied", s.ended(s.begin(older)).State)
}
