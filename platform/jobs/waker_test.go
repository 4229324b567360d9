package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/stretchr/testify/require"
)

// line is a connection on which notifications come when the test sends them.
type line struct {
	riverdriver.Listener
	waits chan struct{} // somebody has begun to wait
	sent  chan *riverdriver.Notification
	cut   chan error
}

func (l *line) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	l.waits <- struct{}{}
	select {
	case n := <-l.sent:
		return n, nil
	case err := <-l.cut:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type heard struct {
	n   *riverdriver.Notification
	err error
}

// listening waits for one notification over a waker.
func listening(ctx context.Context, w *waker, l *line) chan heard {
	got := make(chan heard, 1)
	go func() {
		n, err := w.over(l).WaitForNotification(ctx)
		got <- heard{n, err}
	}()
	return got
}

func connected() (*waker, *line) {
	return &waker{}, &line{
		waits: make(chan struct{}, 8), sent: make(chan *riverdriver.Notification), cut: make(chan error),
	}
}

func soon(t *testing.T, got chan heard) heard {
	t.Helper()
	select {
	case h := <-got:
		return h
	case <-time.After(time.Minute):
		require.Fail(t, "nothing is heard")
		return heard{}
	}
}

// A place that becomes free while River waits has it fetch at once.
func TestAWakeEndsTheWaitLikeAnInsertion(t *testing.T) {
	t.Parallel()
	w, l := connected()
	got := listening(t.Context(), w, l)
	<-l.waits
	w.wake()
	require.Equal(t, heard{n: &inserted}, soon(t, got))
}

// One that becomes free while River is busy with the notification before is not lost, and many are one fetch.
func TestWakesBetweenTwoWaitsAreOneFetch(t *testing.T) {
	t.Parallel()
	w, l := connected()
	for range 3 {
		w.wake()
	}
	require.Equal(t, heard{n: &inserted}, soon(t, listening(t.Context(), w, l)))
	require.Empty(t, l.waits, "the database is not asked")
	got := listening(t.Context(), w, l)
	<-l.waits
	require.Empty(t, got, "there is no second one")
	other := &riverdriver.Notification{Topic: "river_control", Payload: "{}"}
	l.sent <- other
	require.Equal(t, heard{n: other}, soon(t, got))
}

// A notification of the database and a wake come at once: both are heard, one after the other.
func TestAWakeBesideANotificationIsHeardAfterIt(t *testing.T) {
	t.Parallel()
	for range 50 {
		w, l := connected()
		got := listening(t.Context(), w, l)
		<-l.waits
		other := &riverdriver.Notification{Topic: "river_control", Payload: "{}"}
		delivered := make(chan bool, 1)
		go func() {
			select {
			case l.sent <- other:
				delivered <- true
			case <-time.After(time.Second):
				delivered <- false // the wake has ended the wait before
			}
		}()
		w.wake()
		first := soon(t, got)
		require.NoError(t, first.err)
		if first.n == other {
			require.True(t, <-delivered)
			require.Equal(t, heard{n: &inserted}, soon(t, listening(t.Context(), w, l)))
			continue
		}
		require.Equal(t, &inserted, first.n)
		second := listening(t.Context(), w, l)
		require.Equal(t, heard{n: other}, soon(t, second))
	}
}

// The end of the queue and a connection that breaks are no wakes.
func TestAWaitEndsWithItsContextAndItsConnection(t *testing.T) {
	t.Parallel()
	w, l := connected()
	ctx, stop := context.WithCancel(t.Context())
	got := listening(ctx, w, l)
	<-l.waits
	stop()
	require.ErrorIs(t, soon(t, got).err, context.Canceled)

	got = listening(t.Context(), w, l)
	<-l.waits
	broken := errors.New("connection reset")
	l.cut <- broken
	require.ErrorIs(t, soon(t, got).err, broken)
}
