package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func emptyStand(t *testing.T) *stand {
	t.Helper()
	s, err := open(filepath.Join(t.TempDir(), ".run"), "test")
	require.NoError(t, err)
	require.NoError(t, s.lock(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.held.Close()) })
	return s
}

func sleeper(t *testing.T, args ...string) program {
	t.Helper()
	path, err := exec.LookPath("sleep")
	require.NoError(t, err)
	return program{name: "agent", path: path, args: args}
}

// Rule: a second run adopts what still runs, and restarts what has changed.
func TestAdoptsWhatStillRuns(t *testing.T) {
	t.Parallel()
	s := emptyStand(t)
	adopted, err := s.ensure(sleeper(t, "600"))
	require.NoError(t, err)
	require.False(t, adopted)
	first := s.memory.Processes["agent"]
	require.True(t, first.alive())

	require.NoError(t, s.load(), "the memory is on disk as soon as something runs")
	adopted, err = s.ensure(sleeper(t, "600"))
	require.NoError(t, err)
	require.True(t, adopted)

	adopted, err = s.ensure(sleeper(t, "601"))
	require.NoError(t, err)
	require.False(t, adopted)
	require.False(t, first.alive())
	s.takeDown()
	require.False(t, s.memory.Processes["agent"].alive())
}

// A process number that somebody else got later is not ours.
func TestNumberOfAnotherProcessIsNotAdopted(t *testing.T) {
	t.Parallel()
	require.False(t, process{PID: os.Getpid(), Started: "1"}.alive())
	require.True(t, process{PID: os.Getpid(), Started: startTime(os.Getpid())}.alive())
	require.False(t, process{}.alive())
}

// Rule: the next free port where the first is taken; the remembered one as long as it is ours.
func TestPorts(t *testing.T) {
	t.Parallel()
	s := emptyStand(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	first := taken.Addr().(*net.TCPAddr).Port
	port, err := s.port("panel", "panel", first)
	require.NoError(t, err)
	require.Greater(t, port, first)
	again, err := s.port("panel", "panel", first)
	require.NoError(t, err)
	require.Equal(t, port, again)
}

// Rule: a lock in .run; a second one waits until the first lets go.
func TestLock(t *testing.T) {
	t.Parallel()
	s := emptyStand(t)
	second, err := open(s.folder, "test")
	require.NoError(t, err)
	require.False(t, tryLock(openLock(t, second)))
	require.Equal(t, os.Getpid(), ownerOf(s.held))
}

func openLock(t *testing.T, s *stand) *os.File {
	t.Helper()
	file, err := os.OpenFile(s.path("lock"), os.O_RDWR, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

// Rule: what holds secrets is readable by its owner only.
func TestSecretFilesAreForTheOwner(t *testing.T) {
	t.Parallel()
	s := emptyStand(t)
	require.NoError(t, s.save())
	s.panel = newClient("http://localhost:1")
	require.NoError(t, s.writeReady())
	for _, name := range []string{"state.json", "ready.json"} {
		about, err := os.Stat(s.path(name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), about.Mode().Perm())
	}
}

// A damaged download never replaces an executable that works.
func TestDamagedDownload(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent")
	good := sha256.Sum256([]byte("good"))
	require.NoError(t, install(strings.NewReader("good"), hex.EncodeToString(good[:]), path))
	require.ErrorIs(t, install(strings.NewReader("bad"), hex.EncodeToString(good[:]), path), errDamaged)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "good", string(content))
}

func TestEventually(t *testing.T) {
	t.Parallel()
	asked := 0
	require.NoError(t, eventually(t.Context(), time.Minute, func(context.Context) error {
		if asked++; asked < 2 {
			return errors.New("not yet")
		}
		return nil
	}))
	require.ErrorIs(t, eventually(t.Context(), time.Minute, func(context.Context) error { return errEnded }), errEnded)
	require.ErrorContains(t, eventually(t.Context(), time.Millisecond,
		func(context.Context) error { return errors.New("never") }), "never")
}

// The errors of the panel name the code; a refusal is recognised by its status.
func TestRefusal(t *testing.T) {
	t.Parallel()
	err := understand("POST /x", http.StatusConflict, []byte(`{"code":"name_taken","detail":"taken"}`), nil)
	require.ErrorContains(t, err, "name_taken")
	require.True(t, refused(err, http.StatusConflict))
	require.False(t, refused(errors.New("x"), http.StatusConflict))
}

func TestRandomPasswordsDiffer(t *testing.T) {
	t.Parallel()
	require.Len(t, randomPassword(), 20)
	first, second := randomPassword(), randomPassword()
	require.NotEqual(t, first, second)
}
