package operations

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/doctor"
)

// Doctor tells work that does not move, and work that was given up.
func TestDoctorSeesWorkThatDoesNotMove(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	dsn := db.Pool.Config().ConnString()
	env := doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": dsn}[name]
	}}
	require.Equal(t, doctor.OK, moving(t.Context(), env).Status)
	insert := "insert into jobs.river_job (kind, args, state, scheduled_at, finalized_at) values (?, '{}', ?, now() - ?::interval, ?)"
	_, err := db.ExecContext(t.Context(), insert, "notes.write", "discarded", "1 hour", time.Now())
	require.NoError(t, err)
	require.Equal(t, doctor.Warning, moving(t.Context(), env).Status)
	_, err = db.ExecContext(t.Context(), insert, "notes.write", "available", "-1 hour", nil)
	require.NoError(t, err)
	require.Equal(t, doctor.Warning, moving(t.Context(), env).Status, "what is postponed does not wait")
	_, err = db.ExecContext(t.Context(), insert, "notes.count", "available", "7 minutes", nil)
	require.NoError(t, err)
	found := moving(t.Context(), env)
	require.Equal(t, doctor.Failed, found.Status)
	require.Equal(t, []any{"notes.count", 7}, found.Found.Args)
	require.Equal(t, 2, found.Data["waiting"])
}

func TestDoctorSkipsADatabaseOfAnOlderPanel(t *testing.T) {
	t.Parallel()
	dsn := dbtest.Empty(t)
	env := doctor.Env{
		Now:    time.Now,
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
	require.Equal(t, doctor.Skipped, moving(t.Context(), env).Status)
}
