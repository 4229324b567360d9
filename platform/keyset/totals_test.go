package keyset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/keyset"
)

// counter counts how often it is asked.
type counter struct{ n, asked int }

func (c *counter) count() (int, error) {
	c.asked++
	return c.n, nil
}

func total(t *testing.T, totals *keyset.Totals[string], filter string, at time.Time, c *counter) int {
	t.Helper()
	n, err := totals.Of(filter, at, c.count)
	require.NoError(t, err)
	return n
}

// A count is asked for once a second, for each filter by itself.
func TestATotalIsRememberedForASecond(t *testing.T) {
	t.Parallel()
	var totals keyset.Totals[string]
	at, c := time.Unix(1_000_000, 0), &counter{n: 7}
	require.Equal(t, 7, total(t, &totals, "a", at, c))
	c.n = 8
	require.Equal(t, 7, total(t, &totals, "a", at.Add(999*time.Millisecond), c))
	require.Equal(t, 8, total(t, &totals, "b", at, c))
	require.Equal(t, 8, total(t, &totals, "a", at.Add(time.Second), c))
	require.Equal(t, 8, total(t, &totals, "a", at, c), "a clock that went back remembers nothing")
	require.Equal(t, 4, c.asked)
}

// A change is seen at once; a count that began before it is not remembered.
func TestAChangeForgetsTotals(t *testing.T) {
	t.Parallel()
	var totals keyset.Totals[string]
	at, c := time.Unix(1_000_000, 0), &counter{n: 7}
	total(t, &totals, "a", at, c)
	totals.Forget()
	c.n = 6
	require.Equal(t, 6, total(t, &totals, "a", at, c))
	totals.Forget()
	n, err := totals.Of("a", at, func() (int, error) { totals.Forget(); return 5, nil })
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.Equal(t, 6, total(t, &totals, "a", at, c))
}

// Small lists are counted each time, and a count that failed is not remembered.
func TestASmallTotalIsNotRemembered(t *testing.T) {
	t.Parallel()
	totals := keyset.Totals[string]{Least: 10}
	at, c := time.Unix(1_000_000, 0), &counter{n: 9}
	total(t, &totals, "a", at, c)
	total(t, &totals, "a", at, c)
	require.Equal(t, 2, c.asked)
	c.n = 10
	total(t, &totals, "a", at, c)
	total(t, &totals, "a", at, c)
	require.Equal(t, 3, c.asked)
	failure := errors.New("no database")
	_, err := totals.Of("b", at, func() (int, error) { return 100, failure })
	require.ErrorIs(t, err, failure)
	require.Equal(t, 10, total(t, &totals, "b", at, c))
}

// However many filters are asked for, what is remembered stays small.
func TestTotalsOfManyFiltersAreBounded(t *testing.T) {
	t.Parallel()
	var totals keyset.Totals[int]
	at, asked := time.Unix(1_000_000, 0), 0
	for range 2 {
		for filter := range 2500 {
			_, err := totals.Of(filter, at, func() (int, error) { asked++; return 1, nil })
			require.NoError(t, err)
		}
	}
	require.Greater(t, asked, 2500)
}
