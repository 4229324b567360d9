package restore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/restore"
	"panel/platform/database"
	"panel/platform/pgtools"
	"panel/platform/vault"
)

func (h *house) full(o restore.Options) (restore.Outcome, error) {
	h.t.Helper()
	return restore.Full(h.t.Context(), h.from, h.panel, o)
}

func TestARestoreBringsBackWhatTheBackupHolds(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.change()
	var steps []string
	out, err := h.full(restore.Options{Alone: true, Hooks: restore.Hooks{
		Enter:    func(context.Context) error { steps = append(steps, "enter"); return nil },
		Snapshot: func(context.Context) error { steps = append(steps, "snapshot"); return nil },
		SQL: func(ctx context.Context, old restore.Querier) (string, error) {
			steps = append(steps, "sql")
			var n int
			require.NoError(t, old.QueryRow(ctx, []any{&n}, "select count(*) from things"))
			require.Equal(t, 100, n, "it is the present database that is read")
			return "insert into things values (1000, 'zz outlives');", nil
		},
		Changed: func(context.Context) error { steps = append(steps, "changed"); return nil },
		Leave:   func(_ context.Context, changed bool) { require.True(t, changed); steps = append(steps, "leave") },
	}})
	require.NoError(t, err)
	require.True(t, out.Changed)
	require.Equal(t, []string{"enter", "snapshot", "sql", "changed", "leave"}, steps)
	require.Equal(t, "501 zz outlives -- 0 ", h.picture(), "jobs and leases are left out, what came later is gone")
	require.Zero(t, h.number("select count(*) from lease_wakes"))
	require.EqualValues(t, 3, h.number("select count(*) from journal"))
}

// A table that does not hold what the manifest says is named, and nothing is changed.
func TestARestoredTableThatIsNotEqualChangesNothing(t *testing.T) {
	t.Parallel()
	h := build(t)
	for i, table := range h.from.Manifest.Tables {
		if table.Name == "public.things" {
			h.from.Manifest.Tables[i].Sum = "1"
		}
	}
	h.change()
	before := h.picture()
	out, err := h.full(restore.Options{})
	require.ErrorContains(t, err, "the table public.things is not what the backup says")
	require.False(t, out.Changed)
	require.Equal(t, before, h.picture())
}

// Acceptance test 13 of domain.md: restore with another master key is refused before anything is touched.
func TestAnotherMasterKeyIsRefusedBeforeAnythingIsTouched(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.change()
	before := h.picture()
	h.panel.Master = another
	out, err := h.full(untouched(t))
	require.ErrorIs(t, err, restore.ErrKeyMismatch)
	require.False(t, out.Changed)
	require.Equal(t, before, h.picture())
}

func untouched(t *testing.T) restore.Options {
	t.Helper()
	never := func(context.Context) error {
		require.Fail(t, "nothing may be touched")
		return nil
	}
	return restore.Options{Hooks: restore.Hooks{Enter: never, Snapshot: never, Changed: never}}
}

func TestWithTheOldKeyTheSecretsAreSealedAnew(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.panel.Master, h.from.Keys = another, artefact.Keys{Masters: []string{master}}
	out, err := h.full(restore.Options{})
	require.NoError(t, err)
	require.Equal(t, 2, out.Resealed)
	db, err := database.Open(t.Context(), h.dsn, database.Options{MaxConns: 2})
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	safe, err := vault.New(another)
	require.NoError(t, err)
	require.NoError(t, safe.Guard(t.Context(), db), "the panel starts with its own key alone")
	var text string
	require.NoError(t, h.conn.QueryRow(t.Context(), "select sealed from safes").Scan(&text))
	plain, err := safe.Open(vault.Ref{Table: "safes", ID: "one", Column: "sealed"}, text)
	require.NoError(t, err)
	require.Equal(t, "plain", string(plain))
}

func TestABackupOfANewerPanelIsRefused(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.panel.Steps = h.panel.Steps[:len(h.panel.Steps)-1]
	_, err := h.full(untouched(t))
	require.ErrorIs(t, err, restore.ErrNewerSchema)
}

func TestADamagedBackupIsRefusedBeforeAnythingIsTouched(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.change()
	before := h.picture()
	h.harm()
	_, err := h.full(untouched(t))
	require.ErrorIs(t, err, artefact.ErrDamaged)
	require.Equal(t, before, h.picture())
}

// A restore that fails anywhere before its end has changed nothing.
func TestARestoreThatBreaksOffChangesNothing(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.change()
	before := h.picture()
	stop := errors.New("no")
	for name, hooks := range map[string]restore.Hooks{
		"enter":    {Enter: func(context.Context) error { return stop }},
		"snapshot": {Snapshot: func(context.Context) error { return stop }},
		"sql":      {SQL: func(context.Context, restore.Querier) (string, error) { return "", stop }},
	} {
		_, err := h.full(restore.Options{Hooks: hooks})
		require.ErrorIs(t, err, stop, name)
		require.Equal(t, before, h.picture(), name)
	}
	_, err := h.full(restore.Options{Hooks: restore.Hooks{
		SQL: func(context.Context, restore.Querier) (string, error) { return "select 1/0;", nil },
	}})
	require.ErrorContains(t, err, "division by zero", "the database says why")
	require.Equal(t, before, h.picture())

	ctx, cancel := context.WithCancel(t.Context())
	_, err = restore.Full(ctx, h.from, h.panel, restore.Options{Progress: func(p artefact.Progress) {
		if p.Step == "restoring" {
			cancel()
		}
	}})
	require.Error(t, err)
	require.Equal(t, before, h.picture(), "also when it is cancelled in the middle")
}

// A destination that gives other bytes at the second reading finds the transaction still open.
func TestAPartThatChangesMeanwhileIsNotCommitted(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.change()
	before := h.picture()
	_, err := h.full(restore.Options{Hooks: restore.Hooks{
		SQL: func(context.Context, restore.Querier) (string, error) {
			h.harm()
			return "", nil
		},
	}})
	require.ErrorIs(t, err, artefact.ErrDamaged)
	require.Equal(t, before, h.picture())
}

func TestARestoreIsRefusedWhileAPanelIsConnected(t *testing.T) {
	t.Parallel()
	h := build(t)
	other, err := database.Open(t.Context(), h.dsn, database.Options{Name: "panel", MaxConns: 1})
	require.NoError(t, err)
	defer func() { _ = other.Close() }()
	_, err = h.full(restore.Options{Alone: true})
	require.ErrorIs(t, err, pgtools.ErrShared)
}

// The database of a new server is empty: there is nothing to keep first.
func TestAnEmptyDatabaseIsFilled(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.execute("drop schema public cascade", "create schema public", "drop schema jobs cascade")
	out, err := h.full(restore.Options{Hooks: restore.Hooks{
		Snapshot: func(context.Context) error { return errors.New("there is nothing to keep") },
		SQL: func(_ context.Context, old restore.Querier) (string, error) {
			require.Nil(t, old)
			return "", nil
		},
	}})
	require.NoError(t, err)
	require.True(t, out.Changed)
	require.EqualValues(t, 500, h.number("select count(*) from things"))
}
