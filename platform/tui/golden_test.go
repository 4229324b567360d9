package tui

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/core/accounts"
	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
	"panel/platform/support"
)

// updating tells that -update, which teatest brings, asks for new golden files.
func updating() bool {
	wish := flag.Lookup("update")
	return wish != nil && wish.Value.String() == "true"
}

// screen is one picture of the interface: the way to it.
type screen struct {
	name string
	down bool // the panel does not answer
	play func(*stage)
}

// screens are all pages, each in the state in which it shows most.
var screens = []screen{
	{name: "menu", play: func(*stage) {}},
	{name: "menu-down", down: true, play: func(*stage) {}},
	{name: "menu-filter", down: true, play: func(st *stage) { st.keys("/", "=doc") }},
	{name: "keys", play: func(st *stage) { st.opens("2").opens("?") }},
	{name: "state", play: func(st *stage) { st.opens("1").until("PostgreSQL") }},
	{name: "state-down", down: true, play: func(st *stage) { st.opens("1").until("PostgreSQL") }},
	{name: "doctor-before", down: true, play: func(st *stage) { st.opens("2").until("panel.service") }},
	{name: "doctor", down: true, play: diagnosed},
	{name: "doctor-check", down: true, play: func(st *stage) { diagnosed(st); st.opens("enter") }},
	{name: "doctor-filter", down: true, play: func(st *stage) { diagnosed(st); st.keys("/", "=lic", "enter") }},
	{
		name: "doctor-last",
		down: true,
		play: func(st *stage) { diagnosed(st); st.opens("v").until("disk.data").until("97") },
	},
	{name: "doctor-export", down: true, play: func(st *stage) { diagnosed(st); st.opens("e") }},
	{name: "recovery", down: true, play: func(st *stage) { shown(st, newRecoveryPage(st.s.w, sampleActions())) }},
	{name: "recovery-confirm", down: true, play: func(st *stage) {
		shown(st, newRecoveryPage(st.s.w, sampleActions()))
		st.opens("enter").keys("=no", "enter")
	}},
	{name: "bundle-1", down: true, play: func(st *stage) { shown(st, newBundlePage(st.s.w)) }},
	{name: "bundle-2", down: true, play: func(st *stage) { shown(st, sampleBundle(st.s.w, stepReview)) }},
	{name: "bundle-3", down: true, play: func(st *stage) { shown(st, sampleBundle(st.s.w, stepSaved)) }},
	{name: "bundle-preview", down: true, play: func(st *stage) {
		shown(st, sampleBundle(st.s.w, stepReview))
		st.opens("p")
	}},
	{name: "logs", down: true, play: logged},
	{name: "logs-search", down: true, play: func(st *stage) { logged(st); st.keys("w", "/", "=backup", "enter") }},
	{name: "logs-none", down: true, play: func(st *stage) {
		logged(st)
		st.keys("4").until(" nginx ").when(func() bool { return st.s.top().(*logsPage).trouble != nil }, "trouble")
	}},
	{name: "license", play: func(st *stage) { st.opens("4").until("Pro") }},
	{name: "license-remove", play: func(st *stage) { st.opens("4").until("Pro").opens("x") }},
	{name: "license-activate", play: func(st *stage) { st.opens("4").until("Pro").opens("a").keys("=PNL-1") }},
	{name: "license-down", down: true, play: func(st *stage) { st.opens("4").until("systemctl") }},
	{name: "reset", down: true, play: func(st *stage) { shown(st, sampleReset(st.s.w)) }},
	{
		name: "reset-confirm",
		down: true,
		play: func(st *stage) { shown(st, sampleReset(st.s.w)); st.keys("f").opens("enter") },
	},
	{name: "password", down: true, play: func(st *stage) {
		shown(st, &passwordPage{base: base{w: st.s.w}, username: "anna", plain: []byte("zNADaxz5PAKmWW2b")})
	}},
	{name: "version", play: func(st *stage) { st.opens("6") }},
	{name: "sign-in", play: func(st *stage) { shown(st, newSignIn(st.s.w)); st.keys("=anna", "tab", "=secret") }},
}

func logged(st *stage) {
	st.opens("3").until("serve ended")
	st.s.top().(*logsPage).source.Text = doctor.Say("files, %s", "/var/log/panel/panel.log")
}

func diagnosed(st *stage) {
	st.opens("2").until("panel.service").keys("r").when(func() bool {
		p, is := st.s.top().(*doctorPage)
		return is && p.report != nil
	}, "report")
}

func shown(st *stage, p page) {
	st.send(pushMsg{p})
}

func sampleActions() []recovery.Action {
	return []recovery.Action{
		{
			ID: "restart_service", CheckID: "services.panel", Title: doctor.Say("%s", "restart panel.service"),
			What: doctor.Say("%s", "systemctl restart panel.service"),
			Do:   func(context.Context) error { return nil },
		},
		{
			ID:      "make_folders",
			CheckID: "disk.data",
			Title:   doctor.Say("%s", "make the data folders"),
			What:    doctor.Say("%s", "mkdir -m 700 /opt/panel/data/backups"),
		},
	}
}

func sampleBundle(w *session, step int) page {
	return &stillBundle{bundlePage{
		base: base{w: w}, step: step, period: 1, other: newField(""), address: "https://support.example.org",
		path: "/opt/panel/data/support/panel-20261120-1402.tar.gz", bytes: 4 << 20,
		options: support.Options{Folder: "/opt/panel/data/support"},
		manifest: &support.Manifest{
			Bytes: 21 << 20, Masked: map[string]int{"token": 12, "password": 4, "key": 1, "address": 20},
			Files: []support.File{
				{Name: "MANIFEST.json", Bytes: 900},
				{
					Name:   "logs/backend.log",
					Bytes:  20 << 20,
					Source: "system journal, panel.service",
					Masked: map[string]int{"token": 12},
				},
			},
			Missing: []support.Missing{{Name: "logs/nginx.log", Why: "no log in /var/log/nginx"}},
		},
	}}
}

// stillBundle is a dialog in the middle; its start would find out what there is.
type stillBundle struct{ bundlePage }

func sampleReset(w *session) page {
	signedIn := noon.Add(-26 * time.Hour)
	return &stillReset{resetPage{
		base: base{
			w: w,
		}, filter: filter{w: w}, source: cli.Say("settings from %s, database %s", "/opt/panel/.env",
			cli.Say("%s at local socket", "panel")),
		all: []accounts.Administrator{
			{Username: "anna", Active: true, Authenticator: true, LastLogin: &signedIn},
			{Username: "boris"},
		},
	}}
}

// stillReset reads no database.
type stillReset struct{ resetPage }

func (p *stillReset) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	return nil
}

// The pages say sentences of modules, whose Russian the manifests bring to a running panel.
func TestMain(m *testing.M) {
	files, err := filepath.Glob("../../modules/*/russian.txt")
	core, coreErr := filepath.Glob("../core/*/russian.txt")
	if err := errors.Join(err, coreErr); err != nil {
		panic(err)
	}
	for _, file := range append(files, core...) {
		content, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		doctor.Translate(string(content))
	}
	os.Exit(m.Run())
}

// Every page looks as its golden file at both sizes and in both languages; no line is wider than the window.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "ru"} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			for _, one := range screens {
				name := one.name + "." + strconv.Itoa(size[0]) + "." + language
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					golden(t, name, picture(t, one, size, settings{"PANEL_LANG": language}))
				})
			}
		}
	}
}

// Without Unicode nothing but ASCII is on any English screen, and the frame holds.
func TestScreensInASCII(t *testing.T) {
	t.Parallel()
	for _, one := range screens {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			frame := picture(t, one, [2]int{80, 24}, settings{"PANEL_LANG": "en", "LANG": "C"})
			for _, r := range frame {
				require.Less(t, r, rune(0x80), "%q in\n%s", r, frame)
			}
			if one.name == "doctor" || one.name == "menu" {
				golden(t, one.name+".ascii", frame)
			}
		})
	}
}

// Rule: NO_COLOR takes the colours and nothing else.
func TestColoursAddNothing(t *testing.T) {
	t.Parallel()
	for _, one := range screens {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			coloured := picture(t, one, [2]int{80, 24}, settings{"PANEL_LANG": "en", "NO_COLOR": ""})
			require.Contains(t, coloured, "\x1b[")
			plain := picture(t, one, [2]int{80, 24}, settings{"PANEL_LANG": "en"})
			require.Equal(t, ansi.Strip(plain), ansi.Strip(coloured))
			require.NotRegexp(t, `\x1b\[[0-9;]*(3[0-9]|9[0-9])[0-9;]*m`, plain)
		})
	}
}

// Any window from 80x24 up is filled exactly; a smaller one gets a sentence.
func TestEverySizeIsFilled(t *testing.T) {
	t.Parallel()
	for _, one := range screens {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			st := playing(t, one, [2]int{80, 24}, settings{"PANEL_LANG": "ru"})
			for _, size := range [][2]int{{80, 25}, {97, 24}, {132, 50}, {220, 70}, {81, 31}} {
				st.keys().s.width, st.s.height = size[0], size[1]
				requireFilled(t, st.frame(), size)
			}
			st.s.width = 79
			require.Contains(t, strings.Join(strings.Fields(st.frame()), " "), "panelctl tui --linear")
		})
	}
}

func requireFilled(t *testing.T, frame string, size [2]int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	require.Len(t, lines, size[1], frame)
	for _, one := range lines {
		require.Equal(t, size[0]-1, ansi.StringWidth(one), "%q in\n%s", one, frame)
	}
}

func playing(t *testing.T, one screen, size [2]int, vars settings) *stage {
	t.Helper()
	whole := settings{}
	if !one.down {
		maps.Copy(whole, newFakePanel(t).vars())
	}
	maps.Copy(whole, vars)
	w := stillSession(t, whole)
	writeLog(t, w)
	st := newStage(t, w, size[0], size[1])
	st.when(func() bool { return st.s.w.state.asked }, "state of the panel")
	one.play(st)
	st.s.note = noteMsg{}
	return st
}

func picture(t *testing.T, one screen, size [2]int, vars settings) string {
	t.Helper()
	st := playing(t, one, size, vars)
	frame := st.frame()
	requireFilled(t, frame, size)
	return strings.ReplaceAll(frame, "\x1b[7m \x1b[m", " ")
}

func writeLog(t *testing.T, w *session) {
	t.Helper()
	folder := filepath.Join(w.env.Getenv("PANEL_DATA_DIR"), "logs")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	text := `{"time":"2026-11-20T14:01:58Z","level":"info","component":"worker","msg":"backup.run","profile":"daily","size":"412MB","took":"38s"}
{"time":"2026-11-20T14:02:03Z","level":"error","component":"worker","msg":"notify.send","channel":"messenger","err":"timeout while the messenger was asked for the third time","request_id":"01JD"}
plain words with a colour \x1b[31m of their own
{"time":"2026-11-20T14:03:00Z","level":"warn","component":"backend","msg":"backup is late"}
{"time":"2026-11-20T14:04:00Z","level":"info","component":"backend","msg":"serve ended"}
`
	require.NoError(t, os.WriteFile(filepath.Join(folder, "panel.log"), []byte(text), 0o600))
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if updating() {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./platform/tui -update")
	require.Equal(t, string(want), text+"\n")
}
