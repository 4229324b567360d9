package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/entitlement"
)

// Schedule inserts a job by the clock, once for all panels on the database. A run that nobody was there for is made up
// once. While its last job has not ended, no second one is inserted.
type Schedule struct {
	// Name is the module's name and what is done, "license.check".
	Name string
	// Cron has five fields, "30 3 * * *"; Zone is a time zone of the IANA list, UTC when empty.
	Cron, Zone string
	// Jitter postpones each run by a random part of it, so that installations do not call the same server at once.
	Jitter time.Duration
	// Feature is the license feature that Blocked speaks of; empty for none.
	Feature string
	// ReadOnly and Blocked say what becomes of a run while the panel is read-only, or while the feature is not in the
	// plan.
	ReadOnly, Blocked entitlement.Conduct
	// Args makes the arguments of the job.
	Args func() Args
}

// Scheduler inserts the jobs of the schedules of this build.
type Scheduler struct {
	db      *database.DB
	clock   clockwork.Clock
	log     *zap.Logger
	queue   *Enqueuer
	license entitlement.Source
	all     map[string]timed
}

type timed struct {
	Schedule
	rule Rule
}

// NewScheduler makes a scheduler; Add gives it schedules and Run lets them happen.
func NewScheduler(
	db *database.DB, queue *Enqueuer, license entitlement.Source, clock clockwork.Clock, log *zap.Logger,
) *Scheduler {
	return &Scheduler{db: db, clock: clock, log: log, queue: queue, license: license, all: map[string]timed{}}
}

// Add declares schedules, before Run.
func (s *Scheduler) Add(schedules ...Schedule) error {
	for _, one := range schedules {
		rule, err := ParseRule(one.Cron, one.Zone)
		if err != nil {
			return fmt.Errorf("add the schedule %s: %w", one.Name, err)
		}
		switch _, taken := s.all[one.Name]; {
		case taken:
			return fmt.Errorf("add the schedule %s: this name is taken", one.Name)
		case !one.ReadOnly.Known() || !one.Blocked.Known():
			return fmt.Errorf("add the schedule %s: ReadOnly and Blocked must say what becomes of its runs", one.Name)
		}
		s.all[one.Name] = timed{Schedule: one, rule: rule}
	}
	return nil
}

// All lists the declared schedules by name.
func (s *Scheduler) All() []Schedule {
	var all []Schedule
	for _, name := range slices.Sorted(maps.Keys(s.all)) {
		all = append(all, s.all[name].Schedule)
	}
	return all
}

// longestSleep bounds how long a panel relies on what it has read, for the case that its clock is set.
const longestSleep = time.Minute

// Run inserts what is due until the context ends.
func (s *Scheduler) Run(ctx context.Context) error {
	if len(s.all) == 0 {
		<-ctx.Done()
		return nil
	}
	if err := s.prepare(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	for ctx.Err() == nil {
		next, err := s.tick(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-s.clock.After(min(max(next.Sub(s.clock.Now()), 0)+time.Millisecond, longestSleep)):
		}
	}
	return nil
}

// prepare gives new schedules, and those whose rule has changed, their next run.
func (s *Scheduler) prepare(ctx context.Context) error {
	for name, one := range s.all {
		next := s.next(one)
		if next.IsZero() {
			continue
		}
		_, err := s.db.In(ctx).NewRaw(`insert into jobs.schedules (name, rule, next_at) values (?, ?, ?)
			on conflict (name) do update set rule = excluded.rule, next_at = excluded.next_at
				where schedules.rule <> excluded.rule`,
			name, one.Cron+" "+one.Zone, next).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("prepare the schedule %s: %w", name, err), nil)
		}
	}
	return nil
}

func (s *Scheduler) next(one timed) time.Time {
	next := one.rule.Next(s.clock.Now())
	if one.Jitter > 0 && !next.IsZero() {
		next = next.Add(rand.N(one.Jitter)) //nolint:gosec // spreads load, guards nothing
	}
	return next
}

// tick inserts what is due and gives the moment of the next run. Rows that another panel works on are its own.
func (s *Scheduler) tick(ctx context.Context) (next time.Time, err error) {
	now, names := s.clock.Now(), pgdialect.Array(slices.Sorted(maps.Keys(s.all)))
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		var due []string
		err := s.db.In(ctx).NewRaw(`select name from jobs.schedules where next_at <= ? and name = any(?::text[])
			order by next_at for update skip locked`, now, names).Scan(ctx, &due)
		for _, name := range due {
			err = errors.Join(err, s.run(ctx, s.all[name]))
		}
		return err
	})
	if err == nil {
		err = s.db.NewRaw("select coalesce(min(next_at), ?) from jobs.schedules where name = any(?::text[])",
			now.Add(longestSleep), names).Scan(ctx, &next)
	}
	if err != nil {
		return next, database.Fault(fmt.Errorf("run schedules: %w", err), nil)
	}
	return next, nil
}

// run inserts the job of a schedule, where the license lets it, and notes the next run.
func (s *Scheduler) run(ctx context.Context, one timed) error {
	if why := s.license.Current().Stopped(one.Feature, one.ReadOnly, one.Blocked); why != "" {
		s.log.Warn("a schedule did not run", zap.String("schedule", one.Name), zap.String("why", why))
	} else {
		args := one.Args()
		if err := s.queue.Insert(ctx, args, Opts{Unique: "schedule " + one.Name}); err != nil {
			return fmt.Errorf("run the schedule %s: %w", one.Name, err)
		}
		s.log.Info("a schedule ran", zap.String("schedule", one.Name), zap.String("kind", args.Kind()))
	}
	_, err := s.db.In(ctx).NewRaw("update jobs.schedules set next_at = ?, last_at = ? where name = ?",
		s.next(one), s.clock.Now(), one.Name).Exec(ctx)
	return err
}
