package documents

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/internal/work"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/vault"
)

// shelf is a panel's store of documents, on a database with nodes.
type shelf struct {
	*Store
	configs *work.Configs
	queue   *work.Queue
	clock   *clockwork.FakeClock
	t       *testing.T
}

func newShelf(t *testing.T, db *database.DB) *shelf {
	t.Helper()
	log, clock := zaptest.NewLogger(t), clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Microsecond))
	v, err := vault.New(strings.Repeat("k", 64))
	require.NoError(t, err)
	listener := database.NewListener(db.Pool, log)
	queue := work.NewQueue(db, listener, v, clock, log)
	configs := work.NewConfigs(db, queue, v, clock, func(...string) {})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- configs.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	return &shelf{Store: NewStore(db, queue, configs, v, clock), configs: configs, queue: queue, clock: clock, t: t}
}

func (s *shelf) set(node, name string, content any) {
	s.t.Helper()
	require.NoError(s.t, s.Set(s.t.Context(), nodesapi.Document{NodeID: node, Name: name, Content: content}))
}

func (s *shelf) of(node string, name agentapi.DocumentName) *agentapi.Document {
	s.t.Helper()
	found, err := s.Read(s.t.Context(), node, name)
	require.NoError(s.t, err)
	require.NoError(s.t, found.Verify(), "an agent checks what it gets")
	return found
}

func (s *shelf) missing(node string, name agentapi.DocumentName) {
	s.t.Helper()
	_, err := s.Read(s.t.Context(), node, name)
	require.Equal(s.t, fault.KindMissing, fault.KindOf(err))
}

// reported is what an agent says of its documents.
func (s *shelf) reported(node, documents string) {
	s.t.Helper()
	_, err := s.db.ExecContext(s.t.Context(), `insert into node_reports (node_id, seen_at, surroundings)
		values (?, now(), ?::jsonb) on conflict (node_id) do update set surroundings = excluded.surroundings`,
		node, `{"documents":`+documents+`}`)
	require.NoError(s.t, err)
}

func (s *shelf) state(node, name string) nodesapi.DocumentState {
	s.t.Helper()
	states, err := s.States(s.t.Context(), name, node)
	require.NoError(s.t, err)
	return states[node]
}

// Each document of each node counts its own revisions, and one says nothing about another.
func TestDocumentsHaveRevisionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	s := newShelf(t, db)
	s.set(ids[0], "blocks", 1)
	s.set(ids[0], "blocks", 2)
	s.set(ids[0], "challenges", 2)
	s.set(ids[1], "blocks", 2)
	require.EqualValues(t, 2, s.of(ids[0], "blocks").Revision)
	require.EqualValues(t, 1, s.of(ids[0], "challenges").Revision)
	require.EqualValues(t, 1, s.of(ids[1], "blocks").Revision)
	require.Equal(t, s.of(ids[0], "blocks").Hash, s.of(ids[1], "blocks").Hash, "the digest is of the content alone")
	s.missing(ids[1], "challenges")
	s.missing(database.NewID(), "blocks")
	s.missing(ids[0], "shell")
}

// What was before and comes back is a newer revision: an agent that has the older one must hear of it.
func TestAContentThatComesBackIsANewerRevision(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	s := newShelf(t, db)
	for _, content := range []any{"a", "b", "a", "a", nil, json.RawMessage("null")} {
		s.set(ids[0], "blocks", content)
	}
	found := s.of(ids[0], "blocks")
	require.EqualValues(t, 4, found.Revision, "a, b, a again, and nothing; the same twice is once")
	require.Equal(t, "null", string(found.Content))
}

// Agents hear of documents with what waits for them, in one order, so that the same is the same.
func TestWhatWaitsForAnAgentNamesItsDocuments(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	s := newShelf(t, db)
	changed, give := s.queue.Wait(ids[0])
	defer give()
	require.NoError(t, s.Set(t.Context(), nodesapi.Document{NodeID: ids[0], Name: "pools", Content: 1},
		nodesapi.Document{NodeID: ids[0], Name: "blocks", Content: 1}))
	<-changed
	pending, err := s.queue.Pending(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, []agentapi.DocumentRef{s.of(ids[0], "blocks").DocumentRef, s.of(ids[0], "pools").DocumentRef},
		pending.Documents)
	other, err := s.queue.Pending(t.Context(), ids[1])
	require.NoError(t, err)
	require.Empty(t, other.Documents)

	again, giveAgain := s.queue.Wait(ids[0])
	defer giveAgain()
	s.set(ids[0], "blocks", 1)
	select {
	case <-again:
		require.Fail(t, "the same content again woke the agent")
	default:
	}
}

// One document that cannot be set keeps back all of the call, and one of a node that is gone keeps back none.
func TestDocumentsAreSetAllOrNone(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	s := newShelf(t, db)
	good := nodesapi.Document{NodeID: ids[0], Name: "blocks", Content: 1}
	for what, bad := range map[string]nodesapi.Document{
		"an unknown name":  {NodeID: ids[0], Name: "shell", Content: 1},
		"a configuration":  {NodeID: ids[0], Name: "config", Content: 1},
		"no JSON":          {NodeID: ids[0], Name: "pools", Content: make(chan int)},
		"no number":        {NodeID: ids[0], Name: "pools", Content: math.NaN()},
		"too much":         {NodeID: ids[0], Name: "pools", Content: strings.Repeat("x", agentapi.MaxDocument+1)},
		"another the same": {NodeID: ids[0], Name: "blocks", Content: 2},
	} {
		require.Error(t, s.Set(t.Context(), good, bad), what)
		s.missing(ids[0], "blocks")
	}
	undone := errors.New("undone")
	require.ErrorIs(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, s.Set(ctx, good))
		return undone
	}), undone)
	s.missing(ids[0], "blocks")
	gone := []nodesapi.Document{
		{NodeID: database.NewID(), Name: "blocks", Content: 1},
		{NodeID: "no id", Name: "blocks", Content: 1},
	}
	require.NoError(t, s.Set(t.Context(), append(gone, good)...))
	require.EqualValues(t, 1, s.of(ids[0], "blocks").Revision)
	require.NoError(t, s.Set(t.Context(), gone...), "of nobody")
}

// A document is in force when its agent names the wanted revision and its digest, failed when it names that revision
// as failed, and waits otherwise: also when a database came back from a backup and counts the same numbers anew.
func TestTheStateOfADocumentFollowsFromItsAgentsWords(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	s := newShelf(t, db)
	s.set(ids[0], "blocks", 1)
	s.set(ids[0], "blocks", 2)
	hash := s.of(ids[0], "blocks").Hash
	is := func(state string, applied int64, failure string) nodesapi.DocumentState {
		return nodesapi.DocumentState{NodeID: ids[0], State: state, Wanted: 2, Applied: applied, Error: failure}
	}
	waits := is(nodesapi.DocumentPending, 0, "")
	require.Equal(t, waits, s.state(ids[0], "blocks"), "nothing was ever heard")
	for said, want := range map[string]nodesapi.DocumentState{
		``:                             waits,
		`"name":"pools","revision":2`:  waits,
		`"name":"blocks","revision":1`: is(nodesapi.DocumentPending, 1, ""),
		`"name":"blocks","revision":2`: is(nodesapi.DocumentApplied, 2, ""),
		`"name":"blocks","hash":"of another history","revision":2`:           is(nodesapi.DocumentPending, 2, ""),
		`"name":"blocks","revision":1,"failed_revision":2,"error":"no room"`: is(nodesapi.DocumentFailed, 1, "no room"),
		`"name":"blocks","failed_revision":1,"error":"of before"`:            waits,
		`"name":"blocks","revision":2,"failed_revision":2`:                   is(nodesapi.DocumentApplied, 2, ""),
	} {
		if said != "" && !strings.Contains(said, `"hash"`) {
			said += `,"hash":"` + hash + `"`
		}
		s.reported(ids[0], strings.Replace(`[{`+said+`}]`, `[{}]`, `[]`, 1))
		require.Equal(t, want, s.state(ids[0], "blocks"), said)
	}
	none, err := s.States(t.Context(), "blocks")
	require.NoError(t, err)
	require.Empty(t, none)
	none, err = s.States(t.Context(), "pools", ids[0], "no id")
	require.NoError(t, err)
	require.Empty(t, none, "one that was never set is not among them")
}

// The configuration is read like a document, by its newest wish, and belongs to nobody who shall serve nothing.
func TestTheConfigurationIsReadLikeADocument(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	s := newShelf(t, db)
	for n, core := range []string{`{"n":1}`, `{"n":2}`} {
		stored, err := s.configs.PutCandidates(t.Context(), nodesapi.Candidate{
			NodeID: ids[0],
			Core:   json.RawMessage(core),
		})
		require.NoError(t, err)
		require.EqualValues(t, n+1, stored[0].Revision)
	}
	s.missing(ids[0], "config")
	for _, wanted := range []int64{2, 1} {
		_, err := s.configs.SetDesired(t.Context(), map[string]int64{ids[0]: wanted})
		require.NoError(t, err)
		found := s.of(ids[0], "config")
		require.Equal(t, wanted, found.Revision)
		var config agentapi.NodeConfig
		require.NoError(t, json.Unmarshal(found.Content, &config))
		require.Equal(t, found.Hash, config.Hash)
	}
	s.missing(ids[1], "config")
	s.missing(database.NewID(), "config")
}

// A content opens under its own digest alone: one that was exchanged in the database reaches no agent.
func TestAContentThatWasExchangedReachesNobody(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	s := newShelf(t, db)
	s.set(ids[0], "blocks", "canary")
	s.set(ids[0], "pools", "other")
	_, err := db.ExecContext(t.Context(), `update node_document_contents set sealed = (
		select c.sealed from node_document_contents c join node_documents d on d.hash = c.hash where d.name = 'blocks')`)
	require.NoError(t, err)
	_, err = s.Read(t.Context(), ids[0], "pools")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "canary")
	require.Equal(t, `"canary"`, string(s.of(ids[0], "blocks").Content))
}

// What no node holds any more stays for an hour, for those that are about to hold it again, and what is held stays for
// ever.
func TestContentsAreTidiedAwayAnHourAfterTheirLastUse(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	s := newShelf(t, db)
	s.set(ids[0], "blocks", "first")
	s.set(ids[0], "blocks", "second")
	tidy := jobs.TidyWorker(db, s.clock, []jobs.Tidy{Tidy()})
	left := func() int {
		require.NoError(t, tidy.Work(t.Context(), jobs.Job{}))
		n, err := db.NewSelect().Table("node_document_contents").Count(t.Context())
		require.NoError(t, err)
		return int(n)
	}
	s.clock.Advance(contentRetention)
	require.Equal(t, 2, left(), "an hour is not over before it is over")
	s.set(ids[0], "blocks", "first")
	s.clock.Advance(time.Second)
	require.Equal(t, 1, left(), "the second is used no more; the first is, again")
	require.Equal(t, `"first"`, string(s.of(ids[0], "blocks").Content))
	s.clock.Advance(1000 * time.Hour)
	require.Equal(t, 1, left())
}
