// Package logs gives the newest lines of the agent and of its core to whoever asks for them.
package logs

import (
	"strings"
	"sync"

	"go.uber.org/zap/zapcore"
)

const ringLines = 2000

// Ring holds the agent's newest log lines, for the command that collects them.
type Ring struct {
	mu    sync.Mutex
	lines []string
}

// Write takes one line of the log; it never fails.
func (r *Ring) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, strings.TrimSpace(string(line)))
	if extra := len(r.lines) - ringLines; extra > 0 {
		r.lines = append([]string(nil), r.lines[extra:]...)
	}
	return len(line), nil
}

// Sync does nothing; lines are there at once.
func (r *Ring) Sync() error { return nil }

// Last gives the newest lines, oldest first.
func (r *Ring) Last(count int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines[max(0, len(r.lines)-count):]...)
}

var _ zapcore.WriteSyncer = (*Ring)(nil)
