package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

// Each condition of a rule is read as it will be matched; the first value that cannot be is named by its place.
func TestTheConditionsOfARule(t *testing.T) {
	t.Parallel()
	type match = graph.Match
	for name, c := range map[string]struct {
		match match
		want  []string
	}{
		"names": {match{Domain: []string{
			"example.org", "domain:example.org", "full:www.example.org",
			"keyword:ads", "regexp:^a",
		}}, nil},
		"a name of one part": {match{Domain: []string{"localhost"}}, nil},
		"underscores":        {match{Domain: []string{"_dmarc.example.org"}}, nil},
		"a space before":     {match{Domain: []string{"example.org", " youtube.com"}}, []string{".domain[1]"}},
		"a scheme":           {match{Domain: []string{"https://example.org"}}, []string{".domain[0]"}},
		"a wildcard":         {match{Domain: []string{"*.example.org"}}, []string{".domain[0]"}},
		"an unknown prefix":  {match{Domain: []string{"suffix:example.org"}}, []string{".domain[0]"}},
		"an empty keyword":   {match{Domain: []string{"keyword:"}}, []string{".domain[0]"}},
		"an empty name":      {match{Domain: []string{""}}, []string{".domain[0]"}},
		"two wrong names": {match{Domain: []string{"a b", "good.example", "c d"}}, []string{
			".domain[0]",
			".domain[2]",
		}},
		"addresses":            {match{IP: []string{"192.0.2.1", "10.0.0.0/8", "2001:db8::/32", "::1"}}, nil},
		"a name as address":    {match{IP: []string{"example.org"}}, []string{".ip[0]"}},
		"too many bits":        {match{IP: []string{"10.0.0.0/33"}}, []string{".ip[0]"}},
		"an address in a zone": {match{IP: []string{"fe80::1%eth0"}}, []string{".ip[0]"}},
		"half an address":      {match{IP: []string{"10.0"}}, []string{".ip[0]"}},
		"categories": {
			match{Geosite: []string{"category-ads@cn", "!cn"}, GeoIP: []string{"private"}},
			nil,
		},
		"a category with a space": {match{Geosite: []string{"a b"}, GeoIP: []string{""}}, []string{
			".geosite[0]",
			".geoip[0]",
		}},
		"protocols":           {match{Protocol: []string{"http", "tls", "quic", "bittorrent"}}, nil},
		"an unknown protocol": {match{Protocol: []string{"tls", "ssh"}}, []string{".protocol[1]"}},
		"ports":               {match{Port: "80,443,1000-2000"}, nil},
		"the last port":       {match{Port: "65535"}, nil},
		"no port":             {match{Port: "0"}, []string{".port"}},
		"beyond the last":     {match{Port: "65536"}, []string{".port"}},
		"a range backwards":   {match{Port: "20-10"}, []string{".port"}},
		"an empty part":       {match{Port: "80,,443"}, []string{".port"}},
		"a sign":              {match{Port: "+80"}, []string{".port"}},
		"a space":             {match{Port: "80, 443"}, []string{".port"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sound()
			g.Nodes = append(g.Nodes, graph.Node{Key: "stop", Kind: graph.Block})
			g.Edges = append(g.Edges, graph.Edge{From: "in", To: "stop", Match: &c.match})
			want := []string{}
			for _, field := range c.want {
				want = append(want, "invalid_value edges[1].match"+field)
			}
			require.Equal(t, want, codes(graph.Check(g)))
		})
	}
}

// An address is the network of itself, an IPv4 address in the form of IPv6 is the IPv4 address, and host bits are cut.
func TestAnAddressIsReadAsANetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "2001:db8::1": "2001:db8::1/128", "10.1.2.3/8": "10.0.0.0/8",
		"2001:db8::1/32":   "2001:db8::/32",
		"::ffff:192.0.2.1": "192.0.2.1/32", "0.0.0.0/0": "0.0.0.0/0", "::/0": "::/0",
	} {
		p, err := graph.ParsePrefix(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p.String())
	}
	for _, text := range []string{"", "a", "10.0.0.0/33", "::ffff:0:0/96", "fe80::1%eth0", "10.0.0.0/", "/8"} {
		_, err := graph.ParsePrefix(text)
		require.ErrorContains(t, err, "write 192.0.2.1", text)
	}
}

// A match without any condition takes everything, as none does.
func TestAnEmptyMatchTakesEverything(t *testing.T) {
	t.Parallel()
	require.True(t, (*graph.Match)(nil).Empty())
	require.True(t, (&graph.Match{Domain: []string{}, IP: nil}).Empty())
	for _, m := range []graph.Match{
		{Geosite: []string{"cn"}},
		{GeoIP: []string{"cn"}},
		{Domain: []string{"a"}},
		{IP: []string{"::1"}},
		{Port: "1"},
		{Protocol: []string{"tls"}},
	} {
		require.False(t, m.Empty(), "%+v", m)
	}
}

// What no entry leads to stays in the draft and out of the plan; a circle beside the way does not keep it from being
// found.
func TestBlocksThatNoEntryLeadsTo(t *testing.T) {
	t.Parallel()
	require.Empty(t, graph.Unreached(sound()))
	g := sound()
	g.Nodes = append(g.Nodes,
		graph.Node{Key: "x", Kind: graph.Transit, NodeID: "c"}, graph.Node{Key: "y", Kind: graph.Transit, NodeID: "d"},
		graph.Node{Key: "in2", Kind: graph.Entry}, graph.Node{Key: "far", Kind: graph.Block})
	g.Edges = append(
		g.Edges,
		graph.Edge{From: "x", To: "y"},
		graph.Edge{From: "y", To: "x"},
		graph.Edge{From: "in2", To: "far"},
	)
	require.Equal(t, []int{2, 3}, graph.Unreached(g))
	require.Empty(t, graph.Unreached(graph.Graph{}))
}

// The nodes of a drawing are listed once each, as they were drawn; blocks that act where the traffic is have none.
func TestTheNodesOfADrawing(t *testing.T) {
	t.Parallel()
	g := graph.Graph{Nodes: []graph.Node{
		{Key: "b", Kind: graph.Entry, NodeID: "waw"},
		{Key: "a", Kind: graph.Exit, NodeID: "ams"},
		{Key: "c", Kind: graph.Transit, NodeID: "waw"},
		{Key: "d", Kind: graph.Direct, NodeID: "odd"},
		{Key: "e", Kind: graph.Exit},
	}}
	require.Equal(t, []string{"waw", "ams"}, g.NodeIDs())
	require.Equal(t, 2, g.Find("c"))
	require.Equal(t, -1, g.Find("z"))
	for kind, want := range map[graph.Kind][2]bool{
		graph.Entry: {true, false}, graph.Transit: {true, false}, graph.Exit: {true, true}, graph.Direct: {false, true},
		graph.Block: {false, true}, graph.TransitPool: {false, false}, graph.Custom: {false, true},
	} {
		require.Equal(t, want, [2]bool{kind.NeedsNode(), kind.Terminal()}, kind)
	}
}
