package events

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/fault"
)

// gauge is a feed of numbers: whoever watches gets the newest that he has not had yet.
type gauge struct {
	mu      sync.Mutex
	watched map[string][]*needle
}

type needle struct {
	mu     sync.Mutex
	newest []byte
	wake   func()
}

func (g *gauge) Watch(ctx context.Context, what string, wake func()) (Frames, error) {
	if what == "" {
		return nil, fault.Malformed("bad_parameter", "the topic names nothing to watch")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	n := &needle{wake: wake}
	g.watched[what] = append(g.watched[what], n)
	context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.watched, what)
	})
	return n, nil
}

func (g *gauge) shows(what, frame string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.watched[what] {
		n.mu.Lock()
		n.newest = []byte(frame)
		n.mu.Unlock()
		n.wake()
	}
}

func (n *needle) Next() []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	frame := n.newest
	n.newest = nil
	return frame
}

func everything(Kind) bool { return true }

// offered is a bus with a feed of the progress of rollouts.
func offered(t *testing.T) (*Bus, *gauge) {
	t.Helper()
	bus, feed := quietBus(t), &gauge{watched: map[string][]*needle{}}
	require.NoError(t, bus.Offer("node.progress", feed))
	return bus, feed
}

// frames are what a viewer has waiting, with their kinds.
func frames(t *testing.T, w *Watching, allowed func(Kind) bool) (got []string) {
	t.Helper()
	require.NoError(t, w.Each(allowed, func(kind string, frame []byte) error {
		got = append(got, kind+" "+string(frame))
		return nil
	}))
	return got
}

func TestFramesAreOfferedOnlyForAKindThatMayBeLost(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	for _, kind := range []string{"node.online", "node.unheard_of", ""} {
		require.ErrorContains(t, bus.Offer(kind, &gauge{}), "transient", kind)
	}
}

// Who reads slowly gets the newest frame once, however many came meanwhile, and nothing of what he did not name.
func TestASlowViewerGetsTheNewestFrameOfWhatHeNamed(t *testing.T) {
	t.Parallel()
	bus, feed := offered(t)
	w, err := bus.Watch(t.Context(), []Topic{{Subject: "rollout", ID: "1"}, {Subject: "flow", ID: "1"}}, everything)
	require.NoError(t, err)
	require.Empty(t, w.Ready(), "nothing has come yet")
	for _, frame := range []string{"1", "2", "3"} {
		feed.shows("1", frame)
		feed.shows("2", "of another one")
	}
	<-w.Ready()
	require.Empty(t, w.Ready(), "many frames wake once")
	require.Equal(t, []string{"node.progress 3"}, frames(t, w, everything))
	require.Empty(t, frames(t, w, everything))
	feed.shows("1", "4")
	<-w.Ready()
	require.Equal(t, []string{"node.progress 4"}, frames(t, w, everything))
}

// A permission counts when the watching begins and at each frame: one that is taken away meanwhile ends it.
func TestFramesAreForThoseWhoMaySeeThemAtThatMoment(t *testing.T) {
	t.Parallel()
	bus, feed := offered(t)
	topics := []Topic{{Subject: "rollout", ID: "1"}}
	nothing := func(Kind) bool { return false }
	denied, err := bus.Watch(t.Context(), topics, nothing)
	require.NoError(t, err)
	seen, err := bus.Watch(t.Context(), topics, everything)
	require.NoError(t, err)
	feed.shows("1", "secret")
	require.Empty(t, frames(t, denied, everything), "it watches nothing")
	require.Empty(t, frames(t, seen, nothing))
	require.Equal(t, []string{"node.progress secret"}, frames(t, seen, everything))
}

func TestAWatchEndsWithItsViewer(t *testing.T) {
	t.Parallel()
	bus, feed := offered(t)
	ctx, leave := context.WithCancel(t.Context())
	_, err := bus.Watch(ctx, []Topic{{Subject: "rollout", ID: "1"}}, everything)
	require.NoError(t, err)
	leave()
	require.Eventually(t, func() bool {
		feed.mu.Lock()
		defer feed.mu.Unlock()
		return len(feed.watched) == 0
	}, time.Minute, time.Millisecond)
}

// What a feed refuses is refused to the caller, and a viewer who cannot be written to any more gets no further frame.
func TestRefusalsOfFeedsAndViewersReachWhoAsked(t *testing.T) {
	t.Parallel()
	bus, feed := offered(t)
	_, err := bus.Watch(t.Context(), []Topic{{Subject: "rollout"}}, everything)
	var refused *fault.Fault
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "bad_parameter", refused.Code)
	w, err := bus.Watch(t.Context(), []Topic{{Subject: "rollout", ID: "1"}, {Subject: "rollout", ID: "2"}}, everything)
	require.NoError(t, err)
	feed.shows("1", "a")
	feed.shows("2", "b")
	gone, given := errors.New("the viewer is gone"), 0
	require.ErrorIs(t, w.Each(everything, func(string, []byte) error { given++; return gone }), gone)
	require.Equal(t, 1, given)
}

// An event as large as a notification may be crosses whole; one byte more leaves its data behind, and both are as
// short as the database demands.
func TestTheLargestEventThatFitsCrossesWhole(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	sealed := func(size int) (Event, int) {
		event := Event{Kind: "node.online", SubjectID: "1", Data: words{Word: strings.Repeat("x", size)}}
		encoded, err := json.Marshal(event)
		require.NoError(t, err)
		event.encoded = encoded
		text, err := bus.seal(event)
		require.NoError(t, err)
		var e envelope
		require.NoError(t, json.Unmarshal(text, &e))
		var got Event
		require.NoError(t, json.Unmarshal(e.Event, &got))
		return got, len(text)
	}
	whole, fits := 0, 0
	for size := 7500; size < 8000; size++ {
		event, length := sealed(size)
		require.LessOrEqual(t, length+len(channel), database.MaxNotice)
		if event.Data != nil {
			require.Equal(t, whole, fits, "nothing larger crosses once something did not fit")
			whole++
		}
		fits++
	}
	require.Positive(t, whole)
	require.Less(t, whole, fits)
}
