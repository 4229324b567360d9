package pressure

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

// A panel with the fewest connections that it accepts is installed, and serves many people at once; with fewer it does
// not start, and says which setting is wrong.
func TestThePanelWorksWithTheFewestConnections(t *testing.T) {
	t.Parallel()
	stand := rigtest.Install(t, rig.PanelSettings{Env: []string{"PANEL_DB_MAX_CONNS=4"}})
	failures := make(chan error, 60)
	var all sync.WaitGroup
	for number := range cap(failures) {
		all.Go(func() {
			order := map[string]string{"name": fmt.Sprintf("flow %d", number)}
			failures <- stand.API.Post(t.Context(), "/api/v1/connection-units", order, nil)
		})
	}
	all.Wait()
	for range cap(failures) {
		require.NoError(t, <-failures)
	}

	fewer := rigtest.Panel(t, rig.PanelSettings{Env: []string{"PANEL_DB_MAX_CONNS=3"}})
	require.NoError(t, fewer.Launch())
	require.Eventually(t, func() bool { return !fewer.Running() }, time.Minute, 100*time.Millisecond)
	require.Contains(t, fewer.Words(), "PANEL_DB_MAX_CONNS")
}
