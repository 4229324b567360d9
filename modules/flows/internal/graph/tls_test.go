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

// Domain 4.3: VLESS, Trojan and VMess run with TLS over every transport.
func TestTLSRunsOverEveryTransport(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"vless", "trojan", "vmess"} {
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
		"trojan over pigeons":            {"trojan", func(l *graph.Listener) { l.Transport = "pigeon" }, "invalid_value .transport"},
		"vmess without a word about TLS": {"vmess", func(l *graph.Listener) { l.Security = "" }, ""},
		"vmess with REALITY":             {"vmess", func(l *graph.Listener) { l.Security = "reality" }, "invalid_value .security"},
		"vmess on udp":                   {"vmess", func(l *graph.Listener) { l.L4 = "udp" }, "invalid_value .l4"},
		"vmess with vision":              {"vmess", func(l *graph.Listener) { l.Flow = graph.Vision }, "not_allowed_here .flow"},
		"hysteria2 over its own QUIC":    {"hysteria2", func(l *graph.Listener) { l.Transport = graph.QUIC }, ""},
		"hysteria2 with obfuscation":     {"hysteria2", func(l *graph.Listener) { l.Obfs = "salamander" }, ""},
		"hysteria2 that looks like else": {"hysteria2", func(l *graph.Listener) { l.Obfs = "word" }, "invalid_value .obfs"},
		"hysteria2 in the clear":         {"hysteria2", func(l *graph.Listener) { l.Security = "none" }, "security_required .security"},
		"hysteria2 on tcp":               {"hysteria2", func(l *graph.Listener) { l.L4 = "tcp" }, "invalid_value .l4"},
		"hysteria2 over ws":              {"hysteria2", func(l *graph.Listener) { l.Transport = "ws" }, "transport_not_supported .transport"},
		"obfuscation of others":          {"vless", func(l *graph.Listener) { l.Obfs = "salamander" }, "not_allowed_here .obfs"},
		"quic without hysteria2":         {"vless", func(l *graph.Listener) { l.Transport = graph.QUIC }, "invalid_value .transport"},
		"its own alpn":                   {"vless", func(l *graph.Listener) { l.ALPN = []string{"http/1.1", "h2"} }, ""},
		"alpn twice":                     {"vless", func(l *graph.Listener) { l.ALPN = []string{"h2", "h2"} }, "invalid_value .alpn"},
		"alpn of another":                {"vless", func(l *graph.Listener) { l.ALPN = []string{"h3"} }, "invalid_value .alpn"},
		"alpn that the transport cannot use": {
			"vless", func(l *graph.Listener) { l.Transport, l.ALPN = "grpc", []string{"http/1.1"} }, "invalid_value .alpn",
		},
		"TLS 1.3 alone":     {"vless", func(l *graph.Listener) { l.MinVersion = "1.3" }, ""},
		"TLS 1.1":           {"vless", func(l *graph.Listener) { l.MinVersion = "1.1" }, "invalid_value .min_version"},
		"alpn over QUIC":    {"hysteria2", func(l *graph.Listener) { l.ALPN = []string{"h2"} }, "not_allowed_here .min_version"},
		"with a target too": {"vless", func(l *graph.Listener) { l.Reality = reality().Reality }, "not_allowed_here .reality"},
		"vision over raw":   {"vless", func(l *graph.Listener) { l.Flow = graph.Vision }, ""},
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
	for protocol, transport := range map[string]string{"vless": "ws", "trojan": "ws", "vmess": "ws", "hysteria2": ""} {
		found := graph.Check(with(secured(protocol, transport)))
		require.Len(t, found, 1)
		require.Equal(t, "domain_required", found[0].Code)
		require.Equal(t, "nodes[0].node_domain_id", found[0].Path)
	}
}

// Between nodes TLS needs no domain: the panel makes the certificate.
func TestNodesSpeakTLSAmongThemselvesWithoutADomain(t *testing.T) {
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
	require.Empty(t, graph.Check(g))
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

// VMess encrypts by itself: without TLS it needs no domain, and nodes may speak it among themselves.
func TestVMessRunsWithoutTLS(t *testing.T) {
	t.Parallel()
	l := graph.Listener{Protocol: "vmess", Port: 8080, Security: "none"}
	for _, transport := range []string{"", "raw", "ws", "httpupgrade", "xhttp", "grpc"} {
		l.Transport = transport
		require.Empty(t, graph.Check(with(l)), transport)
	}
}

func TestWhatIsLeftOutOfHysteria(t *testing.T) {
	t.Parallel()
	l := graph.Listener{Protocol: "hysteria2", PortRange: "20000-20010"}.Filled()
	require.Equal(t, []string{"udp", graph.TLS, graph.QUIC, "none"}, []string{l.L4, l.Security, l.Transport, l.Obfs})
	require.Empty(t, graph.Check(named(graph.Listener{Protocol: "hysteria2", PortRange: "20000-20010"})))
}

func TestTheRulesOfAREALITYTarget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *graph.Reality)
		want   string
	}{
		"limits":         {func(r *graph.Reality) { r.LimitUpload = &graph.Limit{BytesPerSec: 1} }, ""},
		"no speed":       {func(r *graph.Reality) { r.LimitUpload = &graph.Limit{} }, "invalid_value .reality.limit_fallback_up"},
		"below zero":     {func(r *graph.Reality) { r.LimitDownload = &graph.Limit{BytesPerSec: 1, AfterBytes: -1} }, "invalid_value .reality.limit_fallback_down"},
		"PROXY protocol": {func(r *graph.Reality) { r.Xver = 2 }, ""},
		"PROXY 3":        {func(r *graph.Reality) { r.Xver = 3 }, "invalid_value .reality.xver"},
	} {
		l := *reality()
		r := *l.Reality
		c.change(&r)
		l.Reality = &r
		found := graph.Check(with(l))
		if c.want == "" {
			require.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		require.Equal(t, c.want, found[0].Code+" "+found[0].Path[len(listenerPath):], name)
	}
}
