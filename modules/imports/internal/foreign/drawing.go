package foreign

import (
	"encoding/json"
	"fmt"
)

// Listener is an entry's listener as drawings have it, with its secrets.
type Listener struct {
	Protocol    string   `json:"protocol"`
	ListenIP    string   `json:"listen_ip,omitempty"`
	Port        int      `json:"port,omitempty"`
	PortRange   string   `json:"port_range,omitempty"`
	L4          string   `json:"l4,omitempty"`
	Transport   string   `json:"transport,omitempty"`
	Security    string   `json:"security,omitempty"`
	Flow        string   `json:"flow,omitempty"`
	Method      string   `json:"method,omitempty"`
	Path        string   `json:"path,omitempty"`
	Mode        string   `json:"mode,omitempty"`
	ServiceName string   `json:"service_name,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	ALPN        []string `json:"alpn,omitempty"`
	MinVersion  string   `json:"min_version,omitempty"`
	Obfs        string   `json:"obfs,omitempty"`
	Extra       *Extra   `json:"extra,omitempty"`
	Sniffing    string   `json:"sniffing,omitempty"`
	Reality     *Reality `json:"reality,omitempty"`
	Secret      string   `json:"secret,omitempty"`
	AcceptProxy bool     `json:"accept_proxy_protocol,omitempty"`
}

// Reality is that of a listener.
type Reality struct {
	Target        string   `json:"target,omitempty"`
	ServerNames   []string `json:"server_names,omitempty"`
	ShortIDs      []string `json:"short_ids,omitempty"`
	MaxTimeDiff   int      `json:"max_time_diff,omitempty"`
	Xver          int      `json:"xver,omitempty"`
	LimitUpload   *Limit   `json:"limit_fallback_up,omitempty"`
	LimitDownload *Limit   `json:"limit_fallback_down,omitempty"`
	PrivateKey    string   `json:"private_key,omitempty"`
	MLDSA65       bool     `json:"mldsa65,omitempty"`

	AllowPrivateTarget bool `json:"allow_private_target,omitempty"`
}

// Limit slows strangers down.
type Limit struct {
	AfterBytes  int64 `json:"after_bytes,omitempty"`
	BytesPerSec int64 `json:"bytes_per_sec"`
	BurstPerSec int64 `json:"burst_bytes_per_sec,omitempty"`
}

// Extra are further settings of xhttp.
type Extra struct {
	PaddingBytes       string `json:"x_padding_bytes,omitempty"`
	NoGRPCHeader       bool   `json:"no_grpc_header,omitempty"`
	NoSSEHeader        bool   `json:"no_sse_header,omitempty"`
	MaxEachPostBytes   string `json:"sc_max_each_post_bytes,omitempty"`
	MinPostsIntervalMs string `json:"sc_min_posts_interval_ms,omitempty"`
	MaxBufferedPosts   int    `json:"sc_max_buffered_posts,omitempty"`
	StreamUpServerSecs string `json:"sc_stream_up_server_secs,omitempty"`
}

// Rule sends chosen traffic out by itself, or refuses it.
type Rule struct {
	Match  Match `json:"match"`
	Refuse bool  `json:"refuse,omitempty"`
}

// Match chooses traffic as the edges of drawings do.
type Match struct {
	Geosite  []string `json:"geosite,omitempty"`
	GeoIP    []string `json:"geoip,omitempty"`
	Domain   []string `json:"domain,omitempty"`
	IP       []string `json:"ip,omitempty"`
	Port     string   `json:"port,omitempty"`
	Protocol []string `json:"protocol,omitempty"`
}

// Empty says whether the match chooses everything.
func (m *Match) Empty() bool {
	return len(m.Geosite)+len(m.GeoIP)+len(m.Domain)+len(m.IP)+len(m.Protocol) == 0 && m.Port == ""
}

// Flow is a whole flow that a panel has exported.
type Flow struct {
	Description string            `json:"description,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	Drawing     json.RawMessage   `json:"graph"`
	Nodes       map[string]string `json:"nodes,omitempty"` // names by the ids in the drawing
}

type block struct {
	Key    string         `json:"key"`
	Kind   string         `json:"kind"`
	NodeID string         `json:"node_id,omitempty"`
	Params map[string]any `json:"params,omitempty"`
}

type edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Match    *Match `json:"match,omitempty"`
	Priority int    `json:"priority,omitempty"`
}

// Drawing is the entry on a node, which may be chosen later, with its rules: what no rule refuses leaves from the
// node, unless the entry refuses the rest.
func (e *Entry) Drawing(nodeID string) (json.RawMessage, error) {
	if e.Flow != nil {
		return e.Flow.Drawing, nil
	}
	edges, leads := []edge{}, map[bool]bool{}
	lead := func(match *Match, refuse bool, priority int) {
		to := map[bool]string{false: "out", true: "refused"}[refuse]
		leads[refuse], edges = true, append(edges, edge{From: "entry", To: to, Match: match, Priority: priority})
	}
	for i := range e.Rules {
		lead(&e.Rules[i].Match, e.Rules[i].Refuse, (i+1)*10)
	}
	lead(nil, e.Refuses, last)
	nodes := []block{
		{Key: "entry", Kind: "entry", NodeID: nodeID, Params: map[string]any{"listener": e.Listener}},
	}
	if leads[false] {
		nodes = append(nodes, block{Key: "out", Kind: "direct"})
	}
	if leads[true] {
		nodes = append(nodes, block{Key: "refused", Kind: "block"})
	}
	text, err := json.Marshal(map[string]any{"nodes": nodes, "edges": edges})
	if err != nil {
		return nil, fmt.Errorf("write the drawing of an entry: %w", err)
	}
	return text, nil
}

// last is the lowest priority that an edge can have.
const last = 10_000
