package documents

import (
	"context"
	"encoding/json"
	"fmt"

	"panel/platform/database"
)

// Held is a revision of a document that an agent may hold.
type Held struct {
	NodeID   string `json:"node_id"`
	Name     string `json:"name"`
	Revision int64  `json:"revision"`
	Hash     string `json:"hash"`
}

// Raise gives documents that differ from what their agents may hold a revision above it, in the context's transaction.
// One that the panel does not know stays on the agent as it is.
func (s *Store) Raise(ctx context.Context, above []Held) error {
	if len(above) == 0 {
		return nil
	}
	list, err := json.Marshal(above)
	if err == nil {
		_, err = s.db.In(ctx).NewRaw(`update node_documents d set revision = greatest(d.revision, h.revision) + 1, set_at = ?
			from jsonb_to_recordset(?::jsonb) h(node_id uuid, name text, revision bigint, hash text)
			where d.node_id = h.node_id and d.name = h.name and (d.revision, d.hash) <> (h.revision, h.hash)`,
			s.clock.Now().UTC(), string(list)).Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("raising documents of nodes: %w", err), nil)
	}
	return nil
}
