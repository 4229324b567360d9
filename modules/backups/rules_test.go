package backups

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

// Rules of profiles that a person meets in a form: each refusal names its field.
func TestRulesOfProfilesNameTheirField(t *testing.T) {
	t.Parallel()
	identity, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	toRecipient := fields{"mode": "age", "recipient": identity.Recipient().String()}
	both := fields{"mode": "passphrase", "passphrase": "words that only tests know", "recipient": "age1of-somebody"}
	admin := paneltest.New(t, Module()).Admin()
	for field, change := range map[string]fields{
		"schedule.cron":       {"schedule": fields{"cron": "0 0 30 2 *"}}, // never comes
		"schedule.zone":       {"schedule": fields{"cron": "30 3 * * *", "zone": "Local"}},
		"verify.restore_test": {"encryption": toRecipient, "verify": fields{"restore_test": "0 5 * * *"}},
		"encryption.mode":     {"encryption": both},
	} {
		answer := admin.Post(profilesPath, local("nightly", change)).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(answer.Body), `"`+field+`"`, field)
	}
	require.EqualValues(t, 0, admin.Get(profilesPath).Value("total"))
}

// A scope names what is in every backup; what a backup cannot leave out or cannot hold is refused by its name.
func TestAScopeSaysWhatIsInEveryBackup(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	for name, value := range map[string]bool{"database": false, "files": false, "statuspage": true} {
		answer := admin.Post(profilesPath, local("nightly", fields{"scope": fields{name: value}})).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(answer.Body), `"scope.`+name+`"`)
		require.Contains(t, string(answer.Body), `"backup_scope"`)
	}
	whole := fields{"database": true, "files": true, "statuspage": false, "telemetry": "none"}
	var made, changed Profile
	admin.Post(profilesPath, local("nightly", fields{"scope": whole})).Is(http.StatusCreated).JSON(&made)
	require.True(t, *made.Scope.Database && *made.Scope.Files)
	admin.Patch(profilesPath+"/"+made.ID, fields{"revision": 1, "scope": made.Scope}).Is(http.StatusOK).JSON(&changed)
	require.Equal(t, made.Scope, changed.Scope)
}

// A name belongs to one profile, and a destination stands in a list once.
func TestNamesAndDestinationsAreThereOnce(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	var made Profile
	admin.Post(profilesPath, local("nightly", nil)).Is(http.StatusCreated).JSON(&made)
	admin.Post(profilesPath, local("nightly", nil)).Refused(http.StatusConflict, "name_taken")
	twice := fields{"id": made.Destinations[0].ID, "kind": "local"}
	answer := admin.Patch(profilesPath+"/"+made.ID, fields{"revision": 1, "destinations": []fields{twice, twice}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, string(answer.Body), `"destinations[1].id"`)
}

// A day that has no 02:30 has its run all the same, once.
func TestTheDayWithoutTheHourHasItsRun(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC))
	_, own := watched(t, paneltest.Clock(clock))
	made := scheduled(t, own.service)
	clock.Advance(24 * time.Hour) // over the night in which the clock goes from 02:00 to 03:00
	for range 2 {
		require.NoError(t, own.service.due(t.Context()))
		require.Equal(t, 1, countRuns(t, own.service))
	}
	row, err := own.service.store.profileRow(t.Context(), made.ID, false)
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 3, 30, 0, 30, 0, 0, time.UTC), row.NextRunAt.UTC(), "02:30 in summer time")
}

// Several panels look at the same minute for what is due; a schedule starts one run.
func TestSeveralPanelsStartOneRun(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	p, one := watched(t, paneltest.Clock(clock))
	_, two := watched(t, paneltest.On(p.DB), paneltest.Clock(clock))
	scheduled(t, one.service)
	clock.Advance(24 * time.Hour)
	var all sync.WaitGroup
	var failures [2]error
	for i, s := range []*service{one.service, two.service} {
		all.Go(func() { failures[i] = s.due(t.Context()) })
	}
	all.Wait()
	require.NoError(t, failures[0])
	require.NoError(t, failures[1])
	require.Equal(t, 1, countRuns(t, one.service))
}

// Specification: a run that is queued, running or uploading is in the way of the next; the table knows, whichever panel
// is asked.
func TestEveryPanelKnowsTheRunOfAnother(t *testing.T) {
	t.Parallel()
	p, _ := watched(t)
	other, _ := watched(t, paneltest.On(p.DB))
	panels := []*paneltest.Client{p.Admin(), other.Admin()}
	id := add(panels[0], local("nightly", nil))
	_, err := p.DB.ExecContext(t.Context(), `insert into backup_runs
		(id, profile_id, profile_name, state, trigger, created_at, lease_token, lease_until)
		values (?, ?, 'nightly', 'queued', 'manual', now(), 'a third panel', now() + interval '1 day')`,
		database.NewID(), id)
	require.NoError(t, err)
	for _, state := range []string{stateQueued, stateRunning, stateUploading} {
		_, err := p.DB.ExecContext(t.Context(), "update backup_runs set state = ?", state)
		require.NoError(t, err)
		for _, admin := range panels {
			admin.Post(runsPath, fields{"profile_id": id}).Refused(http.StatusConflict, "backup_run_active")
		}
	}
}

// scheduled is a profile that runs in the night of Berlin.
func scheduled(t *testing.T, s *service) Profile {
	t.Helper()
	made, err := s.create(t.Context(), ProfileFields{
		Name: "nightly", Enabled: true, Schedule: Schedule{Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		Destinations: []DestinationInput{{Kind: "local"}}, Encryption: EncryptionInput{Mode: "none"},
	})
	require.NoError(t, err)
	return made
}

func countRuns(t *testing.T, s *service) (count int) {
	t.Helper()
	require.NoError(t, s.store.db.NewRaw("select count(*) from backup_runs").Scan(t.Context(), &count))
	return count
}
