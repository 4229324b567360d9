package identity

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSavedIdentityComesBackAndOnlyTheOwnerReadsIt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	_, err := Load(dir)
	require.ErrorIs(t, err, ErrNotEnrolled)
	want := Identity{NodeID: "n", Token: "t", PanelURL: "http://p"}
	require.NoError(t, Save(dir, want))
	got, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
	info, err := os.Stat(filepath.Join(dir, file))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestTokenNeverPrints(t *testing.T) {
	t.Parallel()
	id := Identity{Token: "very-secret"}
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s", id, id, id, id.Token), "very-secret")
}

func TestPanelAddressIsChecked(t *testing.T) {
	t.Parallel()
	got, err := CleanURL(" https://panel.example.com:8443/ ")
	require.NoError(t, err)
	require.Equal(t, "https://panel.example.com:8443", got)
	for _, bad := range []string{
		"", "panel.example.com", "ftp://x", "https://u:p@x", "https://x?token=1",
		"https://x#y",
	} {
		_, err := CleanURL(bad)
		require.Error(t, err, bad)
	}
}
