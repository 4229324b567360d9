package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

// named gives the sound drawing with a listener at its entry, which has a domain.
func named(l graph.Listener) graph.Graph {
	g := with(l)
	g.Nodes[0].NodeDomainID = "0190a000-0000-7000-8000-00000000d0d0"
	return g
}

func secured(protocol, transport string) graph.Listener {
	return graph.Listener{Protocol: protocol, Port: 443, Security: graph.TLS, Transport: transport}
}

// Domain 4.3: VLESS and Trojan run with TLS over every transport.
func TestTLSRunsOverEveryTransport(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"vless", "trojan"} {
		for _, transport := range []string{"", "raw", "ws", "httpupgrade", "xhttp", "grpc"} {
			require.Empty(t, graph.Check(named(secured(protocol, transport))), protocol+" over "+transport)
		}
	}
}

func TestTheRulesOfAListenerWithTLS(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		protocol string
		change   func(l *graph.Listener)
		want     string
	}{
		"trojan without a word about TLS": {"trojan", func(l *graph.Listener) { l.Security = "" }, ""},
		"trojan with REALITY": {
			"trojan", func(l *graph.Listener) { l.Security = "reality" }, "security_required .security",
		},
		"trojan in the clear": {"trojan", func(l *graph.Listener) { l.Security = "none" }, "security_required .security"},
		"trojan on udp":       {"trojan", func(l *graph.Listener) { l.L4 = "udp" }, "invalid_value .l4"},
		"trojan with vision":  {"trojan", func(l *graph.Listener) { l.Flow = graph.Vision }, "not_allowed_here .flow"},
		"trojan with a method": {
			"trojan", func(l *graph.Listener) { l.Method = "2022-blake3-aes-256-gcm" }, "not_allowed_here .method",
		},
		"trojan over pigeons": {"trojan", func(l *graph.Listener) { l.Transport = "pigeon" }, "invalid_value .transport"},
		"with a target too":   {"vless", func(l *graph.Listener) { l.Reality = reality().Reality }, "not_allowed_here .reality"},
		"vision over raw":     {"vless", func(l *graph.Listener) { l.Flow = graph.Vision }, ""},
		"vision over ws": {
			"vless", func(l *graph.Listener) { l.Transport, l.Flow = "ws", graph.Vision }, "invalid_value .flow",
		},
		"a path without slash": {
			"vless", func(l *graph.Listener) { l.Transport, l.Path = "ws", "up" }, "invalid_value .path",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := secured(c.protocol, "")
			c.change(&l)
			found := graph.Check(named(l))
			if c.want == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c.want, found[0].Code+" "+found[0].Path[len(listenerPath):])
		})
	}
}

// A listener with TLS shows the certificate of a domain, so the entry has one; the problem is named at its field.
func TestTLSNeedsADomain(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"vless", "trojan"} {
		found := graph.Check(with(secured(protocol, "ws")))
		require.Len(t, found, 1)
		require.Equal(t, "domain_required", found[0].Code)
		require.Equal(t, "nodes[0].node_domain_id", found[0].Path)
	}
}

func TestNodesDoNotSpeakTLSAmongThemselves(t *testing.T) {
	t.Parallel()
	g := sound()
	at := -1
	for i, n := range g.Nodes {
		if n.Kind == graph.Exit {
			at = i
		}
	}
	require.GreaterOrEqual(t, at, 0, "the sound drawing has an exit")
	hop := secured("vless", "raw")
	g.Nodes[at].Params.Hop = &hop
	found := graph.Check(g)
	require.Len(t, found, 1)
	require.Equal(t, "not_allowed_here", found[0].Code)
	require.Contains(t, found[0].Path, ".params.hop.security")
}

func TestWhatIsLeftOutOfAListenerWithTLS(t *testing.T) {
	t.Parallel()
	trojan := graph.Listener{Protocol: "trojan", Port: 443}.Filled()
	require.Equal(t, graph.TLS, trojan.Security)
	require.Equal(t, "tcp", trojan.L4)
	require.Empty(t, trojan.Flow)
	require.Equal(t, graph.Vision, secured("vless", "").Filled().Flow, "TLS inside TLS is hidden where it can be")
	for _, transport := range []string{"ws", "httpupgrade", "xhttp"} {
		require.Equal(t, "/", secured("vless", transport).Filled().Path, transport)
		require.Empty(t, secured("vless", transport).Filled().Flow, transport)
	}
}
