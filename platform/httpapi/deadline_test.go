package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABoundedContextEndsWithItsTimeItsRequestAndItsParent(t *testing.T) {
	t.Parallel()
	late := within(t.Context(), time.Now(), time.Millisecond)
	defer late.end()
	<-late.Done()
	require.ErrorIs(t, late.Err(), context.DeadlineExceeded)

	done := within(t.Context(), time.Now(), time.Hour)
	require.NoError(t, done.Err())
	done.end()
	<-done.Done()
	require.ErrorIs(t, done.Err(), context.Canceled)

	unwatched := within(t.Context(), time.Now(), time.Hour)
	unwatched.end()
	require.ErrorIs(t, unwatched.Err(), context.Canceled, "also when nobody waited before the end")

	parent, stop := context.WithCancel(t.Context())
	child := within(parent, time.Now(), time.Hour)
	defer child.end()
	stop()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
}
