package flowsapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Connection is what a client program needs to reach one installed entry as one client.
type Connection struct {
	FlowID string
	Block  string // key of the entry
	Name   string // shown in the program

	Protocol string // as the listener calls it
	Host     string
	Port     int
	Ports    string // 20000-20010, where the program may change among them
	UDP      bool   // carries datagrams by itself
	ID       string // UUID of vless and vmess
	Password string // trojan, hysteria2, shadowsocks2022
	Obfs     string // hysteria2: password of the obfuscation, empty without
	Method   string // shadowsocks2022
	Flow     string // vless

	Transport   string // raw, xhttp, grpc, ws, httpupgrade, quic
	Path        string
	WebHost     string // the host that requests of the transport name
	Mode        string
	ServiceName string

	Security    string // none, tls, reality
	ServerName  string
	Fingerprint string
	ALPN        []string
	PublicKey   string // of REALITY
	ShortID     string
	PostQuantum string // what proves the ML-DSA-65 signature of REALITY, empty without

	Tunnel *Tunnel // of wireguard, and nothing of the others but where it is

	Extra json.RawMessage // further settings of xhttp, as the core reads them; empty without

	Refused []Refusal
}

// Tunnel is one peer of a listener of WireGuard. Keys are in Base64.
type Tunnel struct {
	PrivateKey string
	PublicKey  string // of the listener
	Address    string // of the peer in the tunnel, as 10.0.1.7/32
	MTU        int
}

// Resolver answers the names that a device asks for, through its tunnel.
const Resolver = "1.1.1.1"

// Networks are what goes into a tunnel: everything. Nothing of IPv6 comes out of it, so that it is not left outside.
func (Tunnel) Networks() []string { return []string{"0.0.0.0/0", "::/0"} }

// Conf writes a connection of WireGuard as the file that programs of WireGuard read; empty for every other one.
func (c Connection) Conf() string {
	if c.Tunnel == nil {
		return ""
	}
	return fmt.Sprintf("[Interface]\nPrivateKey = %s\nAddress = %s\nDNS = %s\nMTU = %d\n\n"+
		"[Peer]\nPublicKey = %s\nAllowedIPs = %s\nEndpoint = %s\nPersistentKeepalive = %d\n",
		c.Tunnel.PrivateKey, c.Tunnel.Address, Resolver, c.Tunnel.MTU, c.Tunnel.PublicKey,
		strings.Join(c.Tunnel.Networks(), ", "), net.JoinHostPort(c.Host, strconv.Itoa(c.Port)), KeepAlive)
}

// KeepAlive is how many seconds a peer is silent at most: less than addresses of a router at home are remembered.
const KeepAlive = 25

// Refusal chooses traffic that the flow refuses before it looks at anything else, so that a program may refuse it
// itself: one of the names or addresses, and every other condition that is given.
type Refusal struct {
	Domains   []string // a domain with all below it, or full:, keyword: and regexp: with a pattern
	Networks  []string
	Ports     string // 80,443,1000-2000
	Protocols []string
}

// Equal tells whether both choose the same by the same words.
func (r Refusal) Equal(o Refusal) bool {
	return slices.Equal(r.Domains, o.Domains) && slices.Equal(r.Networks, o.Networks) && r.Ports == o.Ports &&
		slices.Equal(r.Protocols, o.Protocols)
}

// Subscriber is who holds the token of a subscription.
type Subscriber struct {
	Name        string // title of the subscription where the settings give none
	Address     string // of the subscription
	State       string // active, expired or spent
	Usage       *Usage // nil while nobody counts it
	Connections []Connection
	Untold      bool // a change of what it names is not told under SubscriptionsChanged
}

// SubscriptionsChanged is the channel on which the database tells that connections of some client may have changed.
const SubscriptionsChanged = "subscriptions"

// Usage is what a client has used and may use.
type Usage struct {
	Up, Down int64     // bytes
	Total    int64     // bytes; 0: as much as it likes
	Expires  time.Time // zero: never, or its time has not begun
	Lasts    int       // days from its next use; 0: its time has begun, or has no end
}

// The states of a subscriber.
const (
	Active  = "active"
	Expired = "expired"
	Spent   = "spent"
)

// Subscribers tells what the holder of a token may use.
type Subscribers interface {
	// ByToken gives the installed connections of whoever holds the token, or ErrUnknown, alike for a token that never
	// was and one that was revoked.
	ByToken(ctx context.Context, token string) (Subscriber, error)
}

// Form names the form of the connection's link.
func (c Connection) Form() string {
	if c.Protocol == "shadowsocks2022" {
		return "shadowsocks"
	}
	return c.Protocol
}

// URI writes the connection as the link that client programs share.
func (c Connection) URI() string {
	switch c.Protocol {
	case "vless":
		q := c.query()
		q.Set("encryption", "none")
		setFilled(q, "flow", c.Flow)
		return c.link("vless", url.User(c.ID), q)
	case "trojan":
		return c.link("trojan", url.User(c.Password), c.query())
	case "vmess":
		return c.vmess()
	case "hysteria2":
		q := url.Values{"sni": {c.ServerName}}
		setFilled(q, "mport", c.Ports)
		if c.Obfs != "" {
			q.Set("obfs", "salamander")
			q.Set("obfs-password", c.Obfs)
		}
		return c.link("hysteria2", url.User(c.Password), q)
	}
	if c.Tunnel != nil {
		q := url.Values{
			"publickey": {c.Tunnel.PublicKey}, "address": {c.Tunnel.Address}, "mtu": {strconv.Itoa(c.Tunnel.MTU)},
		}
		return c.link("wireguard", url.User(c.Tunnel.PrivateKey), q)
	}
	// SIP002 asks the 2022 methods for method and password in percent-encoding.
	return c.link("ss", url.UserPassword(c.Method, c.Password), nil)
}

func (c Connection) link(scheme string, user *url.Userinfo, q url.Values) string {
	text := scheme + "://" + user.String() + "@" + net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	if len(q) > 0 {
		text += "?" + q.Encode()
	}
	return text + "#" + url.PathEscape(c.Name)
}

// vmess is a document in Base64, whose members are all texts.
func (c Connection) vmess() string {
	d := map[string]string{
		"v": "2", "ps": c.Name, "add": c.Host, "port": strconv.Itoa(c.Port), "id": c.ID, "aid": "0", "scy": "auto",
		"net": linkTransport(c.Transport), "type": "none", "host": c.WebHost, "path": c.Path, "tls": "",
	}
	switch c.Transport {
	case "grpc":
		d["type"], d["path"] = "gun", c.ServiceName
	case "xhttp":
		d["type"] = c.Mode
	}
	if c.Security == "tls" {
		d["tls"], d["sni"], d["alpn"], d["fp"] = "tls", c.ServerName, strings.Join(c.ALPN, ","), c.Fingerprint
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return "" // texts always encode
	}
	return "vmess://" + base64.StdEncoding.EncodeToString(raw)
}

// query says how to reach the listener.
func (c Connection) query() url.Values {
	q := url.Values{}
	q.Set("type", linkTransport(c.Transport))
	setFilled(q, "path", c.Path)
	setFilled(q, "host", c.WebHost)
	setFilled(q, "mode", c.Mode)
	setFilled(q, "serviceName", c.ServiceName)
	q.Set("security", c.Security)
	setFilled(q, "sni", c.ServerName)
	setFilled(q, "fp", c.Fingerprint)
	setFilled(q, "alpn", strings.Join(c.ALPN, ","))
	setFilled(q, "pbk", c.PublicKey)
	setFilled(q, "sid", c.ShortID)
	setFilled(q, "pqv", c.PostQuantum)
	setFilled(q, "extra", string(c.Extra))
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
