package selfupdate_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/release"
	"panel/platform/version"
)

// A panel offers and asks for nothing that is older than itself or the same, however well it is signed and although a
// newer release was offered before it.
func TestAPanelOffersNoOlderReleaseThatIsReplayed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "panelctl")
	require.NoError(t, os.WriteFile(file, []byte("an executable"), 0o600))
	key, err := release.NewKey()
	require.NoError(t, err)
	publish := func(version string) {
		m := release.Manifest{Version: version, Channel: "stable", ReleasedAt: time.Date(2026, 11, 20, 0, 0, 0, 0,
			time.UTC)}
		require.NoError(t, m.Add(release.Panel, release.Platform(), file))
		_, err := key.Write(folder, m)
		require.NoError(t, err)
	}
	publish("7.0.0")
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	p, requests := panel(t, server.URL+"/manifest.json", key.Public(), nil)
	admin := p.As("settings.manage")
	require.Equal(t, "7.0.0", admin.Post(updates+"/check", nil).Is(http.StatusOK).Text("available.version"))
	for _, replayed := range []string{"0.0.0-alpha", version.Version} {
		publish(replayed)
		shown := admin.Post(updates+"/check", nil).Is(http.StatusOK)
		require.Nil(t, shown.Value("available"), replayed)
		require.Empty(t, shown.Text("check_error"), "the release is signed as it should be")
		for _, wanted := range []string{replayed, "7.0.0"} {
			admin.Post(updates+"/apply", map[string]string{"version": wanted}).
				Refused(http.StatusConflict, "update_not_offered")
		}
	}
	require.NoFileExists(t, requests)
	publish("7.0.0")
	require.Equal(t, "7.0.0", admin.Post(updates+"/check", nil).Is(http.StatusOK).Text("available.version"))
}
