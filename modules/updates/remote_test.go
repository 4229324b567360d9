package updates

import (
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/platform/release"
)

// following is a panel's builds that follow the releases at an address.
func following(t *testing.T, w *world, address string) *builds {
	t.Helper()
	fetched := filepath.Join(t.TempDir(), "agents")
	return &builds{
		keys: w.key.Public(), folders: []string{fetched}, clock: clockwork.NewRealClock(), log: zaptest.NewLogger(t),
		remote: remote{address: address, channel: "stable", folder: fetched}, known: map[string]*build{}, sums: map[string]stamp{},
	}
}

func published(t *testing.T) *world {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	w := &world{t: t, folder: t.TempDir(), key: key}
	w.publish(newVersion)
	return w
}

// PANEL_UPDATE_URL may name a folder of this machine.
func TestAgentsAreBroughtFromAFolder(t *testing.T) {
	t.Parallel()
	w := published(t)
	b := following(t, w, filepath.Join(w.folder, release.ManifestFile))
	require.NoError(t, b.bring(t.Context()))
	found, why := b.newest(t.Context())
	require.NotNil(t, found, why)
	require.Equal(t, newVersion, found.Version)
	require.Equal(t, []string{"linux/amd64"}, found.platforms())
}

// What is kept is what was checked: a release that is published in the middle changes nothing of it.
func TestAReleasePublishedMeanwhileDoesNotMixWithTheOneThatIsFetched(t *testing.T) {
	t.Parallel()
	w := published(t)
	files := http.FileServer(http.Dir(w.folder))
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, asked *http.Request) {
		files.ServeHTTP(answer, asked)
		if path.Base(asked.URL.Path) == "panel-agent-linux-amd64" {
			w.publish("1.2.0")
		}
	}))
	t.Cleanup(server.Close)
	b := following(t, w, server.URL+"/"+release.ManifestFile)
	require.NoError(t, b.bring(t.Context()))
	found, why := b.newest(t.Context())
	require.NotNil(t, found, why)
	require.Equal(t, newVersion, found.Version)
	require.NoError(t, b.bring(t.Context()))
	found, why = b.newest(t.Context())
	require.NotNil(t, found, why)
	require.Equal(t, "1.2.0", found.Version)
}
