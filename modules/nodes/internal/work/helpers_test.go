package work

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/vault"
)

// panel is one panel's queue and commands on a database.
type panel struct {
	*Queue
	*Commands
	db       *database.DB
	listener *database.Listener
	clock    *clockwork.FakeClock
}

// onDatabase makes a panel that is notified of changes, and works until the test ends.
func onDatabase(t testing.TB, db *database.DB) *panel {
	t.Helper()
	o := unnotified(t, db)
	o.run(t, o.listener.Run)
	eventually(t, o.listener.Healthy)
	return o
}

// unnotified is a panel without a connection for notifications, whose clock the test moves.
func unnotified(t testing.TB, db *database.DB) *panel {
	t.Helper()
	log, clock := zaptest.NewLogger(t), clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Microsecond))
	v, err := vault.New(strings.Repeat("k", 64))
	require.NoError(t, err)
	listener := database.NewListener(db.Pool, log)
	queue := NewQueue(db, listener, v, clock, log)
	o := &panel{Queue: queue, db: db, listener: listener, clock: clock}
	o.Commands = NewCommands(db, queue, v, listener, clock, log)
	for _, loop := range o.Loops() {
		o.run(t, loop)
	}
	o.run(t, queue.Run)
	return o
}

func (o *panel) run(t testing.TB, loop func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = loop(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

// order is a command that has a minute.
func (o *panel) order(t testing.TB, node string, args any) string {
	t.Helper()
	ids, err := o.Send(t.Context(), nodesapi.Order{
		NodeID: node, Kind: "probe", Args: args,
		Deadline: o.clock.Now().Add(time.Minute),
	})
	require.NoError(t, err)
	return ids[0]
}

func (o *panel) waiting(t testing.TB, node string) (ids []string) {
	t.Helper()
	pending, err := o.Pending(t.Context(), node)
	require.NoError(t, err)
	for _, c := range pending.Commands {
		ids = append(ids, c.ID)
	}
	return ids
}

func good(id string) *agentapi.CommandResult {
	return &agentapi.CommandResult{ID: id, OK: true, Code: "done"}
}

func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, 60*time.Second, 5*time.Millisecond)
}
