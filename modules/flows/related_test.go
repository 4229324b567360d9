package flows_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
)

// Whoever shows nodes that fail learns which installed flows they carry, all groups with one question, and names only
// for callers who may see flows.
func TestTheFlowsOfFailingNodesAreKnownToWhoShowsThem(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	entry, exit := s.fleet.id("ams-01"), s.fleet.id("fra-01")
	groups := [][]string{{entry, exit}, {"0199a0de-0000-7000-8000-000000000009"}, {exit}, {}}
	seeing := access.With(t.Context(), access.Caller{Permissions: access.Set{"connection_units.view"}})
	got, err := s.fleet.related(seeing, groups, 10)
	require.NoError(t, err)
	europe := nodesapi.Related{Count: 1, First: []nodesapi.Named{{ID: s.flow, Name: "Europe main"}}}
	require.Equal(t, []nodesapi.Related{europe, {}, europe, {}}, got)
	blind, err := s.fleet.related(context.Background(), groups, 10)
	require.NoError(t, err)
	require.Equal(t, 1, blind[0].Count)
	require.Empty(t, blind[0].First)
}
