package agentapi

import "time"

// Heartbeat is the agent's regular report of itself: facts only, the panel derives the node's state from them.
type Heartbeat struct {
	AgentVersion string       `json:"agent_version" doc:"Version of the agent executable"`
	Protocol     int          `json:"protocol" doc:"Protocol version that the agent speaks"`
	OS           string       `json:"os" doc:"Operating system, as Go names it"`
	Arch         string       `json:"arch" doc:"Processor architecture, as Go names it"`
	Hostname     string       `json:"hostname" doc:"Host name of the server"`
	Capabilities []Capability `json:"capabilities,omitempty" doc:"What the agent can do"`
	BootID       string       `json:"boot_id" doc:"Changes when the server boots"`
	SessionID    string       `json:"session_id" doc:"Changes when the agent starts; two that alternate mean a cloned server uses this identity"`
	SentAt       time.Time    `json:"sent_at" doc:"The agent's clock; shows its skew"`
	Core         CoreReport   `json:"core" doc:"State of the proxy core"`
	Sockets      []Socket     `json:"sockets,omitempty" doc:"Sockets that listen on the host, of every process"`
	Addresses    []string     `json:"addresses,omitempty" doc:"Global addresses of the host's interfaces"`
	Firewall     []Firewall   `json:"firewall,omitempty" doc:"Host firewalls that were found; read only"`
	PanelURL     string       `json:"panel_url,omitempty" doc:"Address by which the agent dials the panel"`

	Documents []DocumentStatus `json:"documents,omitempty" doc:"State of each document that this agent can hold"`
}

// CoreState is what the supervised core does at this moment.
type CoreState string

// States of a core.
const (
	CoreStopped    CoreState = "stopped"
	CoreStarting   CoreState = "starting"
	CoreRunning    CoreState = "running"
	CoreRestarting CoreState = "restarting"
	CoreFailed     CoreState = "failed"
)

// CoreReport describes the core and the configuration that it serves.
type CoreReport struct {
	Kind           string    `json:"kind" doc:"Which core, for example xray"`
	Version        string    `json:"version" doc:"Version of the core"`
	State          CoreState `json:"state" doc:"stopped, starting, running, restarting or failed"`
	Error          string    `json:"error,omitempty" doc:"Last 4 KiB of the core's error output, when it failed"`
	UptimeSeconds  int64     `json:"uptime_s" doc:"Seconds since the serving core started"`
	ConfigRevision int64     `json:"config_revision" doc:"Revision that the core serves; 0 = none yet"`
	ConfigHash     string    `json:"config_hash,omitempty" doc:"Hash of that configuration"`
	ApplyID        string    `json:"apply_id,omitempty" doc:"Apply whose switch waits for its commit or revert"`
	Restarts       int64     `json:"restarts" doc:"Times that the core had to be started again since the agent started"`
	Draining       int       `json:"draining" doc:"Replaced cores that still carry open streams"`
}

// Socket is one listening socket of the host.
type Socket struct {
	L4      string `json:"l4" doc:"tcp or udp"`
	IP      string `json:"ip" doc:"Address; 0.0.0.0 or :: = every one"`
	Port    int    `json:"port" doc:"Port"`
	Process string `json:"process,omitempty" doc:"Name of the process, where it may be read"`
	Own     bool   `json:"own" doc:"Belongs to this agent or its core"`
}

// Firewall is a host firewall as the agent found it, without changing anything.
type Firewall struct {
	Kind   string `json:"kind" doc:"ufw, nftables, iptables or firewalld"`
	Active bool   `json:"active" doc:"It has rules in force"`
	Detail string `json:"detail,omitempty" doc:"What was read, in short"`
}

// HeartbeatReply is what the panel wants of the agent.
type HeartbeatReply struct {
	Desired
	HeartbeatSeconds int       `json:"heartbeat_seconds" doc:"Pause until the next heartbeat"`
	ServerTime       time.Time `json:"server_time" doc:"The panel's clock"`
	Commands         []Command `json:"commands,omitempty" doc:"Commands without a result yet, oldest first"`
	PanelURL         string    `json:"panel_url,omitempty" doc:"Address by which the panel calls itself; the only one that a probe through a flow reaches"`

	Documents []DocumentRef `json:"documents,omitempty" doc:"Documents beside the configuration that the node shall hold"`
}

// Desired is the configuration that a node shall serve. Revision 0 says that the panel asks for nothing yet:
// the agent keeps what it has.
type Desired struct {
	DesiredRevision int64  `json:"desired_revision" doc:"Revision to serve; 0 = none wanted yet"`
	DesiredHash     string `json:"desired_hash,omitempty" doc:"Hash of that configuration"`
}

// Pending is the answer of the long-poll, sent at once when something waits, else at the end of the wait.
type Pending struct {
	Desired
	Commands  []Command     `json:"commands,omitempty" doc:"Commands without a result yet, oldest first"`
	Documents []DocumentRef `json:"documents,omitempty" doc:"Documents beside the configuration that the node shall hold"`
}
