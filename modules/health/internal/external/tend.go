package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

const tendKind = "health.external_tend"

// forgotten is how long a check that goes on may be silent before its job counts as gone.
const forgotten = 30 * time.Minute

type tendArgs struct{}

// Kind names the worker.
func (tendArgs) Kind() string { return tendKind }

// Schedules start what is due, and give checks whose job was given up with its panel a new one. What was paid for is
// fetched also while the panel is read-only: it starts nothing.
func (s *Service) Schedules() []jobs.Schedule {
	return []jobs.Schedule{{
		Name: tendKind, Cron: "*/10 * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return tendArgs{} },
	}, byTheClock()}
}

func (s *Service) tend(ctx context.Context, _ jobs.Job) error {
	var ids []string
	err := s.db.In(ctx).NewRaw(`update health_reports set touched_at = ? where id in (select id from health_reports
			where state in ('queued', 'running') and touched_at < ? order by touched_at limit 100 for update skip locked)
		returning id`, s.now(), s.now().Add(-forgotten)).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("look for forgotten external checks: %w", err), nil)
	}
	var problems []error
	for _, id := range ids {
		problems = append(problems, s.queue.Insert(ctx, checkArgs{id}, jobs.Opts{Unique: id}))
	}
	return errors.Join(problems...)
}
