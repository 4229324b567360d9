package graph

import (
	"fmt"
	"strings"

	"panel/platform/pattern"
)

var keyForm = pattern.Of(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// Check lists what keeps a drawing from running, in a stable order. It looks at the drawing alone, not at nodes.
func Check(g Graph) []Problem {
	c := &checker{g: g, index: map[string]int{}}
	c.nodes()
	c.edges()
	c.expressions()
	if len(c.out) == 0 {
		c.ways()
	}
	return c.out
}

type checker struct {
	g     Graph
	index map[string]int
	next  [][]int
	out   []Problem

	unencrypted bool // the listener that is looked at may be one of VLESS alone
}

func (c *checker) add(code, path, message string) {
	if len(c.out) >= MaxProblems {
		return
	}
	c.out = append(c.out, Problem{Code: code, Path: path, Message: message})
}

func (c *checker) nodes() {
	if len(c.g.Nodes) > MaxNodes {
		c.add("too_many_blocks", "nodes", fmt.Sprintf("a flow has at most %d blocks", MaxNodes))
		return
	}
	entries := 0
	for i, n := range c.g.Nodes {
		c.node(i, n)
		if n.Kind == Entry {
			entries++
		}
	}
	if entries == 0 {
		c.add("no_entry", "nodes", "add an entry: the block that clients connect to")
	}
}

func (c *checker) node(i int, n Node) {
	path := fmt.Sprintf("nodes[%d]", i)
	if !keyForm().MatchString(n.Key) {
		c.add("invalid_value", path+".key", "use 1 to 40 of a-z, 0-9, dash and underscore")
	} else if _, taken := c.index[n.Key]; taken {
		c.add("duplicate_key", path+".key", "another block has this key")
	} else {
		c.index[n.Key] = i
	}
	c.kind(path, n)
	c.params(path+".params", n)
}

func (c *checker) kind(path string, n Node) {
	switch n.Kind {
	case Entry, Transit, Exit:
		if n.NodeID == "" {
			c.add("node_required", path+".node_id", "choose the node this block runs on")
		}
	case Direct, Block:
		if n.NodeID != "" {
			c.add("not_allowed_here", path+".node_id", "this block acts on the node that the traffic is on")
		}
	case TransitPool:
		c.pool(path, n)
	case Custom:
		c.custom(path, n)
	default:
		c.add("invalid_value", path+".kind", "unknown kind of block")
	}
	if n.PoolID != "" && n.Kind != TransitPool {
		c.add("not_allowed_here", path+".pool_id", "only the block of a pool has a pool")
	}
	if n.PlanVersionID != "" && n.Kind != Custom {
		c.add("not_allowed_here", path+".plan_version_id", "only a custom block leaves by a custom plan")
	}
	if n.NodeDomainID != "" && n.Kind != Entry {
		c.add("not_allowed_here", path+".node_domain_id", "only an entry has a domain")
	}
}

func (c *checker) custom(path string, n Node) {
	if n.PlanVersionID == "" {
		c.add("custom_plan_required", path+".plan_version_id", "choose the custom plan that traffic leaves by")
	}
	if n.NodeID != "" {
		c.add("not_allowed_here", path+".node_id", "this block acts on the node that the traffic is on")
	}
}

func (c *checker) pool(path string, n Node) {
	if n.PoolID == "" {
		c.add("pool_required", path+".pool_id", "choose the pool that traffic goes through")
	}
	if n.NodeID != "" {
		c.add("not_allowed_here", path+".node_id", "the members of the pool are its nodes")
	}
}

func (c *checker) params(path string, n Node) {
	c.listenerAllowed(path, n)
	if n.Params.Private != "" && n.Kind != Exit && n.Kind != Direct {
		c.add("not_allowed_here", path+".private", "only an exit or a direct block decides about private addresses")
	}
	if !oneOf(n.Params.Private, "", "block", "allow") {
		c.add("invalid_value", path+".private", "use block or allow")
	}
}

func (c *checker) listenerAllowed(path string, n Node) {
	switch {
	case n.Kind == Entry && n.Params.Listener == nil:
		c.add("listener_required", path+".listener", "say where clients connect: protocol and port")
	case n.Served():
		c.served(path, n)
	case n.Kind == Entry:
		c.listener(path+".listener", *n.Params.Listener, true)
		c.named(strings.TrimSuffix(path, ".params"), n)
	case n.Params.Listener != nil:
		c.add("not_allowed_here", path+".listener", "only an entry has a listener for clients")
	}
	if n.Params.ProxyPanel != nil && n.Kind != Entry {
		c.add("not_allowed_here", path+".proxypanel", "a proxy panel serves entries alone")
	}
	if n.Params.Hop == nil {
		return
	}
	if n.Kind != Exit && n.Kind != Transit && n.Kind != TransitPool {
		c.add("not_allowed_here", path+".hop", "only an exit, a transit block or a pool is reached from another node")
		return
	}
	c.listener(path+".hop", *n.Params.Hop, false)
	if n.Params.Hop.AcceptProxy {
		c.add("not_allowed_here", path+".hop.accept_proxy_protocol", "no load balancer stands between nodes")
	}
}

// named holds the rule that TLS shows the certificate of a domain.
func (c *checker) named(path string, n Node) {
	if n.Params.Listener.Filled().Security == TLS && n.NodeDomainID == "" {
		c.add("domain_required", path+".node_domain_id",
			"TLS shows a certificate: choose a domain that is bound to this node")
	}
}

func (c *checker) edges() {
	c.next = make([][]int, len(c.g.Nodes))
	if len(c.g.Edges) > MaxEdges {
		c.add("too_many_edges", "edges", fmt.Sprintf("a flow has at most %d edges", MaxEdges))
		return
	}
	for i, e := range c.g.Edges {
		c.edge(i, e)
	}
	c.defaults()
}

func (c *checker) edge(i int, e Edge) {
	path := fmt.Sprintf("edges[%d]", i)
	from, fromKnown := c.index[e.From]
	to, toKnown := c.index[e.To]
	if !fromKnown {
		c.add("unknown_block", path+".from", "no block has this key")
	}
	if !toKnown {
		c.add("unknown_block", path+".to", "no block has this key")
	}
	if !fromKnown || !toKnown {
		return
	}
	c.next[from] = append(c.next[from], to)
	c.ends(path, c.g.Nodes[from], c.g.Nodes[to])
	c.match(path+".match", e.Match)
	c.seen(path+".match.protocol", c.g.Nodes[from], e.Match)
	c.transport(path, e)
}

// seen refuses to choose by protocol what nobody looks into: without it such a rule would never fit, and say nothing.
func (c *checker) seen(path string, from Node, m *Match) {
	l := from.Params.Listener
	if m != nil && len(m.Protocol) > 0 && l != nil && l.Sniffing == "off" {
		c.add("sniffing_off", path, "the listener of "+from.Key+" does not look for protocols: set sniffing to auto")
	}
}

// defaults finds rules without a condition beside the one for everything else: that one was drawn without a match, or
// last.
func (c *checker) defaults() {
	rest := map[string]int{}
	for i, e := range c.g.Edges {
		if j, found := rest[e.From]; e.Match.Empty() && (!found || c.g.Edges[j].Match != nil) {
			rest[e.From] = i
		}
	}
	for i, e := range c.g.Edges {
		if e.Match.Empty() && rest[e.From] != i {
			message := `this rule has no condition; only one rule of a block can be "Everything else"`
			c.add("ambiguous_default", fmt.Sprintf("edges[%d].match", i), message)
		}
	}
}

func (c *checker) ends(path string, from, to Node) {
	if from.Kind.Terminal() {
		c.add("edge_after_end", path+".from", "traffic ends in this block, nothing can follow it")
	}
	if to.Kind == Entry {
		c.add("edge_into_entry", path+".to", "traffic enters here from clients only")
	}
	if to.Kind == TransitPool && from.Served() {
		c.add("panel_pool_unsupported", path+".to", "the core of a proxy panel cannot choose among the members of a pool: "+
			"put a transit block of your own between the entry and the pool")
	}
	if to.Kind == Transit && to.NodeID != "" && to.NodeID == from.NodeID && !from.Served() {
		c.add("hop_to_itself", path+".to", "both blocks run on one node; connect the next block directly")
	}
}

func (c *checker) transport(path string, e Edge) {
	if !oneOf(e.Transport, "", "raw", "xhttp", "grpc", "ws", "httpupgrade") {
		c.add("invalid_value", path+".transport", "unknown transport")
	}
	if e.Priority < 0 || e.Priority > 10000 {
		c.add("invalid_value", path+".priority", "use 0 to 10000")
	}
}

// ways walks every path once a drawing is sound block by block.
func (c *checker) ways() {
	state := make([]int, len(c.g.Nodes))
	depth := make([]int, len(c.g.Nodes))
	for i, n := range c.g.Nodes {
		if n.Kind == Entry && !c.walk(i, state, depth) {
			return
		}
	}
	for i, n := range c.g.Nodes {
		if n.Kind == Entry && depth[i] > MaxDepth {
			c.add("too_deep", fmt.Sprintf("nodes[%d]", i), fmt.Sprintf("a path has at most %d blocks", MaxDepth))
		}
	}
	c.strays(state)
}

const (
	unseen = iota
	open
	closed
)

// walk fills depth with the longest path from a block and reports false after a cycle.
func (c *checker) walk(i int, state, depth []int) bool {
	state[i], depth[i] = open, 1
	if len(c.next[i]) == 0 && !c.g.Nodes[i].Kind.Terminal() {
		c.add("path_without_exit", fmt.Sprintf("nodes[%d]", i), "connect this block to an exit, direct or block")
	}
	for _, to := range c.next[i] {
		if state[to] == open {
			c.add("cycle", fmt.Sprintf("nodes[%d]", to), "traffic would run in a circle through this block")
			return false
		}
		if state[to] == unseen && !c.walk(to, state, depth) {
			return false
		}
		depth[i] = max(depth[i], depth[to]+1)
	}
	state[i] = closed
	return true
}

func (c *checker) strays(state []int) {
	for i := range c.g.Nodes {
		if state[i] == unseen {
			if !c.walk(i, state, make([]int, len(c.g.Nodes))) {
				return
			}
		}
	}
}

// Unreached lists the keys of blocks that no entry leads to; they are kept in the draft and left out of the plan.
func Unreached(g Graph) []int {
	seen := make([]bool, len(g.Nodes))
	var visit func(i int)
	visit = func(i int) {
		if i < 0 || seen[i] {
			return
		}
		seen[i] = true
		for _, e := range g.Edges {
			if e.From == g.Nodes[i].Key {
				visit(g.Find(e.To))
			}
		}
	}
	for i, n := range g.Nodes {
		if n.Kind == Entry {
			visit(i)
		}
	}
	var out []int
	for i := range g.Nodes {
		if !seen[i] {
			out = append(out, i)
		}
	}
	return out
}

func oneOf(v string, allowed ...string) bool {
	for _, a := range allowed {
		if v == a {
			return true
		}
	}
	return false
}
