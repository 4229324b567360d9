package accounts_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/jonboulle/clockwork"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

func withTOTP(t *testing.T, p *paneltest.Panel) (me *paneltest.Client, secretKey string, recovery []any) {
	t.Helper()
	me = signUp(t, p)
	me.Post("/api/v1/auth/totp", object{"password": "not the password"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	secretKey = me.Post("/api/v1/auth/totp", object{"password": secret}).Is(http.StatusOK).Text("secret")
	login(p, "anna", secret).Is(http.StatusOK)
	me.Post("/api/v1/auth/totp/confirm", object{"code": "000000"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	recovery = me.Post("/api/v1/auth/totp/confirm", object{"code": code(t, p, secretKey)}).Is(http.StatusOK).
		Value("recovery_codes").([]any)
	return me, secretKey, recovery
}

func code(t *testing.T, p *paneltest.Panel, secretKey string) string {
	t.Helper()
	text, err := totp.GenerateCode(secretKey, p.Clock.Now())
	require.NoError(t, err)
	return text
}

func challenged(t *testing.T, p *paneltest.Panel) *paneltest.Answer {
	t.Helper()
	return login(p, "anna", secret).Refused(http.StatusUnauthorized, "second_factor_required")
}

func second(p *paneltest.Panel, challenge string, member string, value any) *paneltest.Answer {
	return p.Anonymous().Post("/api/v1/auth/second-factor", object{"challenge": challenge, member: value})
}

// Domain 4.14: sign-in with a second factor is 401 second_factor_required, then auth/second-factor.
func TestAuthenticatorAppGuardsTheSignIn(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	me, key, recovery := withTOTP(t, p)
	require.Len(t, recovery, 10)
	second(p, challenged(t, p).Text("challenge"), "code", code(t, p, key)).
		Refused(http.StatusUnauthorized, "bad_credentials")
	clock.Advance(31 * time.Second)
	right := code(t, p, key)
	opened := second(p, challenged(t, p).Text("challenge"), "code", right).Is(http.StatusOK)
	p.Bearer(opened.Text("token")).Get("/api/v1/auth/me").Is(http.StatusOK)
	second(p, challenged(t, p).Text("challenge"), "code", right).Refused(http.StatusUnauthorized, "bad_credentials")
	second(p, challenged(t, p).Text("challenge"), "recovery_code", recovery[3]).Is(http.StatusOK)
	second(p, challenged(t, p).Text("challenge"), "recovery_code", recovery[3]).
		Refused(http.StatusUnauthorized, "bad_credentials")
	require.EqualValues(t, 9, me.Get("/api/v1/auth/factors").Value("recovery_codes_left"))
	require.Equal(t, true, me.Get("/api/v1/auth/me").Value("account.totp_enabled"))
	me.PostOnce("/api/v1/auth/totp/remove", object{"password": secret}).Is(http.StatusNoContent)
	login(p, "anna", secret).Is(http.StatusOK)
}

// New recovery codes leave the app as it is; the former codes no longer work, and the renewal needs the password and is
// in the journal.
func TestRecoveryCodesAreRenewedWithoutTheApp(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	me, key, former := withTOTP(t, p)
	clock.Advance(31 * time.Second)
	second(p, challenged(t, p).Text("challenge"), "recovery_code", former[0]).Is(http.StatusOK)
	const path = "/api/v1/auth/totp/recovery-codes"
	me.Post(path, object{"password": "not the password"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.EqualValues(t, 9, me.Get("/api/v1/auth/factors").Value("recovery_codes_left"),
		"a refused renewal changes nothing")
	fresh := me.Post(path, object{"password": secret}).Is(http.StatusOK).Value("recovery_codes").([]any)
	require.Len(t, fresh, 10)
	require.NotContains(t, fresh, former[1])
	require.EqualValues(t, 10, me.Get("/api/v1/auth/factors").Value("recovery_codes_left"))
	second(p, challenged(t, p).Text("challenge"), "recovery_code", former[1]).
		Refused(http.StatusUnauthorized, "bad_credentials")
	second(p, challenged(t, p).Text("challenge"), "recovery_code", fresh[0]).Is(http.StatusOK)
	second(p, challenged(t, p).Text("challenge"), "code", code(t, p, key)).Is(http.StatusOK)
	require.Equal(t, 1, factorEntries(t, p, "recovery_codes"))
	me.Post("/api/v1/auth/totp/remove", object{"password": secret}).Is(http.StatusNoContent)
	me.Post(path, object{"password": secret}).Refused(http.StatusConflict, "totp_missing")
}

// factorEntries counts the journal's lines about one of the second factors.
func factorEntries(t *testing.T, p *paneltest.Panel, what string) int {
	t.Helper()
	var n int
	err := p.DB.NewRaw("select count(*) from journal where action = 'account.factor_changed' and changes like ?",
		`%"`+what+`"%`).Scan(t.Context(), &n)
	require.NoError(t, err)
	return n
}

func TestOfTwoRenewalsAtOnceOneSetOfCodesCounts(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me, _, _ := withTOTP(t, p)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { me.Post("/api/v1/auth/totp/recovery-codes", object{"password": secret}) })
	}
	all.Wait()
	require.EqualValues(t, 10, me.Get("/api/v1/auth/factors").Value("recovery_codes_left"))
}

func TestAChallengeWorksOnceAndNotForLong(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	_, key, recovery := withTOTP(t, p)
	clock.Advance(31 * time.Second)
	challenge := challenged(t, p).Text("challenge")
	var opened atomic.Int32
	var all sync.WaitGroup
	for _, each := range recovery[:4] {
		all.Go(func() {
			if second(p, challenge, "recovery_code", each).Status == http.StatusOK {
				opened.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, opened.Load(), "one challenge opens one session")
	old := challenged(t, p).Text("challenge")
	clock.Advance(6 * time.Minute)
	second(p, old, "code", code(t, p, key)).Refused(http.StatusUnauthorized, "bad_credentials")
}

// A stolen session of an administrator takes nobody's second factor off: it does not know the password.
func TestAResetMayTakeTheSecondFactorOff(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me, _, _ := withTOTP(t, p)
	path := "/api/v1/accounts/" + me.Get("/api/v1/auth/me").Text("account.id") + "/password"
	p.Admin().Post("/api/v1/accounts", object{"username": "boris", "password": replacement}).Is(http.StatusCreated)
	admin := p.Bearer(login(p, "boris", replacement).Is(http.StatusOK).Text("token"))
	admin.Post(path, object{"password": replacement}).Is(http.StatusNoContent)
	login(p, "anna", replacement).Refused(http.StatusUnauthorized, "second_factor_required")
	without := object{"password": replacement, "remove_second_factor": true}
	admin.Post(path, without).Refused(http.StatusBadRequest, "missing_field")
	without["current_password"] = "not the password"
	admin.Post(path, without).Refused(http.StatusUnprocessableEntity, "invalid_value")
	login(p, "anna", replacement).Refused(http.StatusUnauthorized, "second_factor_required")
	without["current_password"] = replacement
	admin.Post(path, without).Is(http.StatusNoContent)
	login(p, "anna", replacement).Is(http.StatusOK)
}

// The way to reset others' passwords is no way around the own current one.
func TestNobodyResetsHisOwnPasswordWithoutTheCurrentOne(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me, _, _ := withTOTP(t, p)
	path := "/api/v1/accounts/" + me.Get("/api/v1/auth/me").Text("account.id") + "/password"
	for _, body := range []object{
		{"password": replacement},
		{"password": replacement, "remove_second_factor": true},
		{"password": replacement, "remove_second_factor": true, "current_password": secret},
	} {
		me.Post(path, body).Refused(http.StatusConflict, "own_account")
	}
	challenged(t, p)
}

// A real (virtual) authenticator registers on localhost and signs in with its passkey.
func TestPasskeyGuardsTheSignIn(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	site := virtualwebauthn.RelyingParty{Name: "Panel", ID: "localhost", Origin: "http://localhost:8080"}
	device, key := virtualwebauthn.NewAuthenticator(), virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)

	begun := me.Post("/api/v1/auth/passkeys", object{"password": secret}).Is(http.StatusOK)
	wanted, err := virtualwebauthn.ParseAttestationOptions(inner(t, begun.Value("options")))
	require.NoError(t, err)
	answer := json.RawMessage(virtualwebauthn.CreateAttestationResponse(site, device, key, *wanted))
	finish := object{"challenge": begun.Text("challenge"), "name": "laptop", "credential": answer}
	p.Admin().Post("/api/v1/auth/passkeys/finish", finish).Refused(http.StatusUnprocessableEntity, "invalid_value")
	made := me.PostOnce("/api/v1/auth/passkeys/finish", finish).Is(http.StatusCreated)
	me.Post("/api/v1/auth/passkeys/finish", finish).Refused(http.StatusUnprocessableEntity, "invalid_value")
	device.AddCredential(key)
	device.Options.UserHandle = []byte(me.Get("/api/v1/auth/me").Text("account.id"))

	asked := challenged(t, p)
	require.Equal(t, []any{"passkey"}, asked.Value("methods"))
	request, err := virtualwebauthn.ParseAssertionOptions(inner(t, asked.Value("passkey_options")))
	require.NoError(t, err)
	signed := json.RawMessage(virtualwebauthn.CreateAssertionResponse(site, device, key, *request))
	second(p, challenged(t, p).Text("challenge"), "passkey", signed).Refused(http.StatusUnauthorized, "bad_credentials")
	second(p, asked.Text("challenge"), "passkey", signed).Is(http.StatusOK)
	requireRenamed(t, p, me, made.Text("id"))
	remove := "/api/v1/auth/passkeys/" + made.Text("id") + "/remove"
	me.Post(remove, object{}).Refused(http.StatusBadRequest, "missing_field")
	me.Post(remove, object{"password": "not the password"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	challenged(t, p)
	me.PostOnce(remove, object{"password": secret}).Is(http.StatusNoContent)
	me.Post(remove, object{"password": secret}).Refused(http.StatusNotFound, "not_found")
	login(p, "anna", secret).Is(http.StatusOK)
}

// A passkey is renamed by its owner alone; lists of accounts tell that there is one.
func requireRenamed(t *testing.T, p *paneltest.Panel, me *paneltest.Client, id string) {
	t.Helper()
	path, admin := "/api/v1/auth/passkeys/"+id, p.Admin()
	admin.Patch(path, object{"name": "mine"}).Refused(http.StatusNotFound, "not_found")
	me.Patch(path, object{"name": "  "}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	before := factorEntries(t, p, "passkey")
	require.Equal(t, "work laptop", me.Patch(path, object{"name": "work laptop"}).Is(http.StatusOK).Text("name"))
	me.Patch(path, object{"name": "work laptop"}).Is(http.StatusOK)
	require.Equal(t, before+1, factorEntries(t, p, "passkey"), "the same name again is no change")
	require.Equal(t, "work laptop", first(me.Get("/api/v1/auth/factors").Value("passkeys"))["name"])
	account := "/api/v1/accounts/" + me.Get("/api/v1/auth/me").Text("account.id")
	shown := admin.Get(account).Is(http.StatusOK)
	require.EqualValues(t, 1, shown.Value("passkeys"))
	require.EqualValues(t, 1, admin.Patch(account,
		object{"revision": shown.Value("revision")}).Is(http.StatusOK).Value("passkeys"))
	require.EqualValues(t, 1, first(admin.Get("/api/v1/accounts?q=anna").Value("items"))["passkeys"])
}

func first(list any) object { return list.([]any)[0].(object) }

func inner(t *testing.T, options any) string {
	t.Helper()
	raw, err := json.Marshal(options)
	require.NoError(t, err)
	return string(raw)
}
