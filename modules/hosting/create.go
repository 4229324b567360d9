package hosting

import (
	"context"
	"errors"
	"slices"
	"time"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// NewMachine is what a machine is to be like.
type NewMachine struct {
	Name   string `json:"name" minLength:"3" maxLength:"63" pattern:"^[a-z0-9][a-z0-9-]*[a-z0-9]$" patternDescription:"small letters, digits and dashes" doc:"Also its host name, and the name of its node where that is added"`
	Region string `json:"region" minLength:"1" maxLength:"64" doc:"One of GET …/regions"`
	Plan   string `json:"plan" minLength:"1" maxLength:"64" doc:"One of GET …/plans"`
	Image  string `json:"image" minLength:"1" maxLength:"128" doc:"One of GET …/images"`
}

// NewServer is a machine that is to be made.
type NewServer struct {
	NewMachine
	NodeID string `json:"node_id,omitempty" maxLength:"64" doc:"Node that the machine becomes, whose agent is not online; empty: one is added"`
}

// ServerOrder is a machine that is to be made at a price that somebody has seen.
type ServerOrder struct {
	NewServer
	Price cloud.Price `json:"price" doc:"From the preview; the machine is made at this price alone"`
}

// Quote is what a machine would cost.
type Quote struct {
	Price cloud.Price `json:"price" doc:"To be sent along with the order"`
	Plan  cloud.Plan  `json:"plan"`
	Image cloud.Image `json:"image"`
}

var errPriceChanged = fault.Conflict("hosting_price_changed", "the machine costs something else now; look at the price again")

// preview asks the provider what a machine would cost; nothing is made. Faults: not_found (404), not_able (409),
// invalid_value (422), those of a provider.
func (o *orders) preview(ctx context.Context, accountID string, in NewServer) (Quote, error) {
	if _, err := o.store.account(ctx, accountID); err != nil {
		return Quote{}, err
	}
	if err := o.checkNode(ctx, in.NodeID); err != nil {
		return Quote{}, err
	}
	return o.quote(ctx, accountID, in.NewMachine)
}

// quote asks the provider what a machine would cost.
func (o *orders) quote(ctx context.Context, accountID string, in NewMachine) (Quote, error) {
	return ask(ctx, o.accounts, accountID, cloud.CanCreate,
		func(c *cloud.Client, ctx context.Context) (Quote, error) { return quote(ctx, c, in) })
}

func quote(ctx context.Context, c *cloud.Client, in NewMachine) (found Quote, err error) {
	plans, err := c.Plans(ctx, in.Region)
	if err != nil {
		return found, err
	}
	at := slices.IndexFunc(plans, func(p cloud.Plan) bool { return p.ID == in.Plan })
	if at < 0 || plans[at].Price == nil {
		return found, fault.InvalidValue("plan", "cannot be had there now")
	}
	images, err := c.Images(ctx)
	if err != nil {
		return found, err
	}
	system := slices.IndexFunc(images, func(i cloud.Image) bool { return i.ID == in.Image })
	if system < 0 {
		return found, fault.InvalidValue("image", "must be one of the images of the provider")
	}
	return Quote{Price: *plans[at].Price, Plan: plans[at], Image: images[system]}, nil
}

// checkNode refuses a node that has a machine already. Fault: invalid_value (422).
func (o *orders) checkNode(ctx context.Context, nodeID string) error {
	if nodeID == "" {
		return nil
	}
	if !database.IsID(nodeID) {
		return fault.InvalidValue("node_id", "there is no such node")
	}
	node, err := o.fleet.Node(ctx, nodeID)
	switch {
	case err != nil:
		return fault.InvalidValue("node_id", "there is no such node").Wrap(err)
	case node.Online:
		return fault.InvalidValue("node_id", "the node has a machine whose agent is online")
	}
	return nil
}

// create orders a machine at the price that was confirmed. Faults: not_found (404), not_able, hosting_price_changed,
// name_taken (409), invalid_value (422), those of a provider.
func (o *orders) create(ctx context.Context, accountID string, in ServerOrder) (Order, error) {
	now, err := o.preview(ctx, accountID, in.NewServer)
	if err != nil {
		return Order{}, err
	}
	if now.Price != in.Price {
		return Order{}, errPriceChanged.With("price", now.Price)
	}
	var row *orderRow
	err = o.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err = o.order(ctx, accountID, in)
		return err
	})
	if err != nil {
		return Order{}, err
	}
	return row.shown(), nil
}

// order writes down that a machine is to be made, with its node, in the transaction of the context.
func (o *orders) order(ctx context.Context, accountID string, in ServerOrder) (*orderRow, error) {
	taken, err := o.store.named(ctx, accountID, in.Name)
	switch {
	case err != nil:
		return nil, err
	case taken:
		return nil, fault.Conflict("name_taken", "the account has a machine of this name")
	}
	node := in.NodeID
	if node == "" {
		if node, err = o.enrollment.Add(ctx, in.Name); err != nil {
			return nil, err
		}
	}
	row := &orderRow{
		ID: database.NewID(), AccountID: accountID, Act: actCreate, Name: in.Name, Region: in.Region, Plan: in.Plan,
		Image: in.Image, PriceAmount: &in.Price.Amount, PriceCurrency: in.Price.Currency,
		PricePeriod: in.Price.Period, NodeID: &node,
	}
	return row, o.begin(ctx, row, serverOrdered, map[string]audit.Change{
		"account_id": {To: accountID}, "region": {To: in.Region}, "plan": {To: in.Plan}, "image": {To: in.Image},
		"price": {To: textOf(&in.Price)}, "node_id": {To: node},
	})
}

// named says whether an account has a machine of a name.
func (s *store) named(ctx context.Context, accountID, name string) (taken bool, err error) {
	err = s.db.In(ctx).NewRaw(`select exists (select from hosting_servers
		where account_id = ? and name = ? and gone_at is null)`, accountID, name).Scan(ctx, &taken)
	return taken, database.Fault(err, nil)
}

// Bounds of a machine that is made.
const (
	// lookFor is how long a machine is looked for at its provider whose answer did not come, before it is asked for
	// again. It is much longer than a call lasts.
	lookFor     = 2 * time.Minute
	lookEvery   = 5 * time.Second
	madeWithin  = 20 * time.Minute
	agentWithin = time.Hour // the life of the token
)

// errUnwanted is why an order ends whose machine nobody wants any more.
const errUnwanted = "the machine is not wanted any more"

// make asks the provider for the machine, unless one with the mark of the order is there. What was sent once is sent
// again only after the machine could not be found there for long.
func (d *driven) make(ctx context.Context) (wait time.Duration, err error) {
	if d.row.NodeID == nil {
		return 0, d.fail(ctx, "the node that the machine was to become was deleted")
	}
	if d.row.SentAt == nil && d.row.CancelledAt != nil {
		return 0, d.fail(ctx, errUnwanted)
	}
	if d.row.SentAt != nil {
		found, err := d.client.Marked(ctx, cloud.Mark(d.row.ID))
		switch {
		case err != nil:
			return 0, err
		case len(found) > 0:
			return 0, d.adopt(ctx, cloud.Made{Server: found[0]})
		case d.now().Sub(*d.row.SentAt) < lookFor:
			return lookEvery, nil
		}
	}
	script, err := d.invite(ctx)
	if err != nil {
		return 0, err
	}
	made, err := d.client.Create(ctx, cloud.NewServer{
		Name: d.row.Name, Region: d.row.Region, Plan: d.row.Plan, Image: d.row.Image, Mark: cloud.Mark(d.row.ID),
		Script: script,
	})
	if err != nil {
		return 0, d.notMade(ctx, err)
	}
	return 0, d.adopt(ctx, made)
}

// invite issues the token with which the agent of the machine comes, and notes that the provider is about to be asked:
// both are there before it is. A token of an earlier attempt ends.
func (d *driven) invite(ctx context.Context) (script string, err error) {
	err = d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.revoke(ctx); err != nil {
			return err
		}
		token, err := d.enrollment.Issue(ctx, d.tokenOrder())
		if err != nil {
			return err
		}
		script = "#!/bin/sh\n" + token.Command + "\n"
		d.row.TokenID = token.ID
		d.row.SentAt = d.moment()
		return d.store.updateOrder(ctx, &d.row)
	})
	return script, err
}

// notMade goes by what the provider said: where it may have made the machine, that is looked for with the next step;
// where it surely has not, the next step asks anew or the order ends.
func (d *driven) notMade(ctx context.Context, err error) error {
	problem := cloud.ProblemOf(err)
	if problem == nil || problem.Sent {
		return err
	}
	d.row.SentAt = nil
	return errors.Join(err, d.write(ctx))
}

// adopt takes over the machine that the provider has made.
func (d *driven) adopt(ctx context.Context, made cloud.Made) error {
	list, err := rows([]cloud.Server{made.Server}, owners{})
	if err != nil || len(list) == 0 {
		return d.fail(ctx, "the provider did not say which machine it has made")
	}
	list[0].NodeID = d.row.NodeID
	if list[0].PriceAmount == nil {
		list[0].setPrice(d.row.shown().Price)
	}
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.store.put(ctx, d.row.AccountID, list); err != nil {
			return err
		}
		id, err := d.store.madeFor(ctx, d.row.AccountID, made.Server.ID, d.row.NodeID)
		if err != nil {
			return err
		}
		d.row.ServerID, d.row.ExternalID, d.row.Action = &id, made.Server.ID, made.Action
		d.enter(orderProvider)
		return d.store.updateOrder(ctx, &d.row)
	})
}

// madeFor notes which node a machine is made for, and gives the id of the machine.
func (s *store) madeFor(ctx context.Context, accountID, externalID string, nodeID *string) (id string, err error) {
	err = s.db.In(ctx).NewRaw(`update hosting_servers set made_for = ?, node_id = ?, updated_at = now()
		where account_id = ? and external_id = ? returning id`, nodeID, nodeID, accountID, externalID).Scan(ctx, &id)
	return id, database.Fault(err, nil)
}

// started waits until the machine runs.
func (d *driven) started(ctx context.Context) (wait time.Duration, err error) {
	if done, err := d.acted(ctx, madeWithin); err != nil || !done {
		return lookEvery, err
	}
	now, err := d.client.Server(ctx, d.row.ExternalID)
	if problem := cloud.ProblemOf(err); problem != nil && problem.Cause == cloud.NotFound {
		return 0, d.lost(ctx)
	} else if err != nil {
		return 0, err
	}
	if now.Status != cloud.Running {
		return lookEvery, d.late(ctx, madeWithin, "the machine did not start; look at it at the provider")
	}
	return 0, d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.store.seen(ctx, *d.row.ServerID, now); err != nil {
			return err
		}
		d.enter(orderAgent)
		return d.store.updateOrder(ctx, &d.row)
	})
}

// enrolled waits until the agent of the machine has come.
func (d *driven) enrolled(ctx context.Context) (wait time.Duration, err error) {
	const every = 2 * time.Second
	if d.row.CancelledAt != nil {
		return 0, d.fail(ctx, errUnwanted)
	}
	if d.row.NodeID == nil {
		return 0, d.fail(ctx, "the node that the machine was to become was deleted; the machine is still there")
	}
	switch gone, err := d.gone(ctx); {
	case err != nil:
		return 0, err
	case gone:
		return 0, d.lost(ctx)
	}
	node, err := d.fleet.Node(ctx, *d.row.NodeID)
	if err != nil {
		return 0, err
	}
	if node.Online && d.row.SentAt != nil && node.SeenAt.After(*d.row.SentAt) {
		return 0, d.finish(ctx, serverMade)
	}
	return every, d.late(ctx, agentWithin, "the agent did not come within an hour; the machine is still there")
}
