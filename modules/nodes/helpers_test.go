package nodes

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// enrolled is an agent with its node.
type enrolled struct {
	*paneltest.Client
	nodeID string
}

func issueToken(t testing.TB, p *paneltest.Panel, body map[string]any) string {
	t.Helper()
	return p.As("nodes.edit").Post("/api/v1/nodes/enrollment-tokens", body).Is(http.StatusCreated).Text("token")
}

func enroll(t testing.TB, p *paneltest.Panel, token, hostname string) *enrolled {
	t.Helper()
	answer := p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Hostname: hostname, OS: "linux", Arch: "amd64", Protocol: 1})
	answer.Is(http.StatusCreated)
	return &enrolled{Client: p.Bearer(answer.Text("agent_token")), nodeID: answer.Text("node_id")}
}

func newAgent(t testing.TB, p *paneltest.Panel, hostname string) *enrolled {
	t.Helper()
	return enroll(t, p, issueToken(t, p, map[string]any{}), hostname)
}

func beat() agentapi.Heartbeat {
	return agentapi.Heartbeat{
		AgentVersion: "1.0.0", Protocol: 1, OS: "linux", Arch: "amd64", Hostname: "h", SessionID: "s1",
		Capabilities: []agentapi.Capability{agentapi.CanApply, agentapi.CanStream},
		Core:         agentapi.CoreReport{Kind: "xray", Version: "26", State: agentapi.CoreRunning},
		Sockets:      []agentapi.Socket{{L4: "tcp", IP: "0.0.0.0", Port: 22, Process: "sshd"}},
	}
}

func (e *enrolled) beat(t testing.TB, change ...func(*agentapi.Heartbeat)) agentapi.HeartbeatReply {
	t.Helper()
	b := beat()
	for _, c := range change {
		c(&b)
	}
	var reply agentapi.HeartbeatReply
	e.Post(agentapi.PathHeartbeat, b).Is(http.StatusOK).JSON(&reply)
	return reply
}

func (e *enrolled) state(p *paneltest.Panel) string {
	return p.As("nodes.view").Get("/api/v1/nodes/" + e.nodeID).Is(http.StatusOK).Text("state")
}

func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, 15*time.Second, 20*time.Millisecond)
}

func agentDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "panel-agent-linux-arm64"), []byte("an executable"), 0o600))
	return dir
}
