package backups

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
	"panel/platform/restored"
)

// replaced begins a full restore and waits for its end.
func replaced(t *testing.T, admin *paneltest.Client, body fields) (read Restore) {
	t.Helper()
	id := admin.Post(restoresPath, body).Is(http.StatusAccepted).Text("id")
	require.Eventually(t, func() bool {
		read = Restore{}
		admin.Get(restoresPath + "/" + id).Is(http.StatusOK).JSON(&read)
		return read.FinishedAt != nil
	}, endsWithin, every)
	return read
}

// A full restore is meant: the name of the profile is typed, and a backup of another master key is refused before
// anything is touched.
func TestAFullRestoreIsConfirmed(t *testing.T) {
	t.Parallel()
	p, _ := watched(t)
	admin := p.As(string(Manage), string(View))
	run := begin(admin, add(admin, local("nightly", nil)))
	require.Equal(t, stateSucceeded, ends(t, admin, run).State)
	for _, confirm := range []string{"", "Nightly", "restore"} {
		admin.Post(restoresPath, fields{"run_id": run, "mode": modeFull, "confirm": confirm}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	_, err := p.DB.ExecContext(t.Context(),
		`update backup_runs set artefact = jsonb_set(artefact, '{key_fingerprint}', '"another"')`)
	require.NoError(t, err)
	admin.Post(restoresPath, fields{"run_id": run, "mode": modeFull, "confirm": "nightly"}).
		Refused(http.StatusUnprocessableEntity, "restore_key_mismatch")
	require.NotContains(t, p.Recorded(objectRun, run), kindRestoreStarted)
}

// A restore that fails before the panel has to stop leaves it serving, and people are told.
func TestAFullRestoreThatCannotStopThePanelChangesNothing(t *testing.T) {
	t.Parallel()
	p, _ := watched(t)
	admin := p.As(string(Manage), string(View))
	run := begin(admin, add(admin, local("nightly", nil)))
	require.Equal(t, stateSucceeded, ends(t, admin, run).State)
	read := replaced(t, admin, fields{"run_id": run, "mode": modeFull, "confirm": "nightly"})
	require.Equal(t, []string{modeFull, stateFailed, ""}, []string{read.Mode, read.State, read.Verdict})
	require.Contains(t, read.Error, "panelctl backup restore")
	require.Nil(t, read.Outcome)
	require.Contains(t, p.Recorded(objectRun, run), kindRestoreFailed)
	admin.Get(runsPath).Is(http.StatusOK)
}

// What the panel knows of later backups outlives the restore of an older one; what was under way has failed with the
// reason "restored", and the restore itself is done.
func TestWhatIsKnownOfBackupsOutlivesARestore(t *testing.T) {
	t.Parallel()
	p, _ := watched(t)
	admin := p.As(string(Manage), string(View))
	profile := add(admin, local("nightly", nil))
	first, second := begin(admin, profile), ""
	require.Equal(t, stateSucceeded, ends(t, admin, first).State)
	second = begin(admin, profile)
	require.Equal(t, stateSucceeded, ends(t, admin, second).State)
	var kept, name string
	require.NoError(t, p.DB.NewRaw("select ("+outlives+")::text").Scan(t.Context(), &kept))
	require.NoError(t, p.DB.NewRaw("select artefact ->> 'name' from backup_runs where id = ?", first).
		Scan(t.Context(), &name))
	other := add(admin, local("other", nil))
	for _, older := range []string{
		"delete from backup_runs where id = '" + second + "'",
		"update backup_runs set state = 'running', finished_at = null, artefact = null",
		"update backup_profiles set last_good_run = null, last_success_at = null",
		`insert into backup_runs (id, profile_id, profile_name, state, trigger, created_at)
			values (gen_random_uuid(), '` + other + `', 'other', 'running', 'schedule', now())`,
	} {
		_, err := p.DB.ExecContext(t.Context(), older)
		require.NoError(t, err, older)
	}
	note := restored.Note{
		ID: "0197f3a0-0000-7000-8000-00000000000d", Artefact: name, Snapshot: "before",
		Kept: map[string]json.RawMessage{"backups": json.RawMessage(kept)},
	}
	text, err := note.SQL()
	require.NoError(t, err)
	_, err = p.DB.ExecContext(t.Context(), text)
	require.NoError(t, err)
	after, _ := watched(t, paneltest.On(p.DB))
	view := after.As(string(View))
	for _, run := range []string{first, second} {
		require.Equal(t, stateSucceeded, ends(t, view, run).State)
	}
	var read Restore
	view.Get(restoresPath + "/" + note.ID).Is(http.StatusOK).JSON(&read)
	require.Equal(t, []string{modeFull, stateSucceeded, "panelctl"}, []string{read.Mode, read.State, read.StartedBy})
	require.Equal(t, "before", read.Outcome.Snapshot)
	var good string
	require.NoError(t, p.DB.NewRaw("select last_good_run::text from backup_profiles where id = ?", profile).
		Scan(t.Context(), &good))
	require.Equal(t, second, good, "the newest good backup stays protected")
	require.Eventually(t, func() bool {
		var reason string
		require.NoError(t, p.DB.NewRaw("select error from backup_runs where profile_id = ?", other).
			Scan(t.Context(), &reason))
		return reason == restored.Cause
	}, endsWithin, every)
}
