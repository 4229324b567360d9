package jobs_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/operations"
)

func TestMain(m *testing.M) { dbtest.MainOrChild(m, child) }

const effects = `create table asked (name text primary key);
	create table effects (name text not null, by text not null);
	create table gates (by text primary key)`

// child is a panel with the workers of the tests. One whose name begins with "busy" also inserts as fast as it can.
func child(ctx context.Context, dsn, name string) error {
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 6, Wait: soon})
	if err != nil {
		return err
	}
	enqueuer, runner := jobs.New(db, operations.NewStore(db, events.New(db, nil, zap.NewNop())), zap.NewNop())
	if err := runner.Add(counting(db, name), gated(db, name)); err != nil {
		return err
	}
	if len(name) > 4 && name[:4] == "busy" {
		go func() { _ = insertAll(ctx, db, enqueuer, name) }()
	}
	return runner.Run(ctx)
}

var errUndone = errors.New("undone")

// insertAll inserts jobs whose transactions commit, and as many whose transactions do not.
func insertAll(ctx context.Context, db *database.DB, enqueuer *jobs.Enqueuer, name string) error {
	for n := 0; ctx.Err() == nil; n++ {
		asked := note{Name: name + "/" + strconv.Itoa(n), kind: "notes.count"}
		err := db.InTx(ctx, func(ctx context.Context) error {
			if err := enqueuer.Insert(ctx, asked, jobs.Opts{}); err != nil {
				return err
			}
			if n%2 == 1 {
				return errUndone
			}
			_, err := db.In(ctx).ExecContext(ctx, "insert into asked values (?)", asked.Name)
			return err
		})
		if err != nil && !errors.Is(err, errUndone) {
			return err
		}
	}
	return ctx.Err()
}

// counting has one effect for each job, which commits together with the end of the job.
func counting(db *database.DB, by string) jobs.Worker {
	return jobs.Worker{Kind: "notes.count", Limit: 4, Work: jobs.Do(func(ctx context.Context, job jobs.Job,
		n note,
	) error {
		return db.InTx(ctx, func(ctx context.Context) error {
			if _, err := db.In(ctx).ExecContext(ctx, "insert into effects values (?, ?)", n.Name, by); err != nil {
				return err
			}
			return job.Finish(ctx)
		})
	})}
}

// gated begins, waits until its panel's gate is open whatever becomes of its context, tries to finish and then ends
// well.
func gated(db *database.DB, by string) jobs.Worker {
	return jobs.Worker{Kind: "notes.gate", Work: jobs.Do(func(ctx context.Context, job jobs.Job, _ note) error {
		ctx = context.WithoutCancel(ctx)
		if err := write(ctx, db, "began", by); err != nil {
			return err
		}
		for open := false; !open; <-time.After(often) {
			if err := db.NewRaw("select exists (select from gates where by = ?)", by).Scan(ctx, &open); err != nil {
				return err
			}
		}
		err := db.InTx(ctx, func(ctx context.Context) error {
			return errors.Join(write(ctx, db, "finished", by), job.Finish(ctx))
		})
		if errors.Is(err, jobs.ErrLost) {
			return write(ctx, db, "lost", by)
		}
		return err
	})}
}

func write(ctx context.Context, db *database.DB, name, by string) error {
	_, err := db.In(ctx).ExecContext(ctx, "insert into effects values (?, ?)", name, by)
	return err
}
