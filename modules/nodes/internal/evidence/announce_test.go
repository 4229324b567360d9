package evidence

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
)

// stateOf is the state that a node is listed and announced under.
func stateOf(t *testing.T, db *database.DB, id string) (listed, announced string) {
	t.Helper()
	require.NoError(t, db.NewRaw("select listed_state, announced_state from nodes where id = ?", id).Scan(t.Context(),
		&listed, &announced))
	return listed, announced
}

// report lets agents report, and a second pass.
func report(t *testing.T, w *Writer, a *Announcer, clock *clockwork.FakeClock, ids ...string) {
	t.Helper()
	for _, id := range ids {
		w.Heartbeat(id, beat())
	}
	w.write(t.Context())
	clock.Advance(time.Second)
	a.step(t.Context())
}

func TestAStateIsListedAndAnnouncedWhenItChanges(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	is := func(state string) {
		t.Helper()
		listed, announced := stateOf(t, db, ids[0])
		require.Equal(t, state, listed)
		require.Equal(t, state, announced)
	}
	report(t, w, a, clock, ids...)
	is("online")
	clock.Advance(2 * heartbeat)
	a.step(t.Context())
	is("degraded")
	clock.Advance(8 * heartbeat)
	a.step(t.Context())
	is("offline")
	report(t, w, a, clock, ids...)
	is("online")
}

// Between two passes over the whole fleet, agents that report as they should cost no statement; before, the state of
// each node was derived again after every write, up to ten times a second.
func TestAFleetThatReportsCostsNoStatement(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t, nodetest.Schema())
	ids := nodetest.Nodes(t, db, 50)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	report(t, w, a, clock, ids...)
	a.step(t.Context())
	steps := func() {
		for range 20 {
			for _, id := range ids {
				w.Alive(id)
			}
			w.report(w.take())
			clock.Advance(time.Second)
			a.step(t.Context())
		}
	}
	a.passed = clock.Now().Add(time.Hour)
	require.Zero(t, count.Fewest(steps))
}

// What changes is derived alone, whatever the size of the fleet: one node takes as many statements as in a fleet of
// one.
func TestOneChangeCostsTheSameInAFleetOfAnySize(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t, nodetest.Schema())
	ids := nodetest.Nodes(t, db, 200)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	report(t, w, a, clock, ids...)
	a.passed = clock.Now().Add(time.Hour)
	failed := false
	require.LessOrEqual(t, count.Fewest(func() {
		failed = !failed
		_, err := db.Pool.Exec(t.Context(),
			"update node_reports set core_state = case when $2 then 'failed' else 'running' end where node_id = $1",
			ids[7], failed)
		require.NoError(t, err)
		a.Changed(ids[7])
		a.step(t.Context())
	}), int64(5), "the test's own, deriving, and the transaction of the change")
	listed, _ := stateOf(t, db, ids[7])
	require.Equal(t, map[bool]string{true: "degraded", false: "online"}[failed], listed)
}

// The state and its event are one transaction: when the event cannot be emitted, the change is not noted either, and is
// announced later. Before, a kill between the two lost the event for good.
func TestAChangeOfStateAndItsEventCommitTogether(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	working := a.bus
	a.bus = events.New(db, nil, zaptest.NewLogger(t)) // no kind is declared: emitting fails
	report(t, w, a, clock, ids...)
	_, announced := stateOf(t, db, ids[0])
	require.Equal(t, "pending", announced, "the change went back with its event")

	a.bus = working
	seen, stop := watch(t, working)
	defer stop()
	clock.Advance(time.Second)
	a.step(t.Context())
	_, announced = stateOf(t, db, ids[0])
	require.Equal(t, "online", announced)
	var event events.Event
	select {
	case event = <-seen:
	case <-time.After(time.Minute):
		require.Fail(t, "no event")
	}
	require.Equal(t, nodesapi.NodeOnline, event.Kind)
	require.Equal(t, ids[0], event.SubjectID)
	data, err := events.DataOf[nodesapi.StateChanged](event)
	require.NoError(t, err)
	require.Equal(t, "pending", data.Was)
}

// Two panels on one database announce a change once.
func TestTwoPanelsAnnounceAChangeOnce(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, one := panel(t, db, clock)
	_, other := panel(t, db, clock)
	seen, stop := watch(t, one.bus, other.bus)
	report(t, w, one, clock, ids...)
	other.step(t.Context())
	one.step(t.Context())
	stop()
	require.Len(t, seen, 1)
}

// watch follows the live events of buses.
func watch(t *testing.T, buses ...*events.Bus) (seen chan events.Event, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	seen = make(chan events.Event, 16)
	var following sync.WaitGroup
	for _, bus := range buses {
		news := bus.Subscribe(ctx)
		following.Go(func() {
			for event := range news {
				seen <- event
			}
		})
	}
	return seen, func() { cancel(); following.Wait() }
}

// Every state that is announced is kept with its moment and the one before, in the transaction that announces it.
func TestTheHistoryOfStatesIsKept(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	report(t, w, a, clock, ids...)
	clock.Advance(10 * heartbeat)
	a.step(t.Context())
	report(t, w, a, clock, ids[0])
	history := func(id string) (turns []string) {
		t.Helper()
		require.NoError(t, db.NewRaw("select was || ' ' || state from node_states where node_id = ? order by at", id).
			Scan(t.Context(), &turns))
		return turns
	}
	require.Equal(t, []string{"pending online", "online offline", "offline online"}, history(ids[0]))
	require.Equal(t, []string{"pending online", "online offline"}, history(ids[1]))
	_, err := db.NewRaw("delete from nodes where id = ?", ids[1]).Exec(t.Context())
	require.NoError(t, err)
	require.Empty(t, history(ids[1]))
}
