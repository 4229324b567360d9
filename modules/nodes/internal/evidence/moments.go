package evidence

import (
	"container/heap"
	"maps"
	"slices"
	"sync"
	"time"
)

// moments is the index of the next moment at which the state of each node can change by itself, and of the nodes that
// have reported a change. Signs of life only move a moment on: they cost no statement.
type moments struct {
	heartbeat time.Duration

	mu    sync.Mutex
	nodes map[string]*moment
	queue queue
	now   map[string]struct{} // nodes whose state may have changed already
}

// moment is what is known of a node since its state was last derived.
type moment struct {
	seen   time.Time // last sign of life; zero: none, or so long ago that the agent is lost
	other  time.Time // when something else than silence changes the state; zero: never
	fresh  bool      // the agent was heard within two heartbeats
	queued time.Time // at which its entry stands in the queue; zero: it has none
}

func newMoments(heartbeat time.Duration) *moments {
	return &moments{heartbeat: heartbeat, nodes: map[string]*moment{}, now: map[string]struct{}{}}
}

// changed makes the nodes due at once.
func (m *moments) changed(ids ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		m.now[id] = struct{}{}
	}
}

// seenAt notes a sign of life. An agent that was silent, or that is not known here, makes its node due at once.
func (m *moments) seenAt(id string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.nodes[id]
	if known == nil || !known.fresh {
		m.now[id] = struct{}{}
		return
	}
	if at.After(known.seen) {
		known.seen = at
	}
}

// derived notes what a node's state depends on from now on.
func (m *moments) derived(id string, seen *time.Time, other *time.Time, now time.Time) {
	next := &moment{}
	if seen != nil && seen.After(now.Add(-10*m.heartbeat)) {
		next.seen, next.fresh = *seen, seen.After(now.Add(-2*m.heartbeat))
	}
	if other != nil {
		next.other = *other
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.nodes[id]; before != nil {
		next.queued = before.queued
		if before.fresh && next.fresh && before.seen.After(next.seen) {
			next.seen = before.seen // a sign of life that is on its way to the database
		}
	}
	m.nodes[id] = next
	m.enqueue(id, next)
}

// enqueue makes sure that the node comes up at its moment. An entry that stands earlier is moved on when it comes up.
func (m *moments) enqueue(id string, known *moment) {
	due := known.due(m.heartbeat)
	if due.IsZero() || !known.queued.IsZero() && !due.Before(known.queued) {
		return
	}
	known.queued = due
	heap.Push(&m.queue, entry{due, id})
}

// retain drops the nodes that are gone: of those asked for, or of all when none were, the ones that were not found.
func (m *moments) retain(asked []string, whole bool, found map[string]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if whole {
		maps.DeleteFunc(m.nodes, func(id string, _ *moment) bool { return !found[id] })
		return
	}
	for _, id := range asked {
		if !found[id] {
			delete(m.nodes, id)
		}
	}
}

// take gives the nodes whose state may have changed until now.
func (m *moments) take(now time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.queue) > 0 && !m.queue[0].at.After(now) {
		first, _ := heap.Pop(&m.queue).(entry)
		known := m.nodes[first.id]
		if known == nil || !known.queued.Equal(first.at) {
			continue
		}
		known.queued = time.Time{}
		if due := known.due(m.heartbeat); !due.IsZero() && !due.After(now) {
			m.now[first.id] = struct{}{}
		} else {
			m.enqueue(first.id, known)
		}
	}
	ids := slices.Sorted(maps.Keys(m.now))
	clear(m.now)
	return ids
}

// due is the next moment: two heartbeats of silence make an agent stale, ten make it lost.
func (k *moment) due(heartbeat time.Duration) time.Time {
	var silence time.Time
	switch {
	case k.fresh:
		silence = k.seen.Add(2 * heartbeat)
	case !k.seen.IsZero():
		silence = k.seen.Add(10 * heartbeat)
	}
	if silence.IsZero() || !k.other.IsZero() && k.other.Before(silence) {
		return k.other
	}
	return silence
}

// entry is a node in the queue.
type entry struct {
	at time.Time
	id string
}

// queue is a heap of entries by their moments.
type queue []entry

// Len implements heap.Interface.
func (q queue) Len() int { return len(q) }

// Less implements heap.Interface.
func (q queue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }

// Swap implements heap.Interface.
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	if e, ok := x.(entry); ok {
		*q = append(*q, e)
	}
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
