package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/teatest/v2"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
)

func contains(text string) func([]byte) bool {
	return func(drawn []byte) bool { return bytes.Contains(drawn, []byte(text)) }
}

// The way of an operator through the real program: menu, diagnosis, language, out.
func TestWayThroughTheProgram(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		w := stillSession(t, settings{"PANEL_LANG": "en"})
		s := newShell(t.Context(), w)
		program := teatest.NewTestModel(
			t,
			s,
			teatest.WithInitialTermSize(size[0], size[1]),
			teatest.WithProgramOptions(tea.WithContext(t.Context())),
		)
		teatest.WaitFor(t, program.Output(), contains("not reachable"), teatest.WithDuration(patience))
		program.Type("2")
		teatest.WaitFor(t, program.Output(), contains("Safe recovery"), teatest.WithDuration(patience))
		program.Type("r")
		teatest.WaitFor(t, program.Output(), contains("1 Failed"), teatest.WithDuration(patience))
		program.Type("L")
		teatest.WaitFor(t, program.Output(), contains("Диагностика"), teatest.WithDuration(patience))
		program.Type("q")
		program.WaitFinished(t, teatest.WithFinalTimeout(patience))
		require.NoError(t, s.exit())
	}
}

// Rule: each check ticks as it answers; a slow one hides no other.
func TestDoctorShowsAnswersAsTheyCome(t *testing.T) {
	t.Parallel()
	w := stillSession(t, settings{"PANEL_LANG": "en"})
	release := make(chan struct{})
	slow := doctor.Check{
		ID:    "dns.public",
		Group: "dns",
		Title: "public name",
		Run: func(context.Context, doctor.Env) doctor.Finding {
			<-release
			return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%s", "late but here")}
		},
	}
	w.doctor = func(env cli.Env) (doctor.Env, []doctor.Check) {
		world := doctor.Env{Getenv: env.Getenv, Now: func() time.Time { return noon }}
		return world, append([]doctor.Check{slow}, sampleChecks...)
	}
	st := newStage(t, w, 80, 24)
	st.opens("2").until("public name").keys("r").until("6/7 checks").until("97 %")
	require.NotContains(t, st.frame(), "late but here")
	close(release)
	st.until("late but here").until("saved to")
	require.FileExists(t, filepath.Join(w.env.Getenv("PANEL_DATA_DIR"), "doctor", "last.json"))
}

// Rule: leaving a page ends what it does.
func TestLeavingEndsTheWork(t *testing.T) {
	t.Parallel()
	w := stillSession(t, nil)
	begun, ended := make(chan struct{}), make(chan struct{})
	w.doctor = func(env cli.Env) (doctor.Env, []doctor.Check) {
		world := doctor.Env{Getenv: env.Getenv, Now: time.Now}
		return world, []doctor.Check{
			{ID: "a.b", Group: "dns", Title: "slow", Run: func(ctx context.Context, _ doctor.Env) doctor.Finding {
				close(begun)
				<-ctx.Done()
				close(ended)
				return doctor.Finding{}
			}},
		}
	}
	st := newStage(t, w, 80, 24)
	closed := func(c chan struct{}) func() bool {
		return func() bool {
			select {
			case <-c:
				return true
			case <-time.After(time.Millisecond):
				st.send(spinMsg{})
				return false
			}
		}
	}
	st.opens("2").until("slow").keys("r").when(closed(begun), "the check").keys("esc").when(closed(ended), "its end")
}

// Rule: a repair is shown, confirmed by a typed word, done once, and the diagnosis is repeated.
func TestRepairIsConfirmedByTyping(t *testing.T) {
	t.Parallel()
	st := newStage(t, stillSession(t, settings{"PANEL_LANG": "en"}), 80, 24)
	diagnosed(st)
	done := 0
	st.send(pushMsg{newRecoveryPage(st.s.w, []recovery.Action{{
		CheckID: "services.panel", Title: doctor.Say("%s", "restart"), What: doctor.Say("%s",
			"systemctl restart panel"),
		Do: func(context.Context) error { done++; return nil },
	}})})
	st.opens("enter").until("systemctl restart panel").keys("=yes", "enter").until("Nothing was changed")
	require.Zero(t, done)
	st.keys("backspace", "backspace", "backspace", "="+repairWord, "enter").until("done: restart").until("saved to")
	require.Equal(t, 1, done)
	require.IsType(t, &doctorPage{}, st.s.top())
}

// A repair that fails says why, and stays on its page.
func TestRepairThatFails(t *testing.T) {
	t.Parallel()
	st := newStage(t, stillSession(t, settings{"PANEL_LANG": "en"}), 80, 24)
	st.send(pushMsg{newRecoveryPage(st.s.w, []recovery.Action{{
		Title: doctor.Say(
			"%s",
			"restart",
		), What: doctor.Say("%s", "x"), Do: func(context.Context) error { return errors.New("no permission") },
	}})})
	st.opens("enter").keys("="+repairWord, "enter").until("Error: no permission")
}

// Rule: the license is removed only after REMOVE is typed, and activated with the key that was typed.
func TestLicenseIsChanged(t *testing.T) {
	t.Parallel()
	panel := newFakePanel(t)
	vars := panel.vars()
	vars["PANEL_LANG"] = "en"
	st := newStage(t, stillSession(t, vars), 80, 24)
	st.opens("4").until("Pro").opens("x").keys("=yes", "enter").until("Nothing was changed")
	require.False(t, panel.did("/api/v1/license/remove "))
	st.keys("esc").opens("x").keys("=REMOVE", "enter").until("the license is removed")
	require.True(t, panel.did("/api/v1/license/remove "))
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("PNL-FROM-FILE\n"), 0o600))
	for given, key := range map[string]string{"PNL-TYPED": "PNL-TYPED", file: "PNL-FROM-FILE"} {
		st.opens("a").
			keys("="+given, "enter").
			until("the license is activated").
			when(func() bool { return panel.did("/api/v1/license/activate " + key) }, key)
		st.s.note = noteMsg{}
		st.when(func() bool { return !st.s.top().busy() }, "rest")
	}
}

// Rule: who has no token signs in here, with a second factor where the account has one; leaving ends the session.
func TestSignIn(t *testing.T) {
	t.Parallel()
	panel := newFakePanel(t)
	st := newStage(t, stillSession(t, settings{"PANEL_API_URL": panel.URL, "PANEL_LANG": "en"}), 80, 24)
	st.until("details need a sign-in").opens("i").keys("=anna", "enter", "=n0tit", "enter").until("is wrong")
	require.NotContains(t, st.frame(), "n0tit")
	st.keys("backspace", "backspace", "backspace", "backspace", "backspace", "=right", "enter").
		until("Code of the app").
		keys("=123456", "enter").
		until("grace 61h")
	st.keys("q").when(func() bool { return panel.did("/api/v1/auth/logout ") }, "sign-out")
}

// Without a token only the public health is asked, and a refused token is not shown again: each refusal is a line in
// the journal.
func TestRefusalsAreNotRepeated(t *testing.T) {
	t.Parallel()
	for token, most := range map[string]int{"": 0, "old": 1} {
		panel := newFakePanel(t)
		w := stillSession(t, settings{"PANEL_API_URL": panel.URL, "PANEL_API_TOKEN": token, "PANEL_LANG": "en"})
		st := newStage(t, w, 80, 24)
		st.until("details need a sign-in")
		for range 3 {
			st.opens("6").keys("r").until("of the same version").keys("esc")
			st.opens("4").until("press i to sign in").keys("esc")
		}
		require.LessOrEqual(t, panel.refusals(), most)
	}
}

// Rule: the new password is shown once and is gone when it is left, by whatever way.
func TestPasswordLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"enter", "esc", "ctrl+c"} {
		st := newStage(t, stillSession(t, nil), 80, 24)
		shown := &passwordPage{base: base{w: st.s.w}, username: "anna", plain: []byte("canary-secret")}
		kept := shown.plain
		st.send(pushMsg{shown})
		require.Contains(t, st.frame(), "canary-secret")
		st.keys("q", "L", "?").until("canary-secret")
		st.keys(way).when(func() bool { return shown.plain == nil }, "wiped")
		require.NotContains(t, st.frame(), "canary-secret")
		require.Equal(t, make([]byte, len(kept)), kept)
	}
}

// Keys work in the Russian layout; letters that are typed into a field stay what they are.
func TestRussianLayout(t *testing.T) {
	t.Parallel()
	st := newStage(t, stillSession(t, settings{"PANEL_LANG": "en"}), 80, 24)
	st.keys("Д").until("Состояние панели").keys("/", "=йц").until("/ йц").keys("esc", "Д").until("Panel state")
}

// Escape with a letter close behind it, which terminals send as Alt and the letter, is both keys.
func TestEscapeInAHurry(t *testing.T) {
	t.Parallel()
	st := newStage(t, stillSession(t, settings{"PANEL_LANG": "en"}), 80, 24)
	st.opens("2").until("panel.service")
	st.send(tea.KeyPressMsg{Code: '6', Mod: tea.ModAlt})
	st.until("machine").keys("esc").until("> 6  Version")
}

// Rule: ctrl+c ends with 130, q with 0, also while something is typed.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for key, exit := range map[string]int{"q": 0, "ctrl+c": cli.ExitInterrupted} {
		st := newStage(t, stillSession(t, nil), 80, 24)
		st.keys(key)
		var failure *cli.Failure
		if errors.As(st.s.exit(), &failure) {
			require.Equal(t, exit, failure.Exit)
			continue
		}
		require.Zero(t, exit)
	}
}

// A log that is followed shows new lines, and its search jumps from match to match.
func TestLogsFollowAndSearch(t *testing.T) {
	t.Parallel()
	w := stillSession(t, settings{"PANEL_LANG": "en"})
	writeLog(t, w)
	st := newStage(t, w, 80, 24)
	st.opens("3").until("serve ended").keys("f").until("following").until("serve ended")
	file, err := os.OpenFile(
		filepath.Join(w.env.Getenv("PANEL_DATA_DIR"), "logs", "panel.log"),
		os.O_APPEND|os.O_WRONLY,
		0,
	)
	require.NoError(t, err)
	for range 40 {
		_, err = io.WriteString(
			file,
			`{"time":"2026-11-20T14:05:00Z","level":"info","component":"backend","msg":"one more"}`+"\n",
		)
		require.NoError(t, err)
	}
	_, err = io.WriteString(
		file,
		`{"time":"2026-11-20T14:05:01Z","level":"info","component":"backend","msg":"the very last"}`+"\n",
	)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	st.until("46 lines").
		until("the very last").
		keys("/", "=backup", "enter").
		until("2/2").
		keys("n").
		until("1/2").
		until("14:01:58").
		keys("esc")
	require.NotContains(t, st.frame(), "1/2")
	st.keys("t", "=nonsense", "enter").until("30m, 2h or 7d").keys("esc", "end", "y").until("copied")
	st.opens("s").keys("enter").until("saved to")
	saved, err := filepath.Glob("panel-backend-*.log")
	require.NoError(t, err)
	require.Len(t, saved, 1)
	t.Cleanup(func() { os.Remove(saved[0]) })
	text, err := os.ReadFile(saved[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "the very last")
}

// Rule: an existing file is never overwritten.
func TestSavingOverwritesNothing(t *testing.T) {
	t.Parallel()
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(there, []byte("mine"), 0o600))
	st := newStage(t, stillSession(t, settings{"PANEL_LANG": "en"}), 80, 24)
	st.send(pushMsg{newSavePage(st.s.w, "Save the log", there, func() ([]byte, error) { return []byte("new"), nil })})
	st.keys("enter").until("already there")
	text, err := os.ReadFile(there)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}

// Rule: the terminal is as it was after a panic.
func TestPanicRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	s := newShell(t.Context(), stillSession(t, nil))
	out := &drawn{first: make(chan struct{})}
	program := tea.NewProgram(
		s,
		tea.WithInput(strings.NewReader("")),
		tea.WithOutput(out),
		tea.WithWindowSize(80, 24),
		tea.WithoutSignalHandler(),
		tea.WithContext(t.Context()),
	)
	go func() {
		<-out.first
		program.Send(pushMsg{&breaking{base{w: s.w}}})
	}()
	_, err := program.Run()
	require.ErrorIs(t, err, tea.ErrProgramPanic)
	require.Contains(t, out.String(), "\x1b[?1049h")
	require.Contains(t, out.String(), "\x1b[?1049l")
	require.Contains(t, out.String(), "\x1b[?25h")
}

// drawn is a terminal that tells when something was drawn on it.
type drawn struct {
	mu    sync.Mutex
	all   bytes.Buffer
	once  sync.Once
	first chan struct{}
}

func (d *drawn) Write(text []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if bytes.Contains(text, []byte("panelctl")) {
		d.once.Do(func() { close(d.first) })
	}
	return d.all.Write(text)
}

func (d *drawn) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.String()
}

type breaking struct{ base }

func (*breaking) title() (string, string) { return "", "" }

func (*breaking) view(int, int) []line { panic("a page broke") }
