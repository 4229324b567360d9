package restore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/modules/backups/internal/artefact"
	"panel/platform/database"
	"panel/platform/pgtools"
	"panel/platform/vault"
)

const killedWithin = 10 * time.Second

// Full makes the panel's database what the artefact says, in one transaction: a restore that fails or is killed has
// changed nothing. Before it touches anything it proves every part, the master key (ErrKeyMismatch) and the schema
// (ErrNewerSchema). Jobs, leases, sessions, operations and commands of the artefact are left out.
func Full(ctx context.Context, from From, p Panel, o Options) (out Outcome, err error) {
	r := &run{from: from, panel: p, options: o}
	if r.from.Keys, err = fits(ctx, from, p, o.Progress); err != nil {
		return out, err
	}
	if r.resealing, err = otherKey(p, from.Manifest.KeyID); err != nil {
		return out, err
	}
	conn, err := database.Connect(ctx, p.DSN)
	if err != nil {
		return out, errors.New("the panel's database cannot be reached")
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	r.server = max(pgtools.Major(conn), from.Manifest.Server)
	r.folder, err = pgtools.Find(ctx, p.Programs, r.server, "pg_restore")
	if err != nil {
		return out, err
	}
	if o.Hooks.Enter != nil {
		if err := o.Hooks.Enter(ctx); err != nil {
			return out, fmt.Errorf("begin the maintenance: %w", err)
		}
	}
	if o.Hooks.Leave != nil {
		defer func() { o.Hooks.Leave(context.WithoutCancel(ctx), out.Changed) }()
	}
	return r.replace(ctx, conn)
}

// run is one full restore.
type run struct {
	from      From
	panel     Panel
	options   Options
	server    int
	folder    string
	resealing bool
}

func (r *run) note(step string, bytes, total int64) {
	if r.options.Progress != nil {
		r.options.Progress(artefact.Progress{Step: step, Entry: artefact.Database, Bytes: bytes, Total: total})
	}
}

func (r *run) replace(ctx context.Context, conn *pgx.Conn) (out Outcome, err error) {
	if r.options.Alone {
		if err := pgtools.Alone(ctx, conn, cmp.Or(r.options.Patience, killedWithin)); err != nil {
			return out, err
		}
	}
	own, err := r.before(ctx, conn)
	if err != nil {
		return out, err
	}
	if err := r.inOne(ctx, conn, own); err != nil {
		return out, fmt.Errorf("restore the database: %w", err)
	}
	out.Changed = true
	for _, table := range r.from.Manifest.Tables {
		out.Tables++
		out.Rows += table.Rows
	}
	ctx = context.WithoutCancel(ctx) // what is restored is also brought to its end
	if out.Resealed, err = r.reseal(ctx); err != nil {
		return out, err
	}
	if r.options.Hooks.Changed == nil {
		return out, nil
	}
	r.note("finishing", 0, 0)
	if err := r.options.Hooks.Changed(ctx); err != nil {
		return out, fmt.Errorf("finish the restore; the database is already the restored one: %w", err)
	}
	return out, nil
}

// before keeps the present database, and reads what must outlive the restore.
func (r *run) before(ctx context.Context, conn *pgx.Conn) (statements string, err error) {
	var panels bool
	if err := conn.QueryRow(ctx, "select to_regclass('public.bun_migrations') is not null").Scan(&panels); err != nil {
		return "", fmt.Errorf("look at the present database: %w", err)
	}
	if panels && r.options.Hooks.Snapshot != nil {
		r.note("saving", 0, 0)
		if err := r.options.Hooks.Snapshot(ctx); err != nil {
			return "", fmt.Errorf("keep the present database first; nothing was changed: %w", err)
		}
	}
	if r.options.Hooks.SQL == nil {
		return "", nil
	}
	var old Querier
	if panels {
		old = querier{conn}
	}
	statements, err = r.options.Hooks.SQL(ctx, old)
	if err != nil {
		return "", fmt.Errorf("read what outlives the restore; nothing was changed: %w", err)
	}
	return statements, nil
}

type querier struct{ conn *pgx.Conn }

// QueryRow reads one row into dest.
func (q querier) QueryRow(ctx context.Context, dest []any, query string, args ...any) error {
	return q.conn.QueryRow(ctx, query, args...).Scan(dest...)
}

// reseal makes a database of another master key one of this panel's. It may be repeated: the panel does the rest itself
// while PANEL_SECRET_KEY_PREVIOUS has the old key.
func (r *run) reseal(ctx context.Context) (int, error) {
	if !r.resealing {
		return 0, nil
	}
	_, old := vaultOf(r.from.Manifest.KeyID, r.from.Keys)
	safe, err := vault.New(r.panel.Master, append([]string{old}, r.from.Keys.Masters...)...)
	if err != nil {
		return 0, err
	}
	db, err := database.Open(ctx, r.panel.DSN, database.Options{MaxConns: 2, Name: "panel-restore"})
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	columns, err := present(ctx, db, slices.Concat(r.panel.Sealed, journalKeys))
	if err != nil {
		return 0, err
	}
	done, err := vault.NewRotation(safe, columns).Reseal(ctx, db)
	if err == nil {
		err = safe.Guard(ctx, db)
	}
	if err != nil {
		return 0, fmt.Errorf("seal the restored secrets with this panel's key; until then it needs the old one in "+
			"PANEL_SECRET_KEY_PREVIOUS: %w", err)
	}
	return done.Resealed, nil
}

// journalKeys are sealed, too, and renewed by the journal itself where the panel knows the old key.
var journalKeys = []vault.Column{{Table: "journal_keys", ID: "id", Column: "sealed"}}
