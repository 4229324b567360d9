package documents

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// States compares what nodes shall hold with what their agents said last.
func (s *Store) States(ctx context.Context, name string, nodeIDs ...string) (map[string]nodesapi.DocumentState, error) {
	var rows []struct {
		NodeID   string
		Revision int64
		Hash     string
		Applied  int64
		InForce  string
		Failed   int64
		Error    string
	}
	err := s.db.In(ctx).NewRaw(`select d.node_id, d.revision, d.hash, coalesce(a.revision, 0) as applied,
			coalesce(a.hash, '') as in_force, coalesce(a.failed_revision, 0) as failed, coalesce(a.error, '') as error
		from node_documents d left join node_reports r on r.node_id = d.node_id
			left join lateral jsonb_to_recordset(r.surroundings->'documents')
				as a(name text, revision bigint, hash text, failed_revision bigint, error text) on a.name = d.name
		where d.name = ? and d.node_id = any(?::uuid[])`, name, pgdialect.Array(database.OnlyIDs(nodeIDs))).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the states of documents: %w", err), nil)
	}
	states := make(map[string]nodesapi.DocumentState, len(rows))
	for _, row := range rows {
		state := nodesapi.DocumentState{
			NodeID: row.NodeID, Wanted: row.Revision, Applied: row.Applied, State: nodesapi.DocumentPending,
		}
		switch {
		case row.Applied == row.Revision && row.InForce == row.Hash:
			state.State = nodesapi.DocumentApplied
		case row.Failed == row.Revision:
			state.State, state.Error = nodesapi.DocumentFailed, row.Error
		}
		states[row.NodeID] = state
	}
	return states, nil
}
