package accounts_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/paneltest"
)

const secret = "correct horse"

func signUp(t *testing.T, p *paneltest.Panel) *paneltest.Client {
	t.Helper()
	made := p.Anonymous().Post("/api/v1/setup/admin", map[string]string{"username": "anna", "password": secret}).
		Is(http.StatusCreated)
	return p.Bearer(made.Text("token"))
}

func login(p *paneltest.Panel, username, password string) *paneltest.Answer {
	return p.Anonymous().Post("/api/v1/auth/login", map[string]string{"username": username, "password": password})
}

// Specification, Authentication 1, 4, 5: login gives a token, me answers 200 with it, logout makes it invalid.
func TestLoginMeLogout(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	opened := login(p, "Anna", secret).Is(http.StatusOK)
	me := p.Bearer(opened.Text("token"))
	require.Equal(t, "anna", me.Get("/api/v1/auth/me").Is(http.StatusOK).Text("account.username"))
	require.Equal(t, true, me.Get("/api/v1/auth/me").Value("session.current"))
	me.Post("/api/v1/auth/logout", nil).Is(http.StatusNoContent)
	me.Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
}

// Specification, Authentication 3 and 6: a token counts in the Authorization header alone.
func TestTokenInQueryIsNeverLookedAt(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := signUp(t, p)
	p.Anonymous().Get("/api/v1/auth/me?token="+admin.Token+"&access_token="+admin.Token).
		Refused(http.StatusUnauthorized, "no_session")
	p.Bearer("garbage").Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
}

func TestWrongAndUnknownAccountsAnswerAlike(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	wrong, unknown := login(p, "anna", "wrong password"), login(p, "nobody", "wrong password")
	wrong.Refused(http.StatusUnauthorized, "bad_credentials")
	unknown.Refused(http.StatusUnauthorized, "bad_credentials")
	require.Equal(t, wrong.Text("detail"), unknown.Text("detail"))
}

// Domain 4.18: from the 5th failure a growing delay; parallel guesses never exceed the allowed count.
func TestGuessesAreThrottledAlsoInParallel(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	signUp(t, p)
	var checked atomic.Int32
	guess := func() string {
		code := login(p, "anna", "wrong password").Text("code")
		if code == "bad_credentials" {
			checked.Add(1)
		}
		return code
	}
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() { guess() })
	}
	all.Wait()
	// A machine that is busy turns some away before their password is looked at.
	require.Eventually(t, func() bool { return guess() == "throttled" }, time.Minute, time.Millisecond)
	require.LessOrEqual(t, checked.Load(), int32(5))
	held := login(p, "anna", secret)
	held.Refused(http.StatusTooManyRequests, "throttled")
	require.NotEmpty(t, held.Header.Get("Retry-After"))
	clock.Advance(2 * time.Second)
	login(p, "anna", secret).Is(http.StatusOK)
	login(p, "anna", secret).Is(http.StatusOK)
}

// Specification, Authentication 5: changing the password ends earlier sessions; the one that changed it stays.
func TestOwnPasswordChangeEndsOtherSessions(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	kept := signUp(t, p)
	other := p.Bearer(login(p, "anna", secret).Is(http.StatusOK).Text("token"))
	wrong := map[string]string{"current_password": "not this one", "new_password": "battery staple"}
	kept.Post("/api/v1/auth/password", wrong).Refused(http.StatusUnprocessableEntity, "invalid_value")
	right := map[string]string{"current_password": secret, "new_password": "battery staple"}
	kept.PostOnce("/api/v1/auth/password", right).Is(http.StatusNoContent)
	other.Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
	kept.Get("/api/v1/auth/me").Is(http.StatusOK)
	login(p, "anna", secret).Refused(http.StatusUnauthorized, "bad_credentials")
	login(p, "anna", "battery staple").Is(http.StatusOK)
}

// Domain decision 5: 12 h sliding, 7 d absolute.
func TestSessionsEndWhenUnusedAndAfterAWeek(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	admin := signUp(t, p)
	for range 15 {
		clock.Advance(11 * time.Hour)
		admin.Get("/api/v1/auth/sessions").Is(http.StatusOK)
	}
	clock.Advance(4 * time.Hour)
	admin.Get("/api/v1/auth/sessions").Refused(http.StatusUnauthorized, "session_expired")
	idle := p.Bearer(login(p, "anna", secret).Is(http.StatusOK).Text("token"))
	clock.Advance(12*time.Hour + time.Second)
	idle.Get("/api/v1/auth/sessions").Refused(http.StatusUnauthorized, "session_expired")
}

// A change made through another panel on the same database is seen at the next request.
func TestSessionEndedThroughAnotherPanelIsDeadHere(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	two := paneltest.Start(t, paneltest.On(one.DB))
	admin := signUp(t, one)
	there := two.Bearer(admin.Token)
	there.Get("/api/v1/auth/me").Is(http.StatusOK)
	admin.Post("/api/v1/auth/logout", nil).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return there.Get("/api/v1/auth/me").Status == http.StatusUnauthorized },
		60*time.Second, 5*time.Millisecond)
}

// Canary scan: a password typed into the username's line is not kept in the journal; an existing account is named.
func TestTheJournalNamesOnlyAccountsThatExist(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	var names []string
	require.Eventually(t, func() bool { // until the last ones are throttled; a busy panel turns some away uncounted
		login(p, "my-secret-passphrase", "anna")
		login(p, "anna", "not the password")
		names = nil
		err := p.DB.NewRaw("select distinct action || ' ' || object_name from journal where action like 'account.login_%' and result = 'denied'").Scan(t.Context(), &names)
		return err == nil && len(names) >= 4
	}, 3*time.Minute, 50*time.Millisecond)
	require.ElementsMatch(t, []string{
		"account.login_failed ", "account.login_failed anna", "account.login_throttled ",
		"account.login_throttled anna",
	}, names)
}

// Nobody fills the disk or keeps the database busy with sign-ins that are turned away: they are counted, and cost no
// statement.
func TestThrottledSignInsAreCountedAndCostNothing(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	signUp(t, p)
	for range freeAttempts {
		login(p, "anna", "wrong").Refused(http.StatusUnauthorized, "bad_credentials")
	}
	require.NoError(t, p.DB.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "lock table accounts, journal in access exclusive mode")
		for range 50 {
			login(p, "anna", "wrong").Refused(http.StatusTooManyRequests, "throttled")
		}
		return err
	}))
	var rows, count int
	require.Eventually(t, func() bool {
		clock.Advance(time.Minute)
		err := p.DB.NewRaw("select count(*), coalesce(sum(count), 0) from journal where action = 'account.login_throttled' and object_name = 'anna'").
			Scan(t.Context(), &rows, &count)
		return err == nil && count == 50
	}, 60*time.Second, 100*time.Millisecond)
	require.LessOrEqual(t, rows, 2)
}

const freeAttempts = 5

// Domain decision 5: a session is idle when no panel sees it used. What this panel remembers of a session that was used
// through another one is looked up again before it is called expired.
func TestASessionInUseThroughAnotherPanelIsNotIdleHere(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	one := paneltest.Start(t, paneltest.Clock(clock))
	two := paneltest.Start(t, paneltest.Clock(clock), paneltest.On(one.DB))
	here := signUp(t, one)
	there := two.Bearer(here.Token)
	there.Get("/api/v1/auth/factors").Is(http.StatusOK)
	for range 2 {
		clock.Advance(7 * time.Hour)
		here.Get("/api/v1/auth/factors").Is(http.StatusOK)
	}
	require.Eventually(t, func() bool {
		clock.Advance(20 * time.Second) // last uses are stored in batches
		var seen time.Time
		err := one.DB.NewRaw("select max(last_seen_at) from sessions").Scan(t.Context(), &seen)
		return err == nil && clock.Since(seen) < time.Hour
	}, 60*time.Second, 50*time.Millisecond)
	there.Get("/api/v1/auth/factors").Is(http.StatusOK)
	clock.Advance(13 * time.Hour)
	there.Get("/api/v1/auth/factors").Refused(http.StatusUnauthorized, "session_expired")
	here.Get("/api/v1/auth/factors").Refused(http.StatusUnauthorized, "session_expired")
}

// Challenges that nobody answered are removed.
func TestOldChallengesAreSwept(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	withTOTP(t, p)
	challenged(t, p)
	require.Equal(t, 1, challenges(t, p))
	require.Eventually(t, func() bool {
		clock.Advance(time.Hour)
		return challenges(t, p) == 0
	}, 60*time.Second, 50*time.Millisecond)
}
