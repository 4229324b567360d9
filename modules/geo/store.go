package geo

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
)

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

var constraints = map[string]*fault.Fault{
	"geo_assets_name": fault.Conflict("name_taken", "there is a geo file with this name").
		Field("name", "name_taken", "choose another name, or change the file that is there"),
	"geo_rollouts_active": errDistributing,
}

// one reads an asset; with lock nobody else changes it until the transaction ends. Fault: not_found (404).
func (s *store) one(ctx context.Context, id string, lock bool) (row assetRow, err error) {
	if !database.IsID(id) {
		return row, fault.Missing(fault.NoSuchThing)
	}
	q := s.db.In(ctx).NewSelect().Model(&row).Where("a.id = ?", id)
	if lock {
		q = q.For("update")
	}
	return row, database.Fault(q.Scan(ctx), nil)
}

// all reads every asset, by name. There is one for each file name, so there are few.
func (s *store) all(ctx context.Context) (rows []assetRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).OrderExpr("name").Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) save(ctx context.Context, row *assetRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// versions reads what is kept of assets without the categories, the newest first.
func (s *store) versions(ctx context.Context, assetIDs ...string) (rows []versionRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).ExcludeColumn("categories").
		ColumnExpr("jsonb_array_length(categories) as count").
		Where("asset_id = any(?::uuid[])", pgdialect.Array(assetIDs)).OrderExpr("fetched_at desc, sha256").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// version reads one with its categories. Fault: not_found (404).
func (s *store) version(ctx context.Context, assetID, sha256 string) (row versionRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("asset_id = ? and sha256 = ?", assetID, sha256).Scan(ctx)
	return row, database.Fault(err, nil)
}

// trim forgets old versions that nobody holds, and gives the digests of those that are left.
func (s *store) trim(ctx context.Context, row *assetRow, keep int) (kept []string, err error) {
	_, err = s.db.In(ctx).NewRaw(`delete from geo_versions v where asset_id = ?0 and not sha256 = any(?1::text[])
		and not exists (select from geo_nodes n where n.asset_id = v.asset_id and v.sha256 in (n.wanted, n.held))
		and sha256 not in (select sha256 from geo_versions where asset_id = ?0 order by fetched_at desc limit ?2)`,
		row.ID, pgdialect.Array(row.holds()), keep).Exec(ctx)
	if err == nil {
		err = s.db.In(ctx).NewRaw("select sha256 from geo_versions where asset_id = ?", row.ID).Scan(ctx, &kept)
	}
	if err != nil {
		return nil, database.Fault(fmt.Errorf("forget old versions: %w", err), nil)
	}
	return kept, nil
}

// nodesOf reads how nodes hold assets.
func (s *store) nodesOf(ctx context.Context, assetIDs ...string) (rows []nodeRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("asset_id = any(?::uuid[])", pgdialect.Array(assetIDs)).
		OrderExpr("asset_id, ring, node_id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// onNodes reads what nodes shall hold, with lock in the sequence of their ids, so that two who tell the same nodes do
// not wait for each other.
func (s *store) onNodes(ctx context.Context, lock bool, nodeIDs ...string) (rows []nodeRow, err error) {
	q := s.db.In(ctx).NewSelect().Model(&rows).Where("node_id = any(?::uuid[])", pgdialect.Array(nodeIDs)).
		OrderExpr("node_id, asset_id")
	if lock {
		q = q.For("update")
	}
	return rows, database.Fault(q.Scan(ctx), nil)
}
