package plan

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
)

// Access is what a link is made of: an installed entry and one client of it.
type Access struct {
	FlowID string
	Root   []byte
	Block  string // key of the entry
	Listen graph.Listener
	Host   string // what the client dials
	Client Client
	Name   string // shown in the client's application
}

// Entries lists the entries of a drawing that a client can use, in the order of their keys.
func Entries(g graph.Graph) []graph.Node {
	var out []graph.Node
	for _, n := range g.Nodes {
		if n.Kind == graph.Entry && n.Params.Listener != nil {
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

// Link writes a client's access as a link in the form that client applications share, and names the form.
func Link(a Access) (uri, format string) {
	a.Listen = a.Listen.Filled()
	switch a.Listen.Protocol {
	case "vless":
		return vlessLink(a), "vless"
	case "trojan":
		return trojanLink(a), "trojan"
	}
	return shadowsocksLink(a), "shadowsocks"
}

func (a Access) address() string {
	return net.JoinHostPort(a.Host, strconv.Itoa(mustPort(a.Listen)))
}

func vlessLink(a Access) string {
	q := a.query()
	q.Set("encryption", "none")
	setFilled(q, "flow", a.Listen.Flow)
	return "vless://" + a.Client.UUID + "@" + a.address() + "?" + q.Encode() + "#" + url.PathEscape(a.Name)
}

func trojanLink(a Access) string {
	password := account{key: a.Client.Key}.secret()
	return "trojan://" + password + "@" + a.address() + "?" + a.query().Encode() + "#" + url.PathEscape(a.Name)
}

// query says how to reach the listener.
func (a Access) query() url.Values {
	q := url.Values{}
	q.Set("type", linkTransport(a.Listen.Transport))
	setFilled(q, "path", a.Listen.Path)
	setFilled(q, "mode", a.Listen.Mode)
	setFilled(q, "serviceName", a.Listen.ServiceName)
	s := clientStream(a.Root, a.Block, a.Host, a.Listen)
	if s.TLS != nil {
		q.Set("security", graph.TLS)
		q.Set("sni", s.TLS.ServerName)
		q.Set("fp", s.TLS.Fingerprint)
		q.Set("alpn", strings.Join(s.TLS.ALPN, ","))
		if a.Listen.Path != "" {
			q.Set("host", a.Host)
		}
	}
	if s.Reality != nil {
		q.Set("security", "reality")
		q.Set("sni", s.Reality.ServerName)
		q.Set("fp", s.Reality.Fingerprint)
		q.Set("pbk", s.Reality.PublicKey)
		q.Set("sid", s.Reality.ShortID)
	}
	return q
}

func linkTransport(t string) string {
	if t == "raw" {
		return "tcp"
	}
	return t
}

func setFilled(q url.Values, key, value string) {
	if value != "" {
		q.Set(key, value)
	}
}

// shadowsocksLink percent-encodes method and passwords, as SIP002 asks for the 2022 methods.
func shadowsocksLink(a Access) string {
	client := account{key: a.Client.Key}
	password := serverKey(a.Root, a.Block, a.Listen.Method) + ":" + client.password(a.Listen.Method)
	return "ss://" + url.UserPassword(a.Listen.Method, password).
		String() +
		"@" + a.address() + "#" + url.PathEscape(
		a.Name,
	)
}

// Subscription is a list of links as client applications fetch it.
func Subscription(links []string) []byte {
	text := strings.Join(links, "\n")
	if len(links) > 0 {
		text += "\n"
	}
	return []byte(base64.StdEncoding.EncodeToString([]byte(text)))
}

// ProbeClient is the outbound of a real client that only the panel's probe uses; it reaches the reflector alone. It
// dials host and, where the listener has TLS, expects the certificate of the domain name.
func ProbeClient(flowID string, root []byte, block, name string, l graph.Listener, host string) []byte {
	l = l.Filled()
	o := outbound(root, "probe", block, name, l, host, credential(root, "probe ", "flow."+flowID+".probe"))
	raw, err := json.Marshal(o)
	if err != nil {
		//nolint:forbidigo // such a value has no error to return
		panic(fmt.Sprintf("an outbound is made of plain values and always encodes: %v", err))
	}
	return raw
}
