package work

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/migrations"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/ingest"
)

// A result that the database does not take fails alone: here half a character, which JSON allows and the database does not.
func TestAResultThatCannotBeStoredFailsAlone(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t, migrations.Set{Name: "nodes", FS: os.DirFS("../../migrations")})
	log, clock := zaptest.NewLogger(t), clockwork.NewRealClock()
	listener := database.NewListener(db.Pool, log)
	commands := NewCommands(db, NewQueue(db, listener, nil, clock, log), nil, listener, clock, log)
	node := database.NewID()
	_, err := db.ExecContext(t.Context(), "insert into nodes (id, name, name_key, created_at, updated_at) values (?0, ?0, ?0, now(), now())", node)
	require.NoError(t, err)
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
