// Package graph is the drawing of a flow: blocks, the edges between them, and the rules that a drawing must keep.
package graph

import "slices"

// Kind says what a block does with the traffic that reaches it.
type Kind string

// The kinds of blocks. A custom block is a way out that an operator has written: a version of a custom plan.
const (
	Entry       Kind = "entry"
	TransitPool Kind = "transit_pool"
	Transit     Kind = "transit"
	Exit        Kind = "exit"
	Direct      Kind = "direct"
	Block       Kind = "block"
	Custom      Kind = "custom"
)

// Limits of one drawing.
const (
	MaxNodes = 200
	MaxEdges = 1000
	MaxDepth = 4

	MaxPorts       = 1000 // of one listener
	MaxExpressions = 1000 // regular expressions of all edges together
	MaxProblems    = 100  // told of one drawing; the first ones are enough to go on
)

// Graph is a flow as an operator draws it.
type Graph struct {
	Nodes []Node `json:"nodes" maxItems:"200" doc:"Blocks of the flow"`
	Edges []Edge `json:"edges" maxItems:"1000" doc:"Ways from block to block"`
}

// Node is one block. NodeID names the node it runs on, NodeDomainID the domain that clients of an entry are told.
type Node struct {
	Key          string `json:"key" minLength:"1" maxLength:"40" doc:"Name inside this flow: a-z, 0-9, dash, underscore"`
	Kind         Kind   `json:"kind" enum:"entry,transit_pool,transit,exit,direct,block,custom"`
	Title        string `json:"title,omitempty" maxLength:"64"`
	NodeID       string `json:"node_id,omitempty" maxLength:"64"`
	PoolID       string `json:"pool_id,omitempty" maxLength:"64" doc:"transit_pool: the pool whose members carry the traffic"`
	NodeDomainID string `json:"node_domain_id,omitempty" maxLength:"64"`

	PlanVersionID string `json:"plan_version_id,omitempty" maxLength:"64" doc:"custom: the version of a custom plan that traffic leaves by"`

	Params   Params    `json:"params,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// Position is where the editor draws a block; it never changes what is installed.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Params are the settings of a block: a listener for an entry, a hop for blocks that other nodes forward to.
type Params struct {
	Listener *Listener `json:"listener,omitempty" doc:"Entry: where clients connect"`
	Hop      *Listener `json:"hop,omitempty" doc:"Exit, transit or pool: where the previous node connects; may be left out"`
	Private  string    `json:"private,omitempty" enum:"block,allow" doc:"Exit or direct: may clients reach private and loopback addresses of the node"`

	ProxyPanel *ProxyPanel `json:"proxypanel,omitempty" doc:"Entry: the node of a proxy panel serves it to users there; left out: our own agent serves it to clients of the flow"`
}

// Listener describes an address that accepts traffic and the protocol spoken there.
type Listener struct {
	Protocol    string   `json:"protocol,omitempty" enum:"vless,trojan,shadowsocks2022,vmess,hysteria2,wireguard"`
	ListenIP    string   `json:"listen_ip,omitempty" maxLength:"45"`
	Port        int      `json:"port,omitempty" minimum:"1" maximum:"65535"`
	PortRange   string   `json:"port_range,omitempty" maxLength:"11" doc:"Instead of port: 20000-20010; at most 1000 ports"`
	L4          string   `json:"l4,omitempty" enum:"tcp,udp,both"`
	Transport   string   `json:"transport,omitempty" enum:"raw,xhttp,grpc,ws,httpupgrade,quic"`
	Security    string   `json:"security,omitempty" enum:"none,reality,tls"`
	Flow        string   `json:"flow,omitempty" enum:"xtls-rprx-vision,none"`
	Method      string   `json:"method,omitempty" enum:"2022-blake3-aes-128-gcm,2022-blake3-aes-256-gcm"`
	Path        string   `json:"path,omitempty" maxLength:"128"`
	Mode        string   `json:"mode,omitempty" enum:"auto,packet-up,stream-up,stream-one"`
	ServiceName string   `json:"service_name,omitempty" maxLength:"64"`
	Fingerprint string   `json:"fingerprint,omitempty" enum:"chrome,firefox,safari,ios,android,edge,random,randomized"`
	ALPN        []string `json:"alpn,omitempty" maxItems:"2" doc:"tls: h2 and http/1.1 in their order; what the transport needs when left out"`
	MinVersion  string   `json:"min_version,omitempty" enum:"1.2,1.3" doc:"tls: the lowest version; 1.2 when left out"`
	Obfs        string   `json:"obfs,omitempty" enum:"salamander,none" doc:"hysteria2: hide QUIC from those who look at packets"`
	Extra       *Extra   `json:"extra,omitempty" doc:"xhttp: how requests look and how many carry a stream"`
	Sniffing    string   `json:"sniffing,omitempty" enum:"auto,on,off" doc:"Whether the core looks for host names and protocols; auto: where a rule asks for them"`
	Reality     *Reality `json:"reality,omitempty"`

	AcceptProxy bool `json:"accept_proxy_protocol,omitempty" doc:"A load balancer stands in front and says with the PROXY protocol, version 1 or 2, who connects; nobody else gets in"`

	Secret    string `json:"secret,omitempty" writeOnly:"true" maxLength:"128" doc:"shadowsocks2022: an own key of the listener in Base64; hysteria2: an own password of the obfuscation; kept sealed, and secret_ref stands for it"`
	SecretRef string `json:"secret_ref,omitempty" maxLength:"64" doc:"Names an own secret; left out: the panel makes one up"`
}

// Extra are the further settings of xhttp. Each range is one number, or two with a dash; what is left out is as the
// core has it. Client programs get them with their links.
type Extra struct {
	PaddingBytes       string `json:"x_padding_bytes,omitempty" maxLength:"21" doc:"Bytes of padding of each request: 100-1000"`
	NoGRPCHeader       bool   `json:"no_grpc_header,omitempty" doc:"Uploads do not look like gRPC"`
	NoSSEHeader        bool   `json:"no_sse_header,omitempty" doc:"Downloads do not look like server-sent events"`
	MaxEachPostBytes   string `json:"sc_max_each_post_bytes,omitempty" maxLength:"21" doc:"packet-up: most bytes of one upload"`
	MinPostsIntervalMs string `json:"sc_min_posts_interval_ms,omitempty" maxLength:"21" doc:"packet-up: shortest time between two uploads"`
	MaxBufferedPosts   int    `json:"sc_max_buffered_posts,omitempty" minimum:"0" maximum:"1000"`
	StreamUpServerSecs string `json:"sc_stream_up_server_secs,omitempty" maxLength:"21" doc:"stream-up: how often the node pads an upload, in seconds"`
	Xmux               *Xmux  `json:"xmux,omitempty"`
}

// Xmux says how client programs spread streams over connections.
type Xmux struct {
	MaxConcurrency   string `json:"max_concurrency,omitempty" maxLength:"21"`
	MaxConnections   string `json:"max_connections,omitempty" maxLength:"21"`
	MaxReuseTimes    string `json:"c_max_reuse_times,omitempty" maxLength:"21"`
	MaxRequestTimes  string `json:"h_max_request_times,omitempty" maxLength:"21"`
	MaxReusableSecs  string `json:"h_max_reusable_secs,omitempty" maxLength:"21"`
	KeepAliveSeconds int    `json:"h_keep_alive_period,omitempty" minimum:"-1" maximum:"3600" doc:"-1: none"`
}

// Reality is what a REALITY listener shows to those who are not its clients.
type Reality struct {
	Target         string   `json:"target,omitempty" maxLength:"260" doc:"host:port of a site with TLS 1.3 and h2"`
	TargetResultID string   `json:"target_result_id,omitempty" maxLength:"64"`
	ServerNames    []string `json:"server_names,omitempty" maxItems:"32"`
	ShortIDs       []string `json:"short_ids,omitempty" maxItems:"32"`
	MaxTimeDiff    int      `json:"max_time_diff,omitempty" minimum:"0" maximum:"86400000"`

	Xver          int    `json:"xver,omitempty" minimum:"0" maximum:"2" doc:"Version of the PROXY protocol that the target gets; 0: none"`
	LimitUpload   *Limit `json:"limit_fallback_up,omitempty" doc:"How fast strangers may send to the target"`
	LimitDownload *Limit `json:"limit_fallback_down,omitempty" doc:"How fast strangers may read from the target"`

	PrivateKey string `json:"private_key,omitempty" writeOnly:"true" maxLength:"64" doc:"An own X25519 key in Base64; kept sealed, and public_key stands for it from then on"`
	PublicKey  string `json:"public_key,omitempty" maxLength:"64" doc:"Of an own key; left out: the panel makes one up"`
	MLDSA65    bool   `json:"mldsa65,omitempty" doc:"Sign with ML-DSA-65 too, for links that withstand quantum computers"`

	AllowPrivateTarget bool `json:"allow_private_target,omitempty" doc:"The target may be the node itself, the panel or in a private network"`
}

// Limit slows a stream down once it has carried so many bytes.
type Limit struct {
	AfterBytes  int64 `json:"after_bytes,omitempty" minimum:"0" maximum:"1099511627776"`
	BytesPerSec int64 `json:"bytes_per_sec" minimum:"1" maximum:"1099511627776"`
	BurstPerSec int64 `json:"burst_bytes_per_sec,omitempty" minimum:"0" maximum:"1099511627776" doc:"bytes_per_sec when left out"`
}

// Edge leads traffic from one block to the next. The lowest priority is tried first; an edge without a match takes
// the rest.
type Edge struct {
	From      string `json:"from" minLength:"1" maxLength:"40"`
	To        string `json:"to" minLength:"1" maxLength:"40"`
	Transport string `json:"transport,omitempty" enum:"raw,xhttp,grpc,ws,httpupgrade" doc:"How the two nodes speak; raw when left out"`
	Match     *Match `json:"match,omitempty"`
	Priority  int    `json:"priority,omitempty" minimum:"0" maximum:"10000"`
}

// Match chooses traffic: one of the names or addresses, and every other condition that is given.
type Match struct {
	Geosite  []string `json:"geosite,omitempty" maxItems:"100"`
	GeoIP    []string `json:"geoip,omitempty" maxItems:"100"`
	Domain   []string `json:"domain,omitempty" maxItems:"1000"`
	IP       []string `json:"ip,omitempty" maxItems:"1000"`
	Port     string   `json:"port,omitempty" maxLength:"200" doc:"Ports and ranges: 80,443,1000-2000"`
	Protocol []string `json:"protocol,omitempty" maxItems:"4" doc:"http, tls, quic, bittorrent"`
	Sets     []string `json:"sets,omitempty" maxItems:"20" doc:"Names of sets of the policy catalogue: what they hold counts like the names and addresses here"`
}

// Empty reports whether the match chooses everything.
func (m *Match) Empty() bool {
	return m == nil || len(m.Geosite)+len(m.GeoIP)+len(m.Domain)+len(m.IP)+len(m.Protocol)+len(m.Sets) == 0 &&
		m.Port == ""
}

// Problem is one finding about a drawing or a plan. Path names the field: "nodes[2].params.listener.port".
type Problem struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Node    string `json:"node,omitempty" doc:"Name of the node concerned"`
	Core    string `json:"core,omitempty" doc:"Core version of that node"`

	Capability string `json:"capability,omitempty" doc:"What the node's agent cannot do"`

	Policy   string `json:"policy,omitempty" doc:"Name of the policy that forbids it"`
	Rule     string `json:"rule,omitempty" doc:"Kind of the rule of that policy"`
	RuleName string `json:"rule_name,omitempty" doc:"What people call the rule"`
}

// NeedsNode reports whether a block of this kind runs on a node of its own choice.
func (k Kind) NeedsNode() bool { return k == Entry || k == Transit || k == Exit }

// Terminal reports whether traffic may end in a block of this kind.
func (k Kind) Terminal() bool { return k == Exit || k == Direct || k == Block || k == Custom }

// Sets lists the sets of the catalogue that the ways of a drawing name, each once, in their order.
func Sets(g Graph) []string {
	var names []string
	for _, e := range g.Edges {
		if e.Match == nil {
			continue
		}
		for _, name := range e.Match.Sets {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Find returns the index of the block with that key, or -1.
func (g Graph) Find(key string) int {
	for i := range g.Nodes {
		if g.Nodes[i].Key == key {
			return i
		}
	}
	return -1
}

// NodeIDs lists the nodes that the drawing names, each once, in the order of the blocks.
func (g Graph) NodeIDs() []string {
	var ids []string
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		if n.Kind.NeedsNode() && n.NodeID != "" && !seen[n.NodeID] {
			seen[n.NodeID] = true
			ids = append(ids, n.NodeID)
		}
	}
	return ids
}
