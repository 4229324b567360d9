package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// CanaryWish is what a person asks of a canary.
type CanaryWish struct {
	Nodes  []string      `json:"nodes,omitempty" maxItems:"500" doc:"Ids of the nodes that go first; or share"`
	Share  int           `json:"share,omitempty" minimum:"1" maximum:"99" doc:"Percent of the nodes that go first, entries before others"`
	WatchS int           `json:"watch_s" minimum:"60" maximum:"86400" doc:"Seconds of watching before the rest follows"`
	Probes *CanaryProbes `json:"probes,omitempty"`
}

// CanaryProbes says how often a real client goes through, and when a canary has failed.
type CanaryProbes struct {
	IntervalS int `json:"interval_s,omitempty" minimum:"10" maximum:"3600" doc:"Seconds from one round of probes to the next; 30 when left out"`
	Failures  int `json:"failures,omitempty" minimum:"1" maximum:"10" doc:"Failed probes of one entry in a row that end the canary; 2 when left out"`
}

// Usual probes of a canary.
const (
	usualInterval = 30
	usualFailures = 2
)

// Canary is which nodes go first, and how they are watched before the rest follows.
type Canary struct {
	Nodes  []CanaryNode  `json:"nodes"`
	Rest   int           `json:"rest" doc:"Nodes that follow"`
	WatchS int           `json:"watch_s"`
	Probes CanaryProbes  `json:"probes"`
	Looks  []CanaryEntry `json:"looks" doc:"Entries that a real client goes through in each round"`
}

// CanaryNode is a node that goes first.
type CanaryNode struct {
	NodeID   string `json:"node_id"`
	NodeName string `json:"node_name"`
	Role     string `json:"role" enum:"exit,transit,entry,none"`
}

// CanaryEntry is an entry that tells how the canary does.
type CanaryEntry struct {
	NodeID   string `json:"node_id"`
	NodeName string `json:"node_name"`
	Block    string `json:"block"`
}

// Wish is what asks for the same canary again.
func (c Canary) Wish() CanaryWish {
	w := CanaryWish{WatchS: c.WatchS, Probes: &c.Probes}
	for _, n := range c.Nodes {
		w.Nodes = append(w.Nodes, n.NodeID)
	}
	return w
}

// CanaryInput is what decides about a canary beside what it installs.
type CanaryInput struct {
	Wish      CanaryWish
	Graph     graph.Graph
	Before    graph.Graph         // drawing of what is installed; empty when nothing is
	Hosts     []Host              // what the installed links name
	Installed map[string]Fragment // by node
	Pools     map[string]flowsapi.Pool
	Root      []byte
	NodeNames map[string]string
	Probing   bool // there is somewhere for a probe to arrive
}

// canaries finds out whether some nodes of a plan may go first.
type canaries struct {
	CanaryInput
	result   Result
	first    map[string]bool
	problems []graph.Problem
}

// ChooseCanary chooses the nodes that go first. While they are watched the rest serves what it did before, and links
// name what they did before: what would break either is a problem.
func ChooseCanary(in CanaryInput, result Result) (*Canary, []graph.Problem) {
	c := &canaries{CanaryInput: in, result: result, first: map[string]bool{}}
	out := &Canary{Nodes: []CanaryNode{}, WatchS: in.Wish.WatchS, Looks: []CanaryEntry{}, Probes: in.Wish.probes()}
	for _, step := range c.choose() {
		out.Nodes = append(out.Nodes, CanaryNode{NodeID: step.NodeID, NodeName: step.NodeName, Role: step.Role})
		c.first[step.NodeID] = true
	}
	out.Rest = len(result.Plan.Steps) - len(out.Nodes)
	if len(c.problems) > 0 {
		return out, c.problems
	}
	c.panels()
	c.entries()
	c.hops()
	out.Looks = c.looks()
	if len(out.Looks) == 0 {
		c.fail("canary_not_probed", "canary.nodes", "",
			"no probe can go through these nodes: no entry leads there, or the panel has no public address")
	}
	return out, c.problems
}

func (w CanaryWish) probes() CanaryProbes {
	out := CanaryProbes{IntervalS: usualInterval, Failures: usualFailures}
	if w.Probes != nil {
		out.IntervalS = cmp.Or(w.Probes.IntervalS, usualInterval)
		out.Failures = cmp.Or(w.Probes.Failures, usualFailures)
	}
	out.IntervalS = min(out.IntervalS, max(w.WatchS, 1))
	return out
}

func (c *canaries) fail(code, path, node, message string) {
	c.problems = append(c.problems, graph.Problem{Code: code, Path: path, Node: node, Message: message})
}

// choose gives the steps of the nodes that go first: those that were named, or a share of them, entries before others.
func (c *canaries) choose() []Step {
	var able []Step
	for _, step := range c.result.Plan.Steps {
		if step.Action == ActionConfigure {
			able = append(able, step)
		}
	}
	if len(able) == 0 {
		c.fail("canary_no_node", "canary", "", "this plan configures no node, so that none could go first")
		return nil
	}
	if c.Wish.Share > 0 {
		slices.SortFunc(able, func(a, b Step) int {
			byName := cmp.Or(cmp.Compare(a.NodeName, b.NodeName), cmp.Compare(a.NodeID, b.NodeID))
			return cmp.Or(cmp.Compare(rank(b), rank(a)), byName)
		})
		return able[:(len(able)*c.Wish.Share+99)/100]
	}
	var out []Step
	for i, id := range c.Wish.Nodes {
		at := slices.IndexFunc(able, func(s Step) bool { return s.NodeID == id })
		switch {
		case at < 0:
			c.fail("canary_node_not_changed", fmt.Sprintf("canary.nodes[%d]", i), c.NodeNames[id],
				"this plan does not configure the node, so that it cannot go first")
		case !slices.ContainsFunc(out, func(s Step) bool { return s.NodeID == id }):
			out = append(out, able[at])
		}
	}
	return out
}

// entries finds entries whose links would not be the same: links that people have lead to old and new nodes alike.
func (c *canaries) entries() {
	for _, was := range Entries(c.Before) {
		at := c.Graph.Find(was.Key)
		if at < 0 || c.Graph.Nodes[at].Kind != graph.Entry || c.Graph.Nodes[at].Params.Listener == nil ||
			c.Graph.Nodes[at].NodeID != was.NodeID {
			c.fail("canary_changes_entry", "nodes", c.NodeNames[was.NodeID], "the entry "+was.Key+
				" is removed or moved; links that are out name it, so this can only be applied without a canary")
			continue
		}
		now := c.Graph.Nodes[at]
		if what := c.changed(was, now); what != "" {
			c.fail("canary_changes_entry", fmt.Sprintf("nodes[%d].params.listener", at), c.NodeNames[was.NodeID],
				"the entry "+was.Key+" gets another "+what+
					"; links that are out would not fit, so this can only be applied without a canary")
		}
	}
}

// changed names the first part of an entry that links tell and that is not the same.
func (c *canaries) changed(was, now graph.Node) string {
	a, b := was.Params.Listener.Filled(), now.Params.Listener.Filled()
	x, y := c.connect(was.Key, a, hostOf(c.Hosts, was.Key)), c.connect(now.Key, b, hostOf(c.result.Hosts, now.Key))
	switch {
	case a.ListenIP != b.ListenIP || a.L4 != b.L4 || PortText(a) != PortText(b):
		return "port"
	case x.Host != y.Host || x.ServerName != y.ServerName || x.WebHost != y.WebHost || x.Path != y.Path ||
		x.ServiceName != y.ServiceName:
		return "name"
	case a.SecretRef != b.SecretRef || x.PublicKey != y.PublicKey || x.ShortID != y.ShortID ||
		x.PostQuantum != y.PostQuantum || x.Password != y.Password || x.Obfs != y.Obfs:
		return "key"
	case !bytes.Equal(encode(x), encode(y)) || a.AcceptProxy != b.AcceptProxy:
		return "protocol"
	}
	return ""
}

// connect is what a link of some client says. Own secrets are compared by their names.
func (c *canaries) connect(block string, l graph.Listener, host string) flowsapi.Connection {
	l.Secret = ""
	key := make([]byte, 32) //nolint:mnd // the length of a client's key
	return Connect(Access{Root: c.Root, Block: block, Listen: l, Host: host, Client: Client{Key: key}})
}

// panels refuses a change of what proxy panels run: it serves all their users at once, and leads on to nodes that have
// not changed yet.
func (c *canaries) panels() {
	for _, block := range servedAnew(c.Installed, c.result.Fragments) {
		c.fail("canary_panel_serves", c.blockPath(block), "", "what the proxy panel runs for the entry "+block+
			" changes, and changes for all its users at once; this can only be applied without a canary")
	}
}

func hostOf(hosts []Host, block string) string {
	for _, h := range hosts {
		if h.Block == block {
			return h.Host
		}
	}
	return ""
}

// hops finds listeners between nodes that old and new nodes could not both use.
func (c *canaries) hops() {
	seen := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(c.touched())) {
		before, after := c.Installed[id], c.result.Fragments[id]
		for _, in := range slices.Concat(before.Inbounds, after.Inbounds) {
			block := c.blockOf(in.Tag)
			if seen[in.Tag] || c.isEntry(block) || c.sameInbound(before, after, in.Tag) {
				continue
			}
			seen[in.Tag] = true
			if c.crossed(id, block) {
				c.fail("canary_splits_hop", c.blockPath(block), c.NodeNames[id], "the listener of "+block+
					" between nodes changes, and nodes on both sides of the canary use it; "+
					"take the nodes at both ends into the canary")
			}
		}
	}
}

func (c *canaries) touched() map[string]bool {
	ids := map[string]bool{}
	for id := range c.Installed {
		ids[id] = true
	}
	for id := range c.result.Fragments {
		ids[id] = true
	}
	return ids
}

// crossed reports whether a changed listener of a block is used across the border while the canary is watched: by old
// nodes on a new one, or by new nodes on an old one.
func (c *canaries) crossed(id, block string) bool {
	users := c.result.Fragments
	if c.first[id] {
		users = c.Installed
	}
	for user, part := range users {
		if user != id && c.first[user] != c.first[id] && dials(part, block) {
			return true
		}
	}
	return false
}

// dials reports whether a part forwards to a block on another node.
func dials(part Fragment, block string) bool {
	return slices.ContainsFunc(part.Outbounds, func(o Outbound) bool {
		tag, _, _ := strings.Cut(strings.TrimSuffix(o.Tag, ".probe"), "#")
		return o.Protocol != "freedom" && strings.HasSuffix(tag, "."+block)
	})
}

func (c *canaries) sameInbound(before, after Fragment, tag string) bool {
	at := func(f Fragment) int {
		return slices.IndexFunc(f.Inbounds, func(i Inbound) bool { return i.Tag == tag })
	}
	a, b := at(before), at(after)
	return a >= 0 && b >= 0 && bytes.Equal(encode(before.Inbounds[a]), encode(after.Inbounds[b]))
}

func (c *canaries) blockOf(tag string) string {
	_, block, _ := strings.Cut(tag, ".in.")
	return block
}

func (c *canaries) isEntry(block string) bool {
	for _, g := range []graph.Graph{c.Graph, c.Before} {
		if at := g.Find(block); at >= 0 && g.Nodes[at].Kind == graph.Entry {
			return true
		}
	}
	return false
}

func (c *canaries) blockPath(block string) string {
	if at := c.Graph.Find(drawnKey(block)); at >= 0 {
		return fmt.Sprintf("nodes[%d]", at)
	}
	return "nodes"
}

// looks chooses the entries to probe: those on the nodes that go first, else installed ones whose traffic gets there.
func (c *canaries) looks() []CanaryEntry {
	out := []CanaryEntry{}
	if !c.Probing {
		return out
	}
	take := func(wanted func(n graph.Node) bool) {
		for _, n := range Entries(c.Graph) {
			if LeadsOut(c.Graph, n.Key) && wanted(n) {
				out = append(out, CanaryEntry{NodeID: n.NodeID, NodeName: c.NodeNames[n.NodeID], Block: n.Key})
			}
		}
	}
	take(func(n graph.Node) bool { return c.first[n.NodeID] })
	if len(out) == 0 {
		take(func(n graph.Node) bool { return c.Before.Find(n.Key) >= 0 && c.reaches(n.Key, map[string]bool{}) })
	}
	return out
}

// reaches reports whether traffic of a block may get to a node that goes first.
func (c *canaries) reaches(key string, seen map[string]bool) bool {
	at := c.Graph.Find(key)
	if at < 0 || seen[key] {
		return false
	}
	seen[key] = true
	n := c.Graph.Nodes[at]
	if c.first[n.NodeID] || slices.ContainsFunc(c.Pools[n.PoolID].Members, func(m flowsapi.PoolMember) bool {
		return c.first[m.NodeID]
	}) {
		return true
	}
	return slices.ContainsFunc(c.Graph.Edges, func(e graph.Edge) bool {
		return e.From == key && c.reaches(e.To, seen)
	})
}
