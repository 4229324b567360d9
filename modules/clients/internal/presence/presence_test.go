package presence

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A flow is known for a second, no longer, and not after it is deleted; what is remembered is bounded.
func TestAFlowIsRememberedForASecond(t *testing.T) {
	t.Parallel()
	var p Flows
	now := time.Now()
	require.False(t, p.Seen("office", now))
	p.Note("office", now)
	require.True(t, p.Seen("office", now.Add(seenFor-1)))
	require.False(t, p.Seen("office", now.Add(seenFor)))
	require.False(t, p.Seen("office", now.Add(-1)), "a clock that was set back proves nothing")
	require.False(t, p.Seen("other", now))

	p.Drop("office")
	require.False(t, p.Seen("office", now))
	for i := range 2 * mostSeen {
		p.Note(fmt.Sprint("flow ", i), now)
	}
	require.LessOrEqual(t, len(p.flows), mostSeen)
	require.True(t, p.Seen(fmt.Sprint("flow ", 2*mostSeen-1), now))
}
