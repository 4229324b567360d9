package work

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/ingest"
)

// A result that the database does not take fails alone: here half a character, which JSON allows and the database does
// not.
func TestAResultThatCannotBeStoredFailsAlone(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	node := ids[0]
	log, clock := zaptest.NewLogger(t), clockwork.NewRealClock()
	listener := database.NewListener(db.Pool, log)
	commands := NewCommands(db, NewQueue(db, listener, nil, clock, log), nil, listener, clock, log)
	order := nodesapi.Order{NodeID: node, Kind: "probe", Deadline: time.Now().Add(time.Minute)}
	ids, err := commands.Send(t.Context(), order, order, order, order, order)
	require.NoError(t, err)
	at, rows := time.Now(), []*CommandRow{}
	for _, id := range ids {
		rows = append(rows, &CommandRow{ID: id, NodeID: node, EndedAt: &at, OK: true, Data: json.RawMessage(`{}`)})
	}
	rows[1].Data, rows[4].Code = json.RawMessage(`"\ud800"`), "\x00"
	answers := commands.store(t.Context(), rows)
	for i := range ids {
		require.Equal(t, i == 1 || i == 4, answers[i] != nil, "%d: %v", i, answers[i])
	}
	require.Equal(t, ingest.ErrUnstorable, answers[1])
	found, err := commands.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.Len(t, found, 3)
}

// Acknowledgements and results of the same commands, in any order and from several panels, wait for nobody in a circle:
// each result is stored, without an error to the agent that brought it.
func TestResultsAndAcknowledgementsAtOnceAreNoDeadlock(t *testing.T) {
	t.Parallel()
	const many, rounds, others = 200, 12, 20_000 // among few others the database would read them in its own order
	db, nodes := nodetest.Fleet(t, 1)
	one, other := unnotified(t, db), unnotified(t, db)
	orders := slices.Repeat([]nodesapi.Order{{
		NodeID: nodes[0], Kind: "probe", Deadline: one.clock.Now().Add(time.Minute),
	}}, rounds*many+others)
	sent, err := one.Send(t.Context(), orders...)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "analyze node_commands")
	require.NoError(t, err)
	for ids := range slices.Chunk(sent[:rounds*many], many) {
		forward, back, acks := []*CommandRow{}, []*CommandRow{}, []string{}
		at := time.Now()
		for _, id := range ids {
			forward = append(forward, &CommandRow{ID: id, NodeID: nodes[0], EndedAt: &at, OK: true})
			back = append(back, &CommandRow{ID: id, NodeID: nodes[0], EndedAt: &at, OK: true})
			acks = append(acks, nodes[0]+"/"+id)
		}
		slices.Reverse(back)
		slices.Reverse(acks)
		var all sync.WaitGroup
		all.Go(func() { one.writeAcks(context.Background(), acks) })
		for owner, rows := range map[*panel][]*CommandRow{one: forward, other: back} {
			all.Go(func() {
				for _, answer := range owner.store(context.Background(), rows) {
					if answer != nil {
						t.Error(answer)
						return
					}
				}
			})
		}
		all.Wait()
		ended, err := one.Results(t.Context(), ids...)
		require.NoError(t, err)
		require.Len(t, ended, many)
	}
}
