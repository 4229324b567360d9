package backups

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

// Domain 4.18: a daily backup, a dead-man timer of 26 h, the last 10 and 30 days.
func TestAProfileNeedsOnlyItsNameAndAPlace(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	var made Profile
	admin.Post(profilesPath, fields{"name": "nightly", "destinations": []fields{{"kind": "local"}}}).
		Is(http.StatusCreated).JSON(&made)
	require.True(t, made.Enabled)
	require.Equal(t, Schedule{Cron: "30 3 * * *"}, made.Schedule)
	always := true
	require.Equal(t, Scope{Database: &always, Files: &always, Telemetry: "all"}, made.Scope)
	require.Equal(t, "none", made.Encryption.Mode)
	require.Equal(t, 10, made.Retention.KeepLast)
	require.Equal(t, 30, made.Retention.KeepDays)
	require.Equal(t, "0 5 * * 0", made.Verify.RestoreTest)
	require.Equal(t, 26, made.DeadmanHours)
	require.NotNil(t, made.NextRunAt)
	require.NotNil(t, made.NextVerifyAt)
}

func TestWhatIsGivenIsNoDefault(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	var made Profile
	admin.Post(profilesPath, fields{
		"name": "by hand", "destinations": []fields{{"kind": "local"}}, "enabled": false, "schedule": fields{},
		"retention": fields{}, "verify": fields{}, "deadman_hours": 0,
	}).Is(http.StatusCreated).JSON(&made)
	require.False(t, made.Enabled)
	require.Empty(t, made.Schedule.Cron)
	require.Nil(t, made.NextRunAt)
	require.Zero(t, made.Retention.KeepLast)
	require.Empty(t, made.Verify.RestoreTest)
	require.Zero(t, made.DeadmanHours)
}

// A messenger takes encrypted backups only, and the panel cannot open those for a recipient by itself.
func TestDefaultsKeepTheRules(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	chat := []fields{{"kind": "messenger", "config": fields{"chat_id": "1"}, "secret": "1:token"}}
	admin.Post(profilesPath, fields{"name": "chat", "destinations": chat}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	var made Profile
	admin.Post(profilesPath, fields{
		"name": "sealed", "destinations": []fields{{"kind": "local"}},
		"encryption": fields{
			"mode": "age", "recipient": "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg",
		},
	}).Is(http.StatusCreated).JSON(&made)
	require.Empty(t, made.Verify.RestoreTest)
}

func TestTheDeadManTimerFollowsTheSchedule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for cron, hours := range map[string]int{
		"30 3 * * *": 26, "15 * * * *": 3, "0 4 * * 0": 170, "0 2 * * 1-5": 74, "0 0 1 * *": 746, "": 0, "no rule": 0,
	} {
		require.Equal(t, hours, patience(Schedule{Cron: cron}, now), cron)
	}
}
