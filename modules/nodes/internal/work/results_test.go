package work

import (
	"encoding/json"
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
