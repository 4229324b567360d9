package console

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/destination"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
)

const master = "a master key of the tests, long enough"

var settings = Settings{
	Folder: config.Key{Name: "PANEL_BACKUP_DIR"}, Messenger: config.Key{Name: "PANEL_MESSENGER_API_ROOT"},
}

// seat is where an operator sits: a machine with a database and a data folder.
type seat struct {
	t         *testing.T
	dsn       string
	data      string
	variables map[string]string
	steps     []string
	typed     string
}

func sit(t *testing.T, dsn string) *seat {
	t.Helper()
	s := &seat{t: t, dsn: dsn, data: t.TempDir()}
	s.variables = map[string]string{
		"PANEL_DB_URL": s.dsn, "PANEL_DATA_DIR": s.data, "PANEL_SECRET_KEY": master, "LANG": "C.UTF-8",
	}
	return s
}

// filled is a seat at a panel with some rows.
func filled(t *testing.T) *seat {
	t.Helper()
	s := sit(t, dbtest.DSN(t))
	s.execute("create table things (id int primary key)", "insert into things select generate_series(1, 50)")
	s.steps = s.applied()
	return s
}

func (s *seat) connect() *pgx.Conn {
	s.t.Helper()
	conn, err := database.Connect(s.t.Context(), s.dsn)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (s *seat) execute(statements ...string) {
	s.t.Helper()
	conn := s.connect()
	for _, statement := range statements {
		_, err := conn.Exec(s.t.Context(), statement)
		require.NoError(s.t, err)
	}
}

func (s *seat) applied() []string {
	s.t.Helper()
	rows, err := s.connect().Query(s.t.Context(), "select name from bun_migrations")
	require.NoError(s.t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s.t, err)
	return names
}

func (s *seat) things() (n int) {
	s.t.Helper()
	require.NoError(s.t, s.connect().QueryRow(s.t.Context(), "select count(*) from things").Scan(&n))
	return n
}

// run is one command line; a typed answer makes the seat a terminal.
func (s *seat) run(args ...string) (code int, out, said string) {
	s.t.Helper()
	var output, errors bytes.Buffer
	env := cli.Env{
		Version: "1.2.3", In: strings.NewReader(s.typed), Out: &output, Err: &errors,
		Getenv:   func(name string) string { return s.variables[name] },
		Terminal: cli.Terminal{In: s.typed != "", Err: s.typed != ""},
		Known:    func() doctor.Known { return doctor.Known{Steps: s.steps} },
		Commands: []func(cli.Env) []*cobra.Command{
			func(env cli.Env) []*cobra.Command { return Commands(env, settings) },
		},
	}
	code = cli.Run(s.t.Context(), env, append([]string{"backup"}, args...))
	return code, output.String(), errors.String()
}

func (s *seat) does(args ...string) string {
	s.t.Helper()
	code, out, said := s.run(args...)
	require.Zero(s.t, code, said)
	return out
}

func TestABackupIsMadeListedVerifiedAndRestored(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.does("create", "--unencrypted", "--label", "first")
	var listed listing
	require.NoError(t, json.Unmarshal([]byte(s.does("list", "--json")), &listed))
	require.Len(t, listed.Backups, 1)
	require.True(t, listed.Backups[0].Proved)
	require.Equal(t, "panelctl.backups/v1", listed.Schema)
	name := listed.Backups[0].Name
	require.Contains(t, name, "-first-")
	require.Equal(t, name, strings.Split(s.does("list"), "\t")[0], "scripts get the name first")
	require.Contains(t, s.does("verify"), "verdict\tok")
	s.execute("delete from things")
	s.typed = "restore\n"
	code, _, said := s.run("restore", name)
	require.Zero(t, code, said)
	require.Contains(t, said, "backup "+name, "it says what it chose before it asks")
	require.Contains(t, said, "kept as panel-")
	require.Equal(t, 50, s.things())
	require.Len(t, strings.Split(strings.TrimSpace(s.does("list")), "\n"), 2, "the database of before is a backup, too")
}

func TestNothingIsRestoredWithoutTheWord(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.does("create", "--unencrypted")
	s.execute("delete from things")
	code, _, said := s.run("restore")
	require.Equal(t, cli.ExitUsage, code, "nobody can confirm")
	require.Contains(t, said, "--yes")
	s.typed = "yes\n"
	code, _, _ = s.run("restore")
	require.Equal(t, cli.ExitFailed, code)
	require.Zero(t, s.things())
}

// Acceptance test 13 of domain.md, from the command line.
func TestAnotherMasterKeyIsRefusedAndTheOldOneHelps(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.does("create", "--unencrypted")
	s.execute("delete from things")
	s.variables["PANEL_SECRET_KEY"] = "another master key, of another panel"
	code, _, said := s.run("restore", "--yes")
	require.Equal(t, cli.ExitFailed, code)
	require.Contains(t, said, "belongs to another master key")
	require.Contains(t, said, "--old-key")
	require.Zero(t, s.things())
	old := filepath.Join(t.TempDir(), "old.key")
	require.NoError(t, os.WriteFile(old, []byte("# of the old server\n"+master+"\n"), 0o600))
	s.does("restore", "--yes", "--no-copy", "--old-key", old)
	require.Equal(t, 50, s.things())
}

func TestARestoreIsRefusedWhileAPanelRuns(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.does("create", "--unencrypted")
	panel, err := database.Open(t.Context(), s.dsn, database.Options{Name: "panel", MaxConns: 1})
	require.NoError(t, err)
	defer func() { _ = panel.Close() }()
	code, _, said := s.run("restore", "--yes")
	require.Equal(t, cli.ExitConflict, code)
	require.Contains(t, said, "systemctl stop panel")
}

// A new machine without a key and with an empty database becomes the panel of the backup.
func TestANewMachineBecomesThePanelOfTheBackup(t *testing.T) {
	t.Parallel()
	identity, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	place := t.TempDir()
	first := filled(t)
	first.does("create", "--recipient", identity.Recipient().String(), "--with-key", "--place", place)

	second := sit(t, dbtest.Empty(t))
	second.steps = first.steps
	delete(second.variables, "PANEL_SECRET_KEY")
	code, _, said := second.run("restore", "--yes", "--place", place)
	require.Equal(t, cli.ExitFailed, code)
	require.Contains(t, said, "encrypted", said)
	key := filepath.Join(t.TempDir(), "key.txt")
	require.NoError(t, os.WriteFile(key, []byte(identity.String()+"\n"), 0o600))
	second.does("restore", "--yes", "--place", place, "--identity", key)
	require.Equal(t, 50, second.things())
	kept, err := os.ReadFile(filepath.Join(second.data, "secret.key"))
	require.NoError(t, err)
	require.Equal(t, master, strings.TrimSpace(string(kept)))
	var name string
	require.NoError(t, second.connect().QueryRow(t.Context(),
		"select note ->> 'artefact' from restorations where outcome is null").Scan(&name))
	require.NotEmpty(t, name, "the panel that starts puts the rest right")
}

func TestTheContentIsForOtherPrograms(t *testing.T) {
	t.Parallel()
	s := filled(t)
	s.variables[passphraseGiven] = "correct horse battery staple"
	s.does("create", "--passphrase", "--with-key")
	dump := s.does("decrypt")
	list := exec.CommandContext(t.Context(), "pg_restore", "--list")
	list.Stdin = strings.NewReader(dump)
	said, err := list.Output()
	require.NoError(t, err)
	require.Contains(t, string(said), "TABLE DATA public things")
	file := filepath.Join(t.TempDir(), "key")
	s.does("decrypt", "--entry", "secret_store", "--output", file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, master+"\n", string(text))
	code, _, _ := s.run("decrypt", "--entry", "secret_store", "--output", file)
	require.Equal(t, cli.ExitFailed, code, "a file that is there stays")
	s.variables[passphraseGiven] = "another passphrase than that"
	code, out, _ := s.run("decrypt")
	require.Equal(t, cli.ExitFailed, code)
	require.Empty(t, out)
}

// A destination or a profile may come as a file; a damaged backup is told and refused.
func TestAPlaceMayBeAFileAndDamageIsTold(t *testing.T) {
	t.Parallel()
	s := filled(t)
	folder := t.TempDir()
	profile := map[string]any{"name": "daily", "destinations": []destination.Spec{folderSpec("/nowhere"), folderSpec(folder)}}
	text, err := json.Marshal(profile)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "profile.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	at := []string{"--place", file, "--destination", "2"}
	s.does(append([]string{"create", "--unencrypted"}, at...)...)
	found, err := filepath.Glob(filepath.Join(folder, "*.database.0001"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	dump, err := os.ReadFile(found[0])
	require.NoError(t, err)
	dump[len(dump)/2] ^= 1
	require.NoError(t, os.WriteFile(found[0], dump, 0o600))
	code, out, said := s.run(append([]string{"verify"}, at...)...)
	require.Equal(t, cli.ExitFailed, code)
	require.Contains(t, out, "verdict\tfailed")
	require.Contains(t, said, "damaged")
	code, _, _ = s.run(append([]string{"restore", "--yes"}, at...)...)
	require.Equal(t, cli.ExitFailed, code)
	code, _, said = s.run("list", "--place", file, "--destination", "3")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, said, "2 destinations")
}

func TestABackupNeedsAChoiceOfEncryption(t *testing.T) {
	t.Parallel()
	s := sit(t, "")
	for _, args := range [][]string{
		{"create"},
		{"create", "--unencrypted", "--passphrase"},
		{"create", "--recipient", "nobody"},
		{"create", "--unencrypted", "--telemetry", "some"},
		{"create", "--passphrase"},
	} {
		code, _, said := s.run(args...)
		require.Equal(t, cli.ExitUsage, code, "%v: %s", args, said)
	}
}

// Every text of the commands has its Russian.
func TestTheCommandsSpeakRussian(t *testing.T) {
	t.Parallel()
	russian, err := os.ReadFile("../../russian.txt")
	require.NoError(t, err)
	words := doctor.Catalogue(string(russian))
	missing := map[string]bool{}
	for _, group := range Commands(cli.Env{}, settings) {
		for _, c := range group.Commands() {
			for _, text := range []string{c.Short, c.Long} {
				if words[text] == "" {
					missing[text] = true
				}
			}
			c.Flags().VisitAll(func(f *pflag.Flag) {
				if words[f.Usage] == "" {
					missing[f.Usage] = true
				}
			})
		}
	}
	for _, text := range stepTexts {
		if words[text.Text] == "" {
			missing[text.Text] = true
		}
	}
	require.Empty(t, missing)
}
