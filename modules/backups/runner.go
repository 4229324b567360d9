package backups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
	"panel/platform/operations"
)

const (
	longestRun   = 24 * time.Hour
	reportEvery  = time.Second
	afterwards   = 30 * time.Second // to write the end of a run whose context has ended
	retainWithin = 10 * time.Minute
)

// runner drives runs. A run is one step: whoever takes one that has begun finds that its panel is gone, and ends it.
type runner struct {
	*service
	*lease.Driver
	log *zap.Logger
}

func newRunner(s *service, l *database.Listener, clock clockwork.Clock, log *zap.Logger) *runner {
	r := &runner{service: s, log: log}
	r.Driver = lease.New(s.store.db, l, clock, log, lease.Process{
		Name: "backup", Step: r.step, GiveUp: r.giveUp, Parallel: 1, StepLimit: longestRun, Attempts: 3,
		Table: lease.Table{Name: "backup_runs", Open: "finished_at is null", Order: "created_at"},
	})
	s.wakeRun = r.Wake
	return r
}

func (r *runner) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	row, err := r.store.run(ctx, c.ID, false)
	if err != nil || row.FinishedAt != nil {
		return lease.Done(), err
	}
	ctx = as(ctx, row.AccountID, row.StartedBy)
	if row.State != stateQueued {
		return lease.Done(), r.finish(ctx, c, &row, outcome{state: stateFailed, reason: interrupted})
	}
	p, err := r.store.profile(ctx, row.ProfileID)
	if err != nil {
		return lease.Done(), err
	}
	now := r.now()
	row.State, row.StartedAt = stateRunning, &now
	if err := r.write(ctx, c, &row, "state", "started_at"); err != nil {
		return lease.Done(), err
	}
	if row.OperationID != nil {
		if err := r.operations.Move(ctx, *row.OperationID, 1); err != nil {
			return lease.Done(), err
		}
	}
	out := r.make(ctx, c, &row, p)
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), lease.ErrLost) {
		return lease.Done(), lease.ErrLost
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	return lease.Done(), r.finish(ending, c, &row, out)
}

// giveUp ends a run whose row or profile cannot even be read.
func (r *runner) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	row, err := r.store.run(ctx, c.ID, false)
	if err != nil {
		return err
	}
	return r.finish(as(ctx, row.AccountID, row.StartedBy), c, &row, outcome{state: stateFailed, reason: cause.Error()})
}

// as lets the journal name the person who started something.
func as(ctx context.Context, account, name string) context.Context {
	if account == "" {
		return ctx
	}
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: account, Username: name})
}

func (r *runner) write(ctx context.Context, c *lease.Claim, row *runRow, columns ...string) error {
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := r.store.db.In(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
}

// outcome is how a run ended.
type outcome struct {
	state  string
	reason string
}

var errCancelAsked = errors.New("somebody cancelled it")

// make writes the artefact and applies the rules of retention where it arrived.
func (r *runner) make(ctx context.Context, c *lease.Claim, row *runRow, p *profile) outcome {
	targets, failed := r.targets(p)
	defer closeAll(targets)
	working, cancel := context.WithCancelCause(ctx)
	follower := r.watch(working, c, row, cancel)
	options := r.options(p)
	options.Progress = follower.note
	row.Destinations = row.Destinations[:0]
	result, err := artefact.Create(working, r.source, options, targets)
	if err == nil {
		follower.say("retaining")
		r.retain(working, p, result, targets, follower)
	}
	asked := errors.Is(context.Cause(working), errCancelAsked)
	stopped := ctx.Err() != nil
	cancel(nil)
	follower.wait()
	row.Artefact, row.LogTail = shownArtefact(result.Manifest), follower.log()
	for i := range p.places {
		row.Destinations = append(row.Destinations, r.ended(&p.places[i], result, failed))
	}
	switch {
	case asked && err != nil:
		return outcome{state: stateCancelled}
	case stopped && err != nil:
		return outcome{state: stateFailed, reason: interrupted}
	case err != nil:
		return outcome{state: stateFailed, reason: err.Error()}
	case result.State == artefact.Partial || len(failed) > 0:
		return outcome{state: statePartial}
	}
	return outcome{state: stateSucceeded}
}

// targets opens the places of a profile; one that cannot be opened fails and holds no other.
func (r *runner) targets(p *profile) (targets []artefact.Target, failed map[string]error) {
	failed = map[string]error{}
	for _, one := range p.places {
		opened, err := r.places.Open(one.row.spec(one.secret))
		if err != nil {
			failed[one.row.ID] = err
			continue
		}
		targets = append(targets, artefact.Target{Name: one.row.ID, Destination: opened})
	}
	return targets, failed
}

func closeAll(targets []artefact.Target) {
	for _, one := range targets {
		_ = one.Close()
	}
}

func (r *runner) ended(one *place, result artefact.Result, failed map[string]error) RunDestination {
	shown := RunDestination{ID: one.row.ID, Kind: one.row.Kind, State: stateFailed, URLHint: hintOf(&one.row)}
	if one.row.Kind == string(destination.Local) {
		shown.Panel = r.holder
	}
	err := failed[one.row.ID]
	for _, target := range result.Targets {
		if target.Name != one.row.ID {
			continue
		}
		shown.Bytes, err = target.Bytes, target.Err
		if err == nil {
			shown.State = stateSucceeded
		}
	}
	if err != nil {
		shown.Error = err.Error()
	}
	return shown
}

// finish writes the end of a run, its line in the journal and its event.
func (r *runner) finish(ctx context.Context, c *lease.Claim, row *runRow, out outcome) error {
	now := r.now()
	row.State, row.Error, row.FinishedAt, row.Step = out.state, shortened(out.reason), &now, ""
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := r.store.db.In(ctx).NewUpdate().Model(row).Column("state", "error", "finished_at", "step", "artefact",
			"destinations", "log_tail").WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("end a backup: %w", err), nil)
		}
		if err := r.endOperation(ctx, row.OperationID, causeOf(out)); err != nil || out.state == stateCancelled {
			return err
		}
		if out.state != stateFailed {
			if err := r.store.noteSuccess(ctx, row, out.state == stateSucceeded); err != nil {
				return err
			}
		}
		return r.publish(ctx, row, out)
	})
}

func causeOf(out outcome) error {
	switch out.state {
	case stateCancelled:
		return operations.ErrCancelled
	case stateFailed:
		return errors.New(shortened(out.reason))
	}
	return nil
}

func (r *runner) publish(ctx context.Context, row *runRow, out outcome) error {
	kind := map[string]string{
		stateSucceeded: kindSucceeded, statePartial: kindPartial, stateFailed: kindFailed,
	}[out.state]
	news := News{ProfileID: row.ProfileID, Name: row.ProfileName, Error: row.Error}
	for _, one := range row.Destinations {
		if one.State == stateFailed {
			news.Failed = append(news.Failed, one.Kind)
		}
	}
	if row.Artefact != nil {
		news.Bytes = row.Artefact.Bytes
	}
	result := audit.OK
	if out.state == stateFailed {
		result = audit.Failed
	}
	entry := audit.Entry{Action: kind, Object: row.object(), Result: result}
	if err := r.journal.Record(ctx, r.store.db.In(ctx), entry); err != nil {
		return err
	}
	return r.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: r.now(), Data: news})
}

// noteSuccess remembers the run whose artefact never goes; only one that reached every place resets the dead-man timer.
func (s *store) noteSuccess(ctx context.Context, row *runRow, whole bool) error {
	query := s.db.In(ctx).NewUpdate().Model((*profileRow)(nil)).Set("last_good_run = ?", row.ID).
		Where("id = ?", row.ProfileID)
	if whole {
		query = query.Set("last_success_at = ?", row.FinishedAt).Set("overdue_at = null")
	}
	_, err := query.Exec(ctx)
	return database.Fault(err, nil)
}

func shortened(text string) string {
	const longest = 2000
	runes := []rune(text)
	return string(runes[:min(len(runes), longest)])
}
