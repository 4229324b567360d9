package selfupdate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
)

// A set holds the database of its moment. What an earlier run left must never come back with a later one.
func TestTheSetOfAnEarlierRunIsNotUsedByALaterOne(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	f.broken["1.1.0"] = true
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, Returned, history(t, e)[0].State)

	f.running = "1.0.5"
	f.put(e.Paths.Binary, "1.0.5")
	f.put(f.database(), "schema of 1.0.5")
	e.Host = &slowToStop{fake: f}
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.5"))
	require.Equal(t, Returned, history(t, e)[1].State)
	require.Equal(t, "schema of 1.0.5", f.text(f.database()))
	require.Equal(t, "1.0.5", f.text(e.Paths.Binary))
}

// slowToStop does not stop the panel the first time.
type slowToStop struct {
	*fake
	asked bool
}

func (s *slowToStop) Stop(ctx context.Context) error {
	if !s.asked {
		s.asked = true
		return errors.New("systemctl does not answer")
	}
	return s.fake.Stop(ctx)
}

// A rollback costs what was written since; one that nobody took in time is not done weeks later.
func TestARequestThatNobodyTookInTimeIsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{kindUpdate, kindRollback} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			e, f := scene(t, "1.1.0")
			ask(t, e, request{Kind: kind, Version: "1.1.0"})
			later(t, e, staleAfter+time.Second)
			require.NoError(t, e.Run(t.Context(), "1.0.0"))
			require.Equal(t, Failed, history(t, e)[0].State)
			require.Contains(t, history(t, e)[0].Reason, "ask again")
			require.Equal(t, "1.0.0", f.running)
		})
	}
}

func TestAKeptSetThatIsTooOldIsNotBroughtBackAndIsRemovedByTheNextRun(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	later(t, e, keepFor+time.Hour)
	ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
	require.NoError(t, e.Run(t.Context(), "1.1.0"))
	require.Contains(t, history(t, e)[1].Reason, "too old")
	require.Equal(t, "1.1.0", f.running)
	require.NoError(t, e.sweep())
	require.NoDirExists(t, e.Paths.kept())
}

// The line that ended a run must be found whatever stands before it, or the run would seem to go on for ever.
func TestALineAfterATornOneIsRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	begun, ended := line{Run: database.NewID(), Kind: kindUpdate, State: Stopping}, line{Kind: kindUpdate, State: Done}
	ended.Run = begun.Run
	require.NoError(t, appendLine(root, begun, nil))
	path := filepath.Join(folder, journalName)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, `{"at":"2026-11-`...), 0o600))
	require.NoError(t, appendLine(root, ended, nil))
	lines, err := readJournal(path)
	require.NoError(t, err)
	require.Equal(t, []line{begun, ended}, lines)
}

// Root reads and writes in a folder of the panel's user, who might put anything there.
func TestRootTakesOnlyPlainFilesInTheFolderOfThePanel(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"pipe":        func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"second name": func(path string) error { return os.Link(filepath.Join(filepath.Dir(path), "other"), path) },
		"way out":     func(path string) error { return os.Symlink("/etc/hostname", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "other"), []byte("{}"), 0o600))
			require.NoError(t, put(filepath.Join(folder, requestName)))
			require.NoError(t, put(filepath.Join(folder, journalName)))
			root, err := os.OpenRoot(folder)
			require.NoError(t, err)
			t.Cleanup(func() { _ = root.Close() })
			_, err = readRequest(root)
			require.Error(t, err)
			require.Error(t, appendLine(root, line{}, nil))
			require.NoError(t, os.Mkdir(filepath.Join(folder, "audit"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "audit", "other"), []byte("{}"), 0o600))
			require.NoError(t, put(filepath.Join(folder, headsInData)))
			e := &Engine{Paths: Paths{Data: folder}}
			kept := t.TempDir()
			require.Error(t, e.copyHeads(filepath.Join(kept, setHeads)))
			require.NoError(t, os.WriteFile(filepath.Join(kept, setHeads), []byte("heads"), 0o600))
			require.Error(t, e.putHeads(kept, set{Sums: map[string]string{setHeads: "a sum"}}))
			require.FileExists(t, filepath.Join(folder, "audit", "other"))
		})
	}
}

func later(t *testing.T, e *Engine, by time.Duration) {
	t.Helper()
	clock, is := e.Clock.(moving)
	require.True(t, is)
	clock.Advance(by)
}
