package accounts_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

// issued is a fresh API token of whoever is signed in as me.
type issued struct {
	*paneltest.Client
	id string
}

func issue(t *testing.T, p *paneltest.Panel, me *paneltest.Client, name string, permissions ...string) issued {
	t.Helper()
	made := me.Post("/api/v1/auth/tokens", tokenNamed(name, permissions...)).Is(http.StatusCreated)
	return issued{Client: p.Bearer(made.Text("token")), id: made.Text("api_token.id")}
}

func tokenNamed(name string, permissions ...string) object {
	if permissions == nil {
		permissions = []string{}
	}
	return object{"name": name, "permissions": permissions, "current_password": secret}
}

// hired is an account with a password of its own, signed in.
func hired(t *testing.T, p *paneltest.Panel, permissions ...string) (*paneltest.Client, string) {
	t.Helper()
	order := object{"username": "boris", "password": secret, "permissions": permissions}
	id := p.Admin().Post("/api/v1/accounts", order).Is(http.StatusCreated).Text("id")
	return p.Bearer(login(p, "boris", secret).Is(http.StatusOK).Text("token")), id
}

func TestAnAPITokenOpensWhatItWasGivenAndNothingElse(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	token := issue(t, p, signUp(t, p), "deploy", "accounts.view")
	token.Get("/api/v1/accounts").Is(http.StatusOK)
	token.Get("/api/v1/audit/entries").Refused(http.StatusForbidden, "permission_denied")
	me := token.Get("/api/v1/auth/me").Is(http.StatusOK)
	require.Equal(t, "anna", me.Text("account.username"))
	require.Equal(t, []any{"accounts.view"}, me.Value("permissions"))
	require.Equal(t, "deploy", me.Text("api_token.name"))
	require.Nil(t, me.Value("session"))
	require.True(t, strings.HasPrefix(token.Token, "pat_"))
}

// The token is in the answer of its creation, and afterwards nowhere: not in lists, not in the journal, not in the
// database.
func TestAnAPITokenIsShownOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	token := issue(t, p, me, "deploy", "*")
	random := strings.TrimPrefix(token.Token, "pat_")
	require.NotContains(t, string(me.Get("/api/v1/auth/tokens").Is(http.StatusOK).Body), random)
	var stored string
	require.NoError(t, p.DB.NewRaw(`select coalesce(string_agg(t::text, ' '), '') || (select coalesce(string_agg(j::text, ' '), '') from journal j)
		from api_tokens t`).Scan(t.Context(), &stored))
	require.Contains(t, stored, "deploy")
	require.NotContains(t, stored, random)
}

// A token has at most what its account has, also when that shrinks afterwards, and on every panel at the next request.
func TestAnAPITokenLosesWhatItsAccountLoses(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	two := paneltest.Start(t, paneltest.On(one.DB))
	me, id := hired(t, one, "accounts.*", "audit.view")
	me.Post("/api/v1/auth/tokens", tokenNamed("too much", "settings.manage")).
		Refused(http.StatusForbidden, "permission_denied")
	me.Post("/api/v1/auth/tokens", tokenNamed("unknown", "moon.view")).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	token := issue(t, one, me, "deploy", "accounts.*")
	elsewhere := two.Bearer(token.Token)
	elsewhere.Get("/api/v1/accounts").Is(http.StatusOK)

	admin := one.Admin()
	narrowed := object{
		"revision":    admin.Get("/api/v1/accounts/" + id).Value("revision"),
		"permissions": []string{"accounts.manage"},
	}
	admin.Patch("/api/v1/accounts/"+id, narrowed).Is(http.StatusOK)
	elsewhere.Get("/api/v1/accounts").Refused(http.StatusForbidden, "permission_denied")
	require.Equal(t, []any{"accounts.manage"}, elsewhere.Get("/api/v1/auth/me").Value("permissions"))
	require.Equal(t, []any{"accounts.*"}, admin.Get("/api/v1/accounts/" + id +
		"/tokens").Value("items").([]any)[0].(object)["permissions"])
}

// What gives access, or ends it, needs a person who has signed in: a leaked token makes nothing that outlives it.
func TestAnAPITokenTouchesNoCredentials(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	token := issue(t, p, me, "deploy", "*")
	account := me.Get("/api/v1/auth/me").Text("account.id")
	for _, request := range [][2]string{
		{"GET", "/api/v1/auth/tokens"},
		{"POST", "/api/v1/auth/tokens"},
		{"DELETE", "/api/v1/auth/tokens/" + token.id},
		{"POST", "/api/v1/auth/password"},
		{"POST", "/api/v1/auth/logout"},
		{"GET", "/api/v1/auth/sessions"},
		{"POST", "/api/v1/auth/totp"},
		{"POST", "/api/v1/auth/passkeys"},
		{"POST", "/api/v1/accounts"},
		{"PATCH", "/api/v1/accounts/" + account},
		{"DELETE", "/api/v1/accounts/" + account},
		{"POST", "/api/v1/accounts/" + account + "/password"},
		{"DELETE", "/api/v1/accounts/" + account + "/tokens/" + token.id},
	} {
		token.Do(request[0], request[1], nil).Refused(http.StatusForbidden, "session_required")
	}
	token.Get("/api/v1/accounts/" + account + "/tokens").Is(http.StatusOK)
}

func TestARevokedAPITokenEndsAtTheNextRequestOnEveryPanel(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	two := paneltest.Start(t, paneltest.On(one.DB))
	me := signUp(t, one)
	for n := range 20 {
		token := issue(t, one, me, fmt.Sprint("deploy ", n), "*")
		elsewhere := two.Bearer(token.Token)
		elsewhere.Get("/api/v1/accounts").Is(http.StatusOK)
		me.Delete("/api/v1/auth/tokens/" + token.id).Is(http.StatusNoContent)
		elsewhere.Get("/api/v1/accounts").Refused(http.StatusUnauthorized, "no_session")
	}
	me.Delete("/api/v1/auth/tokens/0190b6f0-0000-7000-8000-000000000000").Refused(http.StatusNotFound, "not_found")
}

// Whatever ends an account's access ends its tokens; the owner's own new password leaves them.
func TestWhatEndsAnAccountEndsItsAPITokens(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := p.Admin()
	for name, end := range map[string]func(id string) *paneltest.Answer{
		"reset": func(id string) *paneltest.Answer {
			return admin.Post("/api/v1/accounts/"+id+"/password", object{"password": replacement})
		},
		"disabled": func(id string) *paneltest.Answer {
			revision := admin.Get("/api/v1/accounts/" + id).Value("revision")
			return admin.Patch("/api/v1/accounts/"+id, object{"revision": revision, "state": "disabled"})
		},
		"deleted": func(id string) *paneltest.Answer { return admin.Delete("/api/v1/accounts/" + id) },
	} {
		id := admin.Post("/api/v1/accounts", object{"username": name, "password": secret}).Is(http.StatusCreated).
			Text("id")
		me := p.Bearer(login(p, name, secret).Is(http.StatusOK).Text("token"))
		token := issue(t, p, me, "deploy", "*")
		me.Post("/api/v1/auth/password", object{"current_password": secret, "new_password": secret + "!"}).
			Is(http.StatusNoContent)
		token.Get("/api/v1/accounts").Is(http.StatusOK)
		done(t, end(id))
		token.Get("/api/v1/accounts").Refused(http.StatusUnauthorized, "no_session")
		if name == "disabled" {
			revision := admin.Get("/api/v1/accounts/" + id).Value("revision")
			admin.Patch("/api/v1/accounts/"+id, object{"revision": revision, "state": "active"}).Is(http.StatusOK)
			token.Get("/api/v1/accounts").Refused(http.StatusUnauthorized, "no_session")
		}
	}
}

// A reset on the server ends tokens as well, and meets the database of a version that had none.
func TestAResetOnTheServerEndsAPITokens(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	token := issue(t, p, signUp(t, p), "deploy", "*")
	token.Get("/api/v1/accounts").Is(http.StatusOK)
	require.Equal(t, cli.ExitDone, panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--username", "anna",
		"--yes").exit)
	require.Eventually(t, func() bool { return token.Get("/api/v1/accounts").Status == http.StatusUnauthorized },
		60*time.Second, time.Millisecond)
	_, err := p.DB.ExecContext(t.Context(), "alter table api_tokens rename to of_a_later_version")
	require.NoError(t, err)
	again := panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--username", "anna", "--yes")
	require.Equal(t, cli.ExitDone, again.exit, again.err)
}

func TestAnAPITokenExpires(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	me := signUp(t, p)
	order := tokenNamed("short", "*")
	order["expires_in_days"] = 2
	token := p.Bearer(me.Post("/api/v1/auth/tokens", order).Is(http.StatusCreated).Text("token"))
	clock.Advance(48*time.Hour - time.Second)
	token.Get("/api/v1/accounts").Is(http.StatusOK)
	clock.Advance(2 * time.Second)
	token.Get("/api/v1/accounts").Refused(http.StatusUnauthorized, "api_token_expired")
	order["expires_in_days"] = 366
	signedIn(p).Post("/api/v1/auth/tokens", order).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Creating one needs the password again; wrong ones are throttled like sign-ins.
func TestCreatingAnAPITokenNeedsThePassword(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	order := tokenNamed("deploy", "*")
	order["current_password"] = "wrong"
	var refused *paneltest.Answer
	for range 10 {
		if refused = me.Post("/api/v1/auth/tokens", order); refused.Status != http.StatusUnprocessableEntity {
			break
		}
	}
	refused.Refused(http.StatusTooManyRequests, "throttled")
	delete(order, "current_password")
	me.Post("/api/v1/auth/tokens", order).Refused(http.StatusBadRequest, "missing_field")
}

func TestNamesOfAPITokensAreUniqueAndTheirNumberIsBounded(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	issue(t, p, me, "deploy")
	me.Post("/api/v1/auth/tokens", tokenNamed(" deploy ")).Refused(http.StatusConflict, "name_taken")
	me.Post("/api/v1/auth/tokens", tokenNamed("   ")).Refused(http.StatusUnprocessableEntity, "invalid_value")
	var made atomic.Int32
	var all sync.WaitGroup
	for n := range 30 {
		all.Go(func() {
			for {
				switch answer := me.Post("/api/v1/auth/tokens", tokenNamed(fmt.Sprint("number ", n))); answer.Status {
				case http.StatusCreated:
					made.Add(1)
					return
				case http.StatusConflict:
					return
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 19, made.Load())
	me.Post("/api/v1/auth/tokens", tokenNamed("one more")).Refused(http.StatusConflict, "too_many_tokens")
	require.EqualValues(t, 20, me.Get("/api/v1/auth/tokens").Value("total"))
}

// The journal names the token that acted, and the token that was made and revoked.
func TestTheJournalNamesTheAPIToken(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	token := issue(t, p, me, "deploy", "accounts.*")
	token.Post("/api/v1/accounts", object{}).Refused(http.StatusForbidden, "session_required")
	me.Delete("/api/v1/auth/tokens/" + token.id).Is(http.StatusNoContent)
	var lines []string
	require.NoError(t, p.DB.NewRaw("select action || ' ' || actor_name || ' ' || object_name from journal where action like 'account.token%' order by at").
		Scan(t.Context(), &lines))
	require.Equal(t, []string{"account.token_created anna deploy", "account.token_revoked anna deploy"}, lines)
	require.Eventually(t, func() bool {
		var denied int
		err := p.DB.NewRaw("select count(*) from journal where actor_name = 'anna (deploy)'").Scan(t.Context(), &denied)
		return err == nil && denied == 1
	}, 60*time.Second, 50*time.Millisecond)
}

// Lists say when a token was used last, to the minute; a use costs no statement of its own.
func TestTheLastUseOfAnAPITokenIsShown(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	me := signUp(t, p)
	token := issue(t, p, me, "deploy", "*")
	last := func() any { return me.Get("/api/v1/auth/tokens").Value("items").([]any)[0].(object)["last_used_at"] }
	require.Nil(t, last())
	token.Get("/api/v1/accounts").Is(http.StatusOK)
	require.Eventually(t, func() bool { clock.Advance(time.Second); return last() != nil }, 30*time.Second,
		10*time.Millisecond)
}

// Who holds accounts.manage sees and revokes the tokens of others, but not of an account that holds more.
func TestTheAPITokensOfOthersAreSeenAndRevoked(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me, id := hired(t, p, "audit.view")
	token := issue(t, p, me, "deploy", "audit.view")
	path := "/api/v1/accounts/" + id + "/tokens"
	p.As("accounts.view").Get(path).Refused(http.StatusForbidden, "permission_denied")
	weak := p.As("accounts.manage")
	require.EqualValues(t, 1, weak.Get(path).Is(http.StatusOK).Value("total"))
	weak.Delete(path+"/"+token.id).Refused(http.StatusForbidden, "permission_denied")
	manager := p.As("accounts.manage", "audit.view")
	manager.Delete("/api/v1/accounts/"+manager.AccountID+"/tokens/"+token.id).Refused(http.StatusNotFound, "not_found")
	manager.Delete(path + "/" + token.id).Is(http.StatusNoContent)
	token.Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
}

// An account that must choose a password of its own does nothing through its tokens either.
func TestAnAPITokenWaitsForThePasswordThatMustBeChanged(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me, id := hired(t, p, "*")
	token := issue(t, p, me, "deploy", "*")
	_, err := p.DB.ExecContext(t.Context(), "update accounts set must_change_password = true where id = ?", id)
	require.NoError(t, err)
	token.Get("/api/v1/accounts").Refused(http.StatusForbidden, "password_change_required")
}
