package repair

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/health/internal/incidents"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
)

// Action is what the panel did about a node, would have done, or proposes.
type Action struct {
	ID         string     `json:"id" format:"uuid"`
	Act        string     `json:"action" enum:"restart_core,reapply_installed,withdraw_from_pool,switch_dns,hide_proxypanel_hosts"`
	NodeID     string     `json:"node_id" format:"uuid"`
	NodeName   string     `json:"node_name"`
	PolicyID   string     `json:"policy_id" format:"uuid"`
	PolicyName string     `json:"policy_name" doc:"Empty: the policy is gone"`
	IncidentID *string    `json:"incident_id" doc:"What the node suffered from; null: no incident"`
	State      string     `json:"state" enum:"proposed,approved,running,succeeded,failed,skipped,undone"`
	Reason     string     `json:"reason" enum:",stopped,read_only,not_in_plan,dry_run,maintenance,applying,budget,cooldown,recovered,dismissed,pool_share,last_host,no_flow" doc:"Of skipped"`
	Error      string     `json:"error" doc:"Of failed"`
	Outcome    string     `json:"outcome" enum:",helped,not_helped" doc:"Of what was done: whether the node is well after it, or the flows whose names it led elsewhere; empty: not known yet"`
	ApplyID    string     `json:"apply_id,omitempty" doc:"Of reapply_installed: the apply that does it"`
	ApprovedBy string     `json:"approved_by" doc:"Empty: the panel acted by itself, or nobody has approved it"`
	Dismisser  string     `json:"dismissed_by"`
	Evidence   Evidence   `json:"evidence"`
	Effects    []Effect   `json:"effects" doc:"What it changed, and what undoing it gives back"`
	Undoable   bool       `json:"undoable"`
	UndoneAt   *time.Time `json:"undone_at"`
	UndoneBy   string     `json:"undone_by" doc:"Empty: the panel, because the cause is gone, or because it did not help"`
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// Detail is an incident with what was done about it.
type Detail struct {
	incidents.Detail
	Actions []Action `json:"actions" doc:"What self-repair did or proposes, oldest first, the first 100"`
}

func (a *row) shown() Action {
	return Action{
		ID: a.ID, Act: a.Act, NodeID: a.NodeID, NodeName: a.Name, PolicyID: a.PolicyID, PolicyName: a.PolicyName,
		IncidentID: a.IncidentID, State: a.State, Reason: a.Reason, Error: a.Error, Outcome: a.Outcome,
		ApplyID: a.ApplyID, ApprovedBy: a.ApprovedBy, Dismisser: a.Dismisser, Evidence: a.Evidence,
		Effects:  append([]Effect{}, a.Effects...),
		Undoable: a.undoable(), UndoneAt: utc(a.UndoneAt), UndoneBy: a.UndoneBy,
		CreatedAt: a.CreatedAt.UTC(), StartedAt: utc(a.StartedAt), FinishedAt: utc(a.FinishedAt),
	}
}

// undoable says whether there is something that can be given back.
func (a *row) undoable() bool { return a.State == Succeeded && len(a.Effects) > 0 }

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moment := at.UTC()
	return &moment
}

// Filter chooses the actions of a page.
type Filter struct {
	httpapi.PageQuery
	State      string // or open; empty: all
	NodeID     string
	IncidentID string
}

// Unfinished as a state of the filter takes what waits for somebody and what is under way.
const Unfinished = "open"

// columns are all but those of the lease.
const columns = `a.id, a.act, a.node_id, a.name, a.policy_id, a.incident_id, a.state, a.reason, a.evidence, a.error,
	a.approved_by, a.dismissed_by, a.outcome, a.effects, a.command_id, a.apply_id, a.created_at, a.started_at, a.finished_at, a.undone_at,
	a.undone_by, coalesce((select p.name from health_policies p where p.id = a.policy_id), '') as policy_name`

var orders = map[string]keyset.Order{"created_at": {Expression: "a.created_at", Kind: httpapi.CursorMoment}}

// Page lists actions, the newest first.
func (r *Repairs) Page(ctx context.Context, f Filter) (page httpapi.Page[Action], err error) {
	k, err := keyset.New(f.PageQuery, "a.id", "-created_at", orders)
	if err != nil {
		return page, err
	}
	var rows []row
	q := f.chosen(r.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr(columns))
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list actions: %w", err), nil)
	}
	total, err := f.chosen(r.DB.In(ctx).NewSelect().Model((*row)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count actions: %w", err), nil)
	}
	return keyset.Page(k, rows, int(total), (*row).shown, func(a *row) (string, string) { return a.SortKey, a.ID }), nil
}

func (f *Filter) chosen(q *bun.SelectQuery) *bun.SelectQuery {
	if f.State == Unfinished {
		q = q.Where("a.state in (?, ?, ?)", Proposed, Approved, Running)
	} else if f.State != "" {
		q = q.Where("a.state = ?", f.State)
	}
	if f.NodeID != "" {
		q = q.Where("a.node_id::text = ?", f.NodeID)
	}
	if f.IncidentID != "" {
		q = q.Where("a.incident_id::text = ?", f.IncidentID)
	}
	return q
}

// Show gives one action. Fault: not_found (404).
func (r *Repairs) Show(ctx context.Context, id string) (Action, error) {
	if !database.IsID(id) {
		return Action{}, fault.Missing(fault.NoSuchThing)
	}
	a, err := r.load(ctx, id, "")
	return a.shown(), err
}

// OfIncident gives what was done about an incident, or is proposed, oldest first, the first hundred.
func (r *Repairs) OfIncident(ctx context.Context, incidentID string) ([]Action, error) {
	const most = 100
	var rows []row
	err := r.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr(columns).Where("a.incident_id::text = ?", incidentID).
		OrderExpr("a.created_at, a.id").Limit(most).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what was done about an incident: %w", err), nil)
	}
	out := make([]Action, len(rows))
	for i := range rows {
		out[i] = rows[i].shown()
	}
	return out, nil
}

// Tidy lets actions go with the history of health; what may still be given back stays.
func Tidy(age time.Duration) jobs.Tidy {
	return jobs.Tidy{
		Table: "health_actions", Column: "created_at", Age: age, Unless: "state = 'succeeded' and effects <> '[]'",
	}
}
