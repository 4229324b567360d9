package texts

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/platform/doctor"
)

// Whoever a message reaches is told in both languages what was done, whatever it was.
func TestEveryActHasASentenceInBothLanguages(t *testing.T) {
	t.Parallel()
	russian := catalogue(t)
	for _, act := range rules.Ladder {
		require.NotEmpty(t, Actions[act], act)
		require.NotEmpty(t, russian[Actions[act]], act)
	}
}

// A hint of an incident is a sentence in both languages.
func TestEveryHintHasASentenceInBothLanguages(t *testing.T) {
	t.Parallel()
	russian := catalogue(t)
	for _, hint := range []string{
		verdict.HintUnreachable, verdict.HintRoute, verdict.HintPanelRoute, verdict.HintAgent, verdict.HintCore,
		verdict.HintCert, verdict.HintDNS, verdict.HintNode, verdict.HintOverload, verdict.HintRegion,
	} {
		require.NotEmpty(t, Causes[hint], hint)
		require.NotEmpty(t, russian[Causes[hint]], hint)
	}
}

func catalogue(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../russian.txt")
	require.NoError(t, err)
	return doctor.Catalogue(string(text))
}
