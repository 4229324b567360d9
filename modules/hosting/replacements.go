package hosting

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
)

// States of a replacement.
const (
	replaceMaking    = "making"   // the new machine is made; all serves as before
	replaceMoving    = "moving"   // flow after flow goes to the new node
	replacePooling   = "pooling"  // transit pools get the new node, and the flows that use them
	replaceDraining  = "draining" // no flow is on the old node any more
	replaceRemoving  = "removing" // the old machine is deleted
	replaceUndoing   = "undoing"  // the new machine is deleted, which nobody wants any more
	replaceDone      = "done"
	replaceFailed    = "failed"
	replaceCancelled = "cancelled"
)

// States of a flow in a replacement.
const (
	flowWaiting  = "waiting"
	flowRedrawn  = "redrawn"  // its draft has the new node
	flowCompiled = "compiled" // it has a plan, whose nodes are asked about readiness
	flowApplying = "applying"
	flowMoved    = "moved"
	flowFailed   = "failed"
)

// What becomes of the old machine.
const (
	oldKeep   = "keep"
	oldDelete = "delete"
)

// ReplacedFlow is a flow that gets the new node.
type ReplacedFlow struct {
	FlowID    string    `json:"flow_id" format:"uuid"`
	Name      string    `json:"name"`
	Installed bool      `json:"installed" doc:"It is applied; of a flow that is installed nowhere the draft alone changes"`
	State     string    `json:"state" enum:"waiting,redrawn,compiled,applying,moved,failed"`
	Revision  int       `json:"revision" doc:"Of the draft with the new node; 0: there is none"`
	PlanID    string    `json:"plan_id" doc:"Empty: none"`
	ApplyID   string    `json:"apply_id" doc:"Empty: none"`
	Error     string    `json:"error"`
	Since     time.Time `json:"since" doc:"When it came into its state"`
}

// ReplacementStep is how far a part of a replacement is.
type ReplacementStep struct {
	Step  string `json:"step" enum:"machine,flows,pools,drain,old" doc:"machine: the new one is made; flows: they go to its node; pools: it takes the place of the old one in transit pools; drain: the old node gets no new traffic; old: the old machine is deleted"`
	State string `json:"state" enum:"waiting,running,done,failed,skipped"`
	Done  int    `json:"done" doc:"Of flows: how many have moved"`
	Total int    `json:"total"`
}

// Replacement is a machine that takes the place of another.
type Replacement struct {
	ID          string            `json:"id" format:"uuid"`
	AccountID   string            `json:"account_id" format:"uuid" doc:"Of the machine that is replaced"`
	OperationID string            `json:"operation_id" format:"uuid"`
	State       string            `json:"state" enum:"making,moving,pooling,draining,removing,undoing,done,failed,cancelled"`
	FailedIn    string            `json:"failed_in" doc:"State in which it failed, from which it can be continued; empty: it did not"`
	Error       string            `json:"error"`
	Name        string            `json:"name" doc:"Of the machine that is replaced"`
	ServerID    *string           `json:"server_id"`
	NodeID      *string           `json:"node_id" doc:"The node that is replaced"`
	ByAccountID string            `json:"by_account_id" format:"uuid"`
	ByName      string            `json:"by_name" doc:"Of the new machine"`
	ByNodeID    *string           `json:"by_node_id" doc:"The node that takes its place"`
	OrderID     *string           `json:"order_id" doc:"Order that makes the new machine"`
	RemovalID   *string           `json:"removal_id" doc:"Order that deletes one of the two; null: none does"`
	Old         string            `json:"old" enum:"keep,delete"`
	ForceApply  bool              `json:"force_apply"`
	Steps       []ReplacementStep `json:"steps"`
	Flows       []ReplacedFlow    `json:"flows"`
	Pools       []HitPool         `json:"pools" doc:"Transit pools that have got the new node"`
	StartedBy   string            `json:"started_by"`
	CreatedAt   time.Time         `json:"created_at"`
	FinishedAt  *time.Time        `json:"finished_at"`
}

// replacementRow is a replacement as the table keeps it.
type replacementRow struct {
	bun.BaseModel `bun:"table:hosting_replacements,alias:r"`

	ID          string         `bun:"id,pk,type:uuid"`
	AccountID   string         `bun:"account_id,type:uuid"`
	ServerID    *string        `bun:"server_id,type:uuid"`
	Name        string         `bun:"name"`
	NodeID      *string        `bun:"node_id,type:uuid"`
	ByAccountID string         `bun:"by_account_id,type:uuid"`
	ByName      string         `bun:"by_name"`
	ByNodeID    *string        `bun:"by_node_id,type:uuid"`
	OrderID     *string        `bun:"order_id,type:uuid"`
	RemovalID   *string        `bun:"removal_id,type:uuid"`
	Old         string         `bun:"old"`
	ForceApply  bool           `bun:"force_apply"`
	State       string         `bun:"state"`
	FailedIn    string         `bun:"failed_in"`
	Flows       []ReplacedFlow `bun:"flows,type:jsonb"`
	Pools       []HitPool      `bun:"pools,type:jsonb"`
	PooledAt    *time.Time     `bun:"pooled_at"`
	AskedAt     *time.Time     `bun:"asked_at"`
	Error       string         `bun:"error"`
	OperationID string         `bun:"operation_id,type:uuid"`
	StateAt     time.Time      `bun:"state_at"`
	CancelledAt *time.Time     `bun:"cancelled_at"`
	StartedBy   string         `bun:"started_by"`
	StartedID   string         `bun:"started_id"`
	CreatedAt   time.Time      `bun:"created_at"`
	FinishedAt  *time.Time     `bun:"finished_at"`
	SortKey     string         `bun:"sort_key,scanonly"`
}

func (r *replacementRow) shown() Replacement {
	return Replacement{
		ID: r.ID, AccountID: r.AccountID, OperationID: r.OperationID, State: r.State, FailedIn: r.FailedIn,
		Error: r.Error, Name: r.Name, ServerID: r.ServerID, NodeID: r.NodeID, ByAccountID: r.ByAccountID,
		ByName: r.ByName, ByNodeID: r.ByNodeID, OrderID: r.OrderID, RemovalID: r.RemovalID, Old: r.Old,
		ForceApply: r.ForceApply, Steps: r.steps(), Flows: append([]ReplacedFlow{}, r.Flows...),
		Pools: append([]HitPool{}, r.Pools...), StartedBy: r.StartedBy, CreatedAt: r.CreatedAt.UTC(),
		FinishedAt: utc(r.FinishedAt),
	}
}

// object is the machine that is replaced.
func (r *replacementRow) object() audit.Object {
	object := audit.Object{Type: objectServer, ID: r.ID, Name: r.Name}
	if r.ServerID != nil {
		object.ID = *r.ServerID
	}
	return object
}

// moved counts the flows that have the new node.
func (r *replacementRow) moved() (n int) {
	for _, f := range r.Flows {
		if f.State == flowMoved {
			n++
		}
	}
	return n
}

// at is the state in which the replacement is, or was when it ended.
func (r *replacementRow) at() string {
	if r.FailedIn != "" {
		return r.FailedIn
	}
	return r.State
}

var replacementSteps = map[string]string{
	"machine": replaceMaking, "flows": replaceMoving, "pools": replacePooling, "drain": replaceDraining, "old": replaceRemoving,
}

// steps tells how far each part is.
func (r *replacementRow) steps() []ReplacementStep {
	order := []string{replaceMaking, replaceMoving, replacePooling, replaceDraining, replaceRemoving, replaceDone}
	now := slices.Index(order, r.at())
	list := []ReplacementStep{}
	for i, name := range []string{"machine", "flows", "pools", "drain", "old"} {
		step := ReplacementStep{Step: name, State: "waiting"}
		switch {
		case now < 0 && i > 0, name == "old" && r.Old == oldKeep: // cancelled or undone; nothing is deleted
			step.State = "skipped"
		case now < 0 || i < now:
			step.State = "done"
		case replacementSteps[name] == r.FailedIn:
			step.State = "failed"
		case i == now:
			step.State = "running"
		}
		if name == "flows" {
			step.Done, step.Total = r.moved(), len(r.Flows)
		}
		list = append(list, step)
	}
	return list
}

// percent is how far a replacement is, given how far the order is that makes its machine.
func (r *replacementRow) percent(order *orderRow) int {
	const half, flows, pooling, draining, removing = 2, 35, 85, 90, 95
	switch r.State {
	case replaceMaking:
		return order.percent() / half
	case replaceMoving:
		return pooling - flows + flows*r.moved()/max(1, len(r.Flows))
	case replacePooling:
		return pooling
	case replaceRemoving:
		return removing
	}
	return draining
}

var (
	errReplacing = fault.Conflict("hosting_replacement_active",
		"this machine is being replaced, or takes the place of another")
	errTooLate = fault.Conflict("hosting_replacement_late",
		"flows go to the new machine already, or it is over; it can only be brought to its end")
	errNoWayOn = fault.Conflict("hosting_replacement_over", "only what has failed after the new machine was made goes on")
	errNoNode  = fault.Conflict("hosting_no_node", "the machine is no node of the panel; delete it instead")
)

var replacementConstraints = map[string]*fault.Fault{"hosting_replacements_server": errReplacing}

// replacement gives one. Fault: not_found (404).
func (s *store) replacement(ctx context.Context, id string) (row replacementRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("r.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// heldReplacement gives one of an account and keeps it as it is until the end of the transaction. Fault: not_found
// (404).
func (s *store) heldReplacement(ctx context.Context, accountID, id string) (row replacementRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("r.id = ? and r.account_id = ?", id, accountID).For("UPDATE").
		Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insertReplacement(ctx context.Context, row *replacementRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, replacementConstraints)
}

func (s *store) updateReplacement(ctx context.Context, row *replacementRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("removal_id", "state", "failed_in", "flows", "pools",
		"pooled_at", "asked_at", "error", "operation_id", "state_at", "started_by", "started_id", "finished_at").WherePK().Exec(ctx)
	return database.Fault(err, replacementConstraints)
}

// replacing says whether a machine is being replaced, or made to take the place of another.
func (s *store) replacing(ctx context.Context, serverID string) (open bool, err error) {
	err = s.db.In(ctx).NewRaw(`select exists (select from hosting_replacements r
		left join hosting_orders o on o.id = r.order_id
		where r.finished_at is null and ? in (r.server_id, o.server_id))`, serverID).Scan(ctx, &open)
	return open, database.Fault(err, nil)
}

// unwanted notes that nobody wants the machine of a replacement any more, on the order that makes it too.
func (s *store) unwanted(ctx context.Context, row *replacementRow, at time.Time) error {
	_, err := s.db.In(ctx).NewRaw(`with r as (update hosting_replacements set cancelled_at = ?0 where id = ?1)
		update hosting_orders set cancelled_at = ?0 where id = ?2 and finished_at is null`, at, row.ID, row.OrderID).
		Exec(ctx)
	return database.Fault(err, nil)
}

var replacementOrders = map[string]keyset.Order{
	"created_at": {Expression: "r.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) replacements(ctx context.Context, accountID string, query httpapi.PageQuery) (
	page httpapi.Page[Replacement], err error,
) {
	k, err := keyset.New(query, "r.id", "-created_at", replacementOrders)
	if err != nil {
		return page, err
	}
	var rows []replacementRow
	of := func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("r.account_id = ?", accountID) }
	list := of(s.db.In(ctx).NewSelect().Model(&rows)).ColumnExpr("?TableColumns")
	if err := k.Apply(list, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list replacements: %w", err), nil)
	}
	total, err := of(s.db.In(ctx).NewSelect().Model((*replacementRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count replacements: %w", err), nil)
	}
	last := func(r *replacementRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*replacementRow).shown, last), nil
}

// tidyReplacements lets replacements go that have been over for long; the journal keeps what was done.
var tidyReplacements = jobs.Tidy{
	Table: "hosting_replacements", Column: "created_at", Age: 90 * 24 * time.Hour, Unless: "finished_at is null",
}
