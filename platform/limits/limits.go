// Package limits counts requests by route and network with token buckets in bounded memory.
package limits

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"panel/platform/access"
)

// rememberedAddresses bounds the limiter's memory: the addresses longest unseen are forgotten first.
const rememberedAddresses = 100_000

// Key is a route and the network that asks for it.
type Key struct {
	Route any // comparable
	From  netip.Addr
}

// bucket is a token bucket, kept as the one instant at which it would be full again (GCRA).
type bucket struct{ full time.Time }

// Limiter keeps a bucket for every route and network that was seen lately.
type Limiter struct {
	mu      sync.Mutex
	buckets *lru.LRU[Key, bucket]
}

// New makes a limiter that has counted nothing yet.
func New() (*Limiter, error) {
	buckets, err := lru.NewLRU[Key, bucket](rememberedAddresses, nil)
	if err != nil {
		return nil, fmt.Errorf("make the limiter of public routes: %w", err)
	}
	return &Limiter{buckets: buckets}, nil
}

// Take counts one request and gives zero, or refuses it and gives the time to wait.
func (l *Limiter) Take(key Key, limit access.Limit, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	full, wait := l.next(key, limit, now)
	if wait > 0 {
		return wait
	}
	l.buckets.Add(key, bucket{full})
	return 0
}

// Wait gives the time that Take would tell to wait, or zero, and counts nothing.
func (l *Limiter) Wait(key Key, limit access.Limit, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, wait := l.next(key, limit, now)
	return wait
}

// next gives when the bucket would be full again after one more request, and how much too early that request is.
func (l *Limiter) next(key Key, limit access.Limit, now time.Time) (full time.Time, wait time.Duration) {
	held, known := l.buckets.Get(key)
	if !known || held.full.Before(now) {
		held.full = now
	}
	full = held.full.Add(limit.Interval())
	return full, max(0, full.Sub(now.Add(time.Duration(limit.Burst)*limit.Interval())))
}

const sharedBits = 64

// Network is an address as limits count it: an IPv6 customer owns a /64, and an IPv4 address may come wrapped in IPv6.
// What is no address, as a proxy may send it, shares one bucket.
func Network(ip string) netip.Addr {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return netip.Addr{}
	}
	return Of(addr)
}

// Of is Network for an address that was read already.
func Of(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap(); addr.Is4() {
		return addr
	}
	prefix, err := addr.WithZone("").Prefix(sharedBits)
	if err != nil {
		return netip.Addr{}
	}
	return prefix.Addr()
}
