package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

func entered(l graph.Listener, m *graph.Match) graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: "n", Params: graph.Params{Listener: &l}},
			{Key: "stop", Kind: graph.Block},
			{Key: "out", Kind: graph.Direct},
		},
		Edges: []graph.Edge{{From: "in", To: "stop", Match: m}, {From: "in", To: "out", Priority: 1}},
	}
}

func overXHTTP(e graph.Extra) graph.Listener {
	return graph.Listener{
		Protocol: "vless", Port: 443, Transport: "xhttp", Extra: &e, Reality: &graph.Reality{Target: "www.example.org:443"},
	}
}

var torrents = &graph.Match{Protocol: []string{"bittorrent"}}

func codesAt(problems []graph.Problem) map[string]string {
	out := map[string]string{}
	for _, p := range problems {
		out[p.Path] = p.Code
	}
	return out
}

// The further settings of xhttp are ranges that the core reads; what it would refuse at its start is a problem of the
// drawing, at its field.
func TestExtraSettingsOfXHTTPAreRanges(t *testing.T) {
	t.Parallel()
	const at = "nodes[0].params.listener.extra"
	require.Empty(t, graph.Check(entered(overXHTTP(graph.Extra{
		PaddingBytes: "100-1000", MaxEachPostBytes: "1000000", MinPostsIntervalMs: "10-50", MaxBufferedPosts: 30,
		StreamUpServerSecs: "20-80",
		Xmux:               &graph.Xmux{MaxConcurrency: "16-32", MaxConnections: "0", KeepAliveSeconds: -1},
	}), torrents)))
	for _, text := range []string{"0", "-1", "5-1", "1-2-3", "1-", "a", "1 - 2", "99999999999999999999", "70000"} {
		found := codesAt(graph.Check(entered(overXHTTP(graph.Extra{PaddingBytes: text}), torrents)))
		require.Equal(t, map[string]string{at + ".x_padding_bytes": "invalid_value"}, found, text)
	}
	found := codesAt(graph.Check(entered(overXHTTP(graph.Extra{
		MaxBufferedPosts: -1, MaxEachPostBytes: "0", MinPostsIntervalMs: "70000", StreamUpServerSecs: "4000",
		Xmux: &graph.Xmux{MaxConcurrency: "1", MaxConnections: "1", KeepAliveSeconds: -2, MaxReuseTimes: "x"},
	}), torrents)))
	require.Equal(t, map[string]string{
		at + ".sc_max_buffered_posts": "invalid_value", at + ".sc_max_each_post_bytes": "invalid_value",
		at + ".sc_min_posts_interval_ms": "invalid_value", at + ".sc_stream_up_server_secs": "invalid_value",
		at + ".xmux.max_connections": "invalid_value", at + ".xmux.h_keep_alive_period": "invalid_value",
		at + ".xmux.c_max_reuse_times": "invalid_value",
	}, found)
	raw := overXHTTP(graph.Extra{NoGRPCHeader: true})
	raw.Transport = "raw"
	require.Equal(t, map[string]string{at: "not_allowed_here"}, codesAt(graph.Check(entered(raw, torrents))))
}

// A rule that chooses by protocol on a listener that does not look for one would never fit and say nothing.
func TestARuleByProtocolNeedsSniffing(t *testing.T) {
	t.Parallel()
	for sniffing, want := range map[string]map[string]string{
		"": {}, "auto": {}, "on": {}, "off": {"edges[0].match.protocol": "sniffing_off"},
		"never": {"nodes[0].params.listener.sniffing": "invalid_value"},
	} {
		l := overXHTTP(graph.Extra{})
		l.Sniffing = sniffing
		require.Equal(t, want, codesAt(graph.Check(entered(l, torrents))), sniffing)
	}
	l := overXHTTP(graph.Extra{})
	l.Sniffing = "off"
	require.Empty(t, graph.Check(entered(l, &graph.Match{Domain: []string{"example.org"}})), "programs send names")
}

// The public half of an own key has the length of a key.
func TestAPublicKeyIsOne(t *testing.T) {
	t.Parallel()
	for text, wrong := range map[string]bool{
		"jCVUNkUUIkD3NcmbOZ6ZBv1v2ebnVBLVOS5EX9FLsG4": false, "": false, "x": true,
		"jCVUNkUUIkD3NcmbOZ6ZBv1v2ebnVBLVOS5EX9FLsG4=": true, "jCVU": true,
	} {
		l := overXHTTP(graph.Extra{})
		l.Reality.PublicKey = text
		found := codesAt(graph.Check(entered(l, torrents)))
		require.Equal(t, wrong, found["nodes[0].params.listener.reality.public_key"] != "", text)
	}
}
