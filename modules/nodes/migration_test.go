package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/database/dbtest"
)

func TestTelemetryPartitionsAreMadeOnceAndDroppedWhenOld(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t, migrations.Set{Name: "nodes", FS: files})
	count := func() (n int) {
		require.NoError(t, db.NewRaw(`select count(*) from pg_inherits i join pg_class p on p.oid = i.inhparent
			where p.relname in ('node_samples', 'node_metrics_1m', 'node_metrics_10m')`).Scan(t.Context(), &n))
		return n
	}
	made := count()
	require.Positive(t, made)
	_, err := db.ExecContext(t.Context(), `select telemetry_prepare();
		select telemetry_partition('node_samples', now() - interval '9 hours', now() - interval '8 hours')`)
	require.NoError(t, err)
	require.Equal(t, made+1, count())
	_, err = db.ExecContext(t.Context(), "select telemetry_expire()")
	require.NoError(t, err)
	require.Equal(t, made, count())
}
