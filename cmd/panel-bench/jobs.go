package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	startGoal = 100               // ms
	calmsIn   = 30 * time.Second  // what the start of a panel sets off is over by then
	quietRun  = 130 * time.Second // every driver has looked many times by then
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

// jobsAndQuiet (P16) measures the queue of jobs by itself, and then what a whole panel asks of its database at rest.
// How little of that depends on the fleet is a part of P10.
func jobsAndQuiet(ctx context.Context, b *bench) ([]measure.Result, error) {
	results, err := jobsOneByOne(ctx, b)
	if err != nil {
		return results, err
	}
	s, err := b.install(ctx, "quiet", nil)
	if err != nil {
		return results, err
	}
	if err := pause(ctx, calmsIn); err != nil {
		return results, err
	}
	s.counter.Take()
	s.counter.TakePings()
	if err := pause(ctx, quietRun); err != nil {
		return results, err
	}
	return append(results, s.polls()), nil
}

// polls gates how often a panel without work looks for some, and shows everything else that it asks.
func (s *stand) polls() measure.Result {
	const shown, wide = 12, 100
	seen, seconds := s.counter.Take(), quietRun.Seconds()
	looks := 0
	for statement, n := range seen {
		if looksForWork(statement) {
			looks += n
		}
	}
	result := measure.Below("P16", "looks for work of a quiet panel: jobs, schedules and all processes", "1/s",
		measure.Series{float64(looks) / seconds}, 1)
	result = result.Note("%.2f statements a second in all, and %.2f pings, which tell that no notification was lost",
		float64(sum(seen))/seconds, float64(s.counter.TakePings())/seconds)
	common := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Compare(seen[b], seen[a]) })
	for _, statement := range common[:min(len(common), shown)] {
		result = result.Note("%.2f/s %s", float64(seen[statement])/seconds, statement[:min(len(statement), wide)])
	}
	return result
}

// looksForWork tells whether a statement looks for jobs or for rows of a process.
func looksForWork(statement string) bool {
	return strings.Contains(statement, "limit k.free for update") ||
		strings.Contains(statement, "from lease_wakes where process")
}
