package telemetry

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"github.com/jonboulle/clockwork"

	"panel/migrations"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

func samples(n int, newest time.Time) []agentapi.Sample {
	list := make([]agentapi.Sample, n)
	for i := range list {
		list[i] = agentapi.Sample{
			ObservedAt: newest.Add(time.Duration(i-n+1) * 15 * time.Second), CPUPercent: 50, Load1: 0.5, MemUsed: 1 << 30, MemTotal: 2 << 30,
			DiskUsed: 1, DiskTotal: 2, NetRxBps: 1e6, NetTxBps: 2e6, TCPEstablished: 7, UptimeSeconds: 100,
			Traffic: []agentapi.Traffic{{Kind: agentapi.TrafficClient, Name: "c", Up: 1, Down: 2}},
		}
	}
	return list
}

// fleet makes the module's tables and so many nodes.
func fleet(t testing.TB, size int) (db *database.DB, ids []string) {
	t.Helper()
	db = dbtest.New(t, migrations.Set{Name: "nodes", FS: os.DirFS("../../migrations")})
	for range size {
		id := database.NewID()
		_, err := db.ExecContext(t.Context(), "insert into nodes (id, name, name_key, created_at, updated_at) values (?0, ?0, ?0, now(), now())", id)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return db, ids
}

func started(t testing.TB, db *database.DB) *Telemetry {
	t.Helper()
	return New(db, clockwork.NewRealClock(), zaptest.NewLogger(t), func(string, *agentapi.Sample) {})
}
