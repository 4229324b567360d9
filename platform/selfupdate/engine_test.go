package selfupdate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// Start runs what lies in the executable's place; a panel migrates an older database to its own schema, and only forward.
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
	f := &fake{t: t, running: "1.0.0", broken: map[string]bool{}, refuses: map[string]error{}, migrates: map[string]int{}, paths: Paths{
		Binary: filepath.Join(root, "bin", "panelctl"), Settings: filepath.Join(root, "etc", "panel.env"),
		Work: filepath.Join(root, "updates"), Data: filepath.Join(root, "data"),
	}}
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
		Paths: f.paths, Host: f, Self: f.paths.Binary, Clock: moving{clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))},
		Tell: func(string, string) { _ = f.step("tell", func() error { return nil }) },
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

// keepGoing starts root's half anew after every kill, as its service does.
func keepGoing(t *testing.T, e *Engine, f *fake) {
	t.Helper()
	for range 20 {
		if e.Unfinished() || exists(filepath.Join(e.Paths.Data, requestName)) {
			once(t, e, f)
			continue
		}
		return
	}
	t.Fatal("the run never ends")
}

func once(t *testing.T, e *Engine, f *fake) {
	t.Helper()
	defer func() {
		if cause := recover(); cause != nil && cause != (killed{}) {
			panic(cause)
		}
		if f.calls >= f.killAt {
			f.killAt = 0
		}
	}()
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
}

func TestAnUpdateReplacesThePanelAndKeepsTheSetOfTheOneBefore(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, "1.1.0", f.running)
	require.Equal(t, "1.1.0", f.text(f.paths.Binary))
	back, err := openSet(e.Paths.kept())
	require.NoError(t, err)
	require.Equal(t, "1.0.0", back.Version)
	require.True(t, back.Changed, "the new panel migrated the database")
	require.Equal(t, "schema of 1.0.0", f.text(filepath.Join(e.Paths.kept(), setDatabase)))
	all := history(t, e)
	require.Len(t, all, 1)
	require.Equal(t, Done, all[0].State)
	require.Equal(t, "anna", all[0].By)
	require.False(t, exists(filepath.Join(e.Paths.Data, requestName)))
}

// A new panel that never becomes healthy is replaced by the one before, with its database, within a minute.
func TestAPanelThatNeverBecomesHealthyIsReplacedByTheOneBefore(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{"crashes": "2.0.0", "hangs": "9.9.9"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, f := scene(t, version)
			f.broken["2.0.0"] = true
			began := e.Clock.Now()
			ask(t, e, request{Kind: kindUpdate, Version: version})
			require.NoError(t, e.Run(t.Context(), "1.0.0"))
			require.Equal(t, "1.0.0", f.running)
			require.Equal(t, "1.0.0", f.text(f.paths.Binary))
			require.Equal(t, "schema of 1.0.0", f.text(f.database()))
			all := history(t, e)
			require.Equal(t, Returned, all[0].State)
			require.Contains(t, all[0].Reason, "did not become healthy")
			require.LessOrEqual(t, e.Clock.Since(began), time.Minute)
		})
	}
}

// A panel that is seen at work on a large database is waited for, beyond the 45 seconds, and not for ever.
func TestALongMigrationIsWaitedForWithinItsLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version string
		signs   int
		state   string
		atMost  time.Duration
	}{
		"gets healthy":     {"1.1.0", 10, Done, 5 * time.Minute},
		"never ends":       {"1.1.0", 1000, Returned, 15 * time.Minute},
		"hangs afterwards": {"9.9.9", 1, Returned, 80 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, f := scene(t, c.version)
			f.migrates[c.version] = c.signs
			began := e.Clock.Now()
			ask(t, e, request{Kind: kindUpdate, Version: c.version})
			require.NoError(t, e.Run(t.Context(), "1.0.0"))
			require.Equal(t, c.state, history(t, e)[0].State)
			require.Equal(t, map[string]string{Done: c.version, Returned: "1.0.0"}[c.state], f.running)
			require.LessOrEqual(t, e.Clock.Since(began), c.atMost)
		})
	}
}

// The agent that the panel gives to its servers belongs to the release: it comes and goes with the panel, and with it what
// proves where it is from. An agent for other machines is replaced only where somebody put one.
func TestTheAgentsOfTheReleaseComeAndGoWithThePanel(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]bool{"own machine": false, "another machine, too": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, f := scene(t, "1.1.0")
			foreign := f.agent() + "-plan9-mips"
			before := []string{"panel-agent"}
			if other {
				f.put(foreign, "agent 1.0.0")
				before = append(before, filepath.Base(foreign))
			}
			ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
			require.NoError(t, e.Run(t.Context(), "1.0.0"))
			require.ElementsMatch(t, append([]string{release.ManifestFile, release.SignatureFile}, before...), f.beside())
			require.Equal(t, "agent 1.1.0", f.text(f.agent()))
			info, err := os.Stat(f.agent())
			require.NoError(t, err)
			require.EqualValues(t, 0o755, info.Mode().Perm())
			if other {
				require.Equal(t, "agent 1.1.0", f.text(foreign))
			}
			ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
			require.NoError(t, e.Run(t.Context(), "1.1.0"))
			require.ElementsMatch(t, before, f.beside())
			require.Equal(t, "agent 1.0.0", f.text(f.agent()))
		})
	}
}

// Whatever fails before the panel is stopped changes nothing.
func TestWhatFailsBeforeThePanelIsStoppedChangesNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Engine, *fake) string{
		"not newer":  func(*Engine, *fake) string { return "1.0.0" },
		"other":      func(*Engine, *fake) string { return "1.1.1" },
		"no room":    func(_ *Engine, f *fake) string { f.refuses["room"] = errRoom; return "1.1.0" },
		"cannot run": func(_ *Engine, f *fake) string { f.refuses["try"] = errors.New("exec format error"); return "1.1.0" },
		"untrusted": func(e *Engine, _ *fake) string {
			e.Look = func(context.Context, string) (*release.Release, error) { return nil, release.ErrUntrusted }
			return "1.1.0"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			offered := "1.1.0"
			if name == "not newer" {
				offered = "1.0.0"
			}
			e, f := scene(t, offered)
			f.refuses["stop"] = errors.New("the panel was touched")
			ask(t, e, request{Kind: kindUpdate, Version: spoil(e, f)})
			require.NoError(t, e.Run(t.Context(), "1.0.0"))
			require.Equal(t, "1.0.0", f.running)
			all := history(t, e)
			require.Equal(t, Failed, all[0].State)
			require.NotContains(t, all[0].Reason, "the panel was touched")
		})
	}
}

func TestAFailingDumpStartsThePanelAgain(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	f.refuses["dump"] = errors.New("no pg_dump")
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, "1.0.0", f.running)
	require.Equal(t, Returned, history(t, e)[0].State)
}

func TestARollbackBringsTheWholeSetBackOnce(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	f.put(f.paths.Settings, "PANEL_PORT=9090\n")
	ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
	require.NoError(t, e.Run(t.Context(), "1.1.0"))
	require.Equal(t, "1.0.0", f.running)
	require.Equal(t, "schema of 1.0.0", f.text(f.database()))
	require.Equal(t, "heads of 1.0.0", f.text(filepath.Join(f.paths.Data, headsInData)))
	require.Equal(t, "PANEL_PORT=8080\n", f.text(f.paths.Settings))
	require.Equal(t, "PANEL_PORT=9090\n", f.text(f.paths.Settings+".before-rollback"))
	require.Equal(t, Done, history(t, e)[1].State)
	ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, Failed, history(t, e)[2].State, "the set is spent")
}

// Everything acknowledged survives kill -9 at any line: the run goes on or returns, never anything between.
func TestARunThatIsKilledAnywhereGoesOnOrReturns(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.1.0", "2.0.0"} {
		for _, after := range []bool{false, true} {
			for at := 1; ; at++ {
				e, f := scene(t, version)
				f.broken["2.0.0"], f.killAt, f.after = true, at, after
				ask(t, e, request{Kind: kindUpdate, Version: version})
				once(t, e, f)
				if f.killAt != 0 && f.calls < f.killAt {
					break // the run has fewer touches than this
				}
				keepGoing(t, e, f)
				name := fmt.Sprintf("%s, killed at touch %d, after it: %v", version, at, after)
				last := history(t, e)
				require.NotEmpty(t, last, name)
				wanted := map[string]string{Done: "1.1.0", Returned: "1.0.0"}[last[len(last)-1].State]
				if version == "2.0.0" {
					wanted = "1.0.0"
				}
				require.NotEmpty(t, wanted, "%s: %+v", name, last)
				require.Equal(t, wanted, f.running, name)
				require.Equal(t, wanted, f.text(f.paths.Binary), name)
				require.Equal(t, "agent "+wanted, f.text(f.agent()), name)
				require.Equal(t, wanted == "1.1.0", slices.Contains(f.beside(), release.ManifestFile), name)
				require.Equal(t, "schema of "+wanted, f.text(f.database()), name)
				require.Len(t, last, 1, name)
			}
		}
	}
}

// A run that dies again and again at one stage ends by returning.
func TestARunThatDiesAgainAndAgainReturns(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	s := state{Run: database.NewID(), Kind: kindUpdate, From: "1.0.0", To: "1.1.0", Stage: Saving, Tries: map[string]int{Saving: tries}}
	require.NoError(t, e.store(s))
	f.running = ""
	require.NoError(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, "1.0.0", f.running)
	require.Equal(t, Returned, history(t, e)[0].State)
}

// Root believes nothing of a request: what cannot be used is removed and changes nothing.
func TestARequestThatMakesNoSenseIsRemoved(t *testing.T) {
	t.Parallel()
	for _, r := range []request{
		{ID: "../../etc", Kind: kindUpdate, Version: "1.1.0"},
		{ID: database.NewID(), Kind: "install", Version: "1.1.0"},
		{ID: database.NewID(), Kind: kindUpdate, Version: "$(reboot)"},
		{ID: database.NewID(), Kind: kindUpdate, Version: "1.1.0", By: "a\nb"},
	} {
		e, f := scene(t, "1.1.0")
		text, err := json.Marshal(r)
		require.NoError(t, err)
		f.put(filepath.Join(e.Paths.Data, requestName), string(text))
		require.ErrorIs(t, e.Run(t.Context(), "1.0.0"), errRequest)
		require.False(t, exists(filepath.Join(e.Paths.Data, requestName)))
		require.Equal(t, "1.0.0", f.running)
		require.Empty(t, history(t, e))
	}
}

// The panel's user owns the data folder: a link in it leads root nowhere.
func TestALinkInThePanelsFolderLeadsRootNowhere(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	secret := filepath.Join(t.TempDir(), "secret")
	f.put(secret, "root's own")
	require.NoError(t, os.Symlink(secret, filepath.Join(e.Paths.Data, journalName)))
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.Error(t, e.Run(t.Context(), "1.0.0"))
	require.Equal(t, "root's own", f.text(secret))
}
