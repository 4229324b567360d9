package blocks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/platform/agentapi"
	"panel/platform/database"
)

// place makes the blocks a document of each node whose agent can hold it, in the transaction of the context, which one
// panel at a time has. A block that has ended is left out with the next hour, or with the next change: agents know its
// end, and need not be told each.
func (b *Blocks) place(ctx context.Context) error {
	rows, err := b.held(ctx)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		told, err := b.told(ctx)
		if err != nil || !told {
			return err
		}
	}
	everywhere, own := documents(rows)
	if err := b.Watching.SetEach(ctx, agentapi.DocumentBlocks, everywhere, own); err != nil {
		return err
	}
	_, err = b.DB.In(ctx).NewRaw("update abuse_blocks set placed = true where not placed and lifted_at is null").Exec(ctx)
	return database.Fault(err, nil)
}

func (b *Blocks) held(ctx context.Context) (rows []row, err error) {
	err = b.DB.In(ctx).NewSelect().Model(&rows).Column("id", "network", "node_ids", "until").
		Where("b.lifted_at is null and b.until > ?", b.now().Truncate(time.Hour)).OrderExpr("b.until desc, b.id").
		Limit(agentapi.MaxBlocks).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the blocks: %w", err), nil)
	}
	return rows, nil
}

// told tells whether some agent was given blocks before.
func (b *Blocks) told(ctx context.Context) (told bool, err error) {
	err = b.DB.In(ctx).NewRaw("select exists (select from abuse_placed where document = ?)",
		string(agentapi.DocumentBlocks)).Scan(ctx, &told)
	return told, database.Fault(err, nil)
}

// documents are the blocks of nodes that are named by some, and those of all others.
func documents(rows []row) (everywhere any, own map[string]any) {
	named := map[string]bool{}
	for i := range rows {
		for _, id := range rows[i].NodeIDs {
			named[id] = true
		}
	}
	own = map[string]any{}
	for id := range named {
		own[id] = documentOf(rows, id)
	}
	return documentOf(rows, ""), own
}

func documentOf(rows []row, node string) agentapi.Blocks {
	out := agentapi.Blocks{Blocks: []agentapi.Block{}}
	for i := range rows {
		if r := &rows[i]; len(r.NodeIDs) == 0 || slices.Contains(r.NodeIDs, node) {
			out.Blocks = append(out.Blocks, agentapi.Block{ID: r.ID, Network: r.Network, Until: r.Until.UTC()})
		}
	}
	return out
}
