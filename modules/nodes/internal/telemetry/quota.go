package telemetry

import (
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/agentapi"
	"panel/platform/fault"
)

// What one node may deliver. An agent takes four samples a minute and delivers what it kept while the panel was away;
// the bounds leave room for both and keep one that goes wrong, or that somebody has taken over, from filling the disk.
const (
	samplesPerMinute = 600
	samplesAtOnce    = 10_000
	bytesPerMinute   = 4 << 20
	bytesAtOnce      = 16 << 20
	streamsPerDay    = 16 // an agent begins a new one when its folder is made anew
	sweepEvery       = 10 * time.Minute
)

// quotas bound what each node delivers. A refused batch stays in its agent's buffer and comes again.
type quotas struct {
	clock clockwork.Clock

	mu    sync.Mutex
	nodes map[string]*quota
	swept time.Time
}

// quota is what a node has used; both parts are given back as time passes.
type quota struct {
	samples, bytes float64
	at             time.Time
}

func newQuotas(clock clockwork.Clock) *quotas {
	return &quotas{clock: clock, nodes: map[string]*quota{}}
}

// charge books a batch. A batch is taken as long as anything is left, so that its size can never keep it out for good.
// Fault: throttled (429).
func (q *quotas) charge(nodeID string, batch *agentapi.MetricsBatch) error {
	now := q.clock.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweep(now)
	used := q.nodes[nodeID]
	if used == nil {
		used = &quota{at: now}
		q.nodes[nodeID] = used
	}
	used.recover(now)
	wait := max(over(used.samples, samplesAtOnce, samplesPerMinute), over(used.bytes, bytesAtOnce, bytesPerMinute))
	if wait > 0 {
		return fault.Throttled(wait)
	}
	used.samples += float64(len(batch.Samples))
	used.bytes += float64(weight(batch))
	return nil
}

// giveBack takes a batch off again that was not stored.
func (q *quotas) giveBack(nodeID string, batch *agentapi.MetricsBatch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if used := q.nodes[nodeID]; used != nil {
		used.samples = max(0, used.samples-float64(len(batch.Samples)))
		used.bytes = max(0, used.bytes-float64(weight(batch)))
	}
}

func (u *quota) recover(now time.Time) {
	minutes := max(0, now.Sub(u.at).Minutes())
	u.samples, u.bytes = max(0, u.samples-minutes*samplesPerMinute), max(0, u.bytes-minutes*bytesPerMinute)
	u.at = now
}

// over is how long it takes until something is left again; 0 when something is.
func over(used, limit, perMinute float64) time.Duration {
	if used < limit {
		return 0
	}
	return time.Second + time.Duration((used-limit)/perMinute*float64(time.Minute))
}

// weight is about how many bytes a batch takes on the disk.
func weight(batch *agentapi.MetricsBatch) int {
	const entry = 64
	total := rowSize * len(batch.Samples)
	for i := range batch.Samples {
		for _, t := range batch.Samples[i].Traffic {
			total += entry + len(t.Kind) + len(t.Name)
		}
		for _, l := range batch.Samples[i].Listeners {
			total += entry + len(l.Name)
		}
	}
	return total
}

// sweep forgets, every ten minutes, nodes that have nothing to give back.
func (q *quotas) sweep(now time.Time) {
	if now.Sub(q.swept) < sweepEvery {
		return
	}
	q.swept = now
	for id, used := range q.nodes {
		if used.recover(now); used.samples == 0 && used.bytes == 0 {
			delete(q.nodes, id)
		}
	}
}
