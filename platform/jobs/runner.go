package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/operations"
)

const (
	beatEvery  = 5 * time.Second
	silentFor  = 15 * time.Second // a client that was silent for so long is given up
	drainFor   = 5 * time.Second  // running jobs may end so long after the panel was told to stop
	cancelFor  = 2 * time.Second  // then their context is cancelled, and they are handed back
	pollEvery  = 2 * time.Second
	cooldown   = 10 * time.Millisecond
	callWithin = 4 * time.Second
)

// Runner runs the jobs of this panel.
type Runner struct {
	db    *database.DB
	ops   *operations.Store
	kinds *kinds
	log   *zap.Logger
	wake  *waker
}

// New makes the two halves of the queue: what inserts jobs, and what runs them once Run is called.
func New(db *database.DB, ops *operations.Store, log *zap.Logger) (*Enqueuer, *Runner) {
	all := newKinds()
	wake := &waker{}
	return &Enqueuer{db: db, ops: ops, kinds: all, announce: &announcer{db: db, wake: wake}},
		&Runner{db: db, ops: ops, kinds: all, log: log, wake: wake}
}

// Add declares workers, before Run.
func (r *Runner) Add(workers ...Worker) error {
	for _, w := range workers {
		if err := r.kinds.add(w); err != nil {
			return err
		}
	}
	return nil
}

// Run runs jobs until the context ends, then lets the running ones end or hands them back.
func (r *Runner) Run(ctx context.Context) error {
	if r.kinds.slots() == 0 {
		<-ctx.Done()
		return nil
	}
	for ctx.Err() == nil {
		if err := r.session(ctx); err != nil {
			return err
		}
	}
	return nil
}

// session is the life of one client: until the context ends, or until this panel was silent too long and was given up.
func (r *Runner) session(ctx context.Context) error {
	id := database.NewID()
	client, err := r.client(id)
	if err != nil {
		return err
	}
	work := context.WithoutCancel(ctx)
	if err := r.appear(work, id); err != nil {
		return err
	}
	if err := client.Start(work); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	lost := r.beat(ctx, id)
	if lost {
		r.log.Warn("this panel was silent too long; its running jobs belong to others now and are stopped here")
		return r.abandon(work, client)
	}
	return errors.Join(r.drain(work, client), r.vanish(work, id))
}

func (r *Runner) client(id string) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	for _, w := range r.kinds.all() {
		river.AddWorkerArgs(workers, payload{kind: w.Kind}, river.Worker[payload](&adapter{
			worker: w, runner: r,
			client: id,
		}))
	}
	client, err := river.NewClient(newDriver(r.db.Pool, r.kinds, r.wake, id), &river.Config{
		ID: id, Schema: schema, Workers: workers, Logger: slog.New(bridge{log: r.log}),
		Queues: map[string]river.QueueConfig{queue: {MaxWorkers: min(2*r.kinds.slots(),
			river.QueueNumWorkersMax)}},
		FetchCooldown: cooldown, FetchPollInterval: pollEvery, JobTimeout: DefaultTimeout,
		RescueStuckJobsAfter: never, SoftStopTimeout: drainFor,
		ReindexerIndexNames: []string{
			"river_job_pkey",
			"job_backlog",
			"job_postponed",
			"river_job_unique_idx",
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make the client of the job queue: %w", err)
	}
	return client, nil
}

// never keeps River from giving up long runs by their age: the sign of life of their panel tells whether they go on.
const never = 10 * 365 * 24 * time.Hour

// drain waits for the running jobs; SoftStopTimeout cancels what takes too long.
func (r *Runner) drain(ctx context.Context, client *river.Client[pgx.Tx]) error {
	ctx, stop := context.WithTimeout(ctx, drainFor+cancelFor)
	defer stop()
	if err := client.Stop(ctx); err != nil {
		return fmt.Errorf("stop the job queue: some jobs do not end: %w", err)
	}
	return nil
}

// abandon cancels what runs; what does not listen runs on without counting.
func (r *Runner) abandon(ctx context.Context, client *river.Client[pgx.Tx]) error {
	ctx, stop := context.WithTimeout(ctx, cancelFor)
	defer stop()
	if err := client.StopAndCancel(ctx); err != nil {
		r.log.Warn("jobs that belong to others now do not end here", zap.Error(err))
	}
	return nil
}
