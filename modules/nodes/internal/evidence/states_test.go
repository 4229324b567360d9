package evidence

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// derived is the state of a node from what a test says of its row and of its report.
func derived(t *testing.T, db *database.DB, id string, now time.Time, node, report string) (state string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), "delete from node_reports where node_id = ?", id)
	require.NoError(t, err)
	if report != "" {
		_, err = db.ExecContext(t.Context(), `insert into node_reports (node_id, seen_at, core_state, config_hash, cloned)
			values (?, ?, 'running', 'wanted', false)`, id, now)
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), "update node_reports set "+report+" where node_id = ?", id)
		require.NoError(t, err)
	}
	_, err = db.ExecContext(t.Context(), `update nodes set disabled = false, maintenance = false, maintenance_until = null,
		agent_access = 'granted', desired_hash = 'wanted', desired_core = true, desired_at = ?
		where id = ?`, now.Add(-time.Hour), id)
	require.NoError(t, err)
	if node != "" {
		_, err = db.ExecContext(t.Context(), "update nodes set "+node+" where id = ?", id)
		require.NoError(t, err)
	}
	require.NoError(t, db.NewRaw(`select `+StateAt(now, heartbeat)+` from nodes n
		left join node_reports r on r.node_id = n.id
		where n.id = ?`, id).Scan(t.Context(), &state))
	return state
}

// The state of a node follows from its row and its report: what a person said goes before what the agent says, silence
// before what was said last, and a wish has a minute until it counts as not fulfilled (domain 4.15, 4.18).
func TestTheStateFollowsFromRowAndReport(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	now := time.Now().UTC().Truncate(time.Second)
	at := func(ago time.Duration) string { return "timestamptz '" + now.Add(-ago).Format(time.RFC3339Nano) + "'" }
	seen := func(ago time.Duration) string { return "seen_at = " + at(ago) }
	fine := seen(0)
	for _, c := range []struct{ what, node, report, state string }{
		{"an agent that reports", "", fine, "online"},
		{"no agent has ever enrolled", "agent_access = 'none'", "", "pending"},
		{"enrolled and not heard yet", "", "", "pending"},
		{"a moment before two heartbeats", "", seen(2*heartbeat - time.Second), "online"},
		{"two heartbeats", "", seen(2 * heartbeat), "degraded"},
		{"a moment before ten", "", seen(10*heartbeat - time.Second), "degraded"},
		{"ten heartbeats", "", seen(10 * heartbeat), "offline"},
		{"revoked, though just heard", "agent_access = 'revoked'", fine, "offline"},
		{"a failed core", "", "core_state = 'failed'", "degraded"},
		{"a copied server", "", "cloned = true", "degraded"},
		{"a core that should run and stands", "", "core_state = 'stopped'", "degraded"},
		{"a core that shall not run and stands", "desired_core = false", "core_state = 'stopped'", "online"},
		{"a core that is starting", "", "core_state = 'starting'", "online"},
		{"another configuration than the wanted one", "", "config_hash = 'other'", "degraded"},
		{"a wish of this minute", "desired_at = " + at(59*time.Second), "config_hash = 'other'", "online"},
		{"a wish of a minute ago", "desired_at = " + at(time.Minute), "config_hash = 'other'", "degraded"},
		{"nothing was ever wanted", "desired_at = null, desired_hash = ''", "config_hash = 'other'", "online"},
		{"disabled", "disabled = true", fine, "disabled"},
		{"disabled and in maintenance", "disabled = true, maintenance = true", fine, "disabled"},
		{"in maintenance without an end", "maintenance = true", seen(time.Hour), "maintenance"},
		{
			"in maintenance that ends later", "maintenance = true, maintenance_until = " + at(-time.Second),
			seen(time.Hour),
			"maintenance",
		},
		{
			"in maintenance that has ended", "maintenance = true, maintenance_until = " + at(0), seen(time.Hour),
			"offline",
		},
		{"in maintenance that has ended well", "maintenance = true, maintenance_until = " + at(0), fine, "online"},
		{"in maintenance and never enrolled", "maintenance = true, agent_access = 'none'", "", "maintenance"},
	} {
		require.Equal(t, c.state, derived(t, db, ids[0], now, c.node, c.report), c.what)
	}
}

// The same state comes out of a query that names its moments by itself.
func TestBothFormsOfTheStateAgree(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	asked := []time.Duration{}
	named := StateBy(heartbeat, func(before time.Duration) string {
		asked = append(asked, before)
		return "timestamptz '" + now.Add(-before).Format(time.RFC3339Nano) + "'"
	})
	require.Equal(t, StateAt(now, heartbeat), named)
	require.Equal(t, []time.Duration{0, 10 * heartbeat, 2 * heartbeat, time.Minute}, asked)
}

// An agent is known by its newest words: a report and a reading are shown in parts, the lists of counters are not kept
// with them.
func TestWhatAnAgentReportsIsKeptForThePages(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	w, _ := panel(t, db, clock)
	b := beat()
	b.SentAt = clock.Now().Add(-1500 * time.Millisecond)
	b.Core.ConfigRevision, b.Core.ConfigHash, b.PanelURL = 7, "h7", "https://panel.example"
	b.Sockets = []agentapi.Socket{{L4: "udp", IP: "::", Port: 53, Process: "dns"}}
	b.Addresses = []string{"2001:db8::1"}
	w.Heartbeat(ids[0], b)
	open := int64(3)
	w.Measured(ids[0], &agentapi.Sample{
		ObservedAt: clock.Now(), MemUsed: 1, MemTotal: 4, Sessions: &open,
		Listeners: []agentapi.Sessions{{Name: "in", Open: 3}}, Traffic: []agentapi.Traffic{{
			Kind: "client", Name: "c",
			Up: 1,
		}},
	})
	w.write(t.Context())
	var shown struct {
		ConfigRevision int64
		ConfigHash     string
		Report         Report    `bun:",type:jsonb"`
		HostFacts      HostFacts `bun:"surroundings,type:jsonb"`
		Metrics        string
		MemPct         float64
		Sessions       int64
	}
	require.NoError(t, db.NewRaw(`select r.config_revision, r.config_hash, r.report, r.surroundings,
		r.metrics::text as metrics,
		m.mem_pct, m.sessions from node_reports r join node_readings m on m.node_id = r.node_id`).Scan(t.Context(), &shown))
	require.Equal(t, []any{int64(7), "h7"}, []any{shown.ConfigRevision, shown.ConfigHash})
	require.EqualValues(t, -1500, shown.Report.SkewMillis, "a clock that is behind")
	require.Equal(t, "https://panel.example", shown.Report.PanelURL)
	require.Equal(t, b.Sockets, shown.HostFacts.Sockets)
	require.Equal(t, b.Addresses, shown.HostFacts.Addresses)
	require.InDelta(t, 25, shown.MemPct, 0.01)
	require.EqualValues(t, 3, shown.Sessions)
	for _, list := range []string{"traffic", "listeners"} {
		require.NotContains(t, shown.Metrics, list)
	}
	require.InDelta(t, 0, Percent(5, 0), 0, "a server that does not say how much it has")
}

// A sign of life never goes back: of two panels that write, the later one counts.
func TestAnOlderSignOfLifeChangesNothing(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	ahead, behind := clockwork.NewFakeClockAt(time.Now()), clockwork.NewFakeClockAt(time.Now().Add(-time.Minute))
	w, _ := panel(t, db, ahead)
	late, _ := panel(t, db, behind)
	w.Heartbeat(ids[0], beat())
	w.write(t.Context())
	late.Alive(ids[0])
	late.write(t.Context())
	late.Heartbeat(ids[0], beat())
	late.write(t.Context())
	var seen, measured time.Time
	require.NoError(t, db.NewRaw(`select r.seen_at, m.seen_at
		from node_reports r join node_readings m on m.node_id = r.node_id`).
		Scan(t.Context(), &seen, &measured))
	require.WithinDuration(t, ahead.Now(), seen, time.Second)
	require.WithinDuration(t, ahead.Now(), measured, time.Second)
}

// coreOf is the state of the core as pages show it.
func coreOf(t *testing.T, db *database.DB, id string) (state string) {
	t.Helper()
	require.NoError(t, db.NewRaw("select core_state from node_reports where node_id = ?", id).Scan(t.Context(), &state))
	return state
}

// An agent that goes to another panel and comes back says here what it had said before it went. What it said there is
// not the last word: it is noticed with the next sign of life, and the heartbeat after that is written whole.
func TestWhatWasSaidAtAnotherPanelIsNotTheLastWord(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	here, _ := panel(t, db, clockwork.NewRealClock())
	there, _ := panel(t, db, clockwork.NewRealClock())
	for _, id := range ids {
		here.Heartbeat(id, beat())
	}
	here.write(t.Context())
	failed := beat()
	failed.Core.State = agentapi.CoreFailed
	there.Heartbeat(ids[0], failed)
	there.write(t.Context())
	require.Equal(t, "failed", coreOf(t, db, ids[0]))

	for range 2 {
		here.Heartbeat(ids[0], beat())
		here.Heartbeat(ids[1], beat())
		here.write(t.Context())
	}
	require.Equal(t, "running", coreOf(t, db, ids[0]))
	here.Heartbeat(ids[0], beat())
	require.Nil(t, here.pending[ids[0]].full, "it is written whole once")
	require.NotContains(t, here.pending, ids[1])
	here.Heartbeat(ids[1], beat())
	require.Nil(t, here.pending[ids[1]].full, "of others nothing is repeated")
}

// What ends by the clock is announced without anybody reporting: a maintenance that ends, and a wish that was not
// fulfilled.
func TestStatesThatEndByTheClockAreAnnounced(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	w, a := panel(t, db, clock)
	report(t, w, a, clock, ids...)
	_, err := db.ExecContext(t.Context(), `update nodes set maintenance = true, maintenance_until = ?0 where id = ?1;
		update nodes set desired_at = ?2, desired_hash = 'never installed' where id = ?3`,
		clock.Now().Add(time.Hour), ids[0], clock.Now(), ids[1])
	require.NoError(t, err)
	a.Changed(ids...)
	a.step(t.Context())
	state := func(at int) string {
		for _, id := range ids {
			w.Alive(id)
		}
		w.write(t.Context())
		a.step(t.Context())
		_, announced := stateOf(t, db, ids[at])
		return announced
	}
	require.Equal(t, "maintenance", state(0))
	require.Equal(t, "online", state(1), "an agent has a minute for it")
	clock.Advance(time.Minute)
	require.Equal(t, "degraded", state(1))
	require.Equal(t, "maintenance", state(0))
	clock.Advance(time.Hour)
	require.Equal(t, "online", state(0))
}

// Right after its start the panel has heard nobody: agents that it did not give a chance to report are not announced
// as lost, and those that stay silent are, once they had it.
func TestSilenceRightAfterAStartIsNoEvidence(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	report(t, w, a, clock, ids...)
	clock.Advance(time.Hour) // nobody was there to hear the agent
	_, restarted := panel(t, db, clock)
	restarted.began = clock.Now()
	restarted.step(t.Context())
	listed, announced := stateOf(t, db, ids[0])
	require.Equal(t, []string{"offline", "online"}, []string{listed, announced}, "shown as it is, and not told")
	clock.Advance(10 * heartbeat)
	restarted.step(t.Context())
	_, announced = stateOf(t, db, ids[0])
	require.Equal(t, "offline", announced)
}

// Another panel may die between a report and its announcement: the next pass over the fleet finds what nobody
// announced.
func TestAPassFindsWhatAnotherPanelCouldNotFinish(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 3)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, _ := panel(t, db, clock) // it writes and never announces
	_, other := panel(t, db, clock)
	other.step(t.Context())
	for _, id := range ids {
		w.Heartbeat(id, beat())
	}
	w.write(t.Context())
	clock.Advance(passEvery - time.Second)
	other.step(t.Context())
	_, announced := stateOf(t, db, ids[0])
	require.Equal(t, "pending", announced, "nothing told this panel of it")
	for _, id := range ids {
		w.Alive(id)
	}
	w.write(t.Context())
	clock.Advance(time.Second)
	other.step(t.Context())
	for _, id := range ids {
		listed, announced := stateOf(t, db, id)
		require.Equal(t, []string{"online", "online"}, []string{listed, announced})
	}
}

// A change that could not be written, because the database was away, is derived again at the next step.
func TestAChangeThatCouldNotBeWrittenComesUpAgain(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	clock := clockwork.NewFakeClockAt(time.Now())
	w, a := panel(t, db, clock)
	w.Heartbeat(ids[0], beat())
	w.write(t.Context())
	away, cancel := context.WithCancel(t.Context())
	cancel()
	a.step(away)
	_, announced := stateOf(t, db, ids[0])
	require.Equal(t, "pending", announced)
	a.step(t.Context())
	_, announced = stateOf(t, db, ids[0])
	require.Equal(t, "online", announced)
}

// The loops carry a report from the agent to the announcement by themselves; the last words before a stop are still
// written.
func TestTheLoopsCarryAReportToItsAnnouncement(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	w, a := panel(t, db, clockwork.NewRealClock())
	seen, stop := watch(t, a.bus)
	defer stop()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- w.Run(ctx) }()
	go func() { ended <- a.Run(ctx) }()
	w.Heartbeat(ids[0], beat())
	require.Eventually(t, func() bool {
		select {
		case event := <-seen:
			return event.Kind == nodesapi.NodeOnline && event.SubjectID == ids[0]
		default:
			return false
		}
	}, 60*time.Second, 5*time.Millisecond)
	w.Heartbeat(ids[1], beat())
	end()
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	require.Equal(t, "running", coreOf(t, db, ids[1]))
}

// Every state of which others hear has its own kind of event, and the names of the kinds say it.
func TestStatesThatAreToldHaveTheirOwnEvent(t *testing.T) {
	t.Parallel()
	require.Len(t, announced, 3)
	for state, kind := range announced {
		require.True(t, strings.HasSuffix(kind, "."+state), kind)
	}
}
