package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

const listenerPath = "nodes[0].params.listener"

// with gives the sound drawing with a listener at its entry.
func with(l graph.Listener) graph.Graph {
	g := sound()
	g.Nodes[0].Params.Listener = &l
	return g
}

func vless(change func(l *graph.Listener)) graph.Listener {
	l := *reality()
	change(&l)
	return l
}

func shadowsocks(change func(l *graph.Listener)) graph.Listener {
	l := graph.Listener{Protocol: "shadowsocks2022", Port: 8388}
	change(&l)
	return l
}

// Domain 4.3: VLESS runs with REALITY over raw, xhttp or grpc on tcp, and vision over raw alone; each field that
// breaks this is named.
func TestTheRulesOfAVLESSListener(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *graph.Listener)
		want   string // code and field; empty when it is sound
	}{
		"as it is":   {func(*graph.Listener) {}, ""},
		"xhttp":      {func(l *graph.Listener) { l.Transport, l.Path, l.Mode = "xhttp", "/up", "packet-up" }, ""},
		"grpc":       {func(l *graph.Listener) { l.Transport, l.ServiceName = "grpc", "my.service" }, ""},
		"no vision":  {func(l *graph.Listener) { l.Flow = "none" }, ""},
		"an address": {func(l *graph.Listener) { l.ListenIP = "2001:db8::1" }, ""},
		"short ids":  {func(l *graph.Listener) { l.Reality.ShortIDs = []string{"ab", "0123456789abcdef"} }, ""},
		"an address as target": {func(l *graph.Listener) {
			l.Reality.Target, l.Reality.ServerNames = "203.0.113.1:443", []string{"a.example"}
		}, ""},
		"on udp":  {func(l *graph.Listener) { l.L4 = "udp" }, "invalid_value .l4"},
		"on both": {func(l *graph.Listener) { l.L4 = "both" }, "invalid_value .l4"},
		"with a method": {
			func(l *graph.Listener) { l.Method = "2022-blake3-aes-256-gcm" },
			"not_allowed_here .method",
		},
		"vision over grpc": {
			func(l *graph.Listener) { l.Transport, l.Flow = "grpc", graph.Vision },
			"invalid_value .flow",
		},
		"an unknown flow": {func(l *graph.Listener) { l.Flow = "fast" }, "invalid_value .flow"},
		"in the clear":    {func(l *graph.Listener) { l.Security = "none" }, "security_required .security"},
		"over ws":         {func(l *graph.Listener) { l.Transport = "ws" }, "reality_transport .transport"},
		"over httpupgrade": {
			func(l *graph.Listener) { l.Transport = "httpupgrade" },
			"reality_transport .transport",
		},
		"over pigeons":         {func(l *graph.Listener) { l.Transport = "pigeon" }, "invalid_value .transport"},
		"a path without slash": {func(l *graph.Listener) { l.Path = "up" }, "invalid_value .path"},
		"a path with a query":  {func(l *graph.Listener) { l.Path = "/up?x=1" }, "invalid_value .path"},
		"an unknown mode":      {func(l *graph.Listener) { l.Mode = "both" }, "invalid_value .mode"},
		"a service with space": {
			func(l *graph.Listener) { l.ServiceName = "my service" },
			"invalid_value .service_name",
		},
		"a name to listen on": {func(l *graph.Listener) { l.ListenIP = "localhost" }, "invalid_value .listen_ip"},
		"an address in a zone": {
			func(l *graph.Listener) { l.ListenIP = "fe80::1%eth0" },
			"invalid_value .listen_ip",
		},
		"port 0":     {func(l *graph.Listener) { l.Port = 0 }, "invalid_value .port"},
		"port 65536": {func(l *graph.Listener) { l.Port = 65536 }, "invalid_value .port"},
		"a port and a range": {
			func(l *graph.Listener) { l.PortRange = "1000-1010" },
			"invalid_value .port_range",
		},
		"no target": {
			func(l *graph.Listener) { l.Reality.Target = "" },
			"missing_field .reality.target",
		},
		"a target without port": {
			func(l *graph.Listener) { l.Reality.Target = "www.example.org" },
			"invalid_value .reality.target",
		},
		"a target at port 0": {
			func(l *graph.Listener) { l.Reality.Target = "www.example.org:0" },
			"invalid_value .reality.target",
		},
		"a target with scheme": {
			func(l *graph.Listener) { l.Reality.Target = "https://www.example.org:443" },
			"invalid_value .reality.target",
		},
		"a target with space": {
			func(l *graph.Listener) { l.Reality.Target = " www.example.org:443" },
			"invalid_value .reality.target",
		},
		"an address without a name": {
			func(l *graph.Listener) { l.Reality.Target = "203.0.113.1:443" },
			"missing_field .reality.server_names",
		},
		"a wildcard": {
			func(l *graph.Listener) { l.Reality.ServerNames = []string{"*.example.org"} },
			"invalid_value .reality.server_names",
		},
		"a very long name": {func(l *graph.Listener) {
			l.Reality.ServerNames = []string{strings.Repeat("a.",
				130) + "org"}
		}, "invalid_value .reality.server_names"},
		"an odd short id": {
			func(l *graph.Listener) { l.Reality.ShortIDs = []string{"abc"} },
			"invalid_value .reality.short_ids",
		},
		"an empty short id": {
			func(l *graph.Listener) { l.Reality.ShortIDs = []string{""} },
			"invalid_value .reality.short_ids",
		},
		"a long short id": {
			func(l *graph.Listener) { l.Reality.ShortIDs = []string{"0123456789abcdef00"} },
			"invalid_value .reality.short_ids",
		},
		"no hexadecimal": {
			func(l *graph.Listener) { l.Reality.ShortIDs = []string{"zz"} },
			"invalid_value .reality.short_ids",
		},
		"a negative delay": {
			func(l *graph.Listener) { l.Reality.MaxTimeDiff = -1 },
			"invalid_value .reality.max_time_diff",
		},
		"a delay of two days": {
			func(l *graph.Listener) { l.Reality.MaxTimeDiff = 2 * 86400000 },
			"invalid_value .reality.max_time_diff",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := []string{}
			if code, field, broken := strings.Cut(c.want, " "); broken {
				want = []string{code + " " + listenerPath + field}
			}
			require.Equal(t, want, codes(graph.Check(with(vless(c.change)))))
		})
	}
}

// Shadowsocks 2022 encrypts by itself and runs over raw alone, on tcp, udp or both.
func TestTheRulesOfAShadowsocksListener(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *graph.Listener)
		want   string
	}{
		"as it is":         {func(*graph.Listener) {}, ""},
		"on udp":           {func(l *graph.Listener) { l.L4 = "udp" }, ""},
		"128 bits":         {func(l *graph.Listener) { l.Method = "2022-blake3-aes-128-gcm" }, ""},
		"none of each":     {func(l *graph.Listener) { l.Security, l.Flow, l.Transport = "none", "none", "raw" }, ""},
		"a range":          {func(l *graph.Listener) { l.Port, l.PortRange = 0, "20000-20010" }, ""},
		"on sctp":          {func(l *graph.Listener) { l.L4 = "sctp" }, "invalid_value .l4"},
		"an old method":    {func(l *graph.Listener) { l.Method = "aes-256-gcm" }, "invalid_value .method"},
		"over xhttp":       {func(l *graph.Listener) { l.Transport = "xhttp" }, "transport_not_supported .transport"},
		"with reality":     {func(l *graph.Listener) { l.Reality = reality().Reality }, "not_allowed_here .security"},
		"security":         {func(l *graph.Listener) { l.Security = "reality" }, "not_allowed_here .security"},
		"vision":           {func(l *graph.Listener) { l.Flow = graph.Vision }, "not_allowed_here .flow"},
		"no protocol":      {func(l *graph.Listener) { l.Protocol = "" }, "missing_field .protocol"},
		"another protocol": {func(l *graph.Listener) { l.Protocol = "socks" }, "protocol_not_supported .protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := []string{}
			if code, field, broken := strings.Cut(c.want, " "); broken {
				want = []string{code + " " + listenerPath + field}
			}
			require.Equal(t, want, codes(graph.Check(with(shadowsocks(c.change)))))
		})
	}
}

// What an operator leaves out has one value, in the preview as on the node.
func TestWhatIsLeftOutIsFilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ drawn, filled graph.Listener }{
		"vless": {
			graph.Listener{Protocol: "vless", Port: 443, Reality: &graph.Reality{Target: "www.example.org:443"}},
			graph.Listener{
				Protocol: "vless", ListenIP: "0.0.0.0", Port: 443, L4: "tcp", Transport: "raw", Security: "reality",
				Flow:        graph.Vision,
				Fingerprint: "chrome", Reality: &graph.Reality{
					Target:      "www.example.org:443",
					ServerNames: []string{"www.example.org"},
				},
			},
		},
		"vless without vision": {
			graph.Listener{Protocol: "vless", Flow: "none"},
			graph.Listener{
				Protocol: "vless", ListenIP: "0.0.0.0", L4: "tcp", Transport: "raw", Security: "reality",
				Fingerprint: "chrome",
			},
		},
		"vless over xhttp": {
			graph.Listener{Protocol: "vless", Transport: "xhttp", Fingerprint: "firefox"},
			graph.Listener{
				Protocol: "vless", ListenIP: "0.0.0.0", L4: "tcp", Transport: "xhttp", Security: "reality", Path: "/",
				Mode:        "auto",
				Fingerprint: "firefox",
			},
		},
		"vless over grpc": {
			graph.Listener{Protocol: "vless", Transport: "grpc", ListenIP: "::"},
			graph.Listener{
				Protocol: "vless", ListenIP: "::", L4: "tcp", Transport: "grpc", Security: "reality",
				ServiceName: "grpc", Fingerprint: "chrome",
			},
		},
		"shadowsocks": {
			graph.Listener{Protocol: "shadowsocks2022", Port: 8388},
			graph.Listener{
				Protocol: "shadowsocks2022", ListenIP: "0.0.0.0", Port: 8388, L4: "both", Transport: "raw",
				Security: "none",
				Method:   "2022-blake3-aes-256-gcm", Fingerprint: "chrome",
			},
		},
		"names of the target stay": {
			graph.Listener{Protocol: "vless", Reality: &graph.Reality{
				Target:      "a.example:443",
				ServerNames: []string{"b.example"},
			}},
			graph.Listener{
				Protocol: "vless", ListenIP: "0.0.0.0", L4: "tcp", Transport: "raw", Security: "reality",
				Flow:        graph.Vision,
				Fingerprint: "chrome", Reality: &graph.Reality{
					Target:      "a.example:443",
					ServerNames: []string{"b.example"},
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawn := c.drawn
			require.Equal(t, c.filled, drawn.Filled())
			require.Equal(t, c.drawn, drawn, "the drawing stays as it was drawn")
		})
	}
}

func TestThePortsOfAListener(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		port     int
		text     string
		from, to int
		ok       bool
	}{
		{443, "", 443, 443, true},
		{1, "", 1, 1, true},
		{65535, "", 65535, 65535, true},
		{0, "", 0, 0, false},
		{65536, "", 65536, 65536, false},
		{-1, "", -1, -1, false},
		{0, "20-30", 20, 30, true},
		{0, "20-20", 20, 20, true},
		{0, "30-20", 30, 20, false},
		{0, "0-20", 0, 20, false},
		{0, "20-65536", 20, 65536, false},
		{0, "20", 20, 0, false},
		{0, "-", 0, 0, false},
		{0, "a-b", 0, 0, false},
		{443, "20-30", 20, 30, false},
	} {
		from, to, ok := graph.Listener{Port: c.port, PortRange: c.text}.Ports()
		require.Equal(t, c.ok, ok, "%d %q", c.port, c.text)
		require.Equal(t, c.from, from, "%d %q", c.port, c.text)
		require.Equal(t, c.to, to, "%d %q", c.port, c.text)
	}
}

// WireGuard brings everything with it: there is a port to set, and one only.
func TestTheRulesOfAWireGuardListener(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *graph.Listener)
		want   string
	}{
		"as it is":         {func(*graph.Listener) {}, ""},
		"none of each":     {func(l *graph.Listener) { l.Security, l.Flow, l.Transport = "none", "none", "raw" }, ""},
		"on tcp":           {func(l *graph.Listener) { l.L4 = "tcp" }, "invalid_value .l4"},
		"over ws":          {func(l *graph.Listener) { l.Transport = "ws" }, "transport_not_supported .transport"},
		"with tls":         {func(l *graph.Listener) { l.Security = graph.TLS }, "not_allowed_here .security"},
		"with reality":     {func(l *graph.Listener) { l.Reality = reality().Reality }, "not_allowed_here .security"},
		"with a method":    {func(l *graph.Listener) { l.Method = "2022-blake3-aes-128-gcm" }, "not_allowed_here .method"},
		"on many ports":    {func(l *graph.Listener) { l.Port, l.PortRange = 0, "1000-1010" }, "not_allowed_here .port_range"},
		"with vision":      {func(l *graph.Listener) { l.Flow = graph.Vision }, "not_allowed_here .flow"},
		"with obfuscation": {func(l *graph.Listener) { l.Obfs = "salamander" }, "not_allowed_here .obfs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := graph.Listener{Protocol: graph.WireGuard, Port: 51820}
			c.change(&l)
			want := []string{}
			if code, field, broken := strings.Cut(c.want, " "); broken {
				want = []string{code + " " + listenerPath + field}
			}
			require.Equal(t, want, codes(graph.Check(with(l))))
		})
	}
	f := graph.Listener{Protocol: graph.WireGuard, Port: 51820}.Filled()
	require.Equal(t, []string{"udp", "none", "raw", ""}, []string{f.L4, f.Security, f.Transport, f.Fingerprint})
}
