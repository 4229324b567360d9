package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

const (
	connection = "0190a000-0000-7000-8000-00000000c011"
	squad      = "0190a000-0000-4000-8000-00000000a001"
)

// offered is a sound drawing whose entry a proxy panel serves.
func offered() graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: "a", Params: graph.Params{
				Listener:   reality(),
				ProxyPanel: &graph.ProxyPanel{ConnectionID: connection, SquadIDs: []string{squad}, Remark: "Europe 🇪🇺"},
			}},
			{Key: "out", Kind: graph.Exit, NodeID: "b"},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
}

func told(problems []graph.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.Code+" "+p.Path)
	}
	return out
}

// An entry may be given to a proxy panel for the users of some squads, as far as they can use it there.
func TestAProxyPanelServesWhatItsUsersCanUse(t *testing.T) {
	t.Parallel()
	many := make([]string, graph.MaxSquads+1)
	for i := range many {
		many[i] = fmt.Sprintf("0190a000-0000-4000-8000-0000000%05d", i)
	}
	const panel, listener = "nodes[0].params.proxypanel", "nodes[0].params.listener"
	for name, c := range map[string]struct {
		change func(n *graph.Node)
		want   []string
	}{
		"as it is":                 {func(*graph.Node) {}, []string{}},
		"no connection":            {func(n *graph.Node) { n.Params.ProxyPanel.ConnectionID = "" }, []string{"invalid_value " + panel + ".connection_id"}},
		"no squad":                 {func(n *graph.Node) { n.Params.ProxyPanel.SquadIDs = nil }, []string{"invalid_value " + panel + ".squad_ids"}},
		"many squads":              {func(n *graph.Node) { n.Params.ProxyPanel.SquadIDs = many }, []string{"invalid_value " + panel + ".squad_ids"}},
		"as many squads as may be": {func(n *graph.Node) { n.Params.ProxyPanel.SquadIDs = many[1:] }, []string{}},
		"a squad by its name": {
			func(n *graph.Node) { n.Params.ProxyPanel.SquadIDs = []string{squad, "Europe"} },
			[]string{"invalid_value " + panel + ".squad_ids[1]"},
		},
		"a squad twice": {
			func(n *graph.Node) { n.Params.ProxyPanel.SquadIDs = []string{squad, squad} },
			[]string{"invalid_value " + panel + ".squad_ids[1]"},
		},
		"a long remark":        {func(n *graph.Node) { n.Params.ProxyPanel.Remark = strings.Repeat("я", 101) }, []string{"invalid_value " + panel + ".remark"}},
		"a remark of 100":      {func(n *graph.Node) { n.Params.ProxyPanel.Remark = strings.Repeat("я", 100) }, []string{}},
		"a remark of lines":    {func(n *graph.Node) { n.Params.ProxyPanel.Remark = "a\nb" }, []string{"invalid_value " + panel + ".remark"}},
		"a remark with an end": {func(n *graph.Node) { n.Params.ProxyPanel.Remark = "a " }, []string{"invalid_value " + panel + ".remark"}},
		"TLS": {
			func(n *graph.Node) { n.Params.Listener.Security, n.Params.Listener.Reality = graph.TLS, nil },
			[]string{"panel_protocol_unsupported " + listener + ".security"},
		},
		"nothing around it": {func(n *graph.Node) {
			n.Params.Listener = &graph.Listener{Protocol: "vless", Port: 80, Security: "none", Transport: "ws"}
		}, []string{}},
		"REALITY without vision": {
			func(n *graph.Node) { n.Params.Listener.Flow = "none" },
			[]string{"panel_protocol_unsupported " + listener + ".flow"},
		},
		"no listener": {func(n *graph.Node) { n.Params.Listener = nil }, []string{"listener_required " + listener}},
		"a range": {
			func(n *graph.Node) { n.Params.Listener.Port, n.Params.Listener.PortRange = 0, "443-445" },
			[]string{"not_allowed_here " + listener + ".port_range"},
		},
		"a port that is none": {func(n *graph.Node) { n.Params.Listener.Port = 0 }, []string{"invalid_value " + listener + ".port"}},
	} {
		g := offered()
		c.change(&g.Nodes[0])
		require.Equal(t, c.want, told(graph.Check(g)), name)
	}
	for _, protocol := range []string{"trojan", "vmess", "hysteria2", "shadowsocks2022", "wireguard"} {
		g := offered()
		g.Nodes[0].Params.Listener = &graph.Listener{Protocol: protocol, Port: 443}
		require.Equal(t, []string{"panel_protocol_unsupported " + listener + ".protocol"}, told(graph.Check(g)), protocol)
	}
}

// Nothing but an entry is served by a proxy panel; its core chooses among no members of pools, and reaches a transit of
// ours on the same machine.
func TestWhereAServedEntryLeads(t *testing.T) {
	t.Parallel()
	g := offered()
	g.Nodes[1].Params.ProxyPanel = g.Nodes[0].Params.ProxyPanel
	require.Equal(t, []string{"not_allowed_here nodes[1].params.proxypanel"}, told(graph.Check(g)))

	g = offered()
	g.Nodes[1] = graph.Node{Key: "out", Kind: graph.TransitPool, PoolID: "p"}
	g.Nodes = append(g.Nodes, graph.Node{Key: "end", Kind: graph.Direct})
	g.Edges = append(g.Edges, graph.Edge{From: "out", To: "end"})
	require.Equal(t, []string{"panel_pool_unsupported edges[0].to"}, told(graph.Check(g)))

	g.Nodes = append(g.Nodes, graph.Node{Key: "mine", Kind: graph.Transit, NodeID: "a"})
	g.Edges[0].To = "mine"
	g.Edges = append(g.Edges, graph.Edge{From: "mine", To: "out"})
	require.Empty(t, graph.Check(g), "a transit of ours on the same machine leads on to the pool")
	g.Nodes[0].Params.ProxyPanel = nil
	require.Equal(t, []string{"hop_to_itself edges[0].to"}, told(graph.Check(g)), "our own core needs none")
}

// An entry by vless alone lets everybody read along: no agent of ours serves that, whatever stands before it.
func TestOurOwnEntryIsNeverUnencrypted(t *testing.T) {
	t.Parallel()
	g := offered()
	g.Nodes[0].Params.Listener = &graph.Listener{Protocol: "vless", Port: 80, Security: "none"}
	second := g.Nodes[0]
	second.Key, second.Params.ProxyPanel = "second", nil
	g.Nodes = append(g.Nodes, second)
	g.Edges = append(g.Edges, graph.Edge{From: "second", To: "out"})
	require.Equal(t, []string{"security_required nodes[2].params.listener.security"}, told(graph.Check(g)))
}
