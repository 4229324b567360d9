package nodes

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// The uptime of a core goes on while its agent says nothing new, and stands still once the agent is silent.
func TestTheUptimeOfACoreGoesOnBetweenReports(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock), paneltest.Modules(Module()))
	agent := p.Enroll("uptime")
	uptime := func() float64 { return agent.Node().Value("core.uptime_s").(float64) }
	ran := func(seconds int64) {
		agent.Beat(func(b *agentapi.Heartbeat) { b.Core.UptimeSeconds = seconds })
		eventually(t, func() bool {
			clock.Advance(25 * time.Millisecond)
			return agent.State() == "online" && uptime() >= float64(seconds) && uptime() < float64(seconds)+20
		})
	}
	ran(3600)
	before := uptime()
	clock.Advance(10 * time.Second)
	require.InDelta(t, before+10, uptime(), 1)
	ran(3)
	clock.Advance(time.Hour)
	require.Less(t, uptime(), 60.0, "of an agent that is silent nothing is known since")
}
