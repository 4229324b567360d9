package geo

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

func drawing() graph.Graph {
	return graph.Graph{Edges: []graph.Edge{
		{},
		{Match: &graph.Match{Geosite: []string{"Ads", "own.dat:list"}, GeoIP: []string{"!ru"}}},
		{Match: &graph.Match{Geosite: []string{"ads"}}},
	}}
}

func TestTheCategoriesOfADrawingAreAskedForOnce(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"geoip:!ru", "geosite:ads", "own.dat:list"}, Tokens(drawing()))
}

func TestNodesGetTheFilesThatTheyHold(t *testing.T) {
	t.Parallel()
	in := plan.Input{Graph: drawing(), Nodes: map[string]plan.Node{"a": {ID: "a"}, "b": {ID: "b"}}}
	s := &Source{}
	require.NoError(t, s.Fill(t.Context(), &in), "nobody knows")
	file := flowsapi.GeoFile{Name: "geosite.dat", SHA256: "1", FetchedAt: time.Unix(1, 0)}
	s.Held(func(_ context.Context, nodes, tokens []string) (map[string]flowsapi.GeoHeld, error) {
		require.Equal(t, []string{"a", "b"}, nodes)
		require.Len(t, tokens, 3)
		return map[string]flowsapi.GeoHeld{"a": {Files: []flowsapi.GeoFile{file}, Lacks: []string{"geosite:ads"}}}, nil
	})
	require.NoError(t, s.Fill(t.Context(), &in))
	require.Equal(t, []string{"geosite.dat"}, in.Nodes["a"].GeoFiles)
	require.Equal(t, []string{"geosite:ads"}, in.Nodes["a"].GeoLacks)
	require.Empty(t, in.Nodes["b"].GeoFiles)
	require.Equal(t, []flowsapi.GeoFile{file}, in.GeoVersions)

	s.Held(func(context.Context, []string, []string) (map[string]flowsapi.GeoHeld, error) {
		return nil, errors.New("the database is away")
	})
	require.ErrorContains(t, s.Fill(t.Context(), &in), "the database is away")
	require.NoError(t, s.Fill(t.Context(), &plan.Input{}), "a drawing without categories asks nobody")
}
