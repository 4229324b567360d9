package core

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An operator reads why no page came through a flow: how long nobody answered, without the address of the page, which
// is the panel's own.
func TestAFailedFetchIsToldPlainly(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	asked := func(ctx context.Context, address string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	}
	require.EqualError(t, plainly(asked(ctx, silent.URL), 20*time.Second), "no answer within 20s")
	refused := plainly(asked(t.Context(), "http://127.0.0.1:1/page"), time.Second).Error()
	require.Contains(t, refused, "connection refused")
	require.NotContains(t, refused, "/page")
	other := errors.New("the tunnel is closed")
	require.Same(t, other, plainly(other, time.Second))
}
