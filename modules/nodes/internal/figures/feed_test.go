package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/events"
)

// seat is one who watches in a test.
type seat struct {
	events.Frames
	t     *testing.T
	woken *atomic.Int64
}

type frame struct {
	Kind  string
	At    time.Time
	Fleet struct {
		Total   int
		States  map[string]int
		Figures Figures
	}
	Regions []struct {
		Region  string
		Total   int
		Figures Figures
	}
	Nodes [][]any
}

func watch(t *testing.T, f *Feed, ctx context.Context, what string) *seat { //nolint:revive // the test comes first
	t.Helper()
	woken := new(atomic.Int64)
	frames, err := f.Watch(ctx, what, func() { woken.Add(1) })
	require.NoError(t, err)
	return &seat{frames, t, woken}
}

func (s *seat) next() (f frame) {
	s.t.Helper()
	text := s.Next()
	require.NotNil(s.t, text)
	require.NotContains(s.t, string(text), "\n")
	require.NoError(s.t, json.Unmarshal(text, &f))
	return f
}

// turn lets an interval pass.
func (s *stage) turn(f *Feed) {
	s.t.Helper()
	s.clock.Advance(every)
	require.NoError(s.t, f.refresh(s.t.Context(), 0))
}

// A viewer gets at first all nodes that he asked for, later those with a newer reading, and always the whole fleet's
// sums.
func TestAViewerGetsTheNodesOfHisPageAndThenWhatIsNew(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(20)
	old := s.add(node{name: "old", readings: []any{s.now().Add(-time.Hour), nil, 1.4, 2.6, 3.44, 4.0}})
	never := s.add(node{name: "never", access: "none"})
	var other string
	require.NoError(t, s.db.NewRaw("select id from nodes where name = 'n7'").Scan(t.Context(), &other))
	f := NewFeed(s.Fleet)
	page := watch(t, f, t.Context(), old+"."+other+"."+never)
	require.Nil(t, page.Next(), "nothing was read yet")
	s.turn(f)
	require.EqualValues(t, 2, page.woken.Load())
	first := page.next()
	require.Equal(t, KindMetrics, first.Kind)
	require.Equal(t, 22, first.Fleet.Total)
	require.Equal(t, 22, first.Fleet.States["online"])
	require.Equal(t, 20, first.Fleet.Figures.Nodes)
	require.EqualValues(t, 20*123456, *first.Fleet.Figures.Sessions)
	require.Len(t, first.Regions, 13)
	require.ElementsMatch(t, [][]any{
		{old, float64(s.now().Add(-time.Hour - every).Unix()), nil, 1.0, 3.0, 3.4, 4.0},
		{other, float64(s.now().Add(-every).Unix()), 123456.0, 1234567891.0, 2345678902.0, 45.7, 78.9},
	}, first.Nodes)
	require.Nil(t, page.Next(), "a frame comes once")
	s.turn(f)
	require.Empty(t, page.next().Nodes)
	s.exec("update node_readings set observed_at = ?, cpu_pct = 1 where node_id = ?", s.now(), old)
	s.turn(f)
	require.Equal(t, []any{old, float64(s.now().Add(-every).Unix()), nil, 1.0, 3.0, 1.0, 4.0}, page.next().Nodes[0])
}

// The sums of a frame and those of the summary are the same figures.
func TestFramesAndSummaryAgree(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(50)
	s.exec("update node_readings set observed_at = ?, cpu_pct = 90, sessions = null where node_id in (select id from nodes where region = 'r3')",
		s.now().Add(-time.Second))
	f := NewFeed(s.Fleet)
	viewer := watch(t, f, t.Context(), "")
	require.NoError(t, f.refresh(t.Context(), 0))
	live, whole := viewer.next(), s.summary()
	same := func(whole, live Figures) {
		require.InDelta(t, *whole.CPUPercent, *live.CPUPercent, 1e-9)
		live.CPUPercent = whole.CPUPercent
		require.Equal(t, whole, live)
	}
	same(whole.Figures, live.Fleet.Figures)
	require.Equal(t, whole.Total, live.Fleet.Total)
	for at, region := range whole.Regions {
		require.Equal(t, region.Region, live.Regions[at].Region)
		same(region.Figures, live.Regions[at].Figures)
	}
}

// At most 64 kB a second for a viewer of 5,000 nodes, though all of them are new at every frame.
func TestOneWhoWatchesAllOfALargeFleetIsSentABoundedStream(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(5000)
	f := NewFeed(s.Fleet)
	all, page := watch(t, f, t.Context(), "*"), watch(t, f, t.Context(), "")
	sent, frames := 0, 0
	for range 10 {
		s.measure()
		s.turn(f)
		text := all.Next()
		sent += len(text)
		require.Less(t, len(page.Next()), 8<<10, "whoever names no node is sent the sums")
		frames++
	}
	require.LessOrEqual(t, sent, int(mostPerSecond*every.Seconds())*frames)
	require.Greater(t, sent, int(mostPerSecond*every.Seconds())*frames*9/10, "and the room is used")
	// Agents report every 15 s, five frames: then nothing is left behind.
	quiet := watch(t, f, t.Context(), "*")
	rows := map[any]bool{}
	for range 5 {
		s.turn(f)
		for _, row := range quiet.next().Nodes {
			rows[row[0]] = true
		}
	}
	require.Len(t, rows, 5000)
	s.turn(f)
	require.Empty(t, quiet.next().Nodes)
}

// Two viewers cost what one costs, and nobody costs nothing.
func TestHoweverManyWatchTheFleetIsReadOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(30)
	f := NewFeed(s.Fleet)
	require.Zero(t, s.count.Fewest(func() { s.turn(f) }))
	ctx, leave := context.WithCancel(t.Context())
	one := watch(t, f, ctx, "*")
	require.EqualValues(t, 1, s.count.Fewest(func() { s.turn(f) }))
	others := []*seat{watch(t, f, ctx, "*"), watch(t, f, ctx, ""), watch(t, f, ctx, "*")}
	require.EqualValues(t, 1, s.count.Fewest(func() { s.turn(f) }))
	want := one.Next()
	require.Equal(t, bytes.Count(want, []byte("123456,")), bytes.Count(others[0].Next(), []byte("123456,")))
	leave()
	require.Eventually(t, func() bool { return s.count.Fewest(func() { s.turn(f) }) == 0 }, time.Minute,
		10*time.Millisecond)
}

// A viewer who could not read for a while gets the newest state once, not what he has missed.
func TestASlowViewerGetsTheNewestStateOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(3)
	f := NewFeed(s.Fleet)
	slow := watch(t, f, t.Context(), "*")
	for range 20 {
		s.measure()
		s.turn(f)
	}
	require.Len(t, slow.next().Nodes, 3)
	require.Nil(t, slow.Next())
}

func TestWhatCannotBeWatchedIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	f := NewFeed(s.Fleet)
	id := s.add(node{name: "one"})
	for _, wrong := range []string{"x", id + ".", id + ",x", "**"} {
		_, err := f.Watch(t.Context(), wrong, func() {})
		require.ErrorContains(t, err, "cannot be read", wrong)
	}
}

// The loop reads at once for the first viewer and then at its pace.
func TestTheFirstViewerDoesNotWaitForTheNextInterval(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(3)
	f := NewFeed(s.Fleet)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	viewer := watch(t, f, t.Context(), "*")
	require.Eventually(t, func() bool { return viewer.woken.Load() >= 2 }, 60*time.Second, 5*time.Millisecond)
	require.Len(t, viewer.next().Nodes, 3)
	stop()
	require.NoError(t, <-ended)
}
