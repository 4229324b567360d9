package selfupdate

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/config"
	"panel/platform/database"
)

// starting is a panel that runs one step of its migrations until the function is called, or fails.
func starting(t *testing.T, dsn, step string) (end func()) {
	t.Helper()
	db, err := database.Open(t.Context(), dsn, database.Options{Name: "panel"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	set := migrations.Set{Name: "slow", FS: fstest.MapFS{"20990101000000_slow.tx.up.sql": {Data: []byte(step)}}}
	go func() { done <- migrations.Run(ctx, db.DB.DB, []migrations.Set{set}) }()
	ended := false
	end = func() {
		if !ended {
			ended = true
			cancel()
			require.Error(t, <-done)
			require.NoError(t, db.Close())
		}
	}
	t.Cleanup(end)
	return end
}

func sessions(t *testing.T, c *connection, condition string) func() bool {
	t.Helper()
	return func() bool {
		var n int
		err := c.conn.QueryRow(t.Context(), "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'panel' and "+condition).
			Scan(&n)
		return err == nil && n > 0
	}
}

// Only a panel whose migration goes on counts as at work: not one that runs, and not one that waits for somebody's
// lock.
func TestAMigrationIsSeenOnlyWhileItGoesOn(t *testing.T) {
	t.Parallel()
	db, c := scratch(t)
	dsn := db.Pool.Config().ConnString()
	cfg, err := config.Of(map[string]string{config.DBURL.Name: dsn}, keys()...)
	require.NoError(t, err)
	is := func(wanted bool) {
		t.Helper()
		at, err := migrating(t.Context(), cfg)
		require.NoError(t, err)
		require.Equal(t, wanted, at)
	}
	running, err := database.Open(t.Context(), dsn, database.Options{Name: "panel"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, running.Close()) })
	is(false)

	end := starting(t, dsn, "select pg_sleep(60)")
	require.Eventually(
		t,
		sessions(t, c, "state = 'active' and wait_event = 'PgSleep'"),
		60*time.Second,
		10*time.Millisecond,
	)
	is(true)
	end()
	is(false)

	execute(t, c, "create table taken (id int)")
	other, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = other.ExecContext(t.Context(), "lock table taken")
	require.NoError(t, err)
	end = starting(t, dsn, "alter table taken add column more int")
	require.Eventually(t, sessions(t, c, "wait_event_type = 'Lock'"), 60*time.Second, 10*time.Millisecond)
	is(false)
	end()
	require.NoError(t, other.Rollback())
}

func TestADatabaseThatDoesNotRunIsNotStartedToLookAtIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cfg, err := config.Of(map[string]string{config.DataDir.Name: folder}, keys()...)
	require.NoError(t, err)
	at, err := migrating(t.Context(), cfg)
	require.Error(t, err)
	require.False(t, at)
	require.NoDirExists(t, folder+"/postgres")
}
