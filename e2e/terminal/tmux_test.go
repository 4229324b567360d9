// Package terminal drives the real panelctl in a real terminal, as an operator on the server does.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

const (
	seenWithin   = 40 * time.Second
	tmuxDeadline = 10 * time.Second
)

// terminal is one tmux of its own with a shell in it.
type terminal struct {
	t      *testing.T
	socket string
	shots  string // folder that keeps every screen; empty for none
	name   string
	count  int
}

// open starts a terminal of that size whose shell has only these variables besides the ordinary ones.
func open(t *testing.T, width, height int, vars ...string) *terminal {
	t.Helper()
	term := &terminal{
		t:      t,
		socket: filepath.Join(rigtest.Folder(t), "tmux"),
		shots:  os.Getenv("TERMINAL_SHOTS"),
		name:   strings.ReplaceAll(t.Name(), "/", "-"),
	}
	shell := append([]string{"env", "-i"}, rig.Environment()...)
	shell = append(append(shell, "LC_ALL=C.UTF-8", "PS1=$ ", "TERM=tmux-256color"), vars...)
	args := []string{
		"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y",
		strconv.Itoa(height), "--",
	}
	term.tmux(append(args, append(shell, "sh")...)...)
	t.Cleanup(func() { term.tmux("kill-server") })
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(term.t.Context()), tmuxDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", term.socket}, args...)...)
	cmd.Env = append(rig.Environment(), "TERM=xterm-256color")
	said, err := cmd.CombinedOutput()
	require.NoError(term.t, err, "tmux %v: %s", args, said)
	return string(said)
}

// keys presses keys by the names of tmux.
func (term *terminal) keys(names ...string) *terminal {
	term.t.Helper()
	for _, name := range names {
		term.tmux("send-keys", name)
	}
	return term
}

// back presses escape and waits until the page below is drawn: keys close behind an escape are read together with it.
func (term *terminal) back() *terminal {
	term.t.Helper()
	page := func(screen string) string { return strings.Join(strings.Split(screen, "\n")[2:], "\n") }
	before := page(term.screen())
	term.keys("Escape")
	term.when("another page", func(screen string) bool { return page(screen) != before })
	return term
}

// text types letters as they are.
func (term *terminal) text(letters string) *terminal {
	term.t.Helper()
	term.tmux("send-keys", "-l", letters)
	return term
}

// run types a command line.
func (term *terminal) run(line string) *terminal { return term.text(line).keys("Enter") }

func (term *terminal) screen() string { return term.tmux("capture-pane", "-p") }

// sees waits until all texts are on the screen at once, and keeps a picture of it.
func (term *terminal) sees(texts ...string) string {
	term.t.Helper()
	return term.when(strings.Join(texts, ", "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// gone waits until a text has left the screen.
func (term *terminal) gone(text string) {
	term.t.Helper()
	term.when("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

func (term *terminal) when(what string, is func(string) bool) string {
	term.t.Helper()
	screen := ""
	err := rig.Eventually(term.t.Context(), seenWithin, func(context.Context) error {
		if screen = term.screen(); is(screen) {
			return nil
		}
		return errors.New("not seen")
	})
	require.NoError(term.t, err, "%s is not on the screen:\n%s", what, screen)
	term.keep(screen)
	return screen
}

// keep writes the screen into the folder that TERMINAL_SHOTS names, for somebody who wants to look.
func (term *terminal) keep(screen string) {
	if term.shots == "" {
		return
	}
	term.count++
	require.NoError(term.t, os.MkdirAll(term.shots, 0o755))
	require.NoError(
		term.t,
		os.WriteFile(filepath.Join(term.shots, fmt.Sprintf("%s-%02d.txt", term.name, term.count)), []byte(screen),
			0o600),
	)
}

// restored checks that the shell is back with the terminal as it was: echo, lines, cursor, ordinary screen.
func (term *terminal) restored() {
	term.t.Helper()
	term.run("stty -a | tr ';' '\\n' | grep -c -w -e icanon -e echo; echo back-$((40+2))")
	term.sees("back-42", "2")
	require.Equal(term.t, "0 1", strings.TrimSpace(term.tmux("display-message", "-p",
		"#{alternate_on} #{cursor_flag}")))
}
