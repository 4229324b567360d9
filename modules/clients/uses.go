package clients

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// give lets a client use a flow, with a new secret where it had none. Fault: not_found (404).
func (c *clients) give(ctx context.Context, id, flowID string) (Client, error) {
	before, err := c.store.get(ctx, id)
	if err != nil {
		return Client{}, err
	}
	if !database.IsID(flowID) {
		return Client{}, errNoFlow
	}
	uses, err := c.store.access(ctx, id, flowID)
	if err != nil {
		return Client{}, err
	}
	if uses != nil && uses.RevokedAt == nil {
		return c.get(ctx, id)
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.flows.changed(ctx, flowID, clientsapi.FlowClientAdded, before.Label); err != nil {
			return err
		}
		row, err := c.living(ctx, id)
		if err != nil {
			return err
		}
		if err := c.grant(ctx, id, flowID); err != nil {
			return err
		}
		return c.used(ctx, row, map[string]audit.Change{"flow": {To: flowID}})
	})
	if err != nil {
		return Client{}, database.Fault(err, nil)
	}
	return c.get(ctx, id)
}

// living locks a client that was not revoked. Fault: not_found (404).
func (c *clients) living(ctx context.Context, id string) (*clientRow, error) {
	row, err := c.store.lock(ctx, id)
	if err == nil && row.RevokedAt != nil {
		return nil, fault.Missing("this client was revoked")
	}
	return row, err
}

// grant gives an access; one that was revoked comes back with another secret.
func (c *clients) grant(ctx context.Context, id, flowID string) error {
	before, err := c.store.access(ctx, id, flowID)
	if err != nil {
		return err
	}
	if before == nil {
		return c.insertAccess(ctx, id, flowID)
	}
	if before.RevokedAt == nil {
		return nil
	}
	row, err := c.newAccess(id, flowID)
	if err != nil {
		return err
	}
	row.Generation = before.Generation + 1
	return c.store.updateAccess(ctx, row)
}

func (c *clients) used(ctx context.Context, row *clientRow, changes map[string]audit.Change) error {
	if err := c.touched(ctx, row); err != nil {
		return err
	}
	if err := c.relistUses(ctx, row.ID); err != nil {
		return err
	}
	return c.publish(ctx, clientsapi.EventUpdated, row, changes)
}

// take ends a client's use of a flow. Fault: not_found (404).
func (c *clients) take(ctx context.Context, id, flowID string) error {
	before, err := c.store.get(ctx, id)
	if err != nil {
		return err
	}
	if !database.IsID(flowID) {
		return errNoFlow
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.flows.changed(ctx, flowID, clientsapi.FlowClientRevoked, before.Label); err != nil {
			return err
		}
		row, err := c.living(ctx, id)
		if err != nil {
			return err
		}
		ended, err := c.store.end(ctx, id, flowID, c.now())
		if err != nil {
			return err
		}
		if len(ended) == 0 {
			return fault.Missing("this client does not use the flow")
		}
		return c.used(ctx, row, map[string]audit.Change{"flow": {From: flowID}})
	})
	return database.Fault(err, nil)
}

// revoke ends a client for good: its links and its subscription at once. Fault: not_found (404).
func (c *clients) revoke(ctx context.Context, id string) error {
	before, err := c.store.get(ctx, id)
	if err != nil {
		return err
	}
	if before.RevokedAt != nil {
		return fault.Missing("this client was revoked")
	}
	uses, err := c.store.uses(ctx, id)
	if err != nil {
		return err
	}
	return c.revokeFrom(ctx, before, flowsOf(uses[id]))
}

// revokeFrom revokes a client that uses these flows; whoever gave it another one meanwhile is told.
func (c *clients) revokeFrom(ctx context.Context, before *clientRow, flowIDs []string) error {
	err := c.store.db.InTx(ctx, func(ctx context.Context) error {
		for _, flowID := range flowIDs {
			if err := c.flows.changed(ctx, flowID, clientsapi.FlowClientRevoked, before.Label); err != nil {
				return err
			}
		}
		row, err := c.living(ctx, before.ID)
		if err != nil {
			return err
		}
		now := c.now()
		row.RevokedAt, row.PublicHash, row.PublicIssuedAt = &now, nil, nil
		ended, err := c.store.end(ctx, row.ID, "", now)
		if err != nil {
			return err
		}
		if slices.Sort(ended); !slices.Equal(ended, flowIDs) {
			return httpapi.ErrRevision
		}
		if err := c.touched(ctx, row); err != nil {
			return err
		}
		if err := c.relistOf(ctx, flowIDs, []string{row.ID}); err != nil {
			return err
		}
		return c.publish(ctx, clientsapi.EventRevoked, row, nil)
	})
	return database.Fault(err, nil)
}

// flowsOf gives the flows of accesses by their ids.
func flowsOf(uses []accessRow) []string {
	ids := make([]string, len(uses))
	for i := range uses {
		ids[i] = uses[i].FlowID
	}
	slices.Sort(ids)
	return ids
}

// takeFrom ends what a flow's page calls a client: its use of the flow, and the client with the last of them.
func (c *clients) takeFrom(ctx context.Context, flowID, id string) error {
	uses, err := c.store.uses(ctx, database.OnlyIDs([]string{id})...)
	if err != nil {
		return err
	}
	ids := flowsOf(uses[id])
	switch {
	case !slices.Contains(ids, flowID):
		return missing()
	case len(ids) > 1:
		return c.take(ctx, id, flowID)
	}
	return c.revoke(ctx, id)
}

// acts is clientsapi.Acts.
type acts struct{ *clients }

func exportActs(c *clients) clientsapi.Acts { return acts{c} }

// Narrow limits a client where it is not limited as far already.
func (a acts) Narrow(
	ctx context.Context, id string, to clientsapi.Limits,
) (before, after clientsapi.Limits, err error) {
	err = a.limit(ctx, id, func(now Limits) Limits {
		before = clientsapi.Limits(now)
		now.SpeedMbps = narrower(now.SpeedMbps, to.SpeedMbps)
		now.Addresses = narrower(now.Addresses, to.Addresses)
		after = clientsapi.Limits(now)
		return now
	})
	return before, after, err
}

// narrower is the limit that leaves less; 0 is none.
func narrower(one, other int) int {
	if one == 0 || other == 0 {
		return max(one, other)
	}
	return min(one, other)
}

// Widen gives limits back that nobody has changed since they were set.
func (a acts) Widen(ctx context.Context, id string, set, before clientsapi.Limits) error {
	return a.limit(ctx, id, func(now Limits) Limits {
		if now.SpeedMbps == set.SpeedMbps {
			now.SpeedMbps = before.SpeedMbps
		}
		if now.Addresses == set.Addresses {
			now.Addresses = before.Addresses
		}
		return now
	})
}

func (a acts) limit(ctx context.Context, id string, to func(now Limits) Limits) error {
	if !database.IsID(id) {
		return missing()
	}
	err := a.edit(ctx, id, nil, func(row *clientRow) (map[string]audit.Change, error) {
		limits := to(row.Limits)
		if limits == row.Limits {
			return nil, errSame
		}
		return row.changed(Change{Limits: &limits}, a.now())
	})
	if errors.Is(err, errSame) {
		return nil
	}
	return err
}

// errSame ends a change that would change nothing.
var errSame = errors.New("nothing would change")

// Take ends a client's use of flows.
func (a acts) Take(ctx context.Context, id string, flowIDs ...string) (taken []clientsapi.Taken, err error) {
	if !database.IsID(id) {
		return nil, missing()
	}
	uses, err := a.store.uses(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, use := range uses[id] {
		if len(flowIDs) == 0 || slices.Contains(flowIDs, use.FlowID) {
			taken = append(taken, clientsapi.Taken{FlowID: use.FlowID, Ref: use.ref()})
		}
	}
	return taken, a.turn(ctx, id, taken, clientsapi.FlowClientRevoked, a.store.ends)
}

// GiveBack lets a client use flows again with the secrets that it had.
func (a acts) GiveBack(ctx context.Context, id string, taken ...clientsapi.Taken) error {
	if !database.IsID(id) {
		return missing()
	}
	return a.turn(ctx, id, slices.Clone(taken), clientsapi.FlowClientAdded, a.store.begins)
}

// turn takes flows from a client or gives them back: the flows are locked before the client, in the sequence of their
// ids, as whoever revokes a client does.
func (a acts) turn(
	ctx context.Context, id string, flows []clientsapi.Taken, change string,
	do func(ctx context.Context, id string, flow clientsapi.Taken, now time.Time) (bool, error),
) error {
	slices.SortFunc(flows, func(x, y clientsapi.Taken) int { return strings.Compare(x.FlowID, y.FlowID) })
	before, err := a.store.get(ctx, id)
	if err != nil {
		return err
	}
	err = a.store.db.InTx(ctx, func(ctx context.Context) error {
		var there []clientsapi.Taken
		for _, one := range flows {
			err := a.flows.changed(ctx, one.FlowID, change, before.Label)
			if errors.Is(err, errNoFlow) { // it goes, or has gone
				continue
			}
			if err != nil {
				return err
			}
			there = append(there, one)
		}
		row, err := a.living(ctx, id)
		if err != nil {
			return err
		}
		turned := []string{}
		for _, one := range there {
			did, err := do(ctx, id, one, a.now())
			if err != nil {
				return err
			}
			if did {
				turned = append(turned, one.FlowID)
			}
		}
		if len(turned) == 0 {
			return nil
		}
		said := audit.Change{To: turned}
		if change == clientsapi.FlowClientRevoked {
			said = audit.Change{From: turned}
		}
		return a.used(ctx, row, map[string]audit.Change{"flows": said})
	})
	return database.Fault(err, nil)
}
