package proxypanel

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
)

// Tests do not wait for the pace; those of this file keep it.
func TestMain(m *testing.M) {
	turnEvery = 5 * time.Millisecond
	os.Exit(m.Run())
}

// A panel is asked at most five times a second, by all panels on the database together.
func TestThePaceIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const step = time.Second / remnawave.PerSecond
	one, other := &pace{b.DB, clockwork.NewRealClock(), step}, &pace{b.DB, clockwork.NewRealClock(), step}
	began := time.Now()
	done := make(chan time.Time)
	const turns = 4
	for _, p := range []*pace{one, other} {
		go func() {
			for range turns {
				_, _ = p.Turn(t.Context(), "https://a.example.com")
				done <- time.Now()
			}
		}()
	}
	var at []time.Time
	for range 2 * turns {
		at = append(at, <-done)
	}
	require.Less(t, at[0].Sub(began), time.Second)
	for i := remnawave.PerSecond; i < len(at); i++ {
		require.Greater(t, at[i].Sub(at[i-remnawave.PerSecond]), 900*time.Millisecond)
	}
}

// Panels do not wait for each other.
func TestEachPanelHasAPaceOfItsOwn(t *testing.T) {
	t.Parallel()
	p := &pace{newBench(t).DB, clockwork.NewRealClock(), time.Minute}
	for _, base := range []string{"https://a.example.com", "https://b.example.com"} {
		wait, err := p.Turn(t.Context(), base)
		require.NoError(t, err)
		require.Zero(t, wait)
	}
}

// A turn that comes too late for the caller is not taken: it says how long to wait, and nobody waits longer for it.
func TestATurnThatComesTooLateIsNotTaken(t *testing.T) {
	t.Parallel()
	p := &pace{newBench(t).DB, clockwork.NewRealClock(), time.Millisecond}
	const base = "https://a.example.com"
	require.NoError(t, p.Hold(t.Context(), base, time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 3 {
		wait, err := p.Turn(ctx, base)
		require.NoError(t, err)
		require.InDelta(t, time.Hour, wait, float64(time.Minute))
	}
}

func TestWhoeverGoesWhileWaitingHasNoTurn(t *testing.T) {
	t.Parallel()
	p := &pace{newBench(t).DB, clockwork.NewRealClock(), time.Millisecond}
	const base = "https://a.example.com"
	require.NoError(t, p.Hold(t.Context(), base, 20*time.Second))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := p.Turn(ctx, base)
	require.ErrorIs(t, err, context.Canceled)
}
