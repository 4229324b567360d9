package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// causesOf are the causes of all incidents, with how many nodes each has.
func causesOf(s *Summary) (causes []string) {
	for _, one := range s.Attention {
		causes = append(causes, fmt.Sprint(one.Cause, " ", one.Nodes))
	}
	slices.Sort(causes)
	return causes
}

// Each way to fail has its own cause, and what outweighs the others is named: nobody repairs a core whose agent is
// lost.
func TestEachFailureHasItsCause(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const behind = `update nodes set desired_hash = 'wanted', desired_revision = 4, desired_at = now() - interval '1 hour'
		where id = ?`
	for cause, change := range map[string]string{
		"agent_revoked": "update nodes set agent_access = 'revoked' where id = ?",
		"core_failed":   "update node_reports set core_state = 'failed' where node_id = ?",
		"core_stopped":  "update nodes set desired_core = true, desired_at = now() - interval '1 hour' where id = ?",
		"config_behind": behind,
		"cloned":        "update node_reports set cloned = true where node_id = ?",
		"agent_lost":    "update node_reports set core_state = 'failed', cloned = true where node_id = ?",
		"agent_stale":   behind,
	} {
		n := node{name: cause}
		switch cause {
		case "agent_lost":
			n.seen = time.Hour
		case "agent_stale":
			n.seen = time.Minute
		case "core_stopped":
			n.core = "stopped"
		}
		s.exec(change, s.add(n))
	}
	s.add(node{name: "fine"})
	got := s.summary()
	require.Equal(t, []string{
		"agent_lost 1", "agent_revoked 1", "agent_stale 1", "cloned 1", "config_behind 1", "core_failed 1",
		"core_stopped 1",
	}, causesOf(got))
	for _, one := range got.Attention {
		require.Equal(t, one.Cause, one.First[0].Name)
	}
	require.Equal(t, 7, got.AttentionNodes)
	require.Equal(t, 2, got.Drift, "nodes that do not serve what they shall")
}

// Nodes that a person took out of service fail for nobody.
func TestNodesOutOfServiceNeedNoAttention(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec("update nodes set disabled = true where id = ?", s.add(node{name: "disabled", seen: time.Hour}))
	s.exec("update nodes set maintenance = true where id = ?", s.add(node{name: "repaired", seen: time.Hour}))
	s.exec("update nodes set maintenance = true, maintenance_until = ? where id = ?", s.now(),
		s.add(node{name: "over", seen: time.Hour}))
	s.add(node{name: "waiting", access: "none"})
	got := s.summary()
	require.Equal(t, []string{"agent_lost 1"}, causesOf(got))
	require.Equal(t, "over", got.Attention[0].First[0].Name, "a maintenance that has ended is none")
	require.Equal(t, 1, got.States["disabled"])
	require.Equal(t, 1, got.States["maintenance"])
	require.Equal(t, 1, got.States["pending"])
}

// Two heartbeats lie between failures of one cause at the most; a chain of them is one incident from its first to its
// last.
func TestAChainOfFailuresIsOneIncident(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range 5 {
		s.add(node{
			name: fmt.Sprintf("chain-%d", i), core: "failed",
			since: time.Hour - time.Duration(i)*30*time.Second,
		})
	}
	s.add(node{name: "apart", core: "failed", since: time.Hour - 4*30*time.Second - 31*time.Second})
	got := s.summary()
	require.Equal(t, []string{"core_failed 1", "core_failed 5"}, causesOf(got))
	chain := got.Attention[1]
	require.Equal(t, s.now().Add(-time.Hour), chain.Since)
	require.Equal(t, s.now().Add(-time.Hour+2*time.Minute), chain.Until)
	require.Equal(t, "apart", got.Attention[0].First[0].Name, "the newest stands first")
}

// Fewer answers than incidents, of a module that knows only some flows, leave the others without a number.
func TestIncidentsWithoutAnAnswerHaveNoNumberOfFlows(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.add(node{name: "lost", seen: time.Hour})
	s.add(node{name: "failed", core: "failed"})
	s.relations.Flows(func(context.Context, [][]string, int) ([]nodesapi.Related, error) {
		return []nodesapi.Related{{Count: 3}}, nil
	})
	got := s.summary()
	require.Equal(t, 3, *got.Attention[0].Flows)
	require.Nil(t, got.Attention[1].Flows)
}

// A fleet that is fine asks nobody about flows.
func TestNobodyIsAskedAboutAFleetThatIsFine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(5)
	s.relations.Flows(func(context.Context, [][]string, int) ([]nodesapi.Related, error) {
		t.Error("there is nothing to ask about")
		return nil, nil
	})
	require.Empty(t, s.summary().Attention)
}

// Tags are the most common ones, by name where they are as common, and no more than can be shown.
func TestTagsAreTheMostCommon(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range mostTags + 5 {
		s.add(node{name: fmt.Sprintf("n-%03d", i), tags: []string{"all", fmt.Sprintf("t%03d", i)}})
	}
	s.add(node{name: "twice", tags: []string{"t004"}})
	tags := s.summary().Tags
	require.Len(t, tags, mostTags)
	require.Equal(t, []Tag{{"all", mostTags + 5}, {"t004", 2}, {"t000", 1}, {"t001", 1}}, tags[:4])
}

// A mean is of the nodes, a sum of what they carry, and neither is made of nothing.
func TestSumsAddUp(t *testing.T) {
	t.Parallel()
	at, later := time.Unix(100, 0), time.Unix(200, 0)
	two, three := int64(2), int64(3)
	all := sums{}
	require.Equal(t, Figures{}, all.figures())
	for _, part := range []sums{
		{Nodes: 1, CPU: 30, Rx: 1, Tx: 2, Oldest: &later},
		{
			Nodes: 2, CPU: 60, Rx: 10, Tx: 20, Sessions: &two,
			Oldest: &at,
		},
		{},
		{Nodes: 1, CPU: 90, Sessions: &three, Oldest: &later},
	} {
		all.add(part)
	}
	shown := all.figures()
	require.Equal(t, 4, shown.Nodes)
	require.InDelta(t, 45, *shown.CPUPercent, 1e-9)
	require.Equal(t, []float64{11, 22}, []float64{shown.NetRxBps, shown.NetTxBps})
	require.EqualValues(t, 5, *shown.Sessions)
	require.True(t, shown.OldestAt.Equal(at))
	require.EqualValues(t, 2, two, "what was added stays as it was")
}

// No answer of the fleet's history has more than 720 points either, wherever the range begins.
func TestTheHistoryOfTheFleetIsBounded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	odd := s.now().Truncate(2 * time.Minute).Add(-time.Minute)
	s.exec(`insert into fleet_minutes (at, states, measured, sessions, net_rx_bps, net_tx_bps, cpu_pct)
		select at, '{"online": 3}', 3, null, 1, 2, 50 from generate_series(?0::timestamptz - interval '25 hours',
			?0::timestamptz,
			interval '1 minute') at`, odd)
	step, points, err := s.History(t.Context(), "net_tx_bps", odd.Add(-24*time.Hour), odd)
	require.NoError(t, err)
	require.Equal(t, 2*time.Minute, step)
	require.Len(t, points, mostPoints)
	require.True(t, points[mostPoints-1].At.Add(step).After(odd.Add(-time.Second)), "the newest end is whole")
	_, points, err = s.History(t.Context(), "sessions", odd.Add(-time.Hour), odd)
	require.NoError(t, err)
	require.Empty(t, points, "nobody counted them")
}

// Every metric of the fleet reads back what was noted, and a minute in which nothing was measured has no mean.
func TestEveryMetricOfTheFleetIsNoted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	now := s.now()
	s.add(node{name: "a", readings: []any{now, 7, 100.0, 200.0, 30.0, 1.0}})
	s.add(node{name: "b", readings: []any{now, nil, 1.0, 2.0, 50.0, 1.0}})
	s.add(node{name: "c", core: "failed", readings: []any{now.Add(-time.Hour), 9, 5.0, 5.0, 99.0, 1.0}})
	s.add(node{name: "d", seen: time.Hour})
	require.NoError(t, s.Note(t.Context()))
	for metric, want := range map[string]float64{
		"sessions": 7, "net_rx_bps": 101, "net_tx_bps": 202, "cpu_pct": 40, "online": 2, "degraded": 1, "offline": 1,
	} {
		_, points, err := s.History(t.Context(), metric, now.Add(-time.Hour), now.Add(time.Minute))
		require.NoError(t, err)
		require.Len(t, points, 1, metric)
		require.InDelta(t, want, points[0].Value, 1e-9, metric)
	}
	require.Len(t, historyOf, 7)

	empty := newStage(t)
	require.NoError(t, empty.Note(t.Context()))
	for metric, points := range map[string]int{"cpu_pct": 0, "sessions": 0, "net_rx_bps": 1, "online": 0} {
		_, found, err := empty.History(t.Context(), metric, empty.now().Add(-time.Hour), empty.now().Add(time.Minute))
		require.NoError(t, err)
		require.Len(t, found, points, metric)
	}
}

// The note is made by the clock, once for all panels, goes on whatever the license says, and is not made late.
func TestTheFleetIsNotedByTheClock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(2)
	schedule, worker := Schedule(), s.Worker()
	require.Equal(t, worker.Kind, schedule.Args().Kind())
	require.Equal(t, []entitlement.Conduct{entitlement.GoesOn, entitlement.GoesOn},
		[]entitlement.Conduct{schedule.ReadOnly, schedule.Blocked})
	require.Equal(t, 1, worker.Attempts)
	require.NoError(t, worker.Work(t.Context(), jobs.Job{}))
	var minutes int
	require.NoError(t, s.db.NewRaw("select count(*) from fleet_minutes where measured = 2").Scan(t.Context(), &minutes))
	require.Equal(t, 1, minutes)
	require.Equal(t, jobs.Tidy{Table: "fleet_minutes", Column: "at", Age: 30 * 24 * time.Hour}, Tidy())
}

// A line is weighted by how many samples each mean has, is asked for by a closed list of metrics, and knows nobody
// else's nodes.
func TestLinesAreMeansOfTheirHalfHour(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.add(node{name: "drawn"})
	half := s.now().Truncate(sparkStep)
	for minute, mean := range map[int][2]float64{0: {10, 1}, 10: {40, 3}} {
		s.exec(`insert into node_metrics_10m (node_id, at, n, cpu_pct, sessions, load1, mem_used, disk_used, net_rx_bps,
				net_tx_bps, rx_pps, tcp_established, conntrack_count, syncookies_ps, listen_drops_ps)
			values (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
			id, half.Add(time.Duration(minute)*time.Minute), mean[1], mean[0], map[int]any{0: 6, 10: nil}[minute])
	}
	for metric, want := range map[string]float64{"cpu_pct": 32.5, "sessions": 6, "net_tx_bps": 0, "net_rx_bps": 0} {
		got, err := s.Sparks(t.Context(), id, metric)
		require.NoError(t, err)
		require.InDelta(t, want, *got.Items[0].Points[sparkSteps-1], 1e-9, metric)
	}
	for _, metric := range []string{"load1", "", "cpu_pct; drop table nodes"} {
		_, err := s.Sparks(t.Context(), id, metric)
		require.ErrorContains(t, err, "no such line")
	}
	got, err := s.Sparks(t.Context(), "x,,y", "cpu_pct")
	require.NoError(t, err)
	require.Equal(t, []Spark{}, got.Items)
}

// A frame is made of what is new: a reading that was not renewed keeps its text, one of a node that is gone leaves no
// trace.
func TestAnImageEncodesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_700_000_000, 0).UTC()
	i := &image{}
	one, two := reading{id: "one", region: "a", state: "online", at: at, sessions: -1}, reading{
		id: "two", region: "b",
		state: "offline", at: at,
	}
	i.take([]reading{one, two}, at)
	first := i.rows["one"]
	two.at = at.Add(15 * time.Second)
	i.take([]reading{one, two}, at.Add(15*time.Second))
	require.Same(t, first, i.rows["one"])
	require.EqualValues(t, 3, i.version)
	i.take([]reading{one}, at.Add(time.Minute))
	require.NotContains(t, i.rows, "two")
	var f frame
	require.NoError(t, json.Unmarshal(append(slices.Clone(i.whole), ']', '}'), &f))
	require.Equal(t, 1, f.Fleet.Total)
	require.Zero(t, f.Fleet.Figures.Nodes, "a reading of a minute ago is not counted")
}

// Regions that do not fit into every frame are left out, the small ones first; the fleet as a whole counts all of them.
func TestAFrameHasTheLargestRegions(t *testing.T) {
	t.Parallel()
	at, all := time.Unix(1_700_000_000, 0).UTC(), []reading{}
	for region := range mostRegions + 20 {
		for n := range 1 + region%3 {
			all = append(all, reading{
				id: fmt.Sprintf("%d-%d", region, n), region: fmt.Sprintf("r%03d", region),
				state: "online", at: at,
			})
		}
	}
	i := &image{}
	i.take(all, at)
	var f frame
	require.NoError(t, json.Unmarshal(append(slices.Clone(i.whole), ']', '}'), &f))
	require.Len(t, f.Regions, mostRegions)
	require.Equal(t, len(all), f.Fleet.Total)
	for at := 1; at < mostRegions; at++ {
		require.GreaterOrEqual(t, f.Regions[at-1].Total, f.Regions[at].Total)
	}
}

// The text of a node in a frame: whole bits, tenths of percents, and null where nobody counts sessions.
func TestAReadingIsWrittenShort(t *testing.T) {
	t.Parallel()
	r := reading{id: "n", at: time.Unix(7, 999), sessions: -1, rx: 1.5, tx: 1e15, cpu: 12.345, mem: 99.96}
	require.Equal(t, `["n",7,null,2,1000000000000000,12.3,100]`, string(r.encode()))
	r.sessions, r.rx, r.cpu, r.mem = 0, 0, 0, 0.04
	require.Equal(t, `["n",7,0,0,1000000000000000,0,0]`, string(r.encode()))
}

// The last viewer who leaves ends the reading; who comes later sees everything anew, though nothing was measured
// meanwhile.
func TestWhoComesLaterSeesTheWholeFleet(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(4)
	f := NewFeed(s.Fleet)
	ctx, leave := context.WithCancel(t.Context())
	first := watch(t, f, ctx, "*")
	s.turn(f)
	require.Len(t, first.next().Nodes, 4)
	leave()
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.viewers) == 0 && f.image.rows == nil
	}, 60*time.Second, 5*time.Millisecond)
	second := watch(t, f, t.Context(), "*")
	require.Nil(t, second.Next(), "nothing of before is shown")
	s.turn(f)
	require.Len(t, second.next().Nodes, 4)
}

// A database that does not answer leaves viewers with what they have; the next reading goes on.
func TestAReadingThatFailsEndsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(2)
	f := NewFeed(s.Fleet)
	viewer := watch(t, f, t.Context(), "*")
	away, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, f.refresh(away, 0))
	require.Nil(t, viewer.Next())
	s.turn(f)
	require.Len(t, viewer.next().Nodes, 2)
	require.NoError(t, f.refresh(t.Context(), every), "what was just read is not read again")
	require.Nil(t, viewer.Next())
}

// Names are text, whatever signs they have: nothing of a name becomes a part of a statement or breaks a cell.
func TestNamesWithOddSignsAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const odd = `O'Hara "x" \ %d {a,b}`
	s.add(node{name: odd, region: odd, city: odd, core: "failed"})
	got := s.summary()
	require.Equal(t, odd, got.Regions[0].Region)
	require.Equal(t, odd, got.Attention[0].First[0].Name)
	cells, err := s.Cells(t.Context())
	require.NoError(t, err)
	var name string
	require.NoError(t, json.Unmarshal(cells.Cells[0][1], &name))
	require.Equal(t, odd, name)
	require.Equal(t, 1, strings.Count(string(cells.Cells[0][2]), "degraded"))
}

// Of a fleet that is larger than the strip every region is seen by its share, whatever it is called; what needs
// attention comes first.
func TestTheStripShowsEveryRegionOfALargeFleet(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(1200)
	s.exec("update nodes set region = case when name_key <= 'n001000' then 'zurich' else 'amsterdam' end")
	s.add(node{name: "broken", region: "zurich", core: "failed"})
	cells, err := s.Cells(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1201, cells.Total)
	require.Len(t, cells.Cells, mostCells)
	require.JSONEq(t, `"broken"`, string(cells.Cells[0][1]))
	regions := map[string]int{}
	for _, cell := range cells.Cells[1:] {
		regions[string(cell[3])]++
	}
	require.InDelta(t, 416, regions[`"zurich"`], 2, "1,000 of 1,200")
	require.InDelta(t, 83, regions[`"amsterdam"`], 2, "200 of 1,200")
}
