// Package commands runs the panel's orders once each, keeps every result until the panel has it, and answers a repeated
// order from what it kept.
package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const (
	keepFor    = 24 * time.Hour
	mostKept   = 500
	mostActive = 16

	mostSending = 8
)

// entry is one order on disk.
type entry struct {
	Command agentapi.Command        `json:"command"`
	Result  *agentapi.CommandResult `json:"result,omitempty"`
	Acked   bool                    `json:"acked,omitempty"`
	At      time.Time               `json:"at"`
}

// Handler does what an order asks for. It obeys the context, which ends at the order's deadline.
type Handler func(ctx context.Context, command agentapi.Command) agentapi.CommandResult

// Sender delivers one result; nil means that the panel has it.
type Sender func(ctx context.Context, result agentapi.CommandResult) error

// Options of a Desk.
type Options struct {
	Dir     string
	Handle  Handler
	Clock   clockwork.Clock
	Log     *zap.Logger
	Skew    func() time.Duration // the panel's clock minus this one
	Refused func(error) bool     // the panel will never take this result
}

// Desk takes orders.
type Desk struct {
	Options
	mu      sync.Mutex
	entries map[string]*entry
	slots   chan struct{}
	ready   chan struct{}
	running sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
}

// Open reads the orders of an earlier run. Those that it did not finish are started by Resume.
func Open(o Options) (*Desk, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of orders: %w", err)
	}
	d := &Desk{Options: o, entries: map[string]*entry{}, slots: make(chan struct{}, mostActive), ready: make(chan struct{}, 1)}
	d.ctx, d.stop = context.WithCancel(context.Background())
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("read the folder of orders: %w", err)
	}
	for _, file := range files {
		d.read(file)
	}
	return d, nil
}

func (d *Desk) read(file string) {
	var e entry
	if found, err := disk.ReadJSON(file, &e); err != nil || !found || e.Command.ID == "" {
		d.Log.Warn("a kept order cannot be read and is forgotten", zap.Error(err))
		_ = os.Remove(file)
		return
	}
	d.entries[e.Command.ID] = &e
}

// Resume goes on with orders that the earlier run took but did not finish.
func (d *Desk) Resume() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.entries {
		if e.Result != nil {
			continue
		}
		if e.Command.Kind == agentapi.RestartCore { // it may have happened already, and twice is a disturbance
			d.finishLocked(e, interrupted(e.Command))
			continue
		}
		d.startLocked(e)
	}
	d.signal()
}

func interrupted(command agentapi.Command) agentapi.CommandResult {
	return agentapi.CommandResult{ID: command.ID, Code: agentapi.CodeInterrupted, Error: "the agent ended while it was at work; order it again"}
}

// Accept returns when the order is on disk. A known order is not run again: its result is sent once more.
func (d *Desk) Accept(command agentapi.Command) error {
	if command.ID == "" {
		return errors.New("take an order: it has no id")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.entries[command.ID]; ok {
		return d.repeatLocked(known)
	}
	e := &entry{Command: command, At: d.Clock.Now().UTC()}
	if err := d.saveLocked(e); err != nil {
		return err
	}
	d.entries[command.ID] = e
	d.startLocked(e)
	return nil
}

func (d *Desk) repeatLocked(known *entry) error {
	if known.Result == nil || !known.Acked {
		return nil
	}
	known.Acked = false
	d.signal()
	return d.saveLocked(known)
}

func (d *Desk) saveLocked(e *entry) error { return disk.WriteJSON(d.path(e.Command.ID), e) }

// path does not trust the id to be a file name.
func (d *Desk) path(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(d.Dir, hex.EncodeToString(sum[:12])+".json")
}

func (d *Desk) startLocked(e *entry) {
	command := e.Command
	d.running.Go(func() {
		result, finished := d.run(command)
		if !finished {
			return // the agent stops; the next run goes on with it
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.finishLocked(e, result)
	})
}

func (d *Desk) run(command agentapi.Command) (agentapi.CommandResult, bool) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-d.ctx.Done():
		return agentapi.CommandResult{}, false
	}
	began := d.Clock.Now().UTC()
	ctx, cancel, expired := d.limit(command)
	defer cancel()
	result := agentapi.CommandResult{Code: agentapi.CodeExpired, Error: "the order's deadline has passed"}
	if !expired {
		result = d.Handle(ctx, command)
	}
	if d.ctx.Err() != nil && !result.OK {
		return result, false
	}
	result.ID, result.StartedAt, result.FinishedAt = command.ID, began, d.Clock.Now().UTC()
	return result, true
}

// limit reads the deadline by the panel's clock, since the panel has set it.
func (d *Desk) limit(command agentapi.Command) (context.Context, context.CancelFunc, bool) {
	if command.Deadline.IsZero() {
		return d.ctx, func() {}, false
	}
	left := command.Deadline.Sub(d.Clock.Now().Add(d.Skew()))
	ctx, cancel := context.WithTimeout(d.ctx, left)
	return ctx, cancel, left <= 0
}

func (d *Desk) finishLocked(e *entry, result agentapi.CommandResult) {
	e.Result = &result
	if err := d.saveLocked(e); err != nil {
		d.Log.Error("a result could not be kept; it is sent all the same", zap.Error(err))
	}
	d.sweepLocked()
	d.signal()
}

func (d *Desk) signal() {
	select {
	case d.ready <- struct{}{}:
	default:
	}
}

// sweepLocked forgets what the panel has had for a day, and the oldest beyond the bound.
func (d *Desk) sweepLocked() {
	var done []*entry
	for _, e := range d.entries {
		if e.Acked {
			done = append(done, e)
		}
	}
	slices.SortFunc(done, func(a, b *entry) int { return a.At.Compare(b.At) })
	for at, e := range done {
		if len(done)-at <= mostKept && d.Clock.Since(e.At) < keepFor {
			return
		}
		delete(d.entries, e.Command.ID)
		_ = os.Remove(d.path(e.Command.ID))
	}
}

// Deliver sends results until the context ends; pause gives the time to wait after a failure, reset is told of a success.
func (d *Desk) Deliver(ctx context.Context, send Sender, pause func() time.Duration, reset func()) {
	for ctx.Err() == nil {
		var again <-chan time.Time
		if d.deliverAll(ctx, send) {
			reset()
		} else {
			again = d.Clock.After(pause())
		}
		select {
		case <-ctx.Done():
		case <-d.ready:
		case <-again:
		}
	}
}

// deliverAll tries each result, some at once: many probes end together, and the panel may be a long way off. One that the panel
// stumbles over holds up none of the others.
func (d *Desk) deliverAll(ctx context.Context, send Sender) bool {
	var failed atomic.Bool
	var sending sync.WaitGroup
	slots := make(chan struct{}, mostSending)
	for _, e := range d.unsent() {
		slots <- struct{}{}
		sending.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil || !d.deliver(ctx, send, e) {
				failed.Store(true)
			}
		})
	}
	sending.Wait()
	return !failed.Load()
}

// deliver says whether nothing is left to do for the result.
func (d *Desk) deliver(ctx context.Context, send Sender, e *entry) bool {
	err := send(ctx, *e.Result)
	switch {
	case err == nil:
	case d.Refused(err):
		d.Log.Warn("the panel does not want a result", zap.String("command", e.Command.ID), zap.Error(err))
	default:
		d.Log.Info("a result is not delivered yet", zap.String("command", e.Command.ID), zap.Error(err))
		return false
	}
	d.acked(e)
	return true
}

func (d *Desk) acked(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e.Acked = true
	if err := d.saveLocked(e); err != nil {
		d.Log.Error("an acknowledgement could not be kept", zap.Error(err))
	}
}

func (d *Desk) unsent() []*entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	var waiting []*entry
	for _, e := range d.entries {
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
func (d *Desk) Close() {
	d.stop()
	d.running.Wait()
}
