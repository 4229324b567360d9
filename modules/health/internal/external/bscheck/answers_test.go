package bscheck

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/health/internal/external/checker"
)

// Operators that did not take part come as keys or as objects, also mixed; what is neither is left out.
func TestSkippedOperatorsComeInTwoShapes(t *testing.T) {
	t.Parallel()
	var all skipped
	text := `["yota|уфо|on", {"operator": "tele2", "name": "T2", "region": "цфо"}, {"target": "10.0.0.1"}, 7]`
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	require.Equal(t, []checker.Skipped{
		{Key: "yota|уфо|on", Name: "yota|уфо|on", Reason: unavailable},
		{Key: "tele2|цфо", Name: "T2", Reason: unavailable},
		{Key: "10.0.0.1", Name: "10.0.0.1", Reason: unavailable},
	}, all.as(unavailable))
	require.NoError(t, json.Unmarshal([]byte(`{"not": "a list"}`), &all))
}

// An answer about nothing that was asked was paid for and cannot be used: it is asked for again, not thrown away.
func TestAnAnswerWithoutTheTargetIsLost(t *testing.T) {
	t.Parallel()
	_, err := probeAnswer{Cost: 40}.result(checker.Order{Target: "entry.example:443"})
	lost, is := checker.LostOf(err)
	require.True(t, is)
	require.Equal(t, checker.AnswerUnusable, lost.Code)
	_, err = probeAnswer{Outcome: "no_dpi_on"}.result(checker.Order{})
	refused, is := checker.RefusalOf(err)
	require.True(t, is)
	require.Equal(t, checker.NothingToAsk, refused.Code)
}

// What the service says is kept short and printable, and a price that cannot be is none.
func TestWordsOfTheServiceAreKeptShort(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b", brief("a\nb\x00"))
	require.Zero(t, price(-1))
	require.Zero(t, price(1e18))
}
