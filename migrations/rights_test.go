package migrations_test

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// limited is a role that owns nothing, a connection as this role and one as the owner of the same database.
func limited(t *testing.T) (role, name string, weak, owner *sql.DB) {
	t.Helper()
	dsn := dbtest.Empty(t)
	admin, err := database.Open(t.Context(), dsn, database.Options{})
	require.NoError(t, err)
	require.NoError(t, admin.QueryRowContext(t.Context(), "select current_database()").Scan(&name))
	role = "weak_" + strings.ReplaceAll(database.NewID(), "-", "")
	_, err = admin.ExecContext(t.Context(), "create role "+role)
	require.NoError(t, err)
	_, err = admin.ExecContext(t.Context(), "revoke create on schema public from public")
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := admin.Exec("drop owned by " + role + "; drop role " + role) //nolint:noctx // the test's context has ended
		require.NoError(t, err)
		require.NoError(t, admin.Close())
	})
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	query := address.Query()
	query.Set("role", role)
	address.RawQuery = query.Encode()
	db, err := database.Open(t.Context(), address.String(), database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return role, name, db.DB.DB, admin.DB.DB
}

// A role that may not create what the panel needs is told which statement gives it the right, one after the other; what
// the sentences say is enough.
func TestARoleThatMayNotCreateIsToldTheStatementThatLetsIt(t *testing.T) {
	t.Parallel()
	role, name, weak, owner := limited(t)
	obey := func(statement string) {
		err := migrations.Run(t.Context(), weak, nil)
		require.ErrorContains(t, err, "as the owner of the database run: "+statement)
		_, err = owner.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	obey(`grant create on schema public to "` + role + `"`)
	obey(`grant create on database "` + name + `" to "` + role + `"`)
	require.NoError(t, migrations.Run(t.Context(), weak, nil))
}

// Another failure of the same kind is not explained by rights that the role has.
func TestARefusalOfSomethingElseIsNotExplained(t *testing.T) {
	t.Parallel()
	role, name, weak, owner := limited(t)
	for _, statement := range []string{
		"create table foreign_ones (id int)", "grant create on schema public to " + role,
		`grant create on database "` + name + `" to ` + role,
	} {
		_, err := owner.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	steps := set("m", map[string]string{"20260101000000_read.tx.up.sql": "insert into foreign_ones values (1)"})
	err := migrations.Run(t.Context(), weak, []migrations.Set{steps})
	require.ErrorContains(t, err, "permission denied for table foreign_ones")
	require.NotContains(t, err.Error(), "grant create")
}
