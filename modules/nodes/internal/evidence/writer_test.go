package evidence

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
)

// panel is a writer and its announcer, with the events of nodes declared.
func panel(t testing.TB, db *database.DB, clock clockwork.Clock) (*Writer, *Announcer) {
	t.Helper()
	log := zaptest.NewLogger(t)
	bus := events.New(db, nil, log)
	for _, name := range announced {
		require.NoError(t, bus.Declare(events.Kind{
			Name: name, Summary: "A node", Live: true,
			Data: nodesapi.StateChanged{},
		}))
	}
	a := &Announcer{
		db: db, heartbeat: heartbeat, bus: bus, clock: clock, log: log, began: clock.Now().
			Add(-time.Hour), wake: make(chan struct{}, 1),
		moments: newMoments(heartbeat),
	}
	return NewWriter(db, a, clock, log), a
}

const heartbeat = 15 * time.Second

func beat() *agentapi.Heartbeat {
	return &agentapi.Heartbeat{
		AgentVersion: "1.0.0", Protocol: 1, OS: "linux", Arch: "amd64", Hostname: "h", SessionID: "s1",
		Core: agentapi.CoreReport{Kind: "xray", Version: "26", State: agentapi.CoreRunning},
	}
}

// Of an agent whose words the database does not take it is known that it lives; everybody else's reports are written.
func TestAReportThatCannotBeStoredKeepsOutNoOther(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 4)
	w, _ := panel(t, db, clockwork.NewRealClock())
	w.Heartbeat(ids[0], beat())
	w.write(t.Context())
	poison := beat()
	poison.Hostname = "a\x00b"
	w.Heartbeat(ids[0], poison)
	for _, good := range ids[1:] {
		w.Heartbeat(good, beat())
	}
	w.write(t.Context())
	require.Empty(t, w.pending, "nothing comes back to fail the next batch")
	var written int
	require.NoError(t, db.NewRaw("select count(*) from node_reports where core_state = 'running'").Scan(t.Context(),
		&written))
	require.Equal(t, len(ids), written)
	var seen time.Time
	require.NoError(t, db.NewRaw("select seen_at from node_reports where node_id = ?", ids[0]).Scan(t.Context(), &seen))
	require.WithinDuration(t, time.Now(), seen, time.Minute)
}

// An apply makes every agent send many frames. The row of a node is written for the first of them and then a few times
// per heartbeat; what is news is not kept waiting, and the last sign of life is not lost.
func TestSignsOfLifeInARowAreWrittenNowAndThen(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t, nodetest.Schema())
	ids := nodetest.Nodes(t, db, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, _ := panel(t, db, clock)
	w.Heartbeat(ids[0], beat())
	w.write(t.Context())
	written := func() (at time.Time) {
		require.NoError(t, db.NewRaw("select seen_at from node_reports where node_id = ?",
			ids[0]).Scan(t.Context(), &at))
		return at
	}
	before := count.Sent()
	const frames = 60
	for range frames {
		clock.Advance(heartbeat / frames)
		w.Alive(ids[0])
		w.write(t.Context())
	}
	require.LessOrEqual(t, count.Sent()-before, int64(signsPerHeartbeat), "one statement each time")
	clock.Advance(heartbeat / signsPerHeartbeat)
	w.write(t.Context())
	require.WithinDuration(t, clock.Now().Add(-heartbeat/signsPerHeartbeat), written(), time.Millisecond,
		"the last frame's time")

	clock.Advance(time.Millisecond)
	w.Measured(ids[0], &agentapi.Sample{ObservedAt: clock.Now()})
	w.write(t.Context())
	require.WithinDuration(t, clock.Now(), written(), time.Millisecond, "a measurement is news")
	clock.Advance(time.Millisecond)
	w.Alive(ids[0])
	w.put(t.Context(), w.take())
	require.WithinDuration(t, clock.Now(), written(), time.Millisecond, "a panel that ends leaves nothing behind")
}

// A clock that is set back keeps no sign of life waiting.
func TestAClockThatIsSetBackKeepsNoSignWaiting(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, _ := panel(t, db, clock)
	w.Heartbeat(ids[0], beat())
	w.write(t.Context())
	w.known[ids[0]].at = clock.Now().Add(time.Hour)
	w.Alive(ids[0])
	require.Contains(t, w.due(), ids[0])
}

// While the database does not answer, what agents say waits: the newest of each kind, and nothing of it is lost or
// doubled.
func TestWhatCannotBeWrittenYetWaitsBeneathWhatIsNewer(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	w, _ := panel(t, db, clockwork.NewRealClock())
	now := time.Now().UTC()
	w.Heartbeat(ids[0], beat())
	w.Measured(ids[0], &agentapi.Sample{ObservedAt: now, CPUPercent: 1})
	w.Alive(ids[1])
	first := w.take()
	require.Len(t, first, 2)

	failed := beat()
	failed.Core.State = agentapi.CoreFailed
	w.Heartbeat(ids[0], failed)
	w.Measured(ids[0], &agentapi.Sample{ObservedAt: now.Add(15 * time.Second), CPUPercent: 2})
	w.Measured(ids[0], &agentapi.Sample{ObservedAt: now.Add(-time.Hour), CPUPercent: 3})
	w.putBack(first)
	w.write(t.Context())
	var state string
	var cpu float64
	require.NoError(t, db.NewRaw("select core_state from node_reports where node_id = ?", ids[0]).Scan(t.Context(),
		&state))
	require.NoError(t, db.NewRaw("select cpu_pct from node_readings where node_id = ?", ids[0]).Scan(t.Context(), &cpu))
	require.Equal(t, "failed", state)
	require.InDelta(t, 2, cpu, 0)

	w.Alive(ids[0])
	second := w.take()
	w.Alive(ids[0])
	second[ids[0]].full, second[ids[0]].metrics = first[ids[0]].full, first[ids[0]].metrics
	w.putBack(second)
	require.NotNil(t, w.pending[ids[0]].full, "a mere sign of life covers no report")
	require.NotNil(t, w.pending[ids[0]].metrics)
}

// A heartbeat that says what was said before is a sign of life alone: neither its time nor the time that a core runs
// is news.
func TestOnlyNewsIsWrittenWhole(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClock()
	w, _ := panel(t, db, clock)
	isNews := func(change func(b *agentapi.Heartbeat)) bool {
		b := beat()
		change(b)
		w.Heartbeat(ids[0], b)
		news := w.pending[ids[0]].full != nil
		w.take()
		return news
	}
	same := func(*agentapi.Heartbeat) {}
	require.True(t, isNews(same))
	require.False(t, isNews(same))
	clock.Advance(99 * time.Second)
	require.False(t, isNews(func(b *agentapi.Heartbeat) { b.SentAt, b.Core.UptimeSeconds = clock.Now(), 99 }))
	require.True(t, isNews(same), "a core that has run for a shorter time has started again")
	for name, change := range map[string]func(b *agentapi.Heartbeat){
		"a socket":     func(b *agentapi.Heartbeat) { b.Sockets = []agentapi.Socket{{L4: "tcp", Port: 1}} },
		"an address":   func(b *agentapi.Heartbeat) { b.Addresses = []string{"203.0.113.1"} },
		"a document":   func(b *agentapi.Heartbeat) { b.Documents = []agentapi.DocumentStatus{{}} },
		"a capability": func(b *agentapi.Heartbeat) { b.Capabilities = []agentapi.Capability{agentapi.CanMeasure} },
		"a core":       func(b *agentapi.Heartbeat) { b.Core.Restarts++ },
		"a version":    func(b *agentapi.Heartbeat) { b.AgentVersion = "2" },
	} {
		require.True(t, isNews(change), name)
		require.True(t, isNews(same), "and back again")
	}
	w.Forget(ids[0])
	require.True(t, isNews(same), "of a node that changed hands nothing is known")
}

// A copied server shows by two agent processes that take turns; one that starts again does not, and after a while it
// is over.
func TestTwoThatTakeTurnsAreACopy(t *testing.T) {
	t.Parallel()
	now := time.Now()
	k := &lastWritten{}
	for _, session := range []string{"a", "a", "b", "b", "c", ""} {
		require.False(t, k.cloned(session, now), "a restart is no copy")
	}
	k = &lastWritten{}
	require.False(t, k.cloned("a", now))
	require.False(t, k.cloned("b", now))
	require.True(t, k.cloned("a", now))
	require.True(t, k.cloned("a", now.Add(clonedFor-time.Second)))
	require.False(t, k.cloned("a", now.Add(clonedFor)))
	k = &lastWritten{}
	for range 4 { // agents that name no session
		require.False(t, k.cloned("", now))
	}
}

// A node that is deleted while its report is on the way takes nobody else's report with it.
func TestAReportOfADeletedNodeIsLeftOut(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	w, _ := panel(t, db, clockwork.NewRealClock())
	for _, id := range ids {
		w.Heartbeat(id, beat())
		w.Measured(id, &agentapi.Sample{ObservedAt: time.Now()})
	}
	_, err := db.ExecContext(t.Context(), "delete from nodes where id = ?", ids[0])
	require.NoError(t, err)
	w.write(t.Context())
	require.Empty(t, w.pending)
	var left []string
	require.NoError(t, db.NewRaw("select node_id::text from node_reports").Scan(t.Context(), &left))
	require.Equal(t, ids[1:], left)
}
