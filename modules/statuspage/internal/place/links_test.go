package place

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/remote"
)

// A folder of the page that leads somewhere else is no part of the page: nothing is written, read or removed there, and
// no error tells where it leads.
func TestALinkedFolderIsNotFollowed(t *testing.T) {
	t.Parallel()
	folder, other := t.TempDir(), t.TempDir()
	victim := filepath.Join(other, "index.html")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(other, filepath.Join(folder, "en")))
	at := Local(folder)
	_, held := at.Held(t.Context(), []string{"en/index.html"})
	_, got := at.Get(t.Context(), "en/index.html")
	for name, err := range map[string]error{
		"put": at.Put(t.Context(), fileOf("en/index.html", "theirs")), "held": held, "get": got,
		"remove": at.Remove(t.Context(), "en/index.html"), "a folder below": at.Put(t.Context(), fileOf("en/a/x.html", "theirs")),
	} {
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), folder, name)
		require.NotContains(t, err.Error(), other, name)
	}
	content, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
	left, err := os.ReadDir(other)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// A link that stays in the page is one of the operator's: it is followed.
func TestALinkInsideThePageIsFollowed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "english"), 0o700))
	require.NoError(t, os.Symlink("english", filepath.Join(folder, "en")))
	require.NoError(t, Local(folder).Put(t.Context(), fileOf("en/index.html", "one")))
	content, err := os.ReadFile(filepath.Join(folder, "english", "index.html"))
	require.NoError(t, err)
	require.Equal(t, "one", string(content))
}

// No path leads out of the folder, whoever made it up.
func TestNoPathLeadsOutOfThePage(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	folder := filepath.Join(outer, "www")
	require.NoError(t, os.WriteFile(filepath.Join(outer, "secret"), []byte("mine"), 0o600))
	at := Local(folder)
	require.NoError(t, at.Put(t.Context(), fileOf("index.html", "x")))
	for _, path := range []string{"../secret", "en/../../secret", filepath.Join(outer, "secret")} {
		require.Error(t, at.Put(t.Context(), fileOf(path, "theirs")), path)
		_ = at.Remove(t.Context(), path) // where the way is not there, nothing is to be removed
		_, err := at.Get(t.Context(), path)
		require.Error(t, err, path)
	}
	content, err := os.ReadFile(filepath.Join(outer, "secret"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
}

// Whatever fails, no part of the new file is left, and the reason names no path of the machine.
func TestAFailureLeavesNoPartAndNamesNoPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "index.html", "x"), 0o700))
	err := Local(folder).Put(t.Context(), fileOf("index.html", "x"))
	require.ErrorContains(t, err, "write a file of the page: ")
	require.NotContains(t, err.Error(), folder)
	require.NoFileExists(t, filepath.Join(folder, "index.html"+remote.Draft))
	err = Local(folder).Remove(t.Context(), "index.html")
	require.Error(t, err, "it is no file")
	require.NotContains(t, err.Error(), folder)
	_, err = Local(folder).Get(t.Context(), "index.html")
	require.Error(t, err)
	require.NotContains(t, err.Error(), folder)
}

// A part that a killed panel left behind is no obstacle and no part of the next file.
func TestAPartOfAKilledWriterIsNoObstacle(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"+remote.Draft), []byte("a long part of before"), 0o600))
	require.NoError(t, Local(folder).Put(t.Context(), fileOf("index.html", "new")))
	content, err := os.ReadFile(filepath.Join(folder, "index.html"))
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
	about, err := os.Stat(filepath.Join(folder, "index.html"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), about.Mode().Perm(), "readers may read it, whoever made the part")
	require.NoFileExists(t, filepath.Join(folder, "index.html"+remote.Draft))
}

// Who reads while a file is replaced gets the old one or the new one, each whole.
func TestReadersNeverSeeAHalfFile(t *testing.T) {
	t.Parallel()
	at := Local(t.TempDir())
	old, young := strings.Repeat("o", 200_000), strings.Repeat("y", 100_000)
	require.NoError(t, at.Put(t.Context(), fileOf("index.html", old)))
	done := make(chan error, 1)
	go func() {
		var err error
		for i := range 10 {
			err = errors.Join(err, at.Put(context.Background(), fileOf("index.html", []string{young, old}[i%2])))
		}
		done <- err
	}()
	for {
		content, err := at.Get(t.Context(), "index.html")
		require.NoError(t, err)
		require.True(t, string(content) == old || string(content) == young, "%d bytes", len(content))
		select {
		case err := <-done:
			require.NoError(t, err)
			return
		default:
		}
	}
}

// A folder that is not there yet holds nothing, and nothing can be taken from it; neither is a failure. A file in its
// place is one.
func TestAFolderThatIsNotThereHoldsNothing(t *testing.T) {
	t.Parallel()
	missing := Local(filepath.Join(t.TempDir(), "www"))
	held, err := missing.Held(t.Context(), []string{"index.html"})
	require.NoError(t, err)
	require.Empty(t, held)
	require.NoError(t, missing.Remove(t.Context(), "index.html"))
	_, err = missing.Get(t.Context(), "index.html")
	require.ErrorIs(t, err, remote.ErrMissing)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Local(file).Held(t.Context(), []string{"index.html"})
	require.EqualError(t, err, "look at a file of the page: not a directory")
	require.EqualError(t, Local(file).Put(t.Context(), fileOf("index.html", "x")), "make a folder of the page: not a directory")
}

// Reasons are those of the operating system without the paths; of a full disk people are told in words.
func TestReasonsAreWithoutPaths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ err, want error }{
		{nil, nil},
		{&fs.PathError{Op: "open", Path: "/secret", Err: syscall.EACCES}, syscall.EACCES},
		{&os.LinkError{Op: "rename", Old: "/secret", New: "/other", Err: syscall.EEXIST}, syscall.EEXIST},
		{fmt.Errorf("at: %w", &fs.PathError{Op: "write", Path: "/secret", Err: syscall.ENOSPC}), ErrFull},
		{remote.ErrHostKey, remote.ErrHostKey},
	} {
		require.Equal(t, test.want, plain(test.err))
	}
	require.NoError(t, gone(fs.ErrNotExist))
	require.ErrorIs(t, gone(fs.ErrPermission), fs.ErrPermission)
}

// far is a bucket that remembers what it was given.
type far struct {
	held   map[string]string
	about  map[string]remote.About
	closed int
}

func (f *far) Put(_ context.Context, file string, content io.Reader, about remote.About) error {
	text, err := io.ReadAll(content)
	f.held[file], f.about[file] = string(text), about
	return err
}

func (f *far) Open(_ context.Context, file string) (io.ReadCloser, error) {
	text, there := f.held[file]
	if !there {
		return nil, remote.ErrMissing
	}
	return io.NopCloser(bytes.NewBufferString(text)), nil
}

func (f *far) Remove(_ context.Context, file string) error {
	delete(f.held, file)
	return nil
}

func (f *far) Close() error {
	f.closed++
	return nil
}

// A bucket is told what each file is and how long readers may keep it; it cannot say at once what it holds.
func TestABucketIsToldWhatAFileIs(t *testing.T) {
	t.Parallel()
	bucket := &far{held: map[string]string{}, about: map[string]remote.About{}}
	at := Elsewhere(bucket)
	for _, path := range []string{"index.html", "assets/1.css"} {
		require.NoError(t, at.Put(t.Context(), fileOf(path, "text")))
	}
	require.Equal(t, map[string]remote.About{
		"index.html":   {Size: 4, MediaType: "text/html", CacheControl: "no-cache"},
		"assets/1.css": {Size: 4, MediaType: "text/html", CacheControl: "public, max-age=31536000, immutable"},
	}, bucket.about)
	held, err := at.Held(t.Context(), []string{"index.html"})
	require.NoError(t, err)
	require.Nil(t, held, "nil, not empty: all that the panel noted counts")
	content, err := at.Get(t.Context(), "index.html")
	require.NoError(t, err)
	require.Equal(t, "text", string(content))
	require.NoError(t, at.Remove(t.Context(), "index.html"))
	_, err = at.Get(t.Context(), "index.html")
	require.ErrorIs(t, err, remote.ErrMissing)
	require.NoError(t, at.Close())
	require.Equal(t, 1, bucket.closed)
}
