package backups

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/restore"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/lease"
	"panel/platform/maintenance"
)

// maintainedPause is how soon a panel looks again whether another one still restores.
const maintainedPause = 5 * time.Second

const testAttempts = 3

// longestTest ends a restore test that does not end by itself.
const longestTest = 12 * time.Hour

// tester drives restore tests, one at a time on all panels.
type tester struct {
	*service
	*lease.Driver
}

func newTester(s *service, l *database.Listener, clock clockwork.Clock, log *zap.Logger) *tester {
	t := &tester{service: s}
	t.Driver = lease.New(s.store.db, l, clock, log, lease.Process{
		Name: "restore test", Step: t.step, GiveUp: t.giveUp, Parallel: 1, StepLimit: longestTest, Attempts: testAttempts,
		Table: lease.Table{Name: "backup_restores", Open: "finished_at is null", Order: "created_at"},
	})
	s.wakeTest = t.Wake
	return t
}

// step is a whole test. One that has begun elsewhere was interrupted: its scratch database is gone or nobody's.
func (t *tester) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	row, err := t.store.restore(ctx, c.ID)
	if err != nil || row.FinishedAt != nil {
		return lease.Done(), err
	}
	ctx = as(ctx, row.AccountID, row.StartedBy)
	if row.Mode == modeFull && row.State != stateQueued {
		if notice, err := maintenance.Read(ctx, t.store.db.Pool); err != nil || notice != nil {
			return lease.After(maintainedPause), err // another panel is at it, and this one is about to stop
		}
	}
	if row.State != stateQueued {
		row.Verdict, row.Error = string(restore.Skipped), interrupted
		return lease.Done(), t.finish(ctx, c, &row)
	}
	if other, err := t.handsOver(ctx, &row); other || err != nil {
		return lease.After(handOver), err
	}
	now := t.now()
	row.State, row.StartedAt = stateRunning, &now
	if err := t.begin(ctx, c, &row); err != nil {
		return lease.Done(), err
	}
	if row.Mode == modeFull {
		return lease.Done(), t.replace(ctx, c, &row)
	}
	report, err := t.try(ctx, c, &row)
	if errors.Is(context.Cause(ctx), lease.ErrLost) {
		return lease.Done(), lease.ErrLost
	}
	row.judge(report, err)
	if ctx.Err() != nil && row.Verdict != string(restore.OK) {
		row.Verdict, row.Error = string(restore.Skipped), interrupted
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	return lease.Done(), t.finish(ending, c, &row)
}

func (r *restoreRow) judge(report restore.Report, err error) {
	if err != nil {
		r.Verdict, r.Error = string(restore.Skipped), shortened(err.Error())
		return
	}
	r.Verdict, r.Error = string(report.Verdict), shortened(report.Reason)
	r.Report = &Report{
		Tables: report.Tables, Rows: report.Rows, Secrets: report.Secrets, Journal: report.Journal,
		Findings: append([]string{}, report.Findings...),
	}
}

func (t *tester) begin(ctx context.Context, c *lease.Claim, row *restoreRow) error {
	err := c.InTx(ctx, func(ctx context.Context) error {
		_, err := t.store.db.In(ctx).NewUpdate().Model(row).Column("state", "started_at").WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
	if err != nil || row.OperationID == nil {
		return err
	}
	return t.operations.Move(ctx, *row.OperationID, 1)
}

func (t *tester) try(ctx context.Context, c *lease.Claim, row *restoreRow) (restore.Report, error) {
	run, err := t.store.run(ctx, row.RunID, false)
	if err != nil {
		return restore.Report{}, err
	}
	p, err := t.store.profile(ctx, run.ProfileID)
	if err != nil {
		return restore.Report{}, err
	}
	keys, err := t.keysOf(row, p)
	if err != nil {
		return restore.Report{}, err
	}
	at, listed, err := t.find(ctx, &run, p, keys)
	if err != nil {
		return brokenReport(err)
	}
	defer func() { _ = at.Close() }()
	from := restore.From{At: at, Manifest: listed.Manifest, Keys: keys}
	return restore.Verify(ctx, from, t.build, t.note(ctx, c, row.ID))
}

// brokenReport tells a backup that is not there any more, or was changed, from a place that cannot be reached or that
// another panel has.
func brokenReport(err error) (restore.Report, error) {
	if fault.Code(err) == errElsewhere.Code {
		return restore.Report{}, err
	}
	if errors.Is(err, artefact.ErrMissing) || errors.Is(err, artefact.ErrDamaged) {
		return restore.Report{Verdict: restore.Broken, Reason: err.Error()}, nil
	}
	return restore.Report{}, fmt.Errorf("open the backup: %w", err)
}

// note writes each step of a test; how far it is within one costs no statement.
func (t *tester) note(ctx context.Context, c *lease.Claim, id string) func(artefact.Progress) {
	var last atomic.Value
	return func(p artefact.Progress) {
		if before := last.Swap(p.Step); before == p.Step {
			return
		}
		_, _ = t.store.db.NewRaw("update backup_restores set step = ? where id = ? and lease_token = ?",
			p.Step, id, c.Token).Exec(ctx) // the next one, or the end, says more
	}
}

func (t *tester) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	row, err := t.store.restore(ctx, c.ID)
	if err != nil {
		return err
	}
	row.Verdict, row.Error = string(restore.Skipped), shortened(cause.Error())
	return t.finish(as(ctx, row.AccountID, row.StartedBy), c, &row)
}

// finish writes the verdict, forgets the keys and tells people.
func (t *tester) finish(ctx context.Context, c *lease.Claim, row *restoreRow) error {
	now := t.now()
	row.State, row.Step, row.Keys, row.FinishedAt = stateSucceeded, "", "", &now
	kind, result, cause := kindRestoreDone, audit.OK, error(nil)
	if row.Verdict != string(restore.OK) {
		row.State, kind, result, cause = stateFailed, kindVerifyFailed, audit.Failed, errors.New(row.Error)
	}
	if row.Mode == modeFull {
		row.Verdict, kind = "", kindRestoreFailed // one that is done is noted by the database that it brought
	}
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := t.store.db.In(ctx).NewUpdate().Model(row).
			Column("state", "step", "keys", "verdict", "error", "report", "finished_at").WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("end a restore test: %w", err), nil)
		}
		run, err := t.store.run(ctx, row.RunID, false)
		if err != nil {
			return err
		}
		if err := t.endOperation(ctx, row.OperationID, cause); err != nil {
			return err
		}
		return t.publishTest(ctx, row, &run, kind, result)
	})
}
