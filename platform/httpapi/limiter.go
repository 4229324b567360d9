package httpapi

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

// bucketKey is a route and the network that asks for it.
type bucketKey struct {
	route *mounted
	from  netip.Addr
}

// bucket is a token bucket, kept as the one instant at which it would be full again (GCRA).
type bucket struct{ full time.Time }

// limiter keeps a bucket for every route and network that was seen lately.
type limiter struct {
	mu      sync.Mutex
	buckets *lru.LRU[bucketKey, bucket]
}

func newLimiter() (*limiter, error) {
	buckets, err := lru.NewLRU[bucketKey, bucket](rememberedAddresses, nil)
	if err != nil {
		return nil, fmt.Errorf("make the limiter of public routes: %w", err)
	}
	return &limiter{buckets: buckets}, nil
}

// take counts one request and gives zero, or refuses it and gives the time to wait.
func (l *limiter) take(key bucketKey, limit access.Limit, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held, known := l.buckets.Get(key)
	if !known || held.full.Before(now) {
		held.full = now
	}
	full := held.full.Add(limit.Interval())
	if wait = full.Sub(now.Add(time.Duration(limit.Burst) * limit.Interval())); wait > 0 {
		return wait
	}
	l.buckets.Add(key, bucket{full})
	return 0
}

const sharedBits = 64

// network is an address as limits count it: an IPv6 customer owns a /64, and an IPv4 address may come wrapped in IPv6. What is no
// address, as a proxy may send it, shares one bucket.
func network(ip string) netip.Addr {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return netip.Addr{}
	}
	return networkOf(addr)
}

func networkOf(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap(); addr.Is4() {
		return addr
	}
	prefix, err := addr.WithZone("").Prefix(sharedBits)
	if err != nil {
		return netip.Addr{}
	}
	return prefix.Addr()
}
