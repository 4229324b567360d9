package repair

import (
	"context"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
)

// Action is what the panel did about a node, would have done, or proposes.
type Action struct {
	ID         string     `json:"id" format:"uuid"`
	Act        string     `json:"action" enum:"restart_core"`
	NodeID     string     `json:"node_id" format:"uuid"`
	NodeName   string     `json:"node_name"`
	PolicyID   string     `json:"policy_id" format:"uuid"`
	IncidentID *string    `json:"incident_id" doc:"What the node suffered from; null: no incident"`
	State      string     `json:"state" enum:"proposed,approved,running,succeeded,failed,skipped"`
	Reason     string     `json:"reason" enum:",stopped,read_only,not_in_plan,dry_run,maintenance,applying,budget,cooldown,recovered" doc:"Of skipped"`
	Error      string     `json:"error" doc:"Of failed"`
	ApprovedBy string     `json:"approved_by" doc:"Empty: the panel acted by itself, or nobody has approved it"`
	Evidence   Evidence   `json:"evidence"`
	CreatedAt  time.Time  `json:"created_at"`
	StartedAt  *time.Time `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

func (a *row) shown() Action {
	return Action{
		ID: a.ID, Act: a.Act, NodeID: a.NodeID, NodeName: a.Name, PolicyID: a.PolicyID, IncidentID: a.IncidentID,
		State: a.State, Reason: a.Reason, Error: a.Error, ApprovedBy: a.ApprovedBy, Evidence: a.Evidence,
		CreatedAt: a.CreatedAt.UTC(), StartedAt: a.StartedAt, FinishedAt: a.FinishedAt,
	}
}

// Filter chooses the actions of a page.
type Filter struct {
	httpapi.PageQuery
	State  string
	NodeID string
}

// columns are all but those of the lease.
const columns = `a.id, a.act, a.node_id, a.name, a.policy_id, a.incident_id, a.state, a.reason, a.evidence, a.error,
	a.approved_by, a.command_id, a.created_at, a.started_at, a.finished_at`

var orders = map[string]keyset.Order{"created_at": {Expression: "a.created_at", Kind: httpapi.CursorMoment}}

// Page lists actions, the newest first.
func (r *Repairs) Page(ctx context.Context, f Filter) (page httpapi.Page[Action], err error) {
	k, err := keyset.New(f.PageQuery, "a.id", "-created_at", orders)
	if err != nil {
		return page, err
	}
	const chosen = "? in ('', a.state) and ? in ('', a.node_id::text)"
	var rows []row
	q := r.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr(columns).Where(chosen, f.State, f.NodeID)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list actions: %w", err), nil)
	}
	total, err := r.DB.In(ctx).NewSelect().Model((*row)(nil)).Where(chosen, f.State, f.NodeID).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count actions: %w", err), nil)
	}
	return keyset.Page(k, rows, int(total), (*row).shown, func(a *row) (string, string) { return a.SortKey, a.ID }), nil
}

// Show gives one action. Fault: not_found (404).
func (r *Repairs) Show(ctx context.Context, id string) (Action, error) {
	a := new(row)
	err := r.DB.In(ctx).NewSelect().Model(a).Where("a.id = ?", id).Scan(ctx)
	return a.shown(), database.Fault(err, nil)
}

// DryRun is what self-repair would have done.
type DryRun struct {
	Days    int `json:"days"`
	Cases   int `json:"cases" doc:"How often a node came to need an act"`
	Actions int `json:"actions" doc:"How often it would have been done"`
	Spared  int `json:"spared" doc:"How often the budget or the cool-down would have kept it"`
	Nodes   int `json:"nodes" doc:"Nodes that it would have been done to"`
}

// dryDays is how far back a dry run looks.
const dryDays = 7

// DryRun replays the changes of the last week by what a policy says, as if it had said auto: of the nodes of that
// policy, or of all where none is named.
func (r *Repairs) DryRun(ctx context.Context, policyID string, repair rules.Repair) (DryRun, error) {
	var changes []struct {
		SubjectID, PolicyID, State, Hint string
		At                               time.Time
	}
	err := r.DB.In(ctx).NewRaw(`select c.subject_id, s.policy_id, c.state, c.hint, c.at from health_changes c
		join health_states s on s.kind = c.kind and s.subject_id = c.subject_id
		where c.kind = ? and c.at > ? and c.hint = ? and ? in ('', s.policy_id::text) order by c.at, c.id`, healthapi.Node,
		r.now().AddDate(0, 0, -dryDays), verdict.HintCore, policyID).Scan(ctx, &changes)
	if err != nil {
		return DryRun{}, database.Fault(fmt.Errorf("read what happened last week: %w", err), nil)
	}
	out, nodes := DryRun{Days: dryDays}, map[string]bool{}
	repair.Mode = rules.Auto
	var past []Past
	for _, c := range changes {
		d := Decide(Case{
			Now: c.At, PolicyID: c.PolicyID, Repair: repair, Past: past,
			Subject: Subject{ID: c.SubjectID, State: c.State, Hint: c.Hint, Since: c.At, Heard: true},
		})
		switch d.State {
		case Approved:
			past = append(past, Past{c.SubjectID, c.PolicyID, d.Act, Succeeded, c.At})
			out.Actions++
			nodes[c.SubjectID] = true
		case Skipped:
			out.Spared++
		default:
			continue
		}
		out.Cases++
	}
	out.Nodes = len(nodes)
	return out, nil
}

// Tidy lets actions go with the history of health.
func Tidy(age time.Duration) jobs.Tidy {
	return jobs.Tidy{Table: "health_actions", Column: "created_at", Age: age}
}
