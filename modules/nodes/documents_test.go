package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/documents"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/jobs"
	"panel/platform/paneltest"
)

func blocks(nodeID string, content any) nodesapi.Document {
	return nodesapi.Document{NodeID: nodeID, Name: "blocks", Content: content}
}

func (p *ports) setBlocks(t *testing.T, nodeID string, content any) {
	t.Helper()
	require.NoError(t, p.documents.Set(t.Context(), blocks(nodeID, content)))
}

func (p *ports) stateOf(t *testing.T, nodeID string) nodesapi.DocumentState {
	t.Helper()
	states, err := p.documents.States(t.Context(), "blocks", nodeID, "no id")
	require.NoError(t, err)
	return states[nodeID]
}

func documentOf(t *testing.T, agent *paneltest.Agent) (found agentapi.Document) {
	t.Helper()
	agent.Get("/agent/v1/desired/blocks").Is(http.StatusOK).JSON(&found)
	require.NoError(t, found.Verify())
	return found
}

func TestADocumentReachesItsAgentAndItsStateIsKnown(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("holder")
	require.Empty(t, agent.Beat().Documents)
	with.setBlocks(t, agent.NodeID, map[string]any{"ips": []string{"192.0.2.1"}})
	reply := agent.Beat()
	require.Len(t, reply.Documents, 1)
	got := documentOf(t, agent)
	require.Equal(t, reply.Documents[0], got.DocumentRef)
	require.EqualValues(t, 1, got.Revision)
	require.JSONEq(t, `{"ips":["192.0.2.1"]}`, string(got.Content))
	again := agent.Do(http.MethodGet, "/agent/v1/desired/blocks", nil, "If-None-Match", `"1"`)
	require.Equal(t, http.StatusNotModified, again.Status)

	require.Equal(t, nodesapi.DocumentPending, with.stateOf(t, agent.NodeID).State)
	says := func(s agentapi.DocumentStatus) func(*agentapi.Heartbeat) {
		return func(b *agentapi.Heartbeat) { b.Documents = []agentapi.DocumentStatus{s} }
	}
	agent.Beat(says(agentapi.DocumentStatus{Name: "blocks", FailedRevision: 1, Error: "no such table"}))
	eventually(t, func() bool { return with.stateOf(t, agent.NodeID).State == nodesapi.DocumentFailed })
	require.Equal(t, "no such table", with.stateOf(t, agent.NodeID).Error)
	agent.Beat(says(agentapi.DocumentStatus{Name: "blocks", Revision: 1, Hash: got.Hash}))
	eventually(t, func() bool { return with.stateOf(t, agent.NodeID).State == nodesapi.DocumentApplied })
	with.setBlocks(t, agent.NodeID, map[string]any{"ips": []string{}})
	require.Equal(t, nodesapi.DocumentState{
		NodeID: agent.NodeID, State: nodesapi.DocumentPending, Wanted: 2,
		Applied: 1,
	},
		with.stateOf(t, agent.NodeID))
}

func TestADocumentIsWantedOnlyIfItsTransactionCommits(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("undone")
	conn := dial(t, p, agent)
	require.Empty(t, next(t, conn).Documents)
	undone := errors.New("undone")
	change := func(content string, end error) error {
		return p.DB.InTx(t.Context(), func(ctx context.Context) error {
			order := nodesapi.Order{NodeID: agent.NodeID, Kind: "restart_core", Deadline: time.Now().Add(time.Minute)}
			_, err := with.commands.Send(ctx, order)
			require.NoError(t, err)
			require.NoError(t, with.documents.Set(ctx, blocks(agent.NodeID, content)))
			return end
		})
	}
	require.ErrorIs(t, change("first", undone), undone)
	agent.Get("/agent/v1/desired/blocks").Refused(http.StatusNotFound, "not_found")
	require.NoError(t, change("second", nil))
	frame := next(t, conn)
	require.Equal(t, agentapi.FrameDesired, frame.Type,
		"the stream learns of it after the commit, and of nothing that was undone")
	require.Len(t, frame.Documents, 1)
	require.EqualValues(t, 1, frame.Documents[0].Revision)
	require.Equal(t, agentapi.RestartCore, next(t, conn).Command.Kind, "a command takes part in the transaction, too")
	require.JSONEq(t, `"second"`, string(documentOf(t, agent).Content))
}

func TestADocumentSetOnOnePanelWakesAStreamToAnother(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	other, _ := asked(t, paneltest.On(p.DB))
	agent := p.Enroll("elsewhere")
	conn := dial(t, other, agent.At(other))
	next(t, conn)
	with.setBlocks(t, agent.NodeID, 1)
	ref := next(t, conn).Documents[0]
	reply := call(t, conn, agentapi.Frame{Type: agentapi.FrameDocument, Call: 1, Document: "blocks"})
	require.Equal(t, http.StatusOK, reply.Status)
	require.Equal(t, ref, reply.Document.DocumentRef)
	with.setBlocks(t, agent.NodeID, strings.Repeat("x", agentapi.MaxFrame/2))
	require.EqualValues(t, 2, next(t, conn).Documents[0].Revision)
	reply = call(t, conn, agentapi.Frame{Type: agentapi.FrameDocument, Call: 2, Document: "blocks"})
	require.Equal(t, http.StatusRequestEntityTooLarge, reply.Status)
	require.EqualValues(t, 2, documentOf(t, agent).Revision, "a GET carries it")
}

func TestTheSameContentKeepsItsRevisionAndIsStoredOnceForAFleet(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	var fleet []nodesapi.Document
	agents := []*paneltest.Agent{p.Enroll("one"), p.Enroll("two"), p.Enroll("three")}
	for _, agent := range agents {
		fleet = append(fleet, blocks(agent.NodeID, map[string]int{"a": 1, "b": 2}))
	}
	for range 2 {
		require.NoError(t, with.documents.Set(t.Context(), fleet...))
	}
	require.NoError(t, with.documents.Set(t.Context(), blocks(agents[0].NodeID, json.RawMessage(`{ "b": 2, "a": 1 }`))))
	for _, agent := range agents {
		require.EqualValues(t, 1, documentOf(t, agent).Revision)
	}
	count, err := p.DB.NewSelect().Table("node_document_contents").Count(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, count)
	var sealed string
	require.NoError(t, p.DB.NewRaw("select sealed from node_document_contents").Scan(t.Context(), &sealed))
	require.NotContains(t, sealed, `"a"`, "contents may hold secrets of clients")
}

// Two writers at once, of the same nodes in another order: each change is a revision, and nobody waits for ever.
func TestWritersAtOnceAreOneAfterTheOther(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	one, two := p.Enroll("one"), p.Enroll("two")
	const writers = 12
	var running sync.WaitGroup
	failures := make(chan error, writers)
	for i := range writers {
		both := []nodesapi.Document{blocks(one.NodeID, i), blocks(two.NodeID, -1-i)}
		if i%2 == 1 {
			both[0], both[1] = both[1], both[0]
		}
		running.Go(func() { failures <- with.documents.Set(t.Context(), both...) })
	}
	running.Wait()
	for range writers {
		require.NoError(t, <-failures)
	}
	require.EqualValues(t, writers, documentOf(t, one).Revision)
	require.EqualValues(t, writers, documentOf(t, two).Revision)
}

func TestAnAgentReadsItsOwnDocumentsAlone(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	owner, foreign := p.Enroll("owner"), p.Enroll("foreign")
	with.setBlocks(t, owner.NodeID, 1)
	foreign.Get("/agent/v1/desired/blocks").Refused(http.StatusNotFound, "not_found")
	foreign.Get("/agent/v1/desired/shell").Refused(http.StatusNotFound, "not_found")
	foreign.Get("/agent/v1/desired/config").Refused(http.StatusNotFound, "not_found")
	p.As("*").Get("/agent/v1/desired/blocks").Refused(http.StatusUnauthorized, "agent_token_invalid")
	require.Empty(t, foreign.Beat().Documents)
}

func TestTheConfigurationIsADocumentToo(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("configured")
	config := with.put(t, agent.NodeID, json.RawMessage(`{"inbounds":[]}`), nil)
	_, err := with.configs.SetDesired(t.Context(), map[string]int64{agent.NodeID: config.Revision})
	require.NoError(t, err)
	var found agentapi.Document
	agent.Get("/agent/v1/desired/config").Is(http.StatusOK).JSON(&found)
	require.Equal(t, agentapi.DocumentRef{Name: "config", Revision: config.Revision, Hash: config.Hash},
		found.DocumentRef)
	require.NoError(t, found.Verify())
}

func TestWhatIsNotInTheClosedListsIsRefused(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("closed")
	for _, name := range []string{"shell", "config", ""} {
		err := with.documents.Set(t.Context(), nodesapi.Document{NodeID: agent.NodeID, Name: name, Content: 1})
		require.ErrorIs(t, err, nodesapi.ErrUnknownDocument, name)
	}
	large := blocks(agent.NodeID, strings.Repeat("x", agentapi.MaxDocument))
	require.ErrorIs(t, with.documents.Set(t.Context(), large), nodesapi.ErrTooLarge)
	require.Error(t, with.documents.Set(t.Context(), blocks(agent.NodeID, 1), blocks(agent.NodeID, 2)),
		"twice for one node")
	_, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "run_shell",
		Deadline: time.Now().Add(time.Minute),
	})
	require.ErrorIs(t, err, nodesapi.ErrUnknownKind)
	require.NoError(t, with.documents.Set(t.Context()), "nothing is fine")
}

func TestANodeThatIsGoneIsLeftOut(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	stays, goes := p.Enroll("stays"), p.Enroll("goes")
	with.setBlocks(t, goes.NodeID, 1)
	p.As("nodes.edit").Delete("/api/v1/nodes/" + goes.NodeID).Is(http.StatusNoContent)
	require.NoError(t, with.documents.Set(t.Context(), blocks(goes.NodeID, 2), blocks(stays.NodeID, 2),
		blocks("no id", 2)))
	require.EqualValues(t, 1, documentOf(t, stays).Revision)
	require.Empty(t, with.stateOf(t, goes.NodeID))
}

func TestContentsThatNoNodeHoldsAreTidiedAway(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p, with := asked(t, paneltest.Clock(clock))
	agent := p.Enroll("tidy")
	with.setBlocks(t, agent.NodeID, "old")
	with.setBlocks(t, agent.NodeID, "new")
	tidy := jobs.TidyWorker(p.DB, clock, []jobs.Tidy{documents.Tidy()})
	contents := func() int {
		require.NoError(t, tidy.Work(t.Context(), jobs.Job{}))
		n, err := p.DB.NewSelect().Table("node_document_contents").Count(t.Context())
		require.NoError(t, err)
		return int(n)
	}
	require.Equal(t, 2, contents(), "somebody may be about to hold the old one again")
	clock.Advance(2 * time.Hour)
	require.Equal(t, 1, contents())
	require.JSONEq(t, `"new"`, string(documentOf(t, agent).Content))
}

func TestAnAgentThatLacksACapabilityIsNamed(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	able, old := p.Enroll("able"), p.Enroll("old")
	needed := agentapi.DocumentBlocks.Capability()
	able.Beat(func(b *agentapi.Heartbeat) { b.Capabilities = append(b.Capabilities, needed) })
	old.Beat()
	eventually(t, func() bool {
		nodes, err := with.fleet.Nodes(t.Context(), able.NodeID, old.NodeID)
		require.NoError(t, err)
		lacking := nodesapi.Lacking(nodes, string(agentapi.CanApply), string(needed))
		return len(lacking) == 1 && lacking[0].Name == "old"
	})
}

func TestBatchesReachTheModuleThatReadsTheirKind(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("sender")
	batch := agentapi.Batch{StreamID: "s", Seq: 4, Items: []json.RawMessage{[]byte(`{"n":1}`)}}
	var reply agentapi.BatchReply
	agent.Post("/agent/v1/batches/seen", batch).Is(http.StatusOK).JSON(&reply)
	require.EqualValues(t, 4, reply.AckedSeq)
	taken := <-with.batches
	require.EqualValues(t, "seen", taken.Kind)
	require.JSONEq(t, `{"n":1}`, string(taken.Items[0]))
	conn := dial(t, p, agent)
	next(t, conn)
	batch.Kind, batch.Seq = "seen", 5
	streamed := call(t, conn, agentapi.Frame{Type: agentapi.FrameBatch, Call: 1, Batch: &batch})
	require.EqualValues(t, 5, streamed.Batch.AckedSeq)
	require.EqualValues(t, 5, (<-with.batches).Seq)

	agent.Post("/agent/v1/batches/unknown", batch).Refused(http.StatusNotFound, "not_found")
	batch.Items = make([]json.RawMessage, agentapi.MaxBatchItems+1)
	for i := range batch.Items {
		batch.Items[i] = []byte("1")
	}
	agent.Post("/agent/v1/batches/seen", batch).Refused(http.StatusUnprocessableEntity, "invalid_value")
	for _, body := range []string{`{`, `[]`, `{"items":[1]} 2`, `{"seq":"one"}`} {
		agent.Post("/agent/v1/batches/seen", body).Refused(http.StatusBadRequest, "bad_json")
	}
	agent.Post("/agent/v1/batches/seen", `{"seq":1,"items":["\u0000"]}`).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Empty(t, with.batches)
}
