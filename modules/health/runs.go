package health

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/place"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// runs lets people have something looked at now.
type runs struct {
	db        *database.DB
	documents nodesapi.Documents
	journal   audit.Journal
	clock     clockwork.Clock
}

func newRuns(db *database.DB, d nodesapi.Documents, j audit.Journal, c clockwork.Clock) *runs {
	return &runs{db, d, j, c}
}

// start has all vantages of some subjects look at once. Fault: invalid_value (422).
func (r *runs) start(ctx context.Context, asked Run) (out Started, err error) {
	if len(asked.NodeIDs)+len(asked.ConnectionUnitIDs) == 0 {
		return out, fault.InvalidValue("node_ids", "name a node or a flow")
	}
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		// The placing writes the same documents.
		_, err := r.db.In(ctx).ExecContext(ctx, "lock table health_checks in share row exclusive mode")
		if err != nil {
			return database.Fault(fmt.Errorf("lock the checks: %w", err), nil)
		}
		objects, err := r.subjects(ctx, asked)
		if err != nil {
			return err
		}
		if out, err = r.look(ctx, asked); err != nil {
			return err
		}
		for _, object := range objects {
			entry := audit.Entry{Action: actionChecked, Object: object}
			if err := r.journal.Record(ctx, r.db.In(ctx), entry); err != nil {
				return fmt.Errorf("record that checks run: %w", err)
			}
		}
		return nil
	})
	return out, err
}

// subjects gives what is asked for, and refuses what is not there.
func (r *runs) subjects(ctx context.Context, asked Run) (objects []audit.Object, err error) {
	for _, group := range []struct {
		kind, field, object string
		ids                 []string
	}{
		{healthapi.Node, "node_ids", "node", asked.NodeIDs},
		{healthapi.Flow, "connection_unit_ids", "flow", asked.ConnectionUnitIDs},
	} {
		var rows []struct{ SubjectID, Name string }
		err := r.db.In(ctx).NewRaw("select subject_id, name from health_states where kind = ? and subject_id = any(?::uuid[])",
			group.kind, pgdialect.Array(database.OnlyIDs(group.ids))).Scan(ctx, &rows)
		if err != nil {
			return nil, database.Fault(err, nil)
		}
		known := map[string]string{}
		for _, row := range rows {
			known[row.SubjectID] = row.Name
		}
		for i, id := range group.ids {
			name, there := known[id]
			if !there {
				return nil, fault.InvalidValue(fmt.Sprintf("%s[%d]", group.field, i), "it is not there, or not watched")
			}
			objects = append(objects, audit.Object{Type: group.object, ID: id, Name: name})
		}
	}
	return objects, nil
}

// look gives the watches of the subjects a new number, by which agents know that they are to look at once, and makes
// those of the panel due.
func (r *runs) look(ctx context.Context, asked Run) (out Started, err error) {
	var pairs []struct{ Vantage string }
	err = r.db.In(ctx).NewRaw(`with asked as (update health_checks set
				watch = watch || jsonb_build_object('run', coalesce((watch ->> 'run')::bigint, 0) + 1)
			where kind = ?0 and subject_id = any(?1::uuid[]) or kind = ?2 and subject_id = any(?3::uuid[]) returning id)
		update health_watches w set next_at = case when w.vantage = ?4::uuid then ?5::timestamptz end
		from asked where w.check_id = asked.id returning w.vantage`,
		healthapi.Node, pgdialect.Array(database.OnlyIDs(asked.NodeIDs)), healthapi.Flow,
		pgdialect.Array(database.OnlyIDs(asked.ConnectionUnitIDs)), place.Panel, r.clock.Now().UTC()).Scan(ctx, &pairs)
	if err != nil {
		return out, database.Fault(fmt.Errorf("make checks due: %w", err), nil)
	}
	vantages := map[string]bool{}
	agents := []string{}
	for _, one := range pairs {
		if !vantages[one.Vantage] && one.Vantage != place.Panel {
			agents = append(agents, one.Vantage)
		}
		vantages[one.Vantage] = true
	}
	out = Started{Checks: len(pairs), Vantages: len(vantages)}
	return out, r.tell(ctx, agents)
}

func (r *runs) tell(ctx context.Context, agents []string) error {
	var rows []struct{ Vantage, Watch string }
	err := r.db.In(ctx).NewRaw(`select w.vantage, c.watch::text as watch from health_watches w
		join health_checks c on c.id = w.check_id where w.vantage = any(?::uuid[]) order by w.vantage, c.id`,
		pgdialect.Array(agents)).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(fmt.Errorf("read what agents watch: %w", err), nil)
	}
	byNode := map[string][]agentapi.Watch{}
	for _, row := range rows {
		var w agentapi.Watch
		if err := json.Unmarshal([]byte(row.Watch), &w); err != nil {
			return fmt.Errorf("read a watch: %w", err)
		}
		byNode[row.Vantage] = append(byNode[row.Vantage], w)
	}
	documents := make([]nodesapi.Document, 0, len(agents))
	for _, node := range agents {
		documents = append(documents, nodesapi.Document{
			NodeID: node, Name: string(agentapi.DocumentWatches), Content: agentapi.Watches{Watches: byNode[node]},
		})
	}
	if err := r.documents.Set(ctx, documents...); err != nil {
		return fmt.Errorf("tell agents to look: %w", err)
	}
	return nil
}
