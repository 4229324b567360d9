package retention

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 11, 23, 4, 0, 0, 0, time.UTC)

// daily gives good artefacts of the last days, d0 the newest, of 10 bytes each.
func daily(count int) []Kept {
	var all []Kept
	for i := range count {
		all = append(all, Kept{
			Name: fmt.Sprintf("d%d", i), At: now.Add(-time.Duration(i) * 24 * time.Hour), Bytes: 10, Good: true,
		})
	}
	return all
}

func TestWithoutRulesEverythingStays(t *testing.T) {
	t.Parallel()
	require.Empty(t, Excess(daily(500), Rules{}, now))
}

func TestTheLastOnesStayAndTheOldestGoesFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"d4", "d3"}, Excess(daily(5), Rules{KeepLast: 3}, now))
}

func TestWhatIsYoungStaysBesideTheLastOnes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"d5", "d4"}, Excess(daily(6), Rules{KeepLast: 2, KeepDays: 3}, now))
	require.Equal(t, []string{"d5", "d4"}, Excess(daily(6), Rules{KeepLast: 4, KeepDays: 1}, now))
}

func TestBytesBoundWhatTheOtherRulesKeep(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"d4", "d3"}, Excess(daily(5), Rules{MaxBytes: 30}, now))
	require.Equal(t, []string{"d4", "d3", "d2"}, Excess(daily(5), Rules{KeepLast: 4, MaxBytes: 25}, now))
}

func TestTheLastGoodOneStaysWhateverTheRulesSay(t *testing.T) {
	t.Parallel()
	all := daily(3)
	all[0].Good, all[1].Good = false, false
	require.Equal(t, []string{"d1", "d0"}, Excess(all, Rules{KeepDays: 1, MaxBytes: 1}, now.AddDate(1, 0, 0)))
}

func TestWhatIsNotGoodPushesNoGoodOneOut(t *testing.T) {
	t.Parallel()
	all := daily(4)
	all[1].Good = false
	require.Equal(t, []string{"d3"}, Excess(all, Rules{KeepLast: 2}, now), "d0 and d2 are the last two good ones")
}

// Specification of domain.md 4.13: retention never removes the last good backup, and never more than the rules allow.
func TestRetentionHoldsForAnyArtefactsAndRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []Kept
		for i := range rapid.IntRange(0, 30).Draw(t, "count") {
			age := time.Duration(rapid.IntRange(-48, 24*60).Draw(t, "hours")) * time.Hour
			all = append(all, Kept{
				Name: fmt.Sprintf("a%02d", i), At: now.Add(-age), Good: rapid.Bool().Draw(t, "good"),
				Bytes: rapid.Int64Range(0, 1000).Draw(t, "bytes"),
			})
		}
		r := Rules{
			KeepLast: rapid.IntRange(0, 10).Draw(t, "last"), KeepDays: rapid.IntRange(0, 60).Draw(t, "days"),
			MaxBytes: rapid.Int64Range(0, 5000).Draw(t, "most"),
		}
		gone := Excess(all, r, now)
		holds(t, all, gone, r)
		left := slices.DeleteFunc(slices.Clone(all), func(k Kept) bool { return slices.Contains(gone, k.Name) })
		require.Empty(t, Excess(left, r, now), "a second time changes nothing")
		require.Equal(t, gone, Excess(rapid.Permutation(all).Draw(t, "order"), r, now), "the order does not matter")
	})
}

func holds(t *rapid.T, all []Kept, gone []string, r Rules) {
	var bytes int64
	var newest *Kept
	kept := 0
	for i, one := range all {
		if one.Good && (newest == nil || one.At.After(newest.At) ||
			one.At.Equal(newest.At) && one.Name > newest.Name) {
			newest = &all[i]
		}
		if !slices.Contains(gone, one.Name) {
			kept++
			bytes += one.Bytes
		}
	}
	if newest != nil {
		require.NotContains(t, gone, newest.Name, "the newest good one stays")
	}
	if r.MaxBytes > 0 && kept > 1 {
		spare := int64(0)
		if newest != nil {
			spare = newest.Bytes
		}
		require.LessOrEqual(t, bytes, r.MaxBytes+spare)
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(gone))), len(gone), "nothing goes twice")
}
