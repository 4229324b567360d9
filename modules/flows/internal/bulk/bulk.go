// Package bulk installs the plans of many flows as one operation.
//
// What was asked for is a row, and what became of each flow is written into it before the next one begins, so that a
// panel that dies is continued by another: a plan that is being installed already is not installed once more.
package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

const (
	kept    = 30 * 24 * time.Hour
	atOnce  = 32 // flows that are installed at the same time, where none waits for another
	pause   = 500 * time.Millisecond
	longest = 30 * time.Hour // for all flows together; a canary may be watched for a day
	running = 8              // of these operations on one panel
)

// Installer starts the installation of a plan as the caller of the context and gives the id of the apply, or the fault
// with which it was refused. Nothing is forced.
type Installer func(ctx context.Context, flowID, planID string, revision int) (string, error)

// Applies are the bulk applies of a panel.
type Applies struct {
	db      *database.DB
	clock   clockwork.Clock
	queue   *jobs.Enqueuer
	install Installer

	operations *operations.Store
}

// New makes them.
func New(db *database.DB, c clockwork.Clock, q *jobs.Enqueuer, o *operations.Store, i Installer) *Applies {
	return &Applies{db: db, clock: c, queue: q, operations: o, install: i}
}

// States of a flow in a bulk apply.
const (
	Waiting  = "waiting"
	Applying = "applying"
	Applied  = "applied"
	Failed   = "failed"  // the apply was begun and everything reverted
	Refused  = "refused" // nothing was begun
	Skipped  = "skipped" // an earlier flow did not go well, or the operation was cancelled
)

// Wanted is one plan that is to be installed.
type Wanted struct {
	FlowID   string `json:"flow_id" format:"uuid"`
	ID       string `json:"id" format:"uuid" doc:"Plan id"`
	Revision int    `json:"revision" doc:"Plan revision"`
}

// Item is one flow of a bulk apply.
type Item struct {
	Wanted
	FlowName string  `json:"flow_name"`
	State    string  `json:"state" enum:"waiting,applying,applied,failed,refused,skipped"`
	ApplyID  *string `json:"apply_id" doc:"Null while nothing was begun"`
	Code     string  `json:"code" doc:"Why it was refused or failed; empty when it was not"`
	Error    string  `json:"error"`
}

// Apply is a bulk apply as the API shows it.
type Apply struct {
	ID            string     `json:"id" format:"uuid"`
	OperationID   string     `json:"operation_id" format:"uuid"`
	StopOnFailure bool       `json:"stop_on_failure"`
	Items         []Item     `json:"items" doc:"In the order in which they were asked for"`
	StartedBy     string     `json:"started_by"`
	StartedAt     time.Time  `json:"started_at"`
	FinishedAt    *time.Time `json:"finished_at"`
}

type row struct {
	bun.BaseModel `bun:"table:flow_bulk_applies,alias:b"`

	ID            string `bun:",pk"`
	OperationID   string
	StopOnFailure bool
	Items         []Item `bun:",type:jsonb"`
	Written       int    // how often it was; a panel that comes back too late meets another figure
	StartedBy     string
	AccountID     string
	StartedAt     time.Time
	FinishedAt    *time.Time
}

func (r *row) shown() Apply {
	return Apply{
		ID: r.ID, OperationID: r.OperationID, StopOnFailure: r.StopOnFailure, Items: r.Items, StartedBy: r.StartedBy,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

type args struct {
	ID string `json:"id"`
}

// Kind names the worker.
func (args) Kind() string { return "flows.bulk_apply" }

// Tidy drops what has become of flows a month later; the applies have records of their own.
func Tidy() jobs.Tidy { return jobs.Tidy{Table: "flow_bulk_applies", Column: "started_at", Age: kept} }

// Worker installs the flows of one bulk apply.
func (b *Applies) Worker() jobs.Worker {
	return jobs.Worker{
		Kind: args{}.Kind(), Limit: running, Timeout: longest,
		Work: jobs.Do(func(ctx context.Context, job jobs.Job, a args) error { return b.run(ctx, a.ID, job.Progress) }),
	}
}

// Start notes what is wanted and answers at once. Fault: invalid_value (422), for a flow that is named twice and for a
// plan that is not one of its flow.
func (b *Applies) Start(ctx context.Context, wanted []Wanted, stopOnFailure bool) (Apply, error) {
	items, err := b.items(ctx, wanted)
	if err != nil {
		return Apply{}, err
	}
	caller := access.From(ctx)
	r := &row{
		ID: database.NewID(), StopOnFailure: stopOnFailure, Items: items, StartedBy: caller.Username,
		AccountID: caller.AccountID, StartedAt: b.clock.Now().UTC().Truncate(time.Microsecond),
	}
	err = b.db.InTx(ctx, func(ctx context.Context) error {
		about := operations.About{Type: "bulk_apply", ID: r.ID, Name: named(items)}
		follow := &operations.New{About: about}
		if err := b.queue.Insert(ctx, args{r.ID}, jobs.Opts{Operation: follow}); err != nil {
			return fmt.Errorf("start to apply %d flows: %w", len(items), err)
		}
		r.OperationID = follow.ID
		_, err := b.db.In(ctx).NewInsert().Model(r).ExcludeColumn("written").Exec(ctx)
		return database.Fault(err, nil)
	})
	return r.shown(), err
}

// named is what a list of operations calls them.
func named(items []Item) string {
	if len(items) == 1 {
		return items[0].FlowName
	}
	return items[0].FlowName + " +" + strconv.Itoa(len(items)-1)
}

// items checks what can be said at once of what is wanted.
func (b *Applies) items(ctx context.Context, wanted []Wanted) ([]Item, error) {
	var known []struct{ ID, FlowID, Name string }
	plans := make([]string, 0, len(wanted))
	for _, w := range wanted {
		if database.IsID(w.ID) && database.IsID(w.FlowID) {
			plans = append(plans, w.ID)
		}
	}
	err := b.db.NewRaw(`select p.id, p.flow_id, f.name from flow_plans p join flows f on f.id = p.flow_id
		where p.id = any(?::uuid[])`, pgdialect.Array(plans)).Scan(ctx, &known)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the plans of a bulk apply: %w", err), nil)
	}
	out := make([]Item, len(wanted))
	for i, w := range wanted {
		field := fmt.Sprintf("items[%d]", i)
		if slices.ContainsFunc(wanted[:i], func(o Wanted) bool { return o.FlowID == w.FlowID }) {
			return nil, fault.InvalidValue(field+".flow_id", "the flow is named twice")
		}
		at := slices.IndexFunc(known, func(p struct{ ID, FlowID, Name string }) bool {
			return p.ID == w.ID && p.FlowID == w.FlowID
		})
		if at < 0 {
			return nil, fault.InvalidValue(field+".id", "there is no such plan of this flow")
		}
		out[i] = Item{Wanted: w, FlowName: known[at].Name, State: Waiting}
	}
	return out, nil
}

// Get shows a bulk apply as it is now. Fault: not_found (404).
func (b *Applies) Get(ctx context.Context, id string) (Apply, error) {
	if !database.IsID(id) {
		return Apply{}, fault.Missing(fault.NoSuchThing)
	}
	r, err := b.read(ctx, id)
	if err != nil {
		return Apply{}, err
	}
	if r.FinishedAt != nil {
		return r.shown(), nil
	}
	if _, err := b.look(ctx, r); err != nil {
		return Apply{}, err
	}
	followed, err := b.operations.Get(ctx, r.OperationID)
	if err == nil && followed.FinishedAt != nil { // before a panel could note it
		r.skip(cancelled())
	}
	return r.shown(), err
}

func (b *Applies) read(ctx context.Context, id string) (*row, error) {
	r := new(row)
	err := b.db.NewSelect().Model(r).Where("id = ?", id).Scan(ctx)
	return r, database.Fault(err, nil)
}

// errOvertaken means that another panel has gone on with it.
var errOvertaken = errors.New("another panel goes on with this bulk apply")

func (b *Applies) write(ctx context.Context, r *row) error {
	done, err := b.db.In(ctx).NewRaw(`update flow_bulk_applies set items = ?, finished_at = ?, written = written + 1
		where id = ? and written = ?`, r.Items, r.FinishedAt, r.ID, r.Written).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("note how a bulk apply stands: %w", err), nil)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errOvertaken, err)
	}
	r.Written++
	return nil
}
