package place

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/internal/site"
	"panel/platform/remote"
)

func fileOf(path, content string) *site.File {
	f := site.NewFile(path, "text/html", []byte(content))
	return &f
}

// A folder holds what it was given, tells the digest of each file, and forgets what was taken away.
func TestAFolderHoldsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "www")
	at := Local(folder)
	one := fileOf("en/index.html", "one")
	require.NoError(t, at.Put(t.Context(), one))
	require.NoError(t, at.Put(t.Context(), fileOf("index.html", "two")))
	held, err := at.Held(t.Context(), []string{"en/index.html", "index.html", "missing.html", "index.html/below"})
	require.NoError(t, err)
	require.Len(t, held, 2)
	require.Equal(t, one.SHA256, held["en/index.html"])
	content, err := at.Get(t.Context(), "index.html")
	require.NoError(t, err)
	require.Equal(t, "two", string(content))
	for range 2 {
		require.NoError(t, at.Remove(t.Context(), "index.html"), "what is gone is no error")
	}
	_, err = at.Get(t.Context(), "index.html")
	require.ErrorIs(t, err, remote.ErrMissing)
	require.NoError(t, at.Close())
}

// A server of files, which is another user, can read what lies there.
func TestEverybodyMayReadWhatIsPublished(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "www")
	require.NoError(t, Local(folder).Put(t.Context(), fileOf("assets/a.css", "x")))
	for path, mode := range map[string]os.FileMode{"": 0o755, "assets": 0o755, "assets/a.css": 0o644} {
		about, err := os.Stat(filepath.Join(folder, path))
		require.NoError(t, err)
		require.Equal(t, mode, about.Mode().Perm(), path)
	}
}

// Nobody who may write into the folder has the panel write somewhere else through a link that stands in its way.
func TestALinkInTheWayIsNotFollowed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(victim, filepath.Join(folder, "index.html"+remote.Draft)))
	for range 2 {
		require.NoError(t, Local(folder).Put(t.Context(), fileOf("index.html", "theirs")), "the link is taken away")
		about, err := os.Lstat(filepath.Join(folder, "index.html"))
		require.NoError(t, err)
		require.True(t, about.Mode().IsRegular())
		content, err := os.ReadFile(victim)
		require.NoError(t, err)
		require.Equal(t, "mine", string(content))
		require.NoError(t, os.Remove(filepath.Join(folder, "index.html")))
		require.NoError(t, os.Symlink(victim, filepath.Join(folder, "index.html")), "and one in the place of the file as well")
	}
}

// Where the name of a page is a folder already, the old state stays and the reason is in words.
func TestWhatCannotBeWrittenLeavesNothingBeside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "index.html", "x"), 0o700))
	require.ErrorContains(t, Local(folder).Put(t.Context(), fileOf("index.html", "x")), "a file of the page")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "en"), nil, 0o600))
	require.ErrorContains(t, Local(folder).Put(t.Context(), fileOf("en/index.html", "x")), "a folder of the page")
}

// A disk that is full says so, keeps the file of before and no half of the new one.
func TestAFullDiskIsTold(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root makes a small disk")
	}
	folder := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m"))
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	at := Local(folder)
	require.NoError(t, at.Put(t.Context(), fileOf("index.html", "old")))
	require.ErrorIs(t, at.Put(t.Context(), fileOf("index.html", strings.Repeat("x", 2<<20))), ErrFull)
	content, err := at.Get(t.Context(), "index.html")
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// The folder of a place lies in the folder of status pages, whatever it is called.
func TestNoFolderLeadsOutOfTheRoot(t *testing.T) {
	t.Parallel()
	for folder, inside := range map[string]bool{
		"": true, "www": true, "a/b": true, "a/../b": true, ".": true,
		"..": false, "../etc": false, "/etc": false, "a/../../b": false,
	} {
		path, is := Inside("/srv/pages", folder)
		require.Equal(t, inside, is, folder)
		if inside {
			require.True(t, strings.HasPrefix(path, "/srv/pages"), folder)
		}
	}
}

// Readers keep what is named by its digest, and ask again for all else.
func TestOnlyAssetsAreKeptByReaders(t *testing.T) {
	t.Parallel()
	require.Contains(t, cacheFor("assets/1234.css"), "immutable")
	require.Equal(t, "no-cache", cacheFor("index.html"))
	require.Equal(t, "no-cache", cacheFor("en/assets/index.html"))
	require.ErrorIs(t, plain(&os.PathError{Err: syscall.EDQUOT}), ErrFull, "a quota is a full disk as well")
}
