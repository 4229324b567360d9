package updates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"panel/modules/nodes/nodesapi"
	"panel/modules/updates/updatesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
	"panel/platform/release"
)

// advance takes in results and then does what is due: end, give orders, or go to the next ring.
func (d *drive) advance(ctx context.Context) (lease.Next, error) {
	if rest := d.rest(); rest > 0 && d.row.StoppedBy == "" {
		return lease.After(rest), nil
	}
	targets, err := d.moving(ctx, d.row)
	if err != nil {
		return lease.Done(), err
	}
	if err := d.takeResults(ctx, targets); err != nil {
		return lease.Done(), err
	}
	atWork := count(targets, updating) + count(targets, ordering)
	switch {
	case count(targets, failed) > 0:
		return d.endWhenIdle(ctx, atWork, failed, "a node did not take the new build; no further one begins")
	case d.row.StoppedBy != "":
		return d.endWhenIdle(ctx, atWork, stopped, "stopped by "+d.row.StoppedBy)
	case count(targets, waiting)+count(targets, ordering) > 0:
		return lease.After(resultPoll), d.order(ctx, targets)
	case atWork > 0:
		return lease.After(resultPoll), nil
	}
	return d.nextRing(ctx)
}

// rest is how long the finished ring is still watched before the next one begins.
func (d *drive) rest() time.Duration {
	if d.row.RestedAt == nil {
		return 0
	}
	return d.row.restUntil().Sub(d.now())
}

func count(targets []targetRow, state string) int {
	n := 0
	for i := range targets {
		if targets[i].State == state {
			n++
		}
	}
	return n
}

// takeResults writes down how orders have ended.
func (d *drive) takeResults(ctx context.Context, targets []targetRow) error {
	var ids []string
	for i := range targets {
		if targets[i].State == updating && targets[i].CommandID != nil {
			ids = append(ids, *targets[i].CommandID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	results, err := d.commands.Results(ctx, ids...)
	if err != nil {
		return err
	}
	for i := range targets {
		t := &targets[i]
		if t.State != updating || t.CommandID == nil {
			continue
		}
		if result, ended := results[*t.CommandID]; ended {
			if err := d.ended(ctx, t, result); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *drive) ended(ctx context.Context, t *targetRow, result nodesapi.Result) error {
	now := d.now()
	t.EndedAt, t.State, t.Active = &now, done, false
	entry := audit.Entry{
		Action: updatesapi.NodeUpdateDone,
		Object: t.object(),
		Result: audit.OK,
		Changes: map[string]audit.Change{
			"agent_version": {From: t.FromVersion, To: d.row.Version},
		},
	}
	if !result.OK {
		t.State, t.Stage, t.Error, t.Tail = failed, result.Stage, result.Error, result.StderrTail
		entry.Action, entry.Result = updatesapi.NodeUpdateFailed, audit.Failed
		entry.Changes = map[string]audit.Change{
			"agent_version": {From: t.FromVersion, To: t.FromVersion}, "stage": {To: t.Stage}, "error": {To: t.Error},
		}
	}
	return d.saveTarget(ctx, t, entry)
}

func (t *targetRow) object() audit.Object {
	return audit.Object{Type: "node", ID: t.NodeID, Name: t.Name}
}

// order lets as many nodes begin as may be at it together. A node that is not online is left out, because it would hold
// the others up; it stays behind and can be updated later.
func (d *drive) order(ctx context.Context, targets []targetRow) error {
	free := d.row.Parallel - count(targets, updating) - count(targets, ordering)
	for i := range targets {
		t := &targets[i]
		switch {
		case t.State == ordering: // the panel died before it knew the order's number; an agent takes a version once
		case t.State == waiting && free > 0:
			free--
		default:
			continue
		}
		if err := d.orderOne(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (d *drive) orderOne(ctx context.Context, t *targetRow) error {
	now := d.now()
	n, err := d.fleet.Node(ctx, t.NodeID)
	switch {
	case errors.Is(err, nodesapi.ErrUnknown):
		return nil // its row goes with the node
	case err != nil:
		return err
	case t.State == ordering:
		if err := d.claim.Check(ctx); err != nil {
			return err
		}
	case !n.Online:
		t.State, t.Active, t.EndedAt = skipped, false, &now
		t.Stage, t.Error = "offline", "the node is not online"
		return d.saveTarget(ctx, t, audit.Entry{})
	default:
		t.State, t.OrderedAt = ordering, &now
		entry := audit.Entry{Action: updatesapi.NodeUpdateStarted, Object: t.object(), Changes: map[string]audit.Change{
			"agent_version": {From: t.FromVersion, To: d.row.Version},
		}}
		if err := d.saveTarget(ctx, t, entry); err != nil {
			return err
		}
	}
	ids, err := d.commands.Send(ctx, nodesapi.Order{
		NodeID: t.NodeID, Kind: string(agentapi.UpdateAgent), Deadline: now.Add(orderLimit), By: d.row.StartedBy,
		Args: agentapi.UpdateAgentArgs{
			Version: d.row.Version, Retry: d.row.Kind == kindNode,
			AllowOlder: d.row.Kind == kindNode && release.Compare(t.FromVersion, d.row.Version) > 0,
		},
	})
	if err != nil {
		return err
	}
	t.State, t.CommandID = updating, &ids[0]
	return d.saveTarget(ctx, t, audit.Entry{})
}

// settle is how long an updated node may take to show itself with its new version.
const settle = 45 * time.Second

// nextRing watches a finished ring for a while, and goes on when its nodes still report the new build.
func (d *drive) nextRing(ctx context.Context) (lease.Next, error) {
	now := d.now()
	if d.row.RestedAt == nil {
		d.row.RestedAt, d.row.Detail = &now, ""
		return lease.Again(), d.saveAndShow(ctx)
	}
	missing, err := d.missing(ctx)
	switch {
	case err != nil:
		return lease.Done(), err
	case missing != "" && now.Before(d.row.restUntil().Add(settle)):
		return lease.After(settlePoll), nil // a heartbeat may be on its way
	case missing != "":
		return lease.Done(), d.end(
			ctx,
			failed,
			missing+" does not report with the new build any more; no further node begins",
		)
	case d.row.Ring >= d.row.Through:
		return lease.Done(), d.end(ctx, done, "")
	}
	d.row.Ring, d.row.RestedAt = d.row.Ring+1, nil
	return lease.Again(), d.saveAndShow(ctx)
}

// missing names an updated node of the ring that does not report the new build.
func (d *drive) missing(ctx context.Context) (string, error) {
	ids, err := d.updated(ctx, d.row)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	nodes, err := d.fleet.Nodes(ctx, ids...)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(nodes, func(n nodesapi.Node) bool { return !n.Online || n.AgentVersion != d.row.Version })
	if at < 0 {
		return "", nil
	}
	return nodes[at].Name, nil
}

func (d *drive) endWhenIdle(ctx context.Context, atWork int, state, detail string) (lease.Next, error) {
	if atWork == 0 {
		return lease.Done(), d.end(ctx, state, detail)
	}
	if d.row.Detail == detail {
		return lease.After(resultPoll), nil
	}
	d.row.Detail = detail
	return lease.After(resultPoll), d.claim.InTx(ctx, d.save)
}

// end closes the rollout; nodes that had not begun stay as they are.
func (d *drive) end(ctx context.Context, state, detail string) error {
	now := d.now()
	d.row.State, d.row.Detail, d.row.FinishedAt = state, detail, &now
	result := audit.OK
	if state == failed {
		result = audit.Failed
	}
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.save(ctx); err != nil {
			return err
		}
		_, err := d.db.In(ctx).NewUpdate().Model((*targetRow)(nil)).Set("active = false").
			Where("rollout_id = ? and active", d.row.ID).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		err = d.journal.Record(ctx, d.db.In(ctx), audit.Entry{
			Action: updatesapi.RolloutEnded, Object: audit.Object{Type: "rollout", ID: d.row.ID, Name: d.row.Version},
			Result:  result,
			Changes: map[string]audit.Change{"state": {From: running, To: state}, "ring": {To: d.row.Ring}},
		})
		if err != nil {
			return err
		}
		return d.emitRollout(ctx, updatesapi.RolloutEnded, d.row)
	})
}

func (d *drive) saveAndShow(ctx context.Context) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.save(ctx); err != nil {
			return err
		}
		return d.progress(ctx, d.row)
	})
}

// save writes what was decided, in a transaction that holds the fence.
func (d *drive) save(ctx context.Context) error {
	_, err := d.db.In(ctx).NewUpdate().Model(d.row).Column("ring", "state", "detail", "rested_at", "finished_at").
		WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// saveTarget writes one node, its line in the journal and its event, if the lease is still ours.
func (d *drive) saveTarget(ctx context.Context, t *targetRow, entry audit.Entry) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if _, err := d.db.In(ctx).NewUpdate().Model(t).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("write a node of a rollout: %w", database.Fault(err, nil))
		}
		if err := d.progress(ctx, d.row); err != nil || entry.Action == "" {
			return err
		}
		if err := d.journal.Record(ctx, d.db.In(ctx), entry); err != nil {
			return err
		}
		return d.bus.Emit(ctx, events.Event{
			Kind: entry.Action, SubjectID: t.NodeID, At: d.now(),
			Data: updatesapi.NodeUpdate{Name: t.Name, Version: d.row.Version, Stage: t.Stage, Error: t.Error},
		})
	})
}
