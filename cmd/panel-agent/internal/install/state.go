// Package install brings a node to a configuration and back: fetched, tested by the core, switched, and stored on disk
// as the last good one.
package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const (
	stateFile   = "install.json"
	outcomeFile = "outcome.json"
	configDir   = "configs"
	mostTested  = 4
)

// mark names one configuration.
type mark struct {
	Revision int64  `json:"revision"`
	Hash     string `json:"hash"`
}

// pending is a switch that has begun and waits for its commit.
type pending struct {
	mark
	ApplyID string    `json:"apply_id"`
	Until   time.Time `json:"until"`
	Done    bool      `json:"done"` // the new core serves; before that, a crash may have left either core
}

// state is what must be known after a crash. It is written before every act that it describes.
type state struct {
	Installed *mark    `json:"installed,omitempty"` // the last good one
	Previous  *mark    `json:"previous,omitempty"`  // the good one before it
	Switching *pending `json:"switching,omitempty"`
	Tested    []mark   `json:"tested,omitempty"` // prepared and on disk, newest last
	Bad       []string `json:"bad,omitempty"`    // hashes with which the core crashed time after time
}

// store keeps state and configurations in the data folder.
type store struct{ dir string }

func (s store) load() (state, error) {
	var loaded state
	if err := os.MkdirAll(filepath.Join(s.dir, configDir), 0o700); err != nil {
		return loaded, fmt.Errorf("make the folder of configurations: %w", err)
	}
	_, err := disk.ReadJSON(filepath.Join(s.dir, stateFile), &loaded)
	return loaded, err
}

func (s store) save(now state) error { return disk.WriteJSON(filepath.Join(s.dir, stateFile), now) }

func (s store) configPath(hash string) string {
	return filepath.Join(s.dir, configDir, filepath.Base(hash)+".json")
}

func (s store) put(config agentapi.NodeConfig) error {
	return disk.WriteJSON(s.configPath(config.Hash), config)
}

func (s store) get(m mark) (agentapi.NodeConfig, error) {
	var config agentapi.NodeConfig
	found, err := disk.ReadJSON(s.configPath(m.Hash), &config)
	if err != nil {
		return config, err
	}
	if !found {
		return config, fmt.Errorf("configuration %d is not on this node any more", m.Revision)
	}
	config.Revision = m.Revision
	return config, nil
}

// sweep removes configurations that nothing names.
func (s store) sweep(now state) error {
	named := map[string]bool{}
	for _, m := range now.marks() {
		named[filepath.Base(m.Hash)+".json"] = true
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, configDir))
	if err != nil {
		return fmt.Errorf("sweep the folder of configurations: %w", err)
	}
	var problems []error
	for _, entry := range entries {
		if !named[entry.Name()] && strings.HasSuffix(entry.Name(), ".json") {
			problems = append(problems, os.Remove(filepath.Join(s.dir, configDir, entry.Name())))
		}
	}
	return errors.Join(problems...)
}

func (s *state) marks() []mark {
	all := slices.Clone(s.Tested)
	for _, m := range []*mark{s.Installed, s.Previous} {
		if m != nil {
			all = append(all, *m)
		}
	}
	if s.Switching != nil {
		all = append(all, s.Switching.mark)
	}
	return all
}

func (s *state) addTested(m mark) {
	s.Tested = slices.DeleteFunc(s.Tested, func(old mark) bool { return old.Hash == m.Hash })
	s.Tested = append(s.Tested, m)
	s.Tested = s.Tested[max(0, len(s.Tested)-mostTested):]
}

func (s *state) isTested(hash string) bool {
	return slices.ContainsFunc(s.Tested, func(m mark) bool { return m.Hash == hash })
}

// isGood says whether the node has served this content as good before.
func (s *state) isGood(hash string) bool {
	return s.Installed != nil && s.Installed.Hash == hash || s.Previous != nil && s.Previous.Hash == hash
}

// saveOutcome keeps a report until the panel has it; a newer one replaces it.
func (s store) saveOutcome(result agentapi.ConfigResult) error {
	return disk.WriteJSON(filepath.Join(s.dir, outcomeFile), result)
}

func (s store) outcome() (agentapi.ConfigResult, bool) {
	var result agentapi.ConfigResult
	found, err := disk.ReadJSON(filepath.Join(s.dir, outcomeFile), &result)
	return result, found && err == nil
}

func (s store) dropOutcome(sent agentapi.ConfigResult) error {
	if now, found := s.outcome(); !found || now != sent {
		return nil
	}
	err := os.Remove(filepath.Join(s.dir, outcomeFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget a report: %w", err)
	}
	return nil
}

// Installed gives the last good configuration of a data folder without opening it; false when there is none.
func Installed(dir string) (agentapi.NodeConfig, bool, error) {
	var now state
	if _, err := disk.ReadJSON(filepath.Join(dir, stateFile), &now); err != nil || now.Installed == nil {
		return agentapi.NodeConfig{}, false, err
	}
	config, err := store{dir: dir}.get(*now.Installed)
	return config, err == nil, err
}
