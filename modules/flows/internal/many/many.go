// Package many carries out what is asked for many flows as one operation, with a result for each of them.
//
// What was asked for is a row, and what became of a flow is written into it before the next one is begun, so that a
// panel that dies is continued by another and nothing is done twice. Each kind of operation has its own table, with
// the columns of Record.
package many

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

const (
	kept  = 30 * 24 * time.Hour
	pause = 500 * time.Millisecond // between two steps
)

// Cancelled is the code of flows that somebody kept from their turn by cancelling the operation.
const Cancelled = "cancelled"

// Record is what the row of every kind has.
type Record struct {
	ID          string `bun:",pk"`
	OperationID string
	Written     int // how often it was; a panel that comes back too late meets another figure
	StartedBy   string
	AccountID   string
	StartedAt   time.Time
	FinishedAt  *time.Time
}

// Common is what an operation has in common with all others.
func (r *Record) Common() *Record { return r }

// Row is one operation: a struct that embeds Record.
type Row interface {
	Common() *Record
	// Names are those of its flows.
	Names() []string
	// Leave ends every flow that waits for its turn, with the reason.
	Leave(code, why string)
	// Outcome is how the operation ends: an error that says how many flows are not as they were wanted.
	Outcome() error
}

// Progress notes how far an operation is, in per cent.
type Progress = func(ctx context.Context, percent int) error

// Kind is how operations are named and bounded, and what they do.
type Kind[P Row] struct {
	Job     string        // kind of the job
	About   string        // type of the object that people follow
	Running int           // of these on one panel at the same time
	Longest time.Duration // for all flows of one together
	Columns []string      // of the row that change, beside those of Record

	// Step does what can be done now, as the one who asked, and finishes the row when nothing is left. It is called
	// again until then.
	Step func(ctx context.Context, of P, progress Progress) error
	// Look notes what has ended by itself; nil where nothing does.
	Look func(ctx context.Context, of P) error
}

// Operations are those of one kind on a panel. R is the row.
type Operations[R any, P interface {
	*R
	Row
}] struct {
	db       *database.DB
	clock    clockwork.Clock
	queue    *jobs.Enqueuer
	followed *operations.Store
	kind     Kind[P]
}

// New makes them.
func New[R any, P interface {
	*R
	Row
}](db *database.DB, c clockwork.Clock, q *jobs.Enqueuer, followed *operations.Store, k Kind[P]) *Operations[R, P] {
	return &Operations[R, P]{db: db, clock: c, queue: q, followed: followed, kind: k}
}

// Tidy drops what has become of flows a month later; the journal keeps what was done.
func Tidy(table string) jobs.Tidy { return jobs.Tidy{Table: table, Column: "started_at", Age: kept} }

type args struct {
	ID string `json:"id"`

	kind string
}

// Kind names the worker.
func (a args) Kind() string { return a.kind }

// Worker carries out one operation.
func (o *Operations[R, P]) Worker() jobs.Worker {
	return jobs.Worker{
		Kind: o.kind.Job, Limit: o.kind.Running, Timeout: o.kind.Longest,
		Work: jobs.Do(func(ctx context.Context, job jobs.Job, a args) error { return o.Run(ctx, a.ID, job.Progress) }),
	}
}

// Start notes what is wanted, with the job that does it.
func (o *Operations[R, P]) Start(ctx context.Context, wanted P) error {
	caller, r := access.From(ctx), wanted.Common()
	r.ID, r.StartedBy, r.AccountID, r.StartedAt = database.NewID(), caller.Username, caller.AccountID, o.now()
	return o.db.InTx(ctx, func(ctx context.Context) error {
		follow := &operations.New{About: operations.About{Type: o.kind.About, ID: r.ID, Name: called(wanted.Names())}}
		if err := o.queue.Insert(ctx, args{ID: r.ID, kind: o.kind.Job}, jobs.Opts{Operation: follow}); err != nil {
			return fmt.Errorf("start an operation over %d flows: %w", len(wanted.Names()), err)
		}
		r.OperationID = follow.ID
		_, err := o.db.In(ctx).NewInsert().Model(wanted).Exec(ctx)
		return database.Fault(err, nil)
	})
}

// called is what a list of operations calls one over some flows.
func called(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return names[0] + " +" + strconv.Itoa(len(names)-1)
}

// Get gives an operation as it is now. Fault: not_found (404).
func (o *Operations[R, P]) Get(ctx context.Context, id string) (P, error) {
	if !database.IsID(id) {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	of, err := o.read(ctx, id)
	if err != nil || of.Common().FinishedAt != nil {
		return of, err
	}
	if err := o.look(ctx, of); err != nil {
		return nil, err
	}
	followed, err := o.followed.Get(ctx, of.Common().OperationID)
	if err != nil || followed.FinishedAt == nil {
		return of, err
	}
	// Its end is noted before what is followed ends: either it came since it was read, or no panel could note it.
	if of, err = o.read(ctx, id); err != nil || of.Common().FinishedAt != nil {
		return of, err
	}
	if err := o.look(ctx, of); err != nil {
		return nil, err
	}
	of.Leave(Cancelled, whyCancelled)
	of.Common().FinishedAt = followed.FinishedAt
	return of, nil
}

const whyCancelled = "the operation was cancelled"

func (o *Operations[R, P]) look(ctx context.Context, of P) error {
	if o.kind.Look == nil {
		return nil
	}
	return o.kind.Look(ctx, of)
}

func (o *Operations[R, P]) read(ctx context.Context, id string) (P, error) {
	of := P(new(R))
	if err := o.db.NewSelect().Model(of).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	return of, nil
}

func (o *Operations[R, P]) now() time.Time { return o.clock.Now().UTC().Truncate(time.Microsecond) }

// Finish says that nothing is left to be done; Write notes it.
func (o *Operations[R, P]) Finish(of P) {
	at := o.now()
	of.Common().FinishedAt = &at
}

// errOvertaken means that another panel has gone on with it.
var errOvertaken = errors.New("another panel goes on with this operation")

// Write notes how the operation stands, in the transaction of the context. It fails when another panel has gone on.
func (o *Operations[R, P]) Write(ctx context.Context, of P) error {
	r := of.Common()
	before := r.Written
	r.Written++
	done, err := o.db.In(ctx).NewUpdate().Model(of).Column(append([]string{"written", "finished_at"}, o.kind.Columns...)...).
		Where("id = ? and written = ?", r.ID, before).Exec(ctx)
	if err == nil {
		var n int64
		if n, err = done.RowsAffected(); err == nil && n > 0 {
			return nil
		}
		err = errors.Join(errOvertaken, err)
	}
	r.Written = before
	return database.Fault(fmt.Errorf("note how an operation over flows stands: %w", err), nil)
}

// Run brings an operation to its end, from wherever it stands.
func (o *Operations[R, P]) Run(ctx context.Context, id string, progress Progress) error {
	of, err := o.read(ctx, id)
	switch {
	case err != nil && fault.KindOf(err) == fault.KindMissing:
		return jobs.Permanent(err)
	case err != nil:
		return err
	case of.Common().FinishedAt != nil:
		return of.Outcome()
	}
	caller := access.Caller{Kind: access.Admin, AccountID: of.Common().AccountID, Username: of.Common().StartedBy}
	for {
		if err := o.kind.Step(access.With(ctx, caller), of, progress); err != nil {
			return o.ended(ctx, of, err)
		}
		if of.Common().FinishedAt != nil {
			return of.Outcome()
		}
		select {
		case <-ctx.Done():
			return o.ended(ctx, of, ctx.Err())
		case <-o.clock.After(pause):
		}
	}
}

// ended notes that no more flows are begun when somebody has cancelled the operation; a panel that stops hands it on.
func (o *Operations[R, P]) ended(ctx context.Context, of P, cause error) error {
	if !jobs.Cancelled(ctx) {
		return cause
	}
	const noteWithin = 5 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer stop()
	if err := o.look(ctx, of); err != nil {
		return errors.Join(cause, err)
	}
	of.Leave(Cancelled, whyCancelled)
	o.Finish(of)
	return errors.Join(cause, o.Write(ctx, of))
}

// Missed is the outcome of an operation after which some flows are not as they were wanted; nil when all are.
func Missed(all, done int, what string) error {
	if all == done {
		return nil
	}
	return jobs.Permanent(fmt.Errorf("%d of %d %s", all-done, all, what))
}

// Refusal is what an error says against one flow; nil for what stands in the way of all, such as an outage.
func Refusal(ctx context.Context, err error) *fault.Fault {
	refusals := []fault.Kind{
		fault.KindForbidden, fault.KindMissing, fault.KindConflict, fault.KindInvalid, fault.KindThrottled,
	}
	f, told := fault.As(err)
	if !told || ctx.Err() != nil || !slices.Contains(refusals, f.Kind) {
		return nil
	}
	return f
}
