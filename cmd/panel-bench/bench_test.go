package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

var errBroken = errors.New("this goal is broken")

// leftovers is a goal that starts what goals start and then ends in the given way.
type leftovers struct {
	process *rig.Process
	folder  string
	conn    *pgx.Conn
	end     func() error
}

func (l *leftovers) measure(ctx context.Context, b *bench) ([]measure.Result, error) {
	l.folder = b.folder
	dsn, err := b.database(ctx, "leftover")
	if err != nil {
		return nil, err
	}
	if l.conn, err = pgx.Connect(ctx, dsn); err != nil {
		return nil, err
	}
	l.process, err = rig.Start(
		rig.Spec{Name: "sleep", Log: filepath.Join(b.folder, "sleep.log"), Path: "/bin/sleep", Args: []string{"600"}},
	)
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { l.process.Kill(); return nil })
	return nil, l.end()
}

func TestAGoalThatFailsLeavesNothingToTheNextOne(t *testing.T) {
	t.Parallel()
	fails := &leftovers{end: func() error { return errBroken }}
	panics := &leftovers{end: func() error { panic("a mistake in the measurement") }}
	works := &leftovers{end: func() error {
		require.False(t, fails.process.Running())
		require.False(t, panics.process.Running())
		require.NoDirExists(t, fails.folder)
		require.Error(t, fails.conn.Ping(t.Context()), "the connections of a goal end with its database")
		return nil
	}}
	r := measuring(t.Context(), t, goal{"A", fails.measure, time.Minute}, goal{"B", panics.measure, time.Minute},
		goal{"C", works.measure, time.Minute})
	results := r.results()
	require.Len(t, results, 2)
	require.Contains(t, results[0].Notes[0], errBroken.Error())
	require.Contains(t, results[1].Notes[0], "a mistake in the measurement")
	require.Equal(t, exitMissed, r.exitCode())
	require.NoDirExists(t, filepath.Dir(works.folder))
}

// measuring runs the goals and gives their report.
func measuring(ctx context.Context, t *testing.T, of ...goal) *report {
	t.Helper()
	s := settings{out: filepath.Join(t.TempDir(), "bench.json"), grace: 30 * time.Second}
	r := newReport(io.Discard, s)
	require.NoError(t, run(ctx, s, of, r.add))
	require.NoError(t, r.close())
	return r
}

func works(context.Context, *bench) ([]measure.Result, error) {
	return []measure.Result{measure.Below("works", "a figure", "ms", measure.Series{1}, 2)}, nil
}

func TestAGoalThatDoesNotEndIsLeftAloneAndTheNextIsMeasured(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	hangs := func(context.Context, *bench) ([]measure.Result, error) { <-released; return nil, nil }
	s := settings{out: filepath.Join(t.TempDir(), "bench.json"), grace: time.Second}
	r := newReport(io.Discard, s)
	require.NoError(t, run(t.Context(), s, []goal{{"A", hangs, time.Millisecond}, {"B", works, time.Minute}}, r.add))
	require.Equal(t, measure.NotMeasured, measure.Worst(r.outcomes[0].results))
	require.Contains(t, r.results()[0].Notes[0], errTooLong.Error())
	require.Equal(t, measure.Met, measure.Worst(r.outcomes[1].results))
}

func TestAGoalKeepsWhatItMeasuredBeforeItsTimeWasOver(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context, b *bench) ([]measure.Result, error) {
		results, _ := works(ctx, b)
		<-ctx.Done()
		return results, ctx.Err()
	}
	results := measuring(t.Context(), t, goal{"A", slow, time.Millisecond}).results()
	require.Len(t, results, 2)
	require.Equal(t, measure.Met, results[0].Verdict)
	require.Equal(t, measure.NotMeasured, results[1].Verdict)
}

func TestAnInterruptedRunKeepsWhatItHasAndNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupted := func(ctx context.Context, _ *bench) ([]measure.Result, error) { interrupt(); return nil, ctx.Err() }
	r := measuring(ctx, t, goal{"A", works, time.Minute}, goal{"B", interrupted, time.Minute},
		goal{"C", works, time.Minute})
	kept, err := os.ReadFile(r.file)
	require.NoError(t, err)
	var document struct{ Goals []summary }
	require.NoError(t, json.Unmarshal(kept, &document))
	var verdicts []string
	for _, g := range document.Goals {
		verdicts = append(verdicts, g.Goal+" "+string(g.Verdict))
	}
	require.Equal(t, []string{"A met", "B not measured", "C not measured"}, verdicts)
	require.Equal(t, exitMissed, r.exitCode())
}

func TestAGoalThatLeavesSomethingBehindIsMissed(t *testing.T) {
	t.Parallel()
	stuck := func(_ context.Context, b *bench) ([]measure.Result, error) {
		b.atEnd(func() error { return errBroken })
		return nil, nil
	}
	results := measuring(t.Context(), t, goal{"A", stuck, time.Minute}).results()
	require.Len(t, results, 1)
	require.Equal(t, measure.NotMeasured, results[0].Verdict)
}

func TestOnlyGoalsThatExistAreMeasured(t *testing.T) {
	t.Parallel()
	_, err := options([]string{"--only", "P3,nothing"})
	require.ErrorIs(t, err, errUsage)
	s, err := options([]string{"--only", "p3"})
	require.NoError(t, err)
	require.True(t, s.wants("P3"))
	require.False(t, s.wants("P4"))
}

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && modes[os.Args[1]] != nil {
		end(modes[os.Args[1]](os.Args[2]))
	}
	os.Exit(m.Run())
}

// A panel that no attack reached has passed nothing.
func TestAttacksThatWereNotMeasuredAreNoGoodFigure(t *testing.T) {
	t.Parallel()
	none := attackedByAll{most: 80}
	require.Empty(t, none.results(measure.Series{10}, 80))
	some := attackedByAll{worst: 82, name: "slow bodies", most: 176, notes: []string{"slow bodies: p99 82.0 ms"}}
	found := some.results(measure.Series{10}, 80)
	require.Len(t, found, 2)
	require.Equal(t, "worst: slow bodies", found[0].Notes[0])
}
