package core

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

// comingFrom has a client come from another address of this host.
func comingFrom(t *testing.T, client []byte, address string) []byte {
	t.Helper()
	var config struct {
		Outbounds []map[string]any `json:"outbounds"`
	}
	require.NoError(t, json.Unmarshal(client, &config))
	config.Outbounds[0]["sendThrough"] = address
	return encoded(t, config)
}

// A limit of addresses holds in the running core by every protocol, and is lifted without a new connection.
func TestAClientIsHeldToItsAddresses(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"vless", "vmess", "shadowsocks"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			s, ctx := newSupervisor(t, t.TempDir()), t.Context()
			e := entryOf(t, protocol, "raw", agenttest.FreePort(t), "")
			anna := someone("anna")
			anna.Limits.Addresses = 1
			require.NoError(t, s.Clients(ctx, listing(anna)))
			require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
			home := streamThrough(t, comingFrom(t, e.dial(anna), "127.0.0.2"))
			elsewhere := doorTo(t, comingFrom(t, e.dial(anna), "127.0.0.3"), agenttest.EchoServer(t))
			require.Error(t, talks(elsewhere), "from a second address")
			require.NoError(t, agenttest.Talk(home, "from the first address"))

			anna.Limits.Addresses = 2
			require.NoError(t, s.Clients(ctx, listing(anna)))
			require.NoError(t, talks(elsewhere))
			require.NoError(t, agenttest.Talk(home, "beside the second"))
		})
	}
}

// Who gets a limit while it has streams open begins them anew under it.
func TestALimitReachesStreamsThatAreOpen(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna, boris := someone("anna"), someone("boris")
	require.NoError(t, s.Clients(ctx, listing(anna, boris)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	home, other := streamThrough(t, comingFrom(t, e.dial(anna), "127.0.0.2")), streamThrough(t, e.dial(boris))
	away := streamThrough(t, comingFrom(t, e.dial(anna), "127.0.0.3"))
	anna.Limits.Addresses = 1
	require.NoError(t, s.Clients(ctx, listing(anna, boris)))
	require.NoError(t, ends(home))
	require.NoError(t, ends(away))
	require.NoError(t, agenttest.Talk(other, "of another"))
}

// posted sends so many bytes when the site is ready for them: the core as a client of Trojan fails where its first
// bytes are many.
func posted(t *testing.T, url string, bytes int64) *http.Response {
	t.Helper()
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.LimitReader(rand.Reader, bytes))
	require.NoError(t, err)
	asked.Header.Set("Expect", "100-continue")
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	t.Cleanup(client.CloseIdleConnections)
	answer, err := client.Do(asked)
	require.NoError(t, err)
	return answer
}

// 1 MB at 8 Mbit/s takes a second less the burst, up and down, through a real client; the counters go on.
func TestAClientIsHeldToItsSpeed(t *testing.T) {
	t.Parallel()
	const bytes, least = 1_000_000, 900 * time.Millisecond
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(make([]byte, bytes))
	}))
	t.Cleanup(site.Close)
	for _, protocol := range []string{"vless", "trojan", "hysteria"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			s, ctx := newSupervisor(t, t.TempDir()), t.Context()
			authority, network := agenttest.NewAuthority(t), "raw"
			if protocol == "hysteria" {
				network = "hysteria"
			}
			require.NoError(t, s.Certificates(ctx, holding(authority.Issue(t, tlsHost, 1, time.Now()))))
			e := entryOf(t, protocol, network, agenttest.FreePort(t), authority.Root)
			anna := someone("anna")
			anna.Limits.Mbit = 8
			require.NoError(t, s.Clients(ctx, listing(anna)))
			require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
			door := doorTo(t, e.dial(anna), site.Listener.Addr().String())
			began := time.Now()
			answer := posted(t, fmt.Sprint("http://127.0.0.1:", door), bytes)
			defer answer.Body.Close()
			require.Greater(t, time.Since(began), least, "up")
			read, err := io.Copy(io.Discard, answer.Body)
			require.NoError(t, err)
			require.EqualValues(t, bytes, read)
			require.Greater(t, time.Since(began), 2*least, "down, after all that went up")
			carried := "user>>>" + agentapi.ClientEmail(listedFlow, "anna") + ">>>traffic>>>downlink"
			require.Eventually(t, func() bool { return counted(s, carried) >= bytes }, 20*time.Second,
				50*time.Millisecond)
		})
	}
}
