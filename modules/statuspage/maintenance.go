package statuspage

import (
	"context"

	"github.com/uptrace/bun"

	"panel/modules/statuspage/statuspageapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

var workOrders = map[string]keyset.Order{
	"starts_at": {Expression: "m.starts_at", Kind: httpapi.CursorMoment},
}

// workPage lists announced work, what comes last first.
func (s *service) workPage(ctx context.Context, in *maintenanceInput) (page httpapi.Page[Maintenance], err error) {
	now := s.now()
	where := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.PageID != "" {
			q = q.Where("m.page_id::text = ?", in.PageID)
		}
		switch in.When {
		case "upcoming":
			q = q.Where("m.ends_at > ? and not m.cancelled", now)
		case "past":
			q = q.Where("m.ends_at <= ? or m.cancelled", now)
		}
		return q
	}
	k, rows, total, err := listed[maintenanceRow](ctx, s.store, in.PageQuery, "m", "-starts_at", workOrders, where)
	if err != nil {
		return page, err
	}
	at := func(r *maintenanceRow) Maintenance { return r.shown(now) }
	return keyset.Page(k, rows, total, at, func(r *maintenanceRow) (string, string) { return r.SortKey, r.ID }), nil
}

// work gives one. Fault: not_found (404).
func (s *service) work(ctx context.Context, id string) (Maintenance, error) {
	row, err := s.store.work(ctx, id, false)
	return row.shown(s.now()), err
}

// plan announces work. Fault: invalid_value (422).
func (s *service) plan(ctx context.Context, in NewMaintenance) (string, error) {
	row := maintenanceRow{
		ID: database.NewID(), PageID: in.PageID, Titles: in.Titles, Bodies: in.Bodies, StartsAt: in.StartsAt.UTC(),
		EndsAt: in.EndsAt.UTC(), Revision: 1, UpdatedAt: s.now(),
	}
	return row.ID, s.store.db.InTx(ctx, func(ctx context.Context) error {
		page, err := s.pageOf(ctx, in.PageID)
		if err != nil {
			return err
		}
		if row.ComponentIDs, err = page.Draft.named(in.ComponentIDs); err != nil {
			return err
		}
		if err := row.check(page); err != nil {
			return err
		}
		if err := s.store.insert(ctx, &row); err != nil {
			return err
		}
		return s.worked(ctx, page, &row)
	})
}

func (r *maintenanceRow) check(page *pageRow) error {
	if !r.EndsAt.After(r.StartsAt) {
		return fault.InvalidValue("ends_at", "it ends after it starts")
	}
	return together(titled("titles", r.Titles, page.Draft.DefaultLocale), checked("bodies", r.Bodies, "", longestBody))
}

// worked records what became of announced work, and renews what readers see.
func (s *service) worked(ctx context.Context, page *pageRow, row *maintenanceRow) error {
	state := row.state(s.now())
	news := statuspageapi.News{State: state}
	changes := map[string]audit.Change{
		"maintenance": {To: row.Titles[page.Draft.DefaultLocale]}, "state": {To: state}, "starts_at": {To: row.StartsAt},
		"ends_at": {To: row.EndsAt},
	}
	if err := s.publish(ctx, statuspageapi.MaintenanceChanged, page, news, changes); err != nil {
		return err
	}
	return s.refresh(ctx, page.ID)
}

// inWork runs a change of announced work with its page locked. Fault: not_found (404).
func (s *service) inWork(
	ctx context.Context, id string, change func(ctx context.Context, page *pageRow, row *maintenanceRow) error,
) error {
	return inPageOf(ctx, s, id, s.store.work, func(r *maintenanceRow) string { return r.PageID }, change)
}

func (s *service) saveWork(ctx context.Context, page *pageRow, row *maintenanceRow) error {
	row.Revision, row.UpdatedAt = row.Revision+1, s.now()
	err := s.store.save(ctx, row, "titles", "bodies", "starts_at", "ends_at", "component_ids", "cancelled", "revision",
		"updated_at")
	if err != nil {
		return err
	}
	return s.worked(ctx, page, row)
}

// editWork changes announced work. Faults: not_found (404), revision_conflict (409), invalid_value (422).
func (s *service) editWork(ctx context.Context, id string, revision int64, to MaintenanceChange) error {
	return s.inWork(ctx, id, func(ctx context.Context, page *pageRow, row *maintenanceRow) (err error) {
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		if to.Titles != nil {
			row.Titles = to.Titles
		}
		if to.Bodies != nil {
			row.Bodies = to.Bodies
		}
		set(&row.StartsAt, utc(to.StartsAt))
		set(&row.EndsAt, utc(to.EndsAt))
		if to.ComponentIDs != nil {
			if row.ComponentIDs, err = page.Draft.named(*to.ComponentIDs); err != nil {
				return err
			}
		}
		if err := row.check(page); err != nil {
			return err
		}
		return s.saveWork(ctx, page, row)
	})
}

// finish ends work now; what has not begun is cancelled. What is over stays as it is. Fault: not_found (404).
func (s *service) finish(ctx context.Context, id string) error {
	return s.inWork(ctx, id, func(ctx context.Context, page *pageRow, row *maintenanceRow) error {
		now := s.now()
		switch row.state(now) {
		case "planned":
			row.Cancelled = true
		case "active":
			row.EndsAt = now
		default:
			return nil
		}
		return s.saveWork(ctx, page, row)
	})
}

// forget removes announced work from the page and its calendar. Fault: not_found (404).
func (s *service) forget(ctx context.Context, id string) error {
	return s.inWork(ctx, id, func(ctx context.Context, page *pageRow, row *maintenanceRow) error {
		if err := s.store.remove(ctx, row); err != nil {
			return err
		}
		row.Cancelled = true
		return s.worked(ctx, page, row)
	})
}
