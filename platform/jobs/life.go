package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"
)

// appear gives a client its sign of life.
func (r *Runner) appear(ctx context.Context, id string) error {
	ctx, stop := context.WithTimeout(ctx, callWithin)
	defer stop()
	if _, err := r.db.Pool.Exec(ctx, "insert into jobs.clients (id) values ($1)", id); err != nil {
		return fmt.Errorf("announce this panel to the job queue: %w", err)
	}
	return nil
}

// vanish takes it back at a clean stop, so that nobody waits for its end.
func (r *Runner) vanish(ctx context.Context, id string) error {
	ctx, stop := context.WithTimeout(ctx, callWithin)
	defer stop()
	if _, err := r.db.Pool.Exec(ctx, "delete from jobs.clients where id = $1", id); err != nil {
		return fmt.Errorf("take this panel out of the job queue: %w", err)
	}
	return nil
}

// beat renews the sign of life and gives up the silent, until the context ends or this client was given up itself.
func (r *Runner) beat(ctx context.Context, id string) (lost bool) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		alive, err := r.renew(ctx, id)
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil:
			r.log.Warn("the sign of life of this panel could not be renewed", zap.Error(err))
		case !alive:
			return true
		default:
			if err := r.takeOver(ctx); err != nil && ctx.Err() == nil {
				r.log.Warn("jobs of silent panels could not be taken over", zap.Error(err))
			}
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
}

func (r *Runner) renew(ctx context.Context, id string) (alive bool, err error) {
	ctx, stop := context.WithTimeout(ctx, callWithin)
	defer stop()
	done, err := r.db.Pool.Exec(ctx, "update jobs.clients set seen_at = now() where id = $1", id)
	return done.RowsAffected() == 1, err
}

// takeoverLock lets one panel at a time give up the silent.
const takeoverLock = 7203120491

// beginTakeover lets the database end a takeover whose panel was frozen in the middle of it: its lock would keep
// everybody else from taking over.
const beginTakeover = "begin; set local idle_in_transaction_session_timeout = '3s'"

// handBack makes the jobs of clients without a row available again. The attempt counts: a job that kills its panel
// must end somewhere.
const handBack = `with lost as (
	select id, attempt >= max_attempts as last from jobs.river_job j
	where state = 'running' and not exists (
		select 1 from jobs.clients c where c.id = j.attempted_by[array_length(j.attempted_by, 1)])
	for update skip locked)
	update jobs.river_job j set
		state = case when lost.last then 'discarded' else 'available' end::jobs.river_job_state,
		finalized_at = case when lost.last then now() end,
		scheduled_at = case when lost.last then j.scheduled_at else now() end,
		errors = array_append(j.errors, jsonb_build_object('at', now(), 'attempt', j.attempt, 'trace', '',
			'error', 'the panel that ran this job was killed or stalled'))
	from lost where j.id = lost.id
	returning j.id, j.kind, j.attempt, lost.last`

// takeOver gives up the clients that were silent too long and makes their jobs available. The second statement sees the
// deletion and everything that the given up have finished before it, because both lock the client's row.
func (r *Runner) takeOver(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, callWithin)
	defer stop()
	tx, err := r.db.Pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: beginTakeover})
	if err != nil {
		return fmt.Errorf("begin to take over jobs: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var alone bool
	err = tx.QueryRow(ctx, "select pg_try_advisory_xact_lock($1)", takeoverLock).Scan(&alone)
	if err != nil || !alone {
		return err
	}
	if _, err := tx.Exec(ctx, "delete from jobs.clients where seen_at < now() - $1::interval", silentFor); err != nil {
		return fmt.Errorf("give up silent panels: %w", err)
	}
	rows, err := tx.Query(ctx, handBack)
	if err != nil {
		return fmt.Errorf("hand back the jobs of silent panels: %w", err)
	}
	freed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[freedJob])
	if err != nil {
		return fmt.Errorf("hand back the jobs of silent panels: %w", err)
	}
	if len(freed) > 0 {
		if _, err := tx.Exec(ctx, "select pg_notify('jobs.river_insert', $1)", inserted.Payload); err != nil {
			return fmt.Errorf("wake the panels: %w", err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit the take-over of jobs: %w", err)
	}
	return r.reportFreed(ctx, freed)
}

// reportFreed logs what runs again, and fails the operations of what was given up.
func (r *Runner) reportFreed(ctx context.Context, freed []freedJob) error {
	var ended []int64
	for _, job := range freed {
		if job.Last {
			ended = append(ended, job.ID)
		}
		r.log.Warn(
			"a panel was killed or stalled; its job runs again",
			zap.String("kind", job.Kind),
			zap.Int64("job", job.ID),
			zap.Int16("attempt", job.Attempt),
			zap.Bool("given_up", job.Last),
		)
	}
	if len(ended) == 0 {
		return nil
	}
	return r.ops.EndJobs(ctx, ended, "the panel that ran it was killed or stalled")
}

type freedJob struct {
	ID      int64
	Kind    string
	Attempt int16
	Last    bool
}
