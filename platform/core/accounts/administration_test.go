package accounts_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

type object = map[string]any

// Specification, Administrator account: "*" is also the value used when permissions are not sent.
func TestPermissionsThatAreNotSentMeanFullAccess(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t).Admin()
	full := admin.Post("/api/v1/accounts", object{"username": "boris", "password": secret}).Is(http.StatusCreated)
	require.Equal(t, []any{"*"}, full.Value("permissions"))
	none := admin.Post("/api/v1/accounts", object{"username": "clara", "password": secret, "permissions": []string{}}).
		Is(http.StatusCreated)
	require.Equal(t, []any{}, none.Value("permissions"))
	require.NotContains(t, string(none.Body), "password_hash")
}

// Only the absent field is full access: null is a wrong type, at creation and at a change.
func TestPermissionsThatAreNullAreRefused(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin, user := p.Admin(), p.As("accounts.view")
	null := `{"username":"boris","password":"` + secret + `","permissions":null}`
	admin.Post("/api/v1/accounts", null).Refused(http.StatusBadRequest, "bad_json")
	require.EqualValues(t, 0, admin.Get("/api/v1/accounts?q=boris").Value("total"))
	path := "/api/v1/accounts/" + user.AccountID
	admin.Patch(path, `{"revision":1,"permissions":null}`).Refused(http.StatusBadRequest, "bad_json")
	require.Equal(t, []any{"accounts.view"}, admin.Get(path).Value("permissions"))
}

// Specification, Administrator account rules 1 and 2: a change takes effect at the next request and ends no session.
func TestChangedPermissionsTakeEffectAtTheNextRequest(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := p.Admin()
	made := admin.Post("/api/v1/accounts", object{
		"username": "boris", "password": secret,
		"permissions": []string{"accounts.view"},
	}).Is(http.StatusCreated)
	boris := p.Bearer(login(p, "boris", secret).Is(http.StatusOK).Text("token"))
	path := "/api/v1/accounts/" + made.Text("id")
	for range 20 {
		boris.Get("/api/v1/accounts").Is(http.StatusOK)
		revision := admin.Get(path).Value("revision")
		admin.Patch(path, object{"revision": revision, "permissions": []string{}}).Is(http.StatusOK)
		boris.Get("/api/v1/accounts").Refused(http.StatusForbidden, "permission_denied")
		boris.Get("/api/v1/auth/me").Is(http.StatusOK)
		revision = admin.Get(path).Value("revision")
		admin.Patch(path, object{"revision": revision, "permissions": []string{"accounts.*"}}).Is(http.StatusOK)
	}
}

// Domain 4.14: nobody grants what he lacks; "*" stands alone; unknown keys are refused.
func TestNobodyGrantsWhatHeLacks(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	p.Admin()
	manager := p.As("accounts.manage", "nodes.view", "accounts.view")
	create := func(name string, permissions any) *paneltest.Answer {
		body := object{"username": name, "password": secret}
		if permissions != nil {
			body["permissions"] = permissions
		}
		return manager.Post("/api/v1/accounts", body)
	}
	create("one", nil).Refused(http.StatusForbidden, "permission_denied")
	create("two", []string{"settings.manage"}).Refused(http.StatusForbidden, "permission_denied")
	create("three", []string{"accounts.*"}).Refused(http.StatusForbidden, "permission_denied")
	create("four", []string{"accounts.view"}).Is(http.StatusCreated)
	p.Admin().Post("/api/v1/accounts", object{"username": "five", "password": secret, "permissions": []string{
		"*",
		"accounts.view",
	}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	p.Admin().Post("/api/v1/accounts", object{
		"username": "six", "password": secret,
		"permissions": []string{"no.such"},
	}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Nobody takes over an account that holds more than his own.
func TestAManagerCannotTouchAnAccountThatHoldsMore(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	owner, manager := p.Admin(), p.As("accounts.manage", "accounts.view")
	path := "/api/v1/accounts/" + owner.AccountID
	manager.Post(path+"/password", object{"password": "taken over"}).Refused(http.StatusForbidden, "permission_denied")
	manager.Patch(path, object{"revision": 1, "state": "disabled"}).Refused(http.StatusForbidden, "permission_denied")
	manager.Delete(path).Refused(http.StatusForbidden, "permission_denied")
}

// Domain 4.14: the last "*" account cannot lose it, also when two try at once.
func TestTheLastFullAccessStays(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	one, two := p.Admin(), p.Admin()
	var refused atomic.Int32
	var all sync.WaitGroup
	for _, victim := range []struct{ by, of *paneltest.Client }{{one, two}, {two, one}} {
		all.Go(func() {
			answer := victim.by.Patch("/api/v1/accounts/"+victim.of.AccountID, object{
				"revision":    1,
				"permissions": []string{},
			})
			if answer.Status != http.StatusOK {
				refused.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, refused.Load(), "one of the two must keep full access")
	for _, admin := range []*paneltest.Client{one, two} {
		if admin.Get("/api/v1/accounts").Status == http.StatusOK {
			admin.Delete("/api/v1/accounts/"+admin.AccountID).Refused(http.StatusConflict, "last_admin")
			admin.Patch("/api/v1/accounts/"+admin.AccountID, object{"revision": 1, "state": "disabled"}).
				Refused(http.StatusConflict, "last_admin")
		}
	}
}

// CVE-2026-33031 in a near product: a disabled user's token still worked.
func TestDisablingResettingAndDeletingEndSessions(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := p.Admin()
	for name, end := range map[string]func(path string){
		"disabled": func(path string) {
			admin.Patch(path, object{
				"revision": 1,
				"state":    "disabled",
			}).Is(http.StatusOK)
		},
		"reset": func(path string) {
			admin.PostOnce(path+"/password", object{"password": "new password"}).Is(http.StatusNoContent)
		},
		"deleted": func(path string) { admin.Delete(path).Is(http.StatusNoContent) },
	} {
		made := admin.Post("/api/v1/accounts", object{"username": name, "password": secret, "permissions": []string{}}).
			Is(http.StatusCreated)
		user := p.Bearer(login(p, name, secret).Is(http.StatusOK).Text("token"))
		user.Get("/api/v1/auth/me").Is(http.StatusOK)
		end("/api/v1/accounts/" + made.Text("id"))
		user.Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
		login(p, name, secret).Refused(http.StatusUnauthorized, "bad_credentials")
	}
}

// Specification, Administrator account: the password is "never returned".
func TestAccountsAreListedPagedAndFiltered(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t).Admin()
	for _, name := range []string{"alpha", "Beta", "gamma"} {
		admin.Post("/api/v1/accounts", object{"username": name, "password": secret}).Is(http.StatusCreated)
	}
	admin.Post("/api/v1/accounts", object{"username": "ALPHA", "password": secret}).
		Refused(http.StatusConflict, "name_taken")
	first := admin.Get("/api/v1/accounts?limit=2").Is(http.StatusOK)
	require.EqualValues(t, 4, first.Value("total"))
	require.NotContains(t, string(first.Body), "password_hash")
	require.NotContains(t, string(first.Body), "argon2")
	rest := admin.Get("/api/v1/accounts?limit=2&cursor=" + first.Text("next_cursor")).Is(http.StatusOK)
	require.Nil(t, rest.Value("next_cursor"))
	require.Len(t, rest.Value("items"), 2)
	admin.Get("/api/v1/accounts?cursor=Beta").Refused(http.StatusBadRequest, "bad_parameter")
	for sort, want := range map[string]string{
		"username": "Beta", "-username": "gamma", "created_at": "alpha",
		"-created_at": "Beta",
	} {
		page := admin.Get("/api/v1/accounts?limit=1&sort=" + sort).Is(http.StatusOK)
		second := admin.Get("/api/v1/accounts?limit=1&sort=" + sort + "&cursor=" + page.Text("next_cursor")).
			Is(http.StatusOK)
		require.Equal(t, want, second.Value("items").([]any)[0].(object)["username"], sort)
	}
	require.EqualValues(t, 1, admin.Get("/api/v1/accounts?q=alph").Value("total"))
}

// Digests of passwords are nothing that a list needs: they stay in the database. The session of the request does need
// one while it is not in memory, as when late news has just dropped it, therefore more than one attempt.
func TestTheListOfAccountsReadsNoDigests(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := p.Admin()
	rename := func(from, to string) {
		_, err := p.DB.ExecContext(t.Context(), "alter table accounts rename column "+from+" to "+to)
		require.NoError(t, err)
	}
	var page *paneltest.Answer
	require.Eventually(t, func() bool {
		admin.Get("/api/v1/accounts").Is(http.StatusOK)
		rename("password_hash", "out_of_reach")
		page = admin.Get("/api/v1/accounts?sort=-created_at")
		rename("out_of_reach", "password_hash")
		return page.Status == http.StatusOK
	}, time.Minute, 50*time.Millisecond)
	require.Len(t, page.Is(http.StatusOK).Value("items"), 1)
}

func TestAnotherAccountsSessionsCanBeSeenAndEnded(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin, user := p.Admin(), p.As("accounts.view")
	path := "/api/v1/accounts/" + user.AccountID + "/sessions"
	held := admin.Get(path).Is(http.StatusOK)
	items := held.Value("items").([]any)
	require.Len(t, items, 1)
	id := items[0].(object)["id"].(string)
	admin.Delete("/api/v1/accounts/"+admin.AccountID+"/sessions/"+id).Refused(http.StatusNotFound, "not_found")
	admin.Delete(path + "/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return user.Get("/api/v1/auth/me").Status == http.StatusUnauthorized },
		60*time.Second, time.Millisecond)
}

// A change needs the revision that was read; an old one is a conflict and changes nothing.
func TestAStaleRevisionIsAConflict(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin, user := p.Admin(), p.As("accounts.view")
	path := "/api/v1/accounts/" + user.AccountID
	admin.Patch(path, object{"username": "renamed"}).Refused(http.StatusBadRequest, "missing_field")
	admin.Do(http.MethodPatch, path, object{"username": "renamed"}, "If-Match", `"1"`).Is(http.StatusOK)
	admin.Patch(path, object{"username": "again", "revision": 1}).Refused(http.StatusConflict, "revision_conflict")
	require.Equal(t, "renamed", admin.Get(path).Text("username"))
}

// An account keeps a key of a module that this build lacks when its permissions are saved again; nobody else gets it.
func TestAKeyOfAMissingModuleStaysWithItsHolder(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	full, holder := p.Admin(), p.As("connection_units.policies", "accounts.view")
	path := "/api/v1/accounts/" + holder.AccountID
	saved := full.Patch(path, map[string]any{"revision": 1, "permissions": []string{
		"connection_units.policies",
		"audit.view",
	}}).Is(200)
	require.Equal(t, []any{"connection_units.policies", "audit.view"}, saved.Value("permissions"))
	other := p.As("accounts.view")
	full.Patch("/api/v1/accounts/"+other.AccountID, map[string]any{
		"revision":    1,
		"permissions": []string{"connection_units.policies"},
	}).
		Refused(422, "invalid_value")
}
