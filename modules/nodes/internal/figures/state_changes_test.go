package figures

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Changes are told newest first, with what the node was before, within the time that is asked for.
func TestChangesOfStatesAreTold(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	lost, back := s.add(node{name: "lost"}), s.add(node{name: "back"})
	s.turned(lost, 5*time.Hour, "unknown", "online")
	s.turned(lost, 2*time.Hour, "online", "offline")
	s.turned(back, 3*time.Hour, "online", "degraded")
	s.turned(back, time.Hour, "degraded", "online")
	told := func(of string, from time.Duration, limit int) (words []string, total int) {
		t.Helper()
		got, err := s.StateChanges(t.Context(), Span{NodeID: of, From: s.now().Add(-from), To: s.now(), Limit: limit})
		require.NoError(t, err)
		require.NotNil(t, got.Items)
		for _, change := range got.Items {
			words = append(words, change.Name+": "+change.Was+" to "+change.State)
		}
		return words, got.Total
	}

	all, total := told("", 24*time.Hour, 50)
	require.Equal(t, []string{
		"back: degraded to online", "lost: online to offline", "back: online to degraded",
	}, all, "the first word of an agent is no change")
	require.Equal(t, 3, total)

	first, total := told("", 24*time.Hour, 1)
	require.Equal(t, []string{"back: degraded to online"}, first)
	require.Equal(t, 3, total, "nothing is cut without saying how much")

	lately, _ := told("", 90*time.Minute, 50)
	require.Equal(t, []string{"back: degraded to online"}, lately)
	own, _ := told(lost, 24*time.Hour, 50)
	require.Equal(t, []string{"lost: online to offline"}, own)
	none, total := told("", time.Minute, 50)
	require.Empty(t, none)
	require.Zero(t, total)
}
