package confined_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/confined"
)

// behaviours are what the process does that a test has started, by the name in its arguments.
var behaviours = map[string]func() error{
	"copy":   func() error { _, err := io.Copy(os.Stdout, os.Stdin); return err },
	"hang":   func() error { <-time.After(time.Hour); return errors.New("nobody has ended it") },
	"crash":  func() error { var file *os.File; return errors.New(file.Name()) },
	"fail":   func() error { return errors.New("no") },
	"eat":    eat,
	"spin":   spin,
	"flood":  func() error { return flood(os.Stdout) },
	"write":  func() error { return os.WriteFile(filepath.Join(os.TempDir(), "confined"), []byte("x"), 0o600) },
	"tell":   tell,
	"parent": parent,
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && behaviours[os.Args[1]] != nil {
		err := confined.Enter(os.Getenv)
		if os.Args[1] == "parent" {
			err = nil
		}
		if err = errors.Join(err, behaviours[os.Args[1]]()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func eat() error {
	var all [][]byte
	for {
		all = append(all, bytes.Repeat([]byte{1}, 1<<20))
		if len(all) > 4096 {
			return errors.New("all of it was given")
		}
	}
}

func spin() error {
	for n := 0; ; n++ {
		if n < 0 {
			return errors.New("it has counted all numbers")
		}
	}
}

func flood(out io.Writer) error {
	for {
		if _, err := out.Write(make([]byte, 1<<16)); err != nil {
			return err
		}
	}
}

// tell prints what the process has of its parent.
func tell() error {
	folder, err := os.Getwd()
	fmt.Println(folder, os.Getenv("PATH")+os.Getenv("HOME")+os.Getenv("PANEL_DB_URL"), len(os.Environ()))
	return err
}

// parent runs a process that never ends; its own id and that of the process are found by whoever has started it.
func parent() error {
	_, err := confined.New(usual).Run(context.Background(), os.Stdin, "hang")
	return err
}

var usual = confined.Bounds{Memory: 256 << 20, Processor: 20 * time.Second, Time: 30 * time.Second, Answer: 1 << 20}

func file(t *testing.T, text string) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	opened, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return opened
}

func TestAProcessReadsTheFileAndAnswers(t *testing.T) {
	t.Parallel()
	said, err := confined.New(usual).Run(t.Context(), file(t, "what it says"), "copy")
	require.NoError(t, err)
	require.Equal(t, "what it says", string(said))
}

// The process has neither settings nor secrets of its parent, and works in no folder of it.
func TestAProcessInheritsNothing(t *testing.T) {
	t.Setenv("PANEL_DB_URL", "postgres://secret")
	said, err := confined.New(usual).Run(t.Context(), file(t, ""), "tell")
	require.NoError(t, err)
	require.Equal(t, "/  4\n", string(said))
}

// Whatever goes wrong in the process, its parent goes on and is told.
func TestAProcessEndsAtItsBounds(t *testing.T) {
	t.Parallel()
	for behaviour, wanted := range map[string]struct {
		bounds func(*confined.Bounds)
		err    error
	}{
		"eat":   {func(b *confined.Bounds) { b.Memory = 64 << 20 }, confined.ErrBounds},
		"spin":  {func(b *confined.Bounds) { b.Processor = time.Second }, confined.ErrBounds},
		"hang":  {func(b *confined.Bounds) { b.Time = 500 * time.Millisecond }, confined.ErrBounds},
		"crash": {func(*confined.Bounds) {}, confined.ErrBounds},
		"fail":  {func(*confined.Bounds) {}, confined.ErrBounds},
		"write": {func(*confined.Bounds) {}, confined.ErrBounds},
		"flood": {func(*confined.Bounds) {}, confined.ErrAnswer},
	} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			bounds := usual
			wanted.bounds(&bounds)
			said, err := confined.New(bounds).Run(t.Context(), file(t, ""), behaviour)
			require.ErrorIs(t, err, wanted.err)
			require.Empty(t, said)
		})
	}
}

// Whoever waits for the answer may leave; the process ends then, and the next one runs.
func TestAProcessEndsWithWhoWaitsForIt(t *testing.T) {
	t.Parallel()
	runner, first := confined.New(usual), make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		_, err := runner.Run(ctx, file(t, ""), "hang")
		first <- err
	}()
	require.Eventually(t, func() bool { return len(childrenOf(t, os.Getpid(), "hang")) > 0 }, 20*time.Second,
		5*time.Millisecond)
	waiting, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err := runner.Run(waiting, file(t, "second"), "copy")
	require.ErrorIs(t, err, context.DeadlineExceeded, "one process at a time")
	leave()
	require.ErrorIs(t, <-first, context.Canceled)
	said, err := runner.Run(t.Context(), file(t, "third"), "copy")
	require.NoError(t, err)
	require.Equal(t, "third", string(said))
}

// A parent that is killed takes the process along.
func TestAProcessEndsWithItsParent(t *testing.T) {
	t.Parallel()
	between := exec.Command("/proc/self/exe", "parent")
	between.Stdin = file(t, "")
	require.NoError(t, between.Start())
	var child int
	require.Eventually(t, func() bool {
		for _, pid := range childrenOf(t, between.Process.Pid, "hang") {
			child = pid
		}
		return child != 0
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, between.Process.Kill())
	_ = between.Wait() // it was killed
	require.Eventually(t, func() bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child)) // empty when it has ended and nobody has asked yet
		return err != nil || len(line) == 0
	}, 20*time.Second, 5*time.Millisecond)
}

// childrenOf are the processes of a parent with an argument.
func childrenOf(t *testing.T, parent int, argument string) (pids []int) {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range folders {
		line, err := os.ReadFile(name)
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "status"))
		if err == nil && strings.HasSuffix(string(line), "\x00"+argument+"\x00") &&
			strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", parent)) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

// A process that nobody confines does not believe that it is.
func TestOnlyAConfinedProcessEnters(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, confined.Enter(func(string) string { return "" }), confined.ErrFree)
	require.ErrorIs(t, confined.Enter(func(name string) string {
		return map[string]string{"CONFINED_MEMORY": "1000000"}[name]
	}), confined.ErrFree)
}
