// Package bulk installs the plans of many flows as one operation. A plan that is being installed already, by a panel
// that died, is not installed once more.
package bulk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/internal/many"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

const (
	atOnce  = 32             // flows that are installed at the same time, where none waits for another
	longest = 30 * time.Hour // a canary may be watched for a day
	running = 8
)

// Installer starts the installation of a plan as the caller of the context and gives the id of the apply, or the fault
// with which it was refused. Nothing is forced.
type Installer func(ctx context.Context, flowID, planID string, revision int) (string, error)

// Applies are the bulk applies of a panel.
type Applies struct {
	*many.Operations[row, *row]

	db      *database.DB
	install Installer
}

// New makes them.
func New(db *database.DB, c clockwork.Clock, q *jobs.Enqueuer, o *operations.Store, i Installer) *Applies {
	b := &Applies{db: db, install: i}
	b.Operations = many.New(db, c, q, o, many.Kind[*row]{
		Job: "flows.bulk_apply", About: "bulk_apply", Running: running, Longest: longest, Columns: []string{"items"},
		Step: b.step, Look: func(ctx context.Context, r *row) error {
			_, err := b.look(ctx, r)
			return err
		},
	})
	return b
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
	many.Record

	StopOnFailure bool
	Items         []Item `bun:",type:jsonb"`
}

func (r *row) shown() Apply {
	return Apply{
		ID: r.ID, OperationID: r.OperationID, StopOnFailure: r.StopOnFailure, Items: r.Items, StartedBy: r.StartedBy,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

// Tidy drops what has become of flows a month later; the applies have records of their own.
func Tidy() jobs.Tidy { return many.Tidy("flow_bulk_applies") }

// Start notes what is wanted and answers at once. Fault: invalid_value (422), for a flow that is named twice and for a
// plan that is not one of its flow.
func (b *Applies) Start(ctx context.Context, wanted []Wanted, stopOnFailure bool) (Apply, error) {
	items, err := b.items(ctx, wanted)
	if err != nil {
		return Apply{}, err
	}
	r := &row{StopOnFailure: stopOnFailure, Items: items}
	err = b.Operations.Start(ctx, r)
	return r.shown(), err
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
	r, err := b.Operations.Get(ctx, id)
	if err != nil {
		return Apply{}, err
	}
	return r.shown(), nil
}
