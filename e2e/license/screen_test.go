package license

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

// screen is a browser that reads the panel's license page.
type screen struct {
	ask    io.Writer
	answer *bufio.Scanner
}

// seen is what a person who reads English sees: the card of the state, and the whole page.
type seen struct {
	Error string `json:"error"`
	State string `json:"state"`
	Page  string `json:"page"`
}

// words are what the card of a state says; a license that is gone has a card that offers to activate one.
var words = map[string]string{
	"active ok": "Active", "grace unreachable": "Grace period", "degraded unreachable": "The grace period is over",
	"degraded refused": "The license server refused this license", "degraded removed": "No license yet",
}

func open(t *testing.T, stand *rig.Stand) *screen {
	t.Helper()
	root, err := rig.Root()
	require.NoError(t, err)
	require.DirExists(t, filepath.Join(root, "ui", "node_modules"),
		"the browser's driver is missing: run scripts/ui.sh")
	chromium, err := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "chromium.sh")).Output()
	require.NoError(t, err, "there is no browser: run scripts/need.sh chromium")
	browser := exec.CommandContext(
		t.Context(),
		"node",
		filepath.Join(root, "ui", "e2e", "rig", "read-license.mjs"),
		stand.Panel.URL,
	)
	browser.Env = append(os.Environ(), "PANEL_API_TOKEN="+stand.API.Token,
		"CHROMIUM="+strings.TrimSpace(string(chromium)))
	browser.Stderr = os.Stderr
	ask, err := browser.StdinPipe()
	require.NoError(t, err)
	said, err := browser.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, browser.Start())
	answer := bufio.NewScanner(said)
	answer.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		_, _ = io.WriteString(ask, "end\n")
		_ = browser.Wait()
	})
	return &screen{ask: ask, answer: answer}
}

// shows requires the words of the state on its card, and the read-only banner in no state but degraded.
func (s *screen) shows(t *testing.T, state, reason string) {
	t.Helper()
	_, err := io.WriteString(s.ask, "license\n")
	require.NoError(t, err)
	require.True(t, s.answer.Scan(), "the browser ended")
	var found seen
	require.NoError(t, json.Unmarshal(s.answer.Bytes(), &found))
	require.Empty(t, found.Error)
	card, known := words[state+" "+reason]
	require.True(t, known, "no words for %s, %s", state, reason)
	require.Contains(t, found.State, card)
	require.Equal(t, state == "degraded", strings.Contains(found.Page, "Read-only: "), found.Page)
}
