package cdndns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/doctor"
)

// asked is what Doctor sees of a database.
func asked(dsn string) doctor.Env {
	return doctor.Env{
		Now:    time.Now,
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
}

func TestDoctorNamesAnIntegrationThatDoesNotWork(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	env := asked(b.DB.Pool.Config().ConnString())
	require.Equal(t, doctor.Skipped, failing(t.Context(), env).Status)
	b.add("main")
	require.Equal(t, doctor.OK, failing(t.Context(), env).Status)
	b.cloud.Allow(token, nil)
	b.RunSchedule("cdndns.check")
	found := failing(t.Context(), env)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "main", found.Subject)
	require.Equal(t, doctor.Skipped, failing(t.Context(), asked("postgres://nobody@127.0.0.1:1/none")).Status)
	require.Equal(t, doctor.Skipped, failing(t.Context(), asked(dbtest.DSN(t))).Status)
}
