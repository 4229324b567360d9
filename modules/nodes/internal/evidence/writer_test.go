package evidence

import (
	"os"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/migrations"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
)

// fleet makes the module's tables and so many nodes with agents.
func fleet(t testing.TB, size int) (db *database.DB, ids []string) {
	t.Helper()
	return populated(t, dbtest.New(t, schema()), size)
}

func schema() migrations.Set { return migrations.Set{Name: "nodes", FS: os.DirFS("../../migrations")} }

func populated(t testing.TB, db *database.DB, size int) (_ *database.DB, ids []string) {
	t.Helper()
	for range size {
		id := database.NewID()
		_, err := db.ExecContext(t.Context(), `insert into nodes (id, name, name_key, agent_access, created_at, updated_at)
			values (?0, ?0, ?0, 'granted', now(), now())`, id)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return db, ids
}

// panel is a writer and its announcer, with the events of nodes declared.
func panel(t testing.TB, db *database.DB, clock clockwork.Clock) (*Writer, *Announcer) {
	t.Helper()
	log := zaptest.NewLogger(t)
	bus := events.New(db, nil, log)
	for _, name := range announced {
		require.NoError(t, bus.Declare(events.Kind{Name: name, Summary: "A node", Live: true, Data: nodesapi.StateChanged{}}))
	}
	a := &Announcer{
		db: db, heartbeat: heartbeat, bus: bus, clock: clock, log: log, began: clock.Now().Add(-time.Hour), wake: make(chan struct{}, 1),
		moments: newMoments(heartbeat),
	}
	return NewWriter(db, a, clock, log), a
}

const heartbeat = 15 * time.Second

func beat() *agentapi.Heartbeat {
	return &agentapi.Heartbeat{
		AgentVersion: "1.0.0", Protocol: 1, OS: "linux", Arch: "amd64", Hostname: "h", SessionID: "s1",
		Core: agentapi.CoreReport{Kind: "xray", Version: "26", State: agentapi.CoreRunning},
	}
}

// Of an agent whose words the database does not take it is known that it lives; everybody else's reports are written.
func TestAReportThatCannotBeStoredKeepsOutNoOther(t *testing.T) {
	t.Parallel()
	db, ids := fleet(t, 4)
	w, _ := panel(t, db, clockwork.NewRealClock())
	w.Heartbeat(ids[0], beat())
	w.write(t.Context())
	poison := beat()
	poison.Hostname = "a\x00b"
	w.Heartbeat(ids[0], poison)
	for _, good := range ids[1:] {
		w.Heartbeat(good, beat())
	}
	w.write(t.Context())
	require.Empty(t, w.pending, "nothing comes back to fail the next batch")
	var written int
	require.NoError(t, db.NewRaw("select count(*) from node_reports where core_state = 'running'").Scan(t.Context(), &written))
	require.Equal(t, len(ids), written)
	var seen time.Time
	require.NoError(t, db.NewRaw("select seen_at from node_reports where node_id = ?", ids[0]).Scan(t.Context(), &seen))
	require.WithinDuration(t, time.Now(), seen, time.Minute)
}
