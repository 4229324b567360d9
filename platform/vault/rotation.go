package vault

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// Column is a column of sealed texts, declared in the manifest of the module that owns the table.
type Column struct {
	Table string
	// ID is the SQL expression whose text is Ref.ID of a row, for example "id" or "flow_id || '/' || node_id". It must
	// tell rows apart.
	ID     string
	Column string
}

const (
	resealBatch = 200
	// An empty text is "no secret"; everything else that the current key did not seal is stale.
	// Only the beginning of a text is compared: a long one need not be read whole.
	staleRows = "? <> '' and left(?, ?) <> ?"
)

// Rotation seals secrets anew after the master key was changed.
type Rotation struct {
	vault   *Vault
	columns []Column
}

// NewRotation makes the rotation of the declared columns.
func NewRotation(v *Vault, columns []Column) *Rotation {
	return &Rotation{vault: v, columns: columns}
}

// Left counts, by table and column, the secrets that an earlier master key sealed. It is empty when nothing is left:
// then PANEL_SECRET_KEY_PREVIOUS can go.
func (r *Rotation) Left(ctx context.Context, db bun.IDB) (map[string]int, error) {
	left := map[string]int{}
	for _, c := range r.columns {
		var n int
		err := db.NewRaw("select count(*) from ? where "+staleRows,
			bun.Ident(c.Table), bun.Ident(c.Column), bun.Ident(c.Column), len(r.current()), r.current()).Scan(ctx, &n)
		if err != nil {
			return nil, fmt.Errorf("count the secrets of %s that an earlier key sealed: %w", c.Table, err)
		}
		if n > 0 {
			left[c.Table+"."+c.Column] = n
		}
	}
	return left, nil
}

// Result is what one Reseal did.
type Result struct {
	Resealed int
	// Unreadable counts the secrets that no configured key opens, by table and column. They stay as they are.
	Unreadable map[string]int
}

// Reseal seals every stale secret with the current key, in small batches. A row that changes meanwhile keeps its new
// secret. It may be repeated and interrupted at any time.
func (r *Rotation) Reseal(ctx context.Context, db bun.IDB) (Result, error) {
	done := Result{Unreadable: map[string]int{}}
	for _, c := range r.columns {
		after := ""
		for {
			last, err := r.batch(ctx, db, c, after, &done)
			if err != nil {
				return done, fmt.Errorf("seal %s.%s with the current key: %w", c.Table, c.Column, err)
			}
			if last == "" {
				break
			}
			after = last
		}
	}
	return done, nil
}

type staleRow struct {
	ID     string `bun:"id"`
	Sealed string `bun:"sealed"`
}

// batch handles the stale rows behind the id after and gives the last id, or "" at the end.
func (r *Rotation) batch(ctx context.Context, db bun.IDB, c Column, after string, done *Result) (string, error) {
	var rows []staleRow
	err := db.NewRaw("select (?)::text as id, ? as sealed from ? where "+staleRows+" and (?)::text > ? order by 1 limit ?",
		bun.Safe(c.ID), bun.Ident(c.Column), bun.Ident(c.Table), bun.Ident(c.Column), bun.Ident(c.Column),
		len(r.current()), r.current(),
		bun.Safe(c.ID), after, resealBatch).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	for _, row := range rows {
		plain, err := r.vault.Open(Ref{Table: c.Table, ID: row.ID, Column: c.Column}, row.Sealed)
		if err != nil {
			done.Unreadable[c.Table+"."+c.Column]++
			continue
		}
		replaced, err := r.replace(ctx, db, c, row, plain)
		if err != nil {
			return "", err
		}
		done.Resealed += replaced
	}
	return rows[len(rows)-1].ID, nil
}

// replace counts 0 for a secret that was changed, or removed, since it was read.
func (r *Rotation) replace(ctx context.Context, db bun.IDB, c Column, row staleRow, plain []byte) (int, error) {
	fresh := r.vault.Seal(Ref{Table: c.Table, ID: row.ID, Column: c.Column}, plain)
	result, err := db.ExecContext(ctx, "update ? set ? = ? where (?)::text = ? and ? = ?",
		bun.Ident(c.Table), bun.Ident(c.Column), fresh, bun.Safe(c.ID), row.ID, bun.Ident(c.Column), row.Sealed)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// current is how a text begins that the current key sealed.
func (r *Rotation) current() string { return version + "." + r.vault.current + "." }
