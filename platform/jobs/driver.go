package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

const schema = "jobs"

// driver is River's with a fetch that keeps the kinds apart, a fence before every end of a run, and a listener that
// this process can wake.
type driver struct {
	*riverpgxv5.Driver
	pool  *pgxpool.Pool
	kinds *kinds
	wake  *waker
	id    string
}

func newDriver(pool *pgxpool.Pool, kinds *kinds, wake *waker, id string) *driver {
	return &driver{Driver: riverpgxv5.New(pool), pool: pool, kinds: kinds, wake: wake, id: id}
}

// GetExecutor gives River's statements with ours among them.
func (d *driver) GetExecutor() riverdriver.Executor {
	return &executor{Executor: d.Driver.GetExecutor(), driver: d}
}

// GetListener gives River's listener, which this process can wake.
func (d *driver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.wake.over(d.Driver.GetListener(params))
}

type executor struct {
	riverdriver.Executor
	driver *driver
}

// fetching starts the oldest jobs of each kind that has free places. A client that has lost its row starts none; the
// row is locked only when there is a job, because an idle panel shall write nothing.
const fetching = `with picked as materialized (
	select j.id from unnest($1::text[], $2::int[]) as k(kind, free) cross join lateral (
		select id, priority, scheduled_at from jobs.river_job
		where state = 'available' and queue = $3 and kind = k.kind and scheduled_at <= now()
		order by priority, scheduled_at, id limit k.free for update skip locked) j
	order by j.priority, j.scheduled_at, j.id limit $4),
	me as (select id from jobs.clients where id = $5 and exists (select 1 from picked) for key share)
	update jobs.river_job j set state = 'running', attempt = j.attempt + 1, attempted_at = now(),
		attempted_by = (coalesce(j.attempted_by, '{}'))[greatest(1, array_length(j.attempted_by, 1) - 98):] || me.id
	from picked, me where j.id = picked.id
	returning j.id, j.attempt, j.attempted_at, j.attempted_by, j.args, j.created_at, j.kind, j.max_attempts, j.metadata,
		j.priority, j.queue, j.scheduled_at, j.state, j.tags`

// JobGetAvailable replaces River's, which takes the oldest of the queue whatever their kind is.
func (e *executor) JobGetAvailable(
	ctx context.Context,
	params *riverdriver.JobGetAvailableParams,
) ([]*rivertype.JobRow, error) {
	names, counts := e.driver.kinds.free()
	rows, err := e.driver.pool.Query(ctx, fetching, names, counts, params.Queue, params.MaxToLock, e.driver.id)
	if err != nil {
		return nil, fmt.Errorf("fetch jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, started)
	if err != nil {
		return nil, fmt.Errorf("fetch jobs: %w", err)
	}
	for _, job := range found {
		e.driver.kinds.began(job.Kind)
	}
	return found, nil
}

func started(row pgx.CollectableRow) (*rivertype.JobRow, error) {
	var j rivertype.JobRow
	err := row.Scan(
		&j.ID,
		&j.Attempt,
		&j.AttemptedAt,
		&j.AttemptedBy,
		&j.EncodedArgs,
		&j.CreatedAt,
		&j.Kind,
		&j.MaxAttempts,
		&j.Metadata,
		&j.Priority,
		&j.Queue,
		&j.ScheduledAt,
		&j.State,
		&j.Tags,
	)
	return &j, err
}

// JobSetStateIfRunningMany ends runs. A client without its row was given up, and its jobs run elsewhere: its results
// do not count. The row stays locked until the end is written, so that giving up a client and what it finishes exclude
// each other.
func (e *executor) JobSetStateIfRunningMany(
	ctx context.Context, params *riverdriver.JobSetStateIfRunningManyParams,
) ([]*rivertype.JobRow, error) {
	tx, err := e.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("end jobs: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var mine []int64
	err = tx.QueryRow(ctx, `with me as (select id from jobs.clients where id = $1 for key share)
		select coalesce(array_agg(j.id), '{}') from jobs.river_job j, me
		where j.id = any($2) and j.attempted_by[array_length(j.attempted_by, 1)] = me.id`, e.driver.id, params.ID).Scan(&mine)
	if err != nil {
		return nil, fmt.Errorf("check the fence of %d jobs: %w", len(params.ID), err)
	}
	ended, err := tx.JobSetStateIfRunningMany(ctx, only(params, mine))
	if err != nil {
		return nil, fmt.Errorf("end jobs: %w", err)
	}
	return ended, tx.Commit(ctx)
}

// only keeps the jobs of the list.
func only(all *riverdriver.JobSetStateIfRunningManyParams, ids []int64) *riverdriver.JobSetStateIfRunningManyParams {
	wanted := make(map[int64]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	kept := &riverdriver.JobSetStateIfRunningManyParams{Now: all.Now, Schema: all.Schema}
	for i, id := range all.ID {
		if !wanted[id] {
			continue
		}
		kept.ID = append(kept.ID, id)
		kept.Attempt = append(kept.Attempt, all.Attempt[i])
		kept.ErrData = append(kept.ErrData, all.ErrData[i])
		kept.FinalizedAt = append(kept.FinalizedAt, all.FinalizedAt[i])
		kept.MetadataDoMerge = append(kept.MetadataDoMerge, all.MetadataDoMerge[i])
		kept.MetadataUpdates = append(kept.MetadataUpdates, all.MetadataUpdates[i])
		kept.ScheduledAt = append(kept.ScheduledAt, all.ScheduledAt[i])
		kept.State = append(kept.State, all.State[i])
	}
	return kept
}
