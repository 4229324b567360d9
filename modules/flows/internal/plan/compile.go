package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// Result is a plan with what it would install: fragments by node and what links name. With errors there is neither.
type Result struct {
	Plan        Plan
	Fragments   map[string]Fragment
	Hosts       []Host
	Fingerprint string // of the input
}

// Compile turns a drawing into a plan. It never fails: what is wrong is told in Errors and Conflicts.
func Compile(in Input) Result {
	result := compile(in)
	result.Fingerprint = in.Fingerprint()
	return result
}

// Refused is a result with more errors; it installs nothing.
func (r Result) Refused(problems []graph.Problem) Result {
	r.Plan.Errors = append(r.Plan.Errors, problems...)
	r.Plan.Hash, r.Plan.Steps, r.Fragments, r.Hosts = "", []Step{}, nil, nil
	return r
}

func compile(in Input) Result {
	c := &compiler{
		in:       in,
		blocks:   map[string]graph.Node{},
		hops:     map[string]graph.Listener{},
		parts:    map[string]*Fragment{},
		accounts: map[string]account{},
		made:     map[string]bool{},
		entered:  map[string]map[string]bool{},
	}
	c.plan = emptyPlan(in)
	c.plan.Errors = append(c.plan.Errors, slices.Concat(in.Unresolved, in.Circles, graph.Check(in.Graph))...)
	if len(c.plan.Errors) > 0 {
		return Result{Plan: c.plan}
	}
	if c.read(); len(c.plan.Errors) > 0 {
		return Result{Plan: c.plan}
	}
	if c.fleet(); len(c.plan.Errors) > 0 {
		return Result{Plan: c.plan}
	}
	c.place()
	if c.ports(); len(c.plan.Errors) > 0 {
		return Result{Plan: c.plan}
	}
	c.build()
	return c.finish()
}

func emptyPlan(in Input) Plan {
	return Plan{
		FlowID:          in.FlowID,
		Catalogue:       in.Catalogue,
		Geo:             append([]flowsapi.GeoFile{}, in.GeoVersions...),
		Revision:        in.Revision,
		CompilerVersion: CompilerVersion,
		State:           "preview",
		Errors:          []graph.Problem{},
		Warnings:        []graph.Problem{},
		Conflicts:       []Conflict{},
		Sharing:         []Share{},
		Readiness:       []Check{},
		Steps:           []Step{},
		Obstacles:       []Obstacle{},
		Diff:            NoDiff(),
		Rendered:        map[string]string{},
	}
}

// NoDiff is a difference of nothing, with all its lists.
func NoDiff() Diff {
	return Diff{
		Listeners: []Change{}, Routes: []Change{}, Clients: []Change{}, Firewall: []Change{},
		DNS: []Change{}, CDN: []Change{}, ProxyPanel: []Change{}, Other: []Change{},
	}
}

type compiler struct {
	in     Input
	plan   Plan
	blocks map[string]graph.Node // reached blocks by key
	order  []string              // their keys, sorted
	onNode map[string][]string   // the same by node
	index  map[string]int        // their place in the drawing, for paths of problems
	out    map[string][]graph.Edge
	into   map[string][]string // keys of blocks on other nodes that forward to this one, sorted
	hops   map[string]graph.Listener
	parts  map[string]*Fragment
	pools  map[string]poolBlock // by the key of their block
	ways   int                  // of all edges into pools

	accounts map[string]account
	made     map[string]bool            // outbounds, by node and tag
	entered  map[string]map[string]bool // clients that a configuration names, by node
}

func (c *compiler) fail(code, path, message string) {
	c.plan.Errors = append(c.plan.Errors, graph.Problem{Code: code, Path: path, Message: message})
}

func (c *compiler) failOn(n Node, code, path, message string) {
	c.plan.Errors = append(
		c.plan.Errors,
		graph.Problem{Code: code, Path: path, Message: message, Node: n.Name, Core: n.Core},
	)
}

func (c *compiler) warn(code, path, message string) {
	c.plan.Warnings = append(c.plan.Warnings, graph.Problem{Code: code, Path: path, Message: message})
}

func (c *compiler) path(key, field string) string {
	return fmt.Sprintf("nodes[%d]%s", c.index[key], field)
}

// read puts the reached part of the drawing into an order that does not depend on how it was drawn.
func (c *compiler) read() {
	g := c.in.Graph
	c.index, c.out, c.into = map[string]int{}, map[string][]graph.Edge{}, map[string][]string{}
	left := graph.Unreached(g)
	for i, n := range g.Nodes {
		c.index[n.Key] = i
		if slices.Contains(left, i) {
			c.warn("unreachable_block", fmt.Sprintf("nodes[%d]", i), "no entry leads to this block; it is left out")
			continue
		}
		c.blocks[n.Key] = n
	}
	c.order, c.onNode = slices.Sorted(maps.Keys(c.blocks)), map[string][]string{}
	for _, key := range c.order {
		node := c.blocks[key].NodeID
		c.onNode[node] = append(c.onNode[node], key)
	}
	for _, e := range g.Edges {
		if _, reached := c.blocks[e.From]; reached {
			c.out[e.From] = append(c.out[e.From], e)
		}
	}
	c.expand()
	c.sortEdges()
	c.bounded()
}

func (c *compiler) sortEdges() {
	for _, from := range c.order {
		slices.SortStableFunc(c.out[from], graph.Compare)
		for _, e := range c.out[from] {
			if _, pooled := c.pools[e.To]; pooled {
				c.lead(e)
			} else if c.remote(e) && !slices.Contains(c.into[e.To], from) {
				c.into[e.To] = append(c.into[e.To], from)
			}
		}
		if drawnKey(from) == from {
			c.warnDefault(from)
		}
	}
}

// warnDefault says when a block has no edge for the rest.
func (c *compiler) warnDefault(key string) {
	rest := func(e graph.Edge) bool { return e.Match.Empty() }
	if edges := c.out[key]; len(edges) > 0 && !slices.ContainsFunc(edges, rest) {
		c.warn("no_default_route", c.path(key, ""), "traffic that no edge of this block chooses is blocked")
	}
}

// remote reports whether an edge leads to another core: on another node, or to ours beside that of a proxy panel.
func (c *compiler) remote(e graph.Edge) bool {
	to := c.blocks[e.To]
	if to.Kind == graph.TransitPool {
		return true
	}
	from := c.blocks[e.From]
	return to.Kind.NeedsNode() && (to.NodeID != from.NodeID || from.Served())
}

// place chooses the listeners that nodes use among themselves: what the drawing says, else Shadowsocks 2022 on a
// port that is kept from the installed revision or found from the names, so that a firewall rule can be written once.
func (c *compiler) place() {
	for _, key := range c.order {
		if len(c.into[key]) == 0 {
			continue
		}
		b := c.blocks[key]
		l := graph.Listener{Protocol: "shadowsocks2022"}
		if b.Params.Hop != nil {
			l = *b.Params.Hop
		}
		if l.Transport == "" && len(c.into[key]) > 0 {
			l.Transport = c.edgeTransport(key)
		}
		l = c.opened(l.Filled())
		if _, _, given := l.Ports(); !given {
			l.Port = c.freePort(b, l)
		}
		c.hops[key] = l
	}
}

func (c *compiler) edgeTransport(to string) string {
	for _, e := range c.out[c.into[to][0]] {
		if e.To == to || e.To == drawnKey(to) {
			return e.Transport
		}
	}
	return ""
}

// First and count of the ports that hops get by themselves: below the range that systems use for outgoing connections.
const (
	hopPorts     = 20000
	hopPortCount = 10000
)

func (c *compiler) freePort(b graph.Node, l graph.Listener) int {
	if kept, err := strconv.Atoi(c.in.Installed[b.NodeID].Hops[b.Key]); err == nil {
		if l.Port = kept; c.free(b, l) {
			return kept
		}
	}
	seed := derive([]byte(c.in.FlowID), "port "+b.Key, 2)
	start := (int(seed[0])<<8 | int(seed[1])) % hopPortCount
	for i := range hopPortCount {
		l.Port = hopPorts + (start+i)%hopPortCount
		if c.free(b, l) {
			return l.Port
		}
	}
	return hopPorts + start // nothing is free; the conflict will say so
}

func (c *compiler) free(b graph.Node, l graph.Listener) bool {
	for _, mine := range listens(c.in.FlowID, "", b.Key, "", l) {
		if kind, _, _ := c.holder(b.NodeID, mine); kind != "" || c.drawn(b.NodeID, mine) {
			return false
		}
	}
	return true
}

// drawn reports whether the drawing itself already wants that port on that node.
func (c *compiler) drawn(nodeID string, want Listen) bool {
	return slices.ContainsFunc(c.onNode[nodeID], func(key string) bool {
		return key != want.Block && slices.ContainsFunc(c.wanted(key), want.Overlaps)
	})
}

// wanted lists the ports of a block's listener, as far as they are known yet.
func (c *compiler) wanted(key string) []Listen {
	b := c.blocks[key]
	l, hop := c.hops[key]
	if b.Kind == graph.Entry {
		l = b.Params.Listener.Filled()
	} else if !hop && b.Params.Hop != nil && len(c.into[key]) > 0 {
		l = b.Params.Hop.Filled()
	}
	if _, _, known := l.Ports(); !known {
		return nil
	}
	held := listens(c.in.FlowID, c.inTag(key), key, c.in.Domains[b.NodeDomainID].Hostname, l)
	for i := range held {
		held[i].Panel = b.Served()
	}
	return held
}
