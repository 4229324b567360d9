package acts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"panel/modules/abuse/internal/cases"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// Why a node did not do something, where its agent does not say it.
const (
	tooOld  = "too_old"
	offline = "offline"
)

// Kinds of jobs; the schedule has the name of the first.
const (
	kindEnd    = "abuse.end"
	kindAnswer = "abuse.answers"
)

type endArgs struct{}

// Kind names the worker.
func (endArgs) Kind() string { return kindEnd }

type answerArgs struct{ ActionID string }

// Kind names the worker.
func (answerArgs) Kind() string { return kindAnswer }

// Workers end what is over and take the answers of nodes. They may be killed and run again.
func (a *Acts) Workers() []jobs.Worker {
	const beside, grace = 16, 30 * time.Second
	return []jobs.Worker{
		{Kind: kindEnd, Work: func(ctx context.Context, _ jobs.Job) error { return a.EndDue(ctx) }},
		{
			Kind: kindPanel, Limit: beside, Timeout: panelWithin, Work: jobs.Do(a.inPanel),
		},
		{
			Kind: kindEnable, Limit: beside, Timeout: panelWithin, Work: jobs.Do(a.enable),
		},
		{Kind: kindAutomatic, Work: func(ctx context.Context, _ jobs.Job) error { return a.ByThemselves(ctx) }},
		{
			Kind: kindAnswer, Limit: beside, Timeout: orderLimit + grace,
			Work: jobs.Do(func(ctx context.Context, _ jobs.Job, args answerArgs) error {
				return a.answers(ctx, args.ActionID)
			}),
		},
	}
}

// Schedule ends what no job has ended.
func Schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: kindEnd, Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return endArgs{} },
	}
}

// endsAt has what is over ended at a moment, also when this panel is gone.
func (a *Acts) endsAt(ctx context.Context, at *time.Time) error {
	if at == nil {
		return nil
	}
	second := at.Add(time.Second).Truncate(time.Second)
	err := a.Queue.Insert(ctx, endArgs{}, jobs.Opts{Unique: fmt.Sprint("at ", second.Unix()), At: second})
	if err != nil {
		return fmt.Errorf("have an act ended in time: %w", err)
	}
	return nil
}

// endSoon has it looked at which acts are over, after the transaction of the context.
func (a *Acts) endSoon(ctx context.Context) error {
	if err := a.Queue.Insert(ctx, endArgs{}, jobs.Opts{}); err != nil {
		return fmt.Errorf("have an act ended: %w", err)
	}
	return nil
}

// EndDue ends the acts whose time is over and those whose blocks people have lifted, each in a transaction of its own:
// one that cannot be ended keeps no other one back.
func (a *Acts) EndDue(ctx context.Context) error {
	var due []row
	err := a.DB.In(ctx).NewSelect().Model(&due).Column("id", "case_id", "state", "user_ref").
		Where("a.state = ? and a.until <= ? or a.state = ? and a.until <= ?", Active, a.now(), Pending,
			a.now().Add(-time.Minute)).
		OrderExpr("a.until").Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("read which acts are over: %w", err), nil)
	}
	var failed []error
	for i := range due {
		if due[i].State == Pending && lives(due[i].UserRef) {
			err = a.abandon(ctx, due[i].ID)
		} else if due[i].State == Pending { // nobody has followed the answers
			err = a.answers(ctx, due[i].ID)
		} else {
			err = a.end(ctx, due[i].ID, due[i].CaseID, Ended, "")
		}
		failed = append(failed, err)
	}
	return errors.Join(append(failed, a.endLifted(ctx))...)
}

// endLifted ends acts of which no block is left: whoever lifted the last one has undone them.
func (a *Acts) endLifted(ctx context.Context) error {
	var lifted []row
	err := a.DB.In(ctx).NewRaw(`select a.id, a.case_id, b.lifted_by as ended_by
		from abuse_actions a join lateral (select b.lifted_at, b.lifted_by from abuse_blocks b where b.action_id = a.id
			order by b.lifted_at desc nulls first limit 1) b on true
		where a.state = ? and a.kind = ? and b.lifted_at is not null`, Active, BlockIPs).Scan(ctx, &lifted)
	failed := []error{database.Fault(err, nil)}
	for i := range lifted {
		failed = append(failed, a.end(ctx, lifted[i].ID, lifted[i].CaseID, Undone, lifted[i].EndedBy))
	}
	return errors.Join(failed...)
}

// Undo takes an act back, and gives it. Faults: not_found (404), act_over (409).
func (a *Acts) Undo(ctx context.Context, id string) (cases.Action, error) {
	r, err := a.load(ctx, id)
	if err != nil {
		return cases.Action{}, err
	}
	if err := a.end(ctx, id, r.CaseID, Undone, access.From(ctx).Name()); err != nil {
		return cases.Action{}, err
	}
	return a.get(ctx, id)
}

// end ends an act that holds: what it changed is given back. The case is locked before the act, as who acts does.
// Fault: act_over (409) for a person; what is over already ends once.
func (a *Acts) end(ctx context.Context, id string, caseID *string, as, by string) error {
	return a.DB.InTx(ctx, func(ctx context.Context) error {
		var c cases.Held
		var err error
		if caseID != nil {
			if c, err = a.Cases.Hold(ctx, *caseID); err != nil {
				return err
			}
		}
		r := new(row)
		err = a.DB.In(ctx).NewSelect().Model(r).Where("a.id = ?", id).For("update").Scan(ctx)
		switch {
		case err != nil:
			return database.Fault(err, nil)
		case r.State != Active && as == Undone:
			return errOver
		case r.State != Active:
			return nil
		}
		return a.over(ctx, r, &c, as, by)
	})
}

// over gives back what an act has changed, in the transaction of the context, which holds the act and its case.
func (a *Acts) over(ctx context.Context, r *row, c *cases.Held, as, by string) error {
	if err := a.giveBack(ctx, r, by); err != nil {
		return err
	}
	now := a.now()
	r.State, r.EndedAt, r.EndedBy = as, &now, by
	if err := a.save(ctx, r); err != nil {
		return err
	}
	if err := a.release(ctx, c, as); err != nil {
		return err
	}
	return a.publish(ctx, EventUndone, r, c.Number)
}

// release lets a case go about whose user nothing is done any more.
func (a *Acts) release(ctx context.Context, c *cases.Held, as string) error {
	var holds bool
	err := a.DB.In(ctx).NewRaw("select exists (select from abuse_actions where case_id = nullif(?, '')::uuid and state = ?)",
		c.ID, Active).Scan(ctx, &holds)
	if err != nil || holds || c.ID == "" {
		return database.Fault(err, nil)
	}
	return a.Cases.Released(ctx, c.ID, as == Undone)
}

// giveBack gives the client what it had. For one that is gone there is nothing to give.
func (a *Acts) giveBack(ctx context.Context, r *row, by string) error {
	id := strings.TrimPrefix(r.UserRef, agentapi.RefOfClient(""))
	var err error
	switch r.Kind {
	case Limit:
		err = a.Users.Widen(ctx, id, *r.Effects.Set, *r.Effects.Before)
	case Revoke:
		err = a.Users.GiveBack(ctx, id, r.Effects.Taken...)
	case BlockIPs:
		return a.Blocks.LiftFor(ctx, r.ID, by)
	case DisableUser:
		return a.enableLater(ctx, r)
	}
	if errors.Is(gone(err), errGone) {
		return nil
	}
	return err
}

// answers waits for what nodes answer to an order, and notes it.
func (a *Acts) answers(ctx context.Context, id string) error {
	r, err := a.load(ctx, id)
	if err != nil || r.State != Pending {
		return ignoreMissing(err)
	}
	results, err := a.Commands.Await(ctx, r.Effects.Commands...)
	if err != nil {
		return fmt.Errorf("wait for what nodes answer: %w", err)
	}
	return a.DB.InTx(ctx, func(ctx context.Context) error {
		r := new(row)
		err := a.DB.In(ctx).NewSelect().Model(r).Where("a.id = ?", id).For("update").Scan(ctx)
		if err != nil || r.State != Pending {
			return ignoreMissing(database.Fault(err, nil))
		}
		r.answered(results, a.now())
		if err := a.save(ctx, r); err != nil || r.CaseID == nil {
			return err
		}
		return a.Cases.Told(ctx, *r.CaseID)
	})
}

// answered notes what nodes have done. It has failed when none of them did it.
func (r *row) answered(results []nodesapi.Result, now time.Time) {
	r.State, r.EndedAt = Failed, &now
	for i := range results {
		one := &results[i]
		for n := range r.Result.Nodes {
			node := &r.Result.Nodes[n]
			if node.NodeID == r.Effects.NodeIDs[i] {
				node.OK, node.Error = &one.OK, whyNot(one)
			}
		}
		if !one.OK {
			continue
		}
		r.State = Ended
		var data agentapi.DropSessionsData
		_ = json.Unmarshal(one.Data, &data) // an agent that says nothing has ended nothing
		r.Result.Streams += max(0, data.Streams)
		r.Result.Sources += max(0, data.Sources)
	}
	if r.State == Failed {
		r.Result.Error = errNoNodes.Code
	}
}

func whyNot(result *nodesapi.Result) string {
	switch {
	case result.OK:
		return ""
	case result.Code == string(agentapi.CodeExpired):
		return offline
	case result.Code == string(agentapi.CodeNotSupported):
		return tooOld
	}
	return result.Error
}
