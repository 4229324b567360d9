package selfupdate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/release"
)

// killed stands for kill -9 at a line: the run of that process ends there.
type killed struct{}

// fake is a machine in a folder: the panel's "executable" is its version, the database a file with its schema.
type fake struct {
	t       *testing.T
	paths   Paths
	running string // version of the panel that runs; empty: stopped
	broken  map[string]bool
	refuses map[string]error
	calls   int
	killAt  int // the call that kills the process; 0 for none
	after   bool
	// migrates is how many looks find the starting panel of that version at work on the database before it is healthy.
	migrates map[string]int
}

// step counts a touch of the machine and dies before or after it.
func (f *fake) step(name string, effect func() error) error {
	f.calls++
	if f.calls == f.killAt && !f.after {
		panic(killed{})
	}
	err := f.refuses[name]
	if err == nil {
		err = effect()
	}
	if f.calls == f.killAt && f.after {
		panic(killed{})
	}
	return err
}

func (f *fake) text(path string) string {
	raw, err := os.ReadFile(path)
	require.NoError(f.t, err)
	return string(raw)
}

func (f *fake) put(path, text string) {
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(f.t, os.WriteFile(path, []byte(text), 0o600))
}

func (f *fake) agent() string { return filepath.Join(f.paths.folder(), "panel-agent") }

// beside tells what lies beside the panel's executable.
func (f *fake) beside() (names []string) {
	entries, err := os.ReadDir(f.paths.folder())
	require.NoError(f.t, err)
	for _, entry := range entries {
		if entry.Name() != "panelctl" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (f *fake) database() string { return filepath.Join(f.paths.Data, "database") }

func (f *fake) Stop(context.Context) error {
	return f.step("stop", func() error { f.running = ""; return nil })
}

// Start runs what lies in the executable's place; a panel migrates an older database to its own schema, and only
// forward.
func (f *fake) Start(context.Context) error {
	return f.step("start", func() error {
		f.running = f.text(f.paths.Binary)
		if release.Compare(f.running, strings.TrimPrefix(f.text(f.database()), "schema of ")) > 0 {
			f.put(f.database(), "schema of "+f.running)
		}
		return nil
	})
}

func (f *fake) Broken(context.Context) bool { return f.broken[f.running] }

func (f *fake) Health(context.Context) (string, bool) {
	return f.running, f.running != "" && !f.broken[f.running] && f.running != "9.9.9" && f.migrates[f.running] == 0
}

func (f *fake) Migrating(context.Context) bool {
	if f.migrates[f.running] == 0 {
		return false
	}
	f.migrates[f.running]--
	return true
}

func (f *fake) Try(_ context.Context, binary string) (said string, err error) {
	err = f.step("try", func() error { said = f.text(binary); return nil })
	return said, err
}

func (f *fake) Schema(context.Context) (said string, err error) {
	err = f.step("schema", func() error { said = f.text(f.database()); return nil })
	return said, err
}

func (f *fake) Dump(_ context.Context, file string) error {
	return f.step("dump", func() error { f.put(file, f.text(f.database())); return nil })
}

func (f *fake) Restore(_ context.Context, file string) error {
	return f.step("restore", func() error { f.put(f.database(), f.text(file)); return nil })
}

func (f *fake) Room(context.Context, string, int64) error { return f.refuses["room"] }

// scene is a machine with panel 1.0.0 and a release of the given version.
func scene(t *testing.T, offered string) (*Engine, *fake) {
	t.Helper()
	root := t.TempDir()
	f := &fake{
		t:        t,
		running:  "1.0.0",
		broken:   map[string]bool{},
		refuses:  map[string]error{},
		migrates: map[string]int{},
		paths: Paths{
			Binary: filepath.Join(root, "bin", "panelctl"), Settings: filepath.Join(root, "etc", "panel.env"),
			Work: filepath.Join(root, "updates"), Data: filepath.Join(root, "data"),
		},
	}
	f.put(f.paths.Binary, "1.0.0")
	f.put(f.agent(), "agent 1.0.0")
	f.put(f.paths.Settings, "PANEL_PORT=8080\n")
	f.put(f.database(), "schema of 1.0.0")
	f.put(filepath.Join(f.paths.Data, headsInData), "heads of 1.0.0")
	require.NoError(t, os.MkdirAll(f.paths.Work, 0o700))
	published := filepath.Join(root, "release")
	f.put(filepath.Join(published, "panelctl"), offered)
	f.put(filepath.Join(published, "panel-agent"), "agent "+offered)
	manifest, public := signed(t, published, offered)
	return &Engine{
		Paths: f.paths, Host: f, Self: f.paths.Binary,
		Clock:  moving{clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))},
		Report: func(string, string) { _ = f.step("tell", func() error { return nil }) },
		Look: func(ctx context.Context, _ string) (*release.Release, error) {
			return release.Open(ctx, manifest, public)
		},
	}, f
}

func signed(t *testing.T, folder, version string) (manifest, public string) {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	m := release.Manifest{Channel: "stable", Version: version, ReleasedAt: time.Unix(1, 0)}
	require.NoError(t, m.Add(release.Panel, release.Platform(), filepath.Join(folder, "panelctl")))
	require.NoError(t, m.Add(release.Agent, release.Platform(), filepath.Join(folder, "panel-agent")))
	require.NoError(t, m.Add(release.Agent, "plan9/mips", filepath.Join(folder, "panel-agent")))
	manifest, err = key.Write(folder, m)
	require.NoError(t, err)
	return manifest, key.Public()
}

// moving is a clock on which every wait is over at once and has taken its time.
type moving struct{ *clockwork.FakeClock }

func (m moving) After(d time.Duration) <-chan time.Time {
	m.Advance(d)
	return m.FakeClock.After(0)
}

func ask(t *testing.T, e *Engine, r request) {
	t.Helper()
	r.ID, r.By, r.At = database.NewID(), "anna", e.Clock.Now()
	require.NoError(t, r.write(filepath.Join(e.Paths.Data, requestName)))
}

func history(t *testing.T, e *Engine) []Run {
	t.Helper()
	lines, err := readJournal(filepath.Join(e.Paths.Data, journalName))
	require.NoError(t, err)
	all, _ := runs(lines)
	return all
}
