package stages_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/stages"
)

var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

func at(moment time.Time) func() time.Time { return func() time.Time { return moment } }

func ends(out flowsapi.Outcome, err error) func(context.Context, flowsapi.Apply) (flowsapi.Outcome, error) {
	return func(context.Context, flowsapi.Apply) (flowsapi.Outcome, error) { return out, err }
}

func well(name string, point flowsapi.Point) flowsapi.Stage {
	return flowsapi.Stage{Name: name, At: point, Do: ends(flowsapi.Outcome{}, nil)}
}

func registry(all ...flowsapi.Stage) *stages.Registry {
	r := stages.NewRegistry()
	r.Add(all...)
	return r
}

// The turns of stages do not depend on the order in which modules were composed: points first, then names.
func TestStagesHaveTheirTurnsByPointAndName(t *testing.T) {
	t.Parallel()
	r := stages.NewRegistry()
	r.Add(well("panels.sync", flowsapi.AfterCommit), well("cdn.provision", flowsapi.BeforePrepare))
	r.Add(well("cdn.switch", flowsapi.BeforeSwitch), well("acme.issue", flowsapi.BeforePrepare))
	var names []string
	for _, rec := range r.Records() {
		require.Equal(t, stages.Pending, rec.State)
		require.Zero(t, rec.Attempts)
		names = append(names, rec.Name)
	}
	require.Equal(t, []string{"acme.issue", "cdn.provision", "cdn.switch", "panels.sync"}, names)
}

// A stage that can not work ends the start of the panel, with its name and the reason.
func TestAStageThatCanNotWorkEndsTheStart(t *testing.T) {
	t.Parallel()
	broken := func(change func(s *flowsapi.Stage)) flowsapi.Stage {
		s := well("cdn.provision", flowsapi.BeforePrepare)
		change(&s)
		return s
	}
	for want, s := range map[string]flowsapi.Stage{
		`the stage "" needs a name of a module and a verb, cdn.provision`:         broken(func(s *flowsapi.Stage) { s.Name = "" }),
		`the stage "cdn" needs a name of a module and a verb, cdn.provision`:      broken(func(s *flowsapi.Stage) { s.Name = "cdn" }),
		`the stage "CDN.make" needs a name of a module and a verb, cdn.provision`: broken(func(s *flowsapi.Stage) { s.Name = "CDN.make" }),
		`the stage "cdn.provision" is at no point of an apply`:                    broken(func(s *flowsapi.Stage) { s.At = "sometime" }),
		`the stage "cdn.provision" does nothing`:                                  broken(func(s *flowsapi.Stage) { s.Do = nil }),
		`the stage "cdn.provision" is never undone after the commit`: broken(func(s *flowsapi.Stage) {
			s.At, s.Undo = flowsapi.AfterCommit, func(context.Context, flowsapi.Apply) error { return nil }
		}),
	} {
		require.PanicsWithValue(t, want, func() { stages.NewRegistry().Add(s) })
	}
	r := registry(well("cdn.provision", flowsapi.BeforePrepare))
	require.PanicsWithValue(
		t,
		`the stage "cdn.provision" is there twice`,
		func() { r.Add(well("cdn.provision", flowsapi.AfterCommit)) },
	)
}

// What a call came to decides what the apply does next.
func TestTheOutcomeOfACallMovesTheRecord(t *testing.T) {
	t.Parallel()
	later := start.Add(time.Minute)
	said := flowsapi.Text{Code: "made", Text: "it is made"}
	for name, c := range map[string]struct {
		out      flowsapi.Outcome
		err      error
		state    string
		failure  string
		finished bool
		again    *time.Time
	}{
		"done": {
			out: flowsapi.Outcome{Result: flowsapi.Done, Detail: said}, state: stages.Done,
			finished: true,
		},
		"an empty outcome": {state: stages.Done, finished: true},
		"none of its business": {
			out: flowsapi.Outcome{Result: flowsapi.Nothing}, state: stages.Skipped,
			finished: true,
		},
		"not yet": {
			out: flowsapi.Outcome{Result: flowsapi.Again, At: later}, state: stages.Waiting,
			again: &later,
		},
		"an error": {
			err: errors.New("the CDN refuses"), state: stages.Failed, failure: "the CDN refuses",
			finished: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := well("cdn.provision", flowsapi.BeforePrepare)
			s.Do = ends(c.out, c.err)
			r := registry(s)
			rec := &r.Records()[0]
			rec.Begin(start)
			r.Do(t.Context(), rec, flowsapi.Apply{}, at(start.Add(time.Second)))
			require.Equal(t, c.state, rec.State)
			require.Equal(t, c.failure, rec.Error)
			require.Equal(t, c.out.Detail, rec.Detail)
			require.Equal(t, c.finished, rec.FinishedAt != nil)
			require.Equal(t, c.again, rec.AgainAt)
			require.Equal(t, 1, rec.Attempts)
		})
	}
}

// A stage of a module learns of the apply that calls it, the same at every call.
func TestAStageIsToldAboutItsApply(t *testing.T) {
	t.Parallel()
	var calls []flowsapi.Apply
	s := well("cdn.provision", flowsapi.BeforePrepare)
	s.Do = func(_ context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
		calls = append(calls, a)
		return flowsapi.Outcome{}, nil
	}
	s.Undo = func(_ context.Context, a flowsapi.Apply) error {
		calls = append(calls, a)
		return nil
	}
	r := registry(s)
	rec := &r.Records()[0]
	a := flowsapi.Apply{ID: "apply", By: "anna", Change: flowsapi.Change{FlowID: "flow", Kind: flowsapi.KindApply}}
	rec.Begin(start)
	r.Do(t.Context(), rec, a, at(start))
	rec.BeginUndo(start)
	r.Undo(t.Context(), rec, a, at(start))
	require.Equal(t, []flowsapi.Apply{a, a}, calls)
}

// A panic of a module is the failure of its stage, not the end of the panel.
func TestAPanicIsAFailure(t *testing.T) {
	t.Parallel()
	s := well("cdn.provision", flowsapi.BeforePrepare)
	s.Do = func(context.Context, flowsapi.Apply) (flowsapi.Outcome, error) { panic("no account") }
	s.Undo = func(context.Context, flowsapi.Apply) error { panic("no account") }
	r := registry(s)
	rec := &r.Records()[0]
	rec.Begin(start)
	r.Do(t.Context(), rec, flowsapi.Apply{}, at(start))
	require.Equal(t, stages.Failed, rec.State)
	require.Equal(t, "panic: no account", rec.Error)
	rec.BeginUndo(start)
	r.Undo(t.Context(), rec, flowsapi.Apply{}, at(start))
	require.Equal(t, stages.Undoing, rec.State, "it is repeated")
	require.Equal(t, "panic: no account", rec.UndoError)
}

// When the panel stops in the middle of a call, nothing is known of its outcome: the record stays, and the call is
// repeated.
func TestACallThatTheEndOfThePanelCutIsNotJudged(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s := well("cdn.provision", flowsapi.BeforePrepare)
	s.Do = func(ctx context.Context, _ flowsapi.Apply) (flowsapi.Outcome, error) {
		stop()
		return flowsapi.Outcome{}, ctx.Err()
	}
	s.Undo = func(ctx context.Context, _ flowsapi.Apply) error { return ctx.Err() }
	r := registry(s)
	rec := &r.Records()[0]
	rec.Begin(start)
	r.Do(ctx, rec, flowsapi.Apply{}, at(start))
	require.Equal(t, stages.Running, rec.State)
	require.Empty(t, rec.Error)
	rec.BeginUndo(start)
	r.Undo(ctx, rec, flowsapi.Apply{}, at(start))
	require.Equal(t, stages.Undoing, rec.State)
	require.Empty(t, rec.UndoError)
}

// A call is bounded, so that a module that hangs does not hold an apply for ever.
func TestACallHasADeadline(t *testing.T) {
	t.Parallel()
	var left time.Duration
	s := well("cdn.provision", flowsapi.BeforePrepare)
	s.Do = func(ctx context.Context, _ flowsapi.Apply) (flowsapi.Outcome, error) {
		until, bounded := ctx.Deadline()
		require.True(t, bounded)
		left = time.Until(until)
		return flowsapi.Outcome{}, nil
	}
	r := registry(s)
	rec := &r.Records()[0]
	rec.Begin(start)
	r.Do(t.Context(), rec, flowsapi.Apply{}, at(start))
	require.LessOrEqual(t, left, flowsapi.CallLimit)
}

// A stage whose module was removed from the panel fails before the commit, and cannot be undone by anybody else.
func TestAStageWhoseModuleIsGoneFails(t *testing.T) {
	t.Parallel()
	r := stages.NewRegistry()
	rec := &stages.Record{Name: "cdn.provision", At: flowsapi.BeforePrepare, State: stages.Pending}
	rec.Begin(start)
	r.Do(t.Context(), rec, flowsapi.Apply{}, at(start))
	require.Equal(t, stages.Failed, rec.State)
	require.Contains(t, rec.Error, "not in this panel any more")
	rec.BeginUndo(start)
	r.Undo(t.Context(), rec, flowsapi.Apply{}, at(start))
	require.Equal(t, stages.Undoing, rec.State)
	require.Contains(t, rec.UndoError, "not in this panel any more")
}

// What changes nothing has nothing to undo; what failed to undo is tried again and then forgets its error.
func TestUndoingEndsWhenItHolds(t *testing.T) {
	t.Parallel()
	r := registry(well("cdn.look", flowsapi.BeforePrepare))
	rec := &r.Records()[0]
	rec.Begin(start)
	rec.BeginUndo(start)
	r.Undo(t.Context(), rec, flowsapi.Apply{}, at(start.Add(time.Second)))
	require.Equal(t, stages.Undone, rec.State)
	require.Equal(t, start.Add(time.Second), *rec.FinishedAt)

	away := errors.New("away")
	s := well("cdn.provision", flowsapi.BeforePrepare)
	s.Undo = func(context.Context, flowsapi.Apply) error { return away }
	r = registry(s)
	rec = &r.Records()[0]
	rec.BeginUndo(start)
	r.Undo(t.Context(), rec, flowsapi.Apply{}, at(start))
	require.Equal(t, "away", rec.UndoError)
	away = nil
	rec.BeginUndo(start.Add(time.Hour))
	require.Equal(t, start, *rec.UndoneFrom, "since the first attempt")
	r.Undo(t.Context(), rec, flowsapi.Apply{}, at(start.Add(time.Hour)))
	require.Equal(t, stages.Undone, rec.State)
	require.Empty(t, rec.UndoError)
}

// The next stage of a point is the first one whose turn is not over.
func TestTheNextStageIsTheFirstThatIsNotOver(t *testing.T) {
	t.Parallel()
	before := flowsapi.BeforePrepare
	of := func(states ...string) []stages.Record {
		out := []stages.Record{{Name: "after", At: flowsapi.AfterCommit, State: stages.Pending}}
		for i, state := range states {
			out = append(out, stages.Record{Name: string(rune('a' + i)), At: before, State: state})
		}
		return out
	}
	for _, c := range []struct {
		states []string
		next   string
		undo   string
	}{
		{nil, "", ""},
		{[]string{stages.Pending, stages.Pending}, "a", ""},
		{[]string{stages.Done, stages.Pending}, "b", "a"},
		{[]string{stages.Skipped, stages.Waiting}, "b", "b"},
		{[]string{stages.Skipped, stages.Pending}, "b", ""},
		{[]string{stages.Done, stages.Running, stages.Pending}, "b", "b"},
		{[]string{stages.Done, stages.Failed, stages.Pending}, "c", "b"},
		{[]string{stages.Done, stages.Undone}, "", "a"},
		{[]string{stages.Undoing, stages.Undone}, "", "a"},
		{[]string{stages.Undone, stages.UndoFailed}, "", ""},
		{[]string{stages.Done, stages.Superseded}, "", "a"},
	} {
		name := func(rec *stages.Record) string {
			if rec == nil {
				return ""
			}
			return rec.Name
		}
		require.Equal(t, c.next, name(stages.Next(of(c.states...), before)), "next of %v", c.states)
		require.Equal(t, c.undo, name(stages.NextUndo(of(c.states...))), "undo of %v", c.states)
	}
}

// The limit of a stage counts from its first call, with its waiting; that of its undoing from the first attempt.
func TestLimitsCountFromTheFirstCall(t *testing.T) {
	t.Parallel()
	s := well("cdn.provision", flowsapi.BeforePrepare)
	s.Limit = 30 * time.Minute
	r := registry(s, well("acme.issue", flowsapi.BeforePrepare))
	for name, limit := range map[string]time.Duration{
		"cdn.provision": 30 * time.Minute, "acme.issue": stages.UsualLimit,
		"gone.away": stages.UsualLimit,
	} {
		rec := &stages.Record{Name: name}
		require.False(t, r.Late(rec, start.Add(24*time.Hour)), "it has not begun")
		require.False(t, r.UndoLate(rec, start.Add(24*time.Hour)))
		rec.Begin(start)
		rec.Begin(start.Add(time.Minute))
		require.Equal(t, 2, rec.Attempts)
		require.False(t, r.Late(rec, start.Add(limit-1)), name)
		require.True(t, r.Late(rec, start.Add(limit)), name)
		rec.BeginUndo(start.Add(time.Hour))
		rec.BeginUndo(start.Add(2 * time.Hour))
		require.False(t, r.UndoLate(rec, start.Add(time.Hour+limit-1)), name)
		require.True(t, r.UndoLate(rec, start.Add(time.Hour+limit)), name)
	}
}

// A stage that waits is not called before its time, and at once when its time has passed while no panel ran.
func TestAWaitEndsAtItsTime(t *testing.T) {
	t.Parallel()
	rec := &stages.Record{}
	require.Zero(t, rec.Wait(start))
	again := start.Add(time.Minute)
	rec.AgainAt = &again
	require.Equal(t, time.Minute, rec.Wait(start))
	require.Equal(t, time.Second, rec.Wait(again.Add(-time.Second)))
	require.Zero(t, rec.Wait(again))
	require.Zero(t, rec.Wait(again.Add(time.Hour)))
	rec.Begin(again)
	require.Nil(t, rec.AgainAt)
}
