package password

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

func TestAHashMatchesItsPasswordAlone(t *testing.T) {
	t.Parallel()
	h := NewHasher()
	hash, err := h.Hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.NotContains(t, hash, "horse")
	again, err := h.Hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.NotEqual(t, hash, again, "each hash has its own salt")
	matches, stale, err := h.Verify(t.Context(), "correct horse", hash)
	require.NoError(t, err)
	require.True(t, matches)
	require.False(t, stale)
	matches, _, err = h.Verify(t.Context(), "Correct horse", hash)
	require.NoError(t, err)
	require.False(t, matches)
}

// A hash of an earlier cost still verifies and is then made anew.
func TestAnEarlierCostIsStale(t *testing.T) {
	t.Parallel()
	const old = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$0iHOZWmGxSM6w1Gyw1G9X2j+8xBXTUqhsJpkBzI8Dwk"
	_, stale, err := NewHasher().Verify(t.Context(), "anything", old)
	require.NoError(t, err)
	require.True(t, stale)
}

func TestUnknownAccountsAndBrokenHashesNeverMatch(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{
		"", "x", "$argon2id$$$$", "$argon2id$v=19$m=1,t=0,p=0$AA$AA",
		"$bcrypt$v=1$m=1,t=1,p=1$AA$AA", strings.Repeat("$", 9),
	} {
		matches, _, err := NewHasher().Verify(t.Context(), "", hash)
		require.NoError(t, err, hash)
		require.False(t, matches, hash)
	}
}

// With every core busy a caller waits, and gives up with his request.
func TestNobodyHashesBeyondTheCores(t *testing.T) {
	t.Parallel()
	h := NewHasher()
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.Hash(gone, "x")
	require.ErrorIs(t, err, context.Canceled)
	_, err = h.Hash(t.Context(), "x")
	require.Equal(t, fault.KindThrottled, fault.KindOf(err))
}
