package pgtools_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/pgtools"
	"panel/platform/testneed"
)

// A secret appears in no argument list.
func TestThePasswordStaysOutOfTheArguments(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://panel:s3cret@db.example.org:5432/panel?sslmode=require&pool_max_conns=4&timezone=Asia/Kathmandu",
		"postgresql://panel@db.example.org/panel?password=s3cret&sslmode=require",
		"host=db.example.org user=panel password=s3cret dbname=panel sslmode=require",
		"host=db.example.org user=panel password = 's3cret' dbname=panel sslmode=require",
	} {
		address, environ, err := pgtools.Address(dsn)
		require.NoError(t, err, dsn)
		require.NotContains(t, address, "s3cret")
		require.NotContains(t, address, "pool_", "words that only the panel's driver knows")
		require.NotContains(t, address, "timezone")
		require.Contains(t, address, "sslmode=require")
		require.Contains(t, address, "db.example.org")
		require.Contains(t, environ, "PGPASSWORD=s3cret")
	}
	_, _, err := pgtools.Address("postgres://panel:s3cret@:nonsense")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
}

func TestProgramsOlderThanTheServerAreNotUsed(t *testing.T) {
	t.Parallel()
	_, err := pgtools.Find(t.Context(), "", 99, "pg_dump", "psql")
	var missing *pgtools.Missing
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "postgresql-client-99", "the package is named")
}

// A folder that has one of the programs alone is passed by.
func TestAllProgramsComeFromOneFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := "#!/bin/sh\necho 'pg_dump (PostgreSQL) 99.1'\n"
	testneed.Script(t, filepath.Join(folder, "pg_dump"), script)
	_, err := pgtools.Find(t.Context(), folder, 99, "pg_dump", "psql")
	require.Error(t, err)
	testneed.Script(t, filepath.Join(folder, "psql"), script)
	found, err := pgtools.Find(t.Context(), folder, 99, "pg_dump", "psql")
	require.NoError(t, err)
	require.Equal(t, folder, found)
}

func TestTheAddressOfAnotherDatabaseKeepsEverythingElse(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://panel:s3cret@db.example.org:5433/panel?sslmode=disable",
		"postgres:///panel?host=/run/x&user=panel&port=5433",
		"host=db.example.org port=5433 user=panel password=s3cret dbname=panel sslmode=disable",
	} {
		was, err := database.ParseAddress(dsn)
		require.NoError(t, err)
		other, err := pgtools.Elsewhere(dsn, "scratch_1")
		require.NoError(t, err)
		now, err := database.ParseAddress(other)
		require.NoError(t, err)
		require.Equal(t, "scratch_1", now.Database)
		require.Equal(t, [3]any{was.Host, was.Port, was.Password}, [3]any{now.Host, now.Port, now.Password})
	}
	_, err := pgtools.Elsewhere("postgres://panel:s3cret@:nonsense", "scratch")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
}

// A private database in a deep folder is found through a handle of this process, which a program does not have.
func TestAProgramIsToldWhoseHandleLeadsToTheDatabase(t *testing.T) {
	t.Parallel()
	address, _, err := pgtools.Address("postgres://panel@/panel?host=" + url.QueryEscape("/proc/self/fd/9"))
	require.NoError(t, err)
	read, err := url.Parse(address)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("/proc/%d/fd/9", os.Getpid()), read.Query().Get("host"))
}
