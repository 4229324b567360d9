package accounts

import (
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"panel/platform/fault"
)

// What unknown session tokens may cost the database.
const (
	unknownRemembered = 10_000
	unknownFor        = 30 * time.Second
	unknownBurst      = 60
	unknownEvery      = time.Second
)

// strangers keeps unknown session tokens from costing a statement each. A token that was unknown a moment ago is unknown
// without a look, and a network that comes with ever new ones has to wait. Sessions in memory are proved before anybody asks here.
type strangers struct {
	mu       sync.Mutex
	tokens   *lru.LRU[[32]byte, time.Time] // until when the token counts as unknown
	networks *lru.LRU[tallyKey, time.Time] // when the network has all its looks again (GCRA)
}

func newStrangers() (*strangers, error) {
	tokens, err := lru.NewLRU[[32]byte, time.Time](unknownRemembered, nil)
	if err != nil {
		return nil, fmt.Errorf("make the memory of unknown tokens: %w", err)
	}
	networks, err := lru.NewLRU[tallyKey, time.Time](remembered, nil)
	if err != nil {
		return nil, fmt.Errorf("make the memory of unknown tokens: %w", err)
	}
	return &strangers{tokens: tokens, networks: networks}, nil
}

// refuse answers without a look into the database where that is possible. Faults: no_session (401), throttled (429).
func (s *strangers) refuse(hash []byte, network string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until, known := s.tokens.Get([32]byte(hash)); known && now.Before(until) {
		return errNoSession
	}
	full, _ := s.networks.Get(digest(network))
	if wait := full.Sub(now.Add((unknownBurst - 1) * unknownEvery)); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}

// note remembers that the database does not know the token, and counts the look.
func (s *strangers) note(hash []byte, network string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens.Add([32]byte(hash), now.Add(unknownFor))
	full, known := s.networks.Get(digest(network))
	if !known || full.Before(now) {
		full = now
	}
	s.networks.Add(digest(network), full.Add(unknownEvery))
}

// forget makes every token worth a look again: sessions may have come into being.
func (s *strangers) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens.Purge()
}
