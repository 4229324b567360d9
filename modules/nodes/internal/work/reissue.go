package work

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/agentapi"
	"panel/platform/database"
)

// Reissue gives what nodes shall serve a new revision above the given ones, in the context's transaction. A node that
// shall serve nothing gets an empty configuration: its agent may still serve what the panel does not know. It answers
// how many nodes it found.
func (c *Configs) Reissue(ctx context.Context, above map[string]int64) (reissued int, err error) {
	if len(above) == 0 {
		return 0, nil
	}
	err = c.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		fresh, err := c.again(ctx, tx, above)
		if err != nil || len(fresh) == 0 {
			return err
		}
		if err := c.insert(ctx, tx, fresh); err != nil {
			return err
		}
		revisions := make(map[string]int64, len(fresh))
		for _, p := range fresh {
			revisions[p.nodeID] = p.config.Revision
		}
		changed, err := c.want(ctx, tx, revisions)
		reissued = len(changed)
		return err
	})
	if err != nil {
		return 0, database.Fault(fmt.Errorf("issuing configurations anew: %w", err), nil)
	}
	return reissued, nil
}

// again makes a proposal with the desired content of each node.
func (c *Configs) again(ctx context.Context, tx bun.Tx, above map[string]int64) (fresh []*proposal, err error) {
	var rows []struct {
		ID      string `bun:"id"`
		Desired int64  `bun:"desired_revision"`
		Newest  int64  `bun:"newest"`
		Sealed  string `bun:"sealed"`
	}
	err = tx.NewRaw(`select n.id, n.desired_revision, coalesce(c.sealed, '') as sealed,
			coalesce((select max(m.revision) from node_configs m where m.node_id = n.id), 0) as newest
		from nodes n left join node_configs c on c.node_id = n.id and c.revision = n.desired_revision
		where n.id = any(?::uuid[]) order by n.id for no key update of n`,
		pgdialect.Array(slices.Sorted(maps.Keys(above)))).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		p := &proposal{nodeID: row.ID}
		if row.Sealed != "" {
			text, err := c.vault.Open(configRef(row.ID, row.Desired), row.Sealed)
			if err != nil {
				return nil, fmt.Errorf("opening configuration %d of node %s: %w", row.Desired, row.ID, err)
			}
			if err := json.Unmarshal(text, &p.config); err != nil {
				return nil, fmt.Errorf("reading configuration %d of node %s: %w", row.Desired, row.ID, err)
			}
		}
		if p.config.Hash, err = p.config.ContentHash(); err != nil {
			return nil, err
		}
		p.config.Revision = max(above[row.ID], row.Newest, row.Desired) + 1
		if p.config.Listeners == nil {
			p.config.Listeners = []agentapi.Listener{}
		}
		fresh = append(fresh, p)
	}
	return fresh, nil
}
