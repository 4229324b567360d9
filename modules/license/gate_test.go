package license

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// P22: the gate is one look into memory: it allocates nothing, asks nothing, and a hanging license server changes
// neither.
func TestTheGateCostsNothingWhileTheLicenseServerHangs(t *testing.T) {
	p := newPanel(t)
	p.activated()
	p.authority.fails(hang)
	asked := p.authority.asked.Load()
	refreshed := make(chan error, 1)
	go func() {
		_, err := p.Refresh(t.Context())
		refreshed <- err
	}()
	require.Eventually(t, func() bool { return p.authority.asked.Load() > asked }, 60*time.Second, time.Millisecond)
	require.Zero(t, testing.AllocsPerRun(1000, func() { _ = p.Current() }))
	select {
	case <-refreshed:
		require.Fail(t, "the license server should still hang")
	default:
	}
	require.Equal(t, asked+1, p.authority.asked.Load())
	p.is("active", "ok")
	p.authority.front.CloseClientConnections()
	require.NoError(t, <-refreshed)
}

// P22: at most one outgoing call a minute, whatever state the license is in.
func TestTheWatchAsksAtMostOnceAMinute(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status503)
	for range 24 * 60 {
		before := p.authority.asked.Load()
		p.pass(time.Minute)
		require.LessOrEqual(t, p.authority.asked.Load(), before+1)
	}
	require.LessOrEqual(t, p.authority.asked.Load(), int64(110))
	require.Greater(t, p.authority.asked.Load(), int64(10), "the watch has given up")
}
