package access

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Specification, Authentication 8: each permission is a key checked per route; "*" grants all; a family opens its keys.
func TestKeysFamiliesAndFullAccess(t *testing.T) {
	t.Parallel()
	require.True(t, Set{"*"}.Has("nodes.view"))
	require.True(t, Set{"connection_units.*"}.Has("connection_units.apply"))
	require.False(t, Set{"connection_units.*"}.Has("connection_unit.apply"))
	require.False(t, Set{"nodes.view"}.Has("nodes.edit"))
	require.False(t, Set{}.Has("nodes.view"))
	require.True(t, Set{}.HasAny(nil), "no key is asked for")
	require.False(t, Set{"nodes.*"}.Has(All))
}

// Nobody grants what he lacks: what a set covers opens nothing that the set does not open.
func TestCoveredSetsOpenNothingMore(t *testing.T) {
	t.Parallel()
	keys := []Key{"*", "a.*", "a.x", "a.y", "b.*", "b.x", "c.z"}
	sets := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		held, wanted := Set(sets.Draw(t, "held")), Set(sets.Draw(t, "wanted"))
		if !held.Covers(wanted) {
			return
		}
		for _, key := range []Key{"a.x", "a.y", "a.q", "b.x", "c.z", "d.d"} {
			if wanted.Has(key) {
				require.True(t, held.Has(key), "%v would grant %s through %v", held, key, wanted)
			}
		}
	})
}

// What two sets have in common opens exactly what both open: an API token has the rights that it was given and that its
// account still holds.
func TestTheIntersectionOpensWhatBothSetsOpen(t *testing.T) {
	t.Parallel()
	keys := []Key{"*", "a.*", "a.x", "a.y", "b.*", "b.x", "c.z"}
	sets := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		one, two := Set(sets.Draw(t, "one")), Set(sets.Draw(t, "two"))
		both := one.And(two)
		for _, key := range []Key{"a.x", "a.y", "a.q", "b.x", "c.z", "d.d", All} {
			require.Equal(t, one.Has(key) && two.Has(key), both.Has(key), "%v and %v, asked %s", one, two, key)
		}
		require.True(t, one.Covers(both) && two.Covers(both))
	})
}
