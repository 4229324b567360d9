package notifications

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/events"
	"panel/platform/module"
	"panel/platform/paneltest"
)

func numbered(n int) *taken { return &taken{event: events.Event{ID: strconv.Itoa(n)}} }

// Events that come while others are queued share the next transaction, at most so many at once, and each ends once.
func TestEventsThatComeTogetherShareATransaction(t *testing.T) {
	t.Parallel()
	const many = 3 * atOnce
	begun, proceed := make(chan struct{}), make(chan struct{})
	var calls, acted atomic.Int32
	g := newGathering(func(_ context.Context, all []*taken) error {
		if calls.Add(1) == 1 {
			close(begun)
			<-proceed
		}
		if len(all) > atOnce {
			return errors.New("too many at once")
		}
		acted.Add(int32(len(all)))
		return nil
	})
	var adding sync.WaitGroup
	add := func(n int) { adding.Go(func() { require.NoError(t, g.add(t.Context(), numbered(n))) }) }
	add(0)
	<-begun
	for n := 1; n < many; n++ {
		add(n)
	}
	require.Eventually(t, func() bool { return len(g.waiting) == many-1 }, within, every)
	close(proceed)
	adding.Wait()
	require.EqualValues(t, many, acted.Load())
	require.LessOrEqual(t, calls.Load(), int32(1+many/atOnce))
}

// One that always fails keeps no other from its end.
func TestAnEventThatFailsFailsAlone(t *testing.T) {
	t.Parallel()
	poison := errors.New("no such word")
	begun, proceed := make(chan struct{}), make(chan struct{})
	first := true
	g := newGathering(func(_ context.Context, all []*taken) error {
		if first {
			first = false
			close(begun)
			<-proceed
			return nil
		}
		for _, one := range all {
			if one.event.ID == "7" {
				return poison
			}
		}
		return nil
	})
	var adding sync.WaitGroup
	ends := make([]error, 20)
	add := func(n int) { adding.Go(func() { ends[n] = g.add(t.Context(), numbered(n)) }) }
	add(0)
	<-begun
	for n := 1; n < len(ends); n++ {
		add(n)
	}
	require.Eventually(t, func() bool { return len(g.waiting) == len(ends)-1 }, within, every)
	close(proceed)
	adding.Wait()
	for n, err := range ends {
		if n == 7 {
			require.ErrorIs(t, err, poison)
		} else {
			require.NoError(t, err, "event %d", n)
		}
	}
}

// Whoever's time is over goes, and the others do not wait for it.
func TestACallerWhoseTimeIsOverGoes(t *testing.T) {
	t.Parallel()
	proceed := make(chan struct{})
	begun := make(chan struct{}, 1)
	g := newGathering(func(context.Context, []*taken) error {
		begun <- struct{}{}
		<-proceed
		return nil
	})
	var adding sync.WaitGroup
	adding.Go(func() { require.NoError(t, g.add(t.Context(), numbered(1))) })
	<-begun
	over, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, g.add(over, numbered(2)), context.Canceled)
	close(proceed)
	adding.Wait()
	go func() { <-begun }()
	require.NoError(t, g.add(t.Context(), numbered(3)), "with the one that was left behind")
}

// When thousands of nodes fall silent at once, what their events cost does not follow their number: statements are
// shared, also where no channel gets them.
func TestWhatManyEventsCost(t *testing.T) {
	t.Parallel()
	all := []module.Module{Module(), storm()}
	db, statements := dbtest.Counted(t, app.Migrations(app.With(all))...)
	b := &bench{t: t, Panel: paneltest.Start(t, paneltest.On(db), paneltest.Modules(all...))}
	const number = 500
	before := statements.Sent()
	b.storms(number)
	const left = "select count(*) from jobs.river_job where kind = 'notifications.queue' and state <> 'completed'"
	require.Eventually(t, func() bool {
		var waiting int
		require.NoError(t, b.DB.NewRaw(left).Scan(t.Context(), &waiting))
		return waiting == 0
	}, 4*within, every)
	each := float64(statements.Sent()-before) / number
	t.Logf("%.2f statements for each event", each)
	require.Less(t, each, 6.0)
}
