package database

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the home folder holds for PostgreSQL's own programs does not configure the panel, unless the address names it.
func TestTheHomeFolderDoesNotConfigureTheConnection(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	passwords := filepath.Join(home, ".pgpass")
	require.NoError(t, os.WriteFile(passwords, []byte("*:*:*:*:canary-of-pgpass\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".postgresql"), 0o700))
	for _, name := range []string{"postgresql.crt", "postgresql.key", "root.crt"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, ".postgresql", name), []byte("no certificate"), 0o600))
	}
	for _, dsn := range []string{
		"postgres://anna@db.internal/panel", "postgresql://anna@db.internal:5432/panel?sslmode=require",
		"host=db.internal user=anna dbname=panel", "postgres://anna@one:5432,two:5433/panel",
	} {
		read, err := ParseAddress(dsn)
		require.NoError(t, err, dsn)
		require.Empty(t, read.Password, dsn)
		require.Equal(t, "panel", read.Database, dsn)
		require.Equal(t, "anna", read.User, dsn)
	}
	for _, dsn := range []string{
		"postgres://anna@db.internal/panel?passfile=" + passwords,
		"host=db.internal user=anna dbname=panel passfile=" + passwords,
	} {
		read, err := ParseAddress(dsn)
		require.NoError(t, err, dsn)
		require.Equal(t, "canary-of-pgpass", read.Password, "the address names the file")
	}
	_, err := ParseAddress(
		"postgres://anna@db.internal/panel?sslmode=verify-full&sslrootcert=" + filepath.Join(home, "absent.crt"),
	)
	require.Error(t, err, "a named certificate must be there")
	_, err = ParseAddress("postgres://a b%zz")
	require.Error(t, err)
}
