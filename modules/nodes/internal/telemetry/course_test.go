package telemetry

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/paneltest"
)

// reading is one sample of a time.
func reading(at time.Time, change func(s *agentapi.Sample)) agentapi.Sample {
	s := paneltest.Samples(1, at)[0]
	change(&s)
	return s
}

func cpu(at time.Time, percent float64) agentapi.Sample {
	return reading(at, func(s *agentapi.Sample) { s.CPUPercent = percent })
}

// patience is for a transaction of another test, in another database of the same server, that holds the roll-up back.
const patience = 3 * time.Minute

// condensed rolls up until so many samples are in the minutes.
func condensed(t *testing.T, tele *Telemetry, db *database.DB, samples int) {
	t.Helper()
	require.Eventually(t, func() bool {
		require.NoError(t, tele.rollUp(t.Context()))
		var n int
		require.NoError(t, db.NewRaw("select coalesce(sum(n), 0) from node_metrics_1m").Scan(t.Context(), &n))
		return n == samples
	}, patience, 20*time.Millisecond)
}

// minuteOf is the mean of a metric in a minute, and of how many samples.
func minuteOf(t *testing.T, db *database.DB, metric string, at time.Time) (value *float64, n int) {
	t.Helper()
	require.NoError(t, db.NewRaw("select "+metric+", n from node_metrics_1m where at = ?", at).Scan(t.Context(), &value,
		&n))
	return value, n
}

// Samples that come late join the mean of their minute by weight, however many roll-ups lie between.
func TestLateSamplesJoinTheMeanOfTheirMinute(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	minute := time.Now().UTC().Truncate(time.Minute).Add(-10 * time.Minute)
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{
		cpu(minute, 10), cpu(minute.Add(15*time.Second), 20),
		cpu(minute.Add(30*time.Second), 30),
	})
	condensed(t, tele, db, 3)
	value, n := minuteOf(t, db, "cpu_pct", minute)
	require.InDelta(t, 20, *value, 1e-9)
	require.Equal(t, 3, n)
	deliver(t, tele, ids[0], "s", 2, []agentapi.Sample{cpu(minute.Add(45*time.Second), 60)})
	condensed(t, tele, db, 4)
	value, n = minuteOf(t, db, "cpu_pct", minute)
	require.InDelta(t, 30, *value, 1e-9, "each sample weighs the same")
	require.Equal(t, 4, n)
	var tens float64
	require.NoError(t, db.NewRaw("select sum(cpu_pct * n) / sum(n) from node_metrics_10m").Scan(t.Context(), &tens))
	require.InDelta(t, 30, tens, 1e-9)
}

// A doubled batch, as after a lost answer, is stored, counted and condensed once; the panel acknowledges it all the
// same.
func TestADoubledBatchIsCountedOnce(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	batch := paneltest.Samples(5, time.Now().Add(-time.Minute))
	for range 3 {
		deliver(t, tele, ids[0], "s", 1, batch)
	}
	deliver(t, tele, ids[0], "s", 2, batch[:1])
	deliver(t, tele, ids[0], "s", 1, batch)
	condensed(t, tele, db, 6)
	require.NoError(t, tele.rollUp(t.Context()))
	condensed(t, tele, db, 6)
}

// A batch without samples moves the numbers on and tells nobody of a reading.
func TestAnEmptyBatchIsAcknowledged(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	tele.measured = func(string, *agentapi.Sample) { t.Error("nothing was measured") }
	deliver(t, tele, ids[0], "s", 1, nil)
	var last int64
	require.NoError(t, db.NewRaw("select last_seq from telemetry_streams").Scan(t.Context(), &last))
	require.EqualValues(t, 1, last)
}

// Gaps stay gaps: times in which nothing was measured have no point, in every resolution.
func TestTimesWithoutSamplesHaveNoPoint(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	now := time.Now().UTC()
	before, after := now.Add(-100*time.Minute).Truncate(10*time.Minute), now.Add(-20*time.Minute).
		Truncate(10*time.Minute)
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{cpu(before, 10), cpu(after, 30)})
	condensed(t, tele, db, 2)
	for from, step := range map[time.Time]time.Duration{
		now.Add(-2 * time.Hour): 15 * time.Second, now.Add(-7 * time.Hour): time.Minute,
		now.Add(-50 * time.Hour): 10 * time.Minute,
	} {
		series, err := tele.History(t.Context(), ids[0], "cpu_pct", from, now)
		require.NoError(t, err)
		require.Equal(t, step, series.Step)
		require.Len(t, series.Points, 2, step)
		require.True(t, series.Points[0].At.Equal(before), "%v is not %v", series.Points[0].At, before)
		require.InDelta(t, 10, series.Points[0].Value, 1e-9)
		require.True(t, series.Points[1].At.Equal(after))
		require.InDelta(t, 30, series.Points[1].Value, 1e-9)
	}
}

// The sessions of several nodes come in one answer, each node with its own points, from where the whole range is kept.
func TestTheSessionsOfSeveralNodesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 3)
	tele := running(t, db)
	at := time.Now().UTC().Truncate(time.Minute).Add(-10 * time.Minute)
	open := func(at time.Time, n int64) agentapi.Sample {
		return reading(at, func(s *agentapi.Sample) { s.Sessions = &n })
	}
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{open(at, 412), open(at.Add(15*time.Second), 38)})
	deliver(t, tele, ids[1], "s", 1, []agentapi.Sample{open(at, 7)})
	deliver(t, tele, ids[2], "s", 1, []agentapi.Sample{cpu(at, 10)})

	course, err := tele.Sessions(t.Context(), ids, at, at.Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, nodesapi.Course{Step: 15 * time.Second, Points: map[string][]nodesapi.Point{
		ids[0]: {{At: at, Value: 412}, {At: at.Add(15 * time.Second), Value: 38}},
		ids[1]: {{At: at, Value: 7}},
	}}, course, "nobody counts them on the third")

	condensed(t, tele, db, 4)
	course, err = tele.Sessions(t.Context(), ids, at.Add(-7*time.Hour), at.Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, time.Minute, course.Step)
	require.Equal(t, []nodesapi.Point{{At: at, Value: 225}}, course.Points[ids[0]])
	course, err = tele.Sessions(t.Context(), nil, at, at.Add(time.Minute))
	require.NoError(t, err)
	require.Empty(t, course.Points)
}

// The end of a range is not in it, its beginning is; so neighbouring ranges show each point once.
func TestARangeHasItsBeginningAndNotItsEnd(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	tele := running(t, db)
	at := time.Now().UTC().Truncate(time.Minute).Add(-5 * time.Minute)
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{cpu(at, 10), cpu(at.Add(time.Minute), 20)})
	found := func(node string, from, to time.Time) int {
		series, err := tele.History(t.Context(), node, "cpu_pct", from, to)
		require.NoError(t, err)
		return len(series.Points)
	}
	require.Equal(t, 1, found(ids[0], at, at.Add(time.Minute)))
	require.Equal(t, 1, found(ids[0], at.Add(time.Minute), at.Add(2*time.Minute)))
	require.Equal(t, 2, found(ids[0], at, at.Add(2*time.Minute)))
	require.Zero(t, found(ids[1], at, at.Add(time.Hour)), "of another node")
}

// No answer has more than 720 points, wherever the range begins; what is too much is the part of a step at the oldest
// end.
func TestNoHistoryHasMorePointsThanItsLimit(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := started(t, db)
	now := time.Now().UTC()
	_, err := db.ExecContext(t.Context(), `insert into node_metrics_1m (node_id, at, n, cpu_pct, load1, mem_used,
			disk_used, net_rx_bps, net_tx_bps, rx_pps, tcp_established, conntrack_count, syncookies_ps, listen_drops_ps)
		select ?0, at, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
		from generate_series(date_trunc('minute', ?1::timestamptz) - interval '25 hours', ?1::timestamptz,
			interval '1 minute') at`, ids[0], now)
	require.NoError(t, err)
	odd := now.Truncate(2 * time.Minute).Add(-time.Minute)
	for _, to := range []time.Time{odd, odd.Add(30 * time.Second), odd.Add(time.Minute)} {
		series, err := tele.History(t.Context(), ids[0], "cpu_pct", to.Add(-24*time.Hour), to)
		require.NoError(t, err)
		require.Equal(t, 2*time.Minute, series.Step)
		require.Len(t, series.Points, mostPoints)
		newest := series.Points[mostPoints-1].At
		require.False(t, newest.Add(series.Step).Before(to), "the newest end is whole: %v before %v", newest, to)
	}
}

// A range without sense, and a metric without history, are refused; one of all times is answered at the coarsest
// resolution.
func TestAHistoryIsAskedForInItsBounds(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele, now := started(t, db), time.Now()
	for metric, from := range map[string]time.Time{
		"cpu_pct": now, "uptime_s": now.Add(-time.Hour),
		"": now.Add(-time.Hour), "cpu_pct; drop": now.Add(-time.Hour),
	} {
		_, err := tele.History(t.Context(), ids[0], metric, from, now)
		require.Equal(t, "bad_parameter", fault.Code(err), metric)
	}
	_, err := tele.History(t.Context(), ids[0], "cpu_pct", now, now.Add(-time.Second))
	require.Equal(t, "bad_parameter", fault.Code(err))
	series, err := tele.History(t.Context(), ids[0], "cpu_pct", time.Time{}, now)
	require.NoError(t, err)
	require.Empty(t, series.Points)
	require.Zero(t, series.Step%(10*time.Minute))
}

// Every metric that can be asked for reads back what was sent, and the sessions only of agents that count them.
func TestEveryMetricHasItsOwnHistory(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	tele := running(t, db)
	at, open := time.Now().UTC().Add(-time.Minute), int64(12)
	sample := agentapi.Sample{
		ObservedAt: at, CPUPercent: 1, Load1: 2, MemUsed: 3, DiskUsed: 4, NetRxBps: 5, NetTxBps: 6, RxPps: 7,
		TCPEstablished: 8,
		ConntrackCount: 9, SyncookiesPs: 10, ListenDropsPs: 11, Sessions: &open,
	}
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{sample})
	sample.Sessions = nil
	deliver(t, tele, ids[1], "s", 1, []agentapi.Sample{sample})
	condensed(t, tele, db, 2)
	for i, metric := range metricColumns {
		for _, from := range []time.Time{at.Add(-time.Hour), at.Add(-40 * time.Hour), at.Add(-300 * time.Hour)} {
			series, err := tele.History(t.Context(), ids[0], metric, from, at.Add(time.Second))
			require.NoError(t, err)
			require.Len(t, series.Points, 1, "%s in steps of %v", metric, series.Step)
			require.InDelta(t, i+1, series.Points[0].Value, 1e-9, metric)
			series, err = tele.History(t.Context(), ids[1], metric, from, at.Add(time.Second))
			require.NoError(t, err)
			require.Equal(t, metric != "sessions", len(series.Points) == 1, "%s in steps of %v", metric, series.Step)
		}
	}
}

// An agent that begins to count sessions in the middle of a minute gives that minute the mean of what it counted.
func TestAMeanIsOfWhatWasCounted(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	minute := time.Now().UTC().Truncate(time.Minute).Add(-5 * time.Minute)
	counting := func(second int, open int64) agentapi.Sample {
		return reading(minute.Add(time.Duration(second)*time.Second), func(s *agentapi.Sample) { s.Sessions = &open })
	}
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{cpu(minute, 1)})
	condensed(t, tele, db, 1)
	value, _ := minuteOf(t, db, "sessions", minute)
	require.Nil(t, value, "none was counted, which is not the same as zero")
	deliver(t, tele, ids[0], "s", 2, []agentapi.Sample{counting(15, 40)})
	condensed(t, tele, db, 2)
	value, _ = minuteOf(t, db, "sessions", minute)
	require.InDelta(t, 40, *value, 1e-9)
}

// A server that starts again has counters that begin anew: they are differences of their own time, and none is taken
// as a fall.
func TestARestartOfTheServerIsNoFall(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	now := time.Now().UTC()
	up := func(ago time.Duration, uptime int64, stream string, seq int64) {
		deliver(t, tele, ids[0], stream, seq, []agentapi.Sample{reading(now.Add(-ago),
			func(s *agentapi.Sample) { s.UptimeSeconds = uptime })})
	}
	up(2*time.Minute, 100_000, "before", 41)
	up(time.Minute, 5, "after", 1) // its folder was made anew: the numbers begin again
	up(30*time.Second, 35, "after", 2)
	up(2*time.Minute, 100_000, "before", 41) // what was on the way comes again
	condensed(t, tele, db, 3)
	var uptimes []int64
	require.NoError(t, db.NewRaw("select uptime_s from node_samples order by observed_at").Scan(t.Context(), &uptimes))
	require.Equal(t, []int64{100_000, 5, 35}, uptimes)
}

// Samples of long ago are stored as they came, and condensed as far as the means reach: they stop nobody's condensing.
func TestSamplesOfLongAgoStopNothing(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	now := time.Now().UTC()
	deliver(t, tele, ids[0], "s", 1, []agentapi.Sample{
		cpu(time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), 1), cpu(time.Time{}, 1), cpu(now.Add(-45*24*time.Hour),
			1), cpu(now.Add(-10*24*time.Hour), 2), cpu(now, 3),
	})
	condensed(t, tele, db, 1)
	var tens []float64
	require.NoError(t, db.NewRaw("select cpu_pct from node_metrics_10m order by at").Scan(t.Context(), &tens))
	require.Equal(t, []float64{2, 3}, tens, "minutes reach back two days, ten minutes thirty")
	var stored int
	require.NoError(t, db.NewRaw("select count(*) from node_samples").Scan(t.Context(), &stored))
	require.Equal(t, 5, stored)
}

// Several panels condense side by side: each transaction of samples is taken once.
func TestPanelsThatCondenseAtOnceCountNothingTwice(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 4)
	tele, other := running(t, db), started(t, db)
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			for seq := range int64(5) {
				batch := &agentapi.MetricsBatch{StreamID: "s", Seq: seq + 1, Samples: paneltest.Samples(10, time.Now())}
				if err := tele.Take(t.Context(), id, batch); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, panel := range []*Telemetry{tele, other} {
		all.Go(func() {
			for range 10 {
				if err := panel.rollUp(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	condensed(t, tele, db, 200)
}

// A database restored elsewhere counts its transactions from a lower number: condensing goes on from there.
func TestCondensingGoesOnInARestoredDatabase(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	_, err := db.ExecContext(t.Context(), "update telemetry_progress set xact = ?", int64(math.MaxInt64/2))
	require.NoError(t, err)
	require.NoError(t, tele.rollUp(t.Context()))
	deliver(t, tele, ids[0], "s", 1, paneltest.Samples(3, time.Now()))
	condensed(t, tele, db, 3)
}

// Partitions are made ahead of time and dropped behind it, again and again, while samples come.
func TestPartitionsAreRenewedWhileSamplesCome(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	for seq := range int64(5) {
		require.NoError(t, tele.Renew(t.Context()))
		deliver(t, tele, ids[0], "s", seq+1, paneltest.Samples(2, time.Now()))
	}
	condensed(t, tele, db, 10)
	_, err := db.ExecContext(t.Context(), `do $$ declare part record; begin for part in
		select inhrelid::regclass as name from pg_inherits where inhparent = 'node_samples'::regclass loop
			execute format('drop table %s', part.name); end loop; end $$`)
	require.NoError(t, err)
	deliver(t, tele, ids[0], "s", 6, paneltest.Samples(1,
		time.Now())) // a panel that nobody asked to prepare makes what it needs
}

// What the schedules do is done by their jobs: samples become minutes, and partitions are renewed; no license stops
// either.
func TestTheSchedulesHaveTheirJobs(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	deliver(t, tele, ids[0], "s", 1, paneltest.Samples(2, time.Now()))
	workers := map[string]jobs.Worker{}
	for _, worker := range tele.Jobs() {
		workers[worker.Kind] = worker
	}
	require.Len(t, workers, len(Schedules()))
	for _, schedule := range Schedules() {
		require.Equal(t, entitlement.GoesOn, schedule.ReadOnly, schedule.Name)
		require.Equal(t, entitlement.GoesOn, schedule.Blocked, schedule.Name)
		require.NoError(t, workers[schedule.Args().Kind()].Work(t.Context(), jobs.Job{}), schedule.Name)
	}
	condensed(t, tele, db, 2)
}

// Listeners without a session, of which there are many, cost no place; who carried nothing is no zero.
func TestIdleListenersAreNotStored(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	list := paneltest.Samples(2, time.Now())
	list[0].Listeners = []agentapi.Sessions{{Name: "busy", Open: 2}, {Name: "idle"}}
	list[1].Listeners, list[1].Traffic = []agentapi.Sessions{{Name: "idle"}}, nil
	deliver(t, tele, ids[0], "s", 1, list)
	var stored []string
	require.NoError(t, db.NewRaw(`select coalesce(listeners::text, 'none') || ' ' || coalesce(traffic::text, 'none')
		from node_samples order by observed_at`).Scan(t.Context(), &stored))
	require.Len(t, stored, 2)
	require.Contains(t, stored[0], "busy")
	require.NotContains(t, fmt.Sprint(stored), "idle")
	require.Equal(t, "none none", stored[1])
}
