package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-bench/internal/measure"
	"panel/migrations"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/operations"
)

const (
	// starts is how many jobs are inserted one after another to see how soon each begins.
	starts    = 300
	startGoal = 100 // ms
	// atOnce is how many of the counted jobs run at once: they do nothing, so more cost nothing.
	atOnce = 100
)

// queueing is a panel's job queue without a panel around it.
type queueing struct {
	db    *database.DB
	queue *jobs.Enqueuer
	done  atomic.Int64
	began chan time.Time
}

// benched asks for one job; Wait makes it tell when it begins.
type benched struct {
	Wait bool `json:"wait"`
}

// Kind keeps the jobs that are timed away from the backlog of the others.
func (j benched) Kind() string {
	if j.Wait {
		return "bench.starts"
	}
	return "bench.counts"
}

// jobsOneByOne (P16) compares jobs, each inserted by itself, run and marked as done, with an UPDATE of a single row;
// then it looks at how soon a job begins.
func jobsOneByOne(ctx context.Context, b *bench) ([]measure.Result, error) {
	q, err := newQueueing(ctx, b)
	if err != nil {
		return nil, err
	}
	limits, products, err := b.pairs(
		func() (float64, error) {
			var writer atomic.Int64
			return b.together(ctx, func(ctx context.Context) error {
				_, err := q.db.Pool.Exec(ctx, "update plain set n = n + 1 where id = $1", writer.Add(1)%writers)
				return err
			})
		},
		func() (float64, error) { return q.throughput(ctx, b) })
	if err != nil {
		return nil, err
	}
	latency, err := q.latency(ctx)
	if err != nil {
		return nil, err
	}
	return []measure.Result{
		measure.AtLeast("P16", "jobs one by one against an UPDATE of a single row", "1/s", limits, products, 0.40),
		measure.Below("P16", "from insert to start, p99", "ms", measure.Series{latency.Quantile(0.99)}, startGoal),
	}, nil
}

func newQueueing(ctx context.Context, b *bench) (*queueing, error) {
	dsn, err := b.database(ctx, "jobs")
	if err != nil {
		return nil, err
	}
	q := &queueing{began: make(chan time.Time, 1)}
	q.db, err = database.Open(ctx, dsn, database.Options{})
	if err != nil {
		return nil, err
	}
	b.atEnd(q.db.Close)
	if err := migrations.Run(ctx, q.db.DB.DB, nil); err != nil {
		return nil, err
	}
	err = execute(
		ctx,
		dsn,
		fmt.Sprintf("create table plain as select id, 0 as n from generate_series(0, %d) id", writers-1),
	)
	if err == nil {
		err = execute(ctx, dsn, "alter table plain add primary key (id)")
	}
	return q, errors.Join(err, q.start(b))
}

// start runs the workers until the bench ends.
func (q *queueing) start(b *bench) error {
	var runner *jobs.Runner
	q.queue, runner = jobs.New(q.db, operations.NewStore(q.db, events.New(q.db, nil, zap.NewNop())), zap.NewNop())
	err := runner.Add(
		jobs.Worker{
			Kind:  "bench.counts",
			Limit: atOnce,
			Work:  func(context.Context, jobs.Job) error { q.done.Add(1); return nil },
		},
		jobs.Worker{
			Kind: "bench.starts",
			Work: func(context.Context, jobs.Job) error { q.began <- time.Now(); return nil },
		},
	)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = runner.Run(ctx) })
	b.atEnd(func() error { cancel(); running.Wait(); return ended })
	return nil
}

// throughput inserts for one reading and waits until all of it is done.
func (q *queueing) throughput(ctx context.Context, b *bench) (float64, error) {
	before, began := q.done.Load(), time.Now()
	var inserted atomic.Int64
	_, err := b.together(ctx, func(ctx context.Context) error {
		inserted.Add(1)
		return q.queue.Insert(ctx, benched{}, jobs.Opts{})
	})
	for err == nil && q.done.Load()-before < inserted.Load() {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return float64(inserted.Load()) / time.Since(began).Seconds(), err
}

// latency is the time from each insertion to the begin of its run, in milliseconds.
func (q *queueing) latency(ctx context.Context) (measure.Series, error) {
	var series measure.Series
	for range starts {
		inserted := time.Now()
		if err := q.queue.Insert(ctx, benched{Wait: true}, jobs.Opts{}); err != nil {
			return nil, err
		}
		select {
		case began := <-q.began:
			series = append(series, float64(began.Sub(inserted).Microseconds())/1000)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return series, nil
}
