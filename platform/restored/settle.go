package restored

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"panel/platform/access"
	"panel/platform/database"
)

// Rule lets a module put right what it owns, in the transaction of the context, and say what it did in the outcome.
// Kept is what the module asked to outlive the restore; nil where the database before was empty, gone or of a version
// without it.
type Rule func(ctx context.Context, kept json.RawMessage, r *Restoration) error

// Outcomes are those of the restores that this database knows, by their ids.
func Outcomes(ctx context.Context, db *database.DB) (map[string]*Outcome, error) {
	var rows []struct {
		ID      string   `bun:"id"`
		Outcome *Outcome `bun:"outcome,type:jsonb"`
	}
	err := db.In(ctx).NewRaw("select id::text, outcome from restorations where outcome is not null").Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the outcomes of restores: %w", err), nil)
	}
	all := make(map[string]*Outcome, len(rows))
	for _, row := range rows {
		all[row.ID] = row.Outcome
	}
	return all, nil
}

// Restoration is a restore that is being settled.
type Restoration struct {
	Note

	At      time.Time
	Outcome Outcome
}

// Last is called in the same transaction when all rules have done their part.
type Last func(ctx context.Context, r *Restoration) error

// Settle applies the rules when the database was restored and not settled since; nil when there is nothing to do. One
// panel of several does it, and the others wait for it. A rule that fails undoes all.
func Settle(ctx context.Context, db *database.DB, rules map[string]Rule, last Last) (done *Restoration, err error) {
	err = db.InTx(ctx, func(ctx context.Context) error {
		r, err := pending(ctx, db)
		if err != nil || r == nil {
			return err
		}
		ctx = access.With(ctx, r.actor())
		r.Outcome = Outcome{Artefact: r.Artefact, Snapshot: r.Snapshot, EnrolledSince: []Node{}}
		for _, owner := range slices.Sorted(maps.Keys(rules)) {
			if err := rules[owner](ctx, r.Kept[owner], r); err != nil {
				return fmt.Errorf("put right what the module %s owns in the restored database: %w", owner, err)
			}
		}
		if err := last(ctx, r); err != nil {
			return err
		}
		done = r
		return settled(ctx, db, r)
	})
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	return done, nil
}

func pending(ctx context.Context, db *database.DB) (*Restoration, error) {
	r := &Restoration{}
	err := db.In(ctx).NewRaw(`select note, restored_at from restorations where outcome is null
		order by restored_at desc limit 1 for update`).Scan(ctx, &r.Note, &r.At)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a restore that is not settled: %w", err)
	}
	return r, nil
}

// settled forgets what was kept: it has its place now, or none.
func settled(ctx context.Context, db *database.DB, r *Restoration) error {
	text, err := json.Marshal(r.Outcome)
	if err == nil {
		_, err = db.In(ctx).NewRaw("update restorations set outcome = ?::jsonb, note = note - 'kept' where outcome is null",
			string(text)).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("note that the restored database is settled: %w", err)
	}
	return nil
}

// actor is who restored, for the journal.
func (n Note) actor() access.Caller {
	if n.Account == "" {
		return access.Caller{Kind: access.CLI, Username: "panelctl"}
	}
	return access.Caller{Kind: access.Admin, AccountID: n.Account, Username: n.By}
}
