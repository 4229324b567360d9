package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABoundedContextEndsWithItsTimeItsRequestAndItsParent(t *testing.T) {
	t.Parallel()
	late, end := within(t.Context(), time.Millisecond)
	defer end()
	<-late.Done()
	require.ErrorIs(t, late.Err(), context.DeadlineExceeded)

	done, end := within(t.Context(), time.Hour)
	require.NoError(t, done.Err())
	end()
	<-done.Done()
	require.ErrorIs(t, done.Err(), context.Canceled)

	unwatched, end := within(t.Context(), time.Hour)
	end()
	require.ErrorIs(t, unwatched.Err(), context.Canceled, "also when nobody waited before the end")

	parent, stop := context.WithCancel(t.Context())
	child, end := within(parent, time.Hour)
	defer end()
	stop()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
}
