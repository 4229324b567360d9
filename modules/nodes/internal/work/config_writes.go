package work

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// proposal is a candidate on its way into the database.
type proposal struct {
	nodeID string
	config agentapi.NodeConfig
}

// PutCandidates stores configurations without wanting them yet. It takes four statements for any number of nodes.
func (c *Configs) PutCandidates(ctx context.Context, candidates ...nodesapi.Candidate) ([]nodesapi.Config, error) {
	proposals, out := make([]*proposal, len(candidates)), make([]nodesapi.Config, len(candidates))
	for i, candidate := range candidates {
		made, err := newProposal(candidate)
		if err != nil {
			return nil, err
		}
		proposals[i] = made
	}
	err := c.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error { return c.put(ctx, tx, proposals) })
	if err != nil {
		return nil, database.Fault(fmt.Errorf("storing configurations: %w", err), nil)
	}
	for i, p := range proposals {
		if out[i].NodeID = p.nodeID; p.config.Revision > 0 {
			out[i] = outside(p.nodeID, &p.config)
		}
	}
	return out, nil
}

func newProposal(c nodesapi.Candidate) (*proposal, error) {
	made := &proposal{nodeID: c.NodeID, config: agentapi.NodeConfig{Core: c.Core}}
	for _, l := range c.Listeners {
		made.config.Listeners = append(made.config.Listeners, agentapi.Listener(l))
	}
	hash, err := made.config.ContentHash()
	if err != nil {
		return nil, fmt.Errorf("storing a configuration: %w", err)
	}
	made.config.Hash = hash
	return made, nil
}

// put numbers what is new after the newest of each node and stores it; a proposal of an unknown node keeps revision 0.
func (c *Configs) put(ctx context.Context, tx bun.Tx, proposals []*proposal) error {
	newest, err := lockNewest(ctx, tx, proposals)
	if err != nil {
		return err
	}
	var fresh []*proposal
	for _, p := range proposals {
		before, known := newest[p.nodeID]
		if !known {
			continue
		}
		if p.config.Revision = before.Revision; before.Hash != p.config.Hash {
			p.config.Revision++
			fresh = append(fresh, p)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return c.insert(ctx, tx, fresh)
}

// lockNewest keeps the nodes, in one order for all, and gives the newest configuration of each. The second statement
// sees what others stored until the lock was had.
func lockNewest(ctx context.Context, tx bun.Tx, proposals []*proposal) (map[string]configRow, error) {
	var locked []string
	err := tx.NewRaw("select id from nodes where id = any(?::uuid[]) order by id for no key update",
		pgdialect.Array(nodesOf(proposals))).Scan(ctx, &locked)
	if err != nil || len(locked) == 0 {
		return nil, err
	}
	newest := make(map[string]configRow, len(locked))
	for _, id := range locked {
		newest[id] = configRow{}
	}
	var rows []configRow
	err = tx.NewRaw(`select c.node_id, c.revision, c.hash from unnest(?::uuid[]) u(id) cross join lateral (
		select node_id, revision, hash from node_configs where node_id = u.id order by revision desc limit 1) c`, pgdialect.Array(locked)).Scan(ctx, &rows)
	for _, row := range rows {
		newest[row.NodeID] = row
	}
	return newest, err
}

// nodesOf leaves out what can not be an id, so that it is unknown and not an error of the database.
func nodesOf(proposals []*proposal) []string {
	ids := make([]string, 0, len(proposals))
	for _, p := range proposals {
		if database.IsID(p.nodeID) {
			ids = append(ids, p.nodeID)
		}
	}
	return ids
}

func (c *Configs) insert(ctx context.Context, tx bun.Tx, fresh []*proposal) error {
	rows, now := make([]configRow, len(fresh)), c.clock.Now().UTC()
	ids, below := make([]string, len(fresh)), make([]int64, len(fresh))
	for i, p := range fresh {
		text, err := json.Marshal(p.config)
		if err != nil {
			return fmt.Errorf("encoding a configuration: %w", err)
		}
		rows[i] = configRow{
			NodeID: p.nodeID, Revision: p.config.Revision, Hash: p.config.Hash, HasCore: p.config.HasCore(),
			Listeners: append([]agentapi.Listener{}, p.config.Listeners...),
			Sealed:    c.vault.Seal(configRef(p.nodeID, p.config.Revision), text), CreatedAt: now,
		}
		ids[i], below[i] = p.nodeID, p.config.Revision-storedRevisions
	}
	if err := database.Copy(ctx, c.db, rows); err != nil {
		return err
	}
	_, err := tx.NewRaw(`delete from node_configs c using unnest(?::uuid[], ?::bigint[]) u(id, below), nodes n
		where c.node_id = u.id and n.id = u.id and c.revision <= u.below and c.revision <> n.desired_revision`,
		pgdialect.Array(ids), pgdialect.Array(below)).Exec(ctx)
	return err
}

// SetDesired makes stored configurations the wanted ones and tells the agents.
func (c *Configs) SetDesired(ctx context.Context, revisions map[string]int64) (unknown []string, err error) {
	var changed []string
	err = c.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if changed, err = c.want(ctx, tx, revisions); err != nil || len(changed) == 0 {
			return err
		}
		database.AfterCommit(ctx, func() {
			c.queue.Changed(changed)
			c.desired(changed...)
		})
		return c.queue.Notify(ctx, tx, changed)
	})
	if err != nil {
		return nil, database.Fault(fmt.Errorf("wanting configurations: %w", err), nil)
	}
	for id := range revisions {
		if !slices.Contains(changed, id) {
			unknown = append(unknown, id)
		}
	}
	return unknown, nil
}

// want gives the nodes that have the configuration. Rows are locked in one order for all, against deadlocks.
func (c *Configs) want(ctx context.Context, tx bun.Tx, revisions map[string]int64) ([]string, error) {
	var ids, changed []string
	var wanted []int64
	for _, id := range slices.Sorted(maps.Keys(revisions)) {
		if database.IsID(id) {
			ids, wanted = append(ids, id), append(wanted, revisions[id])
		}
	}
	err := tx.NewRaw(`with found as (
			select n.id, c.revision, c.hash, c.has_core from unnest(?::uuid[], ?::bigint[]) u(id, revision)
				join nodes n on n.id = u.id join node_configs c on c.node_id = u.id and c.revision = u.revision
			order by n.id for no key update of n
		)
		update nodes n set desired_revision = k.revision, desired_hash = k.hash, desired_core = k.has_core, desired_at = ?
		from found k where n.id = k.id returning n.id::text`, pgdialect.Array(ids), pgdialect.Array(wanted), c.clock.Now().UTC()).Scan(ctx, &changed)
	return changed, err
}
