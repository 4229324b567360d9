// Package standin starts stand-ins for a Remnawave and for a hosting provider outside of tests, for measurements
// against them.
package standin

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"panel/modules/hosting/hostingtest"
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

// close ends what was started, and says whether it worked all the time.
func (h *host) close() (worked bool) {
	h.mu.Lock()
	ends := slices.Clone(h.ends)
	h.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		end()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.failed
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
func (p *Panel) Close() (worked bool) { return p.host.close() }

// Cloud is an account at a stand-in for Hetzner that runs until it is closed.
type Cloud struct {
	*hostingtest.Cloud

	host *host
}

// OpenCloud starts one with so many machines.
func OpenCloud(machines int) *Cloud {
	const sites = 250 // that share addresses
	h := &host{}
	c := &Cloud{hostingtest.New(h, "hetzner"), h}
	for id := range machines {
		c.Put(hostingtest.Machine{
			ID: id + 1, Name: fmt.Sprintf("m-%05d", id), Region: "fsn1", Plan: "cx22", Status: "running",
			IPv4: fmt.Sprintf("192.0.2.%d", id%sites+1), IPv6: fmt.Sprintf("2001:db8:%x::/64", id),
		})
	}
	return c
}

// Close ends it, and says whether it worked all the time.
func (c *Cloud) Close() (worked bool) { return c.host.close() }

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
