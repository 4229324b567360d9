package nodes

import (
	"time"

	"panel/platform/places"
)

// Node is a server with an agent, as the interface shows it. State, link and core are derived from evidence when read.
type Node struct {
	ID                string        `json:"id" format:"uuid"`
	Name              string        `json:"name"`
	Address           string        `json:"address" doc:"Host name or IP address that clients and other nodes dial; never the node's identity"`
	IPs               []NodeIP      `json:"ips"`
	Place             *places.Place `json:"place" doc:"Where its address is and in whose network; null when no database of places knows it, or it has no address but a host name"`
	CountryCode       string        `json:"country_code" doc:"ISO 3166 code, XX when unknown"`
	Region            string        `json:"region"`
	City              string        `json:"city"`
	ProviderID        *string       `json:"provider_id" doc:"Whoever hosts the server, in the operator's words; null: unknown"`
	ProviderServerRef string        `json:"provider_server_ref" doc:"What the host calls the server"`
	Roles             []string      `json:"roles"`
	Tags              []string      `json:"tags"`
	Note              string        `json:"note"`
	State             string        `json:"state" enum:"pending,online,degraded,offline,maintenance,disabled"`
	StateSince        time.Time     `json:"state_since" doc:"When it came into this state, to about a second"`
	Reasons           []string      `json:"reasons" doc:"Why the node is not simply online: agent_stale, agent_lost, agent_revoked, core_failed, core_stopped, config_behind, cloned, never_enrolled, panel_address"`
	Maintenance       *Window       `json:"maintenance"`
	Agent             AgentInfo     `json:"agent"`
	Core              CoreInfo      `json:"core"`
	Metrics           *Metrics      `json:"metrics" doc:"Latest sample; null before the first"`
	CreatedAt         time.Time     `json:"created_at"`
	UpdatedAt         time.Time     `json:"updated_at"`
	Revision          int64         `json:"revision"`
}

// Brief is a node as others name it: what a picker offers and what a page calls it.
type Brief struct {
	ID          string `json:"id" format:"uuid"`
	Name        string `json:"name"`
	CountryCode string `json:"country_code"`
	City        string `json:"city"`
	State       string `json:"state" enum:"pending,online,degraded,offline,maintenance,disabled" doc:"As it was at most a second ago"`
}

// Briefs are nodes by name.
type Briefs struct {
	Nodes []Brief `json:"nodes" doc:"By name; of a search the first ones"`
}

// NodeIP is one address of the server and what it is for.
type NodeIP struct {
	IP     string `json:"ip" maxLength:"64"`
	Family int    `json:"family" enum:"4,6"`
	Role   string `json:"role" enum:"inbound,outbound,management,transit,monitoring,reserve,blocked,flagged"`
}

// Window is a maintenance; without an end it lasts until it is taken off.
type Window struct {
	Until  *time.Time `json:"until"`
	Reason string     `json:"reason"`
}

// AgentInfo is what is known of the agent and its link.
type AgentInfo struct {
	Link                string     `json:"link" enum:"never_enrolled,connected,stale,lost,revoked"`
	Connected           bool       `json:"connected" doc:"Its agent reported within two heartbeats"`
	Version             string     `json:"version"`
	Protocol            int        `json:"protocol"`
	OS                  string     `json:"os"`
	Arch                string     `json:"arch"`
	Hostname            string     `json:"hostname"`
	LastSeenAt          *time.Time `json:"last_seen_at"`
	EnrolledAt          *time.Time `json:"enrolled_at"`
	TokenID             *string    `json:"token_id"`
	ClockSkewMillis     int64      `json:"clock_skew_ms"`
	PanelURL            string     `json:"panel_url" doc:"Address by which it dials the panel; one that differs from PANEL_PUBLIC_URL is the reason panel_address"`
	UpdateState         string     `json:"update_state" enum:"current,available,updating,failed"`
	Capabilities        []string   `json:"capabilities"`
	PreviousTokenExpiry *time.Time `json:"previous_valid_until" doc:"Until when the token before the last rotation still works"`
}

// CoreInfo is what is known of the proxy core and the configuration that it serves.
type CoreInfo struct {
	Kind              string       `json:"kind"`
	Version           string       `json:"version"`
	State             string       `json:"state" enum:"running,stopped,starting,restarting,failed,unknown"`
	Error             string       `json:"error"`
	UptimeSeconds     int64        `json:"uptime_s"`
	Restarts          int64        `json:"restarts"`
	RevisionDesired   int64        `json:"config_revision_desired"`
	RevisionInstalled int64        `json:"config_revision_installed"`
	ConfigHash        string       `json:"config_hash"`
	InSync            bool         `json:"in_sync" doc:"It serves the desired configuration"`
	LastResult        *ConfigState `json:"last_result" doc:"How the last installation that the agent followed by itself ended"`
}

// ConfigState is how an installation ended on the node.
type ConfigState struct {
	Revision   int64     `json:"revision"`
	OK         bool      `json:"ok"`
	Stage      string    `json:"stage"`
	Error      string    `json:"error"`
	StderrTail string    `json:"stderr_tail"`
	At         time.Time `json:"at"`
}

// Metrics is one reading of the host.
type Metrics struct {
	CPUPercent     float64   `json:"cpu_pct"`
	Load1          float64   `json:"load1"`
	MemUsed        int64     `json:"mem_used"`
	MemTotal       int64     `json:"mem_total"`
	DiskUsed       int64     `json:"disk_used"`
	DiskTotal      int64     `json:"disk_total"`
	NetRxBps       float64   `json:"net_rx_bps"`
	NetTxBps       float64   `json:"net_tx_bps"`
	RxPps          float64   `json:"rx_pps"`
	Sessions       *int64    `json:"sessions" doc:"Open sessions of the core's listeners; null where the agent does not count them"`
	TCPEstablished int64     `json:"tcp_established" doc:"Established TCP connections of the whole host, whatever they belong to"`
	ConntrackCount int64     `json:"conntrack_count"`
	ConntrackMax   int64     `json:"conntrack_max"`
	SyncookiesPs   float64   `json:"syncookies_ps"`
	ListenDropsPs  float64   `json:"listen_drops_ps"`
	UptimeSeconds  int64     `json:"uptime_s"`
	ObservedAt     time.Time `json:"observed_at"`
}

// Socket is a listening socket that the agent saw on the host.
type Socket struct {
	L4      string `json:"l4"`
	IP      string `json:"ip"`
	Port    int    `json:"port"`
	Process string `json:"process"`
	Own     bool   `json:"own"`
}

// Firewall is a host firewall that the agent found.
type Firewall struct {
	Kind   string `json:"kind"`
	Active bool   `json:"active"`
	Detail string `json:"detail"`
}

// Detail is a node with what only its own page shows.
type Detail struct {
	Node
	Sockets   []Socket   `json:"sockets"`
	Addresses []string   `json:"addresses" doc:"Addresses of the host's interfaces"`
	Firewall  []Firewall `json:"firewall"`
	FlowIDs   []string   `json:"flow_ids" doc:"Flows whose installed configuration uses this node"`
	Listeners []Listener `json:"listeners" doc:"Of the core, as its desired configuration opens them"`
	Traffic   Traffic    `json:"traffic" doc:"What it carries in a month"`
}

// Traffic is what a node has carried since its month began, and what its hoster allows.
type Traffic struct {
	LimitBytes *int64     `json:"limit_bytes" doc:"Of both directions together; null: as much as it likes"`
	ResetDay   int        `json:"reset_day" minimum:"1" maximum:"31" doc:"Day on which the month begins, at midnight UTC; a shorter month begins on its last day"`
	NotifyPct  int        `json:"notify_pct" minimum:"1" maximum:"100" doc:"From which part of the limit on people are told"`
	UsedUp     int64      `json:"used_up" doc:"Bytes from clients and nodes that enter here"`
	UsedDown   int64      `json:"used_down" doc:"Bytes to them"`
	UsedBytes  int64      `json:"used_bytes" doc:"Both: each byte that the core carried, counted once"`
	Since      *time.Time `json:"since" doc:"When the count began; null: nothing was counted yet"`
	ResetsAt   time.Time  `json:"resets_at"`
}

// Listener is a port of the core, or a range, with what it carries.
type Listener struct {
	Tag        string     `json:"tag" doc:"Of the inbound in the core's configuration"`
	FlowID     string     `json:"flow_id"`
	L4         string     `json:"l4" enum:"tcp,udp,both"`
	IP         string     `json:"ip"`
	Ports      string     `json:"ports" doc:"One port, or the first and the last of a range"`
	Sessions   *int64     `json:"sessions" doc:"Established connections of clients; null where nobody counts them"`
	UpBps      *int64     `json:"up_bps" doc:"From clients; null: not measured. A stream that the kernel forwards counts at its end"`
	DownBps    *int64     `json:"down_bps" doc:"Bits per second to clients"`
	ObservedAt *time.Time `json:"observed_at" doc:"When that was measured"`
}

// Operation is long work on a node; it goes on after the answer.
type Operation struct {
	ID        string     `json:"id" format:"uuid"`
	Kind      string     `json:"kind"`
	NodeID    string     `json:"node_id" format:"uuid"`
	State     string     `json:"state" enum:"queued,running,succeeded,failed,cancelled"`
	Progress  int        `json:"progress"`
	StartedBy string     `json:"started_by"`
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Code      string     `json:"code" doc:"How it ended, in one word"`
	Error     string     `json:"error"`
	Logs      *Logs      `json:"logs,omitempty" doc:"Of collect_logs, for callers with nodes.edit: lines of a log may hold what is confidential"`
}

// BulkOutcome says for each node how an act on many nodes ended, in the order in which they were named.
type BulkOutcome struct {
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`
	Results   []BulkResult `json:"results"`
}

// BulkResult is the outcome on one node.
type BulkResult struct {
	NodeID      string  `json:"node_id"`
	OK          bool    `json:"ok"`
	Code        string  `json:"code" doc:"Of a failure, as the operation on a single node gives it"`
	Error       string  `json:"error"`
	OperationID *string `json:"operation_id" doc:"Work that goes on, of restart_core"`
}

// Logs are the newest lines, oldest first.
type Logs struct {
	Agent []string `json:"agent"`
	Core  []string `json:"core"`
}

// Series is the history of one metric.
type Series struct {
	Metric      string  `json:"metric"`
	StepSeconds int     `json:"step_seconds" doc:"Distance of two points: 15, 60 or 600, or a multiple"`
	Points      []Point `json:"points" doc:"Oldest first; times without data have no point"`
}

// Point is the mean of a step.
type Point struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}
