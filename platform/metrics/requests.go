package metrics

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// within are the bounds of the duration histogram in seconds: answers from memory, one statement, several, a wait.
var within = []float64{0.001, 0.005, 0.025, 0.1, 0.25, 1, 5, 30}

// Requests counts answers by route, method and status. The counters of a route are made once and found without a map, because every
// request pays for them.
type Requests struct {
	answers  *prometheus.CounterVec
	duration *prometheus.HistogramVec
	busy     atomic.Int64
}

func newRequests() *Requests {
	labels := []string{"method", "route"}
	return &Requests{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "panel_http_requests_total", Help: "Answered requests by route template and status.",
		}, append(labels, "code")),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "panel_http_request_duration_seconds", Help: "Time until the answer was ready; for a stream until it began.", Buckets: within,
		}, labels),
	}
}

func (r *Requests) collectors() []prometheus.Collector {
	busy := Gauge("panel_http_requests_in_flight", "Requests that are being answered.", func() float64 { return float64(r.busy.Load()) })
	return []prometheus.Collector{r.answers, r.duration, busy}
}

// Began notes that a request came in; the function of its route must be called when it is answered.
func (r *Requests) Began() { r.busy.Add(1) }

// Route gives the function that counts one answer of a route. Ask for it once per route.
func (r *Requests) Route(method, template string) func(status int, took time.Duration) {
	m := &route{requests: r, method: method, template: template}
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
	seen             atomic.Pointer[counters]
}

// counters exist only for routes that were asked for.
type counters struct {
	duration prometheus.Observer
	byStatus [lastStatus - firstStatus + 1]atomic.Pointer[prometheus.Counter]
}

func (m *route) answered(status int, took time.Duration) {
	m.requests.busy.Add(-1)
	c := m.seen.Load()
	if c == nil {
		c = m.first()
	}
	c.duration.Observe(took.Seconds())
	(*m.counter(c, min(max(status, firstStatus), lastStatus))).Inc()
}

// first makes the counters; of two that come at once one wins, and both count in the same place.
func (m *route) first() *counters {
	m.seen.CompareAndSwap(nil, &counters{duration: m.requests.duration.WithLabelValues(m.method, m.template)})
	return m.seen.Load()
}

func (m *route) counter(c *counters, status int) *prometheus.Counter {
	place := &c.byStatus[status-firstStatus]
	if known := place.Load(); known != nil {
		return known
	}
	made := m.requests.answers.WithLabelValues(m.method, m.template, strconv.Itoa(status))
	place.Store(&made)
	return &made
}
