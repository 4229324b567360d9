package repair

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
)

// DryRun is what self-repair would have done.
type DryRun struct {
	Days    int        `json:"days"`
	Cases   int        `json:"cases" doc:"How often a node came to need an act"`
	Actions int        `json:"actions" doc:"How often it would have been done"`
	Spared  int        `json:"spared" doc:"How often the budget or the cool-down would have kept it"`
	Nodes   int        `json:"nodes" doc:"Nodes that it would have been done to"`
	Items   []DryEvent `json:"items" doc:"The newest 100 of them, newest first"`
}

// DryEvent is one act that would have been done, or spared.
type DryEvent struct {
	At       time.Time `json:"at"`
	NodeID   string    `json:"node_id" format:"uuid"`
	NodeName string    `json:"node_name"`
	Act      string    `json:"action" enum:"restart_core"`
	State    string    `json:"state" enum:"approved,skipped"`
	Reason   string    `json:"reason" enum:",budget,cooldown" doc:"Of skipped"`
}

const (
	dryDays = 7   // how far back a dry run looks
	dryMost = 100 // acts that it names
)

// change is a change of a verdict of the last week.
type change struct {
	SubjectID, Name, PolicyID, State, Hint string
	At                                     time.Time
}

// DryRun replays the changes of the last week by what a policy says, as if it had said auto: of the nodes of that
// policy, or of all where none is named.
func (r *Repairs) DryRun(ctx context.Context, policyID string, repair rules.Repair) (DryRun, error) {
	var changes []change
	err := r.DB.In(ctx).NewRaw(`select c.subject_id, s.name, s.policy_id, c.state, c.hint, c.at from health_changes c
		join health_states s on s.kind = c.kind and s.subject_id = c.subject_id
		where c.kind = ? and c.at > ? and c.hint = ? and ? in ('', s.policy_id::text) order by c.at, c.id`, healthapi.Node,
		r.now().AddDate(0, 0, -dryDays), verdict.HintCore, policyID).Scan(ctx, &changes)
	if err != nil {
		return DryRun{}, database.Fault(fmt.Errorf("read what happened last week: %w", err), nil)
	}
	return replay(changes, repair), nil
}

func replay(changes []change, repair rules.Repair) DryRun {
	out, nodes := DryRun{Days: dryDays, Items: []DryEvent{}}, map[string]bool{}
	repair.Mode = rules.Auto
	var past []Past
	for _, c := range changes {
		d := Decide(Case{
			Now: c.At, PolicyID: c.PolicyID, Repair: repair, Past: past,
			Subject: Subject{ID: c.SubjectID, State: c.State, Hint: c.Hint, Since: c.At, Heard: true},
		})
		switch d.State {
		case Approved:
			past = append(past, Past{Subject: c.SubjectID, Policy: c.PolicyID, Act: d.Act, State: Succeeded, At: c.At})
			out.Actions++
			nodes[c.SubjectID] = true
		case Skipped:
			out.Spared++
		default:
			continue
		}
		out.Cases++
		out.Items = append(out.Items, DryEvent{c.At.UTC(), c.SubjectID, c.Name, d.Act, d.State, d.Reason})
	}
	out.Nodes, out.Items = len(nodes), out.Items[max(0, len(out.Items)-dryMost):]
	slices.Reverse(out.Items)
	return out
}
