package agentapi

import "encoding/json"

// ProbeArgs asks for evidence; exactly one member is set.
type ProbeArgs struct {
	Bind    *BindProbe    `json:"bind,omitempty" doc:"Can this host listen there?"`
	Dial    *DialProbe    `json:"dial,omitempty" doc:"Does that address answer from here?"`
	TLS     *TLSProbe     `json:"tls,omitempty" doc:"Is that a fit REALITY target, seen from here?"`
	Through *ThroughProbe `json:"through,omitempty" doc:"Does a real client get through?"`
}

// ProbeData is the evidence; the member of the asked probe is set.
type ProbeData struct {
	Bind    *BindData    `json:"bind,omitempty"`
	Dial    *DialData    `json:"dial,omitempty"`
	TLS     *TLSData     `json:"tls,omitempty"`
	Through *ThroughData `json:"through,omitempty"`
}

// BindProbe opens a temporary listener. The result comes as soon as it listens; the listener stays for HoldSeconds and
// answers Nonce to everyone who connects (tcp) or sends Nonce (udp), so that a peer can show that no firewall is
// between. It is given back early when a switch needs the port.
type BindProbe struct {
	L4          string `json:"l4" doc:"tcp or udp"`
	IP          string `json:"ip" doc:"Address to listen on"`
	Port        int    `json:"port" doc:"Port"`
	Nonce       string `json:"nonce" doc:"What the listener answers, 8 to 64 letters and digits"`
	HoldSeconds int    `json:"hold_seconds,omitempty" doc:"How long it stays, at most 120; 0 = closed at once"`
}

// BindData says whether the socket could be had.
type BindData struct {
	Bound bool   `json:"bound" doc:"The temporary listener was open"`
	Own   bool   `json:"own,omitempty" doc:"Not bound because this node's core already serves there"`
	Owner string `json:"owner,omitempty" doc:"Process that has the socket, where it may be read"`
}

// DialProbe connects to an address of another node, or to a public one.
type DialProbe struct {
	Address string `json:"address" doc:"host:port"`
	L4      string `json:"l4" doc:"tcp or udp"`
	Nonce   string `json:"nonce,omitempty" doc:"Expected answer; empty = a TCP connection is enough"`
	Public  bool   `json:"public,omitempty" doc:"Do not dial this host itself or a private network; the result tells it"`
}

// DialData says what answered.
type DialData struct {
	Connected     bool    `json:"connected" doc:"A connection was made"`
	NonceMatched  bool    `json:"nonce_matched" doc:"The expected answer came"`
	RemoteAddress string  `json:"remote_address,omitempty" doc:"Address that was dialed"`
	LatencyMillis float64 `json:"latency_ms" doc:"Time to connect"`
	Inside        bool    `json:"inside,omitempty" doc:"The address is this host itself or in a private network, and was not dialled"`
}

// TLSProbe makes one TLS handshake that offers h2 and http/1.1.
type TLSProbe struct {
	Target string `json:"target" doc:"host:port"`
	SNI    string `json:"sni" doc:"Server name to ask for"`
	Public bool   `json:"public,omitempty" doc:"Do not dial this host itself or a private network; the result tells it"`
}

// TLSData is what the target showed.
type TLSData struct {
	Version       string   `json:"version,omitempty" doc:"1.2 or 1.3"`
	ALPN          string   `json:"alpn,omitempty" doc:"Chosen protocol"`
	Names         []string `json:"names,omitempty" doc:"Names of the leaf certificate, at most 50"`
	NameMatches   bool     `json:"name_matches" doc:"The certificate covers the server name"`
	Trusted       bool     `json:"trusted" doc:"The host's roots trust the certificate"`
	Curve         string   `json:"curve,omitempty" doc:"Key exchange"`
	RemoteAddress string   `json:"remote_address,omitempty" doc:"Address that was dialed"`
	LatencyMillis float64  `json:"latency_ms" doc:"Time of the handshake, without connecting"`
	Suitable      bool     `json:"suitable" doc:"TLS 1.3, h2 and a matching name"`
	ChainBytes    int      `json:"chain_bytes,omitempty" doc:"Size of all certificates that it showed; 0 = the agent did not measure"`
	Inside        bool     `json:"inside,omitempty" doc:"The target is this host itself or in a private network"`
}

// ThroughProbe runs a real client core of its own and fetches a page through it. Link and Core are alternatives.
type ThroughProbe struct {
	Link     string          `json:"link,omitempty" doc:"Connection link, as the panel gives it to clients"`
	Core     json.RawMessage `json:"core,omitempty" doc:"Client configuration of the core; the first outbound carries the fetch"`
	URL      string          `json:"url,omitempty" doc:"Page to fetch; empty = PathReflect of the panel with this agent's token"`
	Expect   string          `json:"expect,omitempty" doc:"Text that the page must contain"`
	DialAs   string          `json:"dial_as,omitempty" doc:"host:port to dial in place of the link's address, for a node that cannot reach its own public address"`
	Timeout  int             `json:"timeout_seconds,omitempty" doc:"0 = 20"`
	MaxBytes int64           `json:"max_bytes,omitempty" doc:"Bytes to read of the page; 0 = 1 MiB"`

	ProxyHeader bool `json:"proxy_header,omitempty" doc:"Say with the PROXY protocol who connects, as a load balancer in front of the listener does"`
}

// ThroughData is what the client saw.
type ThroughData struct {
	Status      int     `json:"status" doc:"HTTP status of the page"`
	ExitIP      string  `json:"exit_ip,omitempty" doc:"Address the page saw: the member ip of a JSON page, else a page that is an address"`
	Bytes       int64   `json:"bytes" doc:"Bytes read"`
	Matched     bool    `json:"matched" doc:"The expected text was there, or none was expected"`
	FirstByteMs float64 `json:"first_byte_ms" doc:"From the start of the fetch to the first byte"`
	TotalMs     float64 `json:"total_ms" doc:"To the last byte"`
}
