package paneltest

import (
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// AddNode adds a node that waits for its agent and gives its id. More are pairs of field and value.
func (c *Client) AddNode(name string, more ...any) string {
	c.panel.t.Helper()
	body := map[string]any{"name": name}
	for i := 0; i+1 < len(more); i += 2 {
		field, isText := more[i].(string)
		require.True(c.panel.t, isText, "the name of a field")
		body[field] = more[i+1]
	}
	return c.Post("/api/v1/nodes", body).Is(http.StatusCreated).Text("id")
}

// Agent is a server whose agent has enrolled. Nothing runs: it says what the test makes it say, over real HTTP.
type Agent struct {
	*Client
	NodeID string
}

// EnrollmentToken is issued as an administrator orders it; nil orders a token for one server.
func (p *Panel) EnrollmentToken(order map[string]any) string {
	p.t.Helper()
	if order == nil {
		order = map[string]any{}
	}
	return p.As("nodes.edit").Post("/api/v1/nodes/enrollment-tokens", order).Is(http.StatusCreated).Text("token")
}

// Enroll brings a server of this name its agent; its node is a new one.
func (p *Panel) Enroll(name string) *Agent {
	p.t.Helper()
	return p.EnrollWith(p.EnrollmentToken(nil), name)
}

// EnrollWith does so with a token that the test has issued.
func (p *Panel) EnrollWith(token, name string) *Agent {
	p.t.Helper()
	answer := p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{
		Token: token, Hostname: name, OS: "linux", Arch: "amd64", Protocol: 1,
	}).Is(http.StatusCreated)
	return &Agent{Client: p.Bearer(answer.Text("agent_token")), NodeID: answer.Text("node_id")}
}

// At is the same agent where it reports to another panel on the database.
func (a *Agent) At(other *Panel) *Agent {
	return &Agent{Client: other.Bearer(a.Token), NodeID: a.NodeID}
}

// With is the same agent with another token of its node.
func (a *Agent) With(token string) *Agent {
	return &Agent{Client: a.panel.Bearer(token), NodeID: a.NodeID}
}

// Heartbeat is what an agent says whose core runs.
func Heartbeat() agentapi.Heartbeat {
	return agentapi.Heartbeat{
		AgentVersion: "1.0.0", Protocol: 1, OS: "linux", Arch: "amd64", Hostname: "h", SessionID: "s1",
		Capabilities: []agentapi.Capability{agentapi.CanApply, agentapi.CanStream},
		Core:         agentapi.CoreReport{Kind: "xray", Version: "26", State: agentapi.CoreRunning},
		Sockets:      []agentapi.Socket{{L4: "tcp", IP: "0.0.0.0", Port: 22, Process: "sshd"}},
	}
}

// Beat reports, with what the changes make of the usual heartbeat.
func (a *Agent) Beat(changes ...func(*agentapi.Heartbeat)) (reply agentapi.HeartbeatReply) {
	a.panel.t.Helper()
	beat := Heartbeat()
	for _, change := range changes {
		change(&beat)
	}
	a.Post(agentapi.PathHeartbeat, beat).Is(http.StatusOK).JSON(&reply)
	return reply
}

// Node is the agent's node as those see it who may see nodes.
func (a *Agent) Node() *Answer {
	a.panel.t.Helper()
	return a.panel.As("nodes.view").Get("/api/v1/nodes/" + a.NodeID).Is(http.StatusOK)
}

// State is that of the node.
func (a *Agent) State() string {
	a.panel.t.Helper()
	return a.Node().Text("state")
}

const shownWithin = time.Minute

// Shown waits until the node shows the value at a dotted path, as evidence reaches the database a moment after the
// answer.
func (a *Agent) Shown(path string, value any) {
	a.panel.t.Helper()
	require.Eventually(a.panel.t, func() bool {
		shown, _ := a.Node().member(path)
		return shown == value
	}, shownWithin, 20*time.Millisecond, "%s of the node is %v", path, value)
}

// Online reports and waits until the node is shown as online.
func (a *Agent) Online(changes ...func(*agentapi.Heartbeat)) *Agent {
	a.panel.t.Helper()
	a.Beat(changes...)
	a.Shown("state", "online")
	return a
}

// Commands are those that wait for the agent.
func (a *Agent) Commands() []agentapi.Command {
	a.panel.t.Helper()
	var pending agentapi.Pending
	a.Get(agentapi.PathCommands + "?wait=0").Is(http.StatusOK).JSON(&pending)
	return pending.Commands
}

// Finish answers a command.
func (a *Agent) Finish(commandID string, result agentapi.CommandResult) *Answer {
	a.panel.t.Helper()
	result.ID = commandID
	return a.Post(strings.Replace(agentapi.PathCommandResult, "{id}", commandID, 1), result)
}

// Deliver sends a batch of samples.
func (a *Agent) Deliver(stream string, seq int64, samples []agentapi.Sample) *Answer {
	a.panel.t.Helper()
	return a.Post(agentapi.PathMetrics, agentapi.MetricsBatch{StreamID: stream, Seq: seq, Samples: samples})
}

// Samples are so many readings of a server, 15 seconds apart, the newest last.
func Samples(n int, newest time.Time) []agentapi.Sample {
	list := make([]agentapi.Sample, n)
	for i := range list {
		list[i] = agentapi.Sample{
			ObservedAt: newest.Add(time.Duration(i-n+1) * 15 * time.Second), CPUPercent: 50, Load1: 0.5,
			MemUsed: 1 << 30, MemTotal: 2 << 30, DiskUsed: 1, DiskTotal: 2, NetRxBps: 1e6, NetTxBps: 2e6,
			TCPEstablished: 7, UptimeSeconds: 100,
			Traffic: []agentapi.Traffic{{Kind: agentapi.TrafficClient, Name: "c", Up: 1, Down: 2}},
		}
	}
	return list
}
