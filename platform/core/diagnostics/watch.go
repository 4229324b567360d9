package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/durable"
	"panel/platform/events"
)

const (
	doctorFailed = "system.doctor_failed"
	watchEvery   = 5 * time.Second
	recordedName = "doctor/recorded"
)

// watcher writes into the journal what diagnoses have found. Doctor runs beside the panel, also while the database is
// down, so the panel looks at the diagnosis that was kept last.
type watcher struct {
	folder  string
	clock   clockwork.Clock
	db      *database.DB
	journal audit.Journal
	bus     *events.Bus
	log     *zap.Logger
}

func newWatcher(
	cfg *config.Config, clock clockwork.Clock, db *database.DB, journal audit.Journal, bus *events.Bus, log *zap.Logger,
) *watcher {
	return &watcher{folder: cfg.DataDir(), clock: clock, db: db, journal: journal, bus: bus, log: log}
}

// watch is a loop of each panel and no schedule, because a diagnosis is on the disk of the machine that was diagnosed.
func (w *watcher) watch(ctx context.Context) error {
	ticker := w.clock.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		if err := w.check(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("the outcome of a diagnosis could not be recorded; trying again", zap.Error(err))
		}
		select {
		case <-ticker.Chan():
		case <-ctx.Done():
			return nil
		}
	}
}

// check records the diagnosis that was kept last, once, if a check failed in it.
func (w *watcher) check(ctx context.Context) error {
	last, err := doctor.Last(w.folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	mark := last.StartedAt.Format(time.RFC3339Nano)
	recorded, err := durable.ReadFile(filepath.Join(w.folder, recordedName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read which diagnosis was recorded: %w", err)
	}
	if strings.TrimSpace(string(recorded)) == mark {
		return nil
	}
	if failed := failedIn(last); len(failed) > 0 {
		if err := w.record(ctx, last, failed); err != nil {
			return err
		}
	}
	return durable.Below(w.folder, recordedName, 0o640, []byte(mark+"\n"))
}

func failedIn(d doctor.Document) (ids []string) {
	for _, check := range d.Checks {
		if check.Status == doctor.Failed {
			ids = append(ids, check.ID)
		}
	}
	return ids
}

func (w *watcher) record(ctx context.Context, last doctor.Document, failed []string) error {
	entry := audit.Entry{
		Action: doctorFailed, Result: audit.Failed, Object: audit.Object{
			Type: "installation", ID: last.Host,
			Name: last.Host,
		},
		Changes: map[string]audit.Change{"failed": {To: failed}, "diagnosis": {To: last.StartedAt}},
	}
	return w.db.InTx(ctx, func(ctx context.Context) error {
		if err := w.journal.Record(ctx, w.db.In(ctx), entry); err != nil {
			return err
		}
		return w.bus.Emit(ctx, events.Event{
			Kind: doctorFailed, SubjectID: last.Host, At: w.clock.Now().UTC(), Data: DoctorFailed{Failed: failed},
		})
	})
}

// DoctorFailed is the data of the event that a diagnosis found something broken.
type DoctorFailed struct {
	Failed []string `json:"failed"`
}
