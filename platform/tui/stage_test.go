package tui

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/jonboulle/clockwork"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/doctor"
	"panel/platform/logs"
)

// stage plays the interface without a terminal: keys go in, frames come out, commands run beside.
type stage struct {
	t    *testing.T
	s    *shell
	msgs chan tea.Msg
}

// noon is the moment of all tests.
var noon = time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)

const patience = time.Minute

func newStage(t *testing.T, w *session, width, height int) *stage {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	st := &stage{t: t, s: newShell(ctx, w), msgs: make(chan tea.Msg, 256)}
	st.do(st.s.Init())
	st.send(tea.WindowSizeMsg{Width: width, Height: height})
	return st
}

// do runs a command beside the test, as the program does; timers are longer than a test.
func (st *stage) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		select {
		case st.msgs <- msg:
		case <-st.s.ctx.Done():
		}
	}()
}

// send gives one message to the interface; a batch or a sequence is taken apart.
func (st *stage) send(msg tea.Msg) {
	if many := reflect.ValueOf(msg); many.IsValid() && many.Kind() == reflect.Slice &&
		many.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		if !strings.Contains(many.Type().Name(), "sequence") {
			for i := range many.Len() {
				st.do(many.Index(i).Interface().(tea.Cmd))
			}
			return
		}
		for i := range many.Len() {
			if cmd := many.Index(i).Interface().(tea.Cmd); cmd != nil {
				st.send(cmd())
			}
		}
		return
	}
	if _, quits := msg.(tea.QuitMsg); quits || msg == nil {
		return
	}
	_, cmd := st.s.Update(msg)
	st.do(cmd)
}

// keys presses keys by name: "enter", "esc", "down", or any text letter by letter after "=".
func (st *stage) keys(names ...string) *stage {
	for _, name := range names {
		if text, typed := strings.CutPrefix(name, "="); typed {
			for _, r := range text {
				st.send(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			continue
		}
		st.send(press(name))
	}
	return st
}

func press(name string) tea.KeyPressMsg {
	known := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "tab": tea.KeyTab, "pgdown": tea.KeyPgDown, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace,
	}
	if code, is := known[name]; is {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// opens presses keys and waits for the page that they open.
func (st *stage) opens(names ...string) *stage {
	st.t.Helper()
	before := st.s.top()
	st.keys(names...)
	return st.when(func() bool { return st.s.top() != before }, "another page")
}

func (st *stage) frame() string { return strings.Join(st.s.drawn(), "\n") }

// until waits for a text on the screen.
func (st *stage) until(text string) *stage {
	st.t.Helper()
	return st.when(func() bool { return strings.Contains(st.frame(), text) }, text)
}

func (st *stage) when(is func() bool, what string) *stage {
	st.t.Helper()
	late := time.After(patience)
	for !is() {
		select {
		case msg := <-st.msgs:
			st.send(msg)
		case <-late:
			require.Fail(st.t, "never seen: "+what, st.frame())
		}
	}
	return st
}

// stillSession is a session in which nothing depends on this machine.
func stillSession(t *testing.T, vars settings) *session {
	t.Helper()
	whole := settings{
		"PANEL_API_URL":  "http://127.0.0.1:1",
		"PANEL_DATA_DIR": t.TempDir(),
		"LANG":           "C.UTF-8",
		"NO_COLOR":       "1",
		"TERM":           "xterm",
	}
	for name, value := range vars {
		whole[name] = value
	}
	env := commandLine(t, whole)
	env.Commands = []func(cli.Env) []*cobra.Command{licenseCommand}
	w := newSession(env)
	w.host, w.address, w.clock = "vps-nl", "http://localhost:8080", clockwork.NewFakeClockAt(noon)
	w.doctor = func(env cli.Env) (doctor.Env, []doctor.Check) {
		return doctor.Env{Getenv: env.Getenv, Now: func() time.Time { return noon }}, sampleChecks
	}
	w.places = func(env doctor.Env) logs.Places {
		return logs.Places{PanelFolders: []string{logs.Folder(env.Getenv("PANEL_DATA_DIR"))}}
	}
	return w
}

// licenseCommand stands for the command of the module, which the platform does not know.
func licenseCommand(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "license", Short: "license"}
	group.AddCommand(&cobra.Command{Use: "status", Short: "status", RunE: func(cmd *cobra.Command, _ []string) error {
		client, err := env.Client()
		if err == nil {
			err = client.Get(cmd.Context(), "/api/v1/license/status", nil)
		}
		if err != nil {
			return err
		}
		return env.Record(
			nil,
			cli.Field{Label: "State", Value: "grace", Mood: cli.Careful},
			cli.Field{Label: "Plan", Value: "Pro"},
		)
	}})
	return []*cobra.Command{group}
}

func sample(id, group, title string, finding doctor.Finding) doctor.Check {
	return doctor.Check{
		ID:    id,
		Group: group,
		Title: title,
		Run:   func(context.Context, doctor.Env) doctor.Finding { return finding },
	}
}

var sampleChecks = []doctor.Check{
	sample(
		"services.panel",
		"services",
		"panel.service",
		doctor.Finding{Status: doctor.OK, Found: doctor.Say("active, %d restarts", 0)},
	),
	sample(
		"services.port",
		"services",
		"panel answers",
		doctor.Finding{Status: doctor.OK, Found: doctor.Say("version %s answers on %s", "1.4.2", "127.0.0.1:8080")},
	),
	sample(
		"database.connect",
		"database",
		"connection",
		doctor.Finding{Status: doctor.OK, Found: doctor.Say("PostgreSQL %s, %d ms", "17.6", 3)},
	),
	sample("disk.data", "disk", "data folder", doctor.Finding{
		Status: doctor.Failed, Found: doctor.Say("%d %% of %s used, %s free", 97, doctor.Say("%s GB",
			doctor.Decimal(40)), doctor.Say("%s GB", doctor.Decimal(1.2))),
		Do: doctor.Say(
			"free space, or move PANEL_DATA_DIR to a larger disk; what is large: du -xsh %s/*",
			"/opt/panel/data",
		), Data: map[string]any{"free_bytes": 1288490188},
	}),
	sample("network.license", "network", "license server", doctor.Finding{
		Status: doctor.Warning, Found: doctor.Say("it does not answer: %s", doctor.Say("no answer within %d s", 5)),
		Do: doctor.Say(
			"check the network and PANEL_LICENSE_URLS; the license holds for its grace period: panelctl license status",
		),
	}),
	sample(
		"tls.public",
		"tls",
		"public certificate",
		doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no public address with https configured")},
	),
}
