package plan

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
)

// Destination is where traffic wants to go, as far as it is known.
type Destination struct {
	Domain   string
	IP       string
	Port     int
	Protocol string
}

// Trace is the way a destination takes through a drawing.
type Trace struct {
	Steps  []TraceStep
	Result string // exit, direct, block or unknown
	NodeID string // node that the traffic leaves from; empty where a member of the last pool is that
	Pools  []Way  // that it goes through, in this order
}

// Way is that of traffic into a pool.
type Way struct {
	From, To string // blocks
	PoolID   string
}

// TraceStep is one edge that was considered, by its place in the drawing.
type TraceStep struct {
	Edge   int
	From   string
	To     string
	Result string // taken, passed_over or no_data
	Reason string
}

// Explain follows a destination from an entry; from the first one when none is named. Where a rule needs what is not
// known, it says so and does not guess.
func Explain(g graph.Graph, entry string, d Destination) Trace {
	t := Trace{Result: "unknown"}
	at, from := g.Find(entry), ""
	if entry == "" {
		at = slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.Kind == graph.Entry })
	}
	for depth := 0; at >= 0 && depth <= graph.MaxDepth; depth++ {
		n := g.Nodes[at]
		switch {
		case n.Kind == graph.TransitPool:
			t.NodeID = ""
			t.Pools = append(t.Pools, Way{From: from, To: n.Key, PoolID: n.PoolID})
		case n.NodeID != "":
			t.NodeID = n.NodeID
		}
		if n.Kind.Terminal() {
			t.Result = string(n.Kind)
			return t
		}
		at, from = t.choose(g, n.Key, d), n.Key
	}
	return t
}

// ExplainRest follows what no rule chooses from an entry.
func ExplainRest(g graph.Graph, entry string) Trace {
	g.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return !e.Match.Empty() })
	return Explain(g, entry, Destination{})
}

func (t *Trace) choose(g graph.Graph, from string, d Destination) int {
	type numbered struct {
		graph.Edge
		i int
	}
	var edges []numbered
	for i, e := range g.Edges {
		if e.From == from {
			edges = append(edges, numbered{e, i})
		}
	}
	slices.SortStableFunc(edges, func(a, b numbered) int { return graph.Compare(a.Edge, b.Edge) })
	for _, e := range edges {
		result, reason := matches(e.Match, d)
		t.Steps = append(t.Steps, TraceStep{Edge: e.i, From: e.From, To: e.To, Result: result, Reason: reason})
		if result != "passed_over" {
			if result == "no_data" {
				return -1
			}
			return g.Find(e.To)
		}
	}
	return -1
}

func matches(m *graph.Match, d Destination) (result, reason string) {
	if m.Empty() {
		return "taken", "takes everything that no other edge chose"
	}
	for _, check := range []func(*graph.Match, Destination) (string, string){byPort, byProtocol, byPlace} {
		if result, reason := check(m, d); result != "" {
			return result, reason
		}
	}
	return "taken", "every condition holds"
}

func byPort(m *graph.Match, d Destination) (string, string) {
	switch {
	case m.Port == "":
		return "", ""
	case d.Port == 0:
		return "no_data", "the edge asks for the port"
	case !inPorts(m.Port, d.Port):
		return "passed_over", "another port"
	}
	return "", ""
}

func inPorts(list string, port int) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(part string) bool {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		from, errA := strconv.Atoi(a)
		to, errB := strconv.Atoi(b)
		return errA == nil && errB == nil && from <= port && port <= to
	})
}

func byProtocol(m *graph.Match, d Destination) (string, string) {
	switch {
	case len(m.Protocol) == 0:
		return "", ""
	case d.Protocol == "":
		return "no_data", "the edge asks for the protocol"
	case !slices.Contains(m.Protocol, d.Protocol):
		return "passed_over", "another protocol"
	}
	return "", ""
}

func byPlace(m *graph.Match, d Destination) (string, string) {
	names, nets := len(m.Domain)+len(m.Geosite) > 0, len(m.IP)+len(m.GeoIP) > 0
	if !names && !nets || inDomains(m.Domain, d.Domain) || inNets(m.IP, d.IP) {
		return "", ""
	}
	if len(m.Geosite)+len(m.GeoIP) > 0 {
		return "no_data", "the edge asks for a category, and its contents are on the node"
	}
	if names && d.Domain == "" || nets && d.IP == "" {
		return "no_data", "the edge asks for a name or an address that was not given"
	}
	return "passed_over", "another destination"
}

func inDomains(list []string, name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name != "" && slices.ContainsFunc(list, func(pattern string) bool { return domainMatches(pattern, name) })
}

func domainMatches(pattern, name string) bool {
	kind, rest, found := strings.Cut(pattern, ":")
	if !found {
		kind, rest = "domain", pattern
	}
	if kind == "regexp" { // its case is a part of it
		return graph.MatchesExpression(rest, name)
	}
	switch rest = strings.ToLower(rest); kind {
	case "full":
		return name == rest
	case "domain":
		return name == rest || strings.HasSuffix(name, "."+rest)
	case "keyword":
		return strings.Contains(name, rest)
	}
	return false
}

func inNets(list []string, ip string) bool {
	a, err := netip.ParseAddr(ip)
	return err == nil && slices.ContainsFunc(list, func(text string) bool {
		p, err := graph.ParsePrefix(text)
		return err == nil && p.Contains(a.Unmap())
	})
}
