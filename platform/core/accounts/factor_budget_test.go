package accounts_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const factorBudget = 10

var proxied = paneltest.Env(map[string]string{"PANEL_TRUSTED_PROXIES": "127.0.0.1"})

// behindProxy is a panel to which every request may come from another address.
func behindProxy(t *testing.T) (*paneltest.Panel, *clockwork.FakeClock) {
	t.Helper()
	clock := clockwork.NewFakeClockAt(time.Now())
	return paneltest.Start(t, paneltest.Clock(clock), proxied), clock
}

// beside is another panel, or the same one after a restart, on the database of the first.
func beside(t *testing.T, p *paneltest.Panel) *paneltest.Panel {
	t.Helper()
	return paneltest.Start(t, paneltest.On(p.DB), paneltest.Clock(p.Clock), proxied)
}

var addresses atomic.Int64

// elsewhere posts from an address that was never seen before.
func elsewhere(p *paneltest.Panel, path string, body any) *paneltest.Answer {
	n := addresses.Add(1)
	return p.Anonymous().Do(http.MethodPost, path, body, "X-Forwarded-For", "2001:db8:"+strconv.FormatInt(n, 16)+"::1")
}

// proved is a challenge of who knows the password.
func proved(p *paneltest.Panel, password string) string {
	asked := elsewhere(p, "/api/v1/auth/login", object{"username": "anna", "password": password})
	return asked.Refused(http.StatusUnauthorized, "second_factor_required").Text("challenge")
}

func shown(p *paneltest.Panel, challenge, member string, value any) *paneltest.Answer {
	return elsewhere(p, "/api/v1/auth/second-factor", object{"challenge": challenge, member: value})
}

// guess proves the password and shows one second factor, both from addresses of their own.
func guess(p *paneltest.Panel, password, member string, value any) *paneltest.Answer {
	return shown(p, proved(p, password), member, value)
}

// Who knows the password has ten wrong second factors an hour, however many addresses, panels and challenges he uses;
// then the owner's own factor has to wait too, and works again after the hour.
func TestSecondFactorsOfAnAccountHaveABudget(t *testing.T) {
	t.Parallel()
	p, clock := behindProxy(t)
	_, key, recovery := withTOTP(t, p)
	other := beside(t, p)
	var examined atomic.Int32
	var all sync.WaitGroup
	for at := range 3 * factorBudget {
		through := []*paneltest.Panel{p, other}[at%2]
		challenge := proved(through, secret)
		all.Go(func() {
			member, value := "code", any("000000")
			if at%3 == 0 {
				member, value = "recovery_code", "aaaa-bbbb-cccc-dddd"
			}
			if shown(through, challenge, member, value).Text("code") == "bad_credentials" {
				examined.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, factorBudget, examined.Load())
	require.Equal(t, 1, actions(t, p, "account.second_factor_locked"))
	held := guess(p, secret, "recovery_code", recovery[0])
	held.Refused(http.StatusTooManyRequests, "throttled")
	wait, err := strconv.Atoi(held.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.LessOrEqual(t, time.Duration(wait)*time.Second, 65*time.Minute+time.Second)
	guess(beside(t, p), secret, "recovery_code", recovery[0]).Refused(http.StatusTooManyRequests, "throttled")
	clock.Advance(time.Duration(wait) * time.Second)
	guess(p, secret, "code", code(t, p, key)).Is(http.StatusOK)
}

func actions(t *testing.T, p *paneltest.Panel, action string) (n int) {
	t.Helper()
	require.NoError(t, p.DB.NewRaw("select count(*) from journal where action = ?", action).Scan(t.Context(), &n))
	return n
}

// member is a part of a JSON document, by its names from the outside in.
func member(t *testing.T, document []byte, names ...string) string {
	t.Helper()
	for _, name := range names {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(document, &members), "%s", document)
		document = members[name]
	}
	return string(document)
}

// A reset by the operator of the server gives the owner his account back at once.
func TestAResetOpensAnAccountWhoseBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	p, clock := behindProxy(t)
	_, key, _ := withTOTP(t, p)
	news := p.Bus().Subscribe(t.Context())
	for range factorBudget {
		guess(p, secret, "code", "000000").Refused(http.StatusUnauthorized, "bad_credentials")
	}
	guess(p, secret, "code", "000000").Refused(http.StatusTooManyRequests, "throttled")
	event := <-news
	for event.Kind != "account.second_factor_locked" {
		event = <-news
	}
	require.JSONEq(t, `"anna"`, member(t, event.JSON(), "data", "username"))
	clock.Advance(31 * time.Second)
	ran := panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--yes", "--password", replacement)
	require.Zero(t, ran.exit, ran.err)
	guess(p, replacement, "code", code(t, p, key)).Is(http.StatusOK)
}

// Unknown challenges cost a statement each, until their address has to wait; other addresses do not.
func TestUnknownChallengesOfAnAddressAreThrottled(t *testing.T) {
	t.Parallel()
	p, clock := behindProxy(t)
	_, key, _ := withTOTP(t, p)
	for range freeAttempts {
		second(p, "no such challenge", "code", "000000").Refused(http.StatusUnauthorized, "bad_credentials")
	}
	second(p, "no such challenge", "code", "000000").Refused(http.StatusTooManyRequests, "throttled")
	clock.Advance(31 * time.Second)
	guess(p, secret, "code", code(t, p, key)).Is(http.StatusOK)
}
