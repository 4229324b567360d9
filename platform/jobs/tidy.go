package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/entitlement"
)

// Tidy is a rule of a module's manifest: rows of one of its tables go when they are old.
type Tidy struct {
	// Table belongs to the module; Column is the time that Age is measured from. Rows where it is null stay.
	Table, Column string
	Age           time.Duration
	// Unless is an SQL condition of rows that stay however old they are; empty for none.
	Unless string
	// Batch is how many rows one statement removes; a thousand when zero.
	Batch int
}

type tidyArgs struct{}

const tidyKind = "panel.tidy"

// Kind is that of the panel's own work.
func (tidyArgs) Kind() string { return tidyKind }

const usualBatch = 1000

// TidySchedule lets the rules of all modules run once an hour.
func TidySchedule() Schedule {
	return Schedule{
		Name: tidyKind, Cron: "17 * * * *", Jitter: time.Minute, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn,
		Args:    func() Args { return tidyArgs{} },
	}
}

// TidyWorker applies the rules one after another; one that fails does not keep the others from theirs.
func TidyWorker(db *database.DB, clock clockwork.Clock, rules []Tidy) Worker {
	const limit = 10 * time.Minute
	return Worker{Kind: tidyKind, Timeout: limit, Attempts: 3, Work: func(ctx context.Context, _ Job) error {
		var problems []error
		for _, rule := range rules {
			problems = append(problems, rule.apply(ctx, db, clock.Now()))
		}
		return errors.Join(problems...)
	}}
}

// apply removes batch after batch, each by itself, so that nobody waits long for a lock.
func (r Tidy) apply(ctx context.Context, db *database.DB, now time.Time) error {
	batch := r.Batch
	if batch == 0 {
		batch = usualBatch
	}
	stay := bun.Safe("false")
	if r.Unless != "" {
		stay = bun.Safe(r.Unless)
	}
	for {
		done, err := db.NewRaw(`delete from ?0 where ctid = any(array(
			select ctid from ?0 where ?1 < ?2 and not (?4) order by ?1 limit ?3 for update skip locked))`,
			bun.Ident(r.Table), bun.Ident(r.Column), now.Add(-r.Age), batch, stay).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove old rows of %s: %w", r.Table, err)
		}
		if n, err := done.RowsAffected(); err != nil || n < int64(batch) {
			return err
		}
	}
}
