package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

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
	results, err := run(
		t.Context(),
		settings{},
		[]goal{{"A", fails.measure}, {"B", panics.measure}, {"C", works.measure}},
	)
	require.NoError(t, err)
	require.Len(t, results, 2)
	require.Contains(t, results[0].Notes[0], errBroken.Error())
	require.Contains(t, results[1].Notes[0], "a mistake in the measurement")
	require.Equal(t, exitMissed, exitCode(results))
	require.NoDirExists(t, filepath.Dir(works.folder))
}

func TestAGoalThatLeavesSomethingBehindIsMissed(t *testing.T) {
	t.Parallel()
	stuck := func(_ context.Context, b *bench) ([]measure.Result, error) {
		b.atEnd(func() error { return errBroken })
		return nil, nil
	}
	results, err := run(t.Context(), settings{}, []goal{{"A", stuck}})
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, measure.Missed, results[0].Verdict)
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
