package restore_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/modules/backups/internal/restore"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/outbound"
	"panel/platform/vault"
)

const (
	master  = "a master key of the tests, long enough"
	another = "another master key, of another panel"
)

var sealed = []vault.Column{{Table: "safes", ID: "id", Column: "sealed"}}

// house is a panel's database with secrets, a journal and jobs, and a backup of it in a folder.
type house struct {
	t      *testing.T
	dsn    string
	conn   *pgx.Conn
	folder string
	from   restore.From
	panel  restore.Panel
}

func build(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dsn: dbtest.DSN(t), folder: t.TempDir()}
	var err error
	h.conn, err = database.Connect(t.Context(), h.dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.conn.Close(context.Background()) })
	h.execute("create table things (id int primary key, word text)",
		"insert into things select n, 'word ' || n from generate_series(1, 500) n",
		"create table safes (id text primary key, sealed text not null)",
		"create table runs (id int, lease_token text, lease_until timestamptz)",
		"insert into runs values (1, 'somebody', now() + interval '1 hour')",
		"insert into jobs.river_job (args, kind, max_attempts) values ('{}', 'test', 1)",
		"insert into lease_wakes (process, id) values ('test', gen_random_uuid())")
	safe, err := vault.New(master)
	require.NoError(t, err)
	text := safe.Seal(vault.Ref{Table: "safes", ID: "one", Column: "sealed"}, []byte("plain"))
	h.execute("insert into safes values ('one', '" + text + "')")
	h.writeJournal()
	h.backUp()
	return h
}

// writeJournal leaves a canary and a sealed chain of a few entries.
func (h *house) writeJournal() {
	db, err := database.Open(h.t.Context(), h.dsn, database.Options{MaxConns: 4})
	require.NoError(h.t, err)
	defer func() { _ = db.Close() }()
	safe, err := vault.New(master)
	require.NoError(h.t, err)
	require.NoError(h.t, safe.Guard(h.t.Context(), db))
	cfg, err := config.Of(map[string]string{"PANEL_SECRET_KEY": master, "PANEL_DATA_DIR": h.t.TempDir()})
	require.NoError(h.t, err)
	journal, err := audit.New(db, clockwork.NewRealClock(), zap.NewNop(), cfg)
	require.NoError(h.t, err)
	for range 3 {
		require.NoError(h.t, journal.Record(h.t.Context(), db, audit.Entry{Action: "test.done"}))
	}
	require.NoError(h.t, journal.Finish(h.t.Context()))
}

func (h *house) execute(statements ...string) {
	h.t.Helper()
	for _, statement := range statements {
		_, err := h.conn.Exec(h.t.Context(), statement)
		require.NoError(h.t, err, statement)
	}
}

func (h *house) number(query string) (n int64) {
	h.t.Helper()
	require.NoError(h.t, h.conn.QueryRow(h.t.Context(), query).Scan(&n))
	return n
}

func (h *house) backUp() {
	h.t.Helper()
	network, err := outbound.Through("")
	require.NoError(h.t, err)
	env := destination.Env{Network: network, Folder: h.folder}
	at, err := env.Open(destination.Spec{Kind: destination.Local})
	require.NoError(h.t, err)
	result, err := artefact.Create(h.t.Context(), artefact.Source{DSN: h.dsn, Master: master, Version: "1.2.3"},
		artefact.Options{Encryption: artefact.Encryption{Mode: artefact.Plain}, PartBytes: 64 << 10},
		[]artefact.Target{{Name: "folder", Destination: at}})
	require.NoError(h.t, err)
	h.from = restore.From{At: at, Manifest: result.Manifest}
	h.panel = restore.Panel{
		DSN: h.dsn, Master: master, Steps: slices.Clone(result.Manifest.Schema), Sealed: sealed,
		Scratch: h.t.TempDir(),
	}
}

// change is what happens after the backup.
func (h *house) change() {
	h.t.Helper()
	h.execute("delete from things where id > 100", "update things set word = 'changed'", "create table newer (id int)",
		"create schema later", "create table later.x (id int)")
}

// picture is what a person would compare.
func (h *house) picture() string {
	h.t.Helper()
	var text string
	require.NoError(h.t, h.conn.QueryRow(h.t.Context(), `select count(*) || ' ' || max(word) || ' '
		|| coalesce(to_regclass('newer')::text, '-') || coalesce(to_regclass('later.x')::text, '-')
		|| ' ' || (select count(*) from jobs.river_job) || ' ' || (select string_agg(lease_token, ',') from runs)
		from things`).Scan(&text))
	return text
}

func (h *house) harm() {
	h.t.Helper()
	parts := h.from.Manifest.Entries[0].Parts
	file := filepath.Join(h.folder, parts[len(parts)-1].File)
	text, err := os.ReadFile(file)
	require.NoError(h.t, err)
	text[len(text)/2] ^= 4
	require.NoError(h.t, os.WriteFile(file, text, 0o600))
}

// poor is the address of the same database for a role that may not make one.
func (h *house) poor() string {
	h.t.Helper()
	parsed, err := url.Parse(h.dsn)
	require.NoError(h.t, err)
	role := "poor_" + filepath.Base(parsed.Path)
	h.execute("create role "+role+" login password 'poor' nocreatedb",
		"grant usage on schema public to "+role)
	h.t.Cleanup(func() {
		_, _ = h.conn.Exec(context.Background(), "drop owned by "+role+"; drop role "+role)
	})
	parsed.User = url.UserPassword(role, "poor")
	return parsed.String()
}
