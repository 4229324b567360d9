package external

import (
	"context"
	"fmt"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/external/checker"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Cancel ends a check. What the service was not asked for yet costs nothing; of what goes on there the part that is
// done stays paid for, and its report keeps what was found. Ending what has ended changes nothing.
// Fault: not_found (404).
func (s *Service) Cancel(ctx context.Context, flowID, id string) (report Report, err error) {
	if !database.IsID(id) {
		return report, fault.Missing(fault.NoSuchThing)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		r, err := s.report(ctx, id, "update")
		if err == nil && r.FlowID != flowID {
			err = fault.Missing(fault.NoSuchThing)
		}
		if err != nil {
			return err
		}
		if r.open() && r.CancelAskedAt == nil {
			if err := s.askToCancel(ctx, r); err != nil {
				return err
			}
		}
		report = r.shown()
		return nil
	})
	return report, err
}

// askToCancel notes the wish, and ends what was not sent yet. It is part of the transaction that holds the row.
func (s *Service) askToCancel(ctx context.Context, r *row) error {
	now := s.now()
	r.CancelAskedAt = &now
	if _, err := s.db.In(ctx).NewUpdate().Model(r).Column("cancel_asked_at").WherePK().Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("note that an external check is cancelled: %w", err), nil)
	}
	err := s.journal.Record(ctx, s.db.In(ctx), audit.Entry{Action: healthapi.ActionCheckCancelled, Object: r.object()})
	switch {
	case err != nil:
		return fmt.Errorf("cancel an external check: %w", err)
	case r.SentAt == nil:
		return s.settle(ctx, r, outcome{state: Cancelled})
	}
	return s.queue.Insert(ctx, cancelArgs{r.ID}, jobs.Opts{Unique: r.ID})
}

// cancelArgs name a check that the service is to end.
type cancelArgs struct {
	Report string `json:"report"`
}

// Kind names the worker.
func (cancelArgs) Kind() string { return "health.external_cancel" }

// tellCancel asks the service to end a check. Its result, with what was done, comes to the job of the check.
func (s *Service) tellCancel(ctx context.Context, _ jobs.Job, args cancelArgs) error {
	r, err := s.report(ctx, args.Report, "")
	if fault.KindOf(err) == fault.KindMissing || err == nil && !r.open() {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Kind != checker.Probe && r.Ref == "" {
		return errLater // the service has not said yet what it calls the check
	}
	set, _, err := s.settings.Get(ctx)
	if err == nil {
		err = s.turn(ctx)
	}
	if err != nil {
		return err
	}
	return s.adapter.Cancel(ctx, set.access(), r.Content, r.CallKey, r.Ref)
}
