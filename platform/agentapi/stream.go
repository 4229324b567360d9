package agentapi

// FrameType is the type of a frame of the stream.
type FrameType string

// Types of frame. What the panel can take besides its own POST routes it says in the first desired after the hello; an
// agent sends nothing else, and uses the routes where the panel, an older one, says nothing. Every call has its reply
// with a status, so that a result is acknowledged here as it is there.
const (
	FrameHello   FrameType = "hello"   // agent, first: Hello
	FrameDesired FrameType = "desired" // panel: Desired, after hello and at every change
	FrameCommand FrameType = "command" // panel: Command
	FrameAck     FrameType = "ack"     // agent: CommandID was written to its disk; do not repeat it on this stream
	FramePing    FrameType = "ping"    // either side
	FramePong    FrameType = "pong"    // answer to ping
	FrameBye     FrameType = "bye"     // panel: about to stop; RetrySeconds spreads the return

	FrameHeartbeat FrameType = "heartbeat" // agent: Heartbeat, as POSTed to PathHeartbeat
	FrameMetrics   FrameType = "metrics"   // agent: Metrics, as POSTed to PathMetrics
	FrameResult    FrameType = "result"    // agent: Result, as POSTed to PathCommandResult
	FrameConfig    FrameType = "config"    // agent: Revision of the configuration that it wants, as of PathConfig
	FrameDocument  FrameType = "document"  // agent: Document that it wants, as of PathDesired
	FrameBatch     FrameType = "batch"     // agent: Batch, as POSTed to PathBatches
	FrameReply     FrameType = "reply"     // panel: Reply to the call of this number
)

// Frame is one message of the WebSocket, a JSON text frame.
type Frame struct {
	Type         FrameType     `json:"type" doc:"Says which member is set"`
	Hello        *Hello        `json:"hello,omitempty"`
	Desired      *Desired      `json:"desired,omitempty"`
	Documents    []DocumentRef `json:"documents,omitempty" doc:"Of desired: every document beside the configuration that the node shall hold"`
	Command      *Command      `json:"command,omitempty"`
	CommandID    string        `json:"command_id,omitempty" doc:"Of an ack"`
	RetrySeconds int           `json:"retry_seconds,omitempty" doc:"Of a bye: come back within this time, at a random moment"`

	Takes     []FrameType    `json:"takes,omitempty" doc:"Of the first desired: calls that the panel answers on this stream"`
	Call      int64          `json:"call,omitempty" doc:"Number of a call and of its reply, chosen by the agent"`
	Heartbeat *Heartbeat     `json:"heartbeat,omitempty"`
	Metrics   *MetricsBatch  `json:"metrics,omitempty"`
	Result    *CommandResult `json:"result,omitempty"`
	Revision  int64          `json:"revision,omitempty" doc:"Of a config call"`
	Document  DocumentName   `json:"document,omitempty" doc:"Of a document call"`
	Batch     *Batch         `json:"batch,omitempty"`
	Reply     *Reply         `json:"reply,omitempty"`
}

// Reply answers a call on the stream with what the POST would have answered.
type Reply struct {
	Status       int             `json:"status" doc:"As of HTTP: 200, or that of a problem"`
	Code         string          `json:"code,omitempty" doc:"Of a problem"`
	Detail       string          `json:"detail,omitempty" doc:"Of a problem"`
	RetrySeconds int             `json:"retry_seconds,omitempty" doc:"Of a problem: ask again after this time"`
	Heartbeat    *HeartbeatReply `json:"heartbeat,omitempty"`
	Metrics      *MetricsReply   `json:"metrics,omitempty"`
	Config       *NodeConfig     `json:"config,omitempty" doc:"Status 413 says that it does not fit into a frame: GET it"`
	Document     *Document       `json:"document,omitempty" doc:"Status 413 says that it does not fit into a frame: GET it"`
	Batch        *BatchReply     `json:"batch,omitempty"`
}

// Hello opens the stream.
type Hello struct {
	Protocol       int    `json:"protocol" doc:"Protocol version that the agent speaks"`
	AgentVersion   string `json:"agent_version" doc:"Version of the agent executable"`
	SessionID      string `json:"session_id" doc:"As in the heartbeat"`
	ConfigRevision int64  `json:"config_revision" doc:"Revision that the core serves"`
	ConfigHash     string `json:"config_hash,omitempty" doc:"Its hash"`
}
