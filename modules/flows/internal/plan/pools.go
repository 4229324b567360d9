package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// A block of a pool becomes one transit block for each member that is a node, and each edge into it one outbound for
// each member with one more that chooses among those. The agent of the sending node chooses; without an agent that
// knows pools that outbound lets nothing through.

// memberMark stands between the key of a pool's block and the id of a member; no drawing can have it in a key.
const memberMark = "~"

func memberKey(block, member string) string { return block + memberMark + member }

// drawnKey is the key of the block in the drawing.
func drawnKey(key string) string {
	block, _, _ := strings.Cut(key, memberMark)
	return block
}

// MaxPoolDepth is how many pools may fall back on one another.
const MaxPoolDepth = 4

// maxPoolWays bounds the outbounds of all edges into pools in one flow.
const maxPoolWays = 5000

// poolBlock is a pool in a drawing: itself and what it falls back on, in this order, and the keys of their members'
// blocks.
type poolBlock struct {
	chain   []flowsapi.Pool
	members [][]string // of each of the chain
}

// NodeIDs lists the nodes that the flow may be on: those of the drawing and the members of its pools.
func (in Input) NodeIDs() []string {
	ids := in.Graph.NodeIDs()
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(in.Pools)) {
		for _, m := range in.Pools[id].Members {
			if m.NodeID != "" && !seen[m.NodeID] {
				seen[m.NodeID] = true
				ids = append(ids, m.NodeID)
			}
		}
	}
	return ids
}

// BlockOn finds a block that is on a node: one of the drawing, or the pool that the node is a member of; -1 when there
// is none.
func (in Input) BlockOn(nodeID string) int {
	at := slices.IndexFunc(in.Graph.Nodes, func(b graph.Node) bool { return b.NodeID == nodeID })
	if at >= 0 {
		return at
	}
	return slices.IndexFunc(in.Graph.Nodes, func(b graph.Node) bool {
		chain, _ := poolChain(in.Pools, b.PoolID)
		return b.Kind == graph.TransitPool && slices.ContainsFunc(chain, func(p flowsapi.Pool) bool {
			return slices.ContainsFunc(p.Members, func(m flowsapi.PoolMember) bool { return m.NodeID == nodeID })
		})
	})
}

// poolChain follows a pool to what it falls back on. The code says what is wrong with it.
func poolChain(pools map[string]flowsapi.Pool, id string) (chain []flowsapi.Pool, code string) {
	for id != "" {
		pool, known := pools[id]
		switch {
		case !known:
			return chain, "unknown_pool"
		case slices.ContainsFunc(chain, func(p flowsapi.Pool) bool { return p.ID == id }):
			return chain, "pool_cycle"
		case len(chain) == MaxPoolDepth:
			return chain, "pool_too_deep"
		}
		chain = append(chain, pool)
		id = ""
		if pool.Fallback.Kind == flowsapi.FallbackPool {
			id = cmp.Or(pool.Fallback.PoolID, "?")
		}
	}
	return chain, ""
}

var poolProblems = map[string]string{
	"unknown_pool":  "there is no such pool, or the pool that it falls back on is gone",
	"pool_cycle":    "the pools fall back on each other in a circle",
	"pool_too_deep": "a pool falls back on another one, and so on, at most four deep",
	"pool_empty":    "the pool has no member, or only flows of which nothing is installed",
}

// expand puts the members in for the pools of the reached part of the drawing.
func (c *compiler) expand() {
	c.pools = map[string]poolBlock{}
	for _, key := range slices.Clone(c.order) {
		if b := c.blocks[key]; b.Kind == graph.TransitPool {
			c.expandPool(b)
		}
	}
	if len(c.pools) == 0 {
		return
	}
	c.order, c.onNode = slices.Sorted(maps.Keys(c.blocks)), map[string][]string{}
	for _, key := range c.order {
		node := c.blocks[key].NodeID
		c.onNode[node] = append(c.onNode[node], key)
	}
}

func (c *compiler) expandPool(b graph.Node) {
	chain, code := poolChain(c.in.Pools, b.PoolID)
	if code == "" && slices.ContainsFunc(chain, c.leadsNowhere) {
		code = "pool_empty"
	}
	if code != "" {
		c.fail(code, c.path(b.Key, ".pool_id"), poolProblems[code])
		return
	}
	block := poolBlock{chain: chain}
	for _, pool := range chain {
		keys := make([]string, 0, len(pool.Members))
		for _, m := range pool.Members {
			if m.NodeID != "" {
				keys = append(keys, c.expandMember(b, m))
			}
		}
		c.relayed(b, pool)
		slices.Sort(keys)
		block.members = append(block.members, keys)
	}
	c.pools[b.Key] = block
	c.warnDefault(b.Key)
	delete(c.out, b.Key)
}

// leadsNowhere says whether a pool has no member that traffic can be sent to.
func (c *compiler) leadsNowhere(p flowsapi.Pool) bool {
	onNode := func(m flowsapi.PoolMember) bool { return m.NodeID != "" }
	return !slices.ContainsFunc(p.Members, onNode) && len(c.relays(p)) == 0
}

func (c *compiler) expandMember(b graph.Node, m flowsapi.PoolMember) string {
	key := memberKey(b.Key, m.ID)
	c.blocks[key] = graph.Node{Key: key, Kind: graph.Transit, NodeID: m.NodeID, Params: b.Params}
	c.index[key] = c.index[b.Key]
	edges := slices.Clone(c.out[b.Key])
	for i := range edges {
		edges[i].From = key
	}
	c.out[key] = edges
	return key
}

// lead notes for each member of a pool who forwards to it, and bounds how many ways that makes.
func (c *compiler) lead(e graph.Edge) {
	for at, members := range c.pools[e.To].members {
		c.ways += len(c.relays(c.pools[e.To].chain[at]))
		for _, key := range members {
			if c.blocks[key].NodeID == c.blocks[e.From].NodeID {
				continue
			}
			if c.ways++; c.ways > maxPoolWays {
				return
			}
			if from := c.into[key]; len(from) == 0 || from[len(from)-1] != e.From {
				c.into[key] = append(from, e.From)
			}
		}
	}
}

// bounded refuses what would be too much for the nodes.
func (c *compiler) bounded() {
	if c.ways > maxPoolWays {
		c.fail("too_many_ways", "edges",
			fmt.Sprintf("the pools of this flow would be joined by more than %d ways; use fewer or smaller ones", maxPoolWays))
	}
}

// nodesOf are the nodes of a block: its own, or those of the members of its pools.
func (c *compiler) nodesOf(key string) []Node {
	block, pooled := c.pools[key]
	if b := c.blocks[key]; b.Served() {
		return c.panelSender(b)
	} else if !pooled {
		return []Node{c.in.Nodes[b.NodeID]}
	}
	var out []Node
	for _, members := range block.members {
		for _, member := range members {
			out = append(out, c.in.Nodes[c.blocks[member].NodeID])
		}
	}
	return out
}

// knowsPools is what the agent of a node must be able to do, so that the node can forward to a pool.
var knowsPools = string(agentapi.DocumentPools.Capability())

// sender refuses a node whose agent cannot choose among members, and one that is alone in the pool that it forwards to.
func (c *compiler) sender(path string, e graph.Edge, from Node) {
	block, pooled := c.pools[e.To]
	if !pooled {
		return
	}
	if len(from.Can) > 0 && !slices.Contains(from.Can, knowsPools) {
		c.plan.Errors = append(c.plan.Errors, graph.Problem{
			Code: CapabilityMissing, Path: path + ".from", Node: from.Name, Core: from.Core, Capability: knowsPools,
			Message: "the node's agent does not know pools; update it",
		})
	}
	for i, pool := range block.chain {
		left := slices.IndexFunc(block.members[i], func(key string) bool { return c.blocks[key].NodeID != from.ID })
		if left < 0 && len(c.relays(pool)) == 0 {
			c.failOn(from, "pool_of_itself", path+".to", "the node forwards to a pool of which it is the only member")
		}
		if i == len(block.chain)-1 {
			c.warnFallback(path+".to", pool, from)
		}
	}
}

// warnFallback says aloud when traffic may leave from the sending node itself.
func (c *compiler) warnFallback(path string, pool flowsapi.Pool, from Node) {
	if pool.Fallback.Kind != flowsapi.FallbackDirect {
		return
	}
	c.plan.Warnings = append(c.plan.Warnings, graph.Problem{
		Code: "pool_fallback_direct", Path: path, Node: from.Name,
		Message: "when no member of " + pool.Name + " is usable, traffic leaves from this node with its own address",
	})
}

// choose adds the outbounds of an edge into a pool, and gives the tag of the one that chooses. Probes of the panel have
// outbounds of their own and share what is known of the members.
func (c *compiler) choose(p *Fragment, e graph.Edge, nth int, probe bool) string {
	block := c.pools[e.To]
	group, suffix := c.outTag(e.From, e.To, 1), c.outTag(e.From, e.To, nth)[len(c.outTag(e.From, e.To, 1)):]
	if probe {
		suffix += ".probe"
	}
	chooser := func(at int) string {
		if at == 0 {
			return group + suffix
		}
		return group + memberMark + strconv.Itoa(at) + suffix
	}
	for at, pool := range block.chain {
		way := &agentapi.PoolOf{
			PoolID: pool.ID, Group: group, Strategy: pool.Strategy, Stickiness: pool.Stickiness,
			Members: []agentapi.PoolWay{}, Follows: probe,
		}
		for _, key := range block.members[at] {
			if c.blocks[key].NodeID == c.blocks[e.From].NodeID {
				continue
			}
			tag := c.outTag(e.From, key, 1) + suffix
			as := c.service(e.From, key)
			if probe {
				as = c.probe(drawnKey(e.From) + " " + key)
			}
			c.dial(p, graph.Edge{From: e.From, To: key}, tag, as)
			_, id, _ := strings.Cut(key, memberMark)
			way.Members = append(way.Members, agentapi.PoolWay{ID: id, Tag: tag})
		}
		way.Members = c.relayWays(p, e, pool, way.Members, suffix, probe)
		way.Fallback = c.fallback(p, e, pool, way.Members, chooser(at+1), suffix)
		c.once(p, Outbound{Tag: chooser(at), Protocol: "blackhole", PoolOf: way})
	}
	return chooser(0)
}

// fallback gives the tag of what takes over when no member of a pool is usable.
func (c *compiler) fallback(
	p *Fragment, e graph.Edge, pool flowsapi.Pool, members []agentapi.PoolWay, next, suffix string,
) string {
	switch pool.Fallback.Kind {
	case flowsapi.FallbackPool:
		return next
	case flowsapi.FallbackMember:
		at := slices.IndexFunc(members, func(m agentapi.PoolWay) bool { return m.ID == pool.Fallback.MemberID })
		if at >= 0 {
			return members[at].Tag
		}
	case flowsapi.FallbackDirect:
		tag := c.outTag(e.From, memberKey(e.To, "direct"), 1) + suffix + PublicSuffix
		return c.once(p, Outbound{Tag: tag, Protocol: "freedom"})
	}
	return blockTag
}

// shownMembers bounds the names of a pool's members in a plan.
const shownMembers = 20

// poolFields say what a pool is, for the plan.
func (c *compiler) poolFields(e graph.Edge, fields map[string]string) {
	block, pooled := c.pools[e.To]
	if !pooled {
		return
	}
	pool := block.chain[0]
	names := make([]string, 0, len(pool.Members))
	for _, m := range pool.Members {
		names = append(names, c.memberName(m))
	}
	slices.Sort(names)
	if more := len(names) - shownMembers; more > 0 {
		names = append(names[:shownMembers], fmt.Sprintf("+%d", more))
	}
	fields["pool"], fields["strategy"], fields["members"] = pool.Name, pool.Strategy, strings.Join(names, ", ")
	fields["fallback"] = c.fallbackText(block)
}

func (c *compiler) fallbackText(block poolBlock) string {
	var parts []string
	for _, pool := range block.chain {
		f := pool.Fallback
		switch f.Kind {
		case flowsapi.FallbackPool:
			parts = append(parts, c.in.Pools[f.PoolID].Name)
		case flowsapi.FallbackMember:
			at := slices.IndexFunc(pool.Members, func(m flowsapi.PoolMember) bool { return m.ID == f.MemberID })
			if at >= 0 {
				parts = append(parts, c.memberName(pool.Members[at]))
			}
		default:
			parts = append(parts, f.Kind)
		}
	}
	return strings.Join(parts, ", ")
}
