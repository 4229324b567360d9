package events

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

type news struct {
	Word string `json:"word"`
}

func startedBus(t *testing.T, db *database.DB) *Bus {
	log := zaptest.NewLogger(t)
	listener := database.NewListener(db.Pool, log)
	bus := New(db, listener, log)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- listener.Run(ctx) }()
	go func() { ended <- bus.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended); require.NoError(t, <-ended) })
	require.Eventually(t, listener.Healthy, 10*time.Second, time.Millisecond)
	return bus
}

func quietBus(t *testing.T) *Bus { return New(nil, nil, zaptest.NewLogger(t)) }

func TestAListenerThatFailsOrPanicsDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	var got []string
	bus.Listen(
		Listener{Name: "panics", Handle: func(context.Context, Event) error { panic("broken") }},
		Listener{Name: "fails", Handle: func(context.Context, Event) error { return errors.New("broken") }},
		On("typed", []string{"node.*"}, func(_ context.Context, e Event, n news) error {
			got = append(got, e.Kind+" "+n.Word)
			return nil
		}),
	)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bus.Publish(ctx, Event{Kind: "node.online", Data: news{Word: "hello"}})
	bus.Publish(ctx, Event{Kind: "flow.created", Data: news{Word: "not for us"}})
	require.Equal(t, []string{"node.online hello"}, got)
}

func TestEventsCrossToOtherPanelsOnceAndListenersRunOnlyWhereTheyWerePublished(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	here, there := startedBus(t, db), startedBus(t, db)
	handled := make(chan string, 10)
	there.Listen(
		Listener{Name: "local", Handle: func(context.Context, Event) error { handled <- "local"; return nil }},
		Listener{Name: "everywhere", Everywhere: true, Handle: func(_ context.Context, e Event) error {
			data, err := dataOf[news](e)
			handled <- data.Word
			return err
		}},
	)
	mine, theirs := here.Subscribe(t.Context()), there.Subscribe(t.Context())
	here.Publish(t.Context(), Event{Kind: "node.online", SubjectType: "node", SubjectID: "1", Data: news{Word: "hello"}})
	here.Publish(t.Context(), Event{Kind: "node.offline", SubjectID: "1", Data: news{Word: strings.Repeat("x", 9000)}})
	require.Equal(t, "node.online", (<-mine).Kind)
	require.Equal(t, "node.offline", (<-mine).Kind)
	first, second := <-theirs, <-theirs
	require.Equal(t, "1", first.SubjectID)
	require.Equal(t, "hello", <-handled)
	require.Equal(t, "node.offline", second.Kind)
	require.Nil(t, second.Data, "contents that do not fit stay behind")
	require.Empty(t, <-handled)
	require.Empty(t, mine, "an event does not come back to where it was published")
	var sent Event
	require.NoError(t, json.Unmarshal(first.JSON(), &sent))
	require.Equal(t, "node.online", sent.Kind)
}

func TestAStalledFollowerIsDroppedAndTheOthersGetEverything(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	stalled, reading := bus.Subscribe(t.Context()), bus.Subscribe(t.Context())
	for range mostWaiting + 1 {
		bus.Publish(t.Context(), Event{Kind: "x"})
		<-reading
	}
	require.Equal(t, 1, bus.Followers())
	received := 0
	for range stalled {
		received++
	}
	require.Equal(t, mostWaiting, received)
}

func TestAFollowerThatLeavesIsForgotten(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	ctx, leave := context.WithCancel(t.Context())
	followed := bus.Subscribe(ctx)
	leave()
	_, open := <-followed
	require.False(t, open)
	require.Zero(t, bus.Followers())
	bus.Publish(t.Context(), Event{Kind: "x"})
}

func TestAfterAGapFollowersAreToldToReadAgain(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	bus := startedBus(t, db)
	followed := bus.Subscribe(t.Context())
	_, err := db.ExecContext(t.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()")
	require.NoError(t, err)
	require.Equal(t, Resync, (<-followed).Kind)
}
