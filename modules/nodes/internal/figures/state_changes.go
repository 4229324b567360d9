package figures

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
)

// StateChanges are changes of the states of nodes, the newest first.
type StateChanges struct {
	Items []StateChange `json:"items"`
	Total int           `json:"total" doc:"How many changes there were in this time"`
}

// StateChange is one node that went from one state to another.
type StateChange struct {
	NodeID string    `json:"node_id" format:"uuid"`
	Name   string    `json:"name"`
	Was    string    `json:"was"`
	State  string    `json:"state"`
	At     time.Time `json:"at"`
}

// Span says which changes are asked for: of one node or of all, after From and until To.
type Span struct {
	NodeID   string // empty: of all nodes
	From, To time.Time
	Limit    int
}

// StateChanges lists how nodes changed their states. The first word of an agent is no change: nothing was known before.
func (f *Fleet) StateChanges(ctx context.Context, span Span) (*StateChanges, error) {
	var rows []struct {
		StateChange
		Total int
	}
	if span.From.Year() < 1 {
		span.From = time.Time{} // the database writes years before the first in another way
	}
	err := f.db.NewRaw(`select s.node_id, n.name, s.was, s.state, s.at, count(*) over () as total
		from node_states s join nodes n on n.id = s.node_id
		where s.at > ? and s.at <= ? and s.was <> 'unknown' and (? = '' or s.node_id::text = ?)
		order by s.at desc, n.name_key limit ?`,
		span.From, span.To, span.NodeID, span.NodeID, span.Limit).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("list how nodes changed their states: %w", err), nil)
	}
	out := &StateChanges{Items: make([]StateChange, len(rows))}
	for i := range rows {
		out.Items[i], out.Total = rows[i].StateChange, rows[i].Total
	}
	return out, nil
}
