// Package outlive keeps over a full restore what agents were given since the backup, and tells which are unknown to it.
package outlive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/internal/documents"
	"panel/modules/nodes/internal/work"
	"panel/platform/database"
	"panel/platform/restored"
)

// Query is asked of the database before: the servers before a full restore and what each was given last, which
// its agent may hold.
const Query = `select jsonb_build_object(
	'nodes', (select jsonb_agg(jsonb_build_object('id', n.id, 'name', n.name, 'enrolled_at', n.enrolled_at,
		'desired', n.desired_revision, 'hash', n.desired_hash, 'newest', greatest(n.desired_revision, r.config_revision,
			(select max(c.revision) from node_configs c where c.node_id = n.id)))
		order by n.name) from nodes n left join node_reports r on r.node_id = n.id),
	'documents', (select jsonb_agg(to_jsonb(d)) from node_documents d))`

// Store is what a restore changes.
type Store struct {
	DB        *database.DB
	Configs   *work.Configs
	Documents *documents.Store
}

type outlived struct {
	Nodes     []outlivedNode   `json:"nodes"`
	Documents []documents.Held `json:"documents"`
}

type outlivedNode struct {
	restored.Node

	Desired int64  `json:"desired"`
	Hash    string `json:"hash"`
	Newest  int64  `json:"newest"` // of all revisions that the agent may know
}

// presentNode is a node of the restored database.
type presentNode struct {
	ID         string     `bun:"id"`
	EnrolledAt *time.Time `bun:"enrolled_at"`
	Desired    int64      `bun:"desired_revision"`
	Hash       string     `bun:"desired_hash"`
}

// Restored gives what agents shall hold revisions above all that they know, so that each difference shows as drift
// until the agent has made it good, and lists the servers that were enrolled since the backup.
func (s *Store) Restored(ctx context.Context, kept json.RawMessage, r *restored.Restoration) error {
	var before outlived
	if len(kept) == 0 {
		return nil
	}
	if err := json.Unmarshal(kept, &before); err != nil {
		return fmt.Errorf("read the servers from before the restore: %w", err)
	}
	out := &r.Outcome
	present, err := s.present(ctx, before.Nodes)
	if err != nil {
		return err
	}
	above := map[string]int64{}
	for _, node := range before.Nodes {
		now, there := present[node.ID]
		if node.enrolledAfter(now.EnrolledAt) {
			out.EnrolledSince = append(out.EnrolledSince, node.Node)
		}
		if there && (node.Desired != now.Desired || node.Hash != now.Hash) {
			above[node.ID] = node.Newest
		}
	}
	if out.Raised, err = s.Configs.Reissue(ctx, above); err != nil {
		return err
	}
	return s.Documents.Raise(ctx, before.Documents)
}

// enrolledAfter tells whether the agent was enrolled, or enrolled again, after the moment that the backup knows of.
func (n outlivedNode) enrolledAfter(known *time.Time) bool {
	return n.EnrolledAt != nil && (known == nil || n.EnrolledAt.After(*known))
}

func (s *Store) present(ctx context.Context, before []outlivedNode) (map[string]presentNode, error) {
	ids := make([]string, len(before))
	for i, node := range before {
		ids[i] = node.ID
	}
	var rows []presentNode
	err := s.DB.In(ctx).NewRaw(`select id, enrolled_at, desired_revision, desired_hash from nodes
		where id = any(?::uuid[])`, pgdialect.Array(slices.Compact(ids))).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the restored servers: %w", err), nil)
	}
	present := make(map[string]presentNode, len(rows))
	for _, row := range rows {
		present[row.ID] = row
	}
	return present, nil
}
