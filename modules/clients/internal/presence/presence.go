// Package presence remembers for a second that a flow is there, because every page of its clients asks that.
package presence

import (
	"sync"
	"time"
)

// Flows are those that were there lately. The zero value knows none.
type Flows struct {
	mu    sync.Mutex
	flows map[string]time.Time // when they were seen
}

const (
	seenFor  = time.Second
	mostSeen = 1000
)

// Seen tells whether a flow was there within the last second.
func (p *Flows) Seen(flowID string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, known := p.flows[flowID]
	return known && now.Sub(at) < seenFor && !now.Before(at)
}

// Note says that a flow is there.
func (p *Flows) Note(flowID string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flows == nil || len(p.flows) >= mostSeen {
		p.flows = map[string]time.Time{}
	}
	p.flows[flowID] = now
}

// Drop forgets a flow that is being deleted.
func (p *Flows) Drop(flowID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.flows, flowID)
}
