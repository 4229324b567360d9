// Package update replaces the agent by a newer build of itself: fetched from the panel, believed only by its
// signature, run on trial under the eyes of the build before it, and given up when no heartbeat of it reaches the
// panel.
//
// One file says which build runs, and is replaced at once; whatever is killed at whatever moment, the next start reads
// it and decides. The proxy core is a process of its own that serves on through all of it.
package update

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const (
	stateName     = "state.json"
	confirmedName = "confirmed"
	trustName     = "trusted.pub"
	buildsName    = "builds"
	program       = "panel-agent"
	mostStarts    = 2 // of a trial that a power cut interrupts
)

// Build is one agent executable, known by its digest.
type Build struct {
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// trial is a build that must still prove itself.
type trial struct {
	Build
	Order  string `json:"order"`
	From   string `json:"from"` // version before it
	Starts int    `json:"starts"`
}

// outcome is how the last order ended; the agent that runs afterwards reports it.
type outcome struct {
	Build
	Order string         `json:"order"`
	From  string         `json:"from"`
	OK    bool           `json:"ok"`
	Stage agentapi.Stage `json:"stage,omitempty"`
	Error string         `json:"error,omitempty"`
	Tail  string         `json:"tail,omitempty"`
}

// state is all that must be known after a crash. It is written before every act that it describes.
type state struct {
	Base   string               `json:"base,omitempty"`   // digest of the installed program that Active and Trial came after
	Active *Build               `json:"active,omitempty"` // nil: the installed program itself
	Trial  *trial               `json:"trial,omitempty"`
	Last   *outcome             `json:"last,omitempty"`
	Failed map[string]time.Time `json:"failed,omitempty"` // builds that failed here, by digest
}

// store is the update folder of one agent.
type store struct{ dir string }

func newStore(dataDir string) store { return store{filepath.Join(dataDir, "update")} }

func (s store) path(name string) string { return filepath.Join(s.dir, name) }

func (s store) load() (state, error) {
	var now state
	_, err := disk.ReadJSON(s.path(stateName), &now)
	if now.Failed == nil {
		now.Failed = map[string]time.Time{}
	}
	return now, err
}

func (s store) save(now state) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of updates: %w", err)
	}
	return disk.WriteJSON(s.path(stateName), now)
}

func (s store) executable(b Build) string {
	return filepath.Join(s.dir, buildsName, filepath.Base(b.SHA256), program)
}

// confirm notes that a heartbeat of the build has reached the panel.
func (s store) confirm(sha string) error { return disk.WriteFile(s.path(confirmedName), []byte(sha)) }

func (s store) confirmed(sha string) bool {
	raw, err := os.ReadFile(s.path(confirmedName))
	return err == nil && string(raw) == sha
}

// commit makes the build on trial the one that runs from now on.
func (s store) commit(now *state) error {
	t := now.Trial
	now.Active, now.Trial = &t.Build, nil
	now.Last = &outcome{Build: t.Build, Order: t.Order, From: t.From, OK: true}
	delete(now.Failed, t.SHA256)
	return s.save(*now)
}

// giveUp returns to the build before the one on trial.
func (s store) giveUp(now *state, at time.Time, stage agentapi.Stage, words, tail string) error {
	t := now.Trial
	now.Trial = nil
	now.Last = &outcome{Build: t.Build, Order: t.Order, From: t.From, Stage: stage, Error: words, Tail: tail}
	now.Failed[t.SHA256] = at.UTC()
	if err := s.save(*now); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(s.executable(t.Build)))
}

// prune removes builds that nobody starts any more.
func (s store) prune(keep ...string) {
	builds, _ := filepath.Glob(filepath.Join(s.dir, buildsName, "*"))
	for _, dir := range builds {
		wanted := false
		for _, sha := range keep {
			wanted = wanted || filepath.Base(dir) == sha
		}
		if !wanted {
			_ = os.RemoveAll(dir)
		}
	}
}

func digest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read an executable: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read an executable: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
