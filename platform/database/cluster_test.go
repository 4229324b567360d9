package database_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
)

func startIn(t *testing.T, dir string) (string, func(context.Context) error) {
	t.Helper()
	dsn, stop, err := database.StartPrivate(t.Context(), database.PrivateOptions{DataDir: dir, Log: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return dsn, stop
}

func query(ctx context.Context, dsn, statement string) (answer string, err error) {
	db, err := database.Open(ctx, dsn, database.Options{Wait: 10 * time.Second})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.NewRaw(statement).Scan(ctx, &answer)
	return answer, err
}

func serverPID(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

func TestThePrivateDatabaseKeepsItsDataOverAStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dsn, stop := startIn(t, dir)
	_, err := query(t.Context(), dsn, "create table kept as select 'still here' as word; ")
	require.Error(t, err, "a statement without rows has no answer")
	pid := serverPID(t, dir)
	require.NoError(t, stop(t.Context()))
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	dsn, _ = startIn(t, dir)
	word, err := query(t.Context(), dsn, "select word from kept")
	require.NoError(t, err)
	require.Equal(t, "still here", word)
}

func TestItWorksBelowAFolderThatOthersCannotEnterAndAtAnyDepth(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.Mkdir(closed, 0o700))
	deep := filepath.Join(closed, strings.Repeat("a-long-name-of-a-folder/", 8), "data")
	require.NoError(t, os.MkdirAll(deep, 0o700))
	dsn, _ := startIn(t, deep)
	one, err := query(t.Context(), dsn, "select 'one'")
	require.NoError(t, err)
	require.Equal(t, "one", one)
}

func TestAKilledServerIsStartedAgainWithItsData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dsn, _ := startIn(t, dir)
	_, err := query(t.Context(), dsn, "create table kept as select 'still here' as word; ")
	require.Error(t, err, "a statement without rows has no answer")
	pid := serverPID(t, dir)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		word, err := query(t.Context(), dsn, "select word from kept")
		return err == nil && word == "still here" && serverPID(t, dir) != pid
	}, 60*time.Second, 50*time.Millisecond)
}

func TestASecondProcessUsesTheRunningServerAndDoesNotStopIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dsn, _ := startIn(t, dir)
	pid := serverPID(t, dir)
	again, stop := startIn(t, dir)
	require.Equal(t, pid, serverPID(t, dir))
	_, err := query(t.Context(), again, "select 'one'")
	require.NoError(t, err)
	require.NoError(t, stop(t.Context()))
	_, err = query(t.Context(), dsn, "select 'one'")
	require.NoError(t, err)
}

func TestAServerLeftBehindIsAdoptedAndStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := database.StartPrivate(
		t.Context(),
		database.PrivateOptions{DataDir: dir, Log: zap.NewNop(), Detached: true},
	)
	require.NoError(t, err)
	pid := serverPID(t, dir)
	dsn, stop := startIn(t, dir)
	require.Equal(t, pid, serverPID(t, dir))
	_, err = query(t.Context(), dsn, "select 'one'")
	require.NoError(t, err)
	require.NoError(t, stop(t.Context()))
	_, err = os.Stat(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAStaleLockFileOfAnotherProgramDoesNotStopTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, stop := startIn(t, dir)
	require.NoError(t, stop(t.Context()))
	other := exec.Command("sleep", "600")
	require.NoError(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	stale := strconv.Itoa(other.Process.Pid) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"), []byte(stale), 0o600))
	dsn, _ := startIn(t, dir)
	one, err := query(t.Context(), dsn, "select 'one'")
	require.NoError(t, err)
	require.Equal(t, "one", one)
	require.NotEqual(t, other.Process.Pid, serverPID(t, dir))
	require.NoError(t, other.Process.Signal(syscall.Signal(0)), "the other program was left alone")
}

func TestAnotherMajorVersionIsRefusedInOneSentenceAndNothingIsTouched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "postgres", "data")
	require.NoError(t, os.MkdirAll(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("99\n"), 0o600))
	_, _, err := database.StartPrivate(t.Context(), database.PrivateOptions{DataDir: dir, Log: zap.NewNop()})
	require.ErrorContains(t, err, "made by PostgreSQL 99")
	require.ErrorContains(t, err, "PANEL_PG_BIN")
	left, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestMissingProgramsAreNamedWithTheWayOut(t *testing.T) {
	t.Parallel()
	_, _, err := database.StartPrivate(
		t.Context(),
		database.PrivateOptions{DataDir: t.TempDir(), BinDir: t.TempDir(), Log: zap.NewNop()},
	)
	require.ErrorContains(t, err, "PANEL_PG_BIN")
	require.ErrorContains(t, err, "PANEL_DB_URL")
}

func TestAnUnfinishedClusterOfAKilledStartIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	half := filepath.Join(dir, "postgres", "data.new")
	require.NoError(t, os.MkdirAll(half, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600))
	startIn(t, dir)
}

// Root may work on the private database of the panel's user, who might put a link in its place. An operator's link, to
// another disk, is followed.
func TestRootFollowsNoLinkOfSomebodyElseToThePrivateDatabase(t *testing.T) {
	t.Parallel()
	data, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(data, "postgres")
	require.NoError(t, os.Symlink(elsewhere, link))
	if os.Geteuid() == 0 {
		require.NoError(t, os.Lchown(link, 65534, 65534))
		_, _, err := database.StartPrivate(t.Context(), database.PrivateOptions{DataDir: data, Log: zap.NewNop()})
		require.ErrorContains(t, err, "is a link")
		entries, err := os.ReadDir(elsewhere)
		require.NoError(t, err)
		require.Empty(t, entries)
		require.NoError(t, os.Lchown(link, 0, 0))
	}
	dsn, _ := startIn(t, data)
	answer, err := query(t.Context(), dsn, "select 'followed'")
	require.NoError(t, err)
	require.Equal(t, "followed", answer)
}
