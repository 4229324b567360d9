package names_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/core/accounts/internal/names"
)

// Characters are counted, and no more of a long text than shows that it is too long.
func TestANameHasAtMost64Characters(t *testing.T) {
	t.Parallel()
	for name, fits := range map[string]bool{
		"": true, strings.Repeat("ж", 64): true, strings.Repeat("😀", 64): true,
		strings.Repeat("a", 65): false, strings.Repeat("ж", 65): false, strings.Repeat("x", 1<<20): false,
	} {
		require.Equal(t, fits, names.Plausible(name) == nil, "%d bytes", len(name))
	}
}

// Names that look alike in another case or composition have one key; a key is its own key.
func TestNamesOfOneAccountHaveOneKey(t *testing.T) {
	t.Parallel()
	for one, other := range map[string]string{
		"Anna": "aNNA", "Админ": "АДМИН", "Straße": "STRASSE", "ΟΔΥΣΣΕΥΣ": "οδυσσευς", "ÉMILIE": "e\u0301milie",
		"Ａｎｎａ": "anna",
	} {
		require.Equal(t, names.Key(one), names.Key(other))
		require.Equal(t, names.Key(one), names.Key(names.Key(one)))
	}
	require.NotEqual(t, names.Key("anna"), names.Key("boris"))
	require.Equal(t, "\u00e9", names.Composed("e\u0301"))
}
