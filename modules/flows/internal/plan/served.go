package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// An entry may be served by the node that a proxy panel has on the same machine, to users there. That node is another
// core than ours, so an edge from such an entry leads to another core even where it stays on the machine. What is
// rendered for it is a part of that panel's configuration: whole in itself, without anybody who may use it.

// Panels are nodes of proxy panels, by connections and by our nodes.
type Panels map[string]map[string]flowsapi.PanelNode

// withoutPorts is what does not tell who holds ports.
func (p Panels) withoutPorts() Panels {
	out := Panels{}
	for connection, nodes := range p {
		out[connection] = map[string]flowsapi.PanelNode{}
		for id, n := range nodes {
			n.Ports = nil
			out[connection][id] = n
		}
	}
	return out
}

func (p Panels) of(b graph.Node) (flowsapi.PanelNode, bool) {
	n, known := p[b.Params.ProxyPanel.ConnectionID][b.NodeID]
	return n, known
}

// panelCores are the names that the core of a proxy panel's node runs under. What it listens on is known from the
// panel's inbounds.
var panelCores = []string{"xray", "rw-core"}

// panel checks an entry against the node of the proxy panel that is to serve it.
func (c *compiler) panel(b graph.Node, n Node) {
	path, l := c.path(b.Key, ".params.proxypanel"), b.Params.Listener.Filled()
	there, known := c.in.Panels.of(b)
	if !known {
		c.failOn(n, "panel_node_unknown", path+".connection_id",
			"the proxy panel has no node on this block's node: adopt it at the connection")
		return
	}
	for i, id := range b.Params.ProxyPanel.SquadIDs {
		if !slices.Contains(there.Squads, id) {
			c.failOn(n, "panel_squad_unknown", fmt.Sprintf("%s.squad_ids[%d]", path, i),
				"the proxy panel has no such squad")
		}
	}
	for _, sender := range c.panelSender(b) {
		c.transport(sender, l.Transport, c.path(b.Key, ".params.listener.transport"))
	}
	if l.Security == "none" {
		c.warn("panel_unencrypted", c.path(b.Key, ".params.listener.security"),
			"nothing encrypts what users send here: let a program that ends TLS stand in front")
	}
	if l.AcceptProxy {
		c.warn("proxy_trusted", c.path(b.Key, ".params.listener.accept_proxy_protocol"), proxyTrusted)
	}
	if slices.ContainsFunc(c.out[b.Key], func(e graph.Edge) bool {
		return e.Match != nil && len(e.Match.Geosite)+len(e.Match.GeoIP) > 0
	}) {
		c.warn("panel_geo_files", c.path(b.Key, ".params.proxypanel"),
			"categories are those of the files that the node of the proxy panel has; updates from here do not reach it")
	}
}

// panelSender is the node of a proxy panel as a sender: its core, with the geo files that come with it. There is none
// where the version of that core is not known.
func (c *compiler) panelSender(b graph.Node) []Node {
	there, _ := c.in.Panels.of(b)
	if there.Core == "" {
		return nil
	}
	return []Node{{ID: b.NodeID, Name: there.Name, Core: there.Core, GeoFiles: []string{"geosite.dat", "geoip.dat"}}}
}

// panelHolds finds what stands in the way between our core and that of a proxy panel on one machine: other inbounds of
// that panel, and what this flow has installed of the other kind. One apply cannot hand a port over: the new listener
// comes before the old one goes.
func (c *compiler) panelHolds(nodeID string, want Listen) (with ConflictWith, port int) {
	for _, l := range c.in.Installed[nodeID].Listens {
		if l.Panel != want.Panel && l.Overlaps(want) {
			return ConflictWith{FlowID: l.FlowID, Listener: l.Name}, max(l.From, want.From)
		}
	}
	own := "flow." + c.in.FlowID + "."
	for _, connection := range slices.Sorted(maps.Keys(c.in.Panels)) {
		there := c.in.Panels[connection][nodeID]
		for _, held := range there.Ports {
			seen := Listen{L4: held.L4, From: held.Port, To: held.Port}
			if !strings.HasPrefix(held.Tag, own) && seen.Overlaps(want) {
				return ConflictWith{Process: there.Connection, Listener: held.Tag}, held.Port
			}
		}
	}
	return ConflictWith{}, 0
}

// hostOf is where the sender of an edge reaches its end: over the loopback interface where both cores are on one
// machine, so that neither a firewall nor the network in front of the machine has a say.
func (c *compiler) hostOf(e graph.Edge) string {
	to := c.blocks[e.To]
	if c.blocks[e.From].NodeID != to.NodeID {
		return c.in.Nodes[to.NodeID].Address
	}
	ip, err := netip.ParseAddr(c.hops[e.To].ListenIP)
	if err != nil || ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return ip.String()
}

// panelInbound is a listener as proxy panels read it: with its port as a number.
type panelInbound struct {
	Inbound

	Port int `json:"port"`
}

// serve renders an entry for the node of a proxy panel.
func (c *compiler) serve(b graph.Node) {
	l := c.opened(b.Params.Listener.Filled())
	s := &Fragment{FlowID: c.in.FlowID, NodeID: b.NodeID}
	c.listen(s, b, l, nil, "anywhere")
	c.arrivals(s, b, nil)
	c.closed(s, b)

	p := c.part(b.NodeID)
	for i := range s.Listens {
		s.Listens[i].Panel = true
	}
	c.tellServed(s, b)
	p.Listens, p.Facts = append(p.Listens, s.Listens...), append(p.Facts, s.Facts...)
	p.Served = append(p.Served, flowsapi.ServedPart{
		FlowID: c.in.FlowID, Block: b.Key, NodeID: b.NodeID, ConnectionID: b.Params.ProxyPanel.ConnectionID,
		Tag: c.inTag(b.Key), Inbound: encode(panelInbound{s.Inbounds[0], mustPort(l)}),
		Outbounds: each(s.Outbounds), Rules: each(s.Rules), Resolves: resolves(s.Rules),
		SquadIDs: slices.Sorted(slices.Values(b.Params.ProxyPanel.SquadIDs)), Remark: b.Params.ProxyPanel.Remark,
	})
}

// closed lets nothing of an entry through that its rules do not choose: the first way out of a proxy panel's
// configuration, which takes the rest, is somebody else's. What is blocked goes by an outbound of the entry's own.
func (c *compiler) closed(s *Fragment, b graph.Node) {
	if len(s.Rules) == 0 || !s.Rules[len(s.Rules)-1].total() {
		s.Rules = append(s.Rules, Rule{InboundTag: []string{c.inTag(b.Key)}, OutboundTag: blockTag})
	}
	blocks := "flow." + c.in.FlowID + ".block." + b.Key
	used := false
	for i := range s.Rules {
		if s.Rules[i].OutboundTag == blockTag {
			s.Rules[i].OutboundTag, used = blocks, true
		}
	}
	if used {
		s.Outbounds = append(s.Outbounds, Outbound{Tag: blocks, Protocol: "blackhole"})
	}
}

// total reports whether a rule takes everything that arrives at its inbounds.
func (r Rule) total() bool {
	return len(r.User)+len(r.Domain)+len(r.IP)+len(r.Protocol) == 0 && r.Port == ""
}

// tellServed says of the listener's fact who serves it to whom.
func (c *compiler) tellServed(s *Fragment, b graph.Node) {
	there, _ := c.in.Panels.of(b)
	p := b.Params.ProxyPanel
	for _, f := range s.Facts {
		if f.Group != "listeners" {
			continue
		}
		f.Fields["served_by"] = there.Connection + " (" + there.Name + ")"
		f.Fields["squads"] = strings.Join(slices.Sorted(slices.Values(p.SquadIDs)), ", ")
		if p.Remark != "" {
			f.Fields["remark"] = p.Remark
		}
	}
}

func each[T any](list []T) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, one := range list {
		out[i] = encode(one)
	}
	return out
}

// OnlyServed reports whether all of a fragment is a proxy panel's business and nothing the agent's.
func (f Fragment) OnlyServed() bool {
	return len(f.Served) > 0 && len(f.Inbounds)+len(f.Outbounds)+len(f.Rules) == 0
}

// Identity names all that the fragment makes cores do, also that of a proxy panel.
func (f Fragment) Identity() string {
	if len(f.Served) == 0 {
		return f.Hash()
	}
	return hashOf([]byte(f.Hash() + string(encode(f.Served))))
}

func identities(fragments map[string]Fragment) map[string]string {
	out := make(map[string]string, len(fragments))
	for id, f := range fragments {
		out[id] = f.Identity()
	}
	return out
}

// ServedParts are the parts of fragments that proxy panels are to run, by their blocks.
func ServedParts(fragments map[string]Fragment) []flowsapi.ServedPart {
	out := []flowsapi.ServedPart{}
	for _, f := range fragments {
		out = append(out, f.Served...)
	}
	slices.SortFunc(out, func(a, b flowsapi.ServedPart) int { return strings.Compare(a.Block, b.Block) })
	return out
}

// servedAnew gives the blocks whose part of a proxy panel changes, comes or goes, sorted.
func servedAnew(installed, fragments map[string]Fragment) []string {
	before, after := partsByBlock(installed), partsByBlock(fragments)
	for block, part := range after {
		if bytes.Equal(before[block], part) {
			delete(before, block)
			delete(after, block)
		}
	}
	maps.Copy(before, after)
	return slices.Sorted(maps.Keys(before))
}

func partsByBlock(fragments map[string]Fragment) map[string][]byte {
	out := map[string][]byte{}
	for _, part := range ServedParts(fragments) {
		out[part.Block] = encode(part)
	}
	return out
}

// compareWays tells where an entry stays with its proxy panel and only what follows behind it changes: its node there
// gets a new profile, too. What else changes of it, the stage of the proxy panel tells.
func (c *compiler) compareWays(fragments map[string]Fragment) {
	installed := map[string]flowsapi.ServedPart{}
	for _, part := range ServedParts(c.in.Installed) {
		installed[part.Block] = part
	}
	for _, now := range ServedParts(fragments) {
		before, stays := installed[now.Block]
		if !stays || before.NodeID != now.NodeID || before.ConnectionID != now.ConnectionID {
			continue
		}
		if from, to := waysHash(before), waysHash(now); from != to {
			c.put("proxypanel", Change{Op: "changed", NodeID: now.NodeID, Name: now.Tag, Field: "ways", From: from, To: to})
		}
	}
}

// waysHash names the ways out of a served part. It is short enough to be read aloud and tells nothing of their secrets.
func waysHash(part flowsapi.ServedPart) string {
	return hashOf(encode([]any{part.Outbounds, part.Rules, part.Resolves}))[:12]
}

// servedReadiness asks about the REALITY targets of entries in a plan that changes no more than what proxy panels run.
func (c *compiler) servedReadiness(blocks []string) {
	for _, key := range blocks {
		if _, stays := c.blocks[key]; stays {
			c.checkTarget(key)
		}
	}
}

// MaskedParts are the served parts among installed fragments in a form to show, with every secret hidden.
func MaskedParts(fragments []Fragment) ([]map[string]any, error) {
	out := []map[string]any{}
	for _, f := range fragments {
		for _, part := range f.Served {
			tree, err := Masked(encode(part))
			if err != nil {
				return nil, err
			}
			out = append(out, tree)
		}
	}
	return out, nil
}
