package doctor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func environment() Env { return Env{Getenv: func(string) string { return "" }, Now: time.Now} }

func answering(f Finding) Check {
	return Check{ID: "a", Run: func(context.Context, Env) Finding { return f }}
}

// Rule: a failed check does not stop the others; neither does one that hangs or panics.
// Specification, Command-line interface: "a failed check does not stop the others".
func TestNothingStopsTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, nothingStopsTheOthers)
}

// nothingStopsTheOthers runs where time passes only while everybody waits: the limit ends no check that still works.
func nothingStopsTheOthers(t *testing.T) {
	released := make(chan struct{})
	defer close(released)
	hanging := Check{ID: "hangs", Run: func(context.Context, Env) Finding { <-released; return Finding{Status: OK} }}
	broken := Check{ID: "breaks", Run: func(context.Context, Env) Finding { panic("nothing there") }}
	checks := []Check{answering(Finding{Status: Failed}), hanging, broken, answering(Finding{Status: OK})}
	report := run(t.Context(), environment(), checks, Limit)
	require.Equal(t, map[Status]int{OK: 1, Warning: 0, Failed: 1, Skipped: 0, Unknown: 2}, report.Summary())
	require.Equal(t, "hangs", report.Results[1].Check.ID, "the report keeps the order of the checks")
	require.Equal(t, "nothing there", report.Results[2].Finding.Found.Args[0])
}

// Checks run beside each other: together they take as long as the slowest.
func TestChecksRunTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, checksRunTogether)
}

func checksRunTogether(t *testing.T) {
	meeting := make(chan struct{})
	left := Check{ID: "left", Run: func(context.Context,
		Env,
	) Finding {
		meeting <- struct{}{}
		return Finding{Status: OK}
	}}
	right := Check{ID: "right", Run: func(context.Context, Env) Finding { <-meeting; return Finding{Status: OK} }}
	require.Equal(t, 2, run(t.Context(), environment(), []Check{left, right}, Limit).Summary()[OK])
}
