// Package agentapi holds the messages that the panel and the agent on a server exchange; both sides compile the same
// types.
//
// The agent always dials out. It proves who it is with its agent token in the Authorization header and with nothing
// else. Readers ignore members that they do not know, so that either side may be the newer one.
package agentapi

import "time"

// Protocol is the version of these messages that this build speaks.
// A panel accepts agents of Protocol down to Protocol-2.
//
// 2 adds documents beside the configuration, and batches; agents of 1 never name their capabilities.
const Protocol = 2

// Paths on the panel's address. Enrolment is public and throttled; the others need the agent token.
const (
	PathInstallScript = "/install/agent.sh"              // GET: the shell script that installs an agent
	PathInstallBinary = "/install/agent/{os}/{arch}"     // GET: the agent executable
	PathEnroll        = "/install/enroll"                // POST EnrollRequest -> EnrollReply
	PathHeartbeat     = "/agent/v1/heartbeat"            // POST Heartbeat -> HeartbeatReply
	PathMetrics       = "/agent/v1/metrics"              // POST MetricsBatch -> MetricsReply
	PathConfig        = "/agent/v1/config"               // GET ?revision=N -> NodeConfig, ETag is the revision
	PathConfigResult  = "/agent/v1/config/result"        // POST ConfigResult -> 204
	PathDesired       = "/agent/v1/desired/{name}"       // GET -> Document, ETag is the revision
	PathClientChanges = "/agent/v1/client-lists/{id}"    // GET ?epoch&since&after -> ClientChanges
	PathBatches       = "/agent/v1/batches/{kind}"       // POST Batch -> BatchReply
	PathCommands      = "/agent/v1/commands"             // GET ?wait=25 -> Pending; the long-poll
	PathCommandResult = "/agent/v1/commands/{id}/result" // POST CommandResult -> 204
	PathStream        = "/agent/v1/stream"               // GET, WebSocket of Frame
	PathToken         = "/agent/v1/token"                // POST -> TokenReply; the token before it lives on for a while
	PathReflect       = "/agent/v1/reflect"              // GET -> Reflection
)

// Limits that both sides keep.
const (
	MaxBody            = 1 << 20 // bytes of any request body, counted after decompression
	MaxBatchSamples    = 200     // samples in one MetricsBatch
	MaxTail            = 4 << 10 // bytes of a core's error output that a message carries
	MaxFrame           = 1 << 20 // bytes of one WebSocket frame
	MaxLongPollSeconds = 25      // longest ?wait= of the long-poll
)

// Capability is one thing that an agent can do; the panel asks for nothing that an agent has not named.
type Capability string

// Capabilities beside those of documents (DocumentName.Capability) and batches (BatchKind.Capability). That of a
// command is its kind.
const (
	CanApply       Capability = "apply_config"
	CanRestartCore Capability = "restart_core"
	CanCollectLogs Capability = "collect_logs"
	CanProbe       Capability = "probe"
	CanUpdate      Capability = "update_agent"
	CanRotateToken Capability = "rotate_token"
	CanBlockIPs    Capability = "block_ips"
	CanDrop        Capability = "drop_sessions"
	CanScan        Capability = "scan_targets"
	CanStream      Capability = "stream"            // keeps the WebSocket open
	CanMeasure     Capability = "measure_listeners" // samples tell sessions of listeners and bytes of outbounds
	CanTunnel      Capability = "serve_wireguard"   // knows the peers of WireGuard as clients
	CanBeProxied   Capability = "accept_proxy"      // its probe can say who it is to a listener that expects to be told
	CanDialPublic  Capability = "dial_public"       // its probe dials public addresses alone where it is told so
)

// Layer 4 protocols.
const (
	TCP = "tcp"
	UDP = "udp"
)

// TokenReply is what POST PathToken answers: the agent's new token, shown this once.
type TokenReply struct {
	AgentToken         string    `json:"agent_token"`
	PreviousValidUntil time.Time `json:"previous_valid_until"`
}

// Reflection is what GET PathReflect answers: where the caller's request came from, as the panel sees it.
type Reflection struct {
	IP string `json:"ip" doc:"Source address of this request"`
}
