package balance

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// world is a pool of members a, b, c… with a clock of its own.
type world struct {
	t       *testing.T
	clock   *clockwork.FakeClock
	pools   *Pools
	chooser *Chooser
	said    agentapi.Pool
}

func newWorld(t *testing.T, strategy string, members int) *world {
	t.Helper()
	w := &world{t: t, clock: clockwork.NewFakeClock()}
	w.pools = New("core", w.clock)
	of := agentapi.PoolOf{PoolID: "p", Group: "g", Strategy: strategy, Stickiness: agentapi.StickToUser, Fallback: "block"}
	w.said = agentapi.Pool{ID: "p"}
	for i := range members {
		id := string(rune('a' + i))
		of.Members = append(of.Members, agentapi.PoolWay{ID: id, Tag: "to." + id})
		w.said.Members = append(w.said.Members, agentapi.PoolMember{ID: id, Weight: 1})
	}
	w.chooser = w.pools.Add(of)
	w.tell()
	return w
}

func (w *world) tell() { w.pools.Set(agentapi.Pools{Pools: []agentapi.Pool{w.said}}) }

func (w *world) member(id string) (*group, *member) {
	for _, m := range w.chooser.group.members {
		if m.id == id {
			return w.chooser.group, m
		}
	}
	require.Fail(w.t, "no such member")
	return nil, nil
}

func (w *world) probe(id string, results ...Result) {
	for _, r := range results {
		g, m := w.member(id)
		w.pools.mu.Lock()
		g.take(m, r)
		w.pools.mu.Unlock()
	}
}

func (w *world) dies(id string) { w.probe(id, refused, refused) }
func (w *world) lives(id string) {
	w.probe(id, answered(10*time.Millisecond), answered(10*time.Millisecond))
}

// spread counts which member got how many of some streams that end at once.
func (w *world) spread(streams int) map[string]int {
	out := map[string]int{}
	for i := range streams {
		tag, done := w.chooser.Choose(Stream{User: fmt.Sprint("user", i)})
		done()
		out[tag]++
	}
	return out
}

var refused = Result{Reason: agentapi.PoolReasonRefused, Error: "connection refused"}

func answered(rtt time.Duration) Result { return Result{RTT: rtt} }

// Rule: dead members are left by every strategy; when all are down the fallback takes over; a member that answers often
// enough is used again.
func TestEveryStrategyLeavesTheDead(t *testing.T) {
	t.Parallel()
	for _, strategy := range agentapi.PoolStrategies {
		w := newWorld(t, strategy, 3)
		w.dies("a")
		require.NotContains(t, w.spread(300), "to.a", strategy)
		w.dies("b")
		require.Equal(t, map[string]int{"to.c": 50}, w.spread(50), strategy)
		w.dies("c")
		require.Equal(t, map[string]int{"block": 50}, w.spread(50), strategy)
		w.probe("b", answered(time.Millisecond))
		require.Equal(t, map[string]int{"block": 5}, w.spread(5), "one answer is not enough")
		w.probe("b", answered(time.Millisecond))
		require.Equal(t, map[string]int{"to.b": 50}, w.spread(50), strategy)
	}
}

// Rule: each strategy chooses as it says.
func TestStrategies(t *testing.T) {
	t.Parallel()
	weighted := func(strategy string) *world {
		w := newWorld(t, strategy, 3)
		w.said.Members[0].Weight, w.said.Members[1].Weight = 7, 2
		w.tell()
		return w
	}
	require.Equal(t, map[string]int{"to.a": 70, "to.b": 20, "to.c": 10}, weighted(agentapi.PoolRoundRobin).spread(100))
	random := weighted(agentapi.PoolRandom).spread(10_000)
	require.InDelta(t, 7000, random["to.a"], 400)
	require.InDelta(t, 2000, random["to.b"], 400)
	require.Equal(t, map[string]int{"to.a": 100}, weighted(agentapi.PoolOrdered).spread(100))
	sticky := weighted(agentapi.PoolSticky).spread(10_000)
	require.InDelta(t, 7000, sticky["to.a"], 400)

	load := weighted(agentapi.PoolLeastLoad)
	counted := map[string]int{}
	for range 100 {
		tag, _ := load.chooser.Choose(Stream{})
		counted[tag]++
	}
	require.Equal(t, map[string]int{"to.a": 70, "to.b": 20, "to.c": 10}, counted, "open streams follow the weights")

	users := newWorld(t, agentapi.PoolLeastUsers, 2)
	first, _ := users.chooser.Choose(Stream{User: "anna"})
	for range 5 { // many streams of one client count once
		tag, done := users.chooser.Choose(Stream{User: "boris"})
		require.NotEqual(t, first, tag)
		done()
	}
}

// A client stays with its member while others come and go, and comes back to it.
func TestAClientStaysWithItsMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolSticky, 3)
	before := map[string]string{}
	for i := range 100 {
		user := fmt.Sprint(i)
		before[user], _ = w.chooser.Choose(Stream{User: user})
	}
	w.dies("a")
	for user, was := range before {
		tag, _ := w.chooser.Choose(Stream{User: user})
		if was != "to.a" {
			require.Equal(t, was, tag)
		}
	}
	w.lives("a")
	for user, was := range before {
		tag, _ := w.chooser.Choose(Stream{User: user})
		require.Equal(t, was, tag)
	}
}

// The quickest members within the tolerance share the traffic, and one that is too slow is used only alone.
func TestSlowMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolLeastPing, 3)
	w.said.Health = agentapi.PoolHealth{Tolerance: 20, MaxRTTMillis: 100, Sampling: 1}
	w.tell()
	w.probe("a", answered(50*time.Millisecond))
	w.probe("b", answered(59*time.Millisecond))
	w.probe("c", answered(90*time.Millisecond))
	require.NotContains(t, w.spread(100), "to.c")
	require.Len(t, w.spread(100), 2)
	w.probe("a", answered(200*time.Millisecond))
	w.probe("b", answered(300*time.Millisecond))
	require.Equal(t, map[string]int{"to.c": 10}, w.spread(10))
	w.dies("c")
	require.Equal(t, map[string]int{"to.a": 10}, w.spread(10), "better a slow one than none")
}

// Rule: weights, drains and overrides act at once and end no stream; an override ends by itself, and never leads to a
// dead member.
func TestWhatPeopleSayActsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolOrdered, 3)
	w.said.Members[0].Drain = true
	w.tell()
	require.Equal(t, map[string]int{"to.b": 10}, w.spread(10))
	w.said.Members[2].Priority, w.said.Members[1].Priority = 0, 1
	w.tell()
	require.Equal(t, map[string]int{"to.c": 10}, w.spread(10), "the lowest priority number goes first")
	w.said.Override = &agentapi.PoolOverride{MemberID: "b", Until: w.clock.Now().Add(time.Minute)}
	w.tell()
	require.Equal(t, map[string]int{"to.b": 10}, w.spread(10))
	w.dies("b")
	require.Equal(t, map[string]int{"to.c": 10}, w.spread(10))
	w.lives("b")
	require.Equal(t, map[string]int{"to.b": 10}, w.spread(10))
	w.clock.Advance(time.Minute)
	require.Equal(t, map[string]int{"to.c": 10}, w.spread(10))
	w.said.Members = w.said.Members[:1] // nobody else is a member any more
	w.tell()
	require.Equal(t, map[string]int{"block": 10}, w.spread(10))
	w.said.Members[0].Drain = false
	w.tell()
	require.Equal(t, map[string]int{"to.a": 10}, w.spread(10))
}

// Rule: a switch is told with its reason: somebody chose a member, ended the choice, or changed what members get.
func TestWhatPeopleSayIsTheReasonOfASwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolRandom, 3)
	last := func() agentapi.PoolReport {
		all := w.pools.Reports(0, mostReports)
		require.Empty(t, all[len(all)-1].MemberID, "of the pool, not of a member")
		return all[len(all)-1]
	}
	until := w.clock.Now().Add(time.Hour)
	for _, step := range []struct {
		say    func()
		reason string
	}{
		{func() { w.said.Override = &agentapi.PoolOverride{MemberID: "b", Until: until} }, agentapi.PoolReasonOverride},
		{func() { w.said.Override = &agentapi.PoolOverride{MemberID: "c", Until: until} }, agentapi.PoolReasonOverride},
		{func() { w.said.Override = nil }, agentapi.PoolReasonOverrideOver},
		{func() { w.said.Members[0].Drain = true }, agentapi.PoolReasonChanged},
	} {
		step.say()
		w.tell()
		require.Equal(t, step.reason, last().Reason)
	}
}

// Rule: a member that flaps ten times a minute leaves and comes back at most three times in ten minutes, and stays out
// when it is dead.
func TestAFlappingMemberIsKeptOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolRandom, 2)
	w.lives("a")
	for range 10 * 10 {
		w.dies("a")
		w.clock.Advance(3 * time.Second)
		w.lives("a")
		w.clock.Advance(3*time.Second - 100*time.Millisecond)
	}
	_, m := w.member("a")
	require.Len(t, m.switches, 3)
	require.True(t, m.held)
	require.NotContains(t, w.spread(100), "to.a")
	changes, held := 0, 0
	for _, r := range w.pools.Reports(0, mostReports) {
		if r.MemberID == "a" && r.Held {
			held++
		}
		if r.MemberID == "" && r.Reason != agentapi.PoolReasonStarted {
			changes++
		}
	}
	require.Equal(t, 1, held, "it is told once")
	require.Equal(t, 3, changes)
	w.dies("b")
	require.Equal(t, map[string]int{"to.a": 10}, w.spread(10), "better one that comes and goes than none")
	w.probe("a", refused)
	require.Equal(t, map[string]int{"block": 10}, w.spread(10))
	w.lives("b")
	w.clock.Advance(flapWindow)
	w.lives("a")
	require.Contains(t, w.spread(100), "to.a", "it comes back when it has been quiet")
}

// A member whose node puts in its part of a flow later than the node that forwards to it has come up once, not come and
// gone: when it dies and returns afterwards, it is used again. The next core knows that, too.
func TestWhatHappensBeforeTheFirstAnswersIsNoFlapping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolOrdered, 2)
	w.dies("a")
	states, _ := w.pools.States()
	for _, started := range []*world{w, newWorld(t, agentapi.PoolOrdered, 2)} {
		started.pools.Recall(states)
		require.Equal(t, map[string]int{"to.b": 5}, started.spread(5))
		started.lives("a")
		require.Equal(t, map[string]int{"to.a": 5}, started.spread(5))
		started.dies("a")
		started.lives("a")
		require.Equal(t, map[string]int{"to.a": 5}, started.spread(5))
		started.dies("a")
		started.lives("a")
		require.Equal(t, map[string]int{"to.b": 5}, started.spread(5), "it comes and goes now")
	}
}

// Refused connections of traffic count as failures, the attempts of one stream as one; anything else calls for a probe.
func TestRefusedConnectionsOfTrafficCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolRandom, 2)
	w.pools.DialFailed("to.a", refused)
	w.pools.DialFailed("to.a", refused)
	require.Contains(t, w.spread(100), "to.a", "one stream tries several times")
	w.clock.Advance(dialPause)
	w.pools.DialFailed("to.a", refused)
	require.NotContains(t, w.spread(100), "to.a")
	w.pools.due()
	w.pools.DialFailed("to.b", Result{Reason: agentapi.PoolReasonTimeout})
	require.Contains(t, w.spread(100), "to.b")
	_, m := w.member("b")
	require.Equal(t, w.clock.Now(), m.next, "it is probed at once")
	w.pools.DialFailed("elsewhere", refused)
}

// Rule: a dead member is left within failure_threshold × interval + timeout + 1 s, whenever it dies.
func TestADeadMemberIsLeftInTime(t *testing.T) {
	t.Parallel()
	const timeout = 3 * time.Second
	for lives := range 100 {
		w, dead := newWorld(t, agentapi.PoolRandom, 2), false
		probe := func(_ context.Context, tag, _ string) Result {
			if tag == "to.a" && dead {
				return Result{Reason: agentapi.PoolReasonTimeout}
			}
			return answered(time.Millisecond)
		}
		step := func() {
			w.clock.Advance(probeLook)
			for _, d := range w.pools.due() {
				w.pools.probe(t.Context(), d, probe)
			}
		}
		for range 100 + lives {
			step()
		}
		dead = true
		died := w.clock.Now()
		for _, m := w.member("a"); m.state != agentapi.PoolDown; {
			step()
		}
		require.LessOrEqual(t, w.clock.Since(died)+timeout, 2*10*time.Second+timeout+time.Second)
		_, other := w.member("b")
		require.Equal(t, agentapi.PoolHealthy, other.state)
	}
}

// Run probes all members until it is ended, and waits for the probes that are under way.
func TestRunProbesTheMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolRandom, 3)
	ctx, cancel := context.WithCancel(t.Context())
	probed, ended := make(chan string, 3), make(chan struct{})
	go func() {
		defer close(ended)
		w.pools.Run(ctx, func(_ context.Context, tag, _ string) Result {
			probed <- tag
			return answered(time.Millisecond)
		})
	}()
	seen := map[string]bool{}
	for len(seen) < 3 {
		require.NoError(t, w.clock.BlockUntilContext(ctx, 1))
		w.clock.Advance(10 * time.Second)
		seen[<-probed] = true
	}
	cancel()
	for {
		select {
		case <-probed:
		case <-ended:
			return
		}
	}
}

// The next core knows who is down, and reports are numbered and read on from any number.
func TestTheNextCoreKnowsWhoIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agentapi.PoolRandom, 2)
	w.dies("a")
	states, changed := w.pools.States()
	require.True(t, changed)
	_, changed = w.pools.States()
	require.False(t, changed)
	next := newWorld(t, agentapi.PoolRandom, 2)
	next.pools.Recall(states)
	require.Equal(t, map[string]int{"to.b": 100}, next.spread(100))
	next.lives("a")
	require.Len(t, next.spread(100), 2)

	all := w.pools.Reports(0, 100)
	require.NotEmpty(t, all)
	for i, r := range all {
		require.EqualValues(t, i+1, r.Seq)
		require.Equal(t, "core", r.Core)
	}
	require.Equal(t, all[2:3], w.pools.Reports(2, 1))
	require.Empty(t, w.pools.Reports(all[len(all)-1].Seq, 100))
	for range mostReports {
		w.pools.mu.Lock()
		w.chooser.group.report(agentapi.PoolReport{})
		w.pools.mu.Unlock()
	}
	require.Len(t, w.pools.Reports(0, 2*mostReports), mostReports, "an agent that is away does not fill the memory")
}

// Rule: a pool of 200 members costs little: what remains of a probe are the connections themselves.
func BenchmarkPoolOf200(b *testing.B) {
	clock := clockwork.NewFakeClock()
	p := New("core", clock)
	of := agentapi.PoolOf{PoolID: "p", Group: "g", Strategy: agentapi.PoolLeastPing, Fallback: "block"}
	for i := range 200 {
		of.Members = append(of.Members, agentapi.PoolWay{ID: fmt.Sprint(i), Tag: fmt.Sprint("to", i)})
	}
	p.Add(of)
	for b.Loop() { // one second of a running core
		for range 10 {
			clock.Advance(probeLook)
			for _, d := range p.due() {
				p.probe(b.Context(), d, func(context.Context, string, string) Result {
					return answered(time.Millisecond)
				})
			}
		}
	}
}
