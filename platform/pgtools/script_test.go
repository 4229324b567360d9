package pgtools_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/pgtools"
)

// awkward is a schema whose texts look like the parts of a script.
const awkward = `
create table texts (id int primary key, body text, raw bytea);
create table "odd name" ("from stdin;" text default 'COPY a FROM stdin;');
create table nothing (id int);
create function twice(n int) returns int language plpgsql as $body$
begin
  -- a comment; with a semicolon
  return n * 2;
end
$body$;
insert into texts values
  (1, null, null), (2, '', ''), (3, E'\\.', '\x5c2e0a'), (4, E'a\n\\.\nb', null), (5, E'\t\\N\r\n', '\x00ff'),
  (6, repeat('x', 700000), null), (7, E'COPY texts FROM stdin;\n', null);
insert into "odd name" values (default), ('русский текст');
comment on table texts is 'ends with COPY texts FROM stdin;';
create index on texts (length(body));
`

func session(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// script is what pg_restore writes of a database with awkward content.
func script(t *testing.T, from *pgx.Conn, dsn string) string {
	t.Helper()
	_, err := from.Exec(t.Context(), awkward)
	require.NoError(t, err)
	folder, err := pgtools.Find(t.Context(), "", pgtools.Major(from), "pg_dump", "pg_restore")
	require.NoError(t, err)
	var dump, text bytes.Buffer
	require.NoError(t, pgtools.Program{
		Folder: folder, Name: "pg_dump", DSN: dsn, Args: []string{"--format=custom"}, Out: &dump,
	}.Run(t.Context()))
	require.NoError(t, pgtools.Program{
		Folder: folder, Name: "pg_restore", Args: []string{"--no-owner", "--file=-"}, In: &dump, Out: &text,
	}.Run(t.Context()))
	return text.String()
}

func run(t *testing.T, conn *pgx.Conn, text io.Reader) error {
	t.Helper()
	return pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		return pgtools.Script(t.Context(), tx.Conn().PgConn(), text)
	})
}

func contents(t *testing.T, conn *pgx.Conn) (found []string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `select t::text from public.texts t union all select o::text from public."odd name" o
		union all select public.twice(21)::text order by 1`)
	require.NoError(t, err)
	found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}

// What a script makes of another database is what was dumped, byte by byte, whatever its texts look like and however
// the script arrives.
func TestAScriptMakesTheSameDatabase(t *testing.T) {
	t.Parallel()
	dsn, whole, bits := dbtest.Empty(t), dbtest.Empty(t), dbtest.Empty(t)
	from := session(t, dsn)
	text := script(t, from, dsn)
	require.Contains(t, text, "COPY public.texts")
	to := session(t, whole)
	require.NoError(t, run(t, to, strings.NewReader(text)))
	require.Equal(t, contents(t, from), contents(t, to))
	other := session(t, bits)
	require.NoError(t, run(t, other, iotest.HalfReader(strings.NewReader(text))))
	require.Equal(t, contents(t, from), contents(t, other))
}

// A script that is cut off in the rows of a table is an error, wherever it is cut; so is what its reader fails with.
func TestAScriptThatIsCutOffIsAnError(t *testing.T) {
	t.Parallel()
	dsn, into := dbtest.Empty(t), dbtest.Empty(t)
	text := script(t, session(t, dsn), dsn)
	to := session(t, into)
	begin := strings.Index(text, "COPY public.texts")
	begin += strings.Index(text[begin:], "\n") + 1
	end := begin + strings.Index(text[begin:], "\n\\.\n")
	for _, at := range []int{begin, begin + 1, (begin + end) / 2, end, end + 1, end + 2} {
		require.ErrorIs(t, run(t, to, strings.NewReader(text[:at])), pgtools.ErrCutOff, "cut at %d", at)
	}
	failed := errors.New("the disk is gone")
	require.ErrorIs(t, run(t, to, io.MultiReader(strings.NewReader(text[:end]), iotest.ErrReader(failed))), failed)
	var tables int
	require.NoError(t, to.QueryRow(t.Context(), "select count(*) from pg_tables where schemaname = 'public'").Scan(&tables))
	require.Zero(t, tables, "nothing of it stays")
}

// What the server refuses is said without the content of a row.
func TestARefusedScriptRepeatsNoRow(t *testing.T) {
	t.Parallel()
	conn := session(t, dbtest.Empty(t))
	err := run(t, conn, strings.NewReader("create table a (id int primary key);\nCOPY a (id) FROM stdin;\nsecret-text\n\\.\n"))
	require.ErrorContains(t, err, "refused a value")
	require.NotContains(t, err.Error(), "secret-text", "an input that is no number is repeated by the server")
	err = run(t, conn, strings.NewReader("create table a (id text primary key);\nCOPY a (id) FROM stdin;\nhidden\nhidden\n\\.\n"))
	require.ErrorContains(t, err, "23505")
	require.NotContains(t, err.Error(), "hidden")
	require.ErrorContains(t, run(t, conn, strings.NewReader("select nothing from nowhere;\n")), "nowhere")
}

// Instructions that guard psql are passed by.
func TestRestrictionsOfPsqlArePassedBy(t *testing.T) {
	t.Parallel()
	conn := session(t, dbtest.Empty(t))
	require.NoError(t, run(t, conn, strings.NewReader("\\restrict abc\n\nselect 1;\n\n\\unrestrict abc\n")))
	require.Error(t, run(t, conn, strings.NewReader("\\! true\n")))
}
