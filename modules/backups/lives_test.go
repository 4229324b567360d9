package backups

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/httpapi"
	"panel/platform/paneltest"
)

// fails expects that a field is refused.
func fails(t *testing.T, answer *paneltest.Answer, field string) {
	t.Helper()
	answer.Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, string(answer.Body), `"`+field+`"`)
}

func verifies(admin *paneltest.Client, run string, keys fields) *paneltest.Answer {
	body := fields{"run_id": run, "mode": "verify"}
	if keys != nil {
		body["keys"] = keys
	}
	return admin.Post(restoresPath, body)
}

// The rule of restore tests starts one of the newest good backup, one at a time, and nothing while there is no backup.
func TestARestoreTestStartsByItsRule(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 6, 6, 12, 0, 0, 0, time.UTC))
	p, own := watched(t, paneltest.Clock(clock))
	s := own.service
	made, err := s.create(t.Context(), ProfileFields{
		Name: "nightly", Enabled: true, Verify: VerifyRule{RestoreTest: "0 5 * * 0"},
		Destinations: []DestinationInput{{Kind: "local"}}, Encryption: EncryptionInput{Mode: "none"},
	})
	require.NoError(t, err)
	sunday := time.Date(2026, 6, 7, 5, 0, 0, 0, time.UTC)
	require.Equal(t, sunday, *made.NextVerifyAt)
	tests := func() (page httpapi.Page[Restore]) {
		require.NoError(t, s.due(t.Context()))
		p.Admin().Get(restoresPath).Is(http.StatusOK).JSON(&page)
		return page
	}
	clock.Advance(24 * time.Hour)
	require.Empty(t, tests().Items, "there is no backup to test")
	row, err := s.store.profileRow(t.Context(), made.ID, false)
	require.NoError(t, err)
	require.Equal(t, sunday.AddDate(0, 0, 7), row.NextVerifyAt.UTC())

	run := ends(t, p.Admin(), begin(p.Admin(), made.ID))
	require.Equal(t, stateSucceeded, run.State, run.Error)
	clock.Advance(7 * 24 * time.Hour)
	require.Len(t, tests().Items, 1)
	require.Len(t, tests().Items, 1, "its moment has passed once")
	test := tested(t, p.Admin(), tests().Items[0].ID)
	require.Equal(t, []string{run.ID, bySchedule, "ok"}, []string{test.RunID, test.Trigger, test.Verdict}, test.Error)
}

// A profile goes with its records, and its backups stay where they are: another panel can be restored from them.
func TestBackupsOutliveTheirProfile(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	id := add(admin, local("nightly", nil))
	run := ends(t, admin, begin(admin, id))
	require.Equal(t, stateSucceeded, run.State, run.Error)
	admin.Delete(profilesPath + "/" + id).Is(http.StatusNoContent)
	admin.Delete(profilesPath+"/"+id).Refused(http.StatusNotFound, "not_found")
	admin.Get(runsPath+"/"+run.ID).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{actionAdded, actionRemoved}, p.Recorded(objectProfile, id))
	left, err := filepath.Glob(filepath.Join(p.Dir, "backups", run.Artefact.Name+".*"))
	require.NoError(t, err)
	require.NotEmpty(t, left)
	add(admin, local("nightly", nil)) // the name is free again
}

// What is encrypted for a recipient is opened by the identity that a person gives: it serves one test, is shown to
// nobody, and is forgotten with its end. Without it, and with another one, the backup cannot be restored.
func TestABackupForARecipientIsTestedWithItsIdentity(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	right, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	wrong, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	run := ends(t, admin, begin(admin, add(admin, local("sealed", fields{
		"encryption": fields{"mode": "age", "recipient": right.Recipient().String()},
	}))))
	require.Equal(t, stateSucceeded, run.State, run.Error)
	for given, verdict := range map[string]string{right.String(): "ok", wrong.String(): "failed", "": "failed"} {
		answer := verifies(admin, run.ID, fields{"identity": given}).Is(http.StatusAccepted)
		test := tested(t, admin, answer.Text("id"))
		require.Equal(t, verdict, test.Verdict, test.Error)
		if given != "" {
			require.NotContains(t, string(answer.Body)+test.Error, given)
		}
	}
	var keys int
	require.NoError(t, p.DB.NewRaw("select count(*) from backup_restores where keys <> ''").Scan(t.Context(), &keys))
	require.Zero(t, keys)
}

// A passphrase that was changed since opens no older backup; the one of that time does.
func TestAnOlderBackupIsTestedWithItsOwnPassphrase(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	id := add(admin, local("nightly", nil))
	run := ends(t, admin, begin(admin, id))
	admin.Patch(profilesPath+"/"+id, fields{
		"revision": 1, "encryption": fields{"mode": "passphrase", "passphrase": "other words of a later time"},
	}).Is(http.StatusOK)
	test := tested(t, admin, verifies(admin, run.ID, nil).Is(http.StatusAccepted).Text("id"))
	require.NotEqual(t, "ok", test.Verdict)
	test = tested(t, admin, verifies(admin, run.ID, fields{"passphrase": "words that only tests know"}).
		Is(http.StatusAccepted).Text("id"))
	require.Equal(t, "ok", test.Verdict, test.Error)
}

// Restores and restore tests of all panels go one by one.
func TestOneRestoreAtATime(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	run := ends(t, admin, begin(admin, add(admin, local("nightly", nil))))
	_, err := p.DB.ExecContext(t.Context(), `insert into backup_restores
		(id, run_id, mode, state, trigger, created_at, lease_token, lease_until)
		values (?, ?, 'verify', 'running', 'manual', now(), 'another panel', now() + interval '1 day')`,
		database.NewID(), run.ID)
	require.NoError(t, err)
	verifies(admin, run.ID, nil).Refused(http.StatusConflict, "restore_active")
	fails(t, admin.Post(restoresPath, fields{"run_id": run.ID, "mode": "full", "confirm": "another"}), "confirm")
	fails(t, verifies(admin, run.ID, fields{"master_key": "short"}), "keys.master_key")
}

// A change is in the journal by its fields, and neither secrets nor places are; the next run follows the new rule.
func TestAChangeOfAProfileIsRecorded(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 6, 6, 12, 0, 0, 0, time.UTC))
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	admin := p.Admin()
	id := add(admin, local("nightly", nil))
	var changed Profile
	admin.Patch(profilesPath+"/"+id, fields{
		"revision": 1, "schedule": fields{"cron": "0 1 * * *", "zone": "Asia/Tokyo"},
		"retention": fields{"keep_last": 3, "keep_days": 7, "max_bytes": 1 << 30}, "deadman_hours": 12,
		"encryption": fields{"mode": "passphrase", "passphrase": "other words of a later time"},
	}).Is(http.StatusOK).JSON(&changed)
	require.Equal(t, time.Date(2026, 6, 6, 16, 0, 0, 0, time.UTC), *changed.NextRunAt)
	require.Equal(t, int64(2), changed.Revision)
	var text string
	require.NoError(t, p.DB.NewRaw(`select changes::text from journal
		where object_id = ? and action = ?`, id, actionChanged).Scan(t.Context(), &text))
	for _, field := range []string{"schedule", "keep_last", "keep_days", "max_bytes", "deadman_hours"} {
		require.Contains(t, text, `"`+field+`"`)
	}
	require.NotContains(t, text, "words")
	require.NotContains(t, text, `"name"`, "it has not changed")

	admin.Patch(profilesPath+"/"+id, fields{"revision": 2, "enabled": false, "schedule": fields{}}).
		Is(http.StatusOK).JSON(&changed)
	require.Nil(t, changed.NextRunAt)
}

// What every panel looks at each minute has an end.
func TestAPanelHasAHundredProfiles(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	id := add(admin, local("nightly", nil))
	_, err := p.DB.ExecContext(t.Context(), `insert into backup_profiles
		select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'name', 'copy ' || n))).*
		from backup_profiles p, generate_series(2, 100) n where p.id = ?`, id)
	require.NoError(t, err)
	fails(t, admin.Post(profilesPath, local("one more", nil)), "name")
}

// Doctor finds profiles without a good backup, and the folder that cannot be written.
func TestDoctorLooksAfterBackups(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	values := map[string]string{"PANEL_DB_URL": p.DB.Pool.Config().ConnString(), "PANEL_DATA_DIR": p.Dir}
	now := p.Clock.Now()
	env := doctorEnv(values, &now)
	require.Equal(t, doctor.Warning, ages(t.Context(), env).Status, "nothing is set up")
	require.Equal(t, doctor.Skipped, writable(t.Context(), env).Status, "there are no local backups")
	require.Equal(t, doctor.OK, programs(t.Context(), env).Status)

	admin := p.Admin()
	id := add(admin, local("nightly", fields{"schedule": fields{"cron": "30 3 * * *"}}))
	add(admin, local("by hand", nil))
	now = now.Add(usuallyLate - time.Minute)
	require.Equal(t, doctor.OK, ages(t.Context(), env).Status)
	now = now.Add(2 * time.Minute)
	late := ages(t.Context(), env)
	require.Equal(t, doctor.Failed, late.Status)
	require.Equal(t, map[string]any{"profiles": 2, "late": 1}, late.Data, "one that nobody scheduled is never late")

	require.Equal(t, stateSucceeded, ends(t, admin, begin(admin, id)).State)
	_, err := own.service.store.db.ExecContext(t.Context(), "update backup_profiles set last_success_at = ? where id = ?",
		now, id)
	require.NoError(t, err)
	require.Equal(t, doctor.OK, ages(t.Context(), env).Status)
	require.Equal(t, doctor.OK, writable(t.Context(), env).Status)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	values["PANEL_BACKUP_DIR"] = file
	require.Equal(t, doctor.Failed, writable(t.Context(), env).Status)
	values["PANEL_DB_URL"] = "postgres://nobody@127.0.0.1:1/none"
	require.Equal(t, doctor.Skipped, ages(t.Context(), env).Status)
	require.Equal(t, doctor.Skipped, programs(t.Context(), env).Status)
}

// doctorEnv is what Doctor sees of settings at a moment that moves.
func doctorEnv(values map[string]string, now *time.Time) doctor.Env {
	return doctor.Env{
		Now:    func() time.Time { return *now },
		Getenv: func(name string) string { return values[name] },
	}
}
