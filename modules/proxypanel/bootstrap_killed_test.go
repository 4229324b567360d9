package proxypanel

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// bootstrapping is a bench whose bootstrap is called by the test, without a pause between questions.
func bootstrapping(t *testing.T, more ...module.Module) (*bench, *bootstrap) {
	t.Helper()
	var enters *bootstrap
	asking := module.Module{
		Name: "asking", Summary: "Lets the test ask", Requires: []string{"proxypanel"},
		Attach: func(
			db *database.DB, n *outbound.Network, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer,
			clock clockwork.Clock,
		) module.Parts {
			d := newDoor(n, &pace{db, clock, time.Millisecond}, clock)
			enters = &bootstrap{connections: newConnections(newStore(db), d, v, j, b, q, clock), log: zap.NewNop()}
			return module.Parts{}
		},
	}
	return newBenchOf(t, built(append(more, asking)...)), enters
}

// Rule: a panel dies between any two statements and calls of a bootstrap: the next call ends with one administrator,
// whose credentials it shows, one connection and its token.
func TestWhereverAPanelDiesABootstrapComesToItsEnd(t *testing.T) {
	t.Parallel()
	d := &deaths{}
	b, enters := bootstrapping(t, hooked(d))
	steps := int64(0)
	for nth := int64(1); ; nth++ {
		b.there = remnawavetest.New(t)
		b.there.Before(func(remnawavetest.Call) { d.next() })
		in := Bootstrap{Label: fmt.Sprintf("main %d", nth), BaseURL: b.there.URL}
		lived, _ := d.of(t.Context(), nth, func(ctx context.Context) error {
			_, err := enters.run(ctx, in)
			return err
		})
		if lived {
			steps = nth
			break
		}
		result, err := enters.run(t.Context(), in)
		require.NoError(t, err, "died at step %d", nth)
		require.True(t, b.there.Signs(result.Username, result.Password), "died at step %d", nth)
		require.Zero(t, b.begun(), "died at step %d", nth)
		require.Len(t, b.there.Tokens(), 1, "died at step %d", nth)
		var ids []string
		require.NoError(t, b.DB.NewRaw("select id::text from proxypanel_connections where base_url = ?", b.there.URL).
			Scan(t.Context(), &ids))
		require.Len(t, ids, 1, "died at step %d", nth)
	}
	require.Greater(t, steps, int64(20), "statements and calls of a bootstrap")
	t.Logf("died at each of %d steps", steps-1)
}

// The token of a bootstrap that was broken off is not the one that the connection has; that one works.
func TestTheConnectionHasTheTokenThatWorks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lost := false
	b.there.Gate(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tokens" && !lost {
			lost = true
			b.there.Pass(&lostAnswer{header: http.Header{}}, r)
			remnawavetest.Destroy(w)
			return
		}
		b.there.Pass(w, r)
	})
	b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusBadGateway, "proxypanel_error")
	var result BootstrapResult
	b.Admin().Post(bootstrapPath, b.fresh()).Is(http.StatusCreated).JSON(&result)
	require.Equal(t, "ok", b.test(result.Connection.ID).State)
	require.True(t, b.there.Signs(result.Username, result.Password))
}
