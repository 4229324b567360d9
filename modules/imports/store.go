package imports

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/imports/internal/foreign"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/vault"
)

// importRow is something that was read. Its content goes when it is taken.
type importRow struct {
	bun.BaseModel `bun:"table:flow_imports,alias:i"`

	ID        string `bun:",pk,type:uuid"`
	AccountID string
	Format    string
	Content   string // sealed
	Flows     []Made `bun:",type:jsonb"`
	Clients   int
	CreatedAt time.Time
	TakenAt   *time.Time
}

func (r *importRow) place() vault.Ref {
	return vault.Ref{Table: "flow_imports", ID: r.ID, Column: "content"}
}

// store is the rows of imports and the sealing of what was read.
type store struct {
	db    *database.DB
	vault *vault.Vault
}

func newStore(db *database.DB, v *vault.Vault) *store { return &store{db: db, vault: v} }

func (s *store) insert(ctx context.Context, row *importRow, c *foreign.Config) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode what was read: %w", err)
	}
	row.Content = s.vault.Seal(row.place(), text)
	_, err = s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, nil)
}

// get gives an import of the caller that may still be taken; with lock nobody else takes it until the transaction ends.
func (s *store) get(ctx context.Context, id string, now time.Time, lock bool) (*importRow, *foreign.Config, error) {
	row := new(importRow)
	q := s.db.In(ctx).NewSelect().Model(row).
		Where("i.id = ? and i.account_id = ? and i.created_at > ?", id, access.From(ctx).AccountID, now.Add(-life))
	if lock {
		q = q.For("update")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, nil, database.Fault(err, nil)
	}
	c := new(foreign.Config)
	if row.TakenAt != nil {
		return row, c, nil
	}
	text, err := s.vault.Open(row.place(), row.Content)
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open what was read: %w", err)
	}
	return row, c, nil
}

// taken notes what an import has become, and forgets what was read.
func (s *store) taken(ctx context.Context, row *importRow, now time.Time) error {
	row.Content, row.TakenAt = s.vault.Seal(row.place(), []byte("{}")), &now
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("content", "flows", "taken_at").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) remove(ctx context.Context, id string) error {
	result, err := s.db.In(ctx).NewDelete().Model((*importRow)(nil)).
		Where("id = ? and account_id = ?", id, access.From(ctx).AccountID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if n, err := result.RowsAffected(); err == nil && n == 0 {
		return missing()
	}
	return nil
}

// missing is the answer for what is not there, or is of somebody else.
func missing() error { return fault.Missing(fault.NoSuchThing) }
