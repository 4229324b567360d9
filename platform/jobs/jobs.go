// Package jobs does work later and surely: a job is a row that commits with the change it belongs to, and some panel
// on this database runs it until it has succeeded or its attempts are used up. Schedules insert jobs by the clock.
//
// Take a job for "do this later, surely": send, collect, tidy, renew. It runs at least once, whole, in one call of a
// function; after a kill another panel runs it again from its beginning, so its effect must be safe to repeat (or
// commit together with Job.Finish). Take platform/lease for "bring this row to its end": a process of many steps that
// keeps its state in its own row, writes it again and again under a fencing token, and goes on within seconds where
// another driver left it.
//
// River (github.com/riverqueue/river) keeps, retries and cleans the jobs. This package adds what it does not have: a
// backlog and a limit for each kind, a sign of life of each panel with takeover and fencing, and schedules that all
// panels share.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/operations"
)

// Args are the arguments of a job, a struct that is stored as JSON.
type Args interface {
	// Kind names the worker: the module and a verb, "backups.run".
	Kind() string
}

// Worker runs the jobs of one kind.
type Worker struct {
	// Kind is the module's name and a verb, "backups.run".
	Kind string
	// Limit is how many jobs of this kind run at once on one panel; 1 when zero, and then in the order of insertion.
	Limit int
	// Timeout ends the context of a run; DefaultTimeout when zero.
	Timeout time.Duration
	// Attempts is how often a job of this kind is tried; DefaultAttempts when zero.
	Attempts int
	// Work runs one job. An error or a panic runs it again later; Permanent and the last attempt give it up.
	Work func(ctx context.Context, job Job) error
}

const (
	// DefaultTimeout limits a run whose worker and insertion name no limit.
	DefaultTimeout = time.Minute
	// DefaultAttempts together last about three weeks.
	DefaultAttempts = 25
)

// Do makes the function of a worker whose arguments have a type.
func Do[T Args](work func(ctx context.Context, job Job, args T) error) func(context.Context, Job) error {
	return func(ctx context.Context, job Job) error {
		var args T
		if err := json.Unmarshal(job.args, &args); err != nil {
			return Permanent(fmt.Errorf("read the arguments of the job: %w", err))
		}
		return work(ctx, job, args)
	}
}

// Job is one run of a job.
type Job struct {
	ID      int64
	Kind    string
	Attempt int // 1 for the first run
	Last    bool

	args      json.RawMessage
	db        *database.DB
	ops       *operations.Store
	operation string
	client    string
}

// ErrLost says that this run counts no more: the panel was silent too long and another one has taken the job.
var ErrLost = errors.New("another panel runs this job now")

// Finish marks the job as done in the transaction of its effect, which the context holds, so that both commit or
// neither: the effect is there once. Error: ErrLost, after which the transaction must not commit.
func (j Job) Finish(ctx context.Context) error {
	done, err := j.db.In(ctx).NewRaw(`with me as (select id from jobs.clients where id = ? for key share)
		update jobs.river_job j set state = 'completed', finalized_at = now() from me
		where j.id = ? and j.state = 'running' and j.attempt = ? and j.attempted_by[array_length(j.attempted_by, 1)] = me.id`,
		j.client, j.ID, j.Attempt).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("finish the job %s: %w", j.Kind, err), nil)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLost, err)
	}
	return nil
}

// Operation is the id of the operation that follows the job; empty where nobody does.
func (j Job) Operation() string { return j.operation }

// Progress shows those who follow the job how far it is, in percent. Without an operation it does nothing.
func (j Job) Progress(ctx context.Context, percent int) error {
	if j.operation == "" {
		return nil
	}
	return j.ops.Move(ctx, j.operation, percent)
}

// Permanent marks an error that another attempt would meet again: the job is given up at once.
func Permanent(err error) error { return permanent{err} }

type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Opts tune one insertion; the zero value is right for most.
type Opts struct {
	// Unique keeps a second job of this kind with the same word from being inserted until the first has ended.
	Unique string
	// At postpones the first run.
	At time.Time
	// Attempts and Timeout replace those of the worker.
	Attempts int
	Timeout  time.Duration
	// Operation lets the caller of the context follow the job, and cancel it.
	Operation *operations.New
}
