package canary_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/canary"
	"panel/modules/flows/internal/plan"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func watched() *canary.Watch {
	w := canary.New(&plan.Canary{
		Nodes: []plan.CanaryNode{{NodeID: "a", NodeName: "fra-01", Role: "entry"}}, Rest: 2, WatchS: 60,
		Probes: plan.CanaryProbes{IntervalS: 20, Failures: 2},
		Looks:  []plan.CanaryEntry{{NodeID: "a", Block: "in"}, {NodeID: "a", Block: "in2"}},
	})
	w.Begin(start)
	return w
}

// round lets a round begin when it is due, or later, and answers all its probes.
func round(w *canary.Watch, late time.Duration, ok, says bool, unwell ...canary.Finding) {
	at := w.Due.Add(late)
	w.Round(at, []string{"1", "2"})
	for i := range w.Looks {
		w.Note(i, at, ok, says, plan.Say("x", "said"))
	}
	w.Close(at.Add(time.Second), unwell)
}

// The rest follows after a round that began when the time was over and in which every probe got through; rounds come
// at their interval, and one when the time is over.
func TestTheRestFollowsAfterAGoodRoundAtTheEnd(t *testing.T) {
	t.Parallel()
	w := watched()
	var due []time.Duration
	for range 4 {
		due = append(due, w.Due.Sub(start))
		require.False(t, w.Over())
		round(w, 0, true, true)
	}
	require.Equal(t, []time.Duration{0, 20 * time.Second, 40 * time.Second, 60 * time.Second}, due)
	require.True(t, w.Over())
	require.Equal(t, 4, w.Looks[1].Good)
	require.Nil(t, w.Failed())
}

// A round also begins exactly at the end where the interval would pass over it.
func TestARoundBeginsWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	w := watched()
	w.Probes.IntervalS = 50
	round(w, 0, true, true)
	round(w, 0, true, true)
	require.Equal(t, 60*time.Second, w.Due.Sub(start))
	round(w, 0, true, true)
	require.True(t, w.Over())
}

// Failures in a row end a canary, and one that was made good again does not.
func TestFailuresInARowEndACanary(t *testing.T) {
	t.Parallel()
	w := watched()
	for _, ok := range []bool{false, true, false} {
		round(w, 0, ok, true)
		require.Nil(t, w.Failed())
	}
	round(w, 0, false, true)
	require.Equal(t, "a", w.Failed().NodeID)
	require.Equal(t, 3, w.Looks[0].Bad)
	require.False(t, w.Over())
}

// An agent that was interrupted has said nothing: that fails no canary, and lets none pass.
func TestAnInterruptedProbeSaysNothing(t *testing.T) {
	t.Parallel()
	w := watched()
	for range 6 {
		round(w, 0, false, false)
	}
	require.Nil(t, w.Failed())
	require.False(t, w.Over())
	require.Zero(t, w.Looks[0].Bad)
	round(w, 0, true, true)
	require.True(t, w.Over())
}

// A time in which no panel looked does not count; the seconds that another panel needs to take over do.
func TestATimeWithoutProbesDoesNotCount(t *testing.T) {
	t.Parallel()
	w := watched()
	round(w, 0, true, true)
	round(w, 10*time.Second, true, true)
	require.Equal(t, 60*time.Second, w.Until.Sub(start))
	round(w, time.Hour, true, true)
	require.Equal(t, time.Hour+60*time.Second, w.Until.Sub(start))
	require.False(t, w.Over())
}

// What other modules have against a canary counts like failed probes.
func TestFindingsOfOtherModulesEndACanary(t *testing.T) {
	t.Parallel()
	w, slow := watched(), canary.Finding{Source: "health", NodeID: "a", Text: plan.Say("slow", "it is slow")}
	round(w, 0, true, true, slow)
	require.Nil(t, w.Failed())
	round(w, 0, true, true)
	round(w, 0, true, true, slow)
	require.Nil(t, w.Failed())
	round(w, 0, true, true, slow)
	require.Equal(t, slow, *w.Failed())
	require.False(t, w.Over())
}

// That the rest is held back is news once for each reason.
func TestHoldingIsNewsOnce(t *testing.T) {
	t.Parallel()
	w := watched()
	require.True(t, w.Hold(plan.Say("canary_held", "read-only")))
	require.False(t, w.Hold(plan.Say("canary_held", "read-only")))
	require.True(t, w.Hold(plan.Say("canary_waits", "away")))
	w.End(canary.Passed, start)
	require.Nil(t, w.Held)
	require.True(t, w.Serving())
	require.False(t, w.First())
	w.End(canary.Returned, start.Add(time.Hour))
	require.Equal(t, start, *w.EndedAt)
	require.False(t, w.Serving())
}
