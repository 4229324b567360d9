package accounts_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/paneltest"
)

// clocked is a panel with an administrator and a clock in the hand of the test.
func clocked(t *testing.T) (*paneltest.Panel, *clockwork.FakeClock) {
	t.Helper()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	p := paneltest.Start(t, paneltest.Clock(clock))
	signUp(t, p)
	return p, clock
}

func signedIn(p *paneltest.Panel) *paneltest.Client {
	return p.Bearer(login(p, "anna", secret).Is(http.StatusOK).Text("token"))
}

// lives is how long an unused, or a used, session goes on from now.
func lives(client *paneltest.Client, clock *clockwork.FakeClock, every time.Duration) (total time.Duration) {
	const most = 1000 * time.Hour
	for total < most {
		clock.Advance(every)
		if client.Get("/api/v1/auth/factors").Status != http.StatusOK {
			return total
		}
		total += every
	}
	return total
}

// R8: small steps of the clock, forth and back, end no session, neither those that are in memory nor those that are
// read.
func TestSmallStepsOfTheClockEndNoSession(t *testing.T) {
	t.Parallel()
	p, clock := clocked(t)
	used, unused := signedIn(p), signedIn(p)
	for _, step := range []time.Duration{
		time.Hour, -time.Hour, -time.Hour, 2 * time.Hour, -24 * time.Hour,
		24 * time.Hour,
	} {
		clock.Advance(step)
		used.Get("/api/v1/auth/factors").Is(http.StatusOK)
		other := paneltest.Start(t, paneltest.On(p.DB), paneltest.Clock(clock))
		other.Bearer(used.Token).Get("/api/v1/auth/factors").Is(http.StatusOK)
	}
	unused.Get("/api/v1/auth/factors").Is(http.StatusOK)
}

// A use that is not stored yet counts also when what was in memory is dropped: the session does not end early.
func TestAUseThatIsNotStoredYetCounts(t *testing.T) {
	t.Parallel()
	p, clock := clocked(t)
	used, admin := signedIn(p), p.Admin()
	account := "/api/v1/accounts/" + used.Get("/api/v1/auth/me").Text("account.id")
	require.NoError(t, p.DB.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		// The sessions are held, so that no use of them can be stored meanwhile.
		_, err := tx.ExecContext(ctx, "select from sessions for update")
		clock.Advance(11 * time.Hour)
		used.Get("/api/v1/auth/factors").Is(http.StatusOK)
		revision := admin.Get(account).Is(http.StatusOK).Value("revision")
		admin.Patch(account, object{"revision": revision, "username": "anna2"}).Is(http.StatusOK)
		clock.Advance(2 * time.Hour)
		used.Get("/api/v1/auth/factors").Is(http.StatusOK)
		return err
	}))
}

// R8: a clock set back a day makes no session immortal: it lives longer by that day at most.
func TestAClockSetBackMakesNoSessionImmortal(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	p, clock := clocked(t)
	used, unused := signedIn(p), signedIn(p)
	clock.Advance(-day)
	require.LessOrEqual(t, lives(unused, clock, 37*time.Hour), time.Duration(0), "12 hours and the day")
	clock.Advance(-37 * time.Hour)
	require.LessOrEqual(t, lives(used, clock, 10*time.Hour), 8*day, "seven days and the day")
}

// R8: a session of a clock that was a day ahead goes on when the clock is put right, and has the same ends; one of a
// clock that was years ahead has ended, because nobody would live to see its end.
func TestSessionsOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	p, clock := clocked(t)
	clock.Advance(day)
	ahead := signedIn(p)
	clock.Advance(-day)
	ahead.Get("/api/v1/auth/factors").Is(http.StatusOK)
	require.LessOrEqual(t, lives(ahead, clock, 10*time.Hour), 8*day)

	clock.Advance(3 * day)
	far := signedIn(p)
	far.Get("/api/v1/auth/factors").Is(http.StatusOK)
	clock.Advance(-3 * day)
	far.Get("/api/v1/auth/factors").Refused(http.StatusUnauthorized, "session_expired")
}
