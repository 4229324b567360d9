package selfupdate

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/release"
)

// offers has the release server answer by a release that is rightly signed, whatever it offered before.
func offers(t *testing.T, e *Engine, f *fake, version string) {
	t.Helper()
	published := t.TempDir()
	f.put(filepath.Join(published, "panelctl"), version)
	f.put(filepath.Join(published, "panel-agent"), "agent "+version)
	manifest, public := signed(t, published, version)
	e.Look = func(ctx context.Context, _ string) (*release.Release, error) {
		return release.Open(ctx, manifest, public)
	}
}

// An old release stays signed for ever. Root's half takes none that is older than the panel or the same, whatever the
// request asks for and also when the server offered a newer one a moment ago; only a rollback goes back.
func TestRootInstallsNoOlderReleaseThatIsReplayed(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, "1.1.0", f.running)
	for _, replayed := range []string{"0.9.0", "1.0.0", "1.1.0-rc.1", "1.1.0"} {
		for _, wanted := range []string{replayed, "1.2.0"} {
			offers(t, e, f, replayed)
			ask(t, e, request{Kind: kindUpdate, Version: wanted})
			require.NoError(t, e.Run(t.Context(), "1.1.0"))
			all := history(t, e)
			require.Equal(t, Failed, all[len(all)-1].State)
			require.Contains(t, all[len(all)-1].Reason, errOlder.Error(), "%s as %s", replayed, wanted)
			require.Equal(t, "1.1.0", f.running)
			require.Equal(t, "1.1.0", f.text(e.Paths.Binary))
		}
	}
	ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
	require.NoError(t, e.Run(t.Context(), "1.1.0"))
	require.Equal(t, "1.0.0", f.running)
}
