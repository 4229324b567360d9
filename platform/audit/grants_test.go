package audit

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// ordinary is a database that belongs to a role without special rights, as a managed PostgreSQL gives it.
func ordinary(t *testing.T) *database.DB {
	t.Helper()
	dsn := dbtest.Empty(t)
	owner, err := database.Open(t.Context(), dsn, database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = owner.Close() })
	role := "r" + strings.ReplaceAll(database.NewID(), "-", "")
	for _, statement := range []string{
		"create role " + role + " login password 'x'", "alter schema public owner to " + role,
		"do $$ begin execute format('grant create on database %I to " + role + "', current_database()); end $$",
	} {
		_, err := owner.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	t.Cleanup(func() { dropRole(t, dsn, role) })
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	address.User = url.UserPassword(role, "x")
	if query := address.Query(); query.Has("user") {
		query.Set("user", role)
		address.RawQuery = query.Encode()
	}
	db, err := database.Open(t.Context(), address.String(), database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	require.NoError(t, migrations.Run(t.Context(), db.DB.DB, nil))
	return db
}

// dropRole runs before the database is dropped, because the role owns what is in it.
func dropRole(t *testing.T, dsn, role string) {
	owner, err := database.Open(t.Context(), dsn, database.Options{})
	if err != nil {
		return
	}
	defer func() { _ = owner.Close() }()
	_, _ = owner.Exec("drop owned by " + role + " cascade")
	_, _ = owner.Exec("drop role " + role)
}

// "Append-only by trigger, and by grants where the role is not a superuser."
func TestGrantsRefuseWhatTheTriggerRefuses(t *testing.T) {
	t.Parallel()
	j := journalOn(t, ordinary(t), t.TempDir(), nil)
	j.filled(3)
	for _, statement := range []string{"update journal set action = 'x'", "delete from journal", "truncate journal"} {
		_, err := j.db.ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "permission denied", statement)
	}
	j.found()
	j.clock.Advance(400 * 24 * time.Hour)
	require.NoError(t, j.Trim(t.Context()), "retention still works")
	j.tended()
	require.Equal(t, 1, j.count())
	j.found()
	_, err := j.db.ExecContext(t.Context(), "delete from journal")
	require.ErrorContains(t, err, "permission denied", "the journal is closed again")
}
