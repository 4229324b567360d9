package app_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

// Specification, Administrator account rules 1 and 2: a change of permissions takes effect at the user's next request
// and ends no session. A thousand pairs of change and request, while others keep the user's session busy in memory.
func TestAPermissionChangeIsSeenAtTheVeryNextRequest(t *testing.T) {
	t.Parallel()
	const pairs = 1000
	m := newMatrix(t, newOutside(t))
	admin, user := m.Admin(), m.As("nodes.view")
	stop := m.busy(user)
	defer stop()
	account := "/api/v1/accounts/" + user.AccountID
	for pair := range pairs {
		keys, want := `["audit.view"]`, http.StatusForbidden
		if pair%2 == 1 {
			keys, want = `["nodes.view"]`, http.StatusOK
		}
		body := fmt.Sprintf(`{"revision":%d,"permissions":%s}`, pair+1, keys)
		changed := m.wire.send(call{method: http.MethodPatch, path: account, headers: bearer(admin.Token), body: body})
		require.Equal(t, http.StatusOK, changed.status, changed.body)
		seen := m.wire.send(call{method: http.MethodGet, path: "/api/v1/nodes", headers: bearer(user.Token)})
		require.Equal(t, want, seen.status, "pair %d: %s", pair, seen.body)
	}
	me := m.wire.send(call{method: http.MethodGet, path: "/api/v1/auth/me", headers: bearer(user.Token)})
	require.Equal(t, http.StatusOK, me.status, "the session lives on")
}

// busy lets others use the session all the time, so that an old answer would be remembered again if it could.
func (m *matrix) busy(user *paneltest.Client) (stop func()) {
	ended := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			often := time.NewTicker(time.Millisecond)
			defer often.Stop()
			for {
				select {
				case <-ended:
					return
				case <-often.C:
					m.wire.send(call{
						method: http.MethodGet, path: "/api/v1/system/status",
						headers: bearer(user.Token),
					})
				}
			}
		})
	}
	return func() { close(ended); all.Wait() }
}
