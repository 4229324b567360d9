package agentapi

// FrameType tells the frames of the stream apart.
type FrameType string

// Types of frame. Results never travel on the stream: they are POSTed, so that each is acknowledged by a status.
const (
	FrameHello   FrameType = "hello"   // agent, first: Hello
	FrameDesired FrameType = "desired" // panel: Desired, after hello and at every change
	FrameCommand FrameType = "command" // panel: Command
	FrameAck     FrameType = "ack"     // agent: CommandID was written to its disk; do not repeat it on this stream
	FramePing    FrameType = "ping"    // either side
	FramePong    FrameType = "pong"    // answer to ping
	FrameBye     FrameType = "bye"     // panel: about to stop; RetrySeconds spreads the return
)

// Frame is one message of the WebSocket, a JSON text frame.
type Frame struct {
	Type         FrameType `json:"type" doc:"Says which member is set"`
	Hello        *Hello    `json:"hello,omitempty"`
	Desired      *Desired  `json:"desired,omitempty"`
	Command      *Command  `json:"command,omitempty"`
	CommandID    string    `json:"command_id,omitempty" doc:"Of an ack"`
	RetrySeconds int       `json:"retry_seconds,omitempty" doc:"Of a bye: come back within this time, at a random moment"`
}

// Hello opens the stream.
type Hello struct {
	Protocol       int    `json:"protocol" doc:"Protocol version that the agent speaks"`
	AgentVersion   string `json:"agent_version" doc:"Version of the agent executable"`
	SessionID      string `json:"session_id" doc:"As in the heartbeat"`
	ConfigRevision int64  `json:"config_revision" doc:"Revision that the core serves"`
	ConfigHash     string `json:"config_hash,omitempty" doc:"Its hash"`
}
