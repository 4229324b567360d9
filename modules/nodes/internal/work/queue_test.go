package work

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// A command waits for its own agent, in the order of the orders, with its arguments, until its time has passed.
func TestACommandWaitsForItsAgentAndNotForEver(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node, other := onDatabase(t, db), nodetest.Node(t, db), nodetest.Node(t, db)
	first := o.order(t, node, map[string]string{"secret": "canary"})
	second := o.order(t, node, nil)
	require.Equal(t, []string{first, second}, o.waiting(t, node))
	require.Empty(t, o.waiting(t, other))
	require.Empty(t, o.waiting(t, database.NewID()), "a node that is not there has no work")
	pending, err := o.Pending(t.Context(), node)
	require.NoError(t, err)
	require.JSONEq(t, `{"secret":"canary"}`, string(pending.Commands[0].Args))
	var leaked int
	require.NoError(t, db.NewRaw("select count(*) from node_commands c where c::text like '%canary%'").Scan(t.Context(),
		&leaked))
	require.Zero(t, leaked, "arguments lie sealed")
	o.clock.Advance(time.Minute)
	require.Empty(t, o.waiting(t, node), "also where it is remembered")
}

// A panel that is not notified of changes reads every time, so that it never gives an agent yesterday's work.
func TestAPanelThatIsNotNotifiedReadsTheDatabase(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	notified, cut, node := onDatabase(t, db), unnotified(t, db), nodetest.Node(t, db)
	require.Empty(t, cut.waiting(t, node))
	id := notified.order(t, node, nil)
	require.Equal(t, []string{id}, cut.waiting(t, node))
	require.NoError(t, notified.Finish(t.Context(), node, good(id)))
	require.Empty(t, cut.waiting(t, node))
}

// What another panel wants of an agent wakes its long-poll here, and reaches its stream here.
func TestWorkOfAnotherPanelReachesTheAgentHere(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	here, there, node := onDatabase(t, db), onDatabase(t, db), nodetest.Node(t, db)
	delivered := make(chan string, 16)
	here.Queue.mu.Lock()
	here.Streams(func([]string) []string { return []string{node} }, func(id string, work agentapi.Pending) {
		for _, c := range work.Commands {
			delivered <- id + c.ID
		}
	})
	here.Queue.mu.Unlock()
	require.Empty(t, here.waiting(t, node))
	changed, give := here.Wait(node)
	defer give()
	id := there.order(t, node, nil)
	select {
	case <-changed:
	case <-time.After(time.Minute):
		require.Fail(t, "the long-poll still waits")
	}
	require.Equal(t, []string{id}, here.waiting(t, node))
	require.Equal(t, node+id, <-delivered)
}

// What was read before a change and comes after it is not remembered: the next request would get it for ever.
func TestWhatWasReadBeforeAChangeIsNotRemembered(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := onDatabase(t, db), nodetest.Node(t, db)
	o.Queue.mu.Lock()
	before := o.changes
	o.Queue.mu.Unlock()
	stale, err := o.read(t.Context(), []string{node})
	require.NoError(t, err)
	id := o.order(t, node, nil)
	o.remember(stale, before)
	require.Equal(t, []string{id}, o.waiting(t, node))

	o.Queue.mu.Lock()
	before = o.changes
	o.Queue.mu.Unlock()
	full, err := o.read(t.Context(), []string{node})
	require.NoError(t, err)
	o.Changed(nil)
	o.remember(full, before)
	_, _, known := o.remembered(node)
	require.False(t, known, "a change of all is a change of each")
}

func TestWhoStopsWaitingLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	first, giveFirst := o.Wait(node)
	second, giveSecond := o.Wait(node)
	giveFirst()
	o.Changed([]string{node})
	select {
	case <-second:
	default:
		require.Fail(t, "who still waits is woken")
	}
	select {
	case <-first:
		require.Fail(t, "who has left is not woken")
	default:
	}
	giveSecond()
	third, giveThird := o.Wait(node)
	o.Changed(nil)
	<-third
	giveThird()
	o.Queue.mu.Lock()
	defer o.Queue.mu.Unlock()
	require.Empty(t, o.Queue.waiters)
}

// An acknowledgement counts for the agent's own command alone, and a command that has ended is not running again.
func TestAnAcknowledgementIsTheAgentsOwn(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node, other := onDatabase(t, db), nodetest.Node(t, db), nodetest.Node(t, db)
	mine, ended := o.order(t, node, nil), o.order(t, node, nil)
	require.NoError(t, o.Finish(t.Context(), node, good(ended)))
	acked := func(id string) bool {
		row, err := o.Command(t.Context(), node, id)
		require.NoError(t, err)
		return row.AckedAt != nil
	}
	o.Acked(other, mine)
	o.Acked(node, "no id at all")
	o.Acked(node, ended)
	o.writeAcks(t.Context(), []string{other + "/" + mine, node + "/" + ended})
	require.False(t, acked(mine))
	require.False(t, acked(ended))
	o.Acked(node, mine)
	eventually(t, func() bool {
		o.clock.Advance(ackPause)
		return acked(mine)
	})
}

// A command that cannot be opened, sealed by a key that is lost, holds up no other.
func TestACommandThatCannotBeOpenedIsLeftOut(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	spoiled, whole := o.order(t, node, map[string]int{"a": 1}), o.order(t, node, map[string]int{"b": 2})
	_, err := db.ExecContext(t.Context(), "update node_commands set sealed = 'nonsense' where id = ?", spoiled)
	require.NoError(t, err)
	require.Equal(t, []string{whole}, o.waiting(t, node))
}

// Orders are stored all or none, and those to nodes that are gone have ended before they began.
func TestOrdersAreStoredAllOrNone(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	known := nodesapi.Order{NodeID: node, Kind: "probe", Deadline: o.clock.Now().Add(time.Minute)}
	odd := known
	odd.Kind = "run_shell"
	_, err := o.Send(t.Context(), known, odd)
	require.ErrorIs(t, err, nodesapi.ErrUnknownKind)
	odd = known
	odd.Args = make(chan int)
	_, err = o.Send(t.Context(), known, odd)
	require.Error(t, err)
	require.Empty(t, o.waiting(t, node))
	none, err := o.Send(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)

	gone, nowhere := known, known
	gone.NodeID, nowhere.NodeID = database.NewID(), "not an id"
	ids, err := o.Send(t.Context(), gone, known, nowhere)
	require.NoError(t, err)
	require.Equal(t, ids[1:2], o.waiting(t, node))
	found, err := o.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.Equal(t, "expired", found[ids[0]].Code)
	require.Equal(t, "expired", found[ids[2]].Code)
	require.NotContains(t, found, ids[1])
}
