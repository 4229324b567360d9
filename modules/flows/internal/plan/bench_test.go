package plan_test

import (
	"fmt"
	"testing"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// star enters on one node and leaves, by destination, on each of the others.
func star(flow, first, servers int) plan.Input {
	id := func(server int) string { return fmt.Sprintf("0190a000-0000-7000-8000-%012d", server) }
	in := input(
		graph.Graph{
			Nodes: []graph.Node{{
				Key: "in", Kind: graph.Entry, NodeID: id(first),
				Params: graph.Params{Listener: vless(443)},
			}},
		},
	)
	in.FlowID = fmt.Sprintf("0190a000-0000-7000-9000-%012d", flow)
	in.Nodes = map[string]plan.Node{}
	for i := range servers {
		server := id(first + i)
		in.Nodes[server] = plan.Node{
			ID: server, Name: server, Address: "192.0.2.1", Core: "26.3.27",
			Others: held(server),
		}
		if i == 0 {
			continue
		}
		key := fmt.Sprintf("out%d", i)
		in.Graph.Nodes = append(in.Graph.Nodes, graph.Node{Key: key, Kind: graph.Exit, NodeID: server})
		edge := graph.Edge{
			From:     "in",
			To:       key,
			Priority: i,
			Match:    &graph.Match{Domain: []string{fmt.Sprintf("site%d.example", i)}},
		}
		if i == servers-1 {
			edge.Match = nil
		}
		in.Graph.Edges = append(in.Graph.Edges, edge)
	}
	return in
}

// held is what two other flows have installed on a node.
func held(server string) []plan.Fragment {
	var others []plan.Fragment
	for i := range 2 {
		flow, port := fmt.Sprintf("other%d", i), 8443+i
		listens := []plan.Listen{{FlowID: flow, L4: "tcp", IP: "0.0.0.0", From: port, To: port}}
		others = append(others, reread([]plan.Fragment{{FlowID: flow, NodeID: server, Listens: listens}}))
	}
	return others
}

func compiles(b *testing.B, inputs []plan.Input) {
	b.ReportAllocs()
	for b.Loop() {
		for _, in := range inputs {
			if r := plan.Compile(in); len(r.Plan.Errors)+len(r.Plan.Conflicts) > 0 {
				b.Fatal(r.Plan.Errors, r.Plan.Conflicts)
			}
		}
	}
}

// The whole fleet: flows of ten nodes each. Time must follow the size of the fleet.
func BenchmarkCompileFleet(b *testing.B) {
	for _, servers := range []int{500, 1000, 2000, 4000} {
		b.Run(fmt.Sprint(servers), func(b *testing.B) { compiles(b, fleetOf(servers)) })
	}
}

func fleetOf(servers int) (inputs []plan.Input) {
	const perFlow = 10
	for first := 0; first < servers; first += perFlow {
		inputs = append(inputs, star(first, first, perFlow))
	}
	return inputs
}

// One node of a fleet moves to another address: the flow that it belongs to is compiled, and no other one.
func BenchmarkCompileChange(b *testing.B) {
	for _, servers := range []int{1000, 4000} {
		b.Run(fmt.Sprint(servers), func(b *testing.B) {
			inputs, memo := fleetOf(servers), plan.NewMemo(2*servers)
			for _, in := range inputs {
				memo.Compile(in)
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				in := inputs[n%len(inputs)]
				for id, node := range in.Nodes {
					node.Address = fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
					in.Nodes[id] = node
					break
				}
				if r := memo.Compile(in); len(r.Plan.Errors)+len(r.Plan.Conflicts) > 0 {
					b.Fatal(r.Plan.Errors, r.Plan.Conflicts)
				}
			}
		})
	}
}

// A large flow is asked for again, as it is.
func BenchmarkCompileAgain(b *testing.B) {
	in, memo := chained(4000), plan.NewMemo(5000)
	memo.Compile(in)
	b.ReportAllocs()
	for b.Loop() {
		memo.Compile(in)
	}
}

// One flow that leaves through pools of more and more members.
func BenchmarkCompilePools(b *testing.B) {
	for _, members := range []int{500, 1000, 2000, 4000} {
		b.Run(fmt.Sprint(members), func(b *testing.B) { compiles(b, []plan.Input{chained(members)}) })
	}
}

// One flow that grows to the most blocks that a flow may have.
func BenchmarkCompileFlow(b *testing.B) {
	for _, servers := range []int{25, 50, 100, 200} {
		b.Run(fmt.Sprint(servers), func(b *testing.B) { compiles(b, []plan.Input{star(1, 0, servers)}) })
	}
}

// A flow whose entry has its clients in its configuration. Time must follow their number.
func BenchmarkCompileClients(b *testing.B) {
	for _, clients := range []int{6250, 12_500, 25_000, 50_000} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			in := star(1, 0, 2)
			in.Clients = make([]plan.Client, clients)
			for i := range in.Clients {
				id := fmt.Sprintf("0190a000-0000-7000-a000-%012d", i)
				in.Clients[i] = plan.Client{ID: id, Label: id, UUID: id, Key: root}
			}
			compiles(b, []plan.Input{in})
		})
	}
}
