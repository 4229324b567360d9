package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/zap"
)

// payload is River's form of arguments of any kind.
type payload struct {
	kind string
	text json.RawMessage
}

func (p payload) Kind() string { return p.kind }

// MarshalJSON gives the arguments as they are stored.
func (p payload) MarshalJSON() ([]byte, error) { return p.text, nil }

// UnmarshalJSON keeps the arguments for the worker to read.
func (p *payload) UnmarshalJSON(text []byte) error {
	p.text = append(p.text[:0], text...)
	return nil
}

// adapter is one of our workers in River's form.
type adapter struct {
	river.WorkerDefaults[payload]
	worker Worker
	runner *Runner
	client string
}

// Timeout is that of the insertion, else that of the worker.
func (a *adapter) Timeout(job *river.Job[payload]) time.Duration {
	if about := aboutOf(job); about.Timeout > 0 {
		return about.Timeout
	}
	return a.worker.Timeout
}

func aboutOf(job *river.Job[payload]) (about metadata) {
	_ = json.Unmarshal(job.Metadata, &about) // written by Insert; what River adds to it is not read
	return about
}

func (a *adapter) job(job *river.Job[payload]) Job {
	return Job{
		ID: job.ID, Kind: job.Kind, Attempt: job.Attempt, Last: job.Attempt >= job.MaxAttempts, args: job.Args.text,
		db: a.runner.db, ops: a.runner.ops, operation: aboutOf(job).Operation, client: a.client,
	}
}

// Work runs the job and turns its end into River's words.
func (a *adapter) Work(ctx context.Context, job *river.Job[payload]) error {
	one := a.job(job)
	a.follow(ctx, one, func(ctx context.Context) error { return a.runner.ops.Move(ctx, one.operation, 0) })
	err := a.guarded(ctx, one)
	result := outcome(ctx, err)
	a.follow(ctx, one, func(ctx context.Context) error { return a.record(ctx, one, result) })
	if a.runner.kinds.ended(job.Kind, err != nil) {
		a.runner.wake.wake()
	}
	if err == nil {
		a.runner.log.Info("a job is done", zap.String("kind", job.Kind), zap.Int64("job", job.ID))
		return nil
	}
	if stopping(ctx) {
		return river.JobSnooze(0) // handed back, and the attempt does not count
	}
	a.runner.log.Error(
		"a job failed",
		zap.String("kind", job.Kind),
		zap.Int64("job", job.ID),
		zap.Int("attempt", job.Attempt),
		zap.Int("of", job.MaxAttempts),
		zap.Error(err),
	)
	var end permanent
	if errors.As(err, &end) {
		return river.JobCancel(err)
	}
	return err
}

func (a *adapter) guarded(ctx context.Context, job Job) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return a.worker.Work(ctx, job)
}

// stopping tells that the run was ended because its panel stops.
func stopping(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.Canceled) && !Cancelled(ctx)
}

// Cancelled tells a worker whose context has ended that somebody cancelled the job, and not that its panel stops.
func Cancelled(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), rivertype.ErrJobCancelledRemotely)
}
