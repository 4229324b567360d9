package nodesapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Lacking names each node once that lacks any of the capabilities, in the sequence of the nodes; asked for nothing,
// nobody lacks it.
func TestLackingNamesWhoCannotDoAll(t *testing.T) {
	t.Parallel()
	nodes := []Node{
		{Name: "all", Capabilities: []string{"a", "b", "c"}},
		{Name: "some", Capabilities: []string{"a"}},
		{Name: "none"},
		{Name: "case", Capabilities: []string{"A", "B"}},
	}
	named := func(capabilities ...string) (names []string) {
		for _, n := range Lacking(nodes, capabilities...) {
			names = append(names, n.Name)
		}
		return names
	}
	require.Equal(t, []string{"some", "none", "case"}, named("a", "b"))
	require.Equal(t, []string{"none", "case"}, named("a"))
	require.Equal(t, []string{"all", "some", "none", "case"}, named("d", "a"))
	require.Empty(t, named())
	require.Empty(t, Lacking(nil, "a"))
}

// A reading says how a node does now for two intervals of sampling.
func TestAReadingIsFreshForThirtySeconds(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for age, fresh := range map[time.Duration]bool{
		0: true, 29 * time.Second: true, 30 * time.Second: false,
		time.Hour: false, -time.Second: true,
	} {
		require.Equal(t, fresh, Reading{ObservedAt: now.Add(-age)}.Fresh(now), age)
	}
	require.False(t, Reading{}.Fresh(now))
}
