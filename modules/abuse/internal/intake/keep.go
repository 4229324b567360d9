package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// Kept says how long what agents told is kept.
type Kept struct {
	All       time.Duration
	Addresses time.Duration // of sources, which are of people
}

// RenewKind is the job that makes partitions and lets go what is old; the schedule that inserts it has the same name.
const RenewKind = "abuse.renew"

const renewLimit = 5 * time.Minute

type renewArgs struct{}

// Kind names the worker.
func (renewArgs) Kind() string { return RenewKind }

// RenewSchedule tidies, so no license stops it.
func RenewSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: RenewKind, Cron: "*/20 * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return renewArgs{} },
	}
}

// RenewWorker does what the schedule says, and lets forget also do so what follows from what agents told. It may be
// killed and run again at any point.
func (i *Intake) RenewWorker(
	kept func(ctx context.Context) (Kept, error), forget func(ctx context.Context, before time.Time) error,
) jobs.Worker {
	return jobs.Worker{
		Kind: RenewKind, Timeout: renewLimit, Attempts: 1,
		Work: func(ctx context.Context, _ jobs.Job) error {
			times, err := kept(ctx)
			if err != nil {
				return err
			}
			if err := i.Renew(ctx, times); err != nil {
				return err
			}
			return forget(ctx, i.clock.Now().Add(-times.All))
		},
	}
}

// Renew makes the partitions of the near future, drops those that are past the time that they are kept, and forgets old
// addresses of sources. It gives way to readers and writers.
func (i *Intake) Renew(ctx context.Context, kept Kept) error {
	now := i.clock.Now()
	if err := i.run(ctx, "select abuse_prepare()"); err != nil {
		return err
	}
	if err := i.run(ctx, "select abuse_expire($1)", now.Add(-kept.All)); err != nil {
		return err
	}
	return i.forget(ctx, now.Add(-kept.Addresses))
}

func (i *Intake) run(ctx context.Context, statement string, args ...any) error {
	err := pgx.BeginFunc(ctx, i.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local lock_timeout = '2s'"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
	if err != nil {
		return database.Fault(fmt.Errorf("renew the partitions of abuse: %w", err), nil)
	}
	return nil
}

// forgotten is how many addresses one statement forgets.
const forgotten = 2000

// forget takes the addresses of sources from signals that came before a moment, part by part, so that nobody waits.
func (i *Intake) forget(ctx context.Context, before time.Time) error {
	for {
		done, err := i.db.NewRaw(`update abuse_signals s set source_ip = null
			from (select id, stored_at from abuse_signals where source_ip is not null and stored_at <= ?0
				order by stored_at limit ?1 for update skip locked) old
			where s.id = old.id and s.stored_at = old.stored_at`, before.UTC(), forgotten).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("forget addresses of sources: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n < forgotten {
			return err
		}
	}
}

// Tidy lets the numbers of streams go that have ended, what agents see that tell nothing any more, and allowances that
// are over.
func Tidy() []jobs.Tidy {
	const month = 30 * 24 * time.Hour
	return []jobs.Tidy{
		{Table: signalKind.Streams, Column: "updated_at", Age: month},
		{Table: diversityKind.Streams, Column: "updated_at", Age: month},
		{Table: "abuse_coverage", Column: "at", Age: month},
		{Table: "abuse_refused", Column: "refused_at", Age: month},
		{Table: "abuse_hours", Column: "at", Age: month},
		{Table: "abuse_user_days", Column: "day", Age: month + 24*time.Hour},
		{Table: "abuse_allowlist", Column: "until", Age: month},
	}
}
