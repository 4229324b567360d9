package acts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Order is what somebody wants done about the user of a case.
type Order struct {
	Kind      string     `json:"kind" enum:"warn,limit,drop_sessions,block_ips,revoke,disable_user"`
	Until     *time.Time `json:"until,omitempty" doc:"When it ends by itself; or give minutes"`
	Minutes   int        `json:"minutes,omitempty" minimum:"1" maximum:"527040" doc:"After how many minutes it ends by itself. Left out: a day, and revoke holds until it is undone"`
	Reason    string     `json:"reason" minLength:"1" maxLength:"500" doc:"For those who read it later"`
	Networks  []string   `json:"networks,omitempty" maxItems:"200" doc:"Of block_ips: addresses or networks; left out: the addresses that signals of the last day name"`
	FlowIDs   []string   `json:"flow_ids,omitempty" maxItems:"200" doc:"Of revoke: only these flows; left out: all that the client uses"`
	SpeedMbps int        `json:"speed_mbps,omitempty" minimum:"1" maximum:"100000" doc:"Of limit: Mbit/s in each direction on each node; left out: 2"`
	Addresses int        `json:"addresses,omitempty" minimum:"1" maximum:"1000" doc:"Of limit: addresses from which a node is used at once; left out: 1"`
}

const (
	usualTime      = 24 * time.Hour
	longestTime    = 366 * 24 * time.Hour
	usualSpeed     = 2 // Mbit/s
	usualAddresses = 1
	// orderLimit is how long nodes have for an answer.
	orderLimit = 2 * time.Minute
)

// Do does something about the user of a case, and gives the act. Faults: not_found (404), those of Faults (409),
// invalid_value (422).
func (a *Acts) Do(ctx context.Context, caseID string, o Order) (out cases.Action, err error) {
	var safe *blocks.Guards
	if o.Kind == BlockIPs {
		if safe, err = a.Blocks.Guards(ctx); err != nil {
			return out, err
		}
	}
	err = a.DB.InTx(ctx, func(ctx context.Context) error {
		c, err := a.Cases.Hold(ctx, caseID)
		if err != nil {
			return err
		}
		r, err := a.do(ctx, &c, &o, safe, false)
		if err != nil {
			return err
		}
		out, err = a.get(ctx, r.ID)
		return err
	})
	return out, err
}

// do does it in the transaction of the context, which holds the case.
func (a *Acts) do(
	ctx context.Context, c *cases.Held, o *Order, safe *blocks.Guards, automatic bool,
) (*row, error) {
	r := a.newRow(ctx, c, o, automatic)
	if err := r.ends(o); err != nil {
		return nil, err
	}
	switch {
	case o.Kind == DisableUser && !lives(r.UserRef):
		return nil, errSlot
	case !c.Live():
		return nil, errClosed
	}
	if _, err := a.DB.In(ctx).NewInsert().Model(r).Exec(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("store an act: %w", err), map[string]*fault.Fault{"abuse_actions_once": errActive})
	}
	if err := a.begin(ctx, r, c, o, safe); err != nil {
		return nil, err
	}
	if err := a.save(ctx, r); err != nil {
		return nil, err
	}
	if r.State == Active {
		if err := a.Cases.Actioned(ctx, c.ID); err != nil {
			return nil, err
		}
		if err := a.endsAt(ctx, r.Until); err != nil {
			return nil, err
		}
	}
	return r, a.publish(ctx, EventActioned, r, c.Number)
}

func (a *Acts) newRow(ctx context.Context, c *cases.Held, o *Order, automatic bool) *row {
	return &row{
		ID: database.NewID(), CaseID: &c.ID, UserRef: c.UserRef, Label: c.Label, Kind: o.Kind, State: Active,
		Automatic: automatic, ByName: access.From(ctx).Name(), Reason: strings.TrimSpace(o.Reason), StartedAt: a.now(),
		Result: cases.Result{Nodes: []cases.NodeResult{}, Networks: []string{}, Flows: []cases.Named{}},
	}
}

// ends says when an act is over. Fault: invalid_value (422).
func (r *row) ends(o *Order) error {
	until := r.StartedAt.Add(usualTime)
	if o.Minutes > 0 {
		until = r.StartedAt.Add(time.Duration(o.Minutes) * time.Minute)
	}
	if o.Until != nil {
		until = o.Until.UTC().Truncate(time.Microsecond)
	}
	switch {
	case r.Reason == "":
		return fault.InvalidValue("reason", "say why, for those who read it later")
	case o.Until != nil && o.Minutes > 0:
		return fault.InvalidValue("minutes", "give until or minutes, not both")
	case !until.After(r.StartedAt) || until.Sub(r.StartedAt) > longestTime:
		return fault.InvalidValue("until", "must lie in the future, within a year")
	case r.Kind == Revoke && o.Until == nil && o.Minutes == 0:
		return nil
	case r.Kind == DropSessions: // over when the nodes have answered
		until = r.StartedAt.Add(orderLimit)
	}
	r.Until = &until
	return nil
}

func (a *Acts) begin(ctx context.Context, r *row, c *cases.Held, o *Order, safe *blocks.Guards) error {
	switch r.Kind {
	case Warn:
		return a.known(ctx, r)
	case Limit:
		return a.limit(ctx, r, o)
	case Revoke:
		return a.revoke(ctx, r, o)
	case DisableUser:
		return a.askPanel(ctx, r)
	case DropSessions:
		if lives(r.UserRef) {
			return a.askPanel(ctx, r)
		}
		return a.drop(ctx, r, c)
	case BlockIPs:
		return a.block(ctx, r, o, safe)
	}
	return fmt.Errorf("nobody knows how to do %s about a user", r.Kind)
}

// client is the client of an act. Fault: user_gone (409).
func (a *Acts) client(ctx context.Context, r *row) (clientsapi.Client, error) {
	id, own := strings.CutPrefix(r.UserRef, agentapi.RefOfClient(""))
	if !own || !database.IsID(id) {
		return clientsapi.Client{}, errGone
	}
	found, err := a.Clients.Client(ctx, id)
	if err == nil && found.State == clientsapi.Revoked {
		return clientsapi.Client{}, errGone
	}
	return found, gone(err)
}

// gone is user_gone where a client is not there any more.
func gone(err error) error {
	found, is := fault.As(err)
	if errors.Is(err, clientsapi.ErrUnknown) || is && found.Kind == fault.KindMissing {
		return errGone
	}
	return err
}

func (a *Acts) limit(ctx context.Context, r *row, o *Order) error {
	c, err := a.client(ctx, r)
	if err != nil {
		return err
	}
	before, after, err := a.Users.Narrow(ctx, c.ID, clientsapi.Limits{
		SpeedMbps: cmp.Or(o.SpeedMbps, usualSpeed), Addresses: cmp.Or(o.Addresses, usualAddresses),
	})
	if err != nil {
		return gone(err)
	}
	r.Effects.Before, r.Effects.Set = &before, &after
	limits := cases.Limits(after)
	r.Result.Limits = &limits
	return nil
}

func (a *Acts) revoke(ctx context.Context, r *row, o *Order) error {
	c, err := a.client(ctx, r)
	if err != nil {
		return err
	}
	r.Effects.Taken, err = a.Users.Take(ctx, c.ID, o.FlowIDs...)
	switch {
	case err != nil:
		return gone(err)
	case len(r.Effects.Taken) == 0:
		return errNoFlows
	}
	ids := make([]string, len(r.Effects.Taken))
	for i, one := range r.Effects.Taken {
		ids[i] = one.FlowID
	}
	names, err := a.Views.FlowNames(ctx, ids...)
	for _, id := range ids {
		r.Result.Flows = append(r.Result.Flows, cases.Named{ID: id, Name: names[id]})
	}
	return err
}

// drop orders the agents that let the user in, and those that saw it, to end its sessions.
func (a *Acts) drop(ctx context.Context, r *row, c *cases.Held) error {
	found, err := a.serving(ctx, r, c)
	if err != nil {
		return err
	}
	r.State = Pending
	var orders []nodesapi.Order
	for _, n := range found {
		result := cases.NodeResult{NodeID: n.ID, Node: n.Name}
		if n.Can(string(agentapi.DropSessions.Capability())) {
			orders = append(orders, nodesapi.Order{
				NodeID: n.ID, Kind: string(agentapi.DropSessions), Deadline: *r.Until, By: r.ByName,
				Args: agentapi.DropSessionsArgs{UserRef: r.UserRef},
			})
			r.Effects.NodeIDs = append(r.Effects.NodeIDs, n.ID)
		} else {
			result.OK, result.Error = new(bool), tooOld
		}
		r.Result.Nodes = append(r.Result.Nodes, result)
	}
	if len(orders) == 0 {
		return errNoNodes
	}
	if r.Effects.Commands, err = a.Commands.Send(ctx, orders...); err != nil {
		return fmt.Errorf("order sessions to be ended: %w", err)
	}
	if err := a.Queue.Insert(ctx, answerArgs{r.ID}, jobs.Opts{}); err != nil {
		return fmt.Errorf("follow what nodes answer: %w", err)
	}
	return nil
}

// serving are the nodes on which the user of a case may have sessions.
func (a *Acts) serving(ctx context.Context, r *row, c *cases.Held) ([]nodesapi.Node, error) {
	ids := slices.Clone(c.NodeIDs)
	user, err := a.client(ctx, r)
	if err != nil && !errors.Is(err, errGone) {
		return nil, err
	}
	for _, flow := range user.FlowIDs {
		holding, err := a.Clients.Holding(ctx, flow, user.ID)
		if err != nil {
			return nil, fmt.Errorf("read which nodes let a user in: %w", err)
		}
		ids = append(ids, holding...)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 { // without ids the fleet gives all nodes
		return nil, nil
	}
	found, err := a.Fleet.Nodes(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("read the nodes of a user: %w", err)
	}
	return found, nil
}

// block blocks the networks that are named, or the addresses that signals of the last day name: of these, those alone
// that may be blocked.
func (a *Acts) block(ctx context.Context, r *row, o *Order, safe *blocks.Guards) error {
	for i, text := range o.Networks {
		network, err := safe.Judge(text, fmt.Sprintf("networks[%d]", i))
		if err != nil {
			return err
		}
		r.Result.Networks = append(r.Result.Networks, blocks.Text(network))
	}
	if len(o.Networks) == 0 {
		known, err := a.addresses(ctx, r.UserRef)
		if err != nil {
			return err
		}
		for _, text := range known {
			if network, err := safe.Judge(text, "networks"); err == nil {
				r.Result.Networks = append(r.Result.Networks, blocks.Text(network))
			}
		}
	}
	slices.Sort(r.Result.Networks)
	if r.Result.Networks = slices.Compact(r.Result.Networks); len(r.Result.Networks) == 0 {
		return errUnknown
	}
	return a.Blocks.AddFor(ctx, r.ID, *r.CaseID, r.Reason, *r.Until, r.Result.Networks)
}

// addresses are those of a user in the signals of the last day.
func (a *Acts) addresses(ctx context.Context, userRef string) (known []string, err error) {
	const most, day = 200, 24 * time.Hour
	err = a.DB.In(ctx).NewRaw(`select distinct source_ip from abuse_signals where user_ref = ? and source_ip is not null
		and last_at > ? order by 1 limit ?`, userRef, a.now().Add(-day), most).Scan(ctx, &known)
	return known, database.Fault(err, nil)
}
