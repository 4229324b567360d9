package connections

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// timed counts how often its deadline is moved.
type timed struct {
	net.Conn
	moved []time.Time
}

func (t *timed) SetReadDeadline(until time.Time) error {
	t.moved = append(t.moved, until)
	return nil
}

func TestARequestInOnePieceMovesNoTimer(t *testing.T) {
	t.Parallel()
	conn, ends, now := new(timed), new(readEnds), time.Now()
	for range 10 {
		now = now.Add(time.Second)
		require.NoError(t, ends.set(conn, now.Add(time.Hour))) // for the next request
		require.NoError(t, ends.hold(conn, now))
		require.NoError(t, ends.set(conn, now.Add(15*time.Minute))) // for its headers, which are there
	}
	require.Len(t, conn.moved, 1)
}

// A read ends when it shall: never later, and earlier by an eighth at most.
func TestAReadIsBoundedAsItShallBe(t *testing.T) {
	t.Parallel()
	conn, ends, now := new(timed), new(readEnds), time.Now()
	for _, minutes := range []time.Duration{60, 15, 60, 59, 1, 70} {
		wait := minutes * time.Minute
		require.NoError(t, ends.set(conn, now.Add(wait)))
		require.NoError(t, ends.hold(conn, now))
		last := conn.moved[len(conn.moved)-1]
		require.LessOrEqual(t, last.Sub(now), wait)
		require.GreaterOrEqual(t, last.Sub(now), wait-wait/8)
	}
}

// A read that has begun is ended by a moment that is over, and none after it waits again.
func TestAMomentThatIsOverHoldsAtOnce(t *testing.T) {
	t.Parallel()
	conn, ends, now := new(timed), new(readEnds), time.Now()
	require.NoError(t, ends.set(conn, now.Add(time.Hour)))
	require.NoError(t, ends.set(conn, time.Unix(1, 0)))
	require.NoError(t, ends.hold(conn, now))
	require.Equal(t, []time.Time{time.Unix(1, 0)}, conn.moved)
	require.NoError(t, ends.set(conn, time.Time{}))
	require.NoError(t, ends.hold(conn, now))
	require.Equal(t, []time.Time{time.Unix(1, 0), {}}, conn.moved)
	require.NoError(t, ends.set(conn, now.Add(time.Hour)))
	require.NoError(t, ends.hold(conn, now))
	require.Len(t, conn.moved, 3)
}

// A request whose connection is closed while it comes is not handled, because its sender gets no answer: the HTTP
// library takes the refused deadline for the end of the connection.
func TestAClosedConnectionTakesNoDeadline(t *testing.T) {
	t.Parallel()
	conn, ends, now := new(timed), new(readEnds), time.Now()
	require.NoError(t, ends.set(conn, now.Add(time.Hour)))
	ends.close()
	require.ErrorIs(t, ends.set(conn, now.Add(time.Hour)), net.ErrClosed)
	require.ErrorIs(t, ends.set(conn, time.Time{}), net.ErrClosed)
	require.Empty(t, conn.moved)
}
