package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplacesContentAndLeavesNothingBeside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	require.NoError(t, WriteJSON(path, 1))
	require.NoError(t, WriteJSON(path, 2))
	var got int
	found, err := ReadJSON(path, &got)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, 2, got)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	info, err := entries[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestMissingIsNotAnErrorButDamagedIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	var got int
	found, err := ReadJSON(path, &got)
	require.NoError(t, err)
	require.False(t, found)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err = ReadJSON(path, &got)
	require.ErrorContains(t, err, "damaged")
}

func TestTailGivesTheEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("0123456789"), 0o600))
	require.Equal(t, "6789", Tail(path, 4))
	require.Equal(t, "0123456789", Tail(path, 100))
	require.Empty(t, Tail(path+"x", 4))
}
