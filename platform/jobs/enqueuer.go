package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/operations"
)

// queue is the one queue of River that all kinds share: River polls once per queue, and the kinds are kept apart by the
// backlog of each.
const queue = "panel"

// Enqueuer inserts jobs.
type Enqueuer struct {
	db       *database.DB
	ops      *operations.Store
	kinds    *kinds
	announce *announcer
}

// metadata is what a job carries beside its arguments.
type metadata struct {
	Timeout   time.Duration `json:"timeout,omitempty"`
	Operation string        `json:"operation,omitempty"`
}

// insertion is one prepared statement: the row and, where the announcer wants it, the notification that wakes the
// panels when the transaction commits.
const insertion = `with made as (
	insert into jobs.river_job (kind, args, max_attempts, metadata, queue, scheduled_at, unique_key, unique_states)
	values ($1, $2, $3, $4, $5, greatest(coalesce($6::timestamptz, now()), now()), $7, $8::bit(8))
	on conflict (unique_key) where unique_key is not null and unique_states is not null
		and jobs.river_job_state_in_bitmask(unique_states, state) do nothing
	returning id, scheduled_at),
	woken as (select pg_notify('jobs.river_insert', '{"queue":"` + queue + `"}') from made
		where $9 and scheduled_at <= now())
	select made.id from made left join woken on true`

// Together are the options of a job that follows a change: together with all that comes within so long, and by a job
// that has not begun. One that runs may have read what has changed since, and must not keep out the one that is to see
// it. So a fleet that comes back at once is followed once.
func Together(now time.Time, within time.Duration) Opts {
	at := now.UTC().Truncate(within).Add(2 * within)
	return Opts{Unique: "at " + at.Format(time.RFC3339Nano), At: at}
}

// unfinished are the states in which a unique job keeps others out: scheduled, running, retryable, pending; not
// discarded, completed, cancelled; available.
const unfinished = "11110001"

// Insert adds a job in the transaction of the context, else by itself. A job that Unique keeps out is no error.
func (e *Enqueuer) Insert(ctx context.Context, args Args, o Opts) error {
	if o.Operation == nil {
		_, err := e.insert(ctx, args, o, "")
		return err
	}
	o.Operation.ID = ""
	return e.db.InTx(ctx, func(ctx context.Context) error {
		id := database.NewID()
		jobs, err := e.insert(ctx, args, o, id)
		if err != nil || len(jobs) == 0 {
			return err
		}
		o.Operation.ID = id
		return e.ops.Begin(ctx, id, args.Kind(), o.Operation.About, &jobs[0])
	})
}

func (e *Enqueuer) insert(ctx context.Context, job Args, o Opts, operation string) (ids []int64, err error) {
	row, err := e.row(job, o, operation)
	if err != nil {
		return nil, err
	}
	var args database.Arguments
	for _, value := range append(row, e.announce.within(ctx)) {
		args.Add(value)
	}
	if err := database.Read(ctx, e.db, &ids, bun.Safe(insertion), &args); err != nil {
		return nil, database.Fault(fmt.Errorf("insert a job of the kind %s: %w", job.Kind(), err), nil)
	}
	e.announce.inserted(ctx)
	return ids, nil
}

// insertionOfAll adds many jobs of one kind in the order of the list.
const insertionOfAll = `with made as (
	insert into jobs.river_job (kind, args, max_attempts, metadata, queue, scheduled_at)
	select ?, args, ?, '{}', ?, now() from unnest(?::jsonb[]) with ordinality as list (args, place) order by place
	returning id),
	woken as (select pg_notify('jobs.river_insert', '{"queue":"` + queue + `"}') where ?)
	select count(*) from made left join woken on true`

// InsertAll adds jobs of one kind in one statement, each with its arguments as JSON, in the transaction of the context,
// else by itself.
func (e *Enqueuer) InsertAll(ctx context.Context, kind string, all [][]byte) error {
	worker, known := e.kinds.get(kind)
	if !known {
		return errNoWorker(kind)
	}
	texts := make([]string, len(all))
	for i, args := range all {
		texts[i] = string(args)
	}
	var made int
	err := e.db.In(ctx).NewRaw(insertionOfAll, kind, worker.Attempts, queue, pgdialect.Array(texts),
		e.announce.within(ctx)).
		Scan(ctx, &made)
	if err != nil {
		return database.Fault(fmt.Errorf("insert %d jobs of the kind %s: %w", len(all), kind, err), nil)
	}
	e.announce.inserted(ctx)
	return nil
}

func errNoWorker(kind string) error {
	return fmt.Errorf("insert a job of the kind %s: no module of this build has a worker for it", kind)
}

// cancelling ends a job that waits, and tells the panel that runs it to end it.
const cancelling = `with asked as (update jobs.river_job set
		state = case when state = 'running' then state else 'cancelled' end,
		finalized_at = case when state = 'running' then finalized_at else now() end,
		metadata = metadata || jsonb_build_object('cancel_attempted_at', now())
	where id = ?0 and state in ('available', 'scheduled', 'retryable', 'running') returning state),
	sent as (select pg_notify('jobs.river_control', '{"action":"cancel","job_id":' || ?0 || ',"queue":"` + queue + `"}')
		from asked where state = 'running')
	select asked.state::text from asked left join sent on true`

// Cancel ends a job. It tells whether the job had not begun and is over; what runs ends when its worker listens to its
// context.
func (e *Enqueuer) Cancel(ctx context.Context, job int64) (over bool, err error) {
	var states []string
	if err := e.db.In(ctx).NewRaw(cancelling, job).Scan(ctx, &states); err != nil {
		return false, database.Fault(fmt.Errorf("cancel the job %d: %w", job, err), nil)
	}
	return len(states) == 1 && states[0] == "cancelled", nil
}

func (e *Enqueuer) row(args Args, o Opts, operation string) ([]any, error) {
	kind := args.Kind()
	worker, known := e.kinds.get(kind)
	if !known {
		return nil, errNoWorker(kind)
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("write the arguments of a job of the kind %s: %w", kind, err)
	}
	about, err := json.Marshal(metadata{Timeout: o.Timeout, Operation: operation})
	if err != nil {
		return nil, fmt.Errorf("write the options of a job of the kind %s: %w", kind, err)
	}
	attempts := worker.Attempts
	if o.Attempts > 0 {
		attempts = o.Attempts
	}
	var at *time.Time
	if !o.At.IsZero() {
		at = &o.At
	}
	var key []byte
	var states *string
	if o.Unique != "" {
		sum := sha256.Sum256([]byte(kind + "\x00" + o.Unique))
		key, states = sum[:], ptr(unfinished)
	}
	return []any{kind, string(text), attempts, string(about), queue, at, key, states}, nil
}

func ptr[T any](value T) *T { return &value }
