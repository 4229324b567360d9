package nodes

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// follow gives the data lines of a live stream.
func follow(t *testing.T, p *paneltest.Panel, caller *paneltest.Client, topics string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/v1/stream?topics="+topics, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+caller.Token)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer func() { _ = response.Body.Close() }()
		scanner := bufio.NewScanner(response.Body)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			if text, data := strings.CutPrefix(scanner.Text(), "data: "); data {
				lines <- text
			}
		}
	}()
	return lines
}

func line(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(20 * time.Second):
		require.Fail(t, "no frame came")
	}
	return ""
}

// The figures of a node reach an open page without a request, some seconds after its agent has measured them, and nobody
// without the permission sees any.
func TestReadingsReachWhoWatchesAndMaySeeNodes(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "living")
	agent.beat(t)
	one := samples(1, time.Now())
	sessions := int64(4711)
	one[0].Sessions, one[0].Listeners = &sessions, []agentapi.Sessions{{Name: "in", Open: sessions}}
	agent.deliver("s", 1, one).Is(http.StatusOK)

	blind := follow(t, p, p.As("accounts.view"), "metrics:*,account")
	everything := follow(t, p, p.As("nodes.view"), "")
	lines := follow(t, p, p.As("nodes.view"), "metrics:"+agent.nodeID)
	eventually(t, func() bool { return strings.Contains(line(t, lines), `["`+agent.nodeID+`",`) })
	one[0].ObservedAt, one[0].NetTxBps = time.Now(), 987654321
	agent.deliver("s", 2, one).Is(http.StatusOK)
	eventually(t, func() bool { return strings.Contains(line(t, lines), ",4711,1000000,987654321,50,50]") })
	require.Empty(t, blind)
	for len(everything) > 0 {
		require.NotContains(t, <-everything, "node.metrics", "figures come only to who asks for them")
	}
	p.As("nodes.view").Get("/api/v1/stream?topics=metrics:x").Refused(http.StatusBadRequest, "bad_parameter")
}

// A node page shows the sessions of the core's listeners, and the connections of the host under their own name.
func TestSessionsOfListenersAreNotTheConnectionsOfTheHost(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	older, counting := newAgent(t, p, "older"), newAgent(t, p, "counting")
	sessions := int64(2)
	one := samples(1, time.Now())
	one[0].TCPEstablished = 562
	for _, agent := range []*enrolled{older, counting} {
		agent.beat(t)
		agent.deliver("s", 1, one).Is(http.StatusOK)
		one[0].Sessions = &sessions
	}
	admin := p.As("nodes.view")
	for _, agent := range []*enrolled{older, counting} {
		eventually(t, func() bool { return admin.Get("/api/v1/nodes/"+agent.nodeID).Value("metrics") != nil })
	}
	require.EqualValues(t, 2, admin.Get("/api/v1/nodes/"+counting.nodeID).Value("metrics.sessions"))
	shown := admin.Get("/api/v1/nodes/" + older.nodeID)
	require.Nil(t, shown.Value("metrics.sessions"))
	require.EqualValues(t, 562, shown.Value("metrics.tcp_established"))
	eventually(t, func() bool { return admin.Get("/api/v1/nodes/summary").Value("figures.sessions") != nil })
	require.EqualValues(t, 2, admin.Get("/api/v1/nodes/summary").Value("figures.sessions"))
}
