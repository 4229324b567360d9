// Package access runs real panels, panelctl and nginx and shows that who lost a right has lost it at his next request:
// across processes, across panels on one database, and with the notification channel cut.
package access

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

const me = "/api/v1/auth/me"

// installed is a panel on a database that others can reach too.
func installed(t *testing.T, dsn string, env ...string) *rig.Stand {
	t.Helper()
	env = append(env, "PANEL_SECRET_KEY=a master key that both panels share")
	return rigtest.Install(t, rig.PanelSettings{DSN: dsn, Env: env})
}

// reset sets a new random password by a process of its own and gives it.
func reset(t *testing.T, panel *rig.Panel) string {
	t.Helper()
	said, err := panel.Command(
		t.Context(),
		"",
		"admin",
		"reset-password",
		"--username",
		rig.Username,
		"--yes",
		"--json",
	)
	require.NoError(t, err)
	require.Zero(t, said.Exit, said.Err)
	var printed struct{ Password string }
	require.NoError(t, json.Unmarshal([]byte(said.Out), &printed))
	require.Len(t, printed.Password, 16)
	return printed.Password
}

func login(t *testing.T, api *rig.API, password string) *rig.API {
	t.Helper()
	var opened struct{ Token string }
	require.NoError(
		t,
		api.Post(
			t.Context(),
			"/api/v1/auth/login",
			map[string]string{"username": rig.Username, "password": password},
			&opened,
		),
	)
	return api.As(opened.Token)
}

// warm makes the panel remember the session.
func warm(t *testing.T, session *rig.API) {
	t.Helper()
	for range 3 {
		require.NoError(t, session.Get(t.Context(), me, nil))
	}
}

func requireGone(t *testing.T, session *rig.API) {
	t.Helper()
	err := session.Get(t.Context(), me, nil)
	require.True(t, rig.Refused(err, http.StatusUnauthorized), "the old session still works: %v", err)
}

// Specification, Authentication 5 and Password reset rule 6: a reset by another process ends all earlier sessions at
// their very next request.
func TestAResetByAnotherProcessEndsSessionsAtTheirNextRequest(t *testing.T) {
	t.Parallel()
	stand := installed(t, dbtest.Empty(t))
	session := stand.API
	const rounds = 8
	for range rounds {
		warm(t, session)
		password := reset(t, stand.Panel)
		requireGone(t, session)
		session = login(t, stand.Panel.API, password)
	}
}

// The same with the notification channel cut: the panel reads the database instead of its memory until it hears again.
func TestAResetEndsSessionsAlsoWithTheNotificationChannelCut(t *testing.T) {
	t.Parallel()
	wire, dsn := lay(t, dbtest.Empty(t))
	stand := installed(t, dsn)
	session := stand.API
	const rounds = 4
	for range rounds {
		warm(t, session)
		wire.cut()
		password := reset(t, stand.Panel)
		requireGone(t, session)
		session = login(t, stand.Panel.API, password)
		warm(t, session)
		wire.mend()
	}
	require.NoError(t, rig.Eventually(t.Context(), healsWithin,
		func(context.Context) error { return wire.listening() }))
	warm(t, session)
	reset(t, stand.Panel)
	requireGone(t, session)
}
