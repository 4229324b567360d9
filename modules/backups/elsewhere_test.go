package backups

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

// A backup in a panel's own folder: that panel gives it out, another one on the database says who has it, and a restore
// test goes to the panel that has it, whichever was asked.
func TestABackupInTheFolderOfAnotherPanel(t *testing.T) {
	t.Parallel()
	one, first := watched(t)
	two, second := watched(t, paneltest.On(one.DB))
	require.NotEqual(t, first.service.holder, second.service.holder)
	run := ends(t, one.Admin(), begin(one.Admin(), add(one.Admin(), local("nightly", nil))))
	require.Equal(t, stateSucceeded, run.State, run.Error)
	has, asked := one, two
	if run.Destinations[0].Panel == second.service.holder {
		has, asked = two, one
	}
	file := runsPath + "/" + run.ID + "/download"
	has.Admin().Get(file).Is(http.StatusOK)
	answer := asked.Admin().Get(file).Refused(http.StatusConflict, errElsewhere.Code)
	require.Contains(t, string(answer.Body), run.Destinations[0].Panel)

	id := asked.Admin().Post(restoresPath, fields{"run_id": run.ID, "mode": "verify"}).Is(http.StatusAccepted).Text("id")
	test := tested(t, asked.Admin(), id)
	require.Equal(t, "ok", test.Verdict, test.Error)
}

// A restore test of a backup whose panel does not come back ends with that reason, and not as a broken backup.
func TestARestoreWaitsForAPanelThatIsGoneOnlyAWhile(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	run := ends(t, p.Admin(), begin(p.Admin(), add(p.Admin(), local("nightly", nil))))
	_, err := p.DB.ExecContext(t.Context(), `update backup_runs set destinations = jsonb_set(destinations,
		'{0,panel}', '"gone:/backups"'), artefact = jsonb_set(artefact, '{name}', ?::jsonb)`,
		`"`+aged(run.Artefact.Name)+`"`)
	require.NoError(t, err)
	row := restoreRow{
		ID: database.NewID(), RunID: run.ID, Mode: modeVerify, State: stateQueued, Trigger: byPerson,
		CreatedAt: p.Clock.Now().Add(-2 * handsOverIn),
	}
	_, err = p.DB.NewInsert().Model(&row).Exec(t.Context())
	require.NoError(t, err)
	require.NoError(t, own.service.wakeTest(t.Context(), row.ID))
	test := tested(t, p.Admin(), row.ID)
	require.Equal(t, "skipped", test.Verdict)
	require.Contains(t, test.Error, "gone:/backups")
}

// aged is the name of an artefact that this panel's folder does not have.
func aged(name string) string { return "panel-2001" + name[len("panel-2001"):] }

func tested(t *testing.T, admin *paneltest.Client, id string) (test Restore) {
	t.Helper()
	require.Eventually(t, func() bool {
		test = Restore{}
		admin.Get(restoresPath + "/" + id).Is(http.StatusOK).JSON(&test)
		return test.FinishedAt != nil
	}, 2*time.Minute, every)
	return test
}

// A place that lost a part of a backup is passed over for one that has all of it; alone it offers nothing.
func TestABackupIsTakenFromThePlaceThatHasAllOfIt(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	id := add(admin, local("nightly", fields{"destinations": []fields{
		{"kind": "local"}, {"kind": "local", "config": fields{"folder": "second"}},
	}}))
	run := ends(t, admin, begin(admin, id))
	require.Equal(t, stateSucceeded, run.State, run.Error)
	folder := filepath.Join(p.Dir, "backups")
	lose := func(folder string) {
		require.NoError(t, os.Remove(filepath.Join(folder, run.Artefact.Name+".database.0001")))
	}
	lose(folder)
	answer := admin.Get(runsPath + "/" + run.ID + "/download").Is(http.StatusOK)
	require.Contains(t, namesIn(t, answer.Body), run.Artefact.Name+".database.0001")
	lose(filepath.Join(folder, "second"))
	admin.Get(runsPath+"/"+run.ID+"/download").Refused(http.StatusConflict, "backup_missing")
}
