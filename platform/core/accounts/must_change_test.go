package accounts_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

// mustChange is an account that an administrator has made with a password to be changed.
func mustChange(t *testing.T, p *paneltest.Panel) *paneltest.Client {
	t.Helper()
	order := object{"username": "boris", "password": secret, "must_change_password": true}
	p.Admin().Post("/api/v1/accounts", order).Is(http.StatusCreated)
	opened := login(p, "boris", secret).Is(http.StatusOK)
	require.Equal(t, true, opened.Value("account.must_change_password"))
	return p.Bearer(opened.Text("token"))
}

// An account that must change its password sees itself, signs out or changes it, and does nothing else; then all is
// open.
func TestAPasswordThatMustBeChangedIsChangedFirst(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	boris := mustChange(t, p)
	boris.Get("/api/v1/accounts").Refused(http.StatusForbidden, "password_change_required")
	boris.Post("/api/v1/auth/totp", object{"password": secret}).
		Refused(http.StatusForbidden, "password_change_required")
	require.Equal(t, true, boris.Get("/api/v1/auth/me").Is(http.StatusOK).Value("account.must_change_password"))
	change := object{"current_password": secret, "new_password": replacement}
	boris.Post("/api/v1/auth/password", change).Is(http.StatusNoContent)
	boris.Get("/api/v1/accounts").Is(http.StatusOK)
	require.Equal(t, false, boris.Get("/api/v1/auth/me").Value("account.must_change_password"))
}

// The same password again is no change.
func TestAPasswordThatMustBeChangedIsNotChangedIntoItself(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	boris := mustChange(t, p)
	same := object{"current_password": secret, "new_password": secret}
	boris.Post("/api/v1/auth/password", same).Refused(http.StatusUnprocessableEntity, "invalid_value")
	boris.Get("/api/v1/accounts").Refused(http.StatusForbidden, "password_change_required")
}

// A reset asks for a password of one's own where it says so, through the API and on the server, and not otherwise.
func TestAResetMayAskForAPasswordOfOnesOwn(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p).Get("/api/v1/auth/me").Is(http.StatusOK)
	admin := p.Admin()
	path := "/api/v1/accounts/" + first(admin.Get("/api/v1/accounts?q=anna").Value("items"))["id"].(string) +
		"/password"
	demanded := func(password string) any {
		return login(p, "anna", password).Is(http.StatusOK).Value("account.must_change_password")
	}
	admin.Post(path, object{"password": replacement, "must_change_password": true}).Is(http.StatusNoContent)
	require.Equal(t, true, demanded(replacement))
	admin.Post(path, object{"password": replacement}).Is(http.StatusNoContent)
	require.Equal(t, false, demanded(replacement))
	command := []string{"admin", "reset-password", "--yes", "--username", "anna", "--password", secret}
	require.Zero(t, panelctl(t, onDatabase(t, p), "", append(command, "--must-change")...).exit)
	require.Equal(t, true, demanded(secret))
	require.Zero(t, panelctl(t, onDatabase(t, p), "", command...).exit)
	require.Equal(t, false, demanded(secret))
}

// The command line says what to do.
func TestTheCommandLineSaysThatThePasswordMustBeChanged(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	refused := panelctl(t, map[string]string{"PANEL_API_URL": p.URL, "PANEL_API_TOKEN": mustChange(t, p).Token}, "",
		"status")
	require.Equal(t, cli.ExitNotAllowed, refused.exit)
	require.Contains(t, refused.err, "choose a new password there")
}
