package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// library is a panel's store of configurations, with the nodes that it was told of as wanting another one.
type library struct {
	*Configs
	*panel
	mu   sync.Mutex
	news []string
}

func newLibrary(t testing.TB, db *database.DB) *library {
	t.Helper()
	l := &library{panel: unnotified(t, db)}
	l.Configs = NewConfigs(db, l.Queue, l.Queue.vault, l.panel.clock, func(ids ...string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.news = append(l.news, ids...)
	})
	l.run(t, l.Configs.Run)
	return l
}

func (l *library) published() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.news)
}

// core is a configuration that differs from those of other numbers.
func core(n int) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"inbounds":[],"n":%d}`, n)) }

func (l *library) put(t testing.TB, node string, content json.RawMessage) nodesapi.Config {
	t.Helper()
	stored, err := l.PutCandidates(t.Context(), nodesapi.Candidate{NodeID: node, Core: content})
	require.NoError(t, err)
	require.Len(t, stored, 1)
	return stored[0]
}

func (l *library) want(t testing.TB, node string, revision int64) {
	t.Helper()
	unknown, err := l.SetDesired(t.Context(), map[string]int64{node: revision})
	require.NoError(t, err)
	require.Empty(t, unknown)
}

// Each node counts its own configurations; only what differs from the newest one is a new revision, and an older
// content that comes back is one, too: a number means one content for ever.
func TestConfigurationsAreNumberedByNode(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	l := newLibrary(t, db)
	first := l.put(t, ids[0], core(1))
	require.EqualValues(t, 1, first.Revision)
	same := l.put(t, ids[0], json.RawMessage("{ \"n\": 1,\n\"inbounds\": [] }"))
	require.Equal(t, []any{first.Revision, first.Hash}, []any{same.Revision, same.Hash},
		"white space and order say nothing")
	require.EqualValues(t, 2, l.put(t, ids[0], core(2)).Revision)
	back := l.put(t, ids[0], core(1))
	require.EqualValues(t, 3, back.Revision)
	require.NotEqual(t, first.Hash, l.put(t, ids[0], nil).Hash, "no core is a content")
	require.EqualValues(t, 1, l.put(t, ids[1], core(2)).Revision)

	sockets := []nodesapi.Listener{{Key: "in", L4: "tcp", IP: "0.0.0.0", Port: 443}}
	stored, err := l.PutCandidates(t.Context(), nodesapi.Candidate{NodeID: ids[1], Core: core(2), Listeners: sockets})
	require.NoError(t, err)
	require.EqualValues(t, 2, stored[0].Revision, "what it listens on belongs to the content")
	require.Equal(t, sockets, stored[0].Listeners)
}

// Whole fleets change at once: nodes that are gone get no revision and keep nobody back, in the sequence that was
// given.
func TestANodeThatIsGoneGetsNoConfiguration(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	l := newLibrary(t, db)
	candidates := []nodesapi.Candidate{
		{NodeID: database.NewID(), Core: core(1)}, {NodeID: ids[1], Core: core(1)}, {
			NodeID: "no id",
			Core:   core(1),
		}, {NodeID: ids[0], Core: core(1)},
	}
	stored, err := l.PutCandidates(t.Context(), candidates...)
	require.NoError(t, err)
	revisions := []int64{}
	for i, c := range stored {
		require.Equal(t, candidates[i].NodeID, c.NodeID)
		revisions = append(revisions, c.Revision)
	}
	require.Equal(t, []int64{0, 1, 0, 1}, revisions)
	none, err := l.PutCandidates(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
}

// One that cannot be encoded, and a transaction that is undone, leave none of them behind.
func TestConfigurationsAreStoredAllOrNone(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	l := newLibrary(t, db)
	good := nodesapi.Candidate{NodeID: ids[0], Core: core(1)}
	_, err := l.PutCandidates(t.Context(), good, nodesapi.Candidate{NodeID: ids[1], Core: json.RawMessage(`{`)})
	require.Error(t, err)
	undone := errors.New("undone")
	require.ErrorIs(t, db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := l.PutCandidates(ctx, good)
		require.NoError(t, err)
		_, err = l.SetDesired(ctx, map[string]int64{ids[0]: 1})
		require.NoError(t, err)
		return undone
	}), undone)
	_, err = l.Stored(t.Context(), ids[0], 1)
	require.ErrorIs(t, err, nodesapi.ErrUnknown)
	require.Empty(t, l.published(), "nobody hears of a wish that was undone")
	wanted, err := l.Desired(t.Context(), ids[0])
	require.NoError(t, err)
	require.Zero(t, wanted.Revision)
}

// Applies at once to the same nodes, named in another order, are one after the other: no number is given twice, none
// is left out.
func TestWritersAtOnceShareNoNumber(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	here, there := newLibrary(t, db), newLibrary(t, db)
	const writers = 12
	var all sync.WaitGroup
	numbers := make([][]nodesapi.Config, writers)
	failures := make([]error, writers)
	for n := range writers {
		order, by := []string{ids[0], ids[1]}, here
		if n%2 == 1 {
			slices.Reverse(order)
			by = there
		}
		all.Go(func() {
			numbers[n], failures[n] = by.PutCandidates(t.Context(),
				nodesapi.Candidate{NodeID: order[0], Core: core(n)}, nodesapi.Candidate{
					NodeID: order[1],
					Core:   core(n),
				})
		})
	}
	all.Wait()
	seen := map[string][]int64{}
	for n := range writers {
		require.NoError(t, failures[n])
		for _, c := range numbers[n] {
			seen[c.NodeID] = append(seen[c.NodeID], c.Revision)
		}
	}
	for _, id := range ids {
		slices.Sort(seen[id])
		for at, revision := range seen[id] {
			require.EqualValues(t, at+1, revision)
		}
	}
}

// A wish names what is stored; what is not stays as it was, and only nodes that are to serve something else are told.
func TestOnlyWhatIsStoredCanBeWanted(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	l := newLibrary(t, db)
	config := l.put(t, ids[0], core(1))
	unknown, err := l.SetDesired(t.Context(), map[string]int64{
		ids[0]: config.Revision, ids[1]: 1, database.NewID(): 1,
		"no id": 1,
	})
	require.NoError(t, err)
	require.Len(t, unknown, 3)
	require.NotContains(t, unknown, ids[0])
	require.Equal(t, []string{ids[0]}, l.published())
	pending, err := l.Pending(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, []any{config.Revision, config.Hash}, []any{pending.DesiredRevision, pending.DesiredHash})
	unknown, err = l.SetDesired(t.Context(), map[string]int64{ids[0]: 9})
	require.NoError(t, err)
	require.Equal(t, ids[:1], unknown)
	stored, err := l.Desired(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, config, stored)
	unknown, err = l.SetDesired(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, unknown)

	stored, err = l.Desired(t.Context(), ids[1])
	require.NoError(t, err)
	require.Equal(t, nodesapi.Config{NodeID: ids[1]}, stored, "of a node that shall serve nothing yet")
	_, err = l.Desired(t.Context(), database.NewID())
	require.ErrorIs(t, err, nodesapi.ErrUnknown)
}

// What a node serves can always be fetched, however many newer ones were stored since.
func TestTheWantedConfigurationIsKeptBesideTheNewestOnes(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	l := newLibrary(t, db)
	l.put(t, ids[0], core(1))
	l.put(t, ids[0], core(2))
	l.want(t, ids[0], 2)
	last := 2 + storedRevisions + 5
	for n := 3; n <= last; n++ {
		l.put(t, ids[0], core(n))
	}
	var kept []int64
	require.NoError(t, db.NewRaw("select revision from node_configs order by revision").Scan(t.Context(), &kept))
	require.Len(t, kept, 1+storedRevisions)
	require.Equal(t, []int64{2, int64(last - storedRevisions + 1)}, kept[:2])
	wanted, err := l.Desired(t.Context(), ids[0])
	require.NoError(t, err)
	require.JSONEq(t, string(core(2)), string(wanted.Core))
	_, err = l.Stored(t.Context(), ids[0], 1)
	require.ErrorIs(t, err, nodesapi.ErrUnknown)
}

// A rollout makes the fleet ask at once: questions share statements, and everyone gets the answer to his own.
func TestOfManyWhoAskAtOnceEachGetsHisOwn(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 6)
	l := newLibrary(t, db)
	for at, id := range ids {
		l.put(t, id, core(at))
		l.put(t, id, core(100+at))
	}
	var all sync.WaitGroup
	for at, id := range ids {
		for range 8 {
			all.Go(func() {
				for revision, content := range map[int64]json.RawMessage{1: core(at), 2: core(100 + at)} {
					found, err := l.Configs.Read(t.Context(), id, revision)
					if err != nil || string(found.Core) != string(content) {
						t.Errorf("revision %d of %s: %v, %v", revision, id, found, err)
					}
				}
				if _, err := l.Configs.Read(t.Context(), id, 3); fault.KindOf(err) != fault.KindMissing {
					t.Errorf("a revision that is not there: %v", err)
				}
			})
		}
	}
	all.Wait()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Configs.Read(ended, ids[0], 1)
	require.Equal(t, fault.KindUnavailable, fault.KindOf(err), "who has left is not answered")
}

// A sealed configuration opens in its own place alone: put into another node's row, it is given to nobody.
func TestAConfigurationThatWasMovedIsNotHandedOut(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	l := newLibrary(t, db)
	l.put(t, ids[0], json.RawMessage(`{"secret":"canary"}`))
	l.put(t, ids[1], core(1))
	_, err := db.ExecContext(t.Context(), `update node_configs
		set sealed = (select sealed from node_configs where node_id = ?0)
		where node_id = ?1`, ids[0], ids[1])
	require.NoError(t, err)
	_, err = l.Stored(t.Context(), ids[1], 1)
	require.Error(t, err)
	require.NotErrorIs(t, err, nodesapi.ErrUnknown, "a damaged row is no missing one")
	require.NotContains(t, err.Error(), "canary")
}
