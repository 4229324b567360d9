package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// Access is what a link is made of: an installed entry and one client of it.
type Access struct {
	FlowID string
	Root   []byte
	Block  string         // key of the entry
	Listen graph.Listener // with its own secret, where it has one
	Host   string         // what the client dials
	Client Client
	Name   string // shown in the client's program

	Refused []flowsapi.Refusal
}

// Entries lists the entries of a drawing that a client of the flow can use; those that a proxy panel serves are for
// users there.
func Entries(g graph.Graph) []graph.Node {
	var out []graph.Node
	for _, n := range g.Nodes {
		if n.Kind == graph.Entry && !n.Served() && n.Params.Listener != nil {
			out = append(out, n)
		}
	}
	return out
}

// LeadsOut reports whether any edge of a block leads to something else than a block.
func LeadsOut(g graph.Graph, key string) bool {
	for _, e := range g.Edges {
		if i := g.Find(e.To); e.From == key && i >= 0 && g.Nodes[i].Kind != graph.Block {
			return true
		}
	}
	return false
}

// Connect gives what a client program needs to use an access.
func Connect(a Access) flowsapi.Connection {
	l := a.Listen.Filled()
	c := flowsapi.Connection{
		FlowID: a.FlowID, Block: a.Block, Name: a.Name, Protocol: l.Protocol, Host: a.Host, Port: mustPort(l),
		UDP: l.Protocol != "shadowsocks2022" || l.L4 != "tcp", Flow: l.Flow, Transport: l.Transport, Path: l.Path,
		Mode: l.Mode, ServiceName: l.ServiceName, Security: l.Security, Refused: a.Refused,
	}
	client := account{
		key: a.Client.Key, own: a.Client.Password, address: agentapi.TunnelAddress(a.Client.Number),
	}
	if l.Protocol == graph.WireGuard {
		c.Tunnel = tunnelClient(a.Root, a.Block, client)
		return c
	}
	switch l.Protocol {
	case "vless", "vmess":
		c.ID = a.Client.UUID
	case "trojan":
		c.Password = client.secret()
	case "hysteria2":
		c.Password = client.secret()
		if l.PortRange != "" {
			c.Ports = portText(l)
		}
		if l.Obfs == salamander {
			c.Obfs = obfsPassword(a.Root, a.Block, l)
		}
	case "shadowsocks2022":
		c.Method, c.Password = l.Method, serverKey(a.Root, a.Block, l)+":"+client.password(l.Method)
	}
	s := clientStream(a.Root, a.Block, a.Host, l)
	if s.TLS != nil {
		c.ServerName, c.Fingerprint, c.ALPN = s.TLS.ServerName, s.TLS.Fingerprint, s.TLS.ALPN
		if l.Path != "" {
			c.WebHost = a.Host
		}
	}
	if s.Reality != nil {
		c.ServerName, c.Fingerprint = s.Reality.ServerName, s.Reality.Fingerprint
		c.PublicKey, c.ShortID, c.PostQuantum = s.Reality.PublicKey, s.Reality.ShortID, s.Reality.MLDSAVerify
	}
	if s.XHTTP != nil && s.XHTTP.Extra != nil {
		c.Extra = encode(s.XHTTP.Extra)
	}
	return c
}

// Refused gives what an entry refuses before anything else: its first edges as long as they lead to a block. Categories
// of geo files are left out, because programs may not have them; the entry itself refuses those.
func Refused(g graph.Graph, key string) []flowsapi.Refusal {
	var edges []graph.Edge
	for _, e := range g.Edges {
		if e.From == key {
			edges = append(edges, e)
		}
	}
	slices.SortStableFunc(edges, graph.Compare)
	var out []flowsapi.Refusal
	for _, e := range edges {
		if i := g.Find(e.To); i < 0 || g.Nodes[i].Kind != graph.Block || e.Match.Empty() {
			return out
		}
		m := e.Match
		r := flowsapi.Refusal{Domains: m.Domain, Ports: m.Port, Protocols: m.Protocol}
		for _, ip := range m.IP {
			if p, err := graph.ParsePrefix(ip); err == nil {
				r.Networks = append(r.Networks, p.String())
			}
		}
		// Without its categories a match that has nothing else to name would choose everything.
		if len(r.Domains)+len(r.Networks) > 0 || len(m.Geosite)+len(m.GeoIP) == 0 {
			out = append(out, r)
		}
	}
	return out
}

// ProbeClient is the outbound of a real client that only the panel's probe uses; it reaches the reflector alone. It
// dials host and, where the listener has TLS, expects the certificate of the domain name.
func ProbeClient(flowID string, root []byte, block, name string, l graph.Listener, host string) []byte {
	l = l.Filled()
	if l.Protocol == graph.WireGuard {
		return encode(tunnelProbe(root, block, l, host, credential(root, "probe ", "")))
	}
	o := outbound(root, "probe", block, name, l, host, credential(root, "probe ", "flow."+flowID+".probe"))
	raw, err := json.Marshal(o)
	if err != nil {
		//nolint:forbidigo // such a value has no error to return
		panic(fmt.Sprintf("an outbound is made of plain values and always encodes: %v", err))
	}
	return raw
}
