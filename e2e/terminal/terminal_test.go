package terminal

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

// place is what the shell of an operator on the server of that panel has.
func place(panel *rig.Panel, token string, more ...string) []string {
	return append([]string{
		"PATH=" + filepath.Dir(
			panel.Spec.Path,
		) + ":" + os.Getenv(
			"PATH",
		), "PANEL_API_URL=" + panel.URL, "PANEL_API_TOKEN=" + token,
		"PANEL_DATA_DIR=" + panel.DataDir, "PANEL_PORT=" + strconv.Itoa(panel.Port), "HOME=" +
			filepath.Dir(panel.DataDir),
	}, more...)
}

var sizes = map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}}

// The way of an operator with the panel up: menu, state, diagnosis with details, language, license, version, out.
func TestWithThePanelUp(t *testing.T) {
	t.Parallel()
	stand := rigtest.Install(t, rig.PanelSettings{})
	for name, size := range sizes {
		t.Run(name, func(t *testing.T) {
			term := open(t, size[0], size[1], place(stand.Panel, stand.API.Token)...)
			term.run("panelctl")
			term.sees("● running", "DB connected", "license: active", "> 1  Panel state", "q quit")
			term.keys("1")
			term.sees("Services and database on this machine", "PostgreSQL")
			term.back().keys("2")
			term.sees("r Run", "master key")
			term.keys("r")
			term.sees("saved to", " s ┤")
			term.text("/disk.data").keys("Enter", "Enter")
			term.sees("Disk · data folder", "Facts", "free_bytes")
			term.keys("L")
			term.sees("Диск", "Найдено")
			term.back().back().back()
			term.sees("Состояние панели", "последний запуск")
			term.keys("4")
			term.sees("Лицензия", "active", "Тариф")
			term.back().keys("6")
			term.sees("Версия", "совпадает")
			term.keys("L", "?")
			term.sees("ctrl+c", "Refresh")
			term.keys("q")
			term.gone("Refresh")
			term.restored()
		})
	}
}

// With the panel down the header says so, and Doctor, logs and password reset work.
func TestWithThePanelDown(t *testing.T) {
	t.Parallel()
	panel := rigtest.Panel(t, rig.PanelSettings{})
	require.NoError(t, panel.Up(t.Context()))
	signUp(t, panel)
	require.NoError(t, panel.Stop())
	log := filepath.Join(panel.DataDir, "logs")
	require.NoError(t, os.MkdirAll(log, 0o755))
	require.NoError(
		t,
		os.WriteFile(
			filepath.Join(log, "panel.log"),
			[]byte(`{"level":"error","time":"2026-11-20T02:59:59Z","component":"database","msg":"the last words"}`+"\n"),
			0o644,
		),
	)
	for name, size := range sizes {
		t.Run(name, func(t *testing.T) {
			term := open(t, size[0], size[1], place(panel, "", "LANG=ru_RU.UTF-8")...)
			term.run("panelctl tui")
			term.sees("○ недоступна", "соединение отклонено", "Начните с раздела 2")
			term.keys("L", "2")
			term.sees("○ not reachable", "r Run", "panel answers")
			term.keys("r")
			term.sees("Failed", "saved to")
			term.text("/services.port").keys("Enter")
			term.sees("nothing listens on", "Do ")
			term.back().keys("v")
			term.sees("Last diagnosis", "today")
			term.back().back().keys("3")
			term.sees("the last words", "Source: ")
			term.back().keys("5")
			term.sees("> admin", "last sign-in")
			term.back().keys("q")
			term.gone("Panel state")
			term.restored()
		})
	}
}

func signUp(t *testing.T, panel *rig.Panel) string {
	t.Helper()
	var session struct {
		Token string `json:"token"`
	}
	require.NoError(
		t,
		panel.API.Post(
			t.Context(),
			"/api/v1/setup/admin",
			map[string]string{"username": rig.Username, "password": rig.Password},
			&session,
		),
	)
	return session.Token
}

var boxed = regexp.MustCompile(`│ ([A-Za-z0-9]{16}) │`)

// Rule: a password that is reset here works at once and the old one does not; it is gone from the screen when it is
// left.
func TestResetThenSignIn(t *testing.T) {
	t.Parallel()
	panel := rigtest.Panel(t, rig.PanelSettings{})
	require.NoError(t, panel.Up(t.Context()))
	token := signUp(t, panel)
	term := open(t, 80, 24, place(panel, "")...)
	term.run("panelctl")
	term.sees("details need a sign-in")
	term.keys("5")
	term.sees("> admin")
	term.keys("Enter")
	term.sees("stops working now", "Type admin to go on")
	term.text("somebody").keys("Enter")
	term.sees("Nothing was changed")
	require.NoError(t, login(t, panel, rig.Password))
	term.back()
	term.sees("also remove the second factor")
	term.keys("Enter")
	term.sees("Type admin to go on")
	term.text("admin").keys("Enter")
	found := boxed.FindStringSubmatch(term.sees("New password of admin", "shown this once"))
	require.NotNil(t, found)
	require.NoError(t, login(t, panel, found[1]))
	require.True(t, rig.Refused(login(t, panel, rig.Password), http.StatusUnauthorized))
	require.True(t, rig.Refused(panel.API.As(token).Get(t.Context(), "/api/v1/auth/me", nil), http.StatusUnauthorized))
	term.keys("Enter")
	term.gone(found[1])
	term.back().keys("i")
	term.sees("Username:")
	term.text("admin").keys("Enter").text(found[1]).keys("Enter")
	term.sees("DB connected")
	term.keys("q")
	term.gone("DB connected")
	term.restored()
	require.NotContains(
		t,
		term.tmux("capture-pane", "-p", "-S", "-"),
		found[1],
		"nothing is left in what can be scrolled back",
	)
}

func login(t *testing.T, panel *rig.Panel, password string) error {
	t.Helper()
	return panel.API.Post(
		t.Context(),
		"/api/v1/auth/login",
		map[string]string{"username": rig.Username, "password": password},
		nil,
	)
}

// nowhere is a panel that was never started.
func nowhere(t *testing.T) *rig.Panel {
	t.Helper()
	return rigtest.Panel(t, rig.PanelSettings{})
}

// Rule: a signal and ctrl+c leave the terminal as it was; ctrl+c is 130.
func TestTheTerminalIsRestored(t *testing.T) {
	t.Parallel()
	term := open(t, 80, 24, place(nowhere(t), "")...)
	for _, name := range []string{"TERM", "INT"} {
		term.run("panelctl; echo ended-$?")
		term.sees("> 1  Panel state")
		side := open(t, 80, 24)
		side.run(
			"kill -" + name + " $(pgrep -n -P " + strings.TrimSpace(
				term.tmux("display-message", "-p", "#{pane_pid}"),
			) + "); echo sent-$((1+1))",
		)
		side.sees("sent-2")
		term.sees("ended-130")
		term.restored()
		term.run("clear")
	}
	term.run("panelctl; echo ended-$?")
	term.sees("> 1  Panel state")
	term.keys("C-c")
	term.sees("ended-130")
	term.restored()
}

// A window that is made smaller gets a sentence, one that is made larger again gets the page back.
func TestResize(t *testing.T) {
	t.Parallel()
	term := open(t, 100, 30, place(nowhere(t), "")...)
	term.run("panelctl")
	term.sees("> 1  Panel state")
	term.tmux("resize-window", "-x", "60", "-y", "20")
	term.sees("This window is 60x20")
	term.tmux("resize-window", "-x", "120", "-y", "40")
	term.sees("> 1  Panel state", strings.Repeat("─", 100))
	term.keys("q")
	term.gone("Panel state")
}

// Without Unicode the screen is ASCII; on a dumb terminal and with --linear the questions are numbered, line by line.
func TestPlainTerminals(t *testing.T) {
	t.Parallel()
	panel := nowhere(t)
	require.NoError(t, os.MkdirAll(panel.DataDir, 0o755))
	term := open(t, 80, 24, place(panel, "", "LC_ALL=C", "NO_COLOR=1")...)
	term.run("panelctl")
	ascii := term.sees("> 1  Panel state", "o not reachable", "+-----")
	require.NotRegexp(t, `[^\x00-\x7f]`, ascii)
	term.keys("q")
	term.gone("> 1")
	for _, line := range []string{"TERM=dumb panelctl", "panelctl tui --linear"} {
		term.run("clear; " + line + "; echo ended-$?")
		term.sees("1. Panel state", "Number:")
		term.run("2")
		term.sees("1. Run the diagnosis")
		term.run("1")
		term.sees("saved to", "Number:")
		term.run("0")
		term.sees("ended-0")
	}
}

// Rule: without a terminal it prints help and ends with 2.
func TestWithoutATerminal(t *testing.T) {
	t.Parallel()
	term := open(t, 80, 24, place(nowhere(t), "")...)
	term.run("panelctl tui </dev/null | head -3; panelctl </dev/null >/dev/null; echo ended-$?")
	term.sees("panelctl", "ended-2")
}
