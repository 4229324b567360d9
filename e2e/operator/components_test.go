package operator

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
)

// Doctor counts the agents that have been silent for more than two heartbeats and names them; nodes out of service do
// not count.
func TestSilentAgentsAreNamed(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t, app.Migrations(app.With(modules.All()))...)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for i, node := range []struct {
		silent   time.Duration
		disabled bool
	}{{0, false}, {time.Minute, false}, {time.Hour, false}, {time.Hour, true}} {
		id := database.NewID()
		name := "nl-" + strconv.Itoa(i)
		_, err = db.ExecContext(
			t.Context(),
			"insert into nodes (id, name, name_key, disabled, created_at, updated_at) values (?, ?, ?, ?, now(), now())",
			id,
			name,
			name,
			node.disabled,
		)
		require.NoError(t, err)
		_, err = db.ExecContext(
			t.Context(),
			"insert into node_reports (node_id, seen_at) values (?, now() - ? * interval '1 second')",
			id,
			node.silent.Seconds(),
		)
		require.NoError(t, err)
	}
	env := doctor.Env{
		Now:    time.Now,
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
	found := map[string]doctor.Finding{}
	for _, result := range doctor.Run(t.Context(), env, app.Checks(modules.All())).Results {
		found[result.Check.ID] = result.Finding
	}
	require.Equal(t, doctor.Warning, found["components.agents"].Status)
	require.Equal(t, "2 of 3 agents are silent: nl-2, nl-1", found["components.agents"].Found.String())
	require.Contains(t, found["components.agents"].Do.String(), "journalctl -u panel-agent")
	require.Equal(t, doctor.Skipped, found["tls.nodes"].Status)
}
