package nodes

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
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
	case <-time.After(time.Minute):
		require.Fail(t, "no frame came")
	}
	return ""
}

// The figures of a node reach an open page without a request, some seconds after its agent has measured them, and
// nobody without the permission sees any.
func TestReadingsReachWhoWatchesAndMaySeeNodes(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("living")
	agent.Beat()
	one := paneltest.Samples(1, time.Now())
	sessions := int64(4711)
	one[0].Sessions, one[0].Listeners = &sessions, []agentapi.Sessions{{Name: "in", Open: sessions}}
	agent.Deliver("s", 1, one).Is(http.StatusOK)

	blind := follow(t, p, p.As("accounts.view"), "metrics:*,account")
	everything := follow(t, p, p.As("nodes.view"), "")
	lines := follow(t, p, p.As("nodes.view"), "metrics:"+agent.NodeID)
	eventually(t, func() bool { return strings.Contains(line(t, lines), `["`+agent.NodeID+`",`) })
	one[0].ObservedAt, one[0].NetTxBps = time.Now(), 987654321
	agent.Deliver("s", 2, one).Is(http.StatusOK)
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
	older, counting := p.Enroll("older"), p.Enroll("counting")
	sessions := int64(2)
	one := paneltest.Samples(1, time.Now())
	one[0].TCPEstablished = 562
	for _, agent := range []*paneltest.Agent{older, counting} {
		agent.Beat()
		agent.Deliver("s", 1, one).Is(http.StatusOK)
		one[0].Sessions = &sessions
	}
	admin := p.As("nodes.view")
	for _, agent := range []*paneltest.Agent{older, counting} {
		eventually(t, func() bool { return admin.Get("/api/v1/nodes/"+agent.NodeID).Value("metrics") != nil })
	}
	require.EqualValues(t, 2, admin.Get("/api/v1/nodes/"+counting.NodeID).Value("metrics.sessions"))
	shown := admin.Get("/api/v1/nodes/" + older.NodeID)
	require.Nil(t, shown.Value("metrics.sessions"))
	require.EqualValues(t, 562, shown.Value("metrics.tcp_established"))
	eventually(t, func() bool { return admin.Get("/api/v1/nodes/summary").Value("figures.sessions") != nil })
	require.EqualValues(t, 2, admin.Get("/api/v1/nodes/summary").Value("figures.sessions"))
}

// What a sample tells of listeners and outbounds stands at the node and is given to other modules as rates; an agent
// of the release before tells nothing of it, and one that goes back to that release takes its last figures away.
func TestListenersOfANodeShowWhatTheyCarry(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	older, agent := p.Enroll("older"), p.Enroll("measuring")
	flow := "0199a0de-0000-7000-8000-000000000001"
	sockets := []nodesapi.Listener{
		{Key: "in", FlowID: flow, L4: "tcp", IP: "0.0.0.0", Port: 443},
		{Key: "in", FlowID: flow, L4: "udp", IP: "0.0.0.0", Port: 443},
		{Key: "hop", FlowID: flow, L4: "udp", IP: "::", Port: 7001},
		{Key: "hop", FlowID: flow, L4: "udp", IP: "::", Port: 7000},
	}
	for _, one := range []*paneltest.Agent{older, agent} {
		config := with.put(t, one.NodeID, json.RawMessage(`{"inbounds":[]}`), sockets)
		_, err := with.configs.SetDesired(t.Context(), map[string]int64{one.NodeID: config.Revision})
		require.NoError(t, err)
		one.Beat()
	}
	list := paneltest.Samples(1, time.Now())
	list[0].Traffic = []agentapi.Traffic{
		{Kind: "listener", Name: "in", Up: 1_500, Down: 15_000},
		{Kind: "outbound", Name: "out", Up: 3, Down: -3},
		{Kind: "later", Name: "x", Up: 1},
	}
	list[0].Listeners = []agentapi.Sessions{{Name: "in", Open: 2}}
	older.Deliver("s", 1, list).Is(http.StatusOK)
	list[0].IntervalSeconds, list[0].Sessions = 15, new(int64(2))
	agent.Deliver("s", 1, list).Is(http.StatusOK)
	admin := p.As("nodes.view")
	shown := func(of *paneltest.Agent) (listeners []Listener) {
		var d Detail
		admin.Get("/api/v1/nodes/" + of.NodeID).Is(http.StatusOK).JSON(&d)
		require.Equal(t, []string{flow}, d.FlowIDs)
		return d.Listeners
	}
	eventually(t, func() bool { return shown(agent)[0].UpBps != nil })
	in, hop := shown(agent)[0], shown(agent)[1]
	require.Equal(t, []any{"both", "443", int64(2), int64(800), int64(8000)}, []any{
		in.L4, in.Ports, *in.Sessions,
		*in.UpBps, *in.DownBps,
	})
	require.Equal(t, []any{"udp", "7000-7001", int64(0)}, []any{hop.L4, hop.Ports, *hop.UpBps})
	require.Nil(t, hop.Sessions)
	require.Nil(t, shown(older)[0].UpBps)
	require.Nil(t, shown(older)[0].Sessions)

	found, err := with.readings.Newest(t.Context(), agent.NodeID, older.NodeID, "no-id")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, nodesapi.Carried{UpBps: 2}, found[agent.NodeID].Outbounds["out"], "a counter never goes back")
	require.True(t, found[agent.NodeID].Fresh(time.Now()))
	found, err = with.readings.Newest(t.Context(), "no-id")
	require.NoError(t, err)
	require.Empty(t, found)
	counted, err := with.readings.Sessions(t.Context(), time.Now().Add(-time.Hour), time.Now(), agent.NodeID, "no-id")
	require.NoError(t, err)
	require.Len(t, counted.Points, 1, "nobody counts them on the older one")
	require.InDelta(t, 2, counted.Points[agent.NodeID][0].Value, 0)

	agent.Deliver("s", 2, paneltest.Samples(1, time.Now())).Is(http.StatusOK)
	eventually(t, func() bool { return shown(agent)[0].UpBps == nil })
}

// Lists of what runs on many nodes read of each only whether it does what it shall; that is the same as its own page
// says.
func TestWhetherNodesServeIsReadForManyAtOnce(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, silent := p.Enroll("serving"), p.Enroll("silent")
	config := with.put(t, agent.NodeID, json.RawMessage(`{"inbounds":[]}`), nil)
	_, err := with.configs.SetDesired(t.Context(), map[string]int64{agent.NodeID: config.Revision})
	require.NoError(t, err)
	agent.Beat()

	of := func(ids ...string) map[string]nodesapi.Serving {
		found, err := with.readings.Serving(t.Context(), ids...)
		require.NoError(t, err)
		byName := map[string]nodesapi.Serving{}
		for _, one := range found {
			byName[one.Name] = one
		}
		return byName
	}
	eventually(t, func() bool { return of()["serving"].Online })
	all := of()
	require.Len(t, all, 2)
	require.Equal(t, all, of(agent.NodeID, silent.NodeID, "no-id"))
	require.Empty(t, of("no-id"))
	for name, one := range all {
		whole, err := with.fleet.Node(t.Context(), one.ID)
		require.NoError(t, err)
		require.Equal(t, nodesapi.Serving{
			ID: whole.ID, Name: name, Address: whole.Address, Online: whole.Online, CoreState: whole.CoreState,
			RevisionDesired: whole.RevisionDesired, RevisionInstalled: whole.RevisionInstalled,
		}, one)
	}
	require.Equal(t, config.Revision, all["serving"].RevisionDesired)
}

// Who judges a whole fleet reads of each node only how it is; that is the same as the node itself says.
func TestHowAllNodesAreIsReadAtOnce(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, resting := p.Enroll("able"), p.Enroll("resting")
	p.Admin().AddNode("never-heard", "address", "192.0.2.7")
	p.Admin().Post("/api/v1/nodes/"+resting.NodeID+"/maintenance", map[string]any{"on": true}).Is(http.StatusOK)
	config := with.put(t, agent.NodeID, json.RawMessage(`{"inbounds":[]}`), nil)
	_, err := with.configs.SetDesired(t.Context(), map[string]int64{agent.NodeID: config.Revision})
	require.NoError(t, err)
	agent.Beat(func(b *agentapi.Heartbeat) { b.Capabilities = []agentapi.Capability{"document_watches"} })
	resting.Beat()

	all := func() []nodesapi.Status {
		found, err := with.statuses.Statuses(t.Context(), "document_watches")
		require.NoError(t, err)
		return found
	}
	eventually(t, func() bool { return all()[0].Online && all()[2].Online })
	found := all()
	require.Len(t, found, 3, "in the order of names")
	for i := range found {
		whole, err := with.fleet.Node(t.Context(), found[i].ID)
		require.NoError(t, err)
		require.Equal(t, nodesapi.Status{
			ID: whole.ID, Name: whole.Name, Address: whole.Address, State: whole.State, Online: whole.Online,
			Able: whole.Can("document_watches"), CoreState: whole.CoreState, Wanted: whole.RevisionDesired > 0,
			Provider: whole.Provider, Country: whole.Country, Tags: whole.Tags, SeenAt: whole.SeenAt,
		}, found[i], whole.Name)
	}
	require.Equal(t, []bool{true, false, false}, []bool{found[0].Able, found[1].Able, found[2].Able})
	require.Equal(t, "maintenance", found[2].State)
	none, err := with.statuses.Statuses(t.Context(), "nothing_known")
	require.NoError(t, err)
	require.False(t, none[0].Able)
}
