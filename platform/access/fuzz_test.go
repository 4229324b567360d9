package access

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever words stand in a set and in a question: a family opens its own noun and no other, only "*" opens "*", and a
// set that covers another opens everything that the other opens.
func FuzzPermissions(f *testing.F) {
	f.Add("nodes.view connection_units.*", "nodes.view", "connection_units.apply")
	f.Add("*", "*", "x")
	f.Add("*.* .* nodes.", "nodes.*", "*")
	f.Fuzz(func(t *testing.T, held, wanted, asked string) {
		mine, theirs, key := words(held), words(wanted), Key(asked)
		if mine.Has(key) {
			require.True(t, slices.ContainsFunc(mine, func(k Key) bool { return explains(k, key) }), "%q opens %q",
				mine, key)
		}
		if mine.Has(All) {
			require.Contains(t, mine, All)
		}
		require.True(t, mine.Covers(mine))
		require.Equal(t, key.Family(), key.Family().Family(), "a family is its own")
		if mine.Covers(theirs) && theirs.Has(key) {
			require.True(t, mine.Has(key), "%q covers %q and does not open %q", mine, theirs, key)
		}
	})
}

// explains is the rule of the specification in other words than the code's.
func explains(held, asked Key) bool {
	noun, isFamily := strings.CutSuffix(string(held), ".*")
	return held == All || held == asked || isFamily && noun != "" && strings.HasPrefix(string(asked), noun+".")
}

func words(text string) (set Set) {
	for word := range strings.FieldsSeq(text) {
		set = append(set, Key(word))
	}
	return set
}
