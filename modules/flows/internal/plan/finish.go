package plan

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
)

// finish compares the fragments with what is installed and says what there is to do.
func (c *compiler) finish() Result {
	fragments, hashes := make(map[string]Fragment, len(c.parts)), make(map[string]string, len(c.parts))
	for id, p := range c.parts {
		fragments[id] = p.Encoded()
		hashes[id] = fragments[id].Hash()
	}
	hosts := c.hosts()
	c.steps(fragments, hashes)
	served := servedAnew(c.in.Installed, fragments)
	c.compareWays(fragments)
	c.plan.IsNoop = len(c.plan.Steps) == 0 && !c.compareHosts(hosts) && len(served) == 0
	c.plan.Hash = planHash(identities(fragments), hosts)
	for _, id := range c.touched(fragments) {
		c.compare(id, fragments[id])
		if !fragments[id].OnlyServed() {
			c.render(id, fragments)
		}
	}
	if len(c.plan.Steps) > 0 {
		c.readiness(fragments)
	} else {
		c.servedReadiness(served)
	}
	return Result{Plan: c.plan, Fragments: fragments, Hosts: hosts}
}

// hosts says what the links of every entry will name.
func (c *compiler) hosts() []Host {
	out := []Host{}
	for _, key := range c.order {
		b := c.blocks[key]
		if b.Kind != graph.Entry {
			continue
		}
		h := Host{Block: key, NodeID: b.NodeID, DomainID: b.NodeDomainID, Host: c.in.Nodes[b.NodeID].Address}
		if b.NodeDomainID != "" {
			h.Host = c.in.Domains[b.NodeDomainID].Hostname
		}
		out = append(out, h)
	}
	return out
}

// compareHosts tells which links change, and whether any does. Links are no part of a node's configuration: a
// change of them alone is installed without touching a node.
func (c *compiler) compareHosts(hosts []Host) (changed bool) {
	for _, now := range hosts {
		at := slices.IndexFunc(c.in.Hosts, func(h Host) bool { return h.Block == now.Block })
		if at < 0 || c.in.Hosts[at].Host == now.Host {
			continue
		}
		changed = true
		c.put(
			"listeners",
			Change{
				Op: "changed", NodeID: now.NodeID, Name: now.Block, Field: "host", From: c.in.Hosts[at].Host,
				To: now.Host,
			},
		)
	}
	return changed
}

func planHash(hashes map[string]string, hosts []Host) string {
	var all strings.Builder
	for _, id := range slices.Sorted(maps.Keys(hashes)) {
		fmt.Fprintf(&all, "%s %s %s\n", CompilerVersion, id, hashes[id])
	}
	for _, h := range hosts {
		fmt.Fprintf(&all, "host %s %s\n", h.Block, h.Host)
	}
	return hashOf([]byte(all.String()))
}

func (c *compiler) touched(fragments map[string]Fragment) []string {
	ids := slices.Collect(maps.Keys(fragments))
	for id := range c.in.Installed {
		if _, still := fragments[id]; !still {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (c *compiler) render(id string, fragments map[string]Fragment) {
	all := slices.Clone(c.in.Nodes[id].Others)
	if f, stays := fragments[id]; stays {
		all = append(all, f)
	}
	c.plan.Rendered[id] = hashOf(Render(all))
}

// steps orders the work: exits, then transits, then entries, then the nodes that the flow leaves.
func (c *compiler) steps(fragments map[string]Fragment, hashes map[string]string) {
	for _, id := range c.touched(fragments) {
		f, stays := fragments[id]
		before, was := c.in.Installed[id]
		stays, was = stays && !f.OnlyServed(), was && !before.OnlyServed()
		if was == stays && (!was || before.Hash() == hashes[id]) {
			continue
		}
		c.plan.Steps = append(c.plan.Steps, c.step(id, f, stays, was))
	}
	slices.SortFunc(c.plan.Steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.NodeID, b.NodeID))
	})
	for i := range c.plan.Steps {
		c.plan.Steps[i].Order = i + 1
	}
}

func (c *compiler) step(id string, f Fragment, stays, was bool) Step {
	s := Step{
		NodeID:       id,
		NodeName:     c.in.Nodes[id].Name,
		Role:         f.Role,
		Action:       ActionConfigure,
		Interruption: NoInterruption,
	}
	switch {
	case !stays:
		s.Action, s.Role, s.Interruption = ActionRemove, "none", Reload
		s.Detail, s.DetailCode = "the flow leaves this node", "leaves"
	case was:
		s.Interruption, s.DetailCode = Reload, "changes"
		s.Detail = "change the flow's part; open connections finish on the old one"
	default:
		s.Detail, s.DetailCode = "add the flow; nothing else on the node changes", "adds"
	}
	return s
}

func rank(s Step) int {
	return slices.Index([]string{"exit", "transit", "entry", "none"}, s.Role)
}

// compare tells the difference of one node in facts.
func (c *compiler) compare(id string, f Fragment) {
	was := c.in.Installed[id].Facts
	if f.Listed && !c.in.Installed[id].Listed { // its clients are no part of what is installed any more, and stay
		was = slices.DeleteFunc(slices.Clone(was), func(one Fact) bool { return one.Group == "clients" })
	}
	before, after := factsByName(was), factsByName(f.Facts)
	names := slices.AppendSeq(make([]string, 0, len(before)+len(after)), maps.Keys(before))
	clients := 0
	for name, fact := range after {
		if _, known := before[name]; !known {
			names = append(names, name)
			if fact.Group == "clients" {
				clients++
			}
		}
	}
	c.plan.Diff.Clients = slices.Grow(c.plan.Diff.Clients, clients)
	slices.Sort(names)
	for _, name := range names {
		c.change(id, before[name], after[name])
	}
}

func factsByName(facts []Fact) map[string]*Fact {
	out := make(map[string]*Fact, len(facts))
	for i, f := range facts {
		key := f.Group + " " + f.Name + " " + f.Fields["id"] + " " + f.Fields["match"]
		out[key] = &facts[i]
	}
	return out
}

func (c *compiler) change(id string, before, after *Fact) {
	switch {
	case before == nil:
		c.put(
			after.Group,
			Change{Op: "added", NodeID: id, Name: after.Name, To: fieldsText(after.Fields), ToFields: after.Fields},
		)
	case after == nil:
		c.put(
			before.Group,
			Change{
				Op: "removed", NodeID: id, Name: before.Name, From: fieldsText(before.Fields),
				FromFields: before.Fields,
			},
		)
	default:
		c.fields(id, *before, *after)
	}
}

func (c *compiler) fields(id string, before, after Fact) {
	all := maps.Clone(before.Fields)
	maps.Copy(all, after.Fields)
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if from, to := before.Fields[field], after.Fields[field]; from != to {
			c.put(after.Group, Change{Op: "changed", NodeID: id, Name: after.Name, Field: field, From: from, To: to})
		}
	}
}

func (c *compiler) put(group string, change Change) {
	d := &c.plan.Diff
	list := map[string]*[]Change{
		"listeners": &d.Listeners, "routes": &d.Routes, "clients": &d.Clients, "firewall": &d.Firewall,
		"proxypanel": &d.ProxyPanel,
	}[group]
	*list = append(*list, change)
}

func fieldsText(fields map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != "id" {
			parts = append(parts, key+" "+fields[key])
		}
	}
	return strings.Join(parts, ", ")
}

// readiness lists what has to be seen on the nodes before the switch: new ports can be bound and are reachable, and
// every REALITY target answers that node. Ports that the installed revision already serves are not checked again.
func (c *compiler) readiness(fragments map[string]Fragment) {
	for _, id := range slices.Sorted(maps.Keys(fragments)) {
		for _, l := range fragments[id].Listens {
			if !l.Panel && !serves(c.in.Installed[id], l) {
				c.checkPort(id, l)
			}
		}
	}
	for _, key := range c.order {
		c.checkTarget(key)
	}
}

func serves(f Fragment, want Listen) bool {
	return slices.ContainsFunc(f.Listens, func(l Listen) bool {
		return l.L4 == want.L4 && l.IP == want.IP && l.From == want.From && l.To == want.To
	})
}

func (c *compiler) checkPort(id string, l Listen) {
	name := c.in.Nodes[id].Name
	probe := Probe{L4: l.L4, IP: l.IP, Port: l.From, Host: c.in.Nodes[id].Address, Path: c.portPath(l.Block)}
	where := fmt.Sprintf("%d/%s", l.From, l.L4)
	c.plan.Readiness = append(
		c.plan.Readiness,
		c.waiting("listener:"+id+":"+l.IP+":"+where, GroupListeners, id, where+" can be bound on "+name, probe),
		c.waiting(
			"firewall:"+id+":"+l.IP+":"+where,
			GroupFirewall,
			id,
			where+" on "+name+" is reachable from outside",
			probe,
		),
	)
}

func (c *compiler) checkTarget(key string) {
	b := c.blocks[key]
	l, ok := c.hops[key]
	if b.Kind == graph.Entry {
		l, ok = b.Params.Listener.Filled(), true
	}
	if !ok || l.Security != "reality" {
		return
	}
	host, port, err := net.SplitHostPort(l.Reality.Target)
	if err != nil {
		return
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return
	}
	field, _ := c.listenerOf(key)
	probe := Probe{
		L4: "tcp", Host: host, Port: number, ServerName: l.Reality.ServerNames[0],
		Private: l.Reality.AllowPrivateTarget, MLDSA65: l.Reality.MLDSA65,
		Path: c.path(key, field+".reality.target"),
	}
	id := "target:" + b.NodeID + ":" + l.Reality.Target + ":" + probe.ServerName
	if probe.MLDSA65 {
		id += ":mldsa65"
	}
	for _, known := range c.plan.Readiness {
		if known.Key == id {
			return
		}
	}
	c.plan.Readiness = append(c.plan.Readiness, c.waiting(id, GroupTarget, b.NodeID,
		l.Reality.Target+" answers "+c.in.Nodes[b.NodeID].Name+" with TLS 1.3 and h2", probe))
}

func (c *compiler) waiting(key, group, node, summary string, probe Probe) Check {
	return Check{
		Key: key, Group: group, NodeID: node, NodeName: c.in.Nodes[node].Name, Summary: summary, Status: Unconfirmed,
		Evidence: "not observed yet", Finding: Say("not_observed", "not observed yet"), Probe: probe,
	}
}

// sortedClients are clients by their ids; a list that is in this order already is not copied.
func sortedClients(clients []Client) []Client {
	byID := func(a, b Client) int { return cmp.Compare(a.ID, b.ID) }
	if slices.IsSortedFunc(clients, byID) {
		return clients
	}
	out := slices.Clone(clients)
	slices.SortFunc(out, byID)
	return out
}
