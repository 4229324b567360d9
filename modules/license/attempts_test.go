package license

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The license screen shows the latest five questions: every mirror that was passed over, the verdict, how long it took.
func TestTheLatestQuestionsAreKeptNewestFirst(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	require.Empty(t, p.Status().Checks)
	bad := httptest.NewServer(status(http.StatusServiceUnavailable))
	t.Cleanup(bad.Close)
	p.activated()
	p.client.addresses = []string{bad.URL, p.authority.front.URL}
	p.pass(time.Minute)
	checks := p.refreshed().Checks
	require.Len(t, checks, 3)
	require.Equal(
		t,
		[]string{"active", "HTTP 503", "active"},
		[]string{checks[0].Outcome, checks[1].Outcome, checks[2].Outcome},
	)
	require.Equal(t, []bool{true, false, true}, []bool{checks[0].OK, checks[1].OK, checks[2].OK})
	require.Equal(t, host(bad.URL), checks[1].Server)
	require.False(t, checks[0].At.Before(checks[2].At))
	p.client.addresses = p.client.addresses[:1]
	for range 4 {
		checks = p.refreshed().Checks
	}
	require.Len(t, checks, keptAttempts)
	require.False(t, checks[3].OK)
	require.Equal(t, "active", checks[4].Outcome)
	p.restart()
	require.Equal(t, checks, p.Status().Checks)
	_, err := p.Remove(t.Context())
	require.NoError(t, err)
	require.Empty(t, p.Status().Checks, "they belong to the license")
}
