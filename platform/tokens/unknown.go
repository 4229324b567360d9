package tokens

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"panel/platform/access"
	"panel/platform/fault"
)

// What unknown tokens may cost the database.
const (
	unknownRemembered = 10_000
	unknownFor        = 30 * time.Second
	unknownNetworks   = 50_000
	unknownBurst      = 60
	unknownEvery      = time.Second
)

// Unknown keeps unknown tokens from costing a statement each. A token that was unknown a moment ago is unknown without
// a read, and a network that comes with ever new ones has to wait. Tokens in memory are proved before anybody asks
// here.
type Unknown struct {
	mu       sync.Mutex
	tokens   *lru.LRU[Digest, time.Time] // until when the token counts as unknown
	networks *lru.LRU[Digest, time.Time] // when the network has all its reads again (GCRA)
}

// NewUnknown makes one that remembers nothing yet.
func NewUnknown() (*Unknown, error) {
	tokens, err := lru.NewLRU[Digest, time.Time](unknownRemembered, nil)
	if err != nil {
		return nil, fmt.Errorf("make the memory of unknown tokens: %w", err)
	}
	networks, err := lru.NewLRU[Digest, time.Time](unknownNetworks, nil)
	if err != nil {
		return nil, fmt.Errorf("make the memory of unknown tokens: %w", err)
	}
	return &Unknown{tokens: tokens, networks: networks}, nil
}

// Refuse answers without a read of the database where that is possible: with the fault unknown for a token that was
// unknown a moment ago, or throttled (429).
func (u *Unknown) Refuse(digest Digest, ip string, now time.Time, unknown error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if until, known := u.tokens.Get(digest); known && now.Before(until) {
		return unknown
	}
	full, _ := u.networks.Get(networkOf(ip))
	if wait := full.Sub(now.Add((unknownBurst - 1) * unknownEvery)); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}

// Note remembers that the database does not know the token, and counts the read.
func (u *Unknown) Note(digest Digest, ip string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tokens.Add(digest, now.Add(unknownFor))
	from := networkOf(ip)
	full, known := u.networks.Get(from)
	if !known || full.Before(now) {
		full = now
	}
	u.networks.Add(from, full.Add(unknownEvery))
}

// Forget makes every token worth a read again: some may have come into being.
func (u *Unknown) Forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tokens.Purge()
}

// networkOf has one size whatever was sent.
func networkOf(ip string) Digest { return sha256.Sum256([]byte(access.Network(ip))) }
