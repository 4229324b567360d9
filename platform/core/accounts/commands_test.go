package accounts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/cli"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
)

type outcome struct {
	exit     int
	out, err string
}

// panelctl runs one command line with these variables; typed is what a person answers at the terminal.
func panelctl(t *testing.T, vars map[string]string, typed string, args ...string) outcome {
	t.Helper()
	var out, complaints bytes.Buffer
	terminal := cli.Terminal{In: typed != "", Err: typed != ""}
	env := cli.Env{
		In: strings.NewReader(typed), Out: &out, Err: &complaints, Terminal: terminal,
		Getenv: func(name string) string { return vars[name] },
	}
	exit := cli.Run(context.Background(), app.CommandLine(env, nil), args)
	return outcome{exit: exit, out: out.String(), err: complaints.String()}
}

func onDatabase(t *testing.T, p *paneltest.Panel) map[string]string {
	t.Helper()
	return map[string]string{
		"PANEL_DB_URL": p.DB.Pool.Config().ConnString(), "PANEL_DATA_DIR": p.Dir,
		"HOME": t.TempDir(),
	}
}

// Specification, Password reset rules 2 and 4 to 6: it lists administrators, 16 random characters, printed in clear,
// hash stored, journal event, the old password and all sessions dead at once in the running panel.
// Specification, Events: "administrator password resets" are written to the audit journal.
// Specification, Limits: a generated password has "16 characters".
func TestResetPasswordWorksOnARunningPanel(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	old := signUp(t, p)
	old.Get("/api/v1/auth/me").Is(http.StatusOK)
	done := panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--yes", "--json")
	require.Equal(t, cli.ExitDone, done.exit, done.err)
	var printed struct{ Username, Password string }
	require.NoError(t, json.Unmarshal([]byte(done.out), &printed))
	require.Equal(t, "anna", printed.Username)
	require.Contains(t, done.err, "1  anna  (active)", "rule 2: one is listed too")
	require.Len(t, printed.Password, 16)
	require.Eventually(t, func() bool { return old.Get("/api/v1/auth/me").Status == http.StatusUnauthorized },
		60*time.Second, time.Millisecond)
	login(p, "anna", secret).Refused(http.StatusUnauthorized, "bad_credentials")
	login(p, "anna", printed.Password).Is(http.StatusOK)
	var stored, actor string
	require.NoError(t, p.DB.NewRaw("select password_hash from accounts").Scan(t.Context(), &stored))
	require.NotContains(t, stored, printed.Password)
	require.NoError(t,
		p.DB.NewRaw("select actor_kind from journal where action = 'account.password_reset'").Scan(t.Context(), &actor))
	require.Equal(t, "cli", actor)
}

// Rule 4: --password sets the given one; the alias "reset" is the same command.
func TestResetPasswordTakesAGivenOne(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	done := panelctl(t, onDatabase(t, p), "", "admin", "reset", "--yes", "--plain", "--password", "battery staple")
	require.Equal(t, "username\tanna\npassword\tbattery staple\n", done.out)
	require.Contains(t, done.err, "can be seen by other users")
	login(p, "anna", "battery staple").Is(http.StatusOK)
}

// Specification, Password reset rules 2 and 3: with several administrators a choice is offered, then a confirmation is
// asked for.
func TestResetPasswordOffersAChoiceAndAsks(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p).Post("/api/v1/accounts", object{"username": "boris", "password": secret}).Is(http.StatusCreated)
	vars := onDatabase(t, p)
	require.Equal(t, cli.ExitUsage, panelctl(t, vars, "", "admin", "reset-password", "--yes").exit)
	refused := panelctl(t, vars, "boris\n", "admin", "reset-password", "--username", "anna")
	require.Equal(t, cli.ExitFailed, refused.exit)
	login(p, "anna", secret).Is(http.StatusOK)
	chosen := panelctl(t, vars, "2\n", "admin", "reset-password", "--yes", "--plain")
	require.Contains(t, chosen.out, "username\tboris\n")
	require.Contains(t, chosen.err, "  1  anna")
	agreed := panelctl(t, vars, "anna\n", "admin", "reset-password", "--username", "anna", "--plain")
	require.Equal(t, cli.ExitDone, agreed.exit, agreed.err)
	require.Equal(t, cli.ExitUsage, panelctl(t, vars, "", "admin", "reset-password", "--username", "anna").exit)
}

// An empty schema and an unreachable database are told apart in words and by exit code.
func TestResetPasswordSaysWhatIsWrongWithTheDatabase(t *testing.T) {
	t.Parallel()
	empty := panelctl(t, map[string]string{"PANEL_DB_URL": dbtest.Empty(t), "HOME": t.TempDir()}, "", "admin",
		"reset-password", "--yes")
	require.Equal(t, cli.ExitFailed, empty.exit)
	require.Contains(t, empty.err, "holds no panel")
	away := panelctl(t, map[string]string{"PANEL_DB_URL": "postgres://x:s3cret@127.0.0.1:1/x", "HOME": t.TempDir()}, "",
		"admin", "reset-password", "--yes")
	require.Equal(t, cli.ExitUnreachable, away.exit)
	require.NotContains(t, away.err, "s3cret")
	none := panelctl(t, map[string]string{"PANEL_DATA_DIR": t.TempDir(), "HOME": t.TempDir()}, "", "admin",
		"reset-password", "--yes")
	require.Equal(t, cli.ExitUnreachable, none.exit)
	require.Contains(t, none.err, "no private database")
}

// Passwords are counted in characters, as the panel counts them, and an empty one is no wish for a random one.
func TestResetPasswordCountsCharacters(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	vars := onDatabase(t, p)
	reset := func(password string) outcome {
		return panelctl(t, vars, "", "admin", "reset-password", "--yes", "--plain", "--password", password)
	}
	cyrillic := strings.Repeat("ж", 70)
	require.Zero(t, reset(cyrillic).exit)
	login(p, "anna", cyrillic).Is(http.StatusOK)
	long := reset(strings.Repeat("ж", 129))
	require.Equal(t, cli.ExitUsage, long.exit)
	require.Contains(t, long.err, "at most 128 characters")
	short := reset("жжжжж")
	require.Zero(t, short.exit)
	require.Contains(t, short.err, "shorter than the panel would accept")
	empty := reset("")
	require.Equal(t, cli.ExitUsage, empty.exit)
	require.Contains(t, empty.err, "--password is empty")
	require.Empty(t, empty.out)
	login(p, "anna", "жжжжж").Is(http.StatusOK)
}
