// Package commands runs each command of the panel once, stores its result until the panel has it, and answers a
// repeated command with the stored one.
package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

const (
	keepFor    = 24 * time.Hour
	mostStored = 500
	mostActive = 16

	mostSending = 8
)

// entry is one command on disk.
type entry struct {
	Command agentapi.Command        `json:"command"`
	Result  *agentapi.CommandResult `json:"result,omitempty"`
	Acked   bool                    `json:"acked,omitempty"`
	At      time.Time               `json:"at"`
}

// Sender delivers one result; nil means that the panel has it.
type Sender func(ctx context.Context, result agentapi.CommandResult) error

// Options of a Queue.
type Options struct {
	Dir      string
	Handlers map[agentapi.CommandKind]part.Handler // the closed list; any other kind is not supported
	Once     []agentapi.CommandKind                // kinds that do not begin again after a crash
	Clock    clockwork.Clock
	Log      *zap.Logger
	Skew     func() time.Duration // the panel's clock minus this one
	Refused  func(error) bool     // the panel will never take this result
}

// Queue takes commands.
type Queue struct {
	Options
	mu      sync.Mutex
	entries map[string]*entry
	slots   chan struct{}
	ready   chan struct{}
	running sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
}

// Open reads the commands of an earlier run. Those that it did not finish are started by Resume.
func Open(o Options) (*Queue, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of commands: %w", err)
	}
	q := &Queue{
		Options: o, entries: map[string]*entry{}, slots: make(chan struct{}, mostActive),
		ready: make(chan struct{}, 1),
	}
	q.ctx, q.stop = context.WithCancel(context.Background())
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("read the folder of commands: %w", err)
	}
	for _, file := range files {
		q.read(file)
	}
	return q, nil
}

func (q *Queue) read(file string) {
	var e entry
	if found, err := disk.ReadJSON(file, &e); err != nil || !found || e.Command.ID == "" {
		q.Log.Warn("a stored command cannot be read and is forgotten", zap.Error(err))
		_ = os.Remove(file)
		return
	}
	q.entries[e.Command.ID] = &e
}

// Resume goes on with commands that the earlier run took but did not finish.
func (q *Queue) Resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.entries {
		if e.Result != nil {
			continue
		}
		if slices.Contains(q.Once, e.Command.Kind) {
			q.finishLocked(e, interrupted(e.Command))
			continue
		}
		q.startLocked(e)
	}
	q.signal()
}

func interrupted(command agentapi.Command) agentapi.CommandResult {
	return agentapi.CommandResult{
		ID: command.ID, Code: agentapi.CodeInterrupted,
		Error: "the agent ended while it was at work; give it again",
	}
}

// Accept returns when the command is on disk. A known command is not run again: its result is sent once more.
func (q *Queue) Accept(command agentapi.Command) error {
	if command.ID == "" {
		return errors.New("take a command: it has no id")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if known, ok := q.entries[command.ID]; ok {
		return q.repeatLocked(known)
	}
	e := &entry{Command: command, At: q.Clock.Now().UTC()}
	if err := q.saveLocked(e); err != nil {
		return err
	}
	q.entries[command.ID] = e
	q.startLocked(e)
	return nil
}

func (q *Queue) repeatLocked(known *entry) error {
	if known.Result == nil || !known.Acked {
		return nil
	}
	known.Acked = false
	q.signal()
	return q.saveLocked(known)
}

func (q *Queue) saveLocked(e *entry) error { return disk.WriteJSON(q.path(e.Command.ID), e) }

// path does not trust the id to be a file name.
func (q *Queue) path(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(q.Dir, hex.EncodeToString(sum[:12])+".json")
}

func (q *Queue) startLocked(e *entry) {
	command := e.Command
	q.running.Go(func() {
		result, finished := q.run(command)
		if !finished {
			return // the agent stops; the next run goes on with it
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.finishLocked(e, result)
	})
}

func (q *Queue) run(command agentapi.Command) (agentapi.CommandResult, bool) {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-q.ctx.Done():
		return agentapi.CommandResult{}, false
	}
	began := q.Clock.Now().UTC()
	ctx, cancel, expired := q.limit(command)
	defer cancel()
	result := agentapi.CommandResult{Code: agentapi.CodeExpired, Error: "the command's deadline has passed"}
	if !expired {
		result = q.handle(ctx, command)
	}
	if q.ctx.Err() != nil && !result.OK {
		return result, false
	}
	result.ID, result.StartedAt, result.FinishedAt = command.ID, began, q.Clock.Now().UTC()
	return result, true
}

// handle calls the part that owns the kind; its panic costs the command, not the agent.
func (q *Queue) handle(ctx context.Context, command agentapi.Command) (result agentapi.CommandResult) {
	handler := q.Handlers[command.Kind]
	if handler == nil {
		return agentapi.CommandResult{Code: agentapi.CodeNotSupported, Error: "this agent cannot do that; update it"}
	}
	defer func() {
		if cause := recover(); cause != nil {
			q.Log.Error("a command failed", zap.String("kind", string(command.Kind)), zap.Any("panic", cause),
				zap.ByteString("stack", debug.Stack()))
			result = agentapi.CommandResult{
				Code:  agentapi.CodeFailed,
				Error: "the agent failed at this command; its log says where",
			}
		}
	}()
	return handler(ctx, command)
}

// limit reads the deadline by the panel's clock, since the panel has set it.
func (q *Queue) limit(command agentapi.Command) (context.Context, context.CancelFunc, bool) {
	if command.Deadline.IsZero() {
		return q.ctx, func() {}, false
	}
	left := command.Deadline.Sub(q.Clock.Now().Add(q.Skew()))
	ctx, cancel := context.WithTimeout(q.ctx, left)
	return ctx, cancel, left <= 0
}

func (q *Queue) finishLocked(e *entry, result agentapi.CommandResult) {
	e.Result = &result
	if err := q.saveLocked(e); err != nil {
		q.Log.Error("a result could not be written down; it is sent all the same", zap.Error(err))
	}
	q.sweepLocked()
	q.signal()
}

func (q *Queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// sweepLocked forgets what the panel has had for a day, and the oldest beyond the bound.
func (q *Queue) sweepLocked() {
	var done []*entry
	for _, e := range q.entries {
		if e.Acked {
			done = append(done, e)
		}
	}
	slices.SortFunc(done, func(a, b *entry) int { return a.At.Compare(b.At) })
	for at, e := range done {
		if len(done)-at <= mostStored && q.Clock.Since(e.At) < keepFor {
			return
		}
		delete(q.entries, e.Command.ID)
		_ = os.Remove(q.path(e.Command.ID))
	}
}

// Deliver sends results until the context ends; pause gives the time to wait after a failure, reset is called after a
// success.
func (q *Queue) Deliver(ctx context.Context, send Sender, pause func() time.Duration, reset func()) {
	for ctx.Err() == nil {
		var again <-chan time.Time
		if q.deliverAll(ctx, send) {
			reset()
		} else {
			again = q.Clock.After(pause())
		}
		select {
		case <-ctx.Done():
		case <-q.ready:
		case <-again:
		}
	}
}

// deliverAll tries each result, some at once: many probes end together, and the panel may be a long way off. One that
// the panel stumbles over holds up none of the others.
func (q *Queue) deliverAll(ctx context.Context, send Sender) bool {
	var failed atomic.Bool
	var sending sync.WaitGroup
	slots := make(chan struct{}, mostSending)
	for _, e := range q.unsent() {
		slots <- struct{}{}
		sending.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil || !q.deliver(ctx, send, e) {
				failed.Store(true)
			}
		})
	}
	sending.Wait()
	return !failed.Load()
}

// deliver says whether nothing is left to do for the result.
func (q *Queue) deliver(ctx context.Context, send Sender, e *entry) bool {
	err := send(ctx, *e.Result)
	switch {
	case err == nil:
	case q.Refused(err):
		q.Log.Warn("the panel refuses a result", zap.String("command", e.Command.ID), zap.Error(err))
	default:
		q.Log.Info("a result is not delivered yet", zap.String("command", e.Command.ID), zap.Error(err))
		return false
	}
	q.acked(e)
	return true
}

func (q *Queue) acked(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.Acked = true
	if err := q.saveLocked(e); err != nil {
		q.Log.Error("an acknowledgement could not be written down", zap.Error(err))
	}
}

func (q *Queue) unsent() []*entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	var waiting []*entry
	for _, e := range q.entries {
		if e.Result != nil && !e.Acked {
			waiting = append(waiting, e)
		}
	}
	slices.SortFunc(waiting, func(a, b *entry) int {
		if order := a.At.Compare(b.At); order != 0 {
			return order
		}
		return strings.Compare(a.Command.ID, b.Command.ID)
	})
	return waiting
}

// Close stops what is at work. What was taken and not finished is on disk and goes on in the next run.
func (q *Queue) Close() {
	q.stop()
	q.running.Wait()
}
