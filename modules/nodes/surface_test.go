package nodes

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/jobs"
	"panel/platform/paneltest"
)

// Other modules see nodes as they are at the moment of asking, by their ids or all of them, by name.
func TestOtherModulesSeeNodesAsTheyAre(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("Beta").Online(func(b *agentapi.Heartbeat) {
		b.Addresses, b.Core.ConfigRevision, b.Core.ConfigHash = []string{"203.0.113.9"}, 3, "hash"
		b.Firewall = []agentapi.Firewall{{Kind: "nftables", Active: true, Detail: "a table"}}
	})
	waiting := p.As("nodes.edit").AddNode("alpha", "roles", []string{"exit"}, "tags", []string{"eu"}, "address",
		"192.0.2.1")
	node, err := with.fleet.Node(t.Context(), agent.NodeID)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), node.SeenAt, time.Minute)
	require.True(t, node.Can(string(agentapi.CanApply)))
	require.False(t, node.Can("fly"))
	node.SeenAt = time.Time{}
	require.Equal(t, nodesapi.Node{
		ID: agent.NodeID, Name: "Beta", Address: "127.0.0.1", Addresses: []string{"203.0.113.9"},
		State: "online", Online: true,
		Roles: []string{}, Tags: []string{}, Country: "XX", AgentVersion: "1.0.0", Capabilities: []string{
			"apply",
			"stream",
		}, CoreKind: "xray", CoreVersion: "26",
		CoreState: "running", RevisionInstalled: 3, HashInstalled: "hash",
		Sockets:  []nodesapi.Socket{{L4: "tcp", IP: "0.0.0.0", Port: 22, Process: "sshd"}},
		Firewall: []nodesapi.Firewall{{Kind: "nftables", Active: true, Detail: "a table"}},
	}, withWords(node))

	all, err := with.fleet.Nodes(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{waiting, agent.NodeID}, []string{all[0].ID, all[1].ID}, "by name, whatever its capitals")
	require.Equal(t, []any{"pending", false, true}, []any{all[0].State, all[0].Online, all[0].SeenAt.IsZero()})
	some, err := with.fleet.Nodes(t.Context(), agent.NodeID, database.NewID(), "no id")
	require.NoError(t, err)
	require.Len(t, some, 1)
	none, err := with.fleet.Nodes(t.Context(), "no id")
	require.NoError(t, err)
	require.Empty(t, none, "ids that are none are not all")
	for _, id := range []string{database.NewID(), "no id", ""} {
		_, err = with.fleet.Node(t.Context(), id)
		require.ErrorIs(t, err, nodesapi.ErrUnknown, id)
	}
}

// withWords gives capabilities the words of the test, whatever the agent calls them.
func withWords(n nodesapi.Node) nodesapi.Node {
	words := map[string]string{string(agentapi.CanApply): "apply", string(agentapi.CanStream): "stream"}
	for i, capability := range n.Capabilities {
		n.Capabilities[i] = words[capability]
	}
	return n
}

// Whoever needs some agents that can do something gets those that answer, as many as he asked for.
func TestAbleAgentsAreThoseThatAnswer(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p, with := asked(t, paneltest.Clock(clock))
	able := func(capability agentapi.Capability, most int) (names []string) {
		nodes, err := with.fleet.Able(t.Context(), string(capability), most)
		require.NoError(t, err)
		for _, n := range nodes {
			names = append(names, n.Name)
		}
		return names
	}
	require.Empty(t, able(agentapi.CanApply, 5))
	for _, name := range []string{"one", "two", "revoked"} {
		agent := p.Enroll(name)
		agent.Beat()
		if name == "revoked" {
			eventually(t, func() bool { clock.Advance(100 * time.Millisecond); return agent.State() == "online" })
			p.As("nodes.edit").Post("/api/v1/nodes/"+agent.NodeID+"/agent-binding",
				map[string]any{"action": "revoke"}).Is(http.StatusOK)
		}
	}
	eventually(t, func() bool { clock.Advance(100 * time.Millisecond); return len(able(agentapi.CanApply, 5)) == 2 })
	require.ElementsMatch(t, []string{"one", "two"}, able(agentapi.CanApply, 5))
	require.Len(t, able(agentapi.CanApply, 1), 1)
	require.Empty(t, able(agentapi.CanUpdate, 5), "nobody has named it")
	clock.Advance(time.Minute)
	require.Empty(t, able(agentapi.CanApply, 5), "nobody was heard lately")
}

// Nodes that are held stay until the end of the transaction; those that are not there are named, each once and sorted.
func TestHeldNodesAreThoseThatAreThere(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	edit := p.As("nodes.edit")
	one, two, gone := edit.AddNode("one"), edit.AddNode("two"), database.NewID()
	require.NoError(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		missing, err := with.fleet.Hold(ctx, two, gone, one, "zzz", gone, two)
		require.Equal(t, []string{gone, "zzz"}, missing)
		return err
	}))
	missing, err := with.fleet.Hold(t.Context())
	require.NoError(t, err)
	require.Empty(t, missing)
}

// Whoever monitors the panel sees every state, also those that no node is in, and the streams that are open here.
func TestMetricsCountStatesAndStreams(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("measured")
	p.As("nodes.edit").AddNode("waiting")
	states := func() map[string]float64 {
		counts, err := (&store{db: p.DB}).announcedStates(t.Context())
		require.NoError(t, err)
		return counts
	}
	require.Equal(t, map[string]float64{
		"pending": 2, "online": 0, "degraded": 0, "offline": 0, "maintenance": 0,
		"disabled": 0,
	}, states())
	for state := range states() {
		require.Contains(t, p.Scrape(), `panel_nodes{state="`+state+`"}`)
	}
	require.Contains(t, p.Scrape(), "panel_agent_links 0\n")
	conn := dial(t, p, agent)
	next(t, conn)
	require.Contains(t, p.Scrape(), "panel_agent_links 1\n")
	agent.Beat()
	eventually(t, func() bool { return states()["online"] == 1 })
	require.NoError(t, conn.CloseNow())
	eventually(t, func() bool { return strings.Contains(p.Scrape(), "panel_agent_links 0\n") })
}

// Tokens long past their end are forgotten, and agent tokens with theirs; what may still be asked about stays.
func TestTokensArePastTheirEndForNinetyDays(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	agent := p.Enroll("kept")
	agent.Post(agentapi.PathToken, nil).Is(http.StatusOK)
	p.EnrollmentToken(map[string]any{"label": "month", "expires_in_seconds": 30 * 24 * 3600})
	count := func(table string) (n int) {
		require.NoError(t, p.DB.NewRaw("select count(*) from "+table).Scan(t.Context(), &n))
		return n
	}
	rules := jobs.TidyWorker(p.DB, clock, tidy())
	tidy := func() { require.NoError(t, rules.Work(t.Context(), jobs.Job{})) }
	tidy()
	require.Equal(t, []int{2, 2}, []int{count("enrollment_tokens"), count("agent_tokens")})
	clock.Advance(overlap + time.Second)
	tidy()
	require.Equal(t, []int{2, 1}, []int{count("enrollment_tokens"), count("agent_tokens")},
		"the token before the rotation has ended")
	clock.Advance(91 * 24 * time.Hour)
	tidy()
	require.Equal(t, []int{1, 1}, []int{count("enrollment_tokens"), count("agent_tokens")})
	clock.Advance(30 * 24 * time.Hour)
	tidy()
	require.Zero(t, count("enrollment_tokens"))
}

// A long-poll ends with its wait when nothing comes, and a wait that is no wait answers at once.
func TestALongPollEndsWithItsWait(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	agent := p.Enroll("polling")
	require.Empty(t, agent.Commands())
	answered := make(chan *paneltest.Answer, 1)
	go func() { answered <- agent.Get(agentapi.PathCommands + "?wait=20") }()
	eventually(t, func() bool {
		clock.Advance(time.Second)
		return len(answered) == 1
	})
	(<-answered).Is(http.StatusOK)
	for _, wait := range []string{"26", "-1", "x"} {
		agent.Get(agentapi.PathCommands+"?wait="+wait).Refused(http.StatusBadRequest, "bad_parameter")
	}
}

// Several results in one call are taken one by one: those of commands that are gone stop no other.
func TestResultsComeTogether(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("probing")
	order := nodesapi.Order{NodeID: agent.NodeID, Kind: "probe", Deadline: time.Now().Add(time.Minute)}
	ids, err := with.commands.Send(t.Context(), order, order)
	require.NoError(t, err)
	results := []map[string]any{}
	for _, id := range []string{database.NewID(), ids[0], "no id", ids[1]} {
		results = append(results, map[string]any{
			"id": id, "ok": true, "code": "done", "started_at": time.Now(),
			"finished_at": time.Now(),
		})
	}
	agent.Post("/agent/v1/probe-results", map[string]any{"results": results}).Is(http.StatusNoContent)
	found, err := with.commands.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.True(t, found[ids[0]].OK && found[ids[1]].OK)
	agent.Post("/agent/v1/probe-results", map[string]any{"results": make([]map[string]any, 201)}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// An agent learns the address from which the panel sees it, and no other node's.
func TestAnAgentLearnsItsAddress(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	require.Equal(t, "127.0.0.1", p.Enroll("behind a router").Get(agentapi.PathReflect).Is(http.StatusOK).Text("ip"))
	p.Anonymous().Get(agentapi.PathReflect).Refused(http.StatusUnauthorized, "agent_token_invalid")
}

// Bodies of agents are packed or not; what is neither is refused.
func TestOnlyWhatCanBeReadIsTaken(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("packing")
	for _, path := range []string{agentapi.PathMetrics, "/agent/v1/batches/seen"} {
		agent.Do(http.MethodPost, path, []byte("no gzip at all"), "Content-Encoding", "gzip").
			Refused(http.StatusBadRequest,
				"bad_json")
		agent.Do(http.MethodPost, path, []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff cut"), "Content-Encoding",
			"gzip").
			Refused(http.StatusBadRequest, "bad_json")
	}
	agent.Get(agentapi.PathStream).Refused(http.StatusBadRequest, "bad_parameter")
}

// An agent that is too old for this panel is told so, and nothing of what it says counts.
func TestAnAgentThatIsTooOldIsToldSo(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("ancient")
	old := paneltest.Heartbeat()
	old.Protocol = oldestProtocol - 1
	agent.Post(agentapi.PathHeartbeat, old).Refused(http.StatusUnprocessableEntity, "invalid_value")
	agent.Online(func(b *agentapi.Heartbeat) { b.Protocol = max(1, oldestProtocol) })
}

// Names and lists of a heartbeat are bounded before they are stored with those of others.
func TestAHeartbeatIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	beat := paneltest.Heartbeat()
	beat.Hostname, beat.AgentVersion, beat.Core.Version, beat.PanelURL = long, long, long, long
	beat.Core.State, beat.Core.Error = agentapi.CoreState(long), long+"end"
	for range 50 {
		beat.Documents = append(beat.Documents, agentapi.DocumentStatus{
			Name: agentapi.DocumentName(long), Hash: long,
			Error: long,
		})
	}
	shorten(&beat)
	require.LessOrEqual(t, max(len(beat.Hostname), len(beat.AgentVersion), len(beat.Core.Version), len(beat.PanelURL)),
		255)
	require.LessOrEqual(t, len(beat.Core.State), 64)
	require.Len(t, beat.Core.Error, agentapi.MaxTail)
	require.True(t, strings.HasSuffix(beat.Core.Error, "end"))
	require.Len(t, beat.Documents, len(agentapi.DocumentNames))
	require.LessOrEqual(t, len(beat.Documents[0].Error), documentErrorLimit)
}
