// Package standin starts the stand-in for a Remnawave outside of tests, for measurements against it.
package standin

import (
	"slices"
	"sync"
	"testing"
	"time"

	"panel/modules/proxypanel/remnawavetest"
)

// host is what the stand-in takes for its test: it keeps what is to be closed and what went wrong.
type host struct {
	testing.TB

	mu     sync.Mutex
	ends   []func()
	failed bool
}

func (h *host) Helper()      {}
func (h *host) Name() string { return "bench" }

func (h *host) Cleanup(end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends = append(h.ends, end)
}

func (h *host) Errorf(string, ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = true
}

// Panel is a stand-in that runs until it is closed.
type Panel struct {
	*remnawavetest.Panel

	host *host
}

// Open starts one.
func Open() *Panel {
	h := &host{}
	return &Panel{remnawavetest.New(h), h}
}

// Close ends it, and says whether it worked all the time.
func (p *Panel) Close() (worked bool) {
	p.host.mu.Lock()
	ends := slices.Clone(p.host.ends)
	p.host.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		end()
	}
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	return !p.host.failed
}

// MostWithin is how many requests reached it at most in any span of a length, since some moment.
func (p *Panel) MostWithin(span time.Duration, since time.Time) (most int) {
	var at []time.Time
	for _, call := range p.Calls() {
		if !call.At.Before(since) {
			at = append(at, call.At)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	first := 0
	for i := range at {
		for at[i].Sub(at[first]) >= span {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
