package notifications

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// asked is what Doctor sees of a database at a moment.
func asked(dsn string, at time.Time) doctor.Env {
	return doctor.Env{
		Now:    func() time.Time { return at },
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
}

func TestDoctorFindsWhatWasNotDelivered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	env := asked(b.DB.Pool.Config().ConnString(), b.Clock.Now())
	require.Equal(t, doctor.OK, undelivered(t.Context(), env).Status)
	b.configure()
	b.api.refuses(403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`)
	b.happens(probeDown, "p1", "first")
	b.until("&state=failed", 1)
	env.Now = func() time.Time { return b.Clock.Now().Add(time.Minute) }
	require.Equal(t, doctor.Warning, undelivered(t.Context(), env).Status)
	_, err := b.DB.ExecContext(t.Context(), `update notifications_deliveries set state = 'queued',
		not_before = now() - interval '1 hour'`)
	require.NoError(t, err)
	require.Equal(t, doctor.Warning, undelivered(t.Context(), env).Status)
	require.Equal(t, doctor.Skipped, undelivered(t.Context(), asked("postgres://nobody@127.0.0.1:1/none", time.Now())).Status)
	require.Equal(t, doctor.Skipped, undelivered(t.Context(), asked(dbtest.DSN(t), time.Now())).Status)
}

// The commands show what the routes answer.
func TestCommandsListAndTest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure()
	r := newReceiver(t)
	id := b.addWebhook("program", r.server.URL)
	features := []module.Module{Module(), probe()}
	say := func(line string) paneltest.Said { return b.Admin().Command(features, "notifications "+line) }
	require.Contains(t, say("channels --plain").Out, "program\twebhook")
	require.Contains(t, say("rules --plain").Out, "Everything important")
	require.Equal(t, 0, say("test --plain").Exit)
	require.Equal(t, 0, say("test "+id+" --plain").Exit)
	b.until("&state=sent", 1)
	require.Contains(t, say("deliveries --state sent --plain").Out, "notification.test")
}
