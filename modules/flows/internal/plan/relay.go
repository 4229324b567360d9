package plan

import (
	"cmp"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// A member of a pool may be a flow. Whatever forwards to it dials an entry of what is installed of that flow, as a
// client of its own for each pool, and the drawing of that flow leads the traffic on.

// Relay is a flow as a member of pools.
type Relay struct {
	FlowID  string `json:"flow_id"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"` // that is installed; empty: there is no way into the flow
	Block   string `json:"block,omitempty"`   // key of its entry
	Host    string `json:"host,omitempty"`    // that clients of the entry dial

	entry relayEntry
}

// relayEntry is what the way into a relay is made of. It is secret, and never another without another version.
type relayEntry struct {
	root   []byte
	name   string // that the entry answers to with TLS
	listen graph.Listener
}

// Opened is a relay with what is needed to dial it: the root secret of its flow, and its listener with its own secret.
func (r Relay) Opened(root []byte, name string, l graph.Listener) Relay {
	r.entry = relayEntry{root: root, name: name, listen: l.Filled()}
	return r
}

// Feeder is a pool that the compiled flow is a member of.
type Feeder struct {
	PoolID string `json:"pool_id"`
	Name   string `json:"name"`
}

// RelayEntry finds the entry by which pools reach a flow: the first one that a core can dial and that leads somewhere.
// One that a proxy panel serves lets in nobody but users there. It is -1 where there is none.
func RelayEntry(g graph.Graph) int {
	return slices.IndexFunc(g.Nodes, func(n graph.Node) bool {
		l := n.Params.Listener
		if n.Kind != graph.Entry || n.Served() || l == nil || l.Protocol == graph.WireGuard || l.AcceptProxy {
			return false
		}
		return LeadsOut(g, n.Key)
	})
}

func feeding(pool string) string { return "pool " + pool }

// feed lets the nodes that forward to pools into the entry of a flow that is a member of them.
func (c *compiler) feed(p *Fragment, b graph.Node) []account {
	if at := RelayEntry(c.in.Graph); at < 0 || c.in.Graph.Nodes[at].Key != b.Key {
		return nil
	}
	var out []account
	for _, f := range c.in.Feeders {
		out = append(out, c.known(feeding(f.PoolID), func() string { return c.email("pool", f.PoolID) }))
		p.Facts = append(p.Facts, Fact{
			Group: "clients", Name: f.Name, Fields: map[string]string{"id": f.PoolID, "pool": f.Name},
		})
	}
	return out
}

// dialRelay is the outbound that leads into a flow. The panel's own probe shows who it is, so that the flow leads it to
// the panel.
func (r Relay) dialRelay(tag, poolID string, probe bool) Outbound {
	email := "flow." + r.FlowID + ".pool." + poolID
	as := credential(r.entry.root, feeding(poolID), email)
	if probe {
		as = credential(r.entry.root, "probe ", "flow."+r.FlowID+".probe")
	}
	return outbound(r.entry.root, tag, r.Block, r.entry.name, r.entry.listen, r.Host, as)
}

// relays are the installed flows among the members of a pool.
func (c *compiler) relays(pool flowsapi.Pool) []flowsapi.PoolMember {
	return slices.DeleteFunc(slices.Clone(pool.Members), func(m flowsapi.PoolMember) bool {
		return m.FlowID == "" || c.in.Relays[m.FlowID].Version == ""
	})
}

// relayWays adds the outbounds into the flows of a pool, and gives them with those of its nodes, by the ids of members.
func (c *compiler) relayWays(
	p *Fragment, e graph.Edge, pool flowsapi.Pool, ways []agentapi.PoolWay, suffix string, probe bool,
) []agentapi.PoolWay {
	for _, m := range c.relays(pool) {
		tag := c.outTag(e.From, memberKey(e.To, m.ID), 1) + suffix
		c.once(p, c.in.Relays[m.FlowID].dialRelay(tag, pool.ID, probe))
		ways = append(ways, agentapi.PoolWay{ID: m.ID, Tag: tag})
	}
	slices.SortFunc(ways, func(a, b agentapi.PoolWay) int { return cmp.Compare(a.ID, b.ID) })
	return ways
}

// relayed warns of members of a pool that are flows without an installed version: nothing can be sent to them yet.
func (c *compiler) relayed(b graph.Node, pool flowsapi.Pool) {
	for _, m := range pool.Members {
		if r := c.in.Relays[m.FlowID]; m.FlowID != "" && r.Version == "" {
			c.warn("pool_flow_not_installed", c.path(b.Key, ".pool_id"),
				"the flow "+cmp.Or(r.Name, m.FlowID)+" is a member of the pool and has no installed entry that could be dialled")
		}
	}
}

// memberName is how a plan names a member.
func (c *compiler) memberName(m flowsapi.PoolMember) string {
	if m.FlowID != "" {
		return cmp.Or(c.in.Relays[m.FlowID].Name, m.FlowID)
	}
	return c.in.Nodes[m.NodeID].Name
}
