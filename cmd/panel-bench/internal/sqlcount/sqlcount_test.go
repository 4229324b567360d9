package sqlcount_test

import (
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/sqlcount"
	"panel/platform/database/dbtest"
)

func TestStatementsOfEveryKindAreCountedAndPingsAreNot(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "sqlcount")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	address, err := url.Parse(dbtest.Empty(t))
	require.NoError(t, err)
	query := address.Query()
	counter, err := sqlcount.Start(folder, query.Get("host"))
	require.NoError(t, err)
	defer counter.Close()
	query.Set("host", folder)
	address.RawQuery = query.Encode()
	conn, err := pgx.Connect(t.Context(), address.String())
	require.NoError(t, err)
	defer conn.Close(t.Context())
	counter.Take()

	require.NoError(t, conn.Ping(t.Context()))
	for range 3 {
		_, err = conn.Exec(t.Context(), "select  $1::int", 5)
		require.NoError(t, err)
	}
	for _, same := range []string{"select 1, 'it''s'", "select 2, ''"} {
		_, err = conn.Exec(t.Context(), same)
		require.NoError(t, err)
	}
	require.Equal(t, map[string]int{"select $?::int": 3, "select ?, ?": 2}, counter.Take())
	require.Empty(t, counter.Take())
}
