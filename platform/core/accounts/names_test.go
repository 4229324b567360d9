package accounts_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

// A username signs in as it was typed at creation and in any case, whatever the script and the locale of the database.
func TestNamesInAnyScriptSignIn(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := p.Admin()
	for _, each := range []struct{ name, otherwise string }{
		{"Админ", "АДМИН"},
		{"ΟΔΥΣΣΕΥΣ", "οδυσσευς"},
		{"Straße", "STRASSE"},
		{"ÉMILIE", "e\u0301milie"},
		{"अमित", "अमित"},
		{"Ａｎｎａ", "anna"},
		{"İlker", "i\u0307lker"},
		{"สมชาย", "สมชาย"},
	} {
		admin.Post("/api/v1/accounts", object{"username": each.name, "password": secret}).Is(http.StatusCreated)
		login(p, each.name, secret).Is(http.StatusOK)
		login(p, each.otherwise, secret).Is(http.StatusOK)
		admin.Post("/api/v1/accounts", object{"username": each.otherwise, "password": secret}).
			Refused(http.StatusConflict, "name_taken")
	}
	require.EqualValues(t, 1, admin.Get("/api/v1/accounts?q=%D0%94%D0%9C%D0%98").Is(http.StatusOK).Value("total"),
		"a search folds like a sign-in")
}

// The first administrator of an installation may be called as his language has it.
func TestAFirstAdministratorBeyondASCIISignsIn(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	first := object{"username": "Админ", "password": secret}
	p.Anonymous().Post("/api/v1/setup/admin", first).Is(http.StatusCreated)
	login(p, "Админ", secret).Is(http.StatusOK)
	login(p, "админ", secret).Is(http.StatusOK)
	reset := panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--yes", "--plain", "--username", "АДМИН",
		"--password", replacement)
	require.Zero(t, reset.exit, reset.err)
	login(p, "аДМИН", replacement).Is(http.StatusOK)
}

// Accounts of an earlier version have no key; the start of the panel writes it before the first request is answered.
func TestNamesOfAnEarlierVersionGetTheirKeyAtTheStart(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	one.Admin().Post("/api/v1/accounts", object{"username": "Админ", "password": secret}).Is(http.StatusCreated)
	withoutKeys(t, one)
	login(one, "Админ", secret).Is(http.StatusOK)
	login(one, "админ", secret).Refused(http.StatusUnauthorized, "bad_credentials")
	two := paneltest.Start(t, paneltest.On(one.DB))
	login(two, "админ", secret).Is(http.StatusOK)
	login(one, "АДМИН", secret).Is(http.StatusOK)
}

// Two accounts whose names became one under the folding both go on: each signs in by its exact name, and the panel
// starts.
func TestTwoNamesThatFoldAlikeBothSignIn(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	admin := one.Admin()
	for _, name := range []string{"Админ", "Иван"} {
		admin.Post("/api/v1/accounts", object{"username": name, "password": secret}).Is(http.StatusCreated)
	}
	withoutKeys(t, one)
	_, err := one.DB.ExecContext(t.Context(), `insert into accounts (id, username, password_hash, permissions, created_at, updated_at)
		select ?, 'админ', password_hash, permissions, now(), now() from accounts where username = 'Админ'`, database.NewID())
	require.NoError(t, err)
	for range 2 { // the second start finds what the first has written
		started := paneltest.Start(t, paneltest.On(one.DB))
		for _, name := range []string{"Админ", "админ"} {
			require.Equal(t, name, login(started, name, secret).Is(http.StatusOK).Text("account.username"))
		}
		require.Equal(t, "Админ", login(started, "АДМИН", secret).Is(http.StatusOK).Text("account.username"),
			"the older account keeps the name")
		require.Equal(t, "Иван", login(started, "иван", secret).Is(http.StatusOK).Text("account.username"))
		require.Equal(t, 4, walked(started.Bearer(admin.Token), "/api/v1/accounts?limit=1"))
	}
}

// walked follows a list's cursors to its end and counts the pages.
func walked(client *paneltest.Client, path string) (pages int) {
	const most = 20
	for next := path; pages < most; pages++ {
		answer := client.Get(next).Is(http.StatusOK)
		cursor := answer.Text("next_cursor")
		if cursor == "" {
			return pages + 1
		}
		next = path + "&cursor=" + url.QueryEscape(cursor)
	}
	return pages
}

// withoutKeys puts the accounts into the state in which a version without keys leaves them.
func withoutKeys(t *testing.T, p *paneltest.Panel) {
	t.Helper()
	_, err := p.DB.ExecContext(t.Context(), "update accounts set username_key = null")
	require.NoError(t, err)
}

// A name that no account can have costs no password check and no place in memory.
func TestNamesLongerThanAnyAccountsAreRefusedBeforeAnyWork(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Clock(clockwork.NewFakeClock()))
	long := strings.Repeat("a", 65)
	for range 2 * freeAttempts {
		login(p, long, secret).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
}
