package flows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/segmentio/encoding/json"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/canary"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/stages"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/jobs"
	"panel/platform/lease"
	"panel/platform/restored"
)

// runner carries applies to their end. Each unfinished apply is driven by one panel; when that panel dies, another
// one, or the next start, goes on from the phase that is written in the database.
type runner struct {
	*service
	applies *lease.Driver
	checks  *lease.Driver
	follow  *lease.Driver
	queue   *jobs.Enqueuer
	probes  probeCounts
}

func newRunner(s *service, n *database.Listener, q *jobs.Enqueuer) *runner {
	r := &runner{service: s, queue: q}
	r.applies = lease.New(s.db, n, s.clock, s.log, r.process())
	r.checks = lease.New(s.db, n, s.clock, s.log, s.checker.Process())
	r.follow = lease.New(s.db, n, s.clock, s.log, r.followups())
	s.wakeApply, s.wakeChecks, s.wakeFollowup = r.applies.Wake, r.checks.Wake, r.follow.Wake
	return r
}

// loops drive applies, checks of readiness and followups.
func (r *runner) loops() []func(context.Context) error {
	return []func(context.Context) error{r.applies.Run, r.checks.Run, r.follow.Run}
}

// restored ends what was under way in a database that was restored from a backup.
func (r *runner) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	if err := r.applies.Abandon(ctx, restored.Cause); err != nil {
		return err
	}
	return r.checks.Abandon(ctx, restored.Cause)
}

const (
	appliesAtOnce = 64 // they wait for agents most of the time
	applyStep     = 75 * time.Second
	onePoll       = 2 * time.Second // of the agents' answers
	beforeAgain   = 500 * time.Millisecond
	longestSleep  = 15 * time.Second // a stop whose news is lost is found so late
)

func (r *runner) process() lease.Process {
	return lease.Process{
		Name: "apply", Table: lease.Table{Name: "flow_applies", Open: "finished_at is null", Order: "started_at"},
		Step: r.step, GiveUp: r.giveUp, Parallel: appliesAtOnce, StepLimit: applyStep,
	}
}

// step makes the next step of an apply. What this claim wrote is what is written as long as the claim holds, so the
// row, which is large, is read once for each claim.
func (r *runner) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	row, err := r.current(ctx, c)
	if err != nil {
		return lease.Next{}, err
	}
	if row.FinishedAt == nil {
		err = r.advance(r.as(ctx, row), row)
	}
	switch {
	case err != nil:
		c.State = nil
		return lease.Next{}, err
	case row.FinishedAt != nil:
		return lease.Done(), nil
	}
	return lease.After(min(row.wait, longestSleep)), nil
}

// current gives the apply of a claim, and whether somebody has stopped it in the meantime. Error: lease.ErrLost.
func (r *runner) current(ctx context.Context, c *lease.Claim) (*applyRow, error) {
	row, known := c.State.(*applyRow)
	if !known {
		read, err := r.store.apply(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		read.LeaseToken, row, c.State = c.Token, read, read
	}
	row.wait = 0
	var stops []stopped
	err := r.db.NewRaw(`select stopped_by, stopped_at, promoted_by from flow_applies
		where id = ? and lease_token = ?`, row.ID, c.Token).
		Scan(ctx, &stops)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	if len(stops) == 0 {
		return nil, lease.ErrLost
	}
	row.StoppedBy, row.StoppedAt, row.PromotedBy = stops[0].StoppedBy, stops[0].StoppedAt, stops[0].PromotedBy
	return row, nil
}

type stopped struct {
	StoppedBy  *string
	StoppedAt  *time.Time
	PromotedBy *string
}

// as lets the journal name the person who started the apply.
func (r *runner) as(ctx context.Context, row *applyRow) context.Context {
	if row.AccountID == "" {
		return ctx
	}
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: row.AccountID, Username: row.StartedBy})
}

// save writes what was decided or seen and has not been written, under the fencing token. Error: lease.ErrLost.
func (r *runner) save(ctx context.Context, row *applyRow) error {
	now, err := row.encoded()
	if err != nil {
		return err
	}
	changed := now.changes(row.saved)
	if now.head == row.saved.head && changed == noSteps {
		return nil
	}
	args, fenced := new(database.Arguments), []int64{}
	text := fmt.Sprintf(`with v as (select * from jsonb_to_record(%s::jsonb) v(stage text, stages jsonb, error jsonb, detail text,
			text jsonb, version_id uuid, staged_at timestamptz, finished_at timestamptz, nodes_since timestamptz, canary jsonb)),
		a as (update flow_applies a set stage = v.stage, stages = v.stages, error = v.error, detail = v.detail, text = v.text,
			version_id = v.version_id, staged_at = v.staged_at, finished_at = v.finished_at, nodes_since = v.nodes_since,
			canary = v.canary
			from v where a.id = %s and a.lease_token = %s returning a.id),
		s as (update flow_apply_steps s set step = v.step
			from a, jsonb_to_recordset(%s::jsonb) v(position integer, step jsonb)
			where s.apply_id = a.id and s.position = v.position)
		select count(*) from a`,
		args.Place(now.head), args.Place(row.ID), args.Place(row.LeaseToken), args.Place(changed))
	err = database.Read(ctx, r.db, &fenced, r.db.NewRaw(text), args)
	if err != nil {
		return database.Fault(fmt.Errorf("store the state of an apply: %w", err), nil)
	}
	if len(fenced) == 0 || fenced[0] == 0 {
		return lease.ErrLost
	}
	row.saved = now
	return nil
}

// applyHead is what changes of an apply beside its steps.
type applyHead struct {
	Stage      string          `json:"stage"`
	Stages     []stages.Record `json:"stages"`
	Error      *StepError      `json:"error,omitempty"`
	Detail     string          `json:"detail"`
	Text       any             `json:"text"`
	VersionID  *string         `json:"version_id"`
	StagedAt   time.Time       `json:"staged_at"`
	FinishedAt *time.Time      `json:"finished_at"`
	NodesSince *time.Time      `json:"nodes_since"`
	Canary     *canary.Watch   `json:"canary,omitempty"`
}

func (row *applyRow) encoded() (savedApply, error) {
	head, err := appended(nil, applyHead{
		row.Stage, row.Stages, row.Error, row.Detail, row.Text, row.VersionID, row.StagedAt, row.FinishedAt,
		row.NodesSince, row.Canary,
	})
	out := savedApply{head: string(head), steps: make([]string, len(row.Steps))}
	for i := range row.Steps {
		if err != nil {
			break
		}
		head, err = appended(head[:0], &row.Steps[i])
		out.steps[i] = string(head)
	}
	if err != nil {
		return out, fmt.Errorf("encode an apply: %w", err)
	}
	return out, nil
}

// appended is json.Marshal in a third of its time: every step of an apply is encoded at each of its stages.
func appended(into []byte, value any) ([]byte, error) {
	return json.Append(into, value, json.SortMapKeys)
}

// noSteps are the changes of an apply none of whose steps changed.
const noSteps = "[]"

// changes are the steps that differ from what is in the database, as it takes them.
func (now savedApply) changes(before savedApply) string {
	out := []byte{'['}
	for i, step := range now.steps {
		if i < len(before.steps) && before.steps[i] == step {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, `{"position":`...), int64(i), 10)
		out = append(append(append(out, `,"step":`...), step...), '}')
	}
	return string(append(out, ']'))
}

// keep saves, and tells who follows live where every node stands.
func (r *runner) keep(ctx context.Context, row *applyRow) error {
	if err := r.save(ctx, row); err != nil {
		return err
	}
	states := make(map[string]string, len(row.Steps))
	for _, step := range row.Steps {
		states[step.NodeID] = step.State
	}
	r.show(ctx, flowsapi.EventApplyProgress, row.FlowID,
		flowsapi.ApplyProgress{ApplyID: row.ID, Detail: row.Detail, Steps: states})
	return nil
}

func (r *runner) enter(row *applyRow, phase, code string, params ...string) {
	row.Stage, row.StagedAt = phase, r.now()
	row.say(code, params...)
}

// finish ends the apply, frees its nodes, leaves what is still to be done to followups, writes the journal and emits
// the end, in one transaction.
func (r *runner) finish(ctx context.Context, row *applyRow, phase, action, code string, params ...string) error {
	now := r.now()
	r.enter(row, phase, code, params...)
	row.FinishedAt = &now
	return r.db.InTx(ctx, func(ctx context.Context) error {
		f := new(flowRow)
		if err := r.db.In(ctx).NewSelect().Model(f).Where("id = ?", row.FlowID).For("update").Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.leave(ctx, row); err != nil {
			return err
		}
		if err := r.listsLeft(ctx, row); err != nil {
			return err
		}
		if err := r.save(ctx, row); err != nil {
			return err
		}
		// Its secrets are not needed any more.
		if _, err := r.db.In(ctx).NewUpdate().Model(row).Set("content = '', previous = ''").WherePK().Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.unlock(ctx, row); err != nil {
			return err
		}
		if err := r.recordEnd(ctx, f, row, action); err != nil || !f.Deleting {
			return err
		}
		if err := r.clients.Forget(ctx, f.ID); err != nil {
			return fmt.Errorf("take a flow from its clients: %w", err)
		}
		_, err := r.db.In(ctx).NewDelete().Model(f).WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
}

// serves tells the clients how the installed parts of a flow know them.
func (r *runner) serves(ctx context.Context, flowID string, parts map[string]plan.Fragment) error {
	by := clientsapi.Installed{NodeIDs: listedOn(parts), Refs: []string{}, Elsewhere: onlyServed(parts)}
	for _, part := range parts {
		by.Refs = append(by.Refs, part.Clients...)
		by.Fixed = by.Fixed || part.Role == "entry" && !part.Listed
	}
	slices.Sort(by.Refs)
	by.Refs = slices.Compact(by.Refs)
	if err := r.clients.SetInstalled(ctx, flowID, by); err != nil {
		return fmt.Errorf("note which clients are installed: %w", err)
	}
	return nil
}

// onlyServed says whether proxy panels serve all entries of a flow.
func onlyServed(parts map[string]plan.Fragment) (served bool) {
	for _, part := range parts {
		if part.Role == "entry" {
			return false
		}
		served = served || len(part.Served) > 0
	}
	return served
}

// listedOn gives the nodes whose agents hold the clients of a flow, sorted.
func listedOn(parts map[string]plan.Fragment) []string {
	ids := []string{}
	for id, part := range parts {
		if part.Listed {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// listsLeft has the agents of nodes that an apply did not come to install the flow on drop its clients.
func (r *runner) listsLeft(ctx context.Context, row *applyRow) error {
	if row.Stage == stateApplied {
		return nil
	}
	parts, err := r.store.installed(ctx, row.FlowID)
	if err != nil {
		return err
	}
	return r.serves(ctx, row.FlowID, parts)
}

func (r *runner) unlock(ctx context.Context, row *applyRow) error {
	_, err := r.db.In(ctx).NewDelete().Model((*lockRow)(nil)).Where("apply_id = ?", row.ID).Exec(ctx)
	return database.Fault(err, nil)
}

func (r *runner) recordEnd(ctx context.Context, f *flowRow, row *applyRow, action string) error {
	changes := map[string]audit.Change{"apply": {To: row.ID}}
	result := audit.OK
	if row.Error != nil {
		result, changes["error"] = audit.Failed, audit.Change{To: row.Error.Code + ": " + row.Error.Message}
	}
	entry := audit.Entry{
		Action: action, Object: audit.Object{Type: "flow", ID: f.ID, Name: f.Name}, Result: result, Changes: changes,
	}
	if err := r.journal.Record(ctx, r.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record the end of an apply: %w", err)
	}
	return r.emit(ctx, action, f.ID, row.news(f))
}

// giveUp ends an apply whose steps fail again and again, and frees its nodes: one that was decided is installed, and
// its agents follow what they shall serve; of any other one the installed version stays, and its stages are undone
// later.
func (r *runner) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	row, err := r.store.apply(ctx, c.ID)
	if err != nil || row.FinishedAt != nil {
		return err
	}
	row.LeaseToken = c.Token
	ctx = r.as(ctx, row)
	if row.Error == nil {
		row.Error = &StepError{Code: "gave_up", Message: "the panel could not go on: " + shortened(cause)}
	}
	if row.Stage == phaseCommitting {
		return r.finish(ctx, row, stateApplied, endings[row.Kind].action, endings[row.Kind].code)
	}
	if err := r.leaveCanary(ctx, row); err != nil {
		return err
	}
	for rec := stages.NextUndo(row.Stages); rec != nil; rec = stages.NextUndo(row.Stages) {
		rec.BeginUndo(r.now())
		rec.State = stages.UndoFailed
	}
	return r.finish(ctx, row, stateFailed, "flow.apply_failed", "failed", "reason", row.Error.Message)
}

func shortened(cause error) string {
	const longest = 300
	text := []rune(cause.Error())
	return string(text[:min(len(text), longest)])
}

var errStopped = errors.New("somebody stopped the apply")
