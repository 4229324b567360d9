// Package explain says which way the traffic to a destination takes through a flow, what nodes have seen of the pools
// on that way, and what a real client meets there.
package explain

import (
	"cmp"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// Drawings that can be explained.
const (
	Draft     = "draft"
	Installed = "installed"
)

// Explanation is the way that traffic to one destination takes.
type Explanation struct {
	Of       string        `json:"of" enum:"draft,installed"`
	Revision int           `json:"revision" doc:"Of the draft that is explained, or that the installed version was made of"`
	Steps    []ExplainStep `json:"steps"`
	Result   string        `json:"result" enum:"exit,direct,block,custom,unknown"`
	NodeID   string        `json:"node_id" doc:"Node that the traffic leaves from; empty where several members of a pool share it"`
	NodeName string        `json:"node_name"`
	Pools    []ExplainPool `json:"pools" doc:"That the way goes through, each followed by those that it falls back on"`

	ServedBy *ServedBy `json:"served_by,omitempty" doc:"Proxy panel whose node serves the entry; left out: our own agent does"`
}

// ServedBy is a proxy panel that serves an entry.
type ServedBy struct {
	ConnectionID string `json:"connection_id"`
	Connection   string `json:"connection" doc:"Its name; empty when the connection does not know the node any more"`
	NodeName     string `json:"node_name" doc:"Of the node there"`
}

// ExplainStep is one edge that was considered.
type ExplainStep struct {
	Edge   int    `json:"edge" doc:"Index into graph.edges"`
	From   string `json:"from"`
	To     string `json:"to"`
	Result string `json:"result" enum:"taken,passed_over,no_data"`
	Reason string `json:"reason"`
}

// ExplainPool is a pool on the way, as the nodes that forward to it have seen it last.
type ExplainPool struct {
	Block    string          `json:"block" doc:"Key of its block in the drawing"`
	PoolID   string          `json:"pool_id"`
	Name     string          `json:"name"`
	Strategy string          `json:"strategy"`
	Fallback string          `json:"fallback" enum:"block,direct,member,pool"`
	Choices  []ExplainChoice `json:"choices" doc:"Who carries the traffic, by the nodes that forward; empty while no node has said"`
	Members  []ExplainMember `json:"members"`
}

// ExplainChoice is the last switch on one node.
type ExplainChoice struct {
	NodeID         string    `json:"node_id"`
	NodeName       string    `json:"node_name"`
	Serves         string    `json:"serves" enum:"members,override,fallback"`
	ActiveMemberID string    `json:"active_member_id,omitempty" doc:"The member that carries it, where it is one alone"`
	ActiveName     string    `json:"active_name,omitempty" doc:"Node or flow of that member"`
	Usable         int       `json:"usable"`
	Reason         string    `json:"reason"`
	At             time.Time `json:"at"`
}

// ExplainMember is a member with the last evidence.
type ExplainMember struct {
	MemberID string            `json:"member_id"`
	NodeID   string            `json:"node_id" doc:"Empty: it is a flow"`
	NodeName string            `json:"node_name" doc:"Of its node or flow"`
	FlowID   string            `json:"flow_id" doc:"Flow that leads the traffic on by its own drawing; empty: it is a node"`
	Active   bool              `json:"active" doc:"On some node it alone carries the traffic"`
	Enabled  bool              `json:"enabled"`
	Drain    bool              `json:"drain"`
	Seen     []ExplainSighting `json:"seen"`
}

// ExplainSighting is what one node has seen of a member.
type ExplainSighting struct {
	NodeID   string    `json:"node_id"`
	NodeName string    `json:"node_name"`
	State    string    `json:"state" enum:"unknown,healthy,degraded,down"`
	RTTMs    int64     `json:"rtt_ms"`
	Reason   string    `json:"reason"`
	Error    string    `json:"error"`
	Held     bool      `json:"held"`
	Since    time.Time `json:"since"`
	At       time.Time `json:"at"`
}

// Steps are the considered edges of a trace.
func Steps(trace plan.Trace) []ExplainStep {
	out := make([]ExplainStep, len(trace.Steps))
	for i, step := range trace.Steps {
		out[i] = ExplainStep(step)
	}
	return out
}

// PoolIDs are the pools of a trace.
func PoolIDs(trace plan.Trace) []string {
	out := make([]string, len(trace.Pools))
	for i, way := range trace.Pools {
		out[i] = way.PoolID
	}
	return out
}

// NodeIDs are the nodes that views speak of.
func NodeIDs(views []flowsapi.PoolView) []string {
	var out []string
	for _, v := range views {
		for _, m := range v.Members {
			out = append(out, m.NodeID)
			for _, s := range m.Seen {
				out = append(out, s.NodeID)
			}
		}
		for _, c := range v.Choices {
			out = append(out, c.NodeID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// FlowIDs are the flows that are members in views.
func FlowIDs(views []flowsapi.PoolView) []string {
	var out []string
	for _, v := range views {
		for _, m := range v.Members {
			if m.FlowID != "" {
				out = append(out, m.FlowID)
			}
		}
	}
	return out
}

// Pools puts what is known of pools to the ways of a trace.
func Pools(flowID string, trace plan.Trace, views []flowsapi.PoolView, names map[string]string) []ExplainPool {
	out := []ExplainPool{}
	for _, way := range trace.Pools {
		into := plan.WayTag(flowID, way.From, way.To)
		for id, depth := way.PoolID, 0; id != "" && depth < plan.MaxPoolDepth; depth++ {
			at := slices.IndexFunc(views, func(v flowsapi.PoolView) bool { return v.ID == id })
			if at < 0 {
				break
			}
			out = append(out, pool(way.To, into, views[at], names))
			id = views[at].Fallback.PoolID
		}
	}
	return out
}

func pool(block, into string, view flowsapi.PoolView, names map[string]string) ExplainPool {
	p := ExplainPool{
		Block: block, PoolID: view.ID, Name: view.Name, Strategy: view.Strategy, Fallback: view.Fallback.Kind,
		Choices: []ExplainChoice{}, Members: []ExplainMember{},
	}
	nodes, active := map[string]string{}, map[string]bool{}
	for _, m := range view.Members {
		nodes[m.ID] = cmp.Or(m.FlowID, m.NodeID)
	}
	for _, c := range view.Choices {
		if plan.DrawnTag(c.Way) != into {
			continue
		}
		active[c.MemberID] = c.MemberID != ""
		p.Choices = append(p.Choices, ExplainChoice{
			NodeID: c.NodeID, NodeName: names[c.NodeID], Serves: c.Serves, ActiveMemberID: c.MemberID,
			ActiveName: names[nodes[c.MemberID]], Usable: c.Usable, Reason: c.Reason, At: c.At,
		})
	}
	for _, m := range view.Members {
		p.Members = append(p.Members, member(m, into, active[m.ID], names))
	}
	slices.SortStableFunc(p.Members, func(a, b ExplainMember) int { return cmp.Compare(a.NodeName, b.NodeName) })
	return p
}

func member(m flowsapi.MemberView, into string, active bool, names map[string]string) ExplainMember {
	out := ExplainMember{
		MemberID: m.ID, NodeID: m.NodeID, NodeName: names[cmp.Or(m.FlowID, m.NodeID)], FlowID: m.FlowID, Active: active,
		Enabled: m.Enabled, Drain: m.Drain, Seen: []ExplainSighting{},
	}
	for _, s := range m.Seen {
		if plan.DrawnTag(s.Way) == into {
			out.Seen = append(out.Seen, ExplainSighting{
				NodeID: s.NodeID, NodeName: names[s.NodeID], State: s.State, RTTMs: s.RTTMs, Reason: s.Reason,
				Error: s.Error, Held: s.Held, Since: s.Since, At: s.At,
			})
		}
	}
	return out
}

// Leaves is the node that traffic leaves from: that of the trace, or of the one member that carries the last pool's
// traffic. It is empty where that is not one alone.
func Leaves(trace plan.Trace, pools []ExplainPool) string {
	if trace.NodeID != "" || len(trace.Pools) == 0 {
		return trace.NodeID
	}
	last, out := trace.Pools[len(trace.Pools)-1].To, ""
	for _, p := range pools {
		if p.Block != last {
			continue
		}
		for _, c := range p.Choices {
			at := slices.IndexFunc(p.Members, func(m ExplainMember) bool { return m.MemberID == c.ActiveMemberID })
			switch {
			case at < 0 && c.Serves == agentapi.PoolServesFallback && p.Fallback == flowsapi.FallbackPool:
			case at < 0, p.Members[at].FlowID != "", out != "" && out != p.Members[at].NodeID:
				return ""
			default:
				out = p.Members[at].NodeID
			}
		}
	}
	return out
}

// MemberNodes are the nodes of the members of all pools on a way.
func MemberNodes(e Explanation) []string {
	var out []string
	for _, p := range e.Pools {
		for _, m := range p.Members {
			out = append(out, m.NodeID)
		}
	}
	return out
}

// Met is the node that traffic was seen to leave from: the one with the address that a client was seen with, where that
// is a member of a pool on the way; else the one that it leaves from by what is known.
func Met(e Explanation, exitIP string, nodes map[string]nodesapi.Node) string {
	if len(e.Pools) == 0 || exitIP == "" {
		return e.NodeID
	}
	for _, id := range MemberNodes(e) {
		if n := nodes[id]; n.Address == exitIP || slices.Contains(n.Addresses, exitIP) {
			return id
		}
	}
	return e.NodeID
}

// Drawn lists the nodes that blocks of a drawing stand on.
func Drawn(g graph.Graph) (ids []string) {
	for _, block := range g.Nodes {
		if block.NodeID != "" {
			ids = append(ids, block.NodeID)
		}
	}
	return ids
}

// Elsewhere names the node of a flow whose address the traffic had, where its way does not lead to that node.
func Elsewhere(e Explanation, exitIP string, nodes map[string]nodesapi.Node, drawn []string) string {
	ends := append(MemberNodes(e), e.NodeID)
	held := func(id string) bool {
		n := nodes[id]
		return exitIP != "" && (n.Address == exitIP || slices.Contains(n.Addresses, exitIP))
	}
	at := slices.IndexFunc(drawn, held)
	if at < 0 || slices.ContainsFunc(ends, held) {
		return ""
	}
	return nodes[drawn[at]].Name
}
