// Package rig builds the product's real executables and runs them, for the tests below e2e and for panel-bench.
package rig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const buildLimit = 15 * time.Minute

// Names of the executables.
const (
	PanelProgram     = "panelctl"
	AgentProgram     = "panel-agent"
	AuthorityProgram = "panel-licensed"
	CoreProgram      = "xray" // the proxy core as its authors ship it, to compare with

	TrialPanelProgram = "trial-panel" // panelctl with one more module, that uses agents in every way
	TrialAgentProgram = "trial-agent" // panel-agent with one more part, for that module
)

// sources of programs that are not in the folder of cmd that has their name.
var sources = map[string]string{
	CoreProgram:       "github.com/xtls/xray-core/main",
	TrialPanelProgram: "./e2e/agents/panel",
	TrialAgentProgram: "./cmd/panel-agent/internal/trial/agent",
}

// Executable compiles a program from this tree, once per process, and gives its path; what is up to date stays as it
// is.
func Executable(ctx context.Context, name string) (string, error) {
	once, _ := built.LoadOrStore(name, &building{})
	b, ok := once.(*building)
	if !ok {
		return "", fmt.Errorf("build %s: the list of executables is broken", name)
	}
	b.once.Do(func() { b.path, b.err = build(ctx, name) })
	return b.path, b.err
}

type building struct {
	once sync.Once
	path string
	err  error
}

var built sync.Map

func build(ctx context.Context, name string) (string, error) {
	folder, unlock, err := workshop()
	if err != nil {
		return "", err
	}
	defer unlock()
	target, source := filepath.Join(folder, name), "./cmd/"+name
	if elsewhere, known := sources[name]; known {
		source = elsewhere
	}
	return target, compile(ctx, target, source)
}

// workshop is the folder of built executables; its lock keeps test processes from building side by side.
func workshop() (string, func(), error) {
	root, err := Root()
	if err != nil {
		return "", nil, err
	}
	folder := filepath.Join(root, ".run", "e2e")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", nil, fmt.Errorf("make the folder of executables: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", nil, fmt.Errorf("lock the folder of executables: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", nil, errors.Join(fmt.Errorf("lock the folder of executables: %w", err), lock.Close())
	}
	return folder, func() { lock.Close() }, nil
}

func compile(ctx context.Context, target, source string) error {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	root, err := Root()
	if err != nil {
		return err
	}
	if err := lookAtSources(root); err != nil {
		return err
	}
	cmd := exec.CommandContext(
		ctx,
		"go",
		"build",
		"-trimpath",
		"-ldflags",
		"-w -X panel/platform/version.Version=e2e",
		"-o",
		target,
		source,
	)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", source, err, said)
	}
	return nil
}

// lookAtSources lets the go command know what a test depends on, so that it does not repeat an old answer for changed
// sources.
func lookAtSources(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != root && (name == "node_modules" || strings.HasPrefix(name,
			".")) {
			return filepath.SkipDir
		}
		if extension := filepath.Ext(path); extension == ".go" || extension == ".sql" || extension == ".html" {
			_, err = os.Stat(path)
		}
		if errors.Is(err, fs.ErrNotExist) { // somebody just removed it
			return nil
		}
		return err
	})
}

// Root is the folder of the project: the nearest one above that holds go.mod.
func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the folder of the project: %w", err)
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
	}
	return "", errors.New("find the folder of the project: no go.mod in this folder or above it")
}
