package accounts_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/paneltest"
)

// A token that was unknown a moment ago costs no statement; ever new ones make their address wait, and nobody whose
// session is in memory.
func TestUnknownTokensCostFewStatements(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	me := signUp(t, p)
	me.Get("/api/v1/auth/sessions").Is(http.StatusOK)
	p.Bearer("unknown").Get("/api/v1/license/status").Is(http.StatusNotFound)
	p.Bearer("unknown").Get("/api/v1/auth/sessions").Refused(http.StatusUnauthorized, "no_session")
	require.NoError(t, p.DB.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "lock table sessions in access exclusive mode")
		for range 50 {
			p.Bearer("unknown").Get("/api/v1/auth/sessions").Refused(http.StatusUnauthorized, "no_session")
		}
		return err
	}))
	var refused *paneltest.Answer
	const more = 100
	for n := range more {
		if refused = p.Bearer("unknown " + strconv.Itoa(n)).
			Get("/api/v1/auth/sessions"); refused.Status != http.StatusUnauthorized {
			break
		}
	}
	refused.Refused(http.StatusTooManyRequests, "throttled")
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	me.Get("/api/v1/auth/sessions").Is(http.StatusOK)
	clock.Advance(2 * time.Second)
	p.Bearer("one more").Get("/api/v1/auth/sessions").Refused(http.StatusUnauthorized, "no_session")
}

// What was tried before it became a session is no obstacle: a change of an account makes tokens worth a look again.
func TestATokenThatBecomesASessionIsSeenAtTheNextRequest(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	two := paneltest.Start(t, paneltest.On(one.DB))
	admin := signUp(t, one)
	hidden := "update sessions set token_hash = sha256(token_hash) where account_id = (select id from accounts where username = 'anna')"
	_, err := one.DB.ExecContext(t.Context(), hidden)
	require.NoError(t, err)
	two.Bearer(admin.Token).Get("/api/v1/auth/me").Refused(http.StatusUnauthorized, "no_session")
	_, err = one.DB.ExecContext(t.Context(), "update sessions set token_hash = sha256(convert_to(?, 'utf8'))",
		admin.Token)
	require.NoError(t, err)
	opened := login(one, "anna", secret).Is(http.StatusOK).Text("token")
	one.Bearer(opened).Post("/api/v1/auth/logout", nil).Is(http.StatusNoContent)
	two.Bearer(admin.Token).Get("/api/v1/auth/me").Is(http.StatusOK)
}
