package hosting

import (
	"context"
	"errors"
	"fmt"

	"panel/modules/flows/flowsapi"
	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/operations"
)

// NewReplacement is a machine that is to take the place of another.
type NewReplacement struct {
	NewMachine
	AccountID string `json:"account_id,omitempty" maxLength:"64" doc:"Account where it is made; empty: that of the machine that is replaced"`
}

// ReplacementOrder is a replacement at a price that somebody has seen.
type ReplacementOrder struct {
	NewReplacement
	Price      cloud.Price `json:"price" doc:"From the preview; the machine is made at this price alone"`
	Old        string      `json:"old" enum:"keep,delete" doc:"What becomes of the machine that is replaced"`
	ForceApply bool        `json:"force_apply,omitempty" doc:"Also apply where readiness is not confirmed, as with force_apply of a flow"`
}

// ReplacementQuote is what a replacement would cost and change.
type ReplacementQuote struct {
	Quote
	NodeID   string    `json:"node_id" doc:"The node that is replaced"`
	Sessions *int64    `json:"sessions" doc:"Open ones on the node now, which are cut when their flow moves; null: nobody counts them"`
	Flows    []HitFlow `json:"flows" doc:"That get the new node, by their names"`
	Pools    []HitPool `json:"pools" doc:"Transit pools that get the new node as a member, by their names"`
}

// HitFlow is a flow that a replacement changes.
type HitFlow struct {
	FlowID    string `json:"flow_id" format:"uuid"`
	Name      string `json:"name"`
	Installed bool   `json:"installed" doc:"It is applied; of a flow that is installed nowhere the draft alone changes"`
	ByPool    bool   `json:"by_pool" doc:"It has the node through transit pools alone; its drawing stays as it is"`
	Obstacle  string `json:"obstacle" doc:"Code of what the replacement would be refused with because of it; empty: nothing"`
}

// replacements are the rules about machines that take the place of others.
type replacements struct {
	*orders
	moves    flowsapi.Replacements
	readings nodesapi.Readings
	resting  nodesapi.Maintenance
	flows    flowsapi.Flows
	pools    poolsapi.Replacements
	drive    func(ctx context.Context, id string) error
}

func newReplacements(
	o *orders, f flowsapi.Replacements, r nodesapi.Readings, m nodesapi.Maintenance, installed flowsapi.Flows,
	p poolsapi.Replacements,
) *replacements {
	return &replacements{orders: o, moves: f, readings: r, resting: m, flows: installed, pools: p}
}

// quoted asks what a replacement would cost and change; nothing is made. Faults: not_found (404), not_able,
// hosting_no_node (409), invalid_value (422), those of a provider.
func (r *replacements) quoted(ctx context.Context, accountID, serverID string, in NewReplacement) (
	found ReplacementQuote, err error,
) {
	server, err := r.store.server(ctx, accountID, serverID)
	switch {
	case err != nil:
		return found, err
	case server.node() == "":
		return found, errNoNode
	}
	found.NodeID = server.node()
	by := in.at(accountID)
	if _, err := r.store.account(ctx, by); by != accountID && fault.KindOf(err) == fault.KindMissing && err != nil {
		return found, fault.InvalidValue("account_id", "there is no such account")
	} else if err != nil {
		return found, err
	}
	uses, err := r.moves.UsesOf(ctx, found.NodeID)
	if err != nil {
		return found, err
	}
	found.Flows = hit(uses)
	pools, err := r.pools.With(ctx, found.NodeID)
	if err != nil {
		return found, fmt.Errorf("read the pools of a node: %w", err)
	}
	found.Pools = hitPools(pools)
	if found.Sessions, err = r.sessions(ctx, found.NodeID); err != nil {
		return found, err
	}
	found.Quote, err = r.quote(ctx, by, in.NewMachine)
	return found, err
}

// at is the account where the machine is made.
func (n NewReplacement) at(accountID string) string {
	if n.AccountID == "" {
		return accountID
	}
	return n.AccountID
}

// node is that of a machine, or the one that it was made for; empty: none.
func (r *serverRow) node() string {
	switch {
	case r.NodeID != nil:
		return *r.NodeID
	case r.MadeFor != nil:
		return *r.MadeFor
	}
	return ""
}

func hit(uses []flowsapi.NodeUse) []HitFlow {
	list := []HitFlow{}
	for _, use := range uses {
		one := HitFlow{
			FlowID: use.FlowID, Name: use.Name, Installed: use.Installed, ByPool: !use.Drawn && !use.Placed,
		}
		if use.Open && !one.ByPool { // what pools change is installed without the draft
			one.Obstacle = errOpenDrafts.Code
		}
		list = append(list, one)
	}
	return list
}

var errOpenDrafts = fault.Conflict(flowsapi.CodeOpenDraft,
	"drafts of flows have changes that are not installed; install or undo them first")

// unhindered refuses a replacement that could not move all flows. Fault: draft_not_installed (409).
func unhindered(flows []HitFlow) error {
	var ids []string
	for _, f := range flows {
		if f.Obstacle != "" {
			ids = append(ids, f.FlowID)
		}
	}
	if len(ids) > 0 {
		return errOpenDrafts.With("flow_ids", ids)
	}
	return nil
}

// sessions counts those that are open on a node now; nil where nobody has counted them of late.
func (r *replacements) sessions(ctx context.Context, nodeID string) (*int64, error) {
	newest, err := r.readings.Newest(ctx, nodeID)
	if err != nil {
		return nil, fmt.Errorf("read the sessions of a node: %w", err)
	}
	reading, known := newest[nodeID]
	if !known || !reading.Fresh(r.now()) {
		return nil, nil
	}
	var sum int64
	for _, carried := range reading.Listeners {
		if carried.Sessions != nil {
			sum += *carried.Sessions
		}
	}
	return &sum, nil
}

// start has a machine take the place of another at the price that was confirmed. Faults: not_found (404), not_able,
// hosting_no_node, hosting_price_changed, hosting_order_active, hosting_replacement_active, draft_not_installed,
// name_taken (409), invalid_value (422), those of a provider.
func (r *replacements) start(
	ctx context.Context, accountID, serverID string, in ReplacementOrder,
) (Replacement, error) {
	now, err := r.quoted(ctx, accountID, serverID, in.NewReplacement)
	switch {
	case err != nil:
		return Replacement{}, err
	case now.Price != in.Price:
		return Replacement{}, errPriceChanged.With("price", now.Price)
	}
	if err := errors.Join(unhindered(now.Flows), r.canRemove(ctx, accountID, in.Old)); err != nil {
		return Replacement{}, err
	}
	var row replacementRow
	err = r.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err = r.ordered(ctx, accountID, serverID, in)
		return err
	})
	return row.shown(), err
}

// canRemove refuses to have a machine deleted whose provider is not asked for that. Fault: not_able (409).
func (r *replacements) canRemove(ctx context.Context, accountID, old string) error {
	account, err := r.store.account(ctx, accountID)
	if err != nil || old != oldDelete {
		return err
	}
	if kind := r.providers.Kind(account.Kind); !kind.Can(cloud.CanDelete) {
		return cloud.NotAble(kind)
	}
	return nil
}

// ordered writes down what is to be done, with the order of the new machine, in the transaction of the context.
func (r *replacements) ordered(
	ctx context.Context, accountID, serverID string, in ReplacementOrder,
) (row replacementRow, err error) {
	server, err := r.store.heldServer(ctx, accountID, serverID)
	if err != nil {
		return row, err
	}
	if err := r.unreplaced(ctx, serverID); err != nil {
		return row, err
	}
	if open, err := r.store.openOrder(ctx, serverID); err != nil || open != nil {
		return row, errors.Join(err, active(open))
	}
	made, err := r.order(ctx, in.at(accountID), ServerOrder{
		NewServer: NewServer{NewMachine: in.NewMachine}, Price: in.Price,
	})
	if err != nil {
		return row, err
	}
	caller, now, node := access.From(ctx), r.now(), server.node()
	row = replacementRow{
		ID: database.NewID(), AccountID: accountID, ServerID: &server.ID, Name: server.Name, NodeID: &node,
		ByAccountID: made.AccountID, ByName: made.Name, ByNodeID: made.NodeID, OrderID: &made.ID, Old: in.Old,
		ForceApply: in.ForceApply, State: replaceMaking, StateAt: now, Flows: []ReplacedFlow{}, Pools: []HitPool{},
		StartedBy: caller.Name(), StartedID: caller.AccountID, CreatedAt: now, OperationID: database.NewID(),
	}
	if err := r.store.insertReplacement(ctx, &row); err != nil {
		return row, err
	}
	return row, r.begins(ctx, &row, replaceStarted)
}

func active(open *orderRow) error {
	if open == nil {
		return nil
	}
	return errOrderActive.With("operation_id", open.ID)
}

// unreplaced refuses a machine that is being replaced or takes the place of another. Fault: hosting_replacement_active
// (409).
func (o *orders) unreplaced(ctx context.Context, serverID string) error {
	open, err := o.store.replacing(ctx, serverID)
	if err == nil && open {
		err = errReplacing
	}
	return err
}

// begins has a replacement driven, as a new operation of the context's caller, in the transaction of the context.
func (r *replacements) begins(ctx context.Context, row *replacementRow, kind string) error {
	object := row.object()
	about := operations.About{Type: object.Type, ID: object.ID, Name: object.Name}
	if err := r.follow.Begin(ctx, row.OperationID, "hosting.replace", about, nil); err != nil {
		return err
	}
	if err := r.tell(ctx, kind, row, "", map[string]audit.Change{
		"by": {To: row.ByName}, "old": {To: row.Old}, "force_apply": {To: row.ForceApply},
	}); err != nil {
		return err
	}
	return r.drive(ctx, row.ID)
}

// tell writes the journal's line and emits the event of the same name, in the transaction of the context.
func (r *replacements) tell(
	ctx context.Context, kind string, row *replacementRow, result string, changes map[string]audit.Change,
) error {
	object := row.object()
	recorded := r.journal.Record(ctx, r.store.db.In(ctx), audit.Entry{
		Action: kind, Object: object, Result: result, Changes: changes,
	})
	emitted := r.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: object.ID, At: r.now(), Data: Replaced{Name: row.Name, By: row.ByName, Error: row.Error},
	})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to a replacement: %w", err)
	}
	return nil
}

// cancel undoes a replacement whose flows are all where they were: the new machine is deleted as soon as its provider
// says which it is. Again it changes nothing. Faults: not_found (404), hosting_replacement_late (409).
func (r *replacements) cancel(ctx context.Context, accountID, id string) (row replacementRow, err error) {
	err = r.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err = r.store.heldReplacement(ctx, accountID, id)
		switch {
		case err != nil || row.CancelledAt != nil && row.FinishedAt == nil:
			return err
		case row.State != replaceMaking:
			return errTooLate
		}
		if err := r.store.unwanted(ctx, &row, r.now()); err != nil {
			return err
		}
		if err := r.tell(ctx, replaceUnwanted, &row, "", nil); err != nil {
			return err
		}
		if row.OrderID != nil {
			if err := r.wake(ctx, *row.OrderID); err != nil {
				return err
			}
		}
		return r.drive(ctx, row.ID)
	})
	return row, err
}

// resume goes on with a replacement from where it failed, as the context's caller. Faults: not_found (404),
// hosting_replacement_over, hosting_replacement_active (409).
func (r *replacements) resume(ctx context.Context, accountID, id string) (row replacementRow, err error) {
	err = r.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err = r.store.heldReplacement(ctx, accountID, id)
		switch {
		case err != nil:
			return err
		case row.State != replaceFailed || row.FailedIn == replaceMaking:
			return errNoWayOn
		}
		caller := access.From(ctx)
		row.StartedBy, row.StartedID = caller.Name(), caller.AccountID
		row.goesOn(r.now())
		if err := r.store.updateReplacement(ctx, &row); err != nil {
			return err
		}
		return r.begins(ctx, &row, replaceResumed)
	})
	return row, err
}
