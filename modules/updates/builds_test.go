package updates

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/jobs"
	"panel/platform/release"
	"panel/platform/selfupdate"
)

const platform = "linux/amd64"

// scanning is a panel's builds that read one folder.
func scanning(t *testing.T, st *stage) *builds {
	t.Helper()
	b := following(t, st, "")
	b.folders = []string{st.folder}
	return b
}

// put writes a manifest of a release with an executable into a folder.
func (st *stage) put(folder string, m release.Manifest, executable string) {
	st.t.Helper()
	file := filepath.Join(folder, "panel-agent-linux-amd64")
	require.NoError(st.t, os.WriteFile(file, []byte(executable), 0o600))
	m.Channel = "stable"
	require.NoError(st.t, m.Add(release.Agent, platform, file))
	_, err := st.key.Write(folder, m)
	require.NoError(st.t, err)
}

var releasedAt = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// content is what agents of the usual system would be given.
func (b *builds) content(t *testing.T) string {
	t.Helper()
	file, about, err := b.open(t.Context(), platform)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	require.EqualValues(t, len(text), about.Size)
	return string(text)
}

// Of the releases in several folders the newest counts, wherever it is.
func TestTheNewestReleaseOfAllFoldersCounts(t *testing.T) {
	t.Parallel()
	st := published(t)
	b, other := scanning(t, st), t.TempDir()
	b.folders = []string{st.folder, other, filepath.Join(other, "missing")}
	st.put(other, release.Manifest{Version: "1.10.0", ReleasedAt: releasedAt}, "ten")
	require.NoError(t, b.store(t.Context()))
	require.Equal(t, "ten", b.content(t))
	st.publish("1.9.0")
	require.NoError(t, b.store(t.Context()))
	require.Equal(t, "ten", b.content(t), "1.9.0 is older than 1.10.0")
	st.publish("1.10.1")
	require.NoError(t, b.store(t.Context()))
	require.Equal(t, "the executable of 1.10.1", b.content(t))
}

// A damaged release in one folder does not hide a good one in another.
func TestADamagedReleaseHidesNoGoodOne(t *testing.T) {
	t.Parallel()
	st := published(t)
	b, other := scanning(t, st), t.TempDir()
	b.folders = []string{other, st.folder}
	st.put(other, release.Manifest{Version: "2.0.0", ReleasedAt: releasedAt}, "two")
	require.NoError(t, os.WriteFile(filepath.Join(other, release.ManifestFile), []byte(`{"version":"2.0.0"}`), 0o600))
	require.NoError(t, b.store(t.Context()))
	found, why := b.newest(t.Context())
	require.Empty(t, why)
	require.Equal(t, newVersion, found.Version)
}

// A release that needs a newer panel is not handed out, and the reason is told.
func TestAReleaseForANewerPanelWaits(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	st.put(st.folder, release.Manifest{Version: "3.0.0", ReleasedAt: releasedAt, MinPanel: "9.0.0"}, "three")
	require.NoError(t, b.store(t.Context()))
	found, why := b.newest(t.Context())
	require.Nil(t, found)
	require.Equal(t, oldPanel, why)
	require.Contains(t, problems[why], "update the panel first")
	_, _, err := b.open(t.Context(), platform)
	require.ErrorIs(t, err, errNoBuild)
}

// The release before stays in use while the newer one waits for a newer panel.
func TestTheReleaseBeforeStaysWhileTheNewerOneWaits(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	require.NoError(t, b.store(t.Context()))
	other := following(t, st, "") // a newer panel on the same database has stored a release that this one must not use
	other.shelf, other.folders = b.shelf, []string{t.TempDir()}
	text := []byte(`{"version":"3.0.0","min_panel":"9.0.0"}`)
	require.NoError(t, b.put(t.Context(), &build{
		Manifest: release.Manifest{Version: "3.0.0", MinPanel: "9.0.0"}, text: text, files: map[string]string{},
	}))
	found, why := other.newest(t.Context())
	require.Empty(t, why)
	require.Equal(t, newVersion, found.Version)
}

// Without a key nothing is believed: neither looked for nor handed out.
func TestWithoutAKeyThereIsNoBuild(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	b.keys = " "
	require.NoError(t, b.store(t.Context()))
	found, why := b.newest(t.Context())
	require.Nil(t, found)
	require.Equal(t, noKey, why)
	offered := b.offer(t.Context())
	require.Empty(t, offered.PublicKey+offered.Manifest+offered.Version)
	require.NoError(t, b.worker().Work(t.Context(), jobs.Job{}))
}

// An agent keeps the keys at its enrolment, so they are offered also while there is no release.
func TestTheKeysAreOfferedWithoutARelease(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	b.folders = []string{t.TempDir()}
	require.NoError(t, b.store(t.Context()))
	offered := b.offer(t.Context())
	require.Equal(t, st.key.Public(), offered.PublicKey)
	require.Empty(t, offered.Manifest)
	require.Empty(t, offered.Signature)
}

// An executable may be called as in the release, by its system, or as an installed agent is; only its content counts.
func TestAnExecutableIsFoundByAnyOfItsNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"panel-agent-linux-amd64", release.Agent} {
		st := published(t)
		b := scanning(t, st)
		require.NoError(t, os.Rename(filepath.Join(st.folder, "panel-agent-linux-amd64"), filepath.Join(st.folder,
			name)))
		require.NoError(t, b.store(t.Context()))
		require.Equal(t, "the executable of "+newVersion, b.content(t), name)
	}
}

// A file of the right size with another content is not the released one, also when it takes its place later.
func TestAnExecutableIsComparedWheneverItChanges(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	file := filepath.Join(st.folder, "panel-agent-linux-amd64")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	forged := append([]byte{}, whole...)
	forged[0]++
	found, why := b.inFolders(t.Context())
	require.NotNil(t, found, why)
	require.NoError(t, os.WriteFile(file, forged, 0o600))
	require.NoError(t, os.Chtimes(file, releasedAt, releasedAt))
	found, why = b.inFolders(t.Context())
	require.Nil(t, found)
	require.Equal(t, noFile, why)
	require.NoError(t, os.WriteFile(file, whole, 0o600))
	found, why = b.inFolders(t.Context())
	require.NotNil(t, found, why)
}

// A folder in place of the manifest or of the executable is no release, and no reason to stop.
func TestFoldersInPlaceOfFilesAreNoRelease(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	file := filepath.Join(st.folder, "panel-agent-linux-amd64")
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Mkdir(file, 0o700))
	require.NoError(t, b.store(t.Context()))
	_, why := b.newest(t.Context())
	require.Equal(t, noFile, why)
	manifest := filepath.Join(st.folder, release.ManifestFile)
	require.NoError(t, os.Remove(manifest))
	require.NoError(t, os.Mkdir(manifest, 0o700))
	require.NoError(t, b.store(t.Context()))
	_, why = b.newest(t.Context())
	require.Equal(t, untrusted, why)
}

// A later edition of a version takes the place of the earlier one; the earlier one does not come back.
func TestALaterEditionOfAVersionTakesItsPlace(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	first := release.Manifest{Version: "1.2.0", ReleasedAt: releasedAt}
	later := release.Manifest{Version: "1.2.0", ReleasedAt: releasedAt.Add(time.Hour), Notes: "mended"}
	st.put(st.folder, first, "first edition")
	require.NoError(t, b.store(t.Context()))
	st.put(st.folder, later, "later edition")
	require.NoError(t, b.store(t.Context()))
	require.Equal(t, "later edition", b.content(t))
	st.put(st.folder, first, "first edition")
	require.NoError(t, b.store(t.Context()))
	require.Equal(t, "later edition", b.content(t))
	var rows int
	require.NoError(t, b.db.NewRaw("select count(*) from agent_builds").Scan(t.Context(), &rows))
	require.Equal(t, 1, rows)
}

// The executable for a further system may come after the release was stored.
func TestAnExecutableThatComesLaterIsAdded(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	arm := filepath.Join(st.folder, "panel-agent-linux-arm64")
	require.NoError(t, os.WriteFile(arm, []byte("for arm"), 0o600))
	m := release.Manifest{Version: "1.2.0", ReleasedAt: releasedAt}
	require.NoError(t, m.Add(release.Agent, "linux/arm64", arm))
	st.put(st.folder, m, "for amd")
	require.NoError(t, os.Rename(arm, arm+".part"))
	require.NoError(t, b.store(t.Context()))
	found, _ := b.newest(t.Context())
	require.Equal(t, []string{platform}, found.platforms())
	_, _, err := b.open(t.Context(), "linux/arm64")
	require.ErrorContains(t, err, "no agent for that system")
	require.NoError(t, os.Rename(arm+".part", arm))
	require.NoError(t, b.store(t.Context()))
	found, _ = b.newest(t.Context())
	require.Equal(t, []string{platform, "linux/arm64"}, found.platforms())
}

// Two panels that find the same release at once store it once.
func TestPanelsThatFindAReleaseAtOnceStoreItOnce(t *testing.T) {
	t.Parallel()
	st := published(t)
	one := scanning(t, st)
	panels := []*builds{one}
	for range 3 {
		other := scanning(t, st)
		other.shelf = newShelf(one.db, one.shelf.files, one.listener, one.log)
		panels = append(panels, other)
	}
	var storing sync.WaitGroup
	problems := make([]error, len(panels))
	for i, panel := range panels {
		storing.Go(func() { problems[i] = panel.store(t.Context()) })
	}
	storing.Wait()
	for _, problem := range problems {
		require.NoError(t, problem)
	}
	var builds, files int
	require.NoError(t, one.db.NewRaw("select (select count(*) from agent_builds), (select count(*) from files)").
		Scan(t.Context(), &builds, &files))
	require.Equal(t, []int{1, 1}, []int{builds, files})
	for _, panel := range panels {
		require.Equal(t, "the executable of "+newVersion, panel.content(t))
	}
}

// A stored release that cannot be read is told as an error and hands nothing out.
func TestADamagedRowOfAReleaseHandsNothingOut(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := scanning(t, st)
	require.NoError(t, b.store(t.Context()))
	_, err := b.db.ExecContext(t.Context(), "update agent_builds set manifest = 'damaged'")
	require.NoError(t, err)
	b.drop()
	_, err = b.all(t.Context())
	require.ErrorContains(t, err, "read the stored release "+newVersion)
	found, _ := b.newest(t.Context())
	require.Nil(t, found)
}

// What a server of releases does wrong brings no agent and leaves what is there.
func TestABadServerOfReleasesChangesNothing(t *testing.T) {
	t.Parallel()
	for name, spoiled := range map[string]func(st *stage, answer http.ResponseWriter, asked *http.Request) bool{
		"away": func(_ *stage, answer http.ResponseWriter, _ *http.Request) bool {
			answer.WriteHeader(http.StatusBadGateway)
			return true
		},
		"cut short": func(_ *stage, answer http.ResponseWriter, asked *http.Request) bool {
			if filepath.Base(asked.URL.Path) != "panel-agent-linux-amd64" {
				return false
			}
			answer.Header().Set("Content-Length", "1000")
			_, _ = answer.Write([]byte("the exec"))
			panic(http.ErrAbortHandler)
		},
		"another executable": func(st *stage, answer http.ResponseWriter, asked *http.Request) bool {
			if filepath.Base(asked.URL.Path) != "panel-agent-linux-amd64" {
				return false
			}
			_, _ = answer.Write([]byte("the executable of 6.6.6"))
			return true
		},
		"unsigned": func(_ *stage, answer http.ResponseWriter, asked *http.Request) bool {
			if filepath.Ext(asked.URL.Path) != ".minisig" {
				return false
			}
			_, _ = answer.Write([]byte("untrusted comment: none\nnothing\n"))
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := published(t)
			folder := http.FileServer(http.Dir(st.folder))
			server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, asked *http.Request) {
				if !spoiled(st, answer, asked) {
					folder.ServeHTTP(answer, asked)
				}
			}))
			t.Cleanup(server.Close)
			b := following(t, st, server.URL+"/"+release.ManifestFile)
			require.Error(t, b.worker().Work(t.Context(), jobs.Job{}))
			found, _ := b.newest(t.Context())
			require.Nil(t, found)
			manifest, err := filepath.Glob(filepath.Join(b.remote.folder, release.ManifestFile))
			require.NoError(t, err)
			require.Empty(t, manifest, "the manifest comes last")
		})
	}
}

// A release of another channel, one that is not newer, or one that nobody wants checked for is not fetched.
func TestOnlyANewerReleaseOfTheOwnChannelIsFetched(t *testing.T) {
	t.Parallel()
	st := published(t)
	b := following(t, st, filepath.Join(st.folder, release.ManifestFile))
	for _, wanted := range []selfupdate.Settings{{Channel: "dev", Check: true}, {Channel: "stable"}} {
		b.remote.wanted = wants(wanted.Channel, wanted.Check)
		require.NoError(t, b.worker().Work(t.Context(), jobs.Job{}))
		found, _ := b.newest(t.Context())
		require.Nil(t, found, wanted)
	}
	b.remote.wanted = wants("stable", true)
	require.Equal(t, newVersion, b.fetched(t).Version)
	st.publish("1.0.5")
	require.Equal(t, newVersion, b.fetched(t).Version)
	text, err := os.ReadFile(filepath.Join(b.remote.folder, "panel-agent-linux-amd64"))
	require.NoError(t, err)
	require.Equal(t, "the executable of "+newVersion, string(text))
}
