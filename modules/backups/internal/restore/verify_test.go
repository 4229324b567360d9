package restore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/restore"
	"panel/platform/vault"
)

// Figure R13 of quality.md: counts and checksums of all tables are equal, secrets open, the journal's chain is proved.
func TestAVerificationProvesTablesSecretsAndJournal(t *testing.T) {
	t.Parallel()
	h := build(t)
	before := h.scratches()
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.OK, report.Verdict, "%+v", report)
	require.False(t, report.Private)
	require.Empty(t, report.Findings)
	require.Equal(t, len(h.from.Manifest.Tables), report.Tables)
	require.GreaterOrEqual(t, report.Rows, int64(500))
	require.Equal(t, 2, report.Secrets, "the safe's and the journal's key")
	require.EqualValues(t, 3, report.Journal)
	added := slices.DeleteFunc(h.scratches(), func(name string) bool { return slices.Contains(before, name) })
	gone := func() bool {
		left := h.scratches()
		return !slices.ContainsFunc(added, func(name string) bool { return slices.Contains(left, name) })
	}
	require.Eventually(t, gone, time.Minute, 100*time.Millisecond, "scratch databases stay: %v", added)
}

// scratches are the databases on the server that verifications work in, those of other tests among them.
func (h *house) scratches() []string {
	h.t.Helper()
	rows, err := h.conn.Query(h.t.Context(), "select datname from pg_database where datname like 'panel_verify_%'")
	require.NoError(h.t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(h.t, err)
	return names
}

// sumTexts makes the manifest one of a panel that added up the texts of rows alone.
func (h *house) sumTexts() {
	h.t.Helper()
	tables := h.from.Manifest.Tables
	for i := range tables {
		tables[i].By, tables[i].Sum = artefact.ByText, ""
	}
	require.NoError(h.t, pgx.BeginFunc(h.t.Context(), h.conn, func(tx pgx.Tx) error {
		return artefact.Count(h.t.Context(), tx, tables)
	}))
}

// A backup whose manifest has sums of texts, as they were made before, is proved and restored like any other.
func TestABackupWithSumsOfTextsIsProvedAndRestored(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.sumTexts()
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.OK, report.Verdict, "%+v", report)
	h.change()
	out, err := h.full(restore.Options{})
	require.NoError(t, err)
	require.Len(t, h.from.Manifest.Tables, out.Tables)
}

func TestWithoutTheRightToMakeADatabaseAPrivateOneIsTheScratch(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.panel.DSN = h.poor()
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.OK, report.Verdict, "%+v", report)
	require.True(t, report.Private)
}

func TestWithoutAnyScratchDatabaseTheVerificationIsSkippedWithTheReason(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.panel.DSN, h.panel.Programs = "", t.TempDir()
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.Skipped, report.Verdict)
	require.Contains(t, report.Reason, "no database server is set")
	require.Contains(t, report.Reason, "PANEL_PG_BIN")
}

func TestADamagedBackupIsToldWithoutTryingIt(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.harm()
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.Broken, report.Verdict)
	require.Contains(t, report.Reason, "is another one")
}

func TestASecretThatDoesNotOpenAndAChangedJournalAreFound(t *testing.T) {
	t.Parallel()
	h := build(t)
	safe, err := vault.New(another)
	require.NoError(t, err)
	text := safe.Seal(vault.Ref{Table: "safes", ID: "one", Column: "sealed"}, []byte("plain"))
	h.execute("update safes set sealed = '"+text+"'", "alter table journal disable trigger all",
		"delete from journal where seq = 2")
	h.backUp()
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.Broken, report.Verdict)
	require.Len(t, report.Findings, 2)
	require.Contains(t, report.Findings[0], "safes.sealed")
	require.Contains(t, report.Findings[1], "the journal was changed")
}

// A backup of another panel can be verified as far as it goes without that panel's key.
func TestWithoutTheMasterKeyOnlyWhatItSealsIsLeftOut(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.panel.Master = another
	report, err := restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, restore.OK, report.Verdict)
	require.Len(t, report.Findings, 3)
	require.Zero(t, report.Secrets)
	h.from.Keys = artefact.Keys{Masters: []string{master}}
	report, err = restore.Verify(t.Context(), h.from, h.panel, nil)
	require.NoError(t, err)
	require.Equal(t, 2, report.Secrets, "the old key was given")
	require.Empty(t, report.Findings)
}
