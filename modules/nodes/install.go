package nodes

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"panel/platform/config"
	"panel/platform/fault"
)

// AgentDir names the folder with agent executables for other systems.
var AgentDir = config.Key{
	Name: "PANEL_AGENT_DIR", Summary: "folder with agent executables, named panel-agent-<os>-<arch>; unset: the folder of the panel's own executable",
}

//go:embed install.sh
var installTemplate string

// installer serves what a server needs to get its agent: the script and the executable, from the panel itself.
type installer struct {
	address string
	dir     string

	mu  sync.Mutex
	sum map[string]executable
}

// executable is a file with the digest it had at that size and time.
type executable struct {
	path, sha256 string
	size         int64
	modified     time.Time
}

func newInstaller(cfg *config.Config) *installer {
	dir := cfg.Path(AgentDir)
	if dir == "" {
		if own, err := os.Executable(); err == nil {
			dir = filepath.Dir(own)
		}
	}
	return &installer{address: publicURL(cfg), dir: dir, sum: map[string]executable{}}
}

func (i *installer) script() string {
	return strings.ReplaceAll(installTemplate, "@PANEL@", quoted(i.address))
}

var systems = map[string][]string{"linux": {"amd64", "arm64"}}

var errNoBinary = fault.Missing("this panel has no agent for that system; put it into the folder of PANEL_AGENT_DIR")

// binary finds the executable for a system. Fault: not_found (404).
func (i *installer) binary(system, arch string) (executable, error) {
	known := false
	for _, one := range systems[system] {
		known = known || one == arch
	}
	if !known {
		return executable{}, errNoBinary
	}
	names := []string{"panel-agent-" + system + "-" + arch}
	if system == runtime.GOOS && arch == runtime.GOARCH {
		names = append(names, "panel-agent")
	}
	for _, name := range names {
		if found, err := i.examine(filepath.Join(i.dir, name)); err == nil {
			return found, nil
		}
	}
	return executable{}, errNoBinary
}

// examine reads a file's digest once per version of the file.
func (i *installer) examine(path string) (executable, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return executable{}, errNoBinary
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	known := i.sum[path]
	if known.size == info.Size() && known.modified.Equal(info.ModTime()) {
		return known, nil
	}
	digest, err := digestOf(path)
	if err != nil {
		return executable{}, err
	}
	known = executable{path: path, sha256: digest, size: info.Size(), modified: info.ModTime()}
	i.sum[path] = known
	return known, nil
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading the agent's executable: %w", err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("reading the agent's executable: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
