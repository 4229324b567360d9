package operator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
)

// An apply whose lease a wrong clock wrote far into the future is found and released; one that a panel works on is not.
func TestCrashedRunsAreReleased(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t, app.Migrations(app.With(modules.All()))...)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	crashed, working := database.NewID(), database.NewID()
	for id, lease := range map[string]time.Duration{crashed: 20 * time.Hour, working: 30 * time.Second} {
		flow := database.NewID()
		_, err = db.ExecContext(
			t.Context(),
			`insert into flows (id, name, owner_id, root, graph, draft_updated_at, created_at, updated_at)
			values (?, ?, 'x', 'r', '{}', now(), now(), now())`,
			flow,
			flow,
		)
		require.NoError(t, err)
		_, err = db.ExecContext(
			t.Context(),
			`insert into flow_applies (id, flow_id, kind, stage, revision, started_by, started_at, staged_at, lease_token, lease_until)
			values (?, ?, 'apply', 'staging', 1, 'anna', now(), now(), 'other', now() + ? * interval '1 second')`,
			id,
			flow,
			lease.Seconds(),
		)
		require.NoError(t, err)
	}
	env := doctor.Env{
		Now:    time.Now,
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
	report := doctor.Run(t.Context(), env, app.Checks(modules.All()))
	actions := recovery.Actions(env, report, app.Repairs(modules.All())...)
	require.Len(t, actions, 1)
	require.Equal(t, "release_runs", actions[0].ID)
	require.NoError(t, actions[0].Do(t.Context()))
	var tokens []string
	require.NoError(t, db.NewRaw("select lease_token from flow_applies order by lease_until").Scan(t.Context(),
		&tokens))
	require.Equal(t, []string{"", "other"}, tokens)
}
