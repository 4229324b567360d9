package selfupdate

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/pgtools"
)

// scratch is a migrated database and a connection to it that is not a panel's.
func scratch(t *testing.T) (*database.DB, *connection) {
	t.Helper()
	db := dbtest.New(t)
	settings := db.Pool.Config().ConnConfig
	conn, err := pgx.Connect(t.Context(), settings.ConnString())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(t.Context()) })
	return db, &connection{conn: conn, dsn: settings.ConnString()}
}

func execute(t *testing.T, c *connection, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := c.conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

// everything is what a person would compare: the definitions and the data, without the hour.
func everything(t *testing.T, c *connection) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, c.dump(t.Context(), "", &out))
	var lines []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, `\`) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// The way back removes also what a newer panel added: tables, types, functions, views, whole schemas.
func TestRestoreBringsBackExactlyWhatWasDumped(t *testing.T) {
	t.Parallel()
	_, c := scratch(t)
	execute(
		t,
		c,
		"create table kept (id int primary key, word text)",
		"insert into kept values (1, 'it''s; \\ ü')",
		"create sequence counter",
		"create table numbered (id bigint generated always as identity primary key, old bigserial)",
	)
	before := everything(t, c)
	fingerprint, err := c.schema(t.Context())
	require.NoError(t, err)
	var dump bytes.Buffer
	require.NoError(t, c.dump(t.Context(), "", &dump))
	execute(
		t,
		c,
		"update kept set word = 'changed'",
		"alter table kept add column more text",
		"create schema newer",
		"create table newer.queue (id int)",
		"create type colour as enum ('red')",
		"create table added (id int, c colour)",
		"create view seen as select * from added",
		"create function twice(int) returns int language sql as 'select $1 * 2'",
		"create domain positive as int check (value > 0)",
		"insert into bun_migrations (name, group_id) values ('20990101000000_newer', 99)",
	)
	changed, err := c.schema(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, fingerprint, changed)
	require.NoError(t, c.restore(t.Context(), "", &dump))
	require.Equal(t, before, everything(t, c))
	again, err := c.schema(t.Context())
	require.NoError(t, err)
	require.Equal(t, fingerprint, again)
}

// A restore that breaks off in the middle has changed nothing.
func TestARestoreThatBreaksOffChangesNothing(t *testing.T) {
	t.Parallel()
	_, c := scratch(t)
	execute(t, c, "create table kept (id int primary key)", "insert into kept values (1)")
	var dump bytes.Buffer
	require.NoError(t, c.dump(t.Context(), "", &dump))
	execute(t, c, "insert into kept values (2)")
	before := everything(t, c)
	half := dump.String()[:strings.Index(dump.String(), "COPY public.kept")] + "\nselect 1/0;\n"
	require.Error(t, c.restore(t.Context(), "", strings.NewReader(half)))
	require.Equal(t, before, everything(t, c))
}

// With several panels on one database, the way back of one must not take away what another writes.
func TestARestoreIsRefusedWhileAnotherPanelIsConnected(t *testing.T) {
	t.Parallel()
	db, c := scratch(t)
	other, err := database.Open(t.Context(), db.Pool.Config().ConnString(), database.Options{Name: "panel"})
	require.NoError(t, err)
	t.Cleanup(func() { other.Close() })
	require.ErrorIs(t, c.restore(t.Context(), "", strings.NewReader("select 1;")), pgtools.ErrShared)
}

// A panel that was killed in the middle of a long statement leaves a session behind, which ends soon after.
func TestARestoreWaitsForTheSessionsOfAKilledPanel(t *testing.T) {
	t.Parallel()
	db, c := scratch(t)
	c.patience = time.Minute
	left, err := database.Open(t.Context(), db.Pool.Config().ConnString(), database.Options{Name: "panel"})
	require.NoError(t, err)
	statement := make(chan error, 1)
	go func() {
		_, err := left.ExecContext(t.Context(), "select pg_sleep(0.5)")
		statement <- errors.Join(err, left.Close())
	}()
	require.Eventually(t, sessions(t, c, "wait_event = 'PgSleep'"), 60*time.Second, time.Millisecond)
	require.NoError(t, c.restore(t.Context(), "", strings.NewReader("select 1;")))
	require.NoError(t, <-statement)
}
