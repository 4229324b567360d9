package app_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/paneltest"
)

// The whole panel keeps its log readable under a flood: 10,000 requests with as many garbage tokens, from addresses of
// many networks and for operations of people and agents, are some lines whose sums add up, whichever part of it logs.
func TestAFloodOfGarbageTokensLeavesTheLogReadable(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	p := paneltest.Start(t, paneltest.Log(zap.New(core)),
		paneltest.Env(map[string]string{"PANEL_TRUSTED_PROXIES": "127.0.0.0/8"}))
	const flood, senders = 10_000, 4
	paths := []string{"/api/v1/audit", "/api/v1/accounts", "/s/unknown", "/api/v1/nowhere"}
	before := logs.Len()
	var all sync.WaitGroup
	for sender := range senders {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := sender; i < flood; i += senders {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
					p.URL+paths[i/senders%len(paths)], nil)
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Authorization", fmt.Sprintf("Bearer ps_garbage-%d", i))
				request.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.1", i%7, i%200))
				answer, err := client.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body) // the connection is used again
				answer.Body.Close()
				if answer.StatusCode < 400 || answer.StatusCode >= 500 {
					t.Errorf("%s: %d", request.URL.Path, answer.StatusCode)
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, p.App.Stop(t.Context()))
	sums := logs.FilterMessage("more requests were refused")
	counted := logs.FilterMessage("request").Len()
	for _, sum := range sums.All() {
		counted += int(sum.ContextMap()["count"].(int64)) //nolint:forcetypeassert // it is what is tested
	}
	require.Equal(t, flood, counted)
	const minutes = 10 // on a very busy machine
	require.Less(t, logs.Len()-before, minutes*120)
}
