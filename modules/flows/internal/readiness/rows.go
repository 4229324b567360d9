package readiness

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/database"
)

// Row is one check of a plan with the evidence that was found.
type Row struct {
	bun.BaseModel `bun:"table:flow_checks,alias:k"`

	PlanID     string     `bun:",pk" json:"-"`
	Key        string     `bun:",pk" json:"key"`
	NodeID     string     `json:"-"`
	Probe      plan.Probe `bun:",type:jsonb" json:"-"`
	Status     string     `json:"status"`
	Evidence   string     `json:"evidence"`
	Finding    plan.Text  `bun:",type:jsonb" json:"finding"`
	Blocker    string     `json:"blocker"` // why no force passes it: port, target; empty when it may be forced
	Holder     string     `json:"holder"`  // process that holds the port
	ObservedAt *time.Time `json:"observed_at"`
}

// Insert stores the checks of a new plan, in one statement.
func Insert(ctx context.Context, db *database.DB, planID string, checks []plan.Check) error {
	if len(checks) == 0 {
		return nil
	}
	waiting := say("waiting", "waiting for the node's answer")
	rows := make([]Row, len(checks))
	for i, c := range checks {
		rows[i] = Row{
			PlanID: planID, Key: c.Key, NodeID: c.NodeID, Probe: c.Probe, Status: plan.Unconfirmed,
			Evidence: waiting.Text, Finding: waiting,
		}
		if c.Probe == (plan.Probe{}) { // found while the plan was made; no node is asked
			rows[i].Status, rows[i].Evidence, rows[i].Finding = c.Status, c.Evidence, c.Finding
		}
	}
	_, err := db.In(ctx).NewInsert().Model(&rows).Exec(ctx)
	return database.Fault(err, nil)
}

// Of gives the checks of a plan.
func Of(ctx context.Context, db *database.DB, planID string) ([]Row, error) {
	var rows []Row
	err := db.In(ctx).NewSelect().Model(&rows).Where("plan_id = ?", planID).Order("key").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// save stores what was found about some checks of a plan, in one statement.
func save(ctx context.Context, db *database.DB, planID string, rows []Row) error {
	raw, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode evidence: %w", err)
	}
	_, err = db.In(ctx).NewRaw(`update flow_checks k set status = v.status, evidence = v.evidence, finding = v.finding,
		blocker = v.blocker, holder = v.holder, observed_at = v.observed_at
		from jsonb_to_recordset(?::jsonb) v(key text, status text, evidence text, finding jsonb, blocker text, holder text,
			observed_at timestamptz)
		where k.plan_id = ? and k.key = v.key`, string(raw), planID).Exec(ctx)
	return database.Fault(err, nil)
}

// Joined is the plan's checks with the evidence that was found.
func Joined(asked []plan.Check, found []Row) []plan.Check {
	out := slices.Clone(asked)
	byKey := make(map[string]*Row, len(found))
	for i := range found {
		byKey[found[i].Key] = &found[i]
	}
	for i := range out {
		if c := byKey[out[i].Key]; c != nil {
			out[i].Status, out[i].Evidence, out[i].Finding = c.Status, c.Evidence, c.Finding
			out[i].ObservedAt, out[i].Probe = c.ObservedAt, c.Probe
			out[i].Blocks = out[i].Blocks && c.Status == plan.Failed || c.Blocker != ""
		}
	}
	return out
}

// HeldPorts are the conflicts that probes have found, as the compiler tells its own.
func HeldPorts(found []Row) []plan.Conflict {
	var out []plan.Conflict
	for _, c := range found {
		if c.Blocker == BlockedPort {
			out = append(out, plan.Conflict{
				Kind: "port", NodeID: c.NodeID, L4: c.Probe.L4, Port: c.Probe.Port, Path: c.Probe.Path,
				With: plan.ConflictWith{Process: c.Holder},
			})
		}
	}
	return out
}

// InsideTargets are the targets that must not be installed, as the compiler tells those that it sees itself.
func InsideTargets(found []Row) []graph.Problem {
	var out []graph.Problem
	for _, c := range found {
		if c.Blocker == BlockedTarget {
			out = append(out, graph.Problem{Code: "target_private", Path: c.Probe.Path, Message: InsideTarget})
		}
	}
	return out
}
