package metrics

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// within are the bounds of the duration histogram in seconds: answers from memory, one statement, several, a wait.
var within = [...]float64{0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30}

// Requests counts answers by route, method and status. The counters of a route are made once and found without a map,
// because every request pays for them.
type Requests struct {
	busy atomic.Int64

	mu     sync.Mutex
	routes []*route
}

func (r *Requests) collectors() []Collector {
	return []Collector{
		{
			name: "panel_http_requests_total", help: "Answered requests by route template and status.", kind: counter,
			read: r.answers,
		},
		{
			name: "panel_http_request_duration_seconds",
			help: "Time until the answer was ready; for a stream until it began.", kind: histogram, read: r.durations,
		},
		Gauge("panel_http_requests_in_flight", "Requests that are being answered.",
			func() float64 { return float64(r.busy.Load()) }),
	}
}

// Began notes that a request came in; the function of its route must be called when it is answered.
func (r *Requests) Began() { r.busy.Add(1) }

// Route gives the function that counts one answer of a route. Ask for it once per route.
func (r *Requests) Route(method, template string) func(status int, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, known := range r.routes {
		if known.method == method && known.template == template {
			return known.answered
		}
	}
	m := &route{requests: r, method: method, template: template}
	r.routes = append(r.routes, m)
	return m.answered
}

// The statuses that HTTP knows bound the counters of a route.
const (
	firstStatus = 100
	lastStatus  = 599
)

type route struct {
	requests         *Requests
	method, template string
	seen             atomic.Pointer[counts]
}

// counts exist only for routes that were asked for.
type counts struct {
	byStatus [lastStatus - firstStatus + 1]atomic.Uint64
	byTime   [len(within) + 1]atomic.Uint64 // each without those below it; the last is beyond all bounds
	took     atomic.Int64                   // nanoseconds
}

func (m *route) answered(status int, took time.Duration) {
	m.requests.busy.Add(-1)
	c := m.seen.Load()
	if c == nil {
		m.seen.CompareAndSwap(nil, &counts{}) // of two that come at once both count in the same place
		c = m.seen.Load()
	}
	c.byStatus[min(max(status, firstStatus), lastStatus)-firstStatus].Add(1)
	c.took.Add(int64(took))
	bucket, _ := slices.BinarySearch(within[:], took.Seconds())
	c.byTime[bucket].Add(1)
}

// each visits the routes that were asked for.
func (r *Requests) each(visit func(*route, *counts)) {
	r.mu.Lock()
	routes := slices.Clone(r.routes)
	r.mu.Unlock()
	for _, m := range routes {
		if c := m.seen.Load(); c != nil {
			visit(m, c)
		}
	}
}

func (r *Requests) answers(show func(string, float64)) {
	r.each(func(m *route, c *counts) {
		for i := range c.byStatus {
			if n := c.byStatus[i].Load(); n > 0 {
				show(labels("code", strconv.Itoa(firstStatus+i), "method", m.method, "route", m.template), float64(n))
			}
		}
	})
}

func (r *Requests) durations(show func(string, float64)) {
	r.each(func(m *route, c *counts) {
		total := uint64(0)
		for i := range c.byTime {
			bound := math.Inf(1)
			if i < len(within) {
				bound = within[i]
			}
			total += c.byTime[i].Load()
			show("_bucket"+labels("method", m.method, "route", m.template, "le", number(bound)), float64(total))
		}
		own := labels("method", m.method, "route", m.template)
		show("_sum"+own, time.Duration(c.took.Load()).Seconds())
		show("_count"+own, float64(total))
	})
}
