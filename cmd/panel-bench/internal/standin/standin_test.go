package standin

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The stand-in answers without a test around it, counts who asks, and is gone when it is closed.
func TestAStandInWithoutATest(t *testing.T) {
	t.Parallel()
	p := Open()
	began := time.Now()
	for range 3 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/auth/status", http.NoBody)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.NoError(t, answer.Body.Close())
	}
	require.Equal(t, 3, p.MostWithin(time.Minute, began))
	require.Equal(t, 1, p.MostWithin(time.Nanosecond, began))
	require.Zero(t, p.MostWithin(time.Minute, time.Now()))
	require.True(t, p.Close())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL, http.NoBody)
	require.NoError(t, err)
	_, err = http.DefaultClient.Do(request) //nolint:bodyclose // there is no answer
	require.Error(t, err)
}
