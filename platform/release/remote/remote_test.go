package remote_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/release"
	"panel/platform/release/remote"
)

const program = "an executable"

// published is a server with a signed release of one program, and the key that it is signed with.
func published(t *testing.T) (files http.Handler, public string) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "panelctl"), []byte(program), 0o600))
	key, err := release.NewKey()
	require.NoError(t, err)
	m := release.Manifest{Channel: "stable", Version: "1.5.0", ReleasedAt: time.Unix(1, 0)}
	require.NoError(t, m.Add(release.Panel, "linux/amd64", filepath.Join(folder, "panelctl")))
	_, err = key.Write(folder, m)
	require.NoError(t, err)
	return http.FileServer(http.Dir(folder)), key.Public()
}

func serving(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func through(t *testing.T, proxy string) *remote.Server {
	t.Helper()
	network, err := outbound.Through(proxy)
	require.NoError(t, err)
	return remote.New(network)
}

// The manifest, its signature and the files all go through the proxy that the operator named.
func TestAReleaseIsFetchedThroughTheProxy(t *testing.T) {
	t.Parallel()
	files, public := published(t)
	var asked atomic.Int64
	proxy := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "releases.example" {
			asked.Add(1)
			files.ServeHTTP(w, r)
		}
	}))
	opened, err := through(t, proxy).Open(t.Context(), "http://releases.example/manifest.json", public)
	require.NoError(t, err)
	artefact, err := opened.Manifest.Artefact(release.Panel, "linux/amd64")
	require.NoError(t, err)
	to := filepath.Join(t.TempDir(), "panelctl")
	require.NoError(t, opened.Fetch(t.Context(), artefact, to))
	text, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Equal(t, program, string(text))
	require.EqualValues(t, 3, asked.Load(), "manifest, signature and file")
}

// A mirror may be pointed at, but not in a circle.
func TestAServerOfReleasesMayPointAtAMirror(t *testing.T) {
	t.Parallel()
	files, public := published(t)
	mirror := serving(t, files)
	pointing := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, mirror+r.URL.Path, http.StatusFound)
	}))
	_, err := through(t, "").Open(t.Context(), pointing+"/manifest.json", public)
	require.NoError(t, err)
	circle := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	}))
	_, err = through(t, "").Open(t.Context(), circle+"/manifest.json", public)
	require.ErrorIs(t, err, release.ErrUnreachable)
}

// What goes wrong at the server has a code and a sentence without its address.
func TestAServerOfReleasesThatFailsIsAFault(t *testing.T) {
	t.Parallel()
	gone := serving(t, http.NotFoundHandler())
	_, err := through(t, "").Open(t.Context(), gone+"/manifest.json?key=c4n4ry", someKey(t))
	require.ErrorIs(t, err, release.ErrUnreachable)
	require.Equal(t, "release_server_error", fault.Code(err))
	require.ErrorContains(t, err, "HTTP 404")
	require.NotContains(t, err.Error(), "c4n4ry")

	endless := serving(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("x", 8<<20)))
	}))
	_, err = through(t, "").Open(t.Context(), endless+"/manifest.json", someKey(t))
	require.ErrorIs(t, err, release.ErrManifest, "a manifest is small")
}

// A server that says nothing ends with the deadline of its caller.
func TestASilentServerOfReleasesIsLate(t *testing.T) {
	t.Parallel()
	silent := serving(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := through(t, "").Open(ctx, silent+"/manifest.json", someKey(t))
	require.ErrorIs(t, err, release.ErrUnreachable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, "release_server_timeout", fault.Code(err))
}

// No transaction waits for a server of releases.
func TestAReleaseIsNotFetchedInsideATransaction(t *testing.T) {
	t.Parallel()
	files, public := published(t)
	address, db := serving(t, files), dbtest.New(t)
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		require.True(t, database.InTransaction(ctx))
		_, err := through(t, "").Open(ctx, address+"/manifest.json", public)
		return err
	})
	require.ErrorIs(t, err, outbound.ErrInTransaction)
}

func someKey(t *testing.T) string {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	return key.Public()
}
