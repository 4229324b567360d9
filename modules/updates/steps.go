package updates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
	"panel/platform/release"
)

// advance makes the next step that is due: hear results, end, give orders, or go to the next ring.
func (r *runner) advance(ctx context.Context, o *rolloutRow) error {
	targets, err := r.targets(ctx, o.ID, o.Ring)
	if err != nil {
		return err
	}
	if err := r.hear(ctx, o, targets); err != nil {
		return err
	}
	atWork := count(targets, updating) + count(targets, ordering)
	switch {
	case count(targets, failed) > 0:
		return r.endWhenIdle(ctx, o, atWork, failed, "a node did not take the new build; no further one begins")
	case o.StoppedBy != "":
		return r.endWhenIdle(ctx, o, atWork, stopped, "stopped by "+o.StoppedBy)
	case count(targets, waiting)+count(targets, ordering) > 0:
		return r.order(ctx, o, targets)
	case atWork > 0:
		return r.keep(ctx, o)
	}
	return r.nextRing(ctx, o, targets)
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

// hear takes in how orders have ended.
func (r *runner) hear(ctx context.Context, o *rolloutRow, targets []targetRow) error {
	var ids []string
	for i := range targets {
		if targets[i].State == updating && targets[i].CommandID != nil {
			ids = append(ids, *targets[i].CommandID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	results, err := r.commands.Results(ctx, ids...)
	if err != nil {
		return err
	}
	for i := range targets {
		t := &targets[i]
		if t.State != updating || t.CommandID == nil {
			continue
		}
		if result, ended := results[*t.CommandID]; ended {
			if err := r.ended(ctx, o, t, result); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *runner) ended(ctx context.Context, o *rolloutRow, t *targetRow, result nodesapi.Result) error {
	now := r.now()
	t.EndedAt, t.State, t.Active = &now, done, false
	word, journaled := "node.update_done", audit.OK
	changes := map[string]audit.Change{"agent_version": {From: t.FromVersion, To: o.Version}}
	if !result.OK {
		t.State, t.Stage, t.Error, t.Tail = failed, result.Stage, result.Error, result.StderrTail
		word, journaled = "node.update_failed", audit.Failed
		changes = map[string]audit.Change{"agent_version": {From: t.FromVersion, To: t.FromVersion}, "stage": {To: t.Stage}, "error": {To: t.Error}}
	}
	return r.saveTarget(ctx, o, t, audit.Entry{Action: word, Object: t.object(), Result: journaled, Changes: changes})
}

func (t *targetRow) object() audit.Object {
	return audit.Object{Type: "node", ID: t.NodeID, Name: t.Name}
}

// order lets as many nodes begin as may be at it together. A node that is not online is left out, because it would hold
// the others up; it stays behind and can be updated later.
func (r *runner) order(ctx context.Context, o *rolloutRow, targets []targetRow) error {
	free := o.Parallel - count(targets, updating) - count(targets, ordering)
	for i := range targets {
		t := &targets[i]
		switch {
		case t.State == ordering: // the panel died before it knew the number of the order; agents take the same version twice as once
		case t.State == waiting && free > 0:
			free--
		default:
			continue
		}
		if err := r.orderOne(ctx, o, t); err != nil {
			return err
		}
	}
	return r.keep(ctx, o)
}

func (r *runner) orderOne(ctx context.Context, o *rolloutRow, t *targetRow) error {
	now := r.now()
	n, err := r.fleet.Node(ctx, t.NodeID)
	switch {
	case errors.Is(err, nodesapi.ErrUnknown):
		return nil // its row goes with the node
	case err != nil:
		return err
	case t.State == waiting && !n.Online:
		t.State, t.Active, t.EndedAt = skipped, false, &now
		t.Stage, t.Error = "offline", "the node is not online"
		return r.saveTarget(ctx, o, t, audit.Entry{})
	case t.State == waiting:
		t.State, t.OrderedAt = ordering, &now
		entry := audit.Entry{Action: "node.update_started", Object: t.object(), Changes: map[string]audit.Change{"agent_version": {From: t.FromVersion, To: o.Version}}}
		if err := r.saveTarget(ctx, o, t, entry); err != nil {
			return err
		}
	}
	ids, err := r.commands.Send(ctx, nodesapi.Order{
		NodeID: t.NodeID, Kind: string(agentapi.UpdateAgent), Deadline: now.Add(orderLimit), By: o.StartedBy,
		Args: agentapi.UpdateAgentArgs{
			Version: o.Version, Retry: o.Kind == kindNode,
			AllowOlder: o.Kind == kindNode && release.Compare(t.FromVersion, o.Version) > 0,
		},
	})
	if err != nil {
		return err
	}
	t.State, t.CommandID = updating, &ids[0]
	return r.saveTarget(ctx, o, t, audit.Entry{})
}

// nextRing watches a finished ring for a while, and goes on when its nodes still report the new build.
func (r *runner) nextRing(ctx context.Context, o *rolloutRow, targets []targetRow) error {
	now := r.now()
	if o.RestedAt == nil {
		o.RestedAt, o.Detail = &now, ""
		return r.keepAndTell(ctx, o)
	}
	if now.Before(o.RestedAt.Add(time.Duration(o.PauseSeconds) * time.Second)) {
		return r.keep(ctx, o)
	}
	missing, err := r.missing(ctx, o, targets)
	switch {
	case err != nil:
		return err
	case missing != "" && now.Before(o.RestedAt.Add(time.Duration(o.PauseSeconds)*time.Second+settle)):
		return r.keep(ctx, o) // a heartbeat may be on its way
	case missing != "":
		return r.end(ctx, o, failed, missing+" does not report with the new build any more; no further node begins")
	case o.Ring >= o.Through:
		return r.end(ctx, o, done, "")
	}
	o.Ring, o.RestedAt = o.Ring+1, nil
	return r.keepAndTell(ctx, o)
}

// settle is how long an updated node may take to show itself with its new version.
const settle = 45 * time.Second

// missing names an updated node of the ring that does not report the new build.
func (r *runner) missing(ctx context.Context, o *rolloutRow, targets []targetRow) (string, error) {
	var ids []string
	for i := range targets {
		if targets[i].State == done && targets[i].Ring == o.Ring {
			ids = append(ids, targets[i].NodeID)
		}
	}
	if len(ids) == 0 {
		return "", nil
	}
	nodes, err := r.fleet.Nodes(ctx, ids...)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(nodes, func(n nodesapi.Node) bool { return !n.Online || n.AgentVersion != o.Version })
	if at < 0 {
		return "", nil
	}
	return nodes[at].Name, nil
}

func (r *runner) endWhenIdle(ctx context.Context, o *rolloutRow, atWork int, state, detail string) error {
	o.Detail = detail
	if atWork > 0 {
		return r.keep(ctx, o)
	}
	return r.end(ctx, o, state, detail)
}

// end closes the rollout; nodes that had not begun stay as they are.
func (r *runner) end(ctx context.Context, o *rolloutRow, state, detail string) error {
	now := r.now()
	o.State, o.Detail, o.FinishedAt = state, detail, &now
	result := audit.OK
	if state == failed {
		result = audit.Failed
	}
	err := r.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := r.save(ctx, tx, o); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*targetRow)(nil)).Set("active = false").Where("rollout_id = ?", o.ID).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return r.journal.Record(ctx, tx, audit.Entry{
			Action: "node.rollout_ended", Object: audit.Object{Type: "rollout", ID: o.ID, Name: o.Version}, Result: result,
			Changes: map[string]audit.Change{"state": {From: running, To: state}, "ring": {To: o.Ring}},
		})
	})
	if err == nil {
		r.progress(ctx, o)
	}
	return err
}

// keep renews the lease and writes what was decided.
func (r *runner) keep(ctx context.Context, o *rolloutRow) error { return r.save(ctx, r.db, o) }

func (r *runner) keepAndTell(ctx context.Context, o *rolloutRow) error {
	if err := r.keep(ctx, o); err != nil {
		return err
	}
	r.progress(ctx, o)
	return nil
}

func (r *runner) save(ctx context.Context, db bun.IDB, o *rolloutRow) error {
	o.LeaseUntil = r.now().Add(lease.Holds)
	return lease.Kept(db.NewUpdate().Model(o).Column("ring", "state", "detail", "rested_at", "finished_at", "lease_until").
		WherePK().Where("runner = ?", o.Runner).Exec(ctx))
}

// saveTarget writes one node and its line in the journal, if the lease is still ours, and tells about it.
func (r *runner) saveTarget(ctx context.Context, o *rolloutRow, t *targetRow, entry audit.Entry) error {
	err := r.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := r.save(ctx, tx, o); err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model(t).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("write a node of a rollout: %w", database.Fault(err, nil))
		}
		if entry.Action == "" {
			return nil
		}
		return r.journal.Record(ctx, tx, entry)
	})
	if err != nil {
		return err
	}
	if entry.Action != "" {
		r.bus.Publish(ctx, events.Event{
			Kind: entry.Action, SubjectType: "node", SubjectID: t.NodeID, At: r.now(), Permission: view,
			Data: map[string]string{"name": t.Name, "version": o.Version, "stage": t.Stage, "error": t.Error},
		})
	}
	r.progress(ctx, o)
	return nil
}
