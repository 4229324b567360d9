package kills

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/proxypanel/remnawavetest"
)

// syncedUsers are three pages of a stream.
const syncedUsers = 2500

// Rule: kill -9 of the panel at each question of a synchronisation: what was read of it marks nobody gone, the run does
// not stay running, and the next one reads all. PANEL_TEST_KILLS asks for all.
func TestKillsInASynchronisationLoseNobody(t *testing.T) {
	t.Parallel()
	w := beginSyncs(t)
	w.sync()
	asked := w.asked.Load()
	require.GreaterOrEqual(t, asked, int64(7), "nodes, profiles, inbounds, hosts, squads and the pages of users")
	number := min(int64(max(kills(t)/4, 3)), asked)
	for i := range number {
		w.killed(1 + i*asked/number)
	}
	t.Logf("killed at %d of %d questions", number, asked)
}

type syncsWorld struct {
	*testing.T
	stand  *rig.Stand
	there  *remnawavetest.Panel
	path   string
	asked  atomic.Int64
	killAt atomic.Int64
}

func beginSyncs(t *testing.T) *syncsWorld {
	t.Helper()
	w := &syncsWorld{T: t, there: remnawavetest.New(t)}
	w.there.AddUsers(syncedUsers)
	w.stand = rigtest.Install(t, rig.PanelSettings{Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.1"}})
	var connection struct{ ID string }
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/proxypanel/connections", map[string]any{
		"label": "main", "base_url": w.there.URL, "token": w.there.Token(24*time.Hour, "*"),
	}, &connection))
	w.path = "/api/v1/proxypanel/connections/" + connection.ID
	w.there.Before(func(remnawavetest.Call) {
		if w.asked.Add(1) == w.killAt.Load() {
			_ = syscall.Kill(w.stand.Panel.PID(), syscall.SIGKILL)
		}
	})
	return w
}

func (w *syncsWorld) until(what string, holds func(context.Context) bool) {
	w.Helper()
	const most = 2 * time.Minute
	require.Eventually(w, func() bool { return holds(w.Context()) }, most, 100*time.Millisecond,
		fmt.Sprint(what, ": ", w.stand.Panel.LastWords()))
}

// sync reads all, and sees that nobody is missing.
func (w *syncsWorld) sync() {
	w.Helper()
	operation := w.begin()
	w.until("a run ends well", func(ctx context.Context) bool {
		var now struct{ State string }
		return w.stand.API.Get(ctx, "/api/v1/operations/"+operation, &now) == nil && now.State == "succeeded"
	})
	require.Equal(w, [2]int{syncedUsers, 0}, [2]int{w.total(""), w.total("?gone=true")})
}

// begin begins a run as soon as none is in its way.
func (w *syncsWorld) begin() string {
	w.Helper()
	var begun struct {
		ID string `json:"operation_id"`
	}
	w.until("a run begins", func(ctx context.Context) bool {
		w.asked.Store(0)
		return w.stand.API.Post(ctx, w.path+"/sync", nil, &begun) == nil
	})
	return begun.ID
}

func (w *syncsWorld) total(query string) int {
	w.Helper()
	var page struct{ Total int }
	require.NoError(w, w.stand.API.Get(w.Context(), w.path+"/users"+query, &page))
	return page.Total
}

// killed kills the panel at a question of a run, and reads again.
func (w *syncsWorld) killed(at int64) {
	w.Helper()
	w.killAt.Store(at)
	operation := w.begin()
	w.until("the panel is killed", func(context.Context) bool { return !w.stand.Panel.Running() })
	w.killAt.Store(0)
	require.NoError(w, w.stand.Panel.Up(w.Context()))
	require.Zero(w, w.total("?gone=true"), "half a reading marks nobody gone")
	w.until("the run does not stay running", func(ctx context.Context) bool {
		var now struct{ State string }
		err := w.stand.API.Get(ctx, "/api/v1/operations/"+operation, &now)
		return err == nil && (now.State == "failed" || now.State == "succeeded")
	})
	w.sync()
}
