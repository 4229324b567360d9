package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/durable"
	"panel/platform/events"
	"panel/platform/version"
)

// runningName is a file in the data folder that is there while a panel runs. One that a start finds was left by a
// process that ended without stopping: killed, crashed, or cut off with the power of its machine.
const runningName = "running.json"

const recordWithin = 2 * time.Second

// running is what the file says about the process that wrote it.
type running struct {
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
}

// began writes into the journal that the panel has started, which migrations it applied, and whether the process before
// it had stopped. A journal that cannot be written keeps no panel from starting.
func (a *App) began(ctx context.Context, applied []string) {
	if len(applied) > 0 {
		a.record(ctx, "system.migrated", "", map[string]audit.Change{
			"steps": {To: len(applied)}, "last": {To: applied[len(applied)-1]},
		})
	}
	changes := map[string]audit.Change{"version": {To: version.Version}}
	result := ""
	if before, left := a.leftRunning(); left {
		result = audit.Failed
		changes["version"] = audit.Change{From: before.Version, To: version.Version}
		changes["ended_without_stop"] = audit.Change{To: "the process started at " +
			before.StartedAt.Format(time.RFC3339)}
	}
	a.record(ctx, "system.started", result, changes)
	content, err := json.Marshal(running{Version: version.Version, StartedAt: a.opts.Clock.Now().UTC()})
	if err == nil {
		// with a database elsewhere and a key in the settings nobody made it
		err = os.MkdirAll(a.opts.Config.DataDir(), 0o700)
	}
	if err == nil {
		err = durable.Write(a.runningFile(), 0o640, append(content, '\n'))
	}
	if err != nil {
		a.opts.Log.Warn("the panel cannot note that it runs; an end without a stop will not be noticed", zap.Error(err))
	}
}

// stopping writes into the journal that the panel stops; it is called while the journal still seals its entries.
func (a *App) stopping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer cancel()
	a.record(ctx, "system.stopped", "", map[string]audit.Change{"version": {From: version.Version}})
}

// stopped removes the file that says that the panel runs.
func (a *App) stopped() {
	if err := os.Remove(a.runningFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.opts.Log.Warn("the panel cannot note that it has stopped", zap.Error(err))
	}
}

func (a *App) runningFile() string { return filepath.Join(a.opts.Config.DataDir(), runningName) }

func (a *App) leftRunning() (before running, left bool) {
	content, err := durable.ReadFile(a.runningFile())
	if err != nil {
		return before, false
	}
	_ = json.Unmarshal(content, &before) // one that was cut off says the same by being there
	return before, true
}

// record writes an entry about this panel and emits the event of the same name.
func (a *App) record(ctx context.Context, action, result string, changes map[string]audit.Change) {
	host, _ := os.Hostname() // a machine without a name has none to tell
	entry := audit.Entry{Action: action, Result: result, Object: audit.Object{
		Type: "installation", ID: host,
		Name: host,
	}, Changes: changes}
	err := a.opts.DB.InTx(ctx, func(ctx context.Context) error {
		if err := a.journal.Record(ctx, a.opts.DB.In(ctx), entry); err != nil {
			return err
		}
		return a.bus.Emit(ctx, events.Event{Kind: action, SubjectID: host, At: a.opts.Clock.Now().UTC(), Data: changes})
	})
	if err != nil {
		a.opts.Log.Warn("the journal does not say what the panel itself did", zap.String("action", action),
			zap.Error(err))
	}
}
