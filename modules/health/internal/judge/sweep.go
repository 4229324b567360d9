package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/verdict"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/names"
)

// lostAfter is the silence after which an agent is lost also where the state of its node does not say so, because the
// node is in maintenance: ten heartbeats.
const lostAfter = 150 * time.Second

// layersOf is what a node's agent reports.
func layersOf(n *nodesapi.Status, now time.Time) place.Layers {
	l := place.Layers{
		Core: n.CoreState, HasConfig: n.Wanted, Rests: n.State == "maintenance",
		Provider: n.Provider, Country: n.Country, Tags: n.Tags,
	}
	switch n.State {
	case verdict.Pending, verdict.Disabled:
		return place.Layers{Resting: n.State}
	}
	switch {
	case n.Online:
		l.Heartbeat = verdict.Heard
	case n.State == "offline" || now.Sub(n.SeenAt) > lostAfter:
		l.Heartbeat, l.Core = verdict.Lost, ""
	default:
		l.Heartbeat, l.Core = verdict.Silent, ""
	}
	return l
}

// sweep reads what agents report and makes the nodes due of which it has changed. Whether the panel hears almost nobody
// is decided here, for all of them.
func (r *round) sweep(ctx context.Context) error {
	nodes, err := r.fleet.Statuses(ctx, string(agentapi.DocumentWatches.Capability()))
	if err != nil {
		return fmt.Errorf("read the reports of agents: %w", err)
	}
	type row struct {
		ID      string       `json:"id"`
		Name    string       `json:"name"`
		NameKey string       `json:"name_key"`
		Layers  place.Layers `json:"layers"`
	}
	rows, silent, all := make([]row, len(nodes)), 0, 0
	for i := range nodes {
		n := &nodes[i]
		rows[i] = row{n.ID, n.Name, names.SearchKey(n.Name), layersOf(n, r.now)}
		if rows[i].Layers.Heartbeat == "" {
			continue
		}
		all++
		if rows[i].Layers.Heartbeat != verdict.Heard {
			silent++
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode the reports of agents: %w", err)
	}
	_, err = r.db.In(ctx).NewRaw(`update health_states s set layers = n.layers, name = n.name, name_key = n.name_key,
			due_at = ?
		from jsonb_to_recordset(?::jsonb) n(id uuid, name text, name_key text, layers jsonb)
		where s.kind = ? and s.subject_id = n.id and (s.layers <> n.layers or s.name <> n.name)`,
		r.now, string(text), healthapi.Node).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store the reports of agents: %w", err), nil)
	}
	r.SweptAt, r.Able, r.Lacking = &r.now, 0, 0
	for i := range nodes {
		switch {
		case !nodes[i].Online:
		case nodes[i].Able:
			r.Able++
		default:
			r.Lacking++
		}
	}
	if cut := verdict.CutOff(silent, all); cut != r.CutOff {
		r.CutOff = cut
		_, err = r.db.In(ctx).NewRaw("update health_states set due_at = ?", r.now).Exec(ctx)
	}
	return database.Fault(err, nil)
}
