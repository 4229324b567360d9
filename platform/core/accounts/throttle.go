package accounts

import (
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/fault"
)

// The login throttle of domain 4.18: from the 5th failure a growing delay for this account from this address, and a
// wider limit for the address alone. Another address is never locked out.
const (
	freeFailures        = 5
	firstDelay          = time.Second
	longestDelay        = 15 * time.Minute
	freeAddressFailures = 30
	remembered          = 100_000
)

type tally struct {
	failures int
	last     time.Time
	account  string // whom the username belongs to, if it is known to
}

type throttle struct {
	clock clockwork.Clock
	mu    sync.Mutex
	pairs *lru.LRU[string, tally]
	hosts *lru.LRU[string, tally]
}

func newThrottle(clock clockwork.Clock) (*throttle, error) {
	pairs, err := lru.NewLRU[string, tally](remembered, nil)
	if err != nil {
		return nil, err
	}
	hosts, err := lru.NewLRU[string, tally](remembered, nil)
	return &throttle{clock: clock, pairs: pairs, hosts: hosts}, err
}

// enter counts the attempt as a failure before the password is checked, so that parallel guesses cannot outrun the
// count; succeed takes it back.
func (t *throttle) enter(username, ip string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, pair, host := t.clock.Now(), pairKey(username, ip), access.Network(ip)
	wait := max(remaining(t.pairs, pair, freeFailures, now), remaining(t.hosts, host, freeAddressFailures, now))
	if wait > 0 {
		return fault.Throttled(wait)
	}
	count(t.pairs, pair, now)
	count(t.hosts, host, now)
	return nil
}

// succeed clears the account's count from this address and gives the address its attempt back.
func (t *throttle) succeed(username, ip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.Remove(pairKey(username, ip))
	uncount(t.hosts, access.Network(ip))
}

// forget takes an attempt back that was never examined, because no core was free to hash: it tells nothing about who asked.
func (t *throttle) forget(username, ip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	uncount(t.pairs, pairKey(username, ip))
	uncount(t.hosts, access.Network(ip))
}

func uncount(in *lru.LRU[string, tally], key string) {
	if known, ok := in.Get(key); ok && known.failures > 0 {
		known.failures--
		in.Add(key, known)
	}
}

func remaining(from *lru.LRU[string, tally], key string, free int, now time.Time) time.Duration {
	known, ok := from.Get(key)
	if !ok || known.failures < free {
		return 0
	}
	return known.last.Add(delay(known.failures - free)).Sub(now)
}

func delay(over int) time.Duration {
	const doublings = 10
	return min(firstDelay<<min(over, doublings), longestDelay)
}

// count forgets failures that are older than the longest delay.
func count(in *lru.LRU[string, tally], key string, now time.Time) {
	known, _ := in.Get(key)
	if now.Sub(known.last) > longestDelay {
		known.failures = 0
	}
	known.failures, known.last = known.failures+1, now
	in.Add(key, known)
}

// names notes which account the username that was entered belongs to.
func (t *throttle) names(username, ip, account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := pairKey(username, ip)
	if known, ok := t.pairs.Get(key); ok {
		known.account = account
		t.pairs.Add(key, known)
	}
}

// account is what names has noted, without asking anybody: of an attempt that is turned away at the door too.
func (t *throttle) account(username, ip string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, _ := t.pairs.Get(pairKey(username, ip))
	return known.account
}

func pairKey(username, ip string) string {
	return strings.ToLower(username) + "\x00" + access.Network(ip)
}
