package agentapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Texts of strangers are cut, and nothing in them hides or turns what stands beside.
func TestAFindingIsCleaned(t *testing.T) {
	t.Parallel()
	f := TargetFinding{
		RedirectsTo: "a\x00b\u202ec\n\xff", LatencyMillis: -1, Certificate: &TargetCertificate{
			Subject: strings.Repeat("ж", 300), Names: make([]string, 80),
		},
	}
	f.Certificate.Names[0] = "\u200bx"
	f.Clean()
	require.Equal(t, "abc", f.RedirectsTo)
	require.Equal(t, strings.Repeat("ж", mostTargetText), f.Certificate.Subject)
	require.Len(t, f.Certificate.Names, MaxTargetNames)
	require.Equal(t, "x", f.Certificate.Names[0])
	require.Zero(t, f.LatencyMillis)
	new(TargetFinding).Clean()
}
