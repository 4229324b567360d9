package nodes

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/doctor"
	"panel/platform/ingest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// ports are the interfaces that other modules get, caught for the tests.
type ports struct {
	fleet    nodesapi.Fleet
	configs  nodesapi.Configs
	commands nodesapi.Commands

	documents nodesapi.Documents
	readings  nodesapi.Readings
	statuses  nodesapi.Statuses
	addresses nodesapi.Addresses
	batches   chan agentapi.Batch // of the kind seen, as they are taken
}

// asking is a module that only wants to know the others.
func asking(into *ports) module.Module {
	return module.Module{
		Name: "asking", Summary: "A test that asks", Requires: []string{"nodes"},
		Permissions: []access.Permission{},
		Attach: func(f nodesapi.Fleet, c nodesapi.Configs, o nodesapi.Commands, d nodesapi.Documents,
			r nodesapi.Readings, s nodesapi.Statuses, a nodesapi.Addresses,
		) module.Parts {
			*into = ports{f, c, o, d, r, s, a, make(chan agentapi.Batch, 16)}
			take := func(_ context.Context, _ string, batch *agentapi.Batch) error {
				into.batches <- *batch
				return nil
			}
			return module.Parts{AgentBatches: []ingest.Intake{{Kind: "seen", Take: take}}}
		},
	}
}

func asked(t *testing.T, settings ...paneltest.Setting) (*paneltest.Panel, *ports) {
	t.Helper()
	into := new(ports)
	return paneltest.Start(t, append(settings, paneltest.Modules(Module(), asking(into)))...), into
}

// State is derived from evidence at read time; two missed heartbeats are stale, ten are lost (domain 4.15, 4.18).
func TestTheStateOfANodeFollowsItsEvidence(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p, _ := asked(t, paneltest.Clock(clock))
	agent := p.Enroll("states")
	require.Equal(t, "pending", agent.State())
	agent.Beat()
	flushed := func(want string) func() bool {
		return func() bool { clock.Advance(100 * time.Millisecond); return agent.State() == want }
	}
	eventually(t, flushed("online"))
	agent.Beat(func(b *agentapi.Heartbeat) { b.Core.State, b.Core.Error = agentapi.CoreFailed, "panic: at start" })
	eventually(t, flushed("degraded"))
	node := p.As("nodes.view").Get("/api/v1/nodes/" + agent.NodeID)
	require.Equal(t, []any{"core_failed"}, node.Value("reasons"))
	require.Equal(t, "panic: at start", node.Text("core.error"))
	agent.Beat()
	eventually(t, flushed("online"))
	clock.Advance(31 * time.Second)
	require.Equal(t, "degraded", agent.State())
	require.Equal(t, "stale", p.As("nodes.view").Get("/api/v1/nodes/"+agent.NodeID).Text("agent.link"))
	clock.Advance(2 * time.Minute)
	require.Equal(t, "offline", agent.State())
	edit := p.As("nodes.edit", "nodes.view")
	begin := map[string]any{"on": true, "reason": "disk"}
	edit.PostOnce("/api/v1/nodes/"+agent.NodeID+"/maintenance", begin).Is(http.StatusOK)
	require.Equal(t, "maintenance", agent.State())
	edit.PostOnce("/api/v1/nodes/"+agent.NodeID+"/maintenance", map[string]any{"on": false}).Is(http.StatusOK)
	require.Equal(t, "offline", agent.State())
}

// Whose an address is follows from what people wrote and from what agents say of their interfaces; a name is no
// address.
func TestWhoseAnAddressIs(t *testing.T) {
	t.Parallel()
	p, ports := asked(t)
	written := p.Admin().AddNode("written", "address", "203.0.113.7")
	p.Admin().AddNode("named", "address", "fra.example.com")
	told := p.Enroll("told").Online(func(h *agentapi.Heartbeat) { h.Addresses = []string{"203.0.113.7", "2001:db8::7"} })
	for address, holders := range map[string][]string{
		"203.0.113.7": {written, told.NodeID}, "2001:db8::7": {told.NodeID}, "203.0.113.70": nil, "fra": nil, "": nil,
	} {
		found, err := ports.addresses.HeldBy(t.Context(), address)
		require.NoError(t, err)
		require.ElementsMatch(t, holders, found, address)
	}
}

// A state that changed is told once, over all panels on the database.
func TestAStateChangeIsToldOnceOverAllPanels(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	other, _ := asked(t, paneltest.On(p.DB))
	agent := p.Enroll("told")
	agent.At(other).Beat()
	var announced string
	eventually(t, func() bool {
		require.NoError(t, p.DB.NewRaw("select announced_state from nodes where id = ?", agent.NodeID).Scan(t.Context(),
			&announced))
		return announced == "online"
	})
}

func TestTwoAgentsThatTakeTurnsUnderOneIdentityAreNoticed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("cloned")
	for _, session := range []string{"a", "b", "a", "b"} {
		agent.Beat(func(b *agentapi.Heartbeat) { b.SessionID = session })
	}
	eventually(t, func() bool { return agent.State() == "degraded" })
}

func TestAnAgentFetchesItsConfigurationAndNobodyElses(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	a, b := p.Enroll("agent-a"), p.Enroll("agent-b")
	a.Get(agentapi.PathConfig).Refused(http.StatusNotFound, "not_found")
	core := json.RawMessage(`{"inbounds":[],"secret":"canary"}`)
	listeners := []nodesapi.Listener{{
		Key: "in", FlowID: "0199a0de-0000-7000-8000-000000000001", L4: "tcp",
		IP: "0.0.0.0", Port: 443,
	}}
	config := with.put(t, a.NodeID, core, listeners)
	require.EqualValues(t, 1, config.Revision)
	same := with.put(t, a.NodeID, json.RawMessage(` {"secret":"canary", "inbounds":[]}`), listeners)
	require.Equal(t, config.Revision, same.Revision, "an unchanged configuration is not a new one")
	require.Zero(t, a.Beat().DesiredRevision, "a candidate is not wanted yet")

	unknown, err := with.configs.SetDesired(t.Context(), map[string]int64{a.NodeID: config.Revision})
	require.NoError(t, err)
	require.Empty(t, unknown)
	require.Equal(t, config.Revision, a.Beat().DesiredRevision)
	got := a.Get(agentapi.PathConfig + "?revision=1").Is(http.StatusOK)
	var fetched agentapi.NodeConfig
	got.JSON(&fetched)
	hash, err := fetched.ContentHash()
	require.NoError(t, err)
	require.Equal(t, config.Hash, hash)
	require.Equal(t, `"1"`, got.Header.Get("Etag"))
	a.Do(http.MethodGet, agentapi.PathConfig, nil, "If-None-Match", `"1"`).Is(http.StatusNotModified)
	b.Get(agentapi.PathConfig+"?revision=1").Refused(http.StatusNotFound, "not_found")

	var stored []string
	require.NoError(t, p.DB.NewRaw("select c::text from node_configs c").Scan(t.Context(), &stored))
	require.NotContains(t, strings.Join(stored, ""), "canary", "a configuration holds clients' secrets and is sealed")
	p.As("nodes.edit").Delete("/api/v1/nodes/"+a.NodeID).Refused(http.StatusConflict, "node_in_use")
	unknown, err = with.configs.SetDesired(t.Context(), map[string]int64{a.NodeID: 99, "no-id": 1, b.NodeID: 1})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{a.NodeID, "no-id", b.NodeID}, unknown)
}

func TestAFailedInstallationIsShownWithTheCoresOwnWords(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("failing")
	agent.Post(agentapi.PathConfigResult, agentapi.ConfigResult{
		Revision: 3, Stage: agentapi.StageTest,
		Error: "refused", StderrTail: strings.Repeat("x", 9000),
	}).
		Is(http.StatusNoContent)
	node := p.As("nodes.view").Get("/api/v1/nodes/" + agent.NodeID).Is(http.StatusOK)
	require.Equal(t, "test", node.Text("core.last_result.stage"))
	require.Len(t, node.Text("core.last_result.stderr_tail"), agentapi.MaxTail)
}

func dial(t *testing.T, p *paneltest.Panel, agent *paneltest.Agent) *websocket.Conn {
	t.Helper()
	conn, response, err := websocket.Dial(t.Context(), p.URL+agentapi.PathStream, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + agent.Token}},
	})
	require.NoError(t, err)
	if response.Body != nil {
		_ = response.Body.Close()
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	require.NoError(t, wsjson.Write(t.Context(), conn, agentapi.Frame{
		Type:  agentapi.FrameHello,
		Hello: &agentapi.Hello{Protocol: 1},
	}))
	return conn
}

func next(t *testing.T, conn *websocket.Conn) (frame agentapi.Frame) {
	t.Helper()
	require.NoError(t, wsjson.Read(t.Context(), conn, &frame))
	return frame
}

func TestADeletedNodesAgentIsRefusedAtItsNextRequest(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("deleted")
	agent.Beat()
	p.As("nodes.edit").Delete("/api/v1/nodes/" + agent.NodeID).Is(http.StatusNoContent)
	agent.Post(agentapi.PathHeartbeat, paneltest.Heartbeat()).Refused(http.StatusUnauthorized, "agent_token_invalid")
}

// Bad input of agents: never a 5xx, never an echo; unknown members are allowed.
func TestBadInputOfAgentsIsRefusedAndNotEchoed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("bad-input")
	known, err := json.Marshal(paneltest.Heartbeat())
	require.NoError(t, err)
	agent.Post(agentapi.PathHeartbeat, strings.Replace(string(known), "{", `{"later":{"x":1},`, 1)).Is(http.StatusOK)
	for path, bodies := range map[string][]string{
		agentapi.PathHeartbeat: {`{`, `[]`, `"canary"`, `{"protocol":"canary"}`, `null`, strings.Repeat(`{"core":`,
			10_000)},
		agentapi.PathMetrics: {
			`{`, `[]`, `{"stream_id":"canary","seq":0}`, `{"stream_id":"","seq":1}`, `{"seq":"canary"}`,
			strings.Repeat(`[`, 10_000),
			`{"stream_id":"` + strings.Repeat("c", 65) + `","seq":1}`,
		},
	} {
		for _, text := range bodies {
			answer := agent.Post(path, text)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, answer.Status,
				"%s %.60s: %s", path, text, answer.Body)
			require.NotContains(t, string(answer.Body), "canary")
		}
	}
	agent.Post(agentapi.PathMetrics, `{"stream_id":"`+strings.Repeat("c", agentapi.MaxBody)+`"}`).
		Refused(http.StatusRequestEntityTooLarge, "body_too_large")
	agent.Post("/agent/v1/commands/not-an-id/result", map[string]any{}).Refused(http.StatusNotFound, "not_found")
}

// put stores one candidate.
func (p *ports) put(t *testing.T, nodeID string, core json.RawMessage, listeners []nodesapi.Listener) nodesapi.Config {
	t.Helper()
	stored, err := p.configs.PutCandidates(t.Context(), nodesapi.Candidate{
		NodeID: nodeID, Core: core,
		Listeners: listeners,
	})
	require.NoError(t, err)
	require.Len(t, stored, 1)
	return stored[0]
}

// call sends a call and reads its reply.
func call(t *testing.T, conn *websocket.Conn, f agentapi.Frame) *agentapi.Reply {
	t.Helper()
	conn.SetReadLimit(agentapi.MaxFrame)
	require.NoError(t, wsjson.Write(t.Context(), conn, f))
	got := next(t, conn)
	require.Equal(t, f.Call, got.Call)
	return got.Reply
}

// An agent that dials the panel by another name is told the panel's own, and its node says so.
func TestAnAgentThatDialsAnotherNameIsSeen(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Modules(Module()),
		paneltest.Env(map[string]string{"PANEL_PUBLIC_URL": "https://panel.example"}))
	agent := p.Enroll("other-name")
	for dialled, noted := range map[string]bool{
		"http://10.0.0.5:8080": true, "https://panel.example:443": false,
		"": false,
	} {
		reply := agent.Beat(func(b *agentapi.Heartbeat) { b.PanelURL = dialled })
		require.Equal(t, "https://panel.example", reply.PanelURL)
		eventually(t, func() bool {
			d := detailOf(t, p, agent.NodeID)
			return d.Agent.LastSeenAt != nil && d.Agent.PanelURL == dialled && slices.Contains(d.Reasons,
				"panel_address") == noted
		})
	}
}

// Doctor names the address that agents dial while the panel calls itself otherwise.
func TestDoctorSeesAgentsThatDialAnotherName(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("other-name")
	agent.Beat(func(b *agentapi.Heartbeat) { b.PanelURL = "http://10.0.0.5:8080" })
	eventually(t, func() bool { return detailOf(t, p, agent.NodeID).Agent.PanelURL != "" })
	env := func(own string) doctor.Env {
		return doctor.Env{Getenv: func(name string) string { return map[string]string{"PANEL_PUBLIC_URL": own}[name] }}
	}
	require.Equal(t, []string{"http://10.0.0.5:8080"}, otherAddresses(t.Context(), p.DB, env("https://panel.example")))
	require.Empty(t, otherAddresses(t.Context(), p.DB, env("http://10.0.0.5:8080/")))
	require.Empty(t, otherAddresses(t.Context(), p.DB, env("")))
}
