package selfupdate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/release"
)

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

// The agent that the panel gives to its servers belongs to the release: it comes and goes with the panel, and with it
// what proves where it is from. An agent for other machines is replaced only where somebody put one.
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
			require.ElementsMatch(t, append([]string{release.ManifestFile, release.SignatureFile}, before...),
				f.beside())
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
		"not newer": func(*Engine, *fake) string { return "1.0.0" },
		"other":     func(*Engine, *fake) string { return "1.1.1" },
		"no room":   func(_ *Engine, f *fake) string { f.refuses["room"] = errRoom; return "1.1.0" },
		"cannot run": func(_ *Engine,
			f *fake,
		) string {
			f.refuses["try"] = errors.New("exec format error")
			return "1.1.0"
		},
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
	f.put(filepath.Join(f.paths.Data, openInData, "of-1.1.0.open"), "an entry that the restored database never had")
	ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
	require.NoError(t, e.Run(t.Context(), "1.1.0"))
	require.NoDirExists(t, filepath.Join(f.paths.Data, openInData))
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
	s := state{
		Run:   database.NewID(),
		Kind:  kindUpdate,
		From:  "1.0.0",
		To:    "1.1.0",
		Stage: Saving,
		Tries: map[string]int{Saving: tries},
	}
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
