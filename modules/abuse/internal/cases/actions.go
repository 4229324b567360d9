package cases

import (
	"context"
	"time"

	"panel/platform/fault"
)

// Action is something that was done about the user of a case.
type Action struct {
	ID        string     `json:"id" format:"uuid"`
	CaseID    *string    `json:"case_id" doc:"null: the case is gone"`
	UserRef   string     `json:"user_ref"`
	User      User       `json:"user"`
	Kind      string     `json:"kind" enum:"warn,limit,drop_sessions,block_ips,revoke,disable_user"`
	State     string     `json:"state" enum:"pending,active,failed,ended,undone" doc:"pending: nodes have not answered yet; active: it holds; failed: it could not be done; ended: it is over; undone: somebody took it back before its end"`
	By        string     `json:"by"`
	Automatic bool       `json:"automatic" doc:"The settings asked for it, and no person"`
	Reason    string     `json:"reason"`
	StartedAt time.Time  `json:"started_at"`
	Until     *time.Time `json:"until" doc:"When it ends by itself; null: when somebody undoes it"`
	EndedAt   *time.Time `json:"ended_at"`
	EndedBy   string     `json:"ended_by" doc:"Who undid it; empty: nobody, it ended by itself"`
	Result    Result     `json:"result"`
	Undoable  bool       `json:"undoable"`
}

// Result is what came of an act.
type Result struct {
	Nodes    []NodeResult `json:"nodes" doc:"Nodes that were told"`
	Streams  int          `json:"streams" doc:"Streams that were ended"`
	Sources  int          `json:"sources" doc:"Addresses that they came from"`
	Networks []string     `json:"networks" doc:"That are blocked; empty when that was too long ago to be kept"`
	Flows    []Named      `json:"flows" doc:"That were taken from the client"`
	Limits   *Limits      `json:"limits" doc:"Of limit: those that hold; null: none"`
	Error    string       `json:"error" doc:"Of a failed act: the code of why"`
}

// NodeResult is what one node did.
type NodeResult struct {
	NodeID string `json:"node_id" format:"uuid"`
	Node   string `json:"node" doc:"Empty: it is gone"`
	OK     *bool  `json:"ok" doc:"null: it has not answered yet"`
	Error  string `json:"error" doc:"too_old: its agent cannot do this; offline: it did not answer in time; else in the agent's words"`
}

// Limits are those of a client; 0 is none.
type Limits struct {
	SpeedMbps int `json:"speed_mbps" doc:"Mbit/s in each direction on each node"`
	Addresses int `json:"addresses" doc:"From which a node is used at once"`
}

// ActsOf gives what was done about the user of a case.
type ActsOf func(ctx context.Context, caseID string) ([]Action, error)

// Held is a case that nobody else changes until the transaction ends.
type Held struct {
	ID          string
	Number      int64
	UserRef     string
	Label       string
	State       string
	Recommended string
	NodeIDs     []string
	FlowIDs     []string
}

// Live reports whether something may be done about the user.
func (h *Held) Live() bool { return h.State == Open || h.State == Actioned }

// Hold keeps others from changing a case until the transaction ends. Fault: not_found (404).
func (c *Cases) Hold(ctx context.Context, id string) (Held, error) {
	r, err := c.load(ctx, id, "update of c")
	if err != nil {
		return Held{}, err
	}
	return Held{
		ID: r.ID, Number: r.Number, UserRef: r.UserRef, Label: r.Label, State: r.State,
		Recommended: string(r.Recommended), NodeIDs: r.NodeIDs, FlowIDs: r.FlowIDs,
	}, nil
}

// Actioned notes that something holds about the user of a case, in the transaction of the context.
func (c *Cases) Actioned(ctx context.Context, id string) error {
	return c.become(ctx, id, Open, func(r *row) error {
		r.State, r.Revision, r.UpdatedAt = Actioned, r.Revision+1, c.now()
		return nil
	})
}

// Released notes that nothing holds any more: a case whose act somebody has undone is open again, others are over.
func (c *Cases) Released(ctx context.Context, id string, undone bool) error {
	return c.become(ctx, id, Actioned, func(r *row) error {
		now := c.now()
		if undone {
			r.State, r.Revision, r.UpdatedAt, r.EvidenceAt = Open, r.Revision+1, now, now
			return nil
		}
		r.close(Expired, "", now)
		return c.Watched(ctx)
	})
}

// Told makes known that what is shown of a case has changed.
func (c *Cases) Told(ctx context.Context, id string) error {
	r, err := c.load(ctx, id, "")
	if err != nil {
		return ignoreMissing(err)
	}
	return c.announce(ctx, EventChanged, r)
}

func (c *Cases) become(ctx context.Context, id, from string, change func(r *row) error) error {
	r, err := c.load(ctx, id, "update of c")
	if err != nil || r.State != from {
		return ignoreMissing(err)
	}
	if err := change(r); err != nil {
		return err
	}
	if err := c.save(ctx, r); err != nil {
		return err
	}
	return c.announce(ctx, EventChanged, r)
}

func ignoreMissing(err error) error {
	if found, is := fault.As(err); is && found.Kind == fault.KindMissing {
		return nil
	}
	return err
}
