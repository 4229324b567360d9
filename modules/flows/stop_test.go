package flows_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

func (s *stage) stop(id string) int {
	s.t.Helper()
	return s.admin.Post(s.path("/applies/"+id+"/stop"), nil).Status
}

// A stopped apply ends as a failed one, with everything reverted, wherever it was; stopping it again changes nothing.
func TestAStoppedApplyRevertsEverything(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]func(s *stage, o *outside){
		"while a stage waits": func(_ *stage, o *outside) {
			o.scripted(func(stage string, _ int) (flowsapi.Outcome, error) {
				if stage == "parts.before" {
					return again(time.Hour)
				}
				return flowsapi.Outcome{}, nil
			}, nil)
		},
		"while nodes prepare": func(s *stage, _ *outside) { s.fleet.scripted(silence(agentapi.PhasePrepare)) },
		"while nodes switch":  func(s *stage, _ *outside) { s.fleet.scripted(silence(agentapi.PhaseSwitch)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o := withParts(t)
			p := s.ready()
			hang(s, o)
			id := s.begin(p)
			require.Eventually(t, func() bool { return len(o.left()) > 0 }, 60*time.Second, 10*time.Millisecond)
			require.Equal(t, http.StatusAccepted, s.stop(id))
			require.Equal(t, http.StatusAccepted, s.stop(id))
			a := s.ended(id)
			require.Equal(t, "apply_failed", a.State)
			require.Equal(t, "stopped", a.Error.Code)
			require.NotEmpty(t, *a.StoppedBy)
			require.Empty(t, o.left())
			require.Zero(t, s.locks())
			require.Empty(t, s.fleet.serving("fra-01"))
			require.Equal(t, http.StatusAccepted, s.stop(id), "also when it is over")
			var noted int
			require.NoError(
				t,
				s.panel.DB.NewRaw("select count(*) from journal where action = 'flow.apply_stopped'").
					Scan(t.Context(), &noted),
			)
			require.Equal(t, 1, noted)
		})
	}
}

func TestAnInstalledApplyCannotBeStopped(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.install()
	s.admin.Post(s.path("/applies/"+a.ApplyID+"/stop"), nil).Refused(http.StatusConflict, "apply_committed")
	for _, id := range []string{"zzz", database.NewID()} {
		s.admin.Post(s.path("/applies/"+id+"/stop"), nil).Refused(http.StatusNotFound, "not_found")
	}
}

// Whether the stop or the commit was first is decided once: who was told that it stops finds it failed, and who was
// told that it is too late finds it installed.
func TestAStopAndTheCommitNeverBothWin(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for round := range 10 { // the fleet is asked six times or more in an apply
		s.save(s.drawing(2000 + round))
		p, before := s.ready(), s.fleet.calls()
		id := s.begin(p)
		require.Eventually(
			t,
			func() bool { return s.fleet.calls() >= before+min(round, 6) },
			30*time.Second,
			time.Millisecond,
		)
		status := s.stop(id)
		a := s.ended(id)
		want := map[int]string{http.StatusAccepted: "apply_failed", http.StatusConflict: "applied"}[status]
		require.Equal(t, want, a.State, "round %d", round)
	}
}

// The record of an apply can be read while the request that began it still waits for its end.
func TestAnApplyCanBeFollowedWhileItsRequestWaits(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	answered := make(chan flows.Apply, 1)
	go func() {
		var a flows.Apply
		s.admin.Post(s.path("/apply?wait=25"), order(p, false)).JSON(&a)
		answered <- a
	}()
	var id string
	require.Eventually(t, func() bool {
		f := s.get()
		if f.LastApplyID != nil {
			id = *f.LastApplyID
		}
		return f.State == "applying"
	}, 60*time.Second, 10*time.Millisecond)
	require.Equal(t, "switching", s.phase(id, "switching").Phase)
	require.Empty(t, answered, "the request waits")
	s.fleet.catchUp()
	require.Equal(t, "applied", (<-answered).State)
}
