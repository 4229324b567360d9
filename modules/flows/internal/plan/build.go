package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// build renders every block into the fragment of its node.
func (c *compiler) build() {
	for _, key := range c.order {
		b := c.blocks[key]
		switch b.Kind {
		case graph.Entry:
			if b.Served() {
				c.serve(b)
				continue
			}
			c.entry(b)
		case graph.Transit, graph.Exit:
			c.hop(b)
		default: // direct and block act on the node that the traffic is on
		}
	}
}

func (c *compiler) part(nodeID string) *Fragment {
	p, ok := c.parts[nodeID]
	if !ok {
		p = &Fragment{
			FlowID: c.in.FlowID, NodeID: nodeID, Inbounds: []Inbound{}, Outbounds: []Outbound{}, Rules: []Rule{},
			Listens: []Listen{}, Facts: []Fact{}, Clients: []string{}, Hops: map[string]string{},
		}
		c.parts[nodeID] = p
	}
	return p
}

func (c *compiler) entry(b graph.Node) {
	p, l := c.part(b.NodeID), c.opened(b.Params.Listener.Filled())
	p.Role = "entry"
	accounts := make([]account, 0, len(c.in.Clients)+1)
	if p.Listed = holdsList(c.in.Nodes[b.NodeID]); !p.Listed {
		p.Facts, p.Clients = slices.Grow(p.Facts, len(c.in.Clients)), slices.Grow(p.Clients, len(c.in.Clients))
		for _, client := range sortedClients(c.in.Clients) {
			email := agentapi.ClientEmail(c.in.FlowID, client.ID)
			accounts = append(accounts, account{
				uuid: client.UUID, key: client.Key, own: client.Password, email: email,
				address: agentapi.TunnelAddress(client.Number),
			})
			c.clientFact(p, client)
		}
	}
	if !c.in.HasClients && len(c.in.Clients) == 0 {
		c.warn("no_clients", c.path(b.Key, ""), "the flow has no client yet; nobody could connect")
	}
	if c.probing() {
		accounts = append(accounts, c.probe(""))
	}
	accounts = append(accounts, c.feed(p, b)...)
	c.listen(p, b, l, accounts, "anywhere")
	if p.Listed {
		p.Inbounds[len(p.Inbounds)-1].ClientsOf = &agentapi.ListOf{FlowID: c.in.FlowID, Flow: l.Flow}
	}
	c.arrivals(p, b, []string{c.email("probe")})
}

// opened is a listener with its own secret.
func (c *compiler) opened(l graph.Listener) graph.Listener {
	l.Secret = c.in.Keys[l.SecretRef]
	return l
}

// holdsList says whether the agent of a node lets in the clients of a flow by a list of its own, which is no part
// of what is installed. Any other one has them in its configuration.
func holdsList(n Node) bool {
	return slices.Contains(n.Can, string(agentapi.DocumentClients.Capability()))
}

func (c *compiler) clientFact(p *Fragment, client Client) {
	entered := c.entered[p.NodeID]
	if entered == nil {
		entered = make(map[string]bool, len(c.in.Clients))
		c.entered[p.NodeID] = entered
	}
	if entered[client.ref()] {
		return
	}
	entered[client.ref()] = true
	p.Clients = append(p.Clients, client.ref())
	p.Facts = append(p.Facts, Fact{Group: "clients", Name: client.Label, Fields: map[string]string{"id": client.ID}})
}

func (c *compiler) hop(b graph.Node) {
	l, remote := c.hops[b.Key]
	if !remote {
		return
	}
	p := c.part(b.NodeID)
	if p.Role == "" || p.Role == "exit" && b.Kind == graph.Transit {
		p.Role = string(b.Kind)
	}
	var accounts []account
	var probes []string
	for _, from := range c.forwarders(b.Key) {
		accounts = append(accounts, c.service(from, b.Key))
		if c.probing() && !c.blocks[from].Served() {
			a := c.probe(from + " " + b.Key)
			a.email = c.email("probe", from)
			accounts, probes = append(accounts, a), append(probes, a.email)
		}
	}
	p.Hops[b.Key] = strconv.Itoa(mustPort(l))
	c.listen(p, b, l, accounts, strings.Join(c.forwarders(b.Key), ", "))
	c.arrivals(p, b, probes)
}

// forwarders are the blocks of the drawing that forward to a block. The members of a pool are one of them: they show
// who they are alike.
func (c *compiler) forwarders(key string) []string {
	out := make([]string, 0, len(c.into[key]))
	for _, from := range c.into[key] {
		out = append(out, drawnKey(from))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func mustPort(l graph.Listener) int {
	from, _, _ := l.Ports()
	return from
}

func (c *compiler) email(parts ...string) string {
	return "flow." + c.in.FlowID + "." + strings.Join(parts, ".")
}

func (c *compiler) probing() bool { return c.in.Reflector.Host != "" }

func (c *compiler) probe(hop string) account {
	return c.known("probe "+hop, func() string { return c.email("probe") })
}

func (c *compiler) service(from, to string) account {
	from = drawnKey(from)
	return c.known("hop "+from+" "+to, func() string { return c.email("hop", from) })
}

// known derives a credential once; both ends of a hop ask for it.
func (c *compiler) known(purpose string, email func() string) account {
	a, made := c.accounts[purpose]
	if !made {
		a = credential(c.in.Root, purpose, email())
		c.accounts[purpose] = a
	}
	return a
}

func (c *compiler) listen(p *Fragment, b graph.Node, l graph.Listener, accounts []account, allowed string) {
	tag := c.inTag(b.Key)
	name := c.in.Domains[b.NodeDomainID].Hostname
	in := inbound(c.in.Root, tag, b.Key, name, l, accounts, c.sniffs(b.Key, l))
	if l.Reality != nil && l.Reality.PublicKey != "" {
		in.Stream.Reality.PrivateKey = c.in.Keys[l.Reality.PublicKey]
	}
	p.Inbounds = append(p.Inbounds, in)
	held := listens(c.in.FlowID, tag, b.Key, name, l)
	p.Listens = append(p.Listens, held...)
	p.Facts = append(p.Facts, listenerFact(b.Key, name, l))
	for _, one := range held {
		name := fmt.Sprintf("allow %s/%s", portText(l), one.L4)
		p.Facts = append(p.Facts, Fact{Group: "firewall", Name: name, Fields: map[string]string{"from": allowed}})
	}
}

// sniffs says whether the core looks into traffic for names and protocols: as the listener says, else where rules of
// the block ask for them.
func (c *compiler) sniffs(key string, l graph.Listener) bool {
	if l.Sniffing == "on" || l.Sniffing == "off" {
		return l.Sniffing == "on"
	}
	for _, e := range c.out[key] {
		if m := e.Match; m != nil && len(m.Domain)+len(m.Geosite)+len(m.Protocol) > 0 {
			return true
		}
	}
	return false
}

// arrivals writes the rules for what arrives at a block, the panel's own probes before people's traffic. There are none
// where only proxy panels forward from.
func (c *compiler) arrivals(p *Fragment, b graph.Node, probes []string) {
	edges := c.out[b.Key]
	if b.Kind == graph.Exit {
		edges = []graph.Edge{{From: b.Key, To: b.Key}}
	}
	if c.probing() && len(probes) > 0 {
		c.probeRules(p, b, edges, probes)
	}
	tried := map[string]int{} // by the block that they lead to
	for _, e := range edges {
		tried[e.To]++
		out := c.way(p, e, tried[e.To])
		c.routeFact(p, e)
		for _, cond := range conditions(e.Match) {
			c.route(p, b, e, cond, out)
		}
	}
}

func (c *compiler) route(p *Fragment, b graph.Node, e graph.Edge, cond Rule, out string) {
	rules := []Rule{withOut(cond, out)}
	if c.guards(e) {
		rules = guarded(cond, out)
	}
	for _, r := range rules {
		r.InboundTag = []string{c.inTag(b.Key)}
		p.Rules = append(p.Rules, r)
	}
}

func withOut(r Rule, out string) Rule {
	r.OutboundTag = out
	return r
}

// guards says whether traffic of the edge leaves to the net from this node without the right to private addresses.
func (c *compiler) guards(e graph.Edge) bool {
	to := c.blocks[e.To]
	return to.Kind != graph.Block && !c.remote(e) && to.Params.Private != "allow"
}

// PublicSuffix ends the tags of outbounds that must not reach private addresses. The rules of the core see to it; who
// dials for the core can see to it once more, after names are resolved and for every single datagram.
const PublicSuffix = ".public"

// way adds the outbound of the nth edge between two blocks to the fragment and gives its tag.
func (c *compiler) way(p *Fragment, e graph.Edge, nth int) string {
	to := c.blocks[e.To]
	if to.Kind == graph.Block {
		return blockTag
	}
	if to.Kind == graph.TransitPool {
		return c.choose(p, e, nth, false)
	}
	tag := c.outTag(e.From, e.To, nth)
	if to.Kind == graph.Custom {
		return c.once(p, customOutbound(tag, c.in.Plans[to.PlanVersionID]))
	}
	if c.remote(e) {
		return c.dial(p, e, tag, c.service(e.From, e.To))
	}
	if c.guards(e) {
		tag += PublicSuffix
	}
	return c.once(p, Outbound{Tag: tag, Protocol: "freedom"})
}

func (c *compiler) dial(p *Fragment, e graph.Edge, tag string, as account) string {
	return c.once(p, outbound(c.in.Root, tag, e.To, "", c.hops[e.To], c.hostOf(e), as))
}

func (c *compiler) once(p *Fragment, o Outbound) string {
	if name := p.NodeID + " " + o.Tag; !c.made[name] {
		c.made[name] = true
		p.Outbounds = append(p.Outbounds, o)
	}
	return o.Tag
}

func (c *compiler) routeFact(p *Fragment, e graph.Edge) {
	if e.From == e.To {
		return
	}
	fields := map[string]string{"match": matchText(e.Match), "to": e.To}
	if c.guards(e) {
		fields["private"] = "blocked"
	}
	if l, hop := c.hops[e.To]; hop && c.remote(e) {
		fields["via"] = l.Protocol + " " + portText(l)
	}
	c.poolFields(e, fields)
	c.planFields(e, fields)
	p.Facts = append(p.Facts, Fact{Group: "routes", Name: e.From + " to " + e.To, Fields: fields})
}

// probeRules lead the panel's probe along the main way and let it reach the reflector and nothing else.
func (c *compiler) probeRules(p *Fragment, b graph.Node, edges []graph.Edge, probes []string) {
	main, ok := c.mainWay(edges)
	if !ok {
		return
	}
	mine := Rule{InboundTag: []string{c.inTag(b.Key)}, User: probes}
	if c.blocks[main.To].Kind == graph.TransitPool {
		p.Rules = append(p.Rules, withOut(mine, c.choose(p, main, 1, true)))
		return
	}
	if c.remote(main) {
		a := c.probe(drawnKey(main.From) + " " + main.To)
		p.Rules = append(p.Rules, withOut(mine, c.dial(p, main, c.outTag(main.From, main.To, 1)+".probe", a)))
		return
	}
	way := Outbound{Tag: c.outTag(main.From, main.To, 1) + ".probe", Protocol: "freedom"}
	if c.tunnels() {
		way.Settings = &outboundSettings{Redirect: c.in.Reflector.String()}
		p.Rules = append(p.Rules, withOut(mine, c.once(p, way)))
		return
	}
	arrived := reflection(c.in.Reflector)
	arrived.InboundTag, arrived.User = mine.InboundTag, mine.User
	out := c.once(p, way)
	p.Rules = append(p.Rules, withOut(arrived, out), withOut(mine, blockTag))
}

// tunnels says whether a probe comes through WireGuard: it carries addresses alone, and none of the host itself, so the
// probe is led to the reflector whatever it asks for.
func (c *compiler) tunnels() bool {
	return slices.ContainsFunc(c.in.Graph.Nodes, func(b graph.Node) bool {
		_, reached := c.blocks[b.Key]
		return reached && b.Kind == graph.Entry && b.Params.Listener.Protocol == graph.WireGuard
	})
}

// mainWay is the edge that takes the rest, or the first one that does not end in a block.
func (c *compiler) mainWay(edges []graph.Edge) (graph.Edge, bool) {
	var first *graph.Edge
	for i, e := range edges {
		if c.blocks[e.To].Kind == graph.Block {
			continue
		}
		if e.Match.Empty() {
			return e, true
		}
		if first == nil {
			first = &edges[i]
		}
	}
	if first == nil {
		return graph.Edge{}, false
	}
	return *first, true
}
