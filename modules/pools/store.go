package pools

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

var constraints = map[string]*fault.Fault{
	"transit_pools_name": fault.Conflict("name_taken", "another pool has this name").
		Field("name", "name_taken", "choose another name"),
	"transit_pools_fallback_pool_id_fkey": fault.Conflict("pool_in_use", "another pool falls back on this one"),
}

var orders = map[string]keyset.Order{
	"name":       {Expression: `p.name_key collate "C"`, Kind: httpapi.CursorText},
	"created_at": {Expression: "p.created_at", Kind: httpapi.CursorMoment},
}

// page reads pools that have a part in the key of their names, and a node as a member if one is named.
func (s *store) page(ctx context.Context, in *listInput) (k *keyset.Keyset, rows []poolRow, total int, err error) {
	if k, err = keyset.New(in.PageQuery, "p.id", "name", orders); err != nil {
		return k, nil, 0, err
	}
	const wanted = `strpos(p.name_key, ?) > 0 and (? = '' or exists (
			select from transit_pool_members m where m.pool_id = p.id and m.node_id::text = ?))
		and (not ? or p.below or exists (select from transit_pool_choices c where c.pool_id = p.id and c.serves = ?))`
	values := []any{names.SearchKey(in.Query), in.NodeID, in.NodeID, in.BelowMinimum, agentapi.PoolServesFallback}
	q := s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("p.*").Where(wanted, values...)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return k, nil, 0, database.Fault(fmt.Errorf("list pools: %w", err), nil)
	}
	n, err := s.db.In(ctx).NewSelect().Model((*poolRow)(nil)).Where(wanted, values...).Count(ctx)
	return k, rows, int(n), database.Fault(err, nil)
}

func (s *store) get(ctx context.Context, id string) (row poolRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("p.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// lock is get, and nobody else changes the pool until the transaction ends. Others may fall back on it meanwhile: who
// looks for circles holds all pools and must not wait for one.
func (s *store) lock(ctx context.Context, id string) (row poolRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("p.id = ?", id).For("no key update").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) all(ctx context.Context) (rows []poolRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).OrderExpr("p.id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// members gives those of pools, or of all pools when none is named, by pool and in the sequence that people gave them.
func (s *store) members(ctx context.Context, poolIDs ...string) (map[string][]memberRow, error) {
	var rows []memberRow
	q := s.db.In(ctx).NewSelect().Model(&rows).OrderExpr("m.pool_id, m.position, m.id")
	if len(poolIDs) > 0 {
		q = q.Where("m.pool_id = any(?::uuid[])", pgdialect.Array(poolIDs))
	}
	out := map[string][]memberRow{}
	if err := q.Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("read the members of pools: %w", err), nil)
	}
	for _, row := range rows {
		out[row.PoolID] = append(out[row.PoolID], row)
	}
	return out, nil
}

func (s *store) insert(ctx context.Context, row *poolRow, members []memberRow) error {
	if _, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx); err != nil {
		return database.Fault(err, constraints)
	}
	return s.putMembers(ctx, row.ID, members)
}

func (s *store) update(ctx context.Context, row *poolRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// putMembers makes these the members of a pool; those that stay keep what was reported of them.
func (s *store) putMembers(ctx context.Context, poolID string, members []memberRow) error {
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	_, err := s.db.In(ctx).NewDelete().Model((*memberRow)(nil)).Where("pool_id = ? and not id = any(?::uuid[])", poolID,
		pgdialect.Array(ids)).Exec(ctx)
	if err == nil && len(members) > 0 {
		_, err = s.db.In(ctx).NewInsert().Model(&members).
			On("conflict (id) do update").Set("position = excluded.position").Set("weight = excluded.weight").
			Set("priority = excluded.priority").Set("enabled = excluded.enabled").Set("drain = excluded.drain").Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("store the members of a pool: %w", err), nil)
	}
	return nil
}

func (s *store) updateMember(ctx context.Context, row *memberRow, columns ...string) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// revise gives pools another revision: agents hold another document of them.
func (s *store) revise(ctx context.Context, ids ...string) error {
	_, err := s.db.In(ctx).NewRaw("update transit_pools set revision = revision + 1 where id = any(?::uuid[])",
		pgdialect.Array(ids)).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) delete(ctx context.Context, id string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*poolRow)(nil)).Where("id = ?", id).Exec(ctx)
	return database.Fault(err, constraints)
}

// fallingBack gives the pools that fall back on one of these.
func (s *store) fallingBack(ctx context.Context, ids ...string) (pools []string, err error) {
	err = s.db.In(ctx).NewSelect().Model((*poolRow)(nil)).Column("id").
		Where("fallback_pool_id = any(?::uuid[])", pgdialect.Array(ids)).OrderExpr("id").Scan(ctx, &pools)
	return pools, database.Fault(err, nil)
}

// onNode gives the pools that a node is a member of.
func (s *store) onNode(ctx context.Context, nodeID string) (pools []string, err error) {
	err = s.db.In(ctx).NewSelect().Model((*memberRow)(nil)).Column("pool_id").
		Where("node_id = ?", nodeID).OrderExpr("pool_id").Scan(ctx, &pools)
	return pools, database.Fault(err, nil)
}

// withFlow gives the pools that a flow is a member of.
func (s *store) withFlow(ctx context.Context, flowID string) (rows []poolRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Join("join transit_pool_members m on m.pool_id = p.id").
		Where("m.flow_id = ?", flowID).OrderExpr("p.id").Scan(ctx)
	return rows, database.Fault(err, nil)
}
