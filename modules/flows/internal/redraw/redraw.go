// Package redraw changes the drafts of many flows as one operation. What became of a flow is noted by the transaction
// that changes its draft, so that no draft is changed twice. Nothing is installed.
package redraw

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/many"
	"panel/platform/database"
	"panel/platform/jobs"
	"panel/platform/operations"
)

const (
	longest = 2 * time.Hour
	running = 4
	// Most is how many flows one operation changes: as many as are applied together.
	Most = 500
)

// KindTarget is the change of a REALITY target.
const KindTarget = "change_target"

// States of a flow.
const (
	Waiting = "waiting"
	Changed = "changed"
	LeftOut = "left_out"
)

// Codes of reasons why a flow is left out, beside those of the faults that its change is refused with.
const (
	nothingToChange  = "nothing_to_change"
	nodeMissing      = "node_missing"
	targetUnchecked  = "target_unchecked"
	targetUnsuitable = "target_unsuitable"
)

// States of the check of a target from a block's node.
const (
	CheckFresh  = "fresh"
	CheckNeeded = "needed"
	CheckRuns   = "running"
	CheckFailed = "failed"
)

// Block is a block that changes.
type Block struct {
	Key      string `json:"key"`
	NodeID   string `json:"node_id"`
	NodeName string `json:"node_name"`
	From     string `json:"from" doc:"REALITY target, or name of the node, before"`
	To       string `json:"to" doc:"REALITY target, or name of the node, after"`
	Check    string `json:"check" enum:"none,fresh,needed,running,failed" doc:"fresh: a search has found the target suitable for this node within 24 hours"`
	ResultID string `json:"target_result_id" doc:"What the draft takes over; empty while nobody has found it suitable"`

	Name string `json:"sni" doc:"Name that the target is asked for"`
}

// Item is one flow.
type Item struct {
	FlowID   string  `json:"flow_id" format:"uuid"`
	FlowName string  `json:"flow_name"`
	Revision int     `json:"revision" doc:"Of the draft that the change starts from"`
	State    string  `json:"state" enum:"waiting,changed,left_out"`
	Code     string  `json:"code" doc:"Why it is left out; empty when it is not"`
	Error    string  `json:"error"`
	Blocks   []Block `json:"blocks"`

	Domains []string `json:"domains" doc:"Host names that move with the flow"`
}

// Change is a change of many drafts as the API shows it.
type Change struct {
	ID          string     `json:"id" doc:"Empty of a dry run"`
	OperationID string     `json:"operation_id" doc:"Empty of a dry run"`
	Kind        string     `json:"kind" enum:"change_target,replace_node"`
	DryRun      bool       `json:"dry_run"`
	Target      string     `json:"target" doc:"REALITY target that the flows get; empty of another kind"`
	NodeName    string     `json:"node_name" doc:"Node that is replaced; empty of another kind"`
	ByNodeName  string     `json:"by_node_name" doc:"Node that takes its place"`
	Items       []Item     `json:"items" doc:"By the names of the flows"`
	StartedBy   string     `json:"started_by"`
	StartedAt   *time.Time `json:"started_at"`
	FinishedAt  *time.Time `json:"finished_at"`
}

// check is one target that is tried from one node.
type check struct {
	NodeID   string `json:"node_id"`
	Name     string `json:"sni"`
	SearchID string `json:"search_id,omitempty"`
	ResultID string `json:"result_id,omitempty"`
	Code     string `json:"code,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (c check) open() bool { return c.ResultID == "" && c.Code == "" }

type row struct {
	bun.BaseModel `bun:"table:flow_redraws,alias:r"`
	many.Record

	Kind   string
	Wanted wanted  `bun:",type:jsonb"`
	Items  []Item  `bun:",type:jsonb"`
	Checks []check `bun:",type:jsonb"`
}

// wanted is what was asked for.
type wanted struct {
	Target string `json:"target,omitempty"`
	From   string `json:"from,omitempty"`

	Node     string `json:"node,omitempty"`
	NodeName string `json:"node_name,omitempty"`
	By       string `json:"by,omitempty"`
	ByName   string `json:"by_name,omitempty"`
	Some     bool   `json:"some,omitempty"` // flows were named: other host names of the node stay
}

func (r *row) shown() Change {
	for i := range r.Items { // earlier changes know no host names
		if r.Items[i].Domains == nil {
			r.Items[i].Domains = []string{}
		}
	}
	return Change{
		ID: r.ID, OperationID: r.OperationID, Kind: r.Kind, Target: r.Wanted.Target, Items: r.Items,
		NodeName: r.Wanted.NodeName, ByNodeName: r.Wanted.ByName,
		StartedBy: r.StartedBy, StartedAt: &r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

// Saver replaces the drawing of a draft that is still of the revision, under its own word in the journal. Faults:
// not_found (404), revision_conflict (409), invalid_value (422).
type Saver func(ctx context.Context, flowID string, revision int, action string, g graph.Graph) error

// Parts are what redraws need of flows.
type Parts struct {
	Save      Saver
	NodeNames func(ctx context.Context, ids []string) (map[string]string, error)
	Checks    func() flowsapi.TargetChecks // nil where nobody can check targets
	Domains   domainsapi.Domains

	// Settle forgets the moves of bindings that no drawing takes part in.
	Settle func(ctx context.Context, domainIDs ...string) error
}

// Redraws are the changes of many drafts on a panel.
type Redraws struct {
	*many.Operations[row, *row]

	db    *database.DB
	parts Parts
}

// New makes them.
func New(db *database.DB, c clockwork.Clock, q *jobs.Enqueuer, o *operations.Store, p Parts) *Redraws {
	r := &Redraws{db: db, parts: p}
	r.Operations = many.New(db, c, q, o, many.Kind[*row]{
		Job: "flows.redraw", About: "redraw", Running: running, Longest: longest, Columns: []string{"items", "checks"},
		Step: r.step,
	})
	return r
}

// Tidy drops what has become of drafts a month later; the journal keeps their changes.
func Tidy() jobs.Tidy { return many.Tidy("flow_redraws") }

func (r *Redraws) start(ctx context.Context, made *row) (Change, error) {
	err := r.Start(ctx, made)
	return made.shown(), err
}

// Get shows a change as it is now. Fault: not_found (404).
func (r *Redraws) Get(ctx context.Context, id string) (Change, error) {
	found, err := r.Operations.Get(ctx, id)
	if err != nil {
		return Change{}, err
	}
	return found.shown(), nil
}

// Names implements many.Row.
func (r *row) Names() []string {
	names := make([]string, len(r.Items))
	for i := range r.Items {
		names[i] = r.Items[i].FlowName
	}
	return names
}

// Leave implements many.Row.
func (r *row) Leave(code, why string) {
	for i := range r.Items {
		if r.Items[i].State == Waiting {
			r.Items[i].leave(code, why)
		}
	}
}

func (i *Item) leave(code, why string) { i.State, i.Code, i.Error = LeftOut, code, why }
