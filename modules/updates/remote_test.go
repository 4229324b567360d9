package updates

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/files"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/release"
	releases "panel/platform/release/remote"
	"panel/platform/selfupdate"
)

// following is a panel's builds that follow the releases at an address.
func following(t *testing.T, st *stage, address string) *builds {
	t.Helper()
	fetched := filepath.Join(t.TempDir(), "agents")
	db, log := dbtest.New(t, app.Migrations(app.With([]module.Module{nodes.Module(), Module()}))...),
		zaptest.NewLogger(t)
	network, err := outbound.Through("")
	require.NoError(t, err)
	stored := newShelf(db, files.NewStore(db, t.TempDir(), log), database.NewListener(db.Pool, log), log)
	return &builds{
		shelf: stored, keys: st.key.Public(), folders: []string{fetched}, clock: clockwork.NewRealClock(),
		remote: remote{
			address: address, wanted: wants("stable", true), server: releases.New(network), folder: fetched,
		},
		known: map[string]*build{}, sums: map[string]stamp{},
	}
}

// wants are settings that stay as they are.
func wants(channel string, check bool) func(context.Context) (selfupdate.Settings, error) {
	return func(context.Context) (selfupdate.Settings, error) {
		return selfupdate.Settings{Channel: channel, Check: check}, nil
	}
}

// fetched brings the newest release and gives what the panel hands out then.
func (b *builds) fetched(t *testing.T) *build {
	t.Helper()
	require.NoError(t, b.worker().Work(t.Context(), jobs.Job{}))
	found, why := b.newest(t.Context())
	require.NotNil(t, found, why)
	return found
}

// PANEL_UPDATE_URL may name a folder of this machine.
func TestAgentsAreBroughtFromAFolder(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := following(t, st, filepath.Join(st.folder, release.ManifestFile))
	found := b.fetched(t)
	require.Equal(t, newVersion, found.Version)
	require.Equal(t, []string{"linux/amd64"}, found.platforms())
}

// What is kept is what was checked: a release that is published in the middle changes nothing of it.
func TestAReleasePublishedMeanwhileDoesNotMixWithTheOneThatIsFetched(t *testing.T) {
	t.Parallel()
	st := published(t)
	folder := http.FileServer(http.Dir(st.folder))
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, asked *http.Request) {
		folder.ServeHTTP(answer, asked)
		if path.Base(asked.URL.Path) == "panel-agent-linux-amd64" {
			st.publish("1.2.0")
		}
	}))
	t.Cleanup(server.Close)
	b := following(t, st, server.URL+"/"+release.ManifestFile)
	require.Equal(t, newVersion, b.fetched(t).Version)
	require.Equal(t, "1.2.0", b.fetched(t).Version)
}
