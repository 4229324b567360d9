package specimen

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// itemRow is an item as the table keeps it.
type itemRow struct {
	bun.BaseModel `bun:"table:specimen_items,alias:i"`

	ID        string     `bun:"id,pk,type:uuid"`
	Name      string     `bun:"name"`
	Comment   string     `bun:"comment"`
	SeenAt    *time.Time `bun:"seen_at"`
	CreatedAt time.Time  `bun:"created_at"`
	UpdatedAt time.Time  `bun:"updated_at"`
	Revision  int64      `bun:"revision"`
	SortKey   string     `bun:"sort_key,scanonly"`
}

func (r *itemRow) object() audit.Object { return audit.Object{Type: object, ID: r.ID, Name: r.Name} }

func (r *itemRow) shown() Item {
	item := Item{
		ID: r.ID, Name: r.Name, Comment: r.Comment, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Revision: r.Revision,
	}
	if r.SeenAt != nil {
		at := r.SeenAt.UTC()
		item.SeenAt = &at
	}
	return item
}

// with is the row after a change.
func (r itemRow) with(to ItemChange, at time.Time) itemRow {
	if to.Name != nil {
		r.Name = *to.Name
	}
	if to.Comment != nil {
		r.Comment = *to.Comment
	}
	r.Revision, r.UpdatedAt = r.Revision+1, at
	return r
}

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

var constraints = map[string]*fault.Fault{
	"specimen_items_name": fault.Conflict("name_taken", "an item of this name is already there"),
}

var orders = map[string]keyset.Order{
	"name":       {Expression: "i.name", Kind: httpapi.CursorText},
	"created_at": {Expression: "i.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Item], err error) {
	k, err := keyset.New(query, "i.id", "name", orders)
	if err != nil {
		return page, err
	}
	var rows []itemRow
	if err := k.Apply(s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("i.*"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list items: %w", err), nil)
	}
	total, err := s.db.In(ctx).NewSelect().Model((*itemRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count items: %w", err), nil)
	}
	last := func(r *itemRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*itemRow).shown, last), nil
}

// countLocked counts the items and keeps others from adding one until the transaction ends.
func (s *store) countLocked(ctx context.Context) (total int, err error) {
	if _, err := s.db.In(ctx).ExecContext(ctx, "lock table specimen_items in share row exclusive mode"); err != nil {
		return 0, database.Fault(fmt.Errorf("lock the items: %w", err), nil)
	}
	n, err := s.db.In(ctx).NewSelect().Model((*itemRow)(nil)).Count(ctx)
	return int(n), database.Fault(err, nil)
}

func (s *store) get(ctx context.Context, id string) (row itemRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("i.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// lock is get, and nobody else changes the row until the transaction ends.
func (s *store) lock(ctx context.Context, id string) (row itemRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("i.id = ?", id).For("UPDATE").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row *itemRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) update(ctx context.Context, row *itemRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("name", "comment", "updated_at", "revision").WherePK().
		Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) delete(ctx context.Context, id string) (row itemRow, err error) {
	err = s.db.In(ctx).NewDelete().Model(&row).Where("i.id = ?", id).Returning("*").Scan(ctx)
	return row, database.Fault(err, nil)
}

// markSeen notes that the item, or every item that nobody has looked at since, was looked at.
func (s *store) markSeen(ctx context.Context, id string, since, now time.Time) (int64, error) {
	query := s.db.In(ctx).NewUpdate().Model((*itemRow)(nil)).Set("seen_at = ?", now)
	if id != "" {
		query = query.Where("i.id = ?", id)
	} else {
		query = query.Where("i.seen_at is null or i.seen_at < ?", since)
	}
	done, err := query.Exec(ctx)
	if err != nil {
		return 0, database.Fault(fmt.Errorf("note that items were looked at: %w", err), nil)
	}
	return done.RowsAffected()
}
