package events

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

type words struct {
	Word string `json:"word"`
	Size int64  `json:"size"`
}

func declared() []Kind {
	return []Kind{
		{Name: "node.online", Summary: "A node is there", Needs: "nodes.view", Live: true, Data: words{}},
		{Name: "node.offline", Summary: "A node is gone", Severity: Warning, Notify: true, Live: true, Data: words{}},
		{Name: "node.progress", Summary: "An update goes on", Subject: "rollout", Live: true, Transient: true},
		{Name: "flow.created", Summary: "A flow was made", Live: true},
		{Name: "flow.counted", Summary: "Nobody watches this"},
	}
}

func startedBus(t *testing.T, db *database.DB) *Bus {
	log := zaptest.NewLogger(t)
	listener := database.NewListener(db.Pool, log)
	bus := New(db, listener, log)
	require.NoError(t, bus.Declare(declared()...))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- listener.Run(ctx) }()
	go func() { ended <- bus.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended); require.NoError(t, <-ended) })
	require.Eventually(t, listener.Healthy, 60*time.Second, time.Millisecond)
	return bus
}

func quietBus(t *testing.T) *Bus {
	bus := New(nil, nil, zaptest.NewLogger(t))
	require.NoError(t, bus.Declare(declared()...))
	return bus
}

// shelf is a backlog that only remembers.
type shelf struct {
	mu   sync.Mutex
	kept map[string][]string
}

func (s *shelf) Add(ctx context.Context, listener string, waiting [][]byte) error {
	if !database.InTransaction(ctx) {
		return errors.New("outside of a transaction")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string][]string{}
	}
	for _, text := range waiting {
		event, err := Read(text)
		if err != nil {
			return err
		}
		s.kept[listener] = append(s.kept[listener], event.Kind)
	}
	return nil
}

func listener(name string, kinds ...string) Listener {
	return Listener{Name: name, Kinds: kinds, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn}
}

func TestAnUndeclaredKindAndOtherDataThanDeclaredAreRefused(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	require.ErrorContains(t, bus.Emit(t.Context(), Event{Kind: "node.burnt"}), "no module declares it")
	require.ErrorContains(t, bus.Emit(t.Context(), Event{Kind: "node.online"}), "declared as events.words and not")
	require.ErrorContains(t, bus.Emit(t.Context(), Event{Kind: "flow.created", Data: words{}}), "and not events.words")
	require.NoError(t, bus.Emit(t.Context(), Event{Kind: "node.online", Data: words{}}))
}

func TestADeclarationThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	for _, wrong := range []Kind{
		{Name: "node", Summary: "no verb"},
		{Name: "node.online", Summary: "declared twice"},
		{Name: "node.renamed"},
		{Name: "node.burnt", Summary: "odd", Severity: "loud"},
		{Name: "node.ticked", Summary: "may be lost and wakes people", Live: true, Transient: true, Notify: true},
		{Name: "node.ticked", Summary: "may be lost and nobody sees it", Transient: true},
	} {
		require.Error(t, quietBus(t).Declare(wrong), wrong)
	}
}

func TestAListenerForWhatNobodyEmitsIsRefused(t *testing.T) {
	t.Parallel()
	for _, wrong := range []Listener{
		listener("x.burnt", "node.burnt"), listener("x.family", "pool.*"), listener("x.transient", "node.progress"),
		{Name: "x.undecided", Kinds: []string{"node.online"}},
	} {
		require.Error(t, quietBus(t).Listen(&shelf{}, wrong), wrong.Name)
	}
	require.NoError(t, quietBus(t).Listen(&shelf{}, listener("x.fine", "node.*", "flow.created")))
}

func TestEachListenerGetsTheKindsItAskedForAndNothingThatMayBeLost(t *testing.T) {
	t.Parallel()
	bus, kept := New(dbtest.New(t), nil, zaptest.NewLogger(t)), &shelf{}
	require.NoError(t, bus.Declare(declared()...))
	notices := listener("x.notices")
	notices.Every = Notices
	require.NoError(t, bus.Listen(kept, listener("x.nodes", "node.*"), listener("x.flows", "flow.counted"), notices))
	require.NoError(t, bus.Emit(t.Context(), Event{Kind: "node.online", Data: words{}}, Event{
		Kind: "node.offline",
		Data: words{},
	},
		Event{Kind: "node.progress"}, Event{Kind: "flow.created"}, Event{Kind: "flow.counted"}))
	require.Equal(t, map[string][]string{
		"x.nodes": {"node.online", "node.offline"}, "x.flows": {"flow.counted"}, "x.notices": {"node.offline"},
	}, kept.kept)
}

func TestWhoWatchesSeesAChangeAfterItsCommitAndNothingOfOneThatWasUndone(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	bus := New(db, nil, zaptest.NewLogger(t))
	require.NoError(t, bus.Declare(declared()...))
	watched := bus.Subscribe(t.Context())
	undone := errors.New("undone")
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, bus.Emit(ctx, Event{Kind: "flow.created", SubjectID: "kept"}))
		require.ErrorIs(t, db.InTx(ctx, func(ctx context.Context) error {
			require.NoError(t, bus.Emit(ctx, Event{Kind: "flow.created", SubjectID: "undone"}))
			return undone
		}), undone)
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error {
			return bus.Emit(ctx, Event{Kind: "flow.created", SubjectID: "inner"})
		}))
		require.Empty(t, watched)
		return nil
	}))
	require.Equal(t, "kept", (<-watched).SubjectID)
	require.Equal(t, "inner", (<-watched).SubjectID)
	require.Empty(t, watched)
}

func TestEventsCrossToOtherPanelsOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	here, there := startedBus(t, db), startedBus(t, db)
	mine, theirs := here.Subscribe(t.Context()), there.Subscribe(t.Context())
	require.NoError(t, here.Emit(t.Context(),
		Event{Kind: "node.online", SubjectID: "1", Data: words{Word: "hello", Size: 1<<60 + 1}},
		Event{Kind: "node.offline", SubjectID: "1", Data: words{Word: strings.Repeat("x", 9000)}}))
	require.Equal(t, "node.online", (<-mine).Kind)
	require.Equal(t, "node.offline", (<-mine).Kind)
	first, second := <-theirs, <-theirs
	require.Equal(t, "1", first.SubjectID)
	require.Equal(t, "node", first.SubjectType)
	require.EqualValues(t, "nodes.view", first.Permission)
	data, err := DataOf[words](first)
	require.NoError(t, err)
	require.Equal(t, words{Word: "hello", Size: 1<<60 + 1}, data)
	require.Equal(t, "node.offline", second.Kind)
	require.Nil(t, second.Data, "contents that do not fit stay behind")
	require.Empty(t, mine, "an event does not come back to where it was emitted")
	var sent Event
	require.NoError(t, json.Unmarshal(first.JSON(), &sent))
	require.Equal(t, "node.online", sent.Kind)
}

func TestAStormAboutOneSubjectIsShownAsItsFirstAndItsNewest(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	watched := bus.Subscribe(t.Context())
	for n := range 100 {
		require.NoError(t, bus.Emit(t.Context(), Event{
			Kind: "node.online", SubjectID: "busy",
			Data: words{Word: strconv.Itoa(n)},
		}))
	}
	require.NoError(t, bus.Emit(t.Context(), Event{Kind: "node.online", SubjectID: "calm", Data: words{}}))
	require.Equal(t, words{Word: "0"}, (<-watched).Data)
	require.Equal(t, "calm", (<-watched).SubjectID, "another subject does not wait")
	require.Equal(t, words{Word: "99"}, (<-watched).Data)
	require.Empty(t, watched)
}

func TestTopicsChooseBySubjectAndId(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	topics, err := bus.ParseTopics("rollout,flow:2")
	require.NoError(t, err)
	some, all := bus.Subscribe(t.Context(), topics...), bus.Subscribe(t.Context())
	for _, event := range []Event{
		{Kind: "node.online", SubjectID: "1", Data: words{}},
		{Kind: "flow.created", SubjectID: "1"},
		{Kind: "flow.created", SubjectID: "2"},
		{Kind: "node.progress", SubjectID: "3"},
		{Kind: "flow.counted", SubjectID: "2"},
	} {
		require.NoError(t, bus.Emit(t.Context(), event))
	}
	require.Len(t, all, 4)
	require.Equal(t, "flow.created", (<-some).Kind)
	require.Equal(t, "node.progress", (<-some).Kind)
	require.Empty(t, some)
	for _, wrong := range []string{"pool", "node,", ":", "node.online", "*"} {
		_, err := bus.ParseTopics(wrong)
		var refused *fault.Fault
		require.ErrorAs(t, err, &refused, wrong)
		require.Equal(t, fault.KindMalformed, refused.Kind)
		require.Equal(t, "bad_parameter", refused.Code)
	}
	require.Equal(t, []string{"flow", "node", "rollout"}, bus.Topics())
}

func TestAStalledFollowerIsDroppedAndTheOthersGetEverything(t *testing.T) {
	t.Parallel()
	bus := quietBus(t)
	stalled, reading := bus.Subscribe(t.Context()), bus.Subscribe(t.Context())
	for n := range mostWaiting + 1 {
		require.NoError(t, bus.Emit(t.Context(), Event{Kind: "flow.created", SubjectID: strconv.Itoa(n)}))
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
	require.NoError(t, bus.Emit(t.Context(), Event{Kind: "flow.created"}))
}

func TestAfterAGapFollowersReadAgainWhateverTheirTopic(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	bus := startedBus(t, db)
	followed := bus.Subscribe(t.Context(), Topic{Subject: "flow"})
	_, err := db.ExecContext(t.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()")
	require.NoError(t, err)
	require.Equal(t, Resync, (<-followed).Kind)
}
