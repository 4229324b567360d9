package throttle

import (
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
)

type tally struct {
	failures int
	last     time.Time
	account  string // whom the username belongs to, if it is known to
}

// tallies counts failures by key in bounded memory. A key that has used up its free failures is kept apart from the
// others: a flood of new keys pushes out new keys alone and never ends the delay of one that has to wait.
type tallies struct {
	free    int
	fresh   *lru.LRU[tallyKey, tally]
	delayed *lru.LRU[tallyKey, tally]
}

func newTallies(free, most int) (*tallies, error) {
	fresh, err := lru.NewLRU[tallyKey, tally](most, nil)
	if err != nil {
		return nil, fmt.Errorf("make the throttle of sign-ins: %w", err)
	}
	delayed, err := lru.NewLRU[tallyKey, tally](most, nil)
	if err != nil {
		return nil, fmt.Errorf("make the throttle of sign-ins: %w", err)
	}
	return &tallies{free: free, fresh: fresh, delayed: delayed}, nil
}

func (t *tallies) get(key tallyKey) tally {
	if known, ok := t.delayed.Get(key); ok {
		return known
	}
	known, _ := t.fresh.Get(key)
	return known
}

func (t *tallies) put(key tallyKey, known tally) {
	t.clear(key)
	switch {
	case known.failures >= t.free:
		t.delayed.Add(key, known)
	case known.failures > 0:
		t.fresh.Add(key, known)
	}
}

func (t *tallies) clear(key tallyKey) {
	t.delayed.Remove(key)
	t.fresh.Remove(key)
}

// count forgets failures that are older than the longest delay.
func (t *tallies) count(key tallyKey, now time.Time) {
	known := t.get(key)
	if now.Sub(known.last) > LongestDelay {
		known.failures = 0
	}
	known.failures, known.last = known.failures+1, now
	t.put(key, known)
}

func (t *tallies) uncount(key tallyKey) {
	known := t.get(key)
	known.failures--
	t.put(key, known)
}

func (t *tallies) name(key tallyKey, account string) {
	if known := t.get(key); known.failures > 0 {
		known.account = account
		t.put(key, known)
	}
}

func (t *tallies) remaining(key tallyKey, now time.Time) time.Duration {
	known := t.get(key)
	if known.failures < t.free {
		return 0
	}
	return known.last.Add(delay(known.failures - t.free)).Sub(now)
}

func delay(over int) time.Duration {
	const doublings = 10
	return min(firstDelay<<min(over, doublings), LongestDelay)
}
