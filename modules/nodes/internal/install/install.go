// Package install brings a server its agent: the script, the executable and the line for a root shell.
package install

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

	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/selfupdate"
)

// AgentDir names the folder with agent executables for other systems.
var AgentDir = config.Key{
	Name: "PANEL_AGENT_DIR", Summary: "folder with agent executables, named panel-agent-<os>-<arch>; unset: the folder of the panel's own executable",
}

//go:embed install.sh
var installTemplate string

// Installer serves what a server needs to get its agent: the script and the executable, from the panel itself.
type Installer struct {
	address   string
	updateKey string
	dir       string

	mu  sync.Mutex
	sum map[string]Executable
}

// Executable is a file with the digest it had at that size and time.
type Executable struct {
	Path, SHA256 string
	size         int64
	modified     time.Time
}

// New makes the installer.
func New(cfg *config.Config) *Installer {
	dir := cfg.Path(AgentDir)
	if dir == "" {
		if own, err := os.Executable(); err == nil {
			dir = filepath.Dir(own)
		}
	}
	return &Installer{
		address: PublicURL(cfg), updateKey: strings.Join(strings.Fields(cfg.String(selfupdate.PublicKey)), ","),
		dir: dir, sum: map[string]Executable{},
	}
}

// Script is the install script, for this panel.
func (i *Installer) Script() string {
	return strings.ReplaceAll(installTemplate, "@PANEL@", quoted(i.address))
}

var systems = map[string][]string{"linux": {"amd64", "arm64"}}

var errNoBinary = fault.Missing("this panel has no agent for that system; put it into the folder of PANEL_AGENT_DIR")

// Binary finds the executable for a system. Fault: not_found (404).
func (i *Installer) Binary(system, arch string) (Executable, error) {
	known := false
	for _, one := range systems[system] {
		known = known || one == arch
	}
	if !known {
		return Executable{}, errNoBinary
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
	return Executable{}, errNoBinary
}

// examine reads a file's digest once per version of the file.
func (i *Installer) examine(path string) (Executable, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return Executable{}, errNoBinary
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	known := i.sum[path]
	if known.size == info.Size() && known.modified.Equal(info.ModTime()) {
		return known, nil
	}
	digest, err := digestOf(path)
	if err != nil {
		return Executable{}, err
	}
	known = Executable{Path: path, SHA256: digest, size: info.Size(), modified: info.ModTime()}
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

// Line brings a server its agent. The token travels in the pipe before the script, so that neither the list of
// processes nor sudo's log shows it; the key that updates are checked with comes from here and not from the download.
func (i *Installer) Line(token, nodeName string) string {
	command := "(printf 'PANEL_ENROLL_TOKEN=%s\\n' " + token + "; curl -fsSL " +
		quoted(i.address+agentapi.PathInstallScript) + ")" +
		" | sudo sh -s -- --panel " + quoted(i.address)
	if nodeName != "" {
		command += " --name " + quoted(nodeName)
	}
	if i.updateKey != "" {
		command += " --update-key " + quoted(i.updateKey)
	}
	return command
}

// URL is the panel's address as agents dial it.
func (i *Installer) URL() string { return i.address }

// quoted makes one word for a shell; harmless words stay as they are.
func quoted(word string) string {
	if strings.IndexFunc(word, func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/._-[]"
