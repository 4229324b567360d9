package backups

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const (
	profilesPath = "/api/v1/backups/profiles"
	runsPath     = "/api/v1/backups/runs"
	restoresPath = "/api/v1/backups/restores"

	endsWithin = 60 * time.Second
	every      = 50 * time.Millisecond
)

type fields = map[string]any

// inside is what tests see of the module beside its operations.
type inside struct{ service *service }

// watched starts a panel and gives the inside of its module.
func watched(t *testing.T, options ...paneltest.Setting) (*paneltest.Panel, *inside) {
	t.Helper()
	own, manifest := new(inside), Module()
	manifest.Attach = func(h *handlers, r *runner, v *tester) module.Parts {
		own.service = h.service
		return attach(h, r, v)
	}
	return paneltest.Start(t, append(options, paneltest.Modules(manifest))...), own
}

func local(name string, more fields) fields {
	made := fields{
		"name": name, "enabled": true, "schedule": fields{}, "scope": fields{},
		"destinations": []fields{{"kind": "local"}},
		"encryption":   fields{"mode": "passphrase", "passphrase": "words that only tests know"},
		"retention":    fields{}, "verify": fields{}, "deadman_hours": 0,
	}
	for key, value := range more {
		made[key] = value
	}
	return made
}

func add(admin *paneltest.Client, body fields) string {
	return admin.Post(profilesPath, body).Is(http.StatusCreated).Text("id")
}

func begin(admin *paneltest.Client, profile string) string {
	return admin.Post(runsPath, fields{"profile_id": profile}).Is(http.StatusAccepted).Text("id")
}

func ends(t *testing.T, admin *paneltest.Client, run string) Run {
	t.Helper()
	var read Run
	require.Eventually(t, func() bool {
		read = Run{}
		admin.Get(runsPath + "/" + run).Is(http.StatusOK).JSON(&read)
		return read.FinishedAt != nil
	}, endsWithin, every)
	return read
}

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module())
}

// A run reaches its destination, its artefact is downloaded as one file, and a restore test finds it equal.
func TestABackupIsMadeDownloadedAndProved(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	run := ends(t, admin, begin(admin, add(admin, local("nightly", fields{"scope": fields{"secret_store": true}}))))
	require.Equal(t, stateSucceeded, run.State, run.Error+"\n"+run.LogTail)
	require.Len(t, run.Destinations, 1)
	require.Equal(t, stateSucceeded, run.Destinations[0].State)
	require.NotEmpty(t, run.Artefact.SHA256)
	require.Equal(t, []string{actionStarted, kindSucceeded}, p.Recorded(objectRun, run.ID))

	answer := admin.Get(runsPath + "/" + run.ID + "/download").Is(http.StatusOK)
	require.Contains(t, strings.Join(namesIn(t, answer.Body), " "), run.Artefact.Name+".manifest")

	test := admin.Post(restoresPath, fields{"run_id": run.ID, "mode": "verify"}).Is(http.StatusAccepted).Text("id")
	var restored Restore
	require.Eventually(t, func() bool {
		restored = Restore{}
		admin.Get(restoresPath + "/" + test).Is(http.StatusOK).JSON(&restored)
		return restored.FinishedAt != nil
	}, endsWithin, every)
	require.Equal(t, "ok", restored.Verdict, restored.Error)
	require.Positive(t, restored.Report.Tables)
}

func namesIn(t *testing.T, content []byte) (names []string) {
	t.Helper()
	archive := tar.NewReader(bytes.NewReader(content))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		require.NoError(t, err)
		names = append(names, header.Name)
	}
}

// Specification: 409 for a second run of a profile that has one in progress; it is free again after the end.
func TestAProfileHasOneRunAtATime(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	id := add(admin, local("nightly", nil))
	run := begin(admin, id)
	admin.Post(runsPath, fields{"profile_id": id}).Refused(http.StatusConflict, "backup_run_active")
	admin.Delete(profilesPath+"/"+id).Refused(http.StatusConflict, "backup_run_active")
	require.Equal(t, stateSucceeded, ends(t, admin, run).State)
	ends(t, admin, begin(admin, id))
}

// Trap 12 of domain.md: one of two destinations fails, the run is partial, and people are told.
func TestOneOfTwoDestinationsFailing(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin, news := p.Admin(), p.Follow()
	id := add(admin, local("nightly", fields{"destinations": []fields{
		{"kind": "local"}, {"kind": "local", "config": fields{"folder": "second"}},
	}}))
	folder := filepath.Join(p.Dir, "backups")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "second"), []byte("no folder"), 0o600))
	run := ends(t, admin, begin(admin, id))
	require.Equal(t, statePartial, run.State, run.Error)
	require.Equal(t, stateSucceeded, run.Destinations[0].State)
	require.Equal(t, stateFailed, run.Destinations[1].State)
	require.NotEmpty(t, run.Destinations[1].Error)
	require.Equal(t, run.ID, news.Next(kindPartial).SubjectID)
	require.Empty(t, admin.Get(profilesPath+"/"+id).Text("last_success_at"), "only a whole backup counts")
}

// Rule of the states: what a dead panel left running ends as failed("interrupted"), within its lease.
func TestARunOfADeadPanelEndsAsInterrupted(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	admin := p.Admin()
	id := add(admin, local("nightly", nil))
	row := runRow{
		ID: database.NewID(), ProfileID: id, ProfileName: "nightly", State: stateUploading, Trigger: byPerson,
		CreatedAt: p.Clock.Now(),
	}
	_, err := p.DB.NewInsert().Model(&row).Exec(t.Context())
	require.NoError(t, err)
	require.NoError(t, own.service.wakeRun(t.Context(), row.ID))
	run := ends(t, admin, row.ID)
	require.Equal(t, []string{stateFailed, interrupted}, []string{run.State, run.Error})
	require.Nil(t, run.Artefact, "no half backup is offered")
	admin.Get(runsPath+"/"+run.ID+"/download").Refused(http.StatusConflict, "backup_missing")
}

// Retention counts the artefacts of the profile alone, and the newest good one stays.
func TestOldBackupsGoAfterEachRun(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	other := ends(t, admin, begin(admin, add(admin, local("other", nil))))
	id := add(admin, local("nightly", fields{"retention": fields{"keep_last": 1}}))
	first := ends(t, admin, begin(admin, id))
	second := ends(t, admin, begin(admin, id))
	require.Equal(t, stateRemoved, ends(t, admin, first.ID).Destinations[0].State)
	admin.Get(runsPath+"/"+first.ID+"/download").Refused(http.StatusConflict, "backup_missing")
	for _, kept := range []string{second.ID, other.ID} {
		admin.Get(runsPath + "/" + kept + "/download").Is(http.StatusOK)
	}
}

// Rule: secrets are written only, and one that is stored goes to no other server.
func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	s3 := fields{"kind": "s3", "secret": "canary-secret", "config": fields{
		"endpoint": "https://s3.example.com", "bucket": "copies", "access_key_id": "key",
	}}
	answer := admin.Post(profilesPath, local("nightly", fields{"destinations": []fields{s3}})).Is(http.StatusCreated)
	var read Profile
	answer.JSON(&read)
	require.True(t, read.Destinations[0].HasSecret)
	require.True(t, read.Encryption.HasPassphrase)
	for _, secret := range []string{"canary-secret", "words that only tests know"} {
		require.NotContains(t, string(answer.Body), secret)
	}
	one := profilesPath + "/" + read.ID
	moved := fields{"id": read.Destinations[0].ID, "kind": "s3", "config": fields{
		"endpoint": "https://thief.example.com", "bucket": "copies", "access_key_id": "key",
	}}
	admin.Patch(one, fields{"revision": 1, "destinations": []fields{moved}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	changed := admin.Patch(one, fields{"revision": 1, "name": "weekly"}).Is(http.StatusOK)
	changed.JSON(&read)
	require.True(t, read.Destinations[0].HasSecret, "what is absent stays")
	admin.Patch(one, fields{"revision": 1, "name": "other"}).Refused(http.StatusConflict, "revision_conflict")
}

// Domain 4.13: no unencrypted backup goes to a messenger or holds the master key; hostile fields are named.
func TestFieldsThatAreRefused(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	plain := fields{"mode": "none"}
	for field, change := range map[string]fields{
		"destinations[0].kind": {"encryption": plain, "destinations": []fields{{
			"kind": "messenger", "secret": "1:token", "config": fields{"chat_id": "1"},
		}}},
		"destinations[0].secret":        {"destinations": []fields{{"kind": "s3"}}},
		"destinations[0].config.folder": {"destinations": []fields{{"kind": "local", "config": fields{"folder": "/etc"}}}},
		"destinations[0].config":        {"destinations": []fields{{"kind": "local", "config": fields{"unknown": 1}}}},
		"destinations[0].id":            {"destinations": []fields{{"kind": "local", "id": database.NewID()}}},
		"scope.secret_store":            {"encryption": plain, "scope": fields{"secret_store": true}},
		"schedule.cron":                 {"schedule": fields{"cron": "@hourly"}},
		"schedule.zone":                 {"schedule": fields{"zone": "Nowhere/City"}},
		"encryption.recipient":          {"encryption": fields{"mode": "age", "recipient": "age1wrong"}},
		"encryption.passphrase":         {"encryption": fields{"mode": "passphrase", "passphrase": "short"}},
	} {
		answer := admin.Post(profilesPath, local("nightly", change)).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(answer.Body), `"`+field+`"`, field)
	}
}

// A schedule runs once, also when the clock is set back an hour afterwards; a missed moment is made up once.
func TestADueProfileRunsOnce(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC))
	_, own := watched(t, paneltest.Clock(clock))
	s := own.service
	made, err := s.create(t.Context(), ProfileFields{
		Name: "nightly", Enabled: true, Schedule: Schedule{Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		Destinations: []DestinationInput{{Kind: "local"}}, Encryption: EncryptionInput{Mode: "none"},
	})
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), *made.NextRunAt, "02:30 comes twice on that day")
	runs := func() (count int) {
		require.NoError(t, s.due(t.Context()))
		require.NoError(t, s.store.db.NewRaw("select count(*) from backup_runs").Scan(t.Context(), &count))
		return count
	}
	clock.Advance(12*time.Hour + 45*time.Minute) // 02:45 in summer time
	require.Zero(t, runs())
	clock.Advance(time.Hour) // 02:45 in winter time
	require.Equal(t, 1, runs(), "a day has one run, although its hour comes twice")
	clock.Advance(-time.Hour)
	require.Equal(t, 1, runs(), "a clock that is set back starts nothing again")
	clock.Advance(2 * time.Hour)
	require.Equal(t, 1, runs())
}

// A profile without a good backup for too long is told of once.
func TestPeopleAreToldOnceThatAProfileIsOverdue(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	id, news := add(p.Admin(), local("nightly", fields{"deadman_hours": 1})), p.Follow()
	_, err := p.DB.ExecContext(t.Context(), "update backup_profiles set created_at = ?", p.Clock.Now().Add(-2*time.Hour))
	require.NoError(t, err)
	require.NoError(t, own.service.due(t.Context()))
	require.Equal(t, id, news.Next(kindOverdue).SubjectID)
	row, err := own.service.store.profileRow(t.Context(), id, false)
	require.NoError(t, err)
	require.NotNil(t, row.OverdueAt)
}

// Trap 13 of domain.md: a backup of another master key is refused before anything is touched.
func TestABackupOfAnotherMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	run := ends(t, admin, begin(admin, add(admin, local("nightly", nil))))
	_, err := p.DB.ExecContext(t.Context(),
		`update backup_runs set artefact = artefact || '{"key_fingerprint":"00000000"}'`)
	require.NoError(t, err)
	admin.Post(restoresPath, fields{"run_id": run.ID, "mode": "verify"}).
		Refused(http.StatusUnprocessableEntity, "restore_key_mismatch")
	require.EqualValues(t, 0, admin.Get(restoresPath).Value("total"))
}

func TestAQueuedRunIsCancelled(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	admin := p.Admin()
	id := add(admin, local("nightly", nil))
	row := runRow{
		ID: database.NewID(), ProfileID: id, State: stateQueued, Trigger: byPerson, CreatedAt: p.Clock.Now(),
	}
	require.NoError(t, own.service.store.db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := own.service.store.db.In(ctx).NewInsert().Model(&row).Exec(ctx)
		require.NoError(t, err)
		_, err = own.service.cancel(ctx, row.ID)
		return err
	}))
	require.Equal(t, stateCancelled, ends(t, admin, row.ID).State)
	admin.Post(runsPath+"/"+row.ID+"/cancel", nil).Refused(http.StatusConflict, "backup_run_ended")
}

func TestUnknownObjects(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	for _, id := range []string{database.NewID(), "zzz"} {
		for _, path := range []string{profilesPath, runsPath, restoresPath} {
			admin.Get(path+"/"+id).Refused(http.StatusNotFound, "not_found")
		}
		admin.Get(runsPath+"/"+id+"/download").Refused(http.StatusNotFound, "not_found")
	}
	unknown := database.NewID()
	admin.Post(runsPath, fields{"profile_id": unknown}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	admin.Post(restoresPath, fields{"run_id": unknown, "mode": "verify"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Rule: without a license nothing is changed by people, what is there stays readable, and schedules go on.
func TestReadOnlyMode(t *testing.T) {
	t.Parallel()
	state := entitlement.State{State: entitlement.Degraded, Reason: "none"}
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.License(entitlement.Fixed(state)))
	p.Admin().Get(profilesPath).Is(http.StatusOK)
	p.Admin().Post(profilesPath, local("nightly", nil)).Refused(http.StatusForbidden, "license_read_only")
	require.Equal(t, entitlement.GoesOn, dueSchedule().ReadOnly)
	require.Contains(t, p.Scrape(), "panel_backup_age_seconds 0\n")
}

// Rule: a plan without backups closes changes; backups that were set up go on, and reading stays open.
func TestWithoutTheFeatureBackupsGoOn(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	state := entitlement.State{State: entitlement.Active, Enabled: []string{"flows"}}
	p, own := watched(t, paneltest.Clock(clock), paneltest.License(entitlement.Fixed(state)))
	made := scheduled(t, own.service)
	admin := p.Admin()
	admin.Post(runsPath, fields{"profile_id": made.ID}).Refused(http.StatusForbidden, "license_feature_blocked")
	admin.Patch(profilesPath+"/"+made.ID, fields{"revision": 1, "enabled": false}).
		Refused(http.StatusForbidden, "license_feature_blocked")
	clock.Advance(24 * time.Hour)
	require.NoError(t, own.service.due(t.Context()))
	admin = p.Admin() // the first session has ended
	var page struct{ Items []Run }
	admin.Get(runsPath).Is(http.StatusOK).JSON(&page)
	require.Len(t, page.Items, 1)
	run := ends(t, admin, page.Items[0].ID)
	require.Equal(t, []string{stateSucceeded, bySchedule}, []string{run.State, run.Trigger}, run.Error)
	admin.Get(runsPath + "/" + run.ID + "/download").Is(http.StatusOK)
	require.Equal(t, entitlement.GoesOn, dueSchedule().Blocked)
}
