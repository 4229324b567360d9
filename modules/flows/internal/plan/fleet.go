package plan

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// fleet checks the drawing against the nodes it names.
func (c *compiler) fleet() {
	for _, key := range c.order {
		b := c.blocks[key]
		if b.Kind == graph.Custom {
			c.custom(b)
		}
		if !b.Kind.NeedsNode() {
			continue
		}
		n, known := c.in.Nodes[b.NodeID]
		if !known {
			c.fail("unknown_node", c.nodePath(key), "there is no such node")
			continue
		}
		if b.Served() {
			c.panel(b, n)
		} else {
			c.core(key, n)
		}
		c.binding(key, b)
		c.target(key, n)
	}
	if len(c.plan.Errors) == 0 {
		c.edges()
	}
}

// nodePath is the field of the drawing that names the node of a block.
func (c *compiler) nodePath(key string) string {
	if drawnKey(key) != key {
		return c.path(key, ".pool_id")
	}
	return c.path(key, ".node_id")
}

// needed is what the agent of a node must be able to do, so that a flow can be installed there.
const needed = string(agentapi.CanApply)

// CapabilityMissing is the code of a node whose agent cannot do what the flow needs there.
const CapabilityMissing = "capability_missing"

func (c *compiler) core(key string, n Node) {
	if len(n.Can) > 0 && !slices.Contains(n.Can, needed) {
		c.lacking(key, n, needed, "the node's agent cannot install configurations; update it")
	}
	if n.Core == "" {
		c.warn("core_unknown", c.nodePath(key), "the node's agent has not reported its core's version yet")
	}
	b := c.blocks[key]
	if b.Kind == graph.Entry {
		l := b.Params.Listener.Filled()
		c.transport(n, l.Transport, c.path(key, ".params.listener.transport"))
		c.certificates(key, n, l)
		c.tunnel(key, n, l)
		c.proxied(key, n, l)
	}
}

// proxied asks for an agent whose probe can say who it is, and warns of what a header of the PROXY protocol is trusted
// for.
func (c *compiler) proxied(key string, n Node, l graph.Listener) {
	if !l.AcceptProxy {
		return
	}
	if can := string(agentapi.CanBeProxied); len(n.Can) > 0 && !slices.Contains(n.Can, can) {
		c.lacking(key, n, can, "the node's agent cannot try a listener that expects the PROXY protocol; update it")
	}
	c.warn("proxy_trusted", c.path(key, ".params.listener.accept_proxy_protocol"), proxyTrusted)
}

const proxyTrusted = "whoever reaches this port may claim to be anybody: let nobody but the load balancer reach it"

// lacking refuses a node whose agent is not able to do something.
func (c *compiler) lacking(key string, n Node, capability, message string) {
	c.plan.Errors = append(c.plan.Errors, graph.Problem{
		Code: CapabilityMissing, Path: c.nodePath(key), Node: n.Name, Core: n.Core, Capability: capability,
		Message: message,
	})
}

// holdsCertificates is what the agent of a node must be able to do, so that a listener there can have TLS.
const holdsCertificates = "document_certificates"

func (c *compiler) certificates(key string, n Node, l graph.Listener) {
	if l.Security != graph.TLS || len(n.Can) == 0 || slices.Contains(n.Can, holdsCertificates) {
		return
	}
	c.lacking(key, n, holdsCertificates, "the node's agent cannot hold certificates; update it")
}

// binding refuses a domain that is unknown, somebody else's or bound to another node, with one answer for all.
func (c *compiler) binding(key string, b graph.Node) {
	if b.NodeDomainID == "" {
		return
	}
	if d, known := c.in.Domains[b.NodeDomainID]; !known || d.NodeID != b.NodeID {
		c.fail("node_domain_unknown", c.path(key, ".node_domain_id"),
			"there is no such domain binding on this block's node")
	}
}

// target refuses a REALITY target inside the node, the panel or a private network: whoever sends an unknown client
// hello is connected with it. A name is judged where it is resolved, by the node's own probe.
func (c *compiler) target(key string, n Node) {
	field, l := c.listenerOf(key)
	if l == nil || l.Filled().Security != "reality" || l.Reality == nil {
		return
	}
	host, _, err := net.SplitHostPort(l.Reality.Target)
	if err != nil || !c.inside(n, host) {
		return
	}
	path := c.path(key, field+".reality.target")
	if l.Reality.AllowPrivateTarget {
		c.warn(
			"target_private",
			path,
			"strangers reach this target through the listener: it is the node itself, the panel or in a private network",
		)
		return
	}
	c.fail(
		"target_private",
		path,
		"the target is the node itself, the panel or in a private network; choose a public site, or allow it here",
	)
}

func (c *compiler) inside(n Node, host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if strings.EqualFold(host, n.Address) || strings.EqualFold(host, c.in.Reflector.Host) || slices.Contains(n.Own,
		host) {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil &&
		slices.ContainsFunc(privateNets, func(p netip.Prefix) bool { return p.Contains(address.Unmap().WithZone("")) })
}

// listenerOf gives the listener that the drawing sets for a block, and its field.
func (c *compiler) listenerOf(key string) (string, *graph.Listener) {
	if b := c.blocks[key]; b.Kind != graph.Entry {
		return ".params.hop", b.Params.Hop
	}
	return ".params.listener", c.blocks[key].Params.Listener
}

func (c *compiler) transport(n Node, transport, path string) {
	if !coreSpeaks(n.Core, transport) {
		c.failOn(n, "transport_not_supported", path, "the node's core does not speak this transport")
	}
}

// coreSpeaks knows since which version a core speaks a transport; nothing but raw is taken for granted.
func coreSpeaks(core, transport string) bool {
	switch transport {
	case "", "raw":
		return true
	case "xhttp":
		return atLeast(core, 24, 11)
	case "grpc", "ws":
		return atLeast(core, 1, 8)
	case "httpupgrade":
		return atLeast(core, 24, 1)
	case graph.QUIC, graph.WireGuard:
		return atLeast(core, 26, 3)
	}
	return false
}

func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}

func (c *compiler) edges() {
	for i, e := range c.in.Graph.Edges {
		if _, reached := c.blocks[e.From]; reached {
			c.edge(fmt.Sprintf("edges[%d]", i), e)
		}
	}
}

func (c *compiler) edge(path string, e graph.Edge) {
	senders := c.nodesOf(e.From)
	for _, from := range senders {
		c.geo(path+".match", from, e.Match)
		c.sender(path, e, from)
	}
	if !c.remote(e) {
		return
	}
	hop := c.blocks[e.To].Params.Hop
	if hop != nil && hop.Transport != "" && e.Transport != "" && hop.Transport != e.Transport {
		c.fail("invalid_value", path+".transport", "the block at the end of this edge listens with another transport")
	}
	transport := e.Transport
	if hop != nil && hop.Transport != "" {
		transport = hop.Transport
	}
	if hop != nil && hop.Protocol == graph.WireGuard {
		c.fail("transport_not_supported", path+".transport",
			"nodes do not speak WireGuard among themselves: it carries addresses, and names would be looked up at the wrong end")
		return
	}
	if !c.hopTransport(path, transport, hop) {
		return
	}
	if hop != nil && hop.Protocol == "hysteria2" {
		transport = graph.QUIC
	}
	for _, n := range append(senders, c.nodesOf(e.To)...) {
		c.transport(n, transport, path+".transport")
	}
}

// hopTransport says whether the block at the end of an edge can be reached over a transport.
func (c *compiler) hopTransport(path, transport string, hop *graph.Listener) bool {
	if transport == "" || transport == "raw" {
		return true
	}
	carried := hop != nil && slices.Contains([]string{"vless", "trojan", "vmess"}, hop.Protocol)
	upgrade := transport == "ws" || transport == "httpupgrade"
	switch {
	case upgrade && (!carried || hop.Filled().Security == "reality"):
		c.fail("transport_not_supported", path+".transport", "between nodes this transport needs a hop with TLS at its end")
	case !carried:
		c.fail("invalid_value", path+".transport", "between nodes this transport needs a hop of vless, trojan or vmess at its end")
	default:
		return true
	}
	return false
}

// geo refuses categories on nodes that have no file to look them up in.
func (c *compiler) geo(path string, n Node, m *graph.Match) {
	if m == nil {
		return
	}
	c.geoNames(path+".geosite", "geosite", n, m.Geosite)
	c.geoNames(path+".geoip", "geoip", n, m.GeoIP)
}

func (c *compiler) geoNames(path, usual string, n Node, names []string) {
	missing := map[string]bool{}
	for _, name := range names {
		file, token := usual+".dat", GeoToken(usual, name)
		if own, _, custom := strings.Cut(name, ":"); custom {
			file = strings.ToLower(own)
		}
		switch {
		case slices.Contains(n.GeoLacks, token):
			c.failOn(n, geoMissing, path, "the geo file of the node has no category "+token)
		case !slices.Contains(n.GeoFiles, file) && !missing[file]:
			missing[file] = true
			c.failOn(n, geoMissing, path, "the node has no "+strings.TrimSuffix(file, ".dat")+" file")
		}
	}
}

const geoMissing = "geo_category_missing"

// GeoToken is a category of a drawing as it is named everywhere, "geosite:ads" or "custom.dat:ads".
func GeoToken(usual, name string) string {
	if name = strings.ToLower(name); strings.Contains(name, ":") {
		return name
	}
	return usual + ":" + name
}
