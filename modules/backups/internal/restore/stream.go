package restore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/modules/backups/internal/artefact"
	"panel/platform/database"
	"panel/platform/pgtools"
)

// leftOut are tables whose rows belong to the moment of the backup and to nothing that goes on: what they would set
// going again has long been done, and sessions of then are no sessions of now.
var leftOut = []string{
	"jobs.river_job", "jobs.river_leader", "jobs.river_notification", "jobs.clients", "public.lease_wakes",
	"public.sessions", "public.challenges", "public.operations", "public.node_commands", "public.idempotency_keys",
}

// leaveOut empties those that the artefact's schema has, and takes every lease off the rows that somebody worked on.
func leaveOut() string {
	var b strings.Builder
	b.WriteString("do $left$ declare leased regclass; begin\n")
	for _, table := range leftOut {
		fmt.Fprintf(&b, "if to_regclass('%s') is not null then execute 'delete from %s'; end if;\n", table, table)
	}
	b.WriteString(`for leased in select a.attrelid::regclass from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname = 'lease_token' and not a.attisdropped and c.relkind = 'r' loop
  execute format('update %s set lease_token = '''' where lease_token <> ''''', leased);
end loop;
end $left$;
`)
	return b.String()
}

// inOne replaces the database in one transaction. It commits only when the whole artefact was read and proved and every
// table holds what the manifest says: whatever ends earlier has changed nothing.
func (r *run) inOne(ctx context.Context, conn *pgx.Conn, own string) error {
	name := "panel-restore-" + rand.Text()
	session, err := database.Connect(ctx, r.panel.DSN)
	if err != nil {
		return errors.New("the panel's database cannot be reached")
	}
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	if _, err := session.Exec(ctx, "select set_config('application_name', $1, false)", name); err != nil {
		return fmt.Errorf("begin the restore: %w", err)
	}
	err = pgx.BeginFunc(ctx, session, func(tx pgx.Tx) error { return r.refill(ctx, tx, own) })
	if err != nil {
		undone(ctx, conn, name)
	}
	return err
}

// refill empties the database, fills it from the artefact and proves what it holds then.
func (r *run) refill(ctx context.Context, tx pgx.Tx, own string) error {
	const prepare = "set local lock_timeout = '60s';\nset local maintenance_work_mem = '128MB';\n"
	if err := each(ctx, tx, prepare+pgtools.Wipe); err != nil {
		return fmt.Errorf("empty the database: %w", err)
	}
	if err := r.fill(ctx, tx); err != nil {
		return err
	}
	if err := each(ctx, tx, "reset search_path;\nset local check_function_bodies = off"); err != nil {
		return err
	}
	if err := r.from.Manifest.Holds(ctx, tx); err != nil {
		return err
	}
	return each(ctx, tx, "set local search_path = public;\n"+leaveOut()+own)
}

// each runs several statements.
func each(ctx context.Context, tx pgx.Tx, statements string) error {
	_, err := tx.Conn().PgConn().Exec(ctx, statements).ReadAll()
	return err
}

// fill runs what pg_restore writes on the session.
func (r *run) fill(ctx context.Context, tx pgx.Tx) error {
	out, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("begin the restore: %w", err)
	}
	unpacking, stop := context.WithCancel(ctx)
	defer stop()
	unpacked := make(chan error, 1)
	go func() {
		defer in.Close()
		unpacked <- r.unpack(unpacking, pgtools.Program{
			Name: "pg_restore", Out: in, Args: []string{"--no-owner", "--no-privileges", "--file=-"},
		})
	}()
	ran := pgtools.Script(ctx, tx.Conn().PgConn(), out)
	_ = out.Close() // what is still written goes nowhere
	if ran != nil && !errors.Is(ran, pgtools.ErrCutOff) {
		stop()
	}
	read := <-unpacked
	if ran != nil && !errors.Is(ran, pgtools.ErrCutOff) && !ours(read) {
		return ran
	}
	return cmp.Or(read, ran)
}

// undone waits until the server has given up what a session that ended in the middle had begun: until then it holds
// locks on everything.
func undone(ctx context.Context, conn *pgx.Conn, name string) {
	const within = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	// A session that has ended by itself meanwhile is what is wanted.
	_, _ = conn.Exec(ctx, "select pg_terminate_backend(pid, $2) from pg_stat_activity where application_name = $1",
		name, within.Milliseconds())
}

// ours tells a failure of the artefact from one that only says that nobody takes anything any more.
func ours(read error) bool {
	return errors.Is(read, artefact.ErrDamaged) || errors.Is(read, artefact.ErrNeedsKey) || errors.Is(read, errUnread)
}

// unpack runs pg_restore on the artefact's dump, and proves what it left unread.
func (r *run) unpack(ctx context.Context, program pgtools.Program) error {
	content, err := artefact.Open(ctx, r.from.At, r.from.Manifest, artefact.Database, r.from.Keys)
	if err != nil {
		return err
	}
	defer content.Close()
	read := &measured{from: content, note: func(bytes int64) { r.note("restoring", bytes, 0) }}
	program.Folder, program.In = r.folder, read
	err = program.Run(ctx)
	if read.failed != nil {
		return fmt.Errorf("%w: %w", errUnread, read.failed)
	}
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	return nil
}

var errUnread = errors.New("the backup could not be read to its end")

// measured counts, and remembers what it failed with: a program that reads from it only sees an end.
type measured struct {
	from   io.Reader
	note   func(int64)
	bytes  int64
	failed error
}

// Read hands on.
func (m *measured) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.bytes += int64(n)
	m.note(m.bytes)
	if err != nil && !errors.Is(err, io.EOF) {
		m.failed = err
	}
	return n, err
}
