package accounts_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

// terminal is an operator's machine: where the panel is, and a home of its own.
func terminal(t *testing.T, p *paneltest.Panel) map[string]string {
	t.Helper()
	return map[string]string{"PANEL_API_URL": p.URL, "HOME": t.TempDir()}
}

// sessionFiles are the sessions that are stored on a machine.
func sessionFiles(t *testing.T, vars map[string]string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(vars["HOME"], ".config", "panelctl", "sessions", "*"))
	require.NoError(t, err)
	return found
}

func TestLoginStoresASessionThatLaterCommandsUseUntilLogout(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	vars := terminal(t, p)
	require.Equal(t, cli.ExitNotAllowed, panelctl(t, vars, "", "status").exit)
	done := panelctl(t, vars, "anna\n"+secret+"\n", "login", "--json")
	require.Equal(t, cli.ExitDone, done.exit, done.err)
	require.Contains(t, done.out, `"username":"anna"`)

	files := sessionFiles(t, vars)
	require.Len(t, files, 1)
	about, err := os.Stat(files[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), about.Mode().Perm())
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var stored cli.StoredSession
	require.NoError(t, json.Unmarshal(content, &stored))
	for _, said := range []string{done.out, done.err} {
		require.NotContains(t, said, stored.Token)
		require.NotContains(t, said, secret)
	}
	asked := panelctl(t, vars, "", "status", "--debug")
	require.Equal(t, cli.ExitDone, asked.exit, asked.err)
	require.NotContains(t, asked.err, stored.Token)

	left := panelctl(t, vars, "", "logout", "--plain")
	require.Equal(t, cli.ExitDone, left.exit, left.err)
	require.Empty(t, sessionFiles(t, vars))
	p.Bearer(stored.Token).Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
	require.Equal(t, cli.ExitFailed, panelctl(t, vars, "", "logout").exit)
}

// A token of the command line or the environment goes before the stored session; another panel's session is not sent.
func TestWhichTokenIsSent(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	vars := terminal(t, p)
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "anna\n"+secret+"\n", "login").exit)
	require.Equal(t, cli.ExitNotAllowed, panelctl(t, vars, "", "--token", "wrong", "status").exit)
	vars["PANEL_API_TOKEN"] = "wrong"
	require.Equal(t, cli.ExitNotAllowed, panelctl(t, vars, "", "status").exit)
	delete(vars, "PANEL_API_TOKEN")
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "", "status").exit)
	other := paneltest.New(t)
	vars["PANEL_API_URL"] = other.URL
	require.Equal(t, cli.ExitNotAllowed, panelctl(t, vars, "", "status").exit)
	require.Equal(t, cli.ExitFailed, panelctl(t, vars, "", "logout").exit, "nobody is signed in there")
}

// A session that others may read is not used, and the operator hears of it.
func TestASessionThatOthersMayReadIsNotUsed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	vars := terminal(t, p)
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "anna\n"+secret+"\n", "login").exit)
	file := sessionFiles(t, vars)[0]
	require.NoError(t, os.Chmod(file, 0o644))
	refused := panelctl(t, vars, "", "status")
	require.Equal(t, cli.ExitNotAllowed, refused.exit)
	require.Contains(t, refused.err, "others may read the file")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	require.NoError(t, os.Chmod(file, 0o600))
	require.Contains(t, panelctl(t, vars, "", "status").err, "not what panelctl has written")
}

func TestLoginAsksForASecondFactor(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	key := me.Post("/api/v1/auth/totp", object{"password": secret}).Is(http.StatusOK).Text("secret")
	code := func() string {
		text, err := totp.GenerateCode(key, time.Now())
		require.NoError(t, err)
		return text
	}
	confirmed := me.Post("/api/v1/auth/totp/confirm", object{"code": code()}).Is(http.StatusOK)
	recovery, _ := confirmed.Value("recovery_codes").([]any)[0].(string)
	vars := terminal(t, p)
	wrong := panelctl(t, vars, "anna\n"+secret+"\nwrong recovery\n", "login")
	require.Equal(t, cli.ExitNotAllowed, wrong.exit)
	require.Empty(t, sessionFiles(t, vars))
	done := panelctl(t, vars, "anna\n"+secret+"\n"+recovery+"\n", "login")
	require.Equal(t, cli.ExitDone, done.exit, done.err)
	require.NotContains(t, done.err+done.out, recovery)
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "", "status").exit)
}

func TestASecondLoginEndsTheSessionOfTheFirst(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	vars := terminal(t, p)
	for range 3 {
		require.Equal(t, cli.ExitDone, panelctl(t, vars, secret+"\n", "login", "--username", "anna").exit)
	}
	require.EqualValues(t, 2, me.Get("/api/v1/auth/sessions").Value("total"), "of the browser and of the last login")
}

// Where nobody can type, nothing is asked; a wrong password is exit 4 and stores nothing; a session that cannot be
// stored ends.
func TestLoginsThatFail(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	vars := terminal(t, p)
	require.Equal(t, cli.ExitUsage, panelctl(t, vars, "", "login").exit)
	require.Equal(t, cli.ExitNotAllowed, panelctl(t, vars, "anna\nwrong\n", "login").exit)
	require.NoError(t, os.WriteFile(filepath.Join(vars["HOME"], ".config"), nil, 0o600))
	failed := panelctl(t, vars, "anna\n"+secret+"\n", "login")
	require.Equal(t, cli.ExitFailed, failed.exit, failed.err)
	require.EqualValues(t, 1, me.Get("/api/v1/auth/sessions").Value("total"))
	delete(vars, "HOME")
	require.Equal(t, cli.ExitFailed, panelctl(t, vars, "anna\n"+secret+"\n", "login").exit)
	vars = map[string]string{"PANEL_API_URL": "http://127.0.0.1:1", "HOME": t.TempDir()}
	require.Equal(t, cli.ExitUnreachable, panelctl(t, vars, "anna\n"+secret+"\n", "login").exit)
}

// A session is forgotten on this machine also when the panel cannot be asked to end it.
func TestLogoutForgetsTheSessionWithoutThePanel(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	vars := terminal(t, p)
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "anna\n"+secret+"\n", "login").exit)
	content, err := os.ReadFile(sessionFiles(t, vars)[0])
	require.NoError(t, err)
	vars["PANEL_API_URL"] = "http://127.0.0.1:1"
	moved := filepath.Join(filepath.Dir(sessionFiles(t, vars)[0]), "http:%2F%2F127.0.0.1:1.json")
	require.NoError(t, os.WriteFile(moved, []byte(strings.ReplaceAll(string(content), p.URL, vars["PANEL_API_URL"])),
		0o600))
	left := panelctl(t, vars, "", "logout")
	require.Equal(t, cli.ExitUnreachable, left.exit, left.err)
	require.NoFileExists(t, moved)
}

func TestTokensAreCreatedListedAndRevokedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	vars := terminal(t, p)
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "anna\n"+secret+"\n", "login").exit)
	made := panelctl(t, vars, secret+"\n", "token", "create", "deploy", "--permissions", "accounts.view,audit.*",
		"--days", "7", "--json")
	require.Equal(t, cli.ExitDone, made.exit, made.err)
	var created struct {
		Token string `json:"token"`
	}
	require.NoError(t, json.Unmarshal([]byte(made.out), &created))
	p.Bearer(created.Token).Get("/api/v1/accounts").Is(http.StatusOK)

	listed := panelctl(t, vars, "", "token", "list", "--plain")
	require.Equal(t, cli.ExitDone, listed.exit, listed.err)
	require.Contains(t, listed.out, "deploy\t")
	require.Contains(t, listed.out, "accounts.view audit.*")
	require.NotContains(t, listed.out, created.Token)
	vars["PANEL_API_TOKEN"] = created.Token
	byToken := panelctl(t, vars, "", "token", "list")
	require.Equal(t, cli.ExitNotAllowed, byToken.exit)
	require.Contains(t, byToken.err, "panelctl login")
	delete(vars, "PANEL_API_TOKEN")

	require.Equal(t, cli.ExitFailed, panelctl(t, vars, "", "token", "revoke", "other", "--yes").exit)
	require.Equal(t, cli.ExitFailed, panelctl(t, vars, "no\n", "token", "revoke", "deploy").exit)
	require.Equal(t, cli.ExitDone, panelctl(t, vars, "deploy\n", "token", "revoke", "deploy").exit)
	p.Bearer(created.Token).Get("/api/v1/accounts").Refused(http.StatusUnauthorized, "no_session")
	require.Equal(t, cli.ExitUsage, panelctl(t, vars, "", "token", "create", "other").exit)
	require.Equal(t, cli.ExitNotAllowed, panelctl(t, terminal(t, p), "", "token", "list").exit)
}
