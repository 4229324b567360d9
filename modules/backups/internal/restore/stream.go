package restore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/modules/backups/internal/artefact"
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

// inOne replaces the database in one transaction of psql. The commit is sent only when the whole artefact was read and
// proved and every table holds what the manifest says: whatever ends earlier has changed nothing.
func (r *run) inOne(ctx context.Context, conn *pgx.Conn, own string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program := pgtools.Program{
		Folder: r.folder, Name: "psql", DSN: r.panel.DSN,
		Args:        []string{"--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--set=VERBOSITY=terse", "--file=-"},
		Application: "panel-restore-" + rand.Text(),
	}
	cmd, said, err := program.Command(ctx)
	if err != nil {
		return err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start psql: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start psql: %w", err)
	}
	fed := r.feed(ctx, in, own)
	if fed != nil {
		cancel() // before the input ends: psql must not take the end for a good one
	}
	_ = in.Close() // psql may have ended before
	ended := cmd.Wait()
	if fed != nil || ended != nil {
		undone(ctx, conn, program.Application)
	}
	if ended != nil && !ours(fed) && said.Len() > 0 {
		return pgtools.Failed("psql", ended, said.String())
	}
	if fed != nil {
		return fed
	}
	return ended
}

// undone waits until the server has given up what a psql that ended in the middle had begun: until then it holds locks
// on everything.
func undone(ctx context.Context, conn *pgx.Conn, name string) {
	const within = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	// A session that has ended by itself meanwhile is what is wanted.
	_, _ = conn.Exec(ctx, "select pg_terminate_backend(pid, $2) from pg_stat_activity where application_name = $1",
		name, within.Milliseconds())
}

// ours tells a failure of the artefact from one that only says that psql takes nothing any more.
func ours(fed error) bool {
	return errors.Is(fed, artefact.ErrDamaged) || errors.Is(fed, artefact.ErrNeedsKey) ||
		errors.Is(fed, context.Canceled) || errors.Is(fed, errUnread)
}

func (r *run) feed(ctx context.Context, into io.Writer, own string) error {
	if _, err := io.WriteString(into, "begin;\nset local lock_timeout = '60s';\nset local maintenance_work_mem = '128MB';\n"+
		pgtools.Wipe); err != nil {
		return err
	}
	if err := r.unpack(ctx, pgtools.Program{
		Name: "pg_restore", Out: into, Args: []string{"--no-owner", "--no-privileges", "--file=-"},
	}); err != nil {
		return err
	}
	end := "reset search_path;\nset local check_function_bodies = off;\n" + r.from.Manifest.Proof() +
		"set local search_path = public;\n" + leaveOut() + own + "\ncommit;\n"
	_, err := io.WriteString(into, end)
	return err
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
