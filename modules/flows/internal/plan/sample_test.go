package plan_test

import (
	"bytes"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

const (
	flowID = "0190a000-0000-7000-8000-00000000f10e"
	nodeA  = "0190a000-0000-7000-8000-00000000000a"
	nodeB  = "0190a000-0000-7000-8000-00000000000b"
)

var root = bytes.Repeat([]byte{7}, 32)

func vless(port int) *graph.Listener {
	return &graph.Listener{Protocol: "vless", Port: port, Reality: &graph.Reality{Target: "www.example.org:443"}}
}

// across enters on one node and leaves on another.
func across() graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(443)}},
			{Key: "out", Kind: graph.Exit, NodeID: nodeB},
			{Key: "here", Kind: graph.Direct},
			{Key: "stop", Kind: graph.Block},
		},
		Edges: []graph.Edge{
			{
				From:     "in",
				To:       "here",
				Priority: 1,
				Match:    &graph.Match{Domain: []string{"example.net"}, IP: []string{"10.1.0.0/16", "203.0.113.0/24"}},
			},
			{From: "in", To: "stop", Priority: 2, Match: &graph.Match{Port: "25"}},
			{From: "in", To: "out"},
		},
	}
}

func input(g graph.Graph) plan.Input {
	return plan.Input{
		FlowID:   flowID,
		Revision: 1,
		Graph:    g,
		Root:     root,
		Clients: []plan.Client{
			{ID: "c1", Label: "Anna", UUID: "6ba7b810-9dad-41d1-80b4-00c04fd430c8", Key: bytes.Repeat([]byte{9}, 32)},
		},
		Nodes: map[string]plan.Node{
			nodeA: {ID: nodeA, Name: "fra-01", Address: "192.0.2.1", Core: "26.3.27"},
			nodeB: {ID: nodeB, Name: "ams-01", Address: "192.0.2.2", Core: "26.3.27"},
		},
		Reflector: plan.Endpoint{Host: "198.51.100.7", Port: 8080},
	}
}
