package selfupdate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/pattern"
)

// connection is an open panel database.
type connection struct {
	conn *pgx.Conn
	dsn  string
	stop func(context.Context) error
	// patience is how long a restore waits for the sessions of a panel that was just killed in the middle of a
	// statement.
	patience time.Duration
}

// killedWithin leaves the rest of a minute to the restore.
const killedWithin = 10 * time.Second

// connect opens PANEL_DB_URL, or brings up the private database of a stopped panel.
func connect(ctx context.Context, cfg *config.Config) (*connection, error) {
	c := &connection{
		patience: killedWithin,
		dsn:      cfg.Secret(config.DBURL).Reveal(),
		stop:     func(context.Context) error { return nil },
	}
	var err error
	if c.dsn == "" {
		c.dsn, c.stop, err = database.StartPrivate(
			ctx,
			database.PrivateOptions{DataDir: cfg.DataDir(), BinDir: cfg.String(config.PGBin), Log: zap.NewNop()},
		)
		if err != nil {
			return nil, fmt.Errorf("start the private database: %w", err)
		}
	}
	c.conn, err = database.Connect(ctx, c.dsn)
	if err != nil {
		return nil, errors.Join(errors.New("the database cannot be reached"), c.stop(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *connection) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return errors.Join(c.conn.Close(ctx), c.stop(ctx))
}

// schema is the fingerprint of the applied migrations: two panels with the same one use the same tables.
func (c *connection) schema(ctx context.Context) (string, error) {
	rows, err := c.conn.Query(ctx, "select name from bun_migrations order by name")
	if err != nil {
		return "", fmt.Errorf("read the applied migrations: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("read the applied migrations: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return hex.EncodeToString(sum[:]), nil
}

// dump writes the whole database as SQL.
func (c *connection) dump(ctx context.Context, given string, out io.Writer) error {
	return c.run(ctx, given, "pg_dump", nil, out, "--no-password")
}

// wipe empties the database but for what extensions own: a dump knows nothing of tables that a newer panel added.
const wipe = `do $wipe$
declare statements text[]; statement text;
begin
  select array_agg(s order by rank) into statements from (
    select 1 as rank, format('drop schema %I cascade', n.nspname) as s from pg_namespace n
      where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')
        and not exists (select from pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')
    union all
    select 2, format('drop %s if exists public.%I cascade', case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
        when 'S' then 'sequence' when 'f' then 'foreign table' when 'c' then 'type' else 'table' end, c.relname) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and (d.deptype = 'e' or d.deptype = 'i' and c.relkind = 'S')) -- the sequence of an identity goes with its table
    union all
    select 3, format('drop routine if exists public.%I(%s) cascade', p.proname, pg_get_function_identity_arguments(p.oid)) from pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select 4, format('drop type if exists public.%I cascade', t.typname) from pg_type t
      where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd')
        and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
  ) as found;
  foreach statement in array coalesce(statements, array[]::text[]) loop
    execute statement;
  end loop;
end $wipe$;
`

var errShared = errors.New("another panel works on this database; stop it first")

// restore replaces everything in one transaction: a restore that is interrupted has changed nothing.
func (c *connection) restore(ctx context.Context, given string, from io.Reader) error {
	if err := c.alone(ctx); err != nil {
		return err
	}
	return c.run(ctx, given, "psql", io.MultiReader(strings.NewReader(wipe), from), io.Discard,
		"--no-psqlrc", "--no-password", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-")
}

// alone makes sure that no panel is connected.
func (c *connection) alone(ctx context.Context) error {
	const again = 200 * time.Millisecond
	for left := c.patience; ; left -= again {
		var others int
		err := c.conn.QueryRow(ctx,
			"select count(*) from pg_stat_activity where datname = current_database() and application_name = 'panel'").
			Scan(&others)
		switch {
		case err != nil:
			return fmt.Errorf("look for other panels: %w", err)
		case others == 0:
			return nil
		case left <= 0:
			return errShared
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return fmt.Errorf("look for other panels: %w", ctx.Err())
		}
	}
}

func (c *connection) run(
	ctx context.Context,
	given, program string,
	in io.Reader,
	out io.Writer,
	args ...string,
) error {
	folder, err := postgresPrograms(ctx, given, serverMajor(c.conn))
	if err != nil {
		return err
	}
	address, environ, err := libpq(c.dsn)
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd := exec.CommandContext(ctx, filepath.Join(folder, program), append(args, "--dbname="+address)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = in, out, &said, environ
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, lastLine([]byte(said.String())))
	}
	return nil
}

func serverMajor(conn *pgx.Conn) int {
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return n
}

var errPrograms = errors.New(
	"there is no pg_dump and psql for this database server; install the operating system's postgresql-client",
)

var majorOf = pattern.Of(`PostgreSQL\) (\d+)`)

// postgresPrograms finds pg_dump and psql of the server's version or a newer one.
func postgresPrograms(ctx context.Context, given string, server int) (string, error) {
	for _, folder := range programFolders(given) {
		said, err := exec.CommandContext(ctx, filepath.Join(folder, "pg_dump"), "--version").Output()
		found := majorOf().FindSubmatch(said)
		if err != nil || found == nil || !exists(filepath.Join(folder, "psql")) {
			continue
		}
		if major, err := strconv.Atoi(string(found[1])); err == nil && major >= server {
			return folder, nil
		}
	}
	return "", errPrograms
}

func programFolders(given string) []string {
	var folders []string
	if given != "" {
		folders = append(folders, given)
	}
	packaged, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Sort(packaged)
	folders = append(folders, packaged...)
	if found, err := exec.LookPath("pg_dump"); err == nil {
		folders = append(folders, filepath.Dir(found))
	}
	return folders
}

// libpqWords are what PostgreSQL's own programs take of an address; the panel's driver takes more.
var libpqWords = []string{
	"host", "hostaddr", "port", "user", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslsni",
	"sslnegotiation",
	"channel_binding", "require_auth", "target_session_attrs", "options", "krbsrvname", "gssencmode",
}

var wordOf = pattern.Of(`(\w+)\s*=\s*('(?:\\.|[^'\\])*'|\S*)`)

var errAddress = errors.New("PANEL_DB_URL cannot be read")

// libpq takes the password out of the address: an argument list is readable to everybody on the machine.
func libpq(dsn string) (address string, environ []string, err error) {
	read, err := database.ParseAddress(dsn)
	if err != nil {
		return "", nil, errAddress
	}
	environ = environment(map[string]string{
		"PGPASSWORD": read.Password, "PGPASSFILE": os.DevNull,
		"PGCONNECT_TIMEOUT": "10",
	})
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return wordsOnly(dsn), environ, nil
	}
	parsed, err := url.Parse(dsn)
	if err != nil {
		return "", nil, errAddress
	}
	query := parsed.Query()
	for name := range query {
		if !slices.Contains(libpqWords, name) {
			query.Del(name)
		}
	}
	parsed.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // these programs read a plus as a plus
	if parsed.User != nil {
		parsed.User = url.User(parsed.User.Username())
	}
	return parsed.String(), environ, nil
}

func wordsOnly(dsn string) string {
	var kept []string
	for _, word := range wordOf().FindAllStringSubmatch(dsn, -1) {
		if slices.Contains(libpqWords, word[1]) {
			kept = append(kept, word[1]+"="+word[2])
		}
	}
	return strings.Join(kept, " ")
}
