package flows_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

var errBroken = errors.New("the store of candidates is broken")

// worn lets the next failure of an apply be its last: it has failed so often before.
func (s *stage) worn(id string) {
	s.t.Helper()
	const oneLess = 9 // than the attempts of a process
	_, err := s.panel.DB.ExecContext(s.t.Context(), `update flow_applies set lease_failures = ?, lease_until = now()
		where id = ? and lease_token = ''`, oneLess, id)
	require.NoError(s.t, err)
	require.NoError(s.t, database.Notify(s.t.Context(), s.panel.DB, "lease", "flow_applies "+id))
}

// givenUp wears an apply out until it has ended.
func (s *stage) givenUp(id string) (a flows.Apply) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.worn(id)
		s.admin.Get(s.path("/applies/" + id)).Is(200).JSON(&a)
		return a.FinishedAt != nil
	}, 60*time.Second, 200*time.Millisecond)
	return a
}

// ends lists what the journal says about the ends of applies.
func (s *stage) ends() (actions []string) {
	s.t.Helper()
	require.NoError(s.t, s.panel.DB.NewRaw(`select action from journal where object_id = ? and action in
		('flow.apply_failed', 'flow.apply_succeeded', 'flow.disabled', 'flow.deleted')`, s.flow).Scan(s.t.Context(), &actions))
	return actions
}

// An apply whose steps fail again and again does not go on for ever: the reason stands on its row, its nodes are
// free, what is installed goes on, what stages did is undone, and it is told like every apply that fails.
func TestAnApplyThatCannotGoOnIsGivenUp(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	s.install()
	require.Eventually(
		t,
		func() bool { return len(o.left()) == 3 && s.get().Drift.State == "in_sync" },
		30*time.Second,
		10*time.Millisecond,
	)
	serving := s.fleet.serving("fra-01")
	o.forget()
	s.save(s.drawing(8443))
	p := s.ready()
	news := s.panel.Bus().Subscribe(t.Context())
	s.fleet.breaks(errBroken)
	a := s.givenUp(s.begin(p))

	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "gave_up", a.Error.Code)
	require.Contains(t, a.Error.Message, errBroken.Error())
	require.Contains(t, a.Detail, "installed version keeps running")
	require.Zero(t, s.locks())
	require.Equal(t, serving, s.fleet.serving("fra-01"))
	require.ElementsMatch(t, []string{"flow.apply_succeeded", "flow.apply_failed"}, s.ends())
	require.Eventually(t, func() bool {
		for len(news) > 0 {
			if e := <-news; e.Kind == flowsapi.EventApplyFailed && e.SubjectID == s.flow {
				return true
			}
		}
		return false
	}, 60*time.Second, 10*time.Millisecond)
	require.Eventually(
		t,
		func() bool { return len(o.left()) == 0 },
		30*time.Second,
		10*time.Millisecond,
		"undone by a followup",
	)

	s.fleet.breaks(nil)
	require.Equal(t, "applied", s.ended(s.begin(p)).State, "the flow is free")
}

// What was decided is installed, also when the panel cannot tell the agents: they follow what they shall serve.
func TestAnApplyThatIsDecidedIsInstalledAlsoWhenItIsGivenUp(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	p := s.ready()
	s.fleet.refuses(agentapi.PhaseCommit, errBroken)
	id := s.begin(p)
	s.phase(id, "committing")
	a := s.givenUp(id)
	require.Equal(t, "applied", a.State)
	require.Equal(t, "gave_up", a.Error.Code)
	require.Zero(t, s.locks())
	require.Contains(t, s.fleet.serving("fra-01"), s.flow)
	require.Equal(t, 1, *s.get().InstalledVersionNumber)
	require.Eventually(
		t,
		func() bool { return slices.Equal(o.left(), []string{"parts.after", "parts.before", "parts.ready"}) },
		30*time.Second,
		10*time.Millisecond,
		"nothing is undone, and the stage after the commit has its turn",
	)
}

// A removal that cannot tell the nodes is given up as well: the flow stays as it is and can be removed again.
func TestARemovalThatIsGivenUpLeavesTheFlow(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.fleet.breaks(errBroken)
	a := s.givenUp(s.admin.Delete(s.path("")).Is(202).Text("apply_id"))
	require.Equal(t, "apply_failed", a.State)
	require.True(t, s.get().Enabled)
	s.fleet.breaks(nil)
	s.admin.Delete(s.path("")).Is(202)
	require.Eventually(
		t,
		func() bool { return s.admin.Get(s.path("")).Status == 404 },
		30*time.Second,
		20*time.Millisecond,
	)
	require.Empty(t, s.fleet.serving("fra-01"))
}

// breaks makes the fleet refuse candidates, as a database that does not answer would.
func (f *fleet) breaks(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
}

// refuses makes the fleet take no orders of a phase.
func (f *fleet) refuses(phase agentapi.ApplyPhase, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused = func(o nodesapi.Order) error {
		if args, is := o.Args.(agentapi.ApplyConfigArgs); is && args.Phase == phase {
			return err
		}
		return nil
	}
}

// A failure that passes is tried again: the apply goes on from where it stood.
func TestAFailureOfTheFleetIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.breaks(errBroken)
	id := s.begin(p)
	require.Eventually(t, func() bool {
		var failed int
		require.NoError(
			t,
			s.panel.DB.NewRaw("select lease_failures from flow_applies where id = ?", id).Scan(t.Context(), &failed),
		)
		return failed > 0
	}, 60*time.Second, 10*time.Millisecond)
	s.fleet.breaks(nil)
	require.Equal(t, "applied", s.ended(id).State)
}
