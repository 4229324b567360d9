package backups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
)

const dueKind = "backups.due"

type dueArgs struct{}

// Kind names the worker.
func (dueArgs) Kind() string { return dueKind }

// dueSchedule looks for due profiles. Backups go on while the panel is read-only, and without the feature: a plan that
// ended is no reason to lose data.
func dueSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: dueKind, Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return dueArgs{} },
	}
}

func (h *handlers) dueWorker() jobs.Worker {
	look := func(ctx context.Context, _ jobs.Job, _ dueArgs) error { return h.service.due(ctx) }
	return jobs.Worker{Kind: dueKind, Attempts: 3, Work: jobs.Do(look)}
}

// due starts the runs and restore tests whose time has come, and tells people of profiles that are overdue.
func (s *service) due(ctx context.Context) error {
	var ids []string
	now := s.now()
	err := s.store.db.NewRaw(`select id from backup_profiles where enabled and (next_run_at <= ?0 or next_verify_at <= ?0
		or deadman_hours > 0 and overdue_at is null
			and coalesce(last_success_at, created_at) + deadman_hours * interval '1 hour' < ?0)
		order by next_run_at nulls last, id`, now).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("look for due backups: %w", err), nil)
	}
	var problems []error
	for _, id := range ids {
		one := func(ctx context.Context) error { return s.dueProfile(ctx, id, now) }
		problems = append(problems, s.store.db.InTx(ctx, one))
	}
	return errors.Join(problems...)
}

// dueProfile does what is due of one profile. Its next moments commit together with what was started, so that nothing
// is started twice.
func (s *service) dueProfile(ctx context.Context, id string, now time.Time) error {
	row, err := s.store.profileRow(ctx, id, true)
	if fault.KindOf(err) == fault.KindMissing {
		return nil
	}
	if err != nil {
		return err
	}
	if passed(row.NextRunAt, now) {
		row.NextRunAt = nextOf(row.Cron, row.Zone, now)
		if err := s.startDue(ctx, &row); err != nil {
			return err
		}
	}
	if passed(row.NextVerifyAt, now) {
		row.NextVerifyAt = nextOf(row.VerifyCron, row.Zone, now)
		if err := s.verifyDue(ctx, &row); err != nil {
			return err
		}
	}
	if err := s.overdue(ctx, &row, now); err != nil {
		return err
	}
	_, err = s.store.db.In(ctx).NewUpdate().Model(&row).Column("next_run_at", "next_verify_at", "overdue_at").WherePK().
		Exec(ctx)
	return database.Fault(err, nil)
}

func passed(at *time.Time, now time.Time) bool { return at != nil && !at.After(now) }

func nextOf(cron, zone string, now time.Time) *time.Time {
	rule, err := jobs.ParseRule(cron, zone)
	if err != nil {
		return nil // the rule was read when it was set
	}
	next := rule.Next(now)
	if next.IsZero() {
		return nil
	}
	return &next
}

// startDue leaves out a run while the one before goes on.
func (s *service) startDue(ctx context.Context, row *profileRow) error {
	active, err := s.store.hasActive(ctx, row.ID)
	if err != nil || active {
		return err
	}
	_, err = s.start(ctx, row.ID, bySchedule)
	return err
}

// verifyDue tests the newest good backup; without one, or while another test goes on, there is nothing to do.
func (s *service) verifyDue(ctx context.Context, row *profileRow) error {
	if row.LastGoodRun == nil {
		return nil
	}
	active, err := s.store.db.In(ctx).NewSelect().Model((*restoreRow)(nil)).Where("finished_at is null").Exists(ctx)
	if err != nil || active {
		return database.Fault(err, nil)
	}
	_, err = s.verify(ctx, *row.LastGoodRun, KeysInput{}, bySchedule)
	if fault.Code(err) == errMissing.Code {
		return nil
	}
	return err
}

// overdue tells people once that there was no good backup for too long.
func (s *service) overdue(ctx context.Context, row *profileRow, now time.Time) error {
	since := row.CreatedAt
	if row.LastSuccessAt != nil {
		since = *row.LastSuccessAt
	}
	limit := time.Duration(row.DeadmanHours) * time.Hour
	if limit == 0 || row.OverdueAt != nil || now.Sub(since) < limit {
		return nil
	}
	row.OverdueAt = &now
	return s.bus.Emit(ctx, events.Event{
		Kind: kindOverdue, SubjectID: row.ID, At: now, Data: News{ProfileID: row.ID, Name: row.Name},
	})
}
