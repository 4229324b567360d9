package core

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/testneed/geofiles"
)

// routed is a core with an HTTP proxy that lets through what is in the category open of geosite.dat, and nothing else.
func routed(port int) []byte {
	return fmt.Appendf(nil, `{"inbounds":[{"tag":"in-1","listen":"127.0.0.1","port":%d,"protocol":"http"}],
		"outbounds":[{"tag":"block","protocol":"blackhole"},{"tag":"out","protocol":"freedom","settings":{"redirect":"%s"}}],
		"routing":{"rules":[{"type":"field","domain":["geosite:open"],"outboundTag":"out"}]}}`, port, "REDIRECT")
}

// Spec: the core routes by a new list without a lost connection.
func TestARealCoreRoutesByNewFilesWithoutALostConnection(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "first")
		if r.URL.Path == "/long" {
			w.(http.Flusher).Flush()
			<-held
		}
		fmt.Fprintln(w, "last")
	}))
	t.Cleanup(site.Close)
	assets := t.TempDir()
	s, err := New(Options{
		Executable: agenttest.Executable, Dir: t.TempDir(), Assets: assets, Drain: time.Second,
		Clock: clockwork.NewRealClock(), Log: zap.NewNop(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background(), false)) })
	put := func(dir string, codes ...string) {
		var all [][]byte
		for i := range 2000 { // so that the lists are not small
			all = append(all, geofiles.Site(fmt.Sprintf("other-%d", i), fmt.Sprintf("other-%d.example", i)))
		}
		all = append(all, geofiles.Site("open", codes...))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "geosite.dat"), geofiles.File(all...), 0o600))
	}
	put(assets, "old.example")
	port := agenttest.FreePort(t)
	core := []byte(replaced(routed(port), site.Listener.Addr().String()))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: core}))
	before := s.Processes()
	client := &http.Client{Transport: &http.Transport{
		Proxy:             http.ProxyURL(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}),
		DisableKeepAlives: true,
		DialContext:       (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
	}, Timeout: 30 * time.Second}
	passes := func(host string) bool {
		answer, err := client.Get("http://" + host + "/")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return err == nil && string(text) == "first\nlast\n"
	}
	require.True(t, passes("old.example"))
	require.False(t, passes("new.example"))

	long, err := client.Get("http://old.example/long")
	require.NoError(t, err)
	trial := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(trial, "geosite.dat"), geofiles.Site("else", "a.example"), 0o600))
	var refused *Refused
	require.ErrorAs(t, s.Assets(t.Context(), trial, func() error { panic("it is not put") }), &refused)
	require.True(t, passes("old.example"), "what the core refuses changes nothing")

	put(trial, "new.example")
	require.NoError(t, s.Assets(t.Context(), trial, func() error {
		put(assets, "new.example")
		return nil
	}))
	require.True(t, passes("new.example"))
	require.False(t, passes("old.example"))
	require.Equal(t, before, s.Processes(), "no other core took over")
	close(held)
	text, err := io.ReadAll(long.Body)
	require.NoError(t, err)
	require.Equal(t, "first\nlast\n", string(text), "the stream that was open went on")
	require.NoError(t, long.Body.Close())
}

func replaced(raw []byte, address string) string {
	return string(bytes.ReplaceAll(raw, []byte("REDIRECT"), []byte(address)))
}
