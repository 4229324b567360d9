package link

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// panelOf knows exactly one token at a time.
func panelOf(known *atomic.Value, calls *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.Header.Get("Authorization") != "Bearer "+known.Load().(string) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":"agent_token_invalid"}`))
			return
		}
		_, _ = w.Write([]byte(`{}`))
	})
}

// Issue of restores: an agent keeps its previous token and tries it after a 401.
func TestTheFormerTokenIsTriedWhenThePanelDoesNotKnowTheOwn(t *testing.T) {
	t.Parallel()
	var known atomic.Value
	var calls atomic.Int64
	known.Store("before")
	c := client(t, panelOf(&known, &calls))
	now := "now"
	c.token.Store(&now)
	var kept []string
	c.FallBack("before", func(token, former string) error { kept = append(kept, token, former); return nil })
	_, err := c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.NoError(t, err)
	require.Equal(t, []string{"before", "now"}, kept, "made durable")
	require.EqualValues(t, 2, calls.Load())
	_, err = c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.NoError(t, err)
	require.EqualValues(t, 3, calls.Load(), "the former token is the agent's own from now on")
	known.Store("now")
	_, err = c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.NoError(t, err, "a panel that comes back in its newer state is known, too")
	require.Equal(t, []string{"before", "now", "now", "before"}, kept)
}

func TestAPanelThatKnowsNeitherTokenChangesNothing(t *testing.T) {
	t.Parallel()
	var known atomic.Value
	var calls atomic.Int64
	known.Store("another")
	c := client(t, panelOf(&known, &calls))
	own := c.Token()
	c.FallBack("before", func(string, string) error {
		require.Fail(t, "nothing is kept")
		return nil
	})
	_, err := c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.True(t, TokenInvalid(err))
	require.Equal(t, own, c.Token())
}

func TestARotationMakesTheTokenBeforeTheFormerOne(t *testing.T) {
	t.Parallel()
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"agent_token":"second"}`))
	}))
	own := c.Token()
	c.FallBack("", func(string, string) error { return nil })
	_, err := c.Rotate(t.Context(), func(string) error { return nil })
	require.NoError(t, err)
	require.Equal(t, "second", c.Token())
	require.Equal(t, own, c.former.Load().token)
}
