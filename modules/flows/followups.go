package flows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/stages"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/jobs"
	"panel/platform/lease"
	"panel/platform/metrics"
)

// A followup is what is still to be done about a flow when its apply has ended: a stage after the commit, until it
// holds, or the undoing of a stage, until it holds. A flow has one of each stage; a newer apply takes the place of a
// stage after the commit. It goes on when the flow is deleted.
func (r *runner) followups() lease.Process {
	return lease.Process{
		Name: "followup of an apply", Table: lease.Table{Name: "flow_followups", Open: "true"},
		Step: r.followup, StepLimit: applyStep,
	}
}

// followup calls a stage once.
func (r *runner) followup(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	u := new(followupRow)
	if err := r.db.NewSelect().Model(u).Where("id = ?", c.ID).Scan(ctx); err != nil {
		return lease.Next{}, database.Fault(err, nil)
	}
	u.LeaseToken = c.Token
	was := u.Record
	if u.Undo {
		u.Record.BeginUndo(*was.UndoneFrom)
		r.stages.Undo(ctx, &u.Record, u.Apply, r.now)
	} else {
		u.Record.Begin(r.now())
		r.stages.Do(ctx, &u.Record, u.Apply, r.now)
	}
	if ctx.Err() != nil {
		return lease.Next{}, ctx.Err()
	}
	if u.holds() {
		return lease.Done(), r.settle(ctx, u)
	}
	u.stay()
	return lease.After(u.pause(r.now())), r.postpone(ctx, u, was)
}

func (u *followupRow) holds() bool {
	return u.Record.State == stages.Done || u.Record.State == stages.Skipped || u.Record.State == stages.Undone
}

// stay keeps what does not hold yet open.
func (u *followupRow) stay() {
	u.Record.FinishedAt = nil
	u.Record.State = stages.Pending
	if u.Undo {
		u.Record.State = stages.UndoFailed
	}
}

func (u *followupRow) pause(now time.Time) time.Duration {
	if at := u.Record.AgainAt; at != nil {
		return max(0, at.Sub(now))
	}
	return patience(now.Sub(u.StartedAt))
}

// settle ends a followup that holds.
func (r *runner) settle(ctx context.Context, u *followupRow) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		err := lease.CheckFence(r.db.In(ctx).NewDelete().Model(u).WherePK().Where("lease_token = ?",
			u.LeaseToken).Exec(ctx))
		if err != nil {
			return err
		}
		if err := r.noteOnApply(ctx, u.ApplyID, u.Record); err != nil {
			return err
		}
		return r.emit(ctx, flowsapi.EventStageSettled, u.FlowID, flowsapi.StageNews{ApplyID: u.ApplyID, Stage: u.Stage})
	})
}

// postpone notes a call after which the stage does not hold yet; that it hangs is told once.
func (r *runner) postpone(ctx context.Context, u *followupRow, was stages.Record) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		err := lease.CheckFence(r.db.In(ctx).NewUpdate().Model(u).Column("record").WherePK().
			Where("lease_token = ?", u.LeaseToken).Exec(ctx))
		if err != nil {
			return err
		}
		if err := r.noteOnApply(ctx, u.ApplyID, u.Record); err != nil || was.Attempts > 0 {
			return err
		}
		return r.emit(ctx, flowsapi.EventStagePending, u.FlowID,
			flowsapi.StageNews{ApplyID: u.ApplyID, Stage: u.Stage, Error: u.Record.Error})
	})
}

// noteOnApply puts the record of a stage into its apply, which is gone when its flow was deleted.
func (r *runner) noteOnApply(ctx context.Context, applyID string, rec stages.Record) error {
	raw, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encode the record of a stage: %w", err)
	}
	_, err = r.db.In(ctx).NewRaw(`update flow_applies set stages = (
		select jsonb_agg(case when s.r ->> 'name' = ? then ?::jsonb else s.r end order by s.i)
		from jsonb_array_elements(stages) with ordinality s (r, i)) where id = ? and finished_at is not null`,
		rec.Name, string(raw), applyID).Exec(ctx)
	return database.Fault(err, nil)
}

// leave hands what an apply that ends could not do itself to followups, in the transaction of its end.
func (r *runner) leave(ctx context.Context, row *applyRow) error {
	applied := row.Stage == stateApplied
	if applied {
		if err := r.supersede(ctx, row); err != nil {
			return err
		}
	}
	for i := range row.Stages {
		rec := &row.Stages[i]
		switch {
		case rec.State == stages.UndoFailed:
			if err := r.hand(ctx, row, *rec, true); err != nil {
				return err
			}
		case rec.At == flowsapi.AfterCommit && applied:
			if err := r.hand(ctx, row, *rec, false); err != nil {
				return err
			}
		case rec.State == stages.Pending:
			rec.State, rec.Detail = stages.Skipped, flowsapi.Text(say("not_reached"))
		}
	}
	return nil
}

// supersede ends the stages after the commit of earlier applies of the flow. Of a stage that this apply has as well the
// row stays, so that a call that runs at this moment has ended before the next one begins.
func (r *runner) supersede(ctx context.Context, row *applyRow) error {
	var older []followupRow
	err := r.db.In(ctx).NewSelect().Model(&older).Where("flow_id = ? and not undo", row.FlowID).For("update").Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, u := range older {
		u.Record.State = stages.Superseded
		if err := r.noteOnApply(ctx, u.ApplyID, u.Record); err != nil {
			return err
		}
	}
	names := []string{}
	for _, rec := range row.Stages {
		names = append(names, rec.Name)
	}
	_, err = r.db.In(ctx).NewDelete().Model((*followupRow)(nil)).
		Where("flow_id = ? and not undo and not stage = any(?::text[])", row.FlowID, pgdialect.Array(names)).Exec(ctx)
	return database.Fault(err, nil)
}

// hand makes a followup, or gives the one of an earlier apply to this one: with another fencing token, and not before
// the lease of whoever works on it has ended.
func (r *runner) hand(ctx context.Context, row *applyRow, rec stages.Record, undo bool) error {
	u := &followupRow{
		ID: database.NewID(), FlowID: row.FlowID, ApplyID: row.ID, Stage: rec.Name, Undo: undo, Apply: row.Change,
		Record: rec, StartedAt: r.now(),
	}
	_, err := r.db.In(ctx).NewInsert().Model(u).On("conflict (flow_id, stage) do update").
		Set("apply_id = excluded.apply_id, undo = excluded.undo, apply = excluded.apply, record = excluded.record").
		Set("started_at = excluded.started_at, lease_failures = 0, lease_token = ''").
		Set("lease_until = case when u.lease_token = '' then now() else greatest(u.lease_until, now()) end").Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if undo {
		if err := r.emit(ctx, flowsapi.EventStagePending, u.FlowID,
			flowsapi.StageNews{ApplyID: u.ApplyID, Stage: u.Stage, Error: rec.Error}); err != nil {
			return err
		}
	}
	return r.wakeFollowup(ctx, u.ID)
}

// undosLeft names a stage that has to undo something of an earlier apply of the flow; empty when there is none.
func (r *runner) undosLeft(ctx context.Context, flowID string) (string, error) {
	var left []string
	err := r.db.NewRaw("select stage from flow_followups where flow_id = ? and undo order by stage limit 1", flowID).
		Scan(ctx, &left)
	if err != nil || len(left) == 0 {
		return "", database.Fault(err, nil)
	}
	return left[0], nil
}

func (r *runner) hurryUndos(ctx context.Context, flowID string) error {
	var ids []string
	err := r.db.NewRaw(`select id from flow_followups
		where flow_id = ? and undo and lease_token = '' and lease_until > now()`,
		flowID).
		Scan(ctx, &ids)
	for _, id := range ids {
		if err == nil {
			err = r.wakeFollowup(ctx, id)
		}
	}
	return database.Fault(err, nil)
}

type rerenderArgs struct {
	FlowID string `json:"flow_id"`
	Why    string `json:"why"`
}

// Kind names the worker.
func (rerenderArgs) Kind() string { return "flows.rerender" }

// rerenderWorker starts an apply of a flow's installed version. While the flow is being applied, or cannot be, it is
// tried again later.
func (s *service) rerenderWorker() jobs.Worker {
	return jobs.Worker{
		Kind: rerenderArgs{}.Kind(),
		Work: jobs.Do(func(ctx context.Context, _ jobs.Job, args rerenderArgs) error {
			return s.rerender(ctx, args.FlowID, args.Why)
		}),
	}
}

func (s *service) rerender(ctx context.Context, flowID, why string) error {
	f, err := s.store.flow(ctx, flowID)
	if errors.Is(unknown(err), flowsapi.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx = access.With(ctx, access.Caller{Kind: access.System, Username: why})
	if !f.Enabled || f.InstalledVersionID == nil {
		return s.removeLeft(ctx, f)
	}
	a, result, err := s.again(ctx, f, kindRerender)
	if err != nil || result.Plan.IsNoop {
		return err
	}
	return s.start(ctx, f, a, result)
}

// metrics of the applies that are under way, on whichever panel.
func (r *runner) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.AskedOne("panel_applies_unfinished", "Applies that are under way.", r.figure("count(*)::float8")),
		metrics.Counter("panel_flow_compilations_total", "Drawings that this panel has compiled.", func() float64 {
			return float64(r.compilations.Load())
		}),
		metrics.AskedOne("panel_apply_oldest_seconds",
			"Age of the oldest apply that is under way; the time of its canary does not count; 0 without one.",
			r.figure(`coalesce(extract(epoch from now() - min(greatest(started_at, (canary ->> 'ended_at')::timestamptz))
				filter (where stage <> 'canary')), 0)::float8`)),
		metrics.AskedOne("panel_canaries", "Canaries that are being watched.",
			r.figure("count(*) filter (where stage = 'canary')::float8")),
		metrics.AskedOne("panel_canaries_held", "Canaries whose time is over and whose rest does not follow.",
			r.figure("count(*) filter (where stage = 'canary' and canary -> 'held' <> 'null')::float8")),
		metrics.Counter("panel_canary_probes_total", "Probes of canaries that this panel has had an answer to.",
			func() float64 { return float64(r.probes.all.Load()) }),
		metrics.Counter("panel_canary_probes_failed_total", "Probes of canaries that did not get through.",
			func() float64 { return float64(r.probes.failed.Load()) }),
	}
}

func (r *runner) figure(expression string) func(context.Context) (float64, error) {
	return func(ctx context.Context) (value float64, err error) {
		err = r.db.NewSelect().Model((*applyRow)(nil)).ColumnExpr(expression).Where("finished_at is null").
			Scan(ctx, &value)
		return value, err
	}
}
