package nodes

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// overtaken lets an act on a node commit while its agent, whose token was still good when it asked, waits for a new
// one. It gives the answer to the agent.
func overtaken(t *testing.T, p *paneltest.Panel, agent *paneltest.Agent, act func()) *paneltest.Answer {
	t.Helper()
	answer := make(chan *paneltest.Answer, 1)
	acted := make(chan struct{})
	require.NoError(t, p.DB.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "select from nodes where id = ? for update", agent.NodeID)
		require.NoError(t, err)
		go func() { defer close(acted); act() }()
		lockAwaited(t, p, 1)
		go func() { answer <- agent.Post(agentapi.PathToken, nil) }()
		lockAwaited(t, p, 2)
		return nil
	}))
	<-acted
	return <-answer
}

// lockAwaited waits until so many acts wait for a node; the first that came gets it first. Who announces states waits
// otherwise.
func lockAwaited(t *testing.T, p *paneltest.Panel, sessions int) {
	t.Helper()
	eventually(t, func() bool {
		var n int
		require.NoError(t, p.DB.NewRaw(`select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock' and query like '%FOR UPDATE'`).Scan(t.Context(), &n))
		return n == sessions
	})
}

// A revocation ends the agent's access at its next request. An agent that asks for a new token at the same moment,
// again and again, gets none after it: before, it came back with a token that nobody knew of.
func TestARevokedAgentGetsNoTokenThatItAskedForBefore(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, admin := p.Enroll("revoked"), p.As("nodes.edit", "nodes.view")
	agent.Beat()
	overtaken(t, p, agent, func() {
		admin.Post("/api/v1/nodes/"+agent.NodeID+"/agent-binding", map[string]any{"action": "revoke"}).Is(http.StatusOK)
	}).Refused(http.StatusUnauthorized, "agent_token_invalid")
	require.Equal(t, "revoked", agent.Node().Text("agent.link"))
	var tokens int
	require.NoError(t, p.DB.NewRaw("select count(*) from agent_tokens").Scan(t.Context(), &tokens))
	require.Zero(t, tokens)
}

// A server that takes the place of another ends the other's access, whatever the other is just asking for.
func TestAReplacedAgentGetsNoTokenThatItAskedForBefore(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	older, admin := p.Enroll("replaced"), p.As("nodes.edit", "nodes.view")
	older.Beat()
	token := admin.Post("/api/v1/nodes/"+older.NodeID+"/agent-binding",
		map[string]any{}).Is(http.StatusOK).Text("enrollment.token")
	var newer *paneltest.Agent
	overtaken(t, p, older, func() { newer = p.EnrollWith(token, "replaced") }).Refused(http.StatusUnauthorized,
		"agent_token_invalid")
	require.Equal(t, older.NodeID, newer.NodeID)
	newer.Beat()
	var endless int
	require.NoError(t, p.DB.NewRaw("select count(*) from agent_tokens where valid_until is null").Scan(t.Context(),
		&endless))
	require.Equal(t, 1, endless, "the token of the newer one has no end")
}

// A rotation that an administrator orders reaches the agent as a command; the token is never a part of it.
func TestATokenIsRotatedByOrder(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("rotating").Online()
	order := p.As("nodes.edit").PostOnce("/api/v1/nodes/"+agent.NodeID+"/rotate-token", nil).Is(http.StatusAccepted)
	require.Equal(t, []any{"rotate_token", "queued"}, []any{order.Text("kind"), order.Text("state")})
	commands := agent.Commands()
	require.Len(t, commands, 1)
	require.Empty(t, commands[0].Args)
	fresh := agent.Post(agentapi.PathToken, nil).Is(http.StatusOK)
	agent.With(fresh.Text("agent_token")).Finish(commands[0].ID,
		agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}).
		Is(http.StatusNoContent)
	until, err := time.Parse(time.RFC3339, agent.Node().Text("agent.previous_valid_until"))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(overlap), until, time.Minute)
	require.Equal(t, []string{"node.enrolled", "node.rotate_token", "node.token_rotated"},
		p.Recorded("node", agent.NodeID))
}
