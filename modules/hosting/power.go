package hosting

import (
	"context"
	"fmt"
	"time"

	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// actedWithin is how long a provider may take to switch or delete a machine.
const actedWithin = 10 * time.Minute

var (
	errNodeInUse = fault.Conflict("node_in_use",
		"flows are installed on the node of this machine; change or delete them first")
	errNotThatName = fault.InvalidValue("confirm", "must be the name of the machine")
)

// power has a machine switched. Faults: not_found (404), not_able, hosting_order_active (409).
func (o *orders) power(ctx context.Context, accountID, serverID, act string) (Order, error) {
	return o.have(ctx, accountID, serverID, act, cloud.CanPower, powerOrdered, nil)
}

// remove has a machine deleted at its provider. Asked again while that goes on it gives the same order. Faults:
// not_found (404), not_able, node_in_use, hosting_order_active (409), invalid_value (422).
func (o *orders) remove(ctx context.Context, accountID, serverID, confirm string) (Order, error) {
	return o.have(ctx, accountID, serverID, actDelete, cloud.CanDelete, deleteOrdered,
		func(ctx context.Context, server *serverRow) error {
			if confirm != server.Name {
				return errNotThatName
			}
			if err := o.unreplaced(ctx, server.ID); err != nil {
				return err
			}
			return o.unused(ctx, server)
		})
}

// have orders an act on a machine that is there.
func (o *orders) have(
	ctx context.Context, accountID, serverID, act, ability, kind string, check func(context.Context, *serverRow) error,
) (Order, error) {
	account, err := o.store.account(ctx, accountID)
	if err != nil {
		return Order{}, err
	}
	if of := o.providers.Kind(account.Kind); !of.Can(ability) {
		return Order{}, cloud.NotAble(of)
	}
	var row orderRow
	err = o.store.db.InTx(ctx, func(ctx context.Context) error {
		server, err := o.store.heldServer(ctx, accountID, serverID)
		if err != nil {
			return err
		}
		if check != nil {
			if err := check(ctx, &server); err != nil {
				return err
			}
		}
		row, err = o.begun(ctx, &server, act, kind)
		return err
	})
	return row.shown(), err
}

// begun begins an act on a machine that is held, or gives the same one that goes on already, in the transaction of the
// context. Fault: hosting_order_active (409).
func (o *orders) begun(ctx context.Context, server *serverRow, act, kind string) (orderRow, error) {
	open, err := o.store.openOrder(ctx, server.ID)
	switch {
	case err != nil:
		return orderRow{}, err
	case open != nil && open.Act == act && act != cloud.Reboot:
		return *open, nil
	case open != nil:
		return orderRow{}, errOrderActive.With("operation_id", open.ID)
	}
	row := orderRow{
		ID: database.NewID(), AccountID: server.AccountID, Act: act, Name: server.Name, Region: server.Region,
		Plan: server.Plan, ServerID: &server.ID, ExternalID: server.ExternalID, NodeID: server.NodeID,
	}
	return row, o.begin(ctx, &row, kind, map[string]audit.Change{"act": {To: act}})
}

// openOrder gives what is being done with a machine; nil: nothing.
func (s *store) openOrder(ctx context.Context, serverID string) (*orderRow, error) {
	var list []orderRow
	err := s.db.In(ctx).NewSelect().Model(&list).Where("o.server_id = ? and o.finished_at is null", serverID).Scan(ctx)
	if err != nil || len(list) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &list[0], nil
}

// unused refuses a machine whose node serves flows, or is about to: deleting it would cut them off. Fault: node_in_use
// (409).
func (o *orders) unused(ctx context.Context, server *serverRow) error {
	for _, node := range []*string{server.NodeID, server.MadeFor} {
		if node == nil {
			continue
		}
		installed, err := o.flows.IDsOnNodes(ctx, *node)
		if err != nil {
			return fmt.Errorf("read the flows of a node: %w", err)
		}
		if ids := installed[*node]; len(ids) > 0 {
			return errNodeInUse.With("flow_ids", ids)
		}
		busy, err := o.applies.OnNodes(ctx, *node)
		if err != nil {
			return fmt.Errorf("read the applies on a node: %w", err)
		}
		if busy[*node] {
			return errNodeInUse
		}
	}
	return nil
}

// send asks the provider to switch or delete the machine. Only what may be repeated is asked for again where the
// provider did not say what became of it.
func (d *driven) send(ctx context.Context) (wait time.Duration, err error) {
	if d.row.Act == cloud.Reboot && d.row.SentAt != nil {
		return 0, d.fail(ctx, "it is not known whether the provider has started the machine anew; ask again where it has not")
	}
	if err := d.announce(ctx); err != nil || d.row.FinishedAt != nil {
		return 0, err
	}
	if d.row.Act == actDelete {
		d.row.Action, err = d.client.Remove(ctx, d.row.ExternalID)
	} else {
		d.row.Action, err = d.client.Power(ctx, d.row.ExternalID, d.row.Act)
	}
	switch problem := cloud.ProblemOf(err); {
	case problem != nil && problem.Cause == cloud.NotFound:
		return 0, d.missing(ctx)
	case problem != nil && !problem.Sent:
		d.row.SentAt = nil
		if err := d.write(ctx); err != nil {
			return 0, err
		}
		return 0, problem
	case err != nil:
		return 0, err
	}
	d.enter(orderProvider)
	return 0, d.write(ctx)
}

// announce notes that the provider is about to be asked. A machine that serves flows by now is not deleted.
func (d *driven) announce(ctx context.Context) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if d.row.Act == actDelete && d.row.ServerID != nil {
			server, err := d.store.heldServer(ctx, d.row.AccountID, *d.row.ServerID)
			if err == nil {
				err = d.unused(ctx, &server)
			}
			if refused, is := fault.As(err); is && refused.Kind == fault.KindConflict {
				return d.ended(ctx, orderFailed, refused.Detail, orderWentWrong)
			} else if err != nil && fault.KindOf(err) != fault.KindMissing {
				return err
			}
		}
		d.row.SentAt = d.moment()
		return d.store.updateOrder(ctx, &d.row)
	})
}

// missing ends an order for a machine that is not at the provider any more: what was to be deleted is deleted.
func (d *driven) missing(ctx context.Context) error {
	if d.row.Act != actDelete {
		return d.lost(ctx)
	}
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.store.vanish(ctx, d.row.ServerID); err != nil {
			return err
		}
		return d.ended(ctx, orderDone, "", serverDeleted)
	})
}

// confirm waits until the machine is as it was wanted.
func (d *driven) confirm(ctx context.Context) (wait time.Duration, err error) {
	if done, err := d.acted(ctx, actedWithin); err != nil || !done {
		return lookEvery, err
	}
	now, err := d.client.Server(ctx, d.row.ExternalID)
	if problem := cloud.ProblemOf(err); problem != nil && problem.Cause == cloud.NotFound {
		return 0, d.missing(ctx)
	} else if err != nil {
		return 0, err
	}
	wanted := map[string]string{cloud.PowerOn: cloud.Running, cloud.PowerOff: cloud.Off, cloud.Reboot: cloud.Running}
	if now.Status != wanted[d.row.Act] {
		return lookEvery, d.late(ctx, actedWithin, "the machine is not as it was wanted; look at it at the provider")
	}
	return 0, d.claim.InTx(ctx, func(ctx context.Context) error {
		if d.row.ServerID != nil {
			if err := d.store.seen(ctx, *d.row.ServerID, now); err != nil {
				return err
			}
		}
		return d.ended(ctx, orderDone, "", powerChanged)
	})
}

// seen notes what the provider says of one machine: its state and its addresses.
func (s *store) seen(ctx context.Context, id string, now cloud.Server) error {
	var row serverRow
	if err := s.db.In(ctx).NewSelect().Model(&row).Where("s.id = ?", id).For("UPDATE").Scan(ctx); err != nil {
		return database.Fault(err, nil)
	}
	list, err := rows([]cloud.Server{now}, owners{})
	if err != nil || len(list) == 0 {
		return err
	}
	_, err = s.db.In(ctx).NewRaw(`update hosting_servers set status = ?, ipv4 = ?, ipv6 = ?, updated_at = now(),
		revision = revision + 1 where id = ?`, now.Status, string(list[0].IPv4), string(list[0].IPv6), id).Exec(ctx)
	return database.Fault(err, nil)
}

// vanish notes that a machine is not at its provider any more.
func (s *store) vanish(ctx context.Context, id *string) error {
	if id == nil {
		return nil
	}
	_, err := s.db.In(ctx).NewRaw(`update hosting_servers set gone_at = now(), updated_at = now(),
		revision = revision + 1 where id = ? and gone_at is null`, *id).Exec(ctx)
	return database.Fault(err, nil)
}

// gone says whether the machine of the order has been found to be gone.
func (d *driven) gone(ctx context.Context) (bool, error) {
	if d.row.ServerID == nil {
		return true, nil
	}
	_, err := d.store.server(ctx, d.row.AccountID, *d.row.ServerID)
	if fault.KindOf(err) == fault.KindMissing {
		return true, nil
	}
	return false, err
}

// tokenOrder is the token with which the agent of the machine comes.
func (d *driven) tokenOrder() nodesapi.TokenOrder {
	return nodesapi.TokenOrder{NodeID: *d.row.NodeID, Label: d.row.Name, Lives: agentWithin}
}
