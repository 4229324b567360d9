package authority

import (
	"os"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

func requireAbsent(t *testing.T, path string, secrets ...string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, secret := range secrets {
		require.NotContains(t, string(raw), secret)
	}
}

func TestEverythingIsThereAfterAnotherStart(t *testing.T) {
	t.Parallel()
	folder, clock := t.TempDir(), clockwork.NewFakeClockAt(start)
	first, err := Open(folder, clock)
	require.NoError(t, err)
	license, key, err := first.Issue(Order{Plan: "Pro", ValidUntil: start.AddDate(1, 0, 0), Activations: 1})
	require.NoError(t, err)
	signedWith, err := first.PublicKey()
	require.NoError(t, err)

	second, err := Open(folder, clock)
	require.NoError(t, err)
	same, err := second.PublicKey()
	require.NoError(t, err)
	require.Equal(t, signedWith, same)
	_, d, err := second.Activate(request(key, license.ID))
	require.NoError(t, err)
	require.Equal(t, license.ID, d.LicenseID)
}

func TestAFolderThatCannotBeMadeIsOneClearSentence(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(file+"/data", clockwork.NewFakeClockAt(start))
	require.ErrorContains(t, err, "--data")
}
