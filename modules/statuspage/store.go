package statuspage

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

var constraints = map[string]*fault.Fault{
	"statuspage_pages_slug": fault.Conflict("name_taken", "another page has this name").
		Field("slug", "name_taken", "choose another name"),
	"statuspage_notices_incident": fault.Conflict("name_taken", "this incident has a notice on the page already").
		Field("health_incident_id", "name_taken", "add an update to the notice that is there"),
	"statuspage_deploys_active": errDeployActive,
}

// one reads a row by its id; with lock nobody else changes it until the transaction ends. Fault: not_found (404).
func one[R any](ctx context.Context, s *store, row *R, alias, id string, lock bool) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	q := s.db.In(ctx).NewSelect().Model(row).Where("?.id = ?", bun.Ident(alias), id)
	if lock {
		q = q.For("no key update")
	}
	return database.Fault(q.Scan(ctx), nil)
}

func (s *store) page(ctx context.Context, id string, lock bool) (row pageRow, err error) {
	return row, one(ctx, s, &row, "p", id, lock)
}

func (s *store) notice(ctx context.Context, id string, lock bool) (row noticeRow, err error) {
	return row, one(ctx, s, &row, "n", id, lock)
}

func (s *store) work(ctx context.Context, id string, lock bool) (row maintenanceRow, err error) {
	return row, one(ctx, s, &row, "m", id, lock)
}

func (s *store) deploy(ctx context.Context, id string) (row deployRow, err error) {
	return row, one(ctx, s, &row, "d", id, false)
}

func (s *store) target(ctx context.Context, id string, lock bool) (row targetRow, err error) {
	return row, one(ctx, s, &row, "t", id, lock)
}

func (s *store) pages(ctx context.Context) (rows []pageRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).OrderExpr("created_at, id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) targets(ctx context.Context, pageIDs ...string) (rows []targetRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("page_id = any(?::uuid[])", pgdialect.Array(pageIDs)).
		OrderExpr("created_at, id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) save(ctx context.Context, row any, columns ...string) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) remove(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewDelete().Model(row).WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// updates reads what was said of notices, newest first.
func (s *store) updates(ctx context.Context, noticeIDs ...string) (map[string][]updateRow, error) {
	var rows []updateRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("notice_id = any(?::uuid[])", pgdialect.Array(noticeIDs)).
		OrderExpr("at desc, id desc").Scan(ctx)
	out := map[string][]updateRow{}
	for _, row := range rows {
		out[row.NoticeID] = append(out[row.NoticeID], row)
	}
	return out, database.Fault(err, nil)
}

func (s *store) logo(ctx context.Context, pageID, sha256 string) (row logoRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("page_id = ? and sha256 = ?", pageID, sha256).Scan(ctx)
	return row, database.Fault(err, nil)
}

// trimLogos forgets logos that neither the draft nor a live deploy shows.
func (s *store) trimLogos(ctx context.Context, pageID string) error {
	_, err := s.db.In(ctx).NewRaw(`delete from statuspage_logos l where page_id = ?0
		and not exists (select from statuspage_pages p where p.id = ?0 and p.draft #>> '{theme,logo_sha256}' = l.sha256)
		and not exists (select from statuspage_deploys d where d.page_id = ?0
			and d.content #>> '{theme,logo_sha256}' = l.sha256
			and (d.finished_at is null or d.id in (select live_deploy_id from statuspage_targets where page_id = ?0)))`,
		pageID).Exec(ctx)
	return database.Fault(err, nil)
}

// listed reads one page of a list.
func listed[R any](
	ctx context.Context, s *store, in httpapi.PageQuery, alias, usual string, orders map[string]keyset.Order,
	where func(*bun.SelectQuery) *bun.SelectQuery,
) (k *keyset.Keyset, rows []R, total int, err error) {
	if k, err = keyset.New(in, alias+".id", usual, orders); err != nil {
		return nil, nil, 0, err
	}
	q := s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("?TableColumns").Apply(where)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return nil, nil, 0, database.Fault(fmt.Errorf("read a list of a status page: %w", err), nil)
	}
	n, err := s.db.In(ctx).NewSelect().Model((*R)(nil)).Apply(where).Count(ctx)
	return k, rows, int(n), database.Fault(err, nil)
}
