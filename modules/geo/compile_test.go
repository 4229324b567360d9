package geo

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: a flow never gets a configuration with a category that the file of its node does not hold: what counts is what
// the node holds, and what it was told to hold.
func TestCompilationsKnowWhatNodesHold(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a", "old"))
	n := s.node("n")
	id := s.geosite()
	s.update(id, true)
	n.told(first)
	tokens := []string{"geosite:a", "geosite:old", "geosite:new@cn", "geoip:ru", "nonsense"}
	held, err := s.own.heldBy(t.Context(), []string{n.NodeID, "no id"}, tokens)
	require.NoError(t, err)
	require.Empty(t, held, "it was told and has not said that it holds the file")
	n.takes(first)
	s.until(id, inState(stateCurrent))
	held, err = s.own.heldBy(t.Context(), []string{n.NodeID}, tokens)
	require.NoError(t, err)
	require.Equal(t, first, held[n.NodeID].Files[0].SHA256)
	require.Equal(t, []string{"geosite:new@cn"}, held[n.NodeID].Lacks)

	second := s.origin.publish("geosite.dat", sites("a", "new"))
	s.update(id, true)
	n.told(second)
	held, err = s.own.heldBy(t.Context(), []string{n.NodeID}, tokens)
	require.NoError(t, err)
	require.Equal(t, first, held[n.NodeID].Files[0].SHA256)
	require.Equal(t, []string{"geosite:new@cn", "geosite:old"}, held[n.NodeID].Lacks, "it may have either")
	n.takes(second)
	s.until(id, inState(stateCurrent))
	held, err = s.own.heldBy(t.Context(), []string{n.NodeID}, tokens)
	require.NoError(t, err)
	require.Equal(t, []string{"geosite:old"}, held[n.NodeID].Lacks)

	s.admin.Delete(assetsPath + "/" + id).Is(http.StatusNoContent)
	_, content, there := n.wanted()
	require.True(t, there)
	require.Empty(t, content.Files, "what is removed is taken from nodes, too")
}

func TestTokensAreReadInAllForms(t *testing.T) {
	t.Parallel()
	for text, wanted := range map[string]token{
		"geosite:Google@ads": {File: nameGeosite, Category: "google", Attribute: "ads"},
		"geoip:!ru":          {File: nameGeoIP, Category: "ru", Not: true},
		"own.dat:ads":        {File: "own.dat", Category: "ads"},
		"own.dat:!ads":       {File: "own.dat", Category: "ads", Not: true},
	} {
		got, ok := parseToken(text)
		require.True(t, ok, text)
		require.Equal(t, wanted, got)
	}
	for _, text := range []string{"", "google", "geosite:", "geoip.dat:ru", "own.txt:a", "../x.dat:a", "geosite:a b"} {
		_, ok := parseToken(text)
		require.False(t, ok, text)
	}
	require.Equal(t, 0, distance("ads", "ads"))
	require.Equal(t, 1, distance("gogle", "google"))
	require.Equal(t, 3, distance("", "ads"))
}
