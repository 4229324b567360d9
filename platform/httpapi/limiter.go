package httpapi

import (
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"panel/platform/access"
)

// rememberedAddresses bounds the limiter's memory: the addresses longest unseen are forgotten first.
const rememberedAddresses = 100_000

// limiter is a token bucket per address, kept as the one instant at which the bucket would be full again (GCRA).
type limiter struct {
	mu   sync.Mutex
	full *lru.LRU[string, time.Time]
}

func newLimiter() (*limiter, error) {
	full, err := lru.NewLRU[string, time.Time](rememberedAddresses, nil)
	if err != nil {
		return nil, fmt.Errorf("make the limiter of public routes: %w", err)
	}
	return &limiter{full: full}, nil
}

// take counts one request and gives zero, or refuses it and gives the time to wait.
func (l *limiter) take(key string, limit access.Limit, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, known := l.full.Get(key)
	if !known || at.Before(now) {
		at = now
	}
	at = at.Add(limit.Interval())
	if wait := at.Sub(now.Add(time.Duration(limit.Burst) * limit.Interval())); wait > 0 {
		return wait
	}
	l.full.Add(key, at)
	return 0
}
