package accounts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Characters are counted, and no more of a long text than shows that it is too long.
func TestANameHasAtMost64Characters(t *testing.T) {
	t.Parallel()
	for name, fits := range map[string]bool{
		"": true, strings.Repeat("ж", 64): true, strings.Repeat("😀", 64): true,
		strings.Repeat("a", 65): false, strings.Repeat("ж", 65): false, strings.Repeat("x", 1<<20): false,
	} {
		require.Equal(t, fits, plausible(name) == nil, "%d bytes", len(name))
	}
}
