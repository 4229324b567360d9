package maintenance_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/maintenance"
)

// Every panel on the database sees who replaces it and what is done, and the end of it.
func TestAMaintenanceIsSeenByAllAndEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	none, err := maintenance.Read(t.Context(), db.Pool)
	require.NoError(t, err)
	require.Nil(t, none)
	downtime := maintenance.NewSwitch(db.Pool.Config().ConnString())
	go func() { <-downtime.Entered(); downtime.Stopped() }()
	id := database.NewID()
	require.NoError(t, downtime.Enter(t.Context(), id, "stopping"))
	downtime.Step(t.Context(), "restoring")
	seen, err := maintenance.Read(t.Context(), db.Pool)
	require.NoError(t, err)
	require.Equal(t, &maintenance.Notice{ID: id, Step: "restoring"}, seen)
	downtime.Leave()
	downtime.Leave()
	require.Eventually(t, func() bool {
		none, err := maintenance.Read(t.Context(), db.Pool)
		return err == nil && none == nil
	}, 60*time.Second, 10*time.Millisecond)
}

// A restore by the command line is seen, too, by its psql.
func TestACommandLineThatRestoresIsSeen(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.Pool.Exec(t.Context(), "select set_config('application_name', 'panel-restore-ABC', false)")
	require.NoError(t, err)
	seen, err := maintenance.Read(t.Context(), db.Pool)
	require.NoError(t, err)
	require.Equal(t, &maintenance.Notice{Step: "restoring"}, seen)
}

func TestASwitchWithoutAServiceStopsNobody(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, maintenance.NewSwitch("").Enter(t.Context(), "", ""), maintenance.ErrAlone)
}
