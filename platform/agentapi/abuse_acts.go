package agentapi

import "time"

// AbuseWatch is the content of DocumentAbuse: what the agent looks for among the sessions of users, and what it keeps.
// An agent that has never held it collects nothing.
type AbuseWatch struct {
	Collect bool   `json:"collect"`        // false: nothing is collected, and what waits to be sent is let go
	Salt    []byte `json:"salt,omitempty"` // of the hashes of prefixes, the same on all nodes so that they compare

	// Told are the users with an open case: only of their sources the address itself is sent.
	Told []string `json:"told,omitempty"`
	// Kinds that are looked for; empty: all that the agent can.
	Kinds  []AbuseKind `json:"kinds,omitempty"`
	Limits AbuseLimits `json:"limits"`
	// Hosts that nobody is to reach, with everything below them, such as those of phishing.
	Hosts []string `json:"hosts,omitempty"`
	// Countries that nobody is to reach; they need a database of countries on the node.
	Countries []string `json:"countries,omitempty"`

	Record AbuseRecord `json:"record"`
}

// AbuseLimits are from how much on something is told, each for one user on one node. A zero stands for the default.
type AbuseLimits struct {
	ScanHosts  int `json:"scan_hosts,omitempty"`  // different addresses on one port in a minute
	ScanPorts  int `json:"scan_ports,omitempty"`  // different ports of one address in a minute
	Mails      int `json:"mails,omitempty"`       // connections to port 25 in a minute
	Logins     int `json:"logins,omitempty"`      // connections to one service for logins (SSH, RDP, ...) in a minute
	FloodRate  int `json:"flood_rate,omitempty"`  // connections to one address and port in ten seconds
	HighRate   int `json:"high_rate,omitempty"`   // connections to anywhere in a minute
	HighSource int `json:"high_source,omitempty"` // sources at once
}

// UsualAbuseLimits are the defaults.
var UsualAbuseLimits = AbuseLimits{
	ScanHosts: 60, ScanPorts: 30, Mails: 20, Logins: 30, FloodRate: 500, HighRate: 3000, HighSource: 20,
}

// AbuseRecord is the record of connections that an entry keeps on its own disk, to answer complaints from.
type AbuseRecord struct {
	Hours int `json:"hours"` // 0: no record is kept, and an earlier one is let go
	MB    int `json:"mb"`    // the oldest goes when it would be more
}

// MaxBlocks is how many blocks a node is given.
const MaxBlocks = 50_000

// Blocks is the content of DocumentBlocks: what the listeners of the node do not answer. Each ends by itself, also
// while the panel is away. The agent leaves out, and says so, what would cut it from the panel, from its own addresses
// or from whoever looks after the host.
type Blocks struct {
	Blocks []Block `json:"blocks"`
}

// Block is one address or network that is not served until a moment.
type Block struct {
	ID      string    `json:"id"`
	Network string    `json:"network"` // an address, or a network in the form of CIDR
	Until   time.Time `json:"until"`
}

// DropSessionsArgs are the arguments of drop_sessions. The user is not kept from coming again.
type DropSessionsArgs struct {
	UserRef string `json:"user_ref" doc:"c:<client id> or p:<connection>:<user id>"`
	FlowID  string `json:"flow_id,omitempty" doc:"Only sessions of this flow; empty: of all"`
}

// DropSessionsData says what drop_sessions ended.
type DropSessionsData struct {
	Streams int `json:"streams" doc:"Streams that were open"`
	Sources int `json:"sources" doc:"Addresses that they came from"`
}

// FindConnectionsArgs are the arguments of find_connections: who reached for something at about a time. What is empty
// or zero is not asked for.
type FindConnectionsArgs struct {
	From    time.Time `json:"from" doc:"By the panel's clock; the record knows minutes"`
	To      time.Time `json:"to"`
	Dest    string    `json:"dest,omitempty" doc:"Address, network or name that was reached for"`
	Port    int       `json:"port,omitempty"`
	FlowIDs []string  `json:"flow_ids,omitempty" doc:"Only of these flows"`
	UserRef string    `json:"user_ref,omitempty" doc:"Only of this user"`
	Limit   int       `json:"limit,omitempty" doc:"At most so many lines; 0 = 200, at most 1000"`
}

// FindConnectionsData is what the record knows.
type FindConnectionsData struct {
	Since time.Time        `json:"since,omitzero" doc:"The record goes back to here; absent: there is none"`
	Lines []ConnectionLine `json:"lines" doc:"Newest first"`
	More  bool             `json:"more,omitempty" doc:"There are more than the limit"`
}

// ConnectionLine is what one user did towards one destination in one minute.
type ConnectionLine struct {
	Minute  time.Time `json:"minute" doc:"Its beginning, by the panel's clock"`
	UserRef string    `json:"user_ref"`
	FlowID  string    `json:"flow_id,omitempty"`
	Network string    `json:"network" doc:"tcp or udp"`
	Dest    string    `json:"dest" doc:"Name or address"`
	Port    int       `json:"port"`
	Count   int       `json:"count" doc:"Connections that were begun"`
}

// RefOfClient is the user_ref of a client of the panel's own.
func RefOfClient(id string) string { return "c:" + id }
