package flows_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// Trap 4: an agent that goes away during an apply leaves the previous configuration serving and nothing half-applied.
func TestAnAgentThatGoesAwayLeavesThePreviousVersionServing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	entry, exit := s.fleet.serving("fra-01"), s.fleet.serving("ams-01")
	s.save(s.drawing(8443))
	p := s.ready()
	s.fleet.scripted(
		refusal(s.fleet.id("fra-01"), agentapi.PhaseSwitch, nodesapi.Result{Code: string(agentapi.CodeExpired)}),
	)
	a := s.ended(s.apply(p).ApplyID)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "expired", a.Error.Code)
	require.Equal(t, entry, s.fleet.serving("fra-01"))
	require.Equal(t, exit, s.fleet.serving("ams-01"))
	require.Contains(t, s.fleet.phases("fra-01"), "revert")
	f := s.get()
	require.Equal(t, "apply_failed", f.State)
	require.Equal(t, 1, *f.InstalledVersionNumber)
	s.admin.Post(s.path("/connection-link"), nil).Is(200)
}

// An agent that is away before the apply begins: 422 agent_offline, also under force.
func TestAnAbsentAgentRefusesTheApply(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Online = false })
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(422, "agent_offline")
	require.Empty(t, s.fleet.phases("ams-01"))
}

// Trap 5: a configuration that the core refuses shows the core's own words; no node switches.
func TestTheCoresWordsAreInTheStepAndNothingSwitches(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(refusal(s.fleet.id("ams-01"), agentapi.PhasePrepare, nodesapi.Result{
		Code: string(
			agentapi.CodeCoreRefused,
		),
		Stage:      string(agentapi.StageTest),
		Error:      "the core refuses it",
		StderrTail: "line 7: no",
	}))
	a := s.ended(s.apply(p).ApplyID)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "line 7: no", a.Steps[0].Error.Output)
	require.Equal(t, "failed", a.Steps[0].Stages[1].State, "the stage is the test")
	for _, node := range []string{"ams-01", "fra-01"} {
		require.Equal(t, []string{"prepare", "revert"}, s.fleet.phases(node))
	}
	require.Nil(t, s.get().InstalledRevision)
}

// A real client that does not get through the new listener takes the nodes back.
func TestAFailedProbeReverts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ProbeArgs)
		return &nodesapi.Result{Code: string(agentapi.CodeUnreachable), Error: "no answer"}, ok && args.Through != nil
	})
	a := s.ended(s.apply(p).ApplyID)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, []string{"prepare", "switch", "revert"}, s.fleet.phases("fra-01"))
}

// A panel that stops in the middle is followed by the next one, which brings the apply to its end.
func TestAnotherPanelFinishesAnInterruptedApply(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	id := s.admin.Post(s.path("/apply?wait=0"), order(p, false)).Is(200).Text("apply_id")
	require.Eventually(t, func() bool { return len(s.fleet.phases("ams-01")) == 2 }, time.Minute,
		10*time.Millisecond)
	require.NoError(t, s.panel.App.Stop(t.Context()))
	s.fleet.scripted(nil)
	s.panel = paneltest.Start(
		t,
		paneltest.On(s.panel.DB),
		paneltest.Modules(s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module()),
	)
	s.admin = s.panel.Admin()
	s.fleet.catchUp() // the agent has carried out what it was ordered while no panel ran
	require.Equal(t, "applied", s.ended(id).State)
}

// After a pause of the whole machine the lease of a running apply has ended: its own panel starts no second driver
// beside the first, and the apply ends as if nothing had been.
func TestAnApplyHasOneDriverAlsoWhenItsLeaseEnds(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	id := s.admin.Post(s.path("/apply?wait=0"), order(p, false)).Is(200).Text("apply_id")
	require.Eventually(t, func() bool { return len(s.fleet.phases("ams-01")) == 2 }, time.Minute,
		10*time.Millisecond)
	s.fleet.mostAtOnce()
	for range 3 {
		_, err := s.panel.DB.ExecContext(t.Context(), "update flow_applies set lease_until = 'epoch' where id = ?", id)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			var renewed bool
			require.NoError(
				t,
				s.panel.DB.NewRaw("select lease_until > now() from flow_applies where id = ?", id).
					Scan(t.Context(), &renewed),
			)
			return renewed
		}, 60*time.Second, 10*time.Millisecond)
	}
	require.LessOrEqual(t, s.fleet.mostAtOnce(), 1, "one driver waits for the answers")
	s.fleet.catchUp()
	require.Equal(t, "applied", s.ended(id).State)
}

// Whatever answer of the fleet gets lost after it has taken effect, as when a panel is killed between an order and its
// note, the apply is continued: every node ends with the new revision, and no lock is left.
func TestAnApplySurvivesALostAnswerAtEveryCall(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	for lost, reached := 1, true; reached; lost++ {
		s.save(s.drawing(2000 + lost))
		p := s.ready()
		s.fleet.loseAnswer(lost)
		a := s.ended(s.apply(p).ApplyID)
		require.Equal(t, "applied", a.State, "answer %d: %+v", lost, a)
		reached = s.fleet.wasLost()
		for _, node := range []string{"fra-01", "ams-01"} {
			require.Contains(t, s.fleet.serving(node), s.flow)
		}
		require.Contains(t, s.fleet.serving("fra-01"), fmt.Sprintf(`"port":"%d"`, 2000+lost))
	}
	n, err := s.panel.DB.NewSelect().Table("flow_node_locks").Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}
