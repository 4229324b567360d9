package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// neighbour compiles another flow with TLS on the entry's node, beside what stands there.
func neighbour(t require.TestingT, n int, l graph.Listener, host string, others []plan.Fragment) plan.Result {
	in := secured(l.Protocol, l.Transport)
	in.FlowID = fmt.Sprintf("%s%02d", strings.TrimSuffix(flowID, "0e"), n)
	in.Graph.Nodes[0].Params.Listener = &l
	in.Domains = map[string]plan.Domain{domainID: {NodeID: nodeA, Hostname: host}}
	node := in.Nodes[nodeA]
	node.Others = others
	in.Nodes[nodeA] = node
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	return r
}

func drawnTLS(t *rapid.T) graph.Listener {
	return graph.Listener{
		Protocol: rapid.SampledFrom([]string{"vless", "trojan", "vmess"}).Draw(t, "protocol"), Security: graph.TLS,
		Transport: rapid.SampledFrom(transports).Draw(t, "transport"),
		Path:      rapid.SampledFrom([]string{"", "/a", "/b"}).Draw(t, "path"),
		Port:      rapid.SampledFrom([]int{443, 8443}).Draw(t, "port"),
	}
}

type shown struct {
	Inbounds []struct {
		Tag, Listen, Port string
		Settings          struct{ Fallbacks []struct{ Dest string } }
	}
	Outbounds []struct {
		Settings struct{ Redirect string }
	}
}

// Whatever shares a port: no socket is asked for twice, each listener is there once, and each that stands behind
// another is led to once; the order of the flows does not matter.
func TestSharedPortsAreConsistent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []plan.Fragment
		for n := range rapid.IntRange(1, 7).Draw(t, "flows") {
			host := rapid.SampledFrom([]string{"a.example.org", "b.example.org", "c.example.org"}).Draw(t, "host")
			r := neighbour(t, n, drawnTLS(t), host, all)
			if len(r.Plan.Conflicts) == 0 {
				all = append(all, r.Fragments[nodeA])
			}
		}
		raw := plan.Render(all)
		require.Equal(t, raw, plan.Render(rapid.Permutation(all).Draw(t, "turned")))
		var config shown
		require.NoError(t, json.Unmarshal(raw, &config))
		sockets, tags, led := map[string]bool{}, map[string]bool{}, map[string]int{}
		for _, in := range config.Inbounds {
			at := net.JoinHostPort(in.Listen, in.Port)
			require.False(t, sockets[at] || tags[in.Tag], "%s %s", at, in.Tag)
			sockets[at], tags[in.Tag] = true, true
			for _, way := range in.Settings.Fallbacks {
				led[way.Dest]++
			}
		}
		for _, out := range config.Outbounds {
			if out.Settings.Redirect != "" {
				led[out.Settings.Redirect]++
			}
		}
		for _, f := range all {
			require.True(t, tags[f.Inbounds[0].Tag])
		}
		for at := range sockets {
			inner := !strings.HasPrefix(at, "0.0.0.0:")
			require.Equal(t, inner, led[at] == 1, at)
			delete(led, at)
		}
		require.Empty(t, led)
	})
}

// A neighbour changes nothing of a flow's own part, so neither installs anything anew when the other comes or goes.
func TestANeighbourLeavesTheFlowAsItIs(t *testing.T) {
	t.Parallel()
	first := graph.Listener{Protocol: "vless", Security: graph.TLS, Transport: "raw", Port: 443}
	alone := neighbour(t, 1, first, "a.example.org", nil)
	second := graph.Listener{Protocol: "trojan", Security: graph.TLS, Transport: "ws", Path: "/b", Port: 443}
	beside := neighbour(t, 2, second, "a.example.org", []plan.Fragment{alone.Fragments[nodeA]})
	again := neighbour(t, 1, first, "a.example.org", []plan.Fragment{beside.Fragments[nodeA]})
	require.Equal(t, alone.Fragments, again.Fragments)
	before := alone.Fragments[nodeA].Bytes()
	plan.Render([]plan.Fragment{alone.Fragments[nodeA], beside.Fragments[nodeA]})
	require.True(t, bytes.Equal(before, alone.Fragments[nodeA].Bytes()), "putting them together changes no fragment")
}

// A plan names whose listeners have the same port, each once, and what tells them apart.
func TestAPlanTellsWhoSharesItsPort(t *testing.T) {
	t.Parallel()
	first := graph.Listener{Protocol: "vless", Security: graph.TLS, Transport: "raw", Port: 443}
	one := neighbour(t, 1, first, "a.example.org", nil).Fragments[nodeA]
	two := neighbour(t, 2, first, "b.example.org", []plan.Fragment{one}).Fragments[nodeA]
	in := secured("trojan", "ws")
	in.Domains = map[string]plan.Domain{domainID: {NodeID: nodeA, Hostname: "a.example.org"}}
	node := in.Nodes[nodeA]
	node.Others, node.Reserved = []plan.Fragment{one, two}, slices.Concat(one.Listens, two.Listens)
	in.Nodes[nodeA] = node
	of := func(f plan.Fragment) plan.ConflictWith {
		return plan.ConflictWith{FlowID: f.FlowID, Listener: f.Listens[0].Name}
	}
	require.Equal(t, []plan.Share{
		{Block: "in", NodeID: nodeA, Port: 443, By: plan.ByPath, Host: "a.example.org", With: of(one)},
		{Block: "in", NodeID: nodeA, Port: 443, By: plan.ByHost, Host: "b.example.org", With: of(two)},
	}, plan.Compile(in).Plan.Sharing)
	require.Empty(t, neighbour(t, 3, graph.Listener{
		Protocol: "vless", Security: graph.TLS, Transport: "ws", Port: 8443,
	}, "a.example.org", []plan.Fragment{one, two}).Plan.Sharing)
}

// What cannot be told apart at one name: two that take it as a whole, two that speak HTTP/2, and a path that is longer
// than the core looks.
func TestWhatCannotShareAName(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("a", 60)
	for name, c := range map[string]struct {
		first, second graph.Listener
		kind          string
	}{
		"two raw":           {graph.Listener{Transport: "raw"}, graph.Listener{Transport: "raw"}, plan.ConflictDomain},
		"gRPC and XHTTP":    {graph.Listener{Transport: "grpc"}, graph.Listener{Transport: "xhttp"}, plan.ConflictDomain},
		"a path too long":   {graph.Listener{Transport: "raw"}, graph.Listener{Transport: "ws", Path: long}, plan.ConflictDomain},
		"one path":          {graph.Listener{Transport: "ws"}, graph.Listener{Transport: "xhttp"}, plan.ConflictPath},
		"raw and WebSocket": {graph.Listener{Transport: "raw"}, graph.Listener{Transport: "ws"}, ""},
	} {
		for _, l := range []*graph.Listener{&c.first, &c.second} {
			l.Protocol, l.Security, l.Port = "vless", graph.TLS, 443
		}
		alone := neighbour(t, 1, c.first, domain, nil)
		found := neighbour(t, 2, c.second, domain, []plan.Fragment{alone.Fragments[nodeA]}).Plan.Conflicts
		kind := ""
		for _, f := range found {
			kind = f.Kind
		}
		require.Equal(t, c.kind, kind, name)
		elsewhere := neighbour(t, 2, c.second, "other.example.org", []plan.Fragment{alone.Fragments[nodeA]})
		require.Empty(t, elsewhere.Plan.Conflicts, "%s: another name is no conflict", name)
	}
}
