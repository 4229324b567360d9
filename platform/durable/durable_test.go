package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/durable"
)

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestWriteReplacesTheWholeFileAndLeavesNoDraft(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "kept")
	require.NoError(t, durable.Write(path, 0o600, []byte("a long first content")))
	require.NoError(t, durable.Write(path, 0o640, []byte("second")))
	require.Equal(t, "second", text(t, path))
	about, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o640, about.Mode().Perm())
	require.Equal(t, []string{"kept"}, names(t, folder))
}

func TestAFailedWriteKeepsTheOldContent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "kept")
	require.NoError(t, durable.Write(path, 0o600, []byte("old")))
	full := errors.New("no space left on device")
	err := durable.Replace(path, 0o600, func(file *os.File) error {
		_, err := file.WriteString("ne")
		return errors.Join(err, full)
	})
	require.ErrorIs(t, err, full)
	require.Equal(t, "old", text(t, path))
	require.Equal(t, []string{"kept"}, names(t, folder))
}

func TestOfSeveralThatCreateAFileOneWins(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	var won atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch err := durable.Create(path, 0o600, []byte("one")); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, won.Load())
	require.Equal(t, []string{"key"}, names(t, filepath.Dir(path)))
}

// Root writes in folders of others, and a link that they put there must not lead it to a file of the system.
func TestBelowDoesNotFollowALinkOutOfTheFolder(t *testing.T) {
	t.Parallel()
	victim := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(victim, "last.json"), []byte("untouched"), 0o600))
	folder := t.TempDir()
	require.NoError(t, os.Symlink(victim, filepath.Join(folder, "doctor")))
	require.Error(t, durable.Below(folder, "doctor/last.json", 0o600, []byte("mine")))
	require.Error(t, durable.Below(folder, "../"+filepath.Base(victim)+"/last.json", 0o600, []byte("mine")))
	require.Equal(t, "untouched", text(t, filepath.Join(victim, "last.json")))
	require.Equal(t, []string{"last.json"}, names(t, victim))

	other := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(victim, "last.json"), filepath.Join(other, "last.json")))
	require.NoError(t, durable.Below(other, "last.json", 0o600, []byte("mine")))
	require.Equal(t, "untouched", text(t, filepath.Join(victim, "last.json")), "the link is replaced, not followed")
	require.Equal(t, "mine", text(t, filepath.Join(other, "last.json")))
}

func TestWhatIsWrittenBelowAFolderBelongsToItsOwner(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(folder, 65534, 65534))
	}
	require.NoError(t, durable.Below(folder, "doctor/kept/last.json", 0o600, []byte("{}")))
	wanted := owner(t, folder)
	for _, made := range []string{"doctor", "doctor/kept", "doctor/kept/last.json"} {
		require.Equal(t, wanted, owner(t, filepath.Join(folder, made)), made)
	}
}

func owner(t *testing.T, path string) [2]uint32 {
	t.Helper()
	about, err := os.Stat(path)
	require.NoError(t, err)
	system, is := about.Sys().(*syscall.Stat_t)
	require.True(t, is)
	return [2]uint32{system.Uid, system.Gid}
}

func TestOnlyAPlainFileIsOpened(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := durable.Open(pipe)
	require.ErrorContains(t, err, "not a plain file")
	_, err = durable.Open(filepath.Dir(pipe))
	require.ErrorContains(t, err, "not a plain file")
	_, err = durable.Open(pipe + ".none")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Root shows others what it reads, so it must not be led to what they may not read.
func TestRootReadsInAFolderOfSomebodyElseOnlyWhatThatPersonMayRead(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "shadow")
	require.NoError(t, os.WriteFile(secret, []byte("root's own"), 0o600))
	folder := t.TempDir()
	link := filepath.Join(folder, "panel.log")
	require.NoError(t, os.Symlink(secret, link))
	if os.Geteuid() != 0 {
		require.Equal(t, "root's own", read(t, link), "without root the system itself decides")
		return
	}
	require.NoError(t, os.Chown(folder, 65534, 65534))
	_, err := durable.ReadFile(link)
	require.ErrorIs(t, err, fs.ErrPermission)

	own := filepath.Join(folder, "own.log")
	require.NoError(t, os.WriteFile(own, []byte("theirs"), 0o600))
	require.NoError(t, os.Chown(own, 65534, 65534))
	require.Equal(t, "theirs", read(t, own))
	require.NoError(t, os.Chmod(secret, 0o644))
	require.Equal(t, "root's own", read(t, link), "everybody may read it")
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := durable.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

func TestDraftsOfKilledWritersCanBeSwept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	killed := errors.New("killed")
	var draft string
	require.ErrorIs(t, durable.Replace(filepath.Join(folder, "panelctl"), 0o755, func(file *os.File) error {
		draft = filepath.Join(folder, filepath.Base(file.Name()))
		return killed
	}), killed)
	require.NoError(t, os.WriteFile(draft, []byte("half"), 0o600))
	require.NoError(t, durable.Write(filepath.Join(folder, ".kept"), 0o600, nil))
	require.NoError(t, durable.Sweep(folder))
	require.Equal(t, []string{".kept"}, names(t, folder))
}

// A file that others may wait for gets its name when it is prepared, and grows by lines.
func TestAppendBelowNamesThePreparedFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "a", "b", "lines")
	prepared := false
	file, err := durable.AppendBelow(folder, "a/b/lines", 0o600, func(*os.File) error {
		prepared = true
		require.NoFileExists(t, path)
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	require.True(t, prepared)
	for _, line := range []string{"one\n", "two\n"} {
		_, err := file.WriteString(line)
		require.NoError(t, err)
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(content))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no draft stays")
	_, err = durable.AppendBelow(folder, "a/b/lines", 0o600, func(*os.File) error { return nil })
	require.ErrorIs(t, err, os.ErrExist)
	_, err = durable.AppendBelow(folder, "a/b/refused", 0o600, func(*os.File) error { return os.ErrClosed })
	require.ErrorIs(t, err, os.ErrClosed)
	require.NoFileExists(t, filepath.Join(folder, "a", "b", "refused"))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(folder, "out")))
	_, err = durable.AppendBelow(folder, "out/lines", 0o600, func(*os.File) error { return nil })
	require.Error(t, err, "no way out of the folder")
}
