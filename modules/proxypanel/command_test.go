package proxypanel

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/module"
)

// write puts a text into a file of the test.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A connection is added, tested, given a new token and removed from the command line; what cannot be used ends with 1.
func TestConnectionsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	features := []module.Module{Module()}
	admin := b.Admin()
	access, err := json.Marshal(fields{"token": b.token()})
	require.NoError(t, err)
	added := admin.Command(features, "proxypanel add main "+b.there.URL+" "+write(t, string(access)))
	require.Equal(t, cli.ExitDone, added.Exit, added.Err)
	require.Contains(t, admin.Command(features, "proxypanel list --plain").Out, "main\tok\t-\t3.3.2\t")

	b.there.Revoke()
	tested := admin.Command(features, "proxypanel test main --plain")
	require.Equal(t, cli.ExitFailed, tested.Exit, tested.Err)
	require.Contains(t, tested.Out+tested.Err, "auth\ttoken_refused")
	require.Contains(t, tested.Err, "cannot be used: token_refused")

	all := allScopes()
	lacking := b.there.Token(365*24*time.Hour, all[:len(all)-1]...)
	renewed := admin.Command(features, "proxypanel token main "+write(t, lacking+"\n")+" --plain")
	require.Equal(t, cli.ExitDone, renewed.Exit, renewed.Err)
	require.Contains(t, renewed.Out, "degraded\tscope_missing (metadata:*)")

	removed := admin.Command(features, "proxypanel remove main --yes")
	require.Equal(t, cli.ExitDone, removed.Exit, removed.Err)
	require.Equal(t, cli.ExitFailed, admin.Command(features, "proxypanel test main").Exit)
}

func TestTheCommandsRefuseWhatIsNoAccess(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	features := []module.Module{Module()}
	for _, text := range []string{"", "sesame", "{}", `{"token": 1}`} {
		said := b.Admin().Command(features, "proxypanel add main "+b.there.URL+" "+write(t, text))
		require.Equal(t, cli.ExitUsage, said.Exit, said.Err)
		require.NotContains(t, said.Err, "sesame")
	}
	require.Equal(t, cli.ExitUsage, b.Admin().Command(features, "proxypanel token main "+write(t, " ")).Exit)
}

func TestTheScopesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	said := newBench(t).Admin().Command([]module.Module{Module()}, "proxypanel scopes --plain")
	require.Equal(t, cli.ExitDone, said.Exit, said.Err)
	require.Contains(t, said.Out, "connections:drop\tabuse\n")
}
