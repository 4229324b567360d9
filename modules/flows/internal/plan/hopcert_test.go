package plan_test

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

func hopping(hop graph.Listener, transport string) plan.Input {
	in := input(across())
	for i := range in.Graph.Nodes {
		if in.Graph.Nodes[i].Kind == graph.Exit {
			in.Graph.Nodes[i].Params.Hop = &hop
		}
	}
	for i := range in.Graph.Edges {
		if k := in.Graph.Find(in.Graph.Edges[i].To); in.Graph.Nodes[k].Kind == graph.Exit {
			in.Graph.Edges[i].Transport = transport
		}
	}
	return in
}

// A node that others forward to over TLS shows a certificate that they know by its digest. It is the same whenever the
// drawing is compiled, so that nothing is installed for it, and its key is shown to nobody.
func TestNodesKnowEachOthersCertificates(t *testing.T) {
	t.Parallel()
	r := plan.Compile(hopping(graph.Listener{Protocol: "trojan"}, ""))
	require.Empty(t, r.Plan.Errors)
	var shown, pinned string
	for _, f := range r.Fragments {
		for _, in := range f.Inbounds {
			if in.Protocol == "trojan" {
				held := in.Stream.TLS.Certificates[0]
				pair, err := tls.X509KeyPair([]byte(strings.Join(held.Lines, "\n")), []byte(strings.Join(held.KeyLines, "\n")))
				require.NoError(t, err)
				sum := sha256.Sum256(pair.Certificate[0])
				shown = hex.EncodeToString(sum[:])
				masked, err := plan.Masked(plan.Render([]plan.Fragment{f}))
				require.NoError(t, err)
				text, err := json.Marshal(masked)
				require.NoError(t, err)
				require.NotContains(t, string(text), held.KeyLines[1])
			}
		}
		for _, out := range f.Outbounds {
			if out.Protocol == "trojan" {
				pinned = out.Stream.TLS.Pinned
			}
		}
	}
	require.NotEmpty(t, shown)
	require.Equal(t, shown, pinned)
	require.Equal(t, r.Plan.Hash, plan.Compile(hopping(graph.Listener{Protocol: "trojan"}, "")).Plan.Hash)
}

// What carries an edge must be something that the block at its end can speak.
func TestAnEdgeIsCarriedByWhatItsEndSpeaks(t *testing.T) {
	t.Parallel()
	reality := graph.Listener{Protocol: "vless", Reality: &graph.Reality{Target: "www.example.org:443"}}
	for _, c := range []struct {
		hop       graph.Listener
		transport string
		code      string
	}{
		{graph.Listener{Protocol: "trojan"}, "ws", ""},
		{graph.Listener{Protocol: "vless", Security: graph.TLS}, "httpupgrade", ""},
		{graph.Listener{Protocol: "vmess", Security: "none"}, "grpc", ""},
		{graph.Listener{Protocol: "hysteria2"}, "", ""},
		{reality, "xhttp", ""},
		{reality, "ws", "transport_not_supported"},
		{graph.Listener{Protocol: "shadowsocks2022"}, "ws", "transport_not_supported"},
		{graph.Listener{Protocol: "hysteria2"}, "xhttp", "invalid_value"},
	} {
		var codes []string
		for _, e := range plan.Compile(hopping(c.hop, c.transport)).Plan.Errors {
			codes = append(codes, e.Code)
		}
		require.Equal(t, c.code, strings.Join(codes, " "), "%s over %s", c.hop.Protocol, c.transport)
	}
}
