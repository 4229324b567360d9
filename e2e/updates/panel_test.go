package updates

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database"
	"panel/platform/release"
	"panel/platform/selfupdate"
)

// neverStarts is a panel that says its version and ends.
const neverStarts = `#!/bin/sh
case "$1" in
version) echo '{"cli":"1.2.0"}' ;;
*) echo "this build ends" >&2; exit 1 ;;
esac
`

// installed is a panel in a folder of its own, with the agent of the same build beside it, and root's half of its
// updates.
type installed struct {
	*rig.Panel
	t      *testing.T
	engine *selfupdate.Engine
	key    release.Key
	from   string // manifest that is offered
}

func install(t *testing.T) *installed {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	folder := rigtest.Folder(t)
	bin := filepath.Join(folder, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	for _, program := range []string{rig.PanelProgram, rig.AgentProgram} {
		copyFile(t, rigtest.Executable(t, program), filepath.Join(bin, program))
	}
	settings := filepath.Join(folder, "panel.env")
	require.NoError(t, os.WriteFile(settings, []byte("PANEL_PORT=1\n"), 0o600))
	panel, err := rig.NewPanel(rig.PanelSettings{
		Executable: filepath.Join(
			bin,
			rig.PanelProgram,
		), Folder: folder, Env: []string{"PANEL_UPDATE_PUBLIC_KEY=" + key.Public()},
	})
	require.NoError(t, err)
	i := &installed{Panel: panel, t: t, key: key}
	i.engine = &selfupdate.Engine{
		Paths: selfupdate.Paths{
			Binary:   panel.Spec.Path,
			Settings: settings,
			Work:     filepath.Join(folder, "updates"),
			Data:     panel.DataDir,
		},
		Host: i, Clock: clockwork.NewRealClock(), Self: panel.Spec.Path,
		Report: func(state, detail string) { t.Log(state, detail) },
		Look: func(ctx context.Context, _ string) (*release.Release, error) {
			return release.Open(ctx, i.from, key.Public())
		},
	}
	require.NoError(t, panel.Up(t.Context()))
	t.Cleanup(func() { require.NoError(t, i.Process.Stop()); rigtest.ShowLog(t, panel.Process) })
	return i
}

// What follows is the machine as root's half of an update needs it: the service is a process.

func (i *installed) Stop(context.Context) error { return i.Process.Stop() }

func (i *installed) Start(context.Context) error { return i.Launch() }

func (i *installed) Broken(context.Context) bool { return !i.Running() }

func (i *installed) Health(ctx context.Context) (string, bool) {
	var document struct{ Status, Version string }
	err := i.API.Get(ctx, "/health", &document)
	return document.Version, err == nil && document.Status == "ok"
}

func (i *installed) Try(ctx context.Context, binary string) (string, error) {
	said, _ := exec.CommandContext(ctx, binary, "version", "--json", "--api", "http://127.0.0.1:9").
		Output()
		// no panel answers there
	var version struct{ CLI string }
	err := json.Unmarshal(said, &version)
	return version.CLI, err
}

func (i *installed) Room(context.Context, string, int64) error { return nil }

func (i *installed) Migrating(ctx context.Context) bool {
	said, err := i.database(ctx, "migrating", nil)
	return err == nil && strings.TrimSpace(string(said)) == "true"
}

func (i *installed) Schema(ctx context.Context) (string, error) {
	said, err := i.database(ctx, "schema", nil)
	return strings.TrimSpace(string(said)), err
}

func (i *installed) Dump(ctx context.Context, file string) error {
	said, err := i.database(ctx, "dump", nil)
	if err != nil {
		return err
	}
	return os.WriteFile(file, said, 0o600)
}

func (i *installed) Restore(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, err = i.database(ctx, "restore", bytes.NewReader(text))
	return err
}

// database works with the executable that began the run, as the real half does.
func (i *installed) database(ctx context.Context, what string, in io.Reader) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(i.engine.Paths.Work, "self", "panelctl"), "update", "database", what)
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.Env, cmd.Dir = in, &problems, append(rig.Environment(), i.Spec.Env...), "/"
	said, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", what, err, problems.String())
	}
	return said, nil
}

// carry signs a release of both programs and offers it.
func (i *installed) carry(version, panel, agent string) {
	i.t.Helper()
	folder := i.t.TempDir()
	m := release.Manifest{Channel: "stable", Version: version, ReleasedAt: time.Now()}
	for program, file := range map[string]string{release.Panel: panel, release.Agent: agent} {
		copyFile(i.t, file, filepath.Join(folder, program))
		require.NoError(i.t, m.Add(program, release.Platform(), filepath.Join(folder, program)))
	}
	var err error
	i.from, err = i.key.Write(folder, m)
	require.NoError(i.t, err)
}

// run hands a request over and carries it out, as the service of updates does.
func (i *installed) run(kind, version, current string) {
	i.t.Helper()
	wish, err := json.Marshal(
		map[string]any{"id": database.NewID(), "kind": kind, "version": version, "by": "anna", "at": time.Now()},
	)
	require.NoError(i.t, err)
	require.NoError(i.t, os.WriteFile(filepath.Join(i.DataDir, "update-request.json"), wish, 0o600))
	require.NoError(i.t, i.engine.Run(i.t.Context(), current))
}

// gives asserts which panel runs and that servers get this agent from it.
func (i *installed) gives(version, agent string) {
	i.t.Helper()
	running, healthy := i.Health(i.t.Context())
	require.True(i.t, healthy)
	require.Equal(i.t, version, running)
	request, err := http.NewRequestWithContext(
		i.t.Context(),
		http.MethodGet,
		i.URL+"/install/agent/"+release.Platform(),
		nil,
	)
	require.NoError(i.t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i.t, err)
	defer answer.Body.Close()
	require.Equal(i.t, http.StatusOK, answer.StatusCode)
	sum := sha256.New()
	_, err = io.Copy(sum, answer.Body)
	require.NoError(i.t, err)
	content, err := os.ReadFile(agent)
	require.NoError(i.t, err)
	require.Equal(
		i.t,
		sha256.Sum256(content),
		[sha256.Size]byte(sum.Sum(nil)),
		"the agent is another build than the panel",
	)
}

// offers asks which build a rollout would bring.
func (i *installed) offers(admin *rig.API) (version string) {
	i.t.Helper()
	var rings struct{ Build *struct{ Version string } }
	require.NoError(i.t, admin.Get(i.t.Context(), "/api/v1/nodes/agent-rings", &rings))
	if rings.Build == nil {
		return ""
	}
	return rings.Build.Version
}

// offersSoon waits until the release beside the panel is stored.
func (i *installed) offersSoon(admin *rig.API, version string) {
	i.t.Helper()
	require.Eventually(i.t, func() bool { return i.offers(admin) == version }, time.Minute, 100*time.Millisecond)
}

// Panel and agent of a release belong together: an update, the return from a broken one and a rollback change both, and
// what servers get and rollouts offer is of the same release.
func TestServersGetTheAgentOfTheReleaseThatThePanelRuns(t *testing.T) {
	t.Parallel()
	oldAgent, newAgent, newPanel := rigtest.Executable(
		t,
		rig.AgentProgram,
	), buildAgent(
		t,
		good,
	), build(
		t,
		rig.PanelProgram,
		good,
	)
	i := install(t)
	var session struct{ Token string }
	require.NoError(
		t,
		i.API.Post(
			t.Context(),
			"/api/v1/setup/admin",
			map[string]string{"username": rig.Username, "password": rig.Password},
			&session,
		),
	)
	admin := i.API.As(session.Token)
	before, _ := i.Health(t.Context()) // how the executables of the rig call themselves
	i.gives(before, oldAgent)
	require.Empty(t, i.offers(admin))

	i.carry(good, newPanel, newAgent)
	i.run("update", good, before)
	i.gives(good, newAgent)
	i.offersSoon(admin, good)

	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte(neverStarts), 0o755))
	i.carry(broken, script, script)
	began := time.Now()
	i.run("update", broken, good)
	require.Less(t, time.Since(began), time.Minute, "automatic return within 60 s")
	i.gives(good, newAgent)
	i.offersSoon(admin, good)

	i.run("rollback", before, good)
	i.gives(before, oldAgent)
	require.Empty(t, i.offers(admin))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o755))
}
