package accounts

import (
	"crypto/sha256"
	"sync"
	"time"

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
	remembered          = 50_000
)

type throttle struct {
	clock clockwork.Clock
	mu    sync.Mutex
	pairs *tallies
	hosts *tallies
}

func newThrottle(clock clockwork.Clock) (*throttle, error) { return throttleOf(clock, remembered) }

func throttleOf(clock clockwork.Clock, most int) (*throttle, error) {
	pairs, err := newTallies(freeFailures, most)
	if err != nil {
		return nil, err
	}
	hosts, err := newTallies(freeAddressFailures, most)
	return &throttle{clock: clock, pairs: pairs, hosts: hosts}, err
}

// enter counts the attempt as a failure before the password is checked, so that parallel guesses cannot outrun the
// count; succeed takes it back.
func (t *throttle) enter(username, ip string) error {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	if err := t.refusal(pair, host, now); err != nil {
		return err
	}
	t.pairs.count(pair, now)
	t.hosts.count(host, now)
	return nil
}

// waits says whether enter would refuse, and counts nothing.
func (t *throttle) waits(username, ip string) error {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refusal(pair, host, t.clock.Now())
}

func (t *throttle) refusal(pair, host tallyKey, now time.Time) error {
	if wait := max(t.pairs.remaining(pair, now), t.hosts.remaining(host, now)); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}

// succeed clears the account's count from this address and gives the address its attempt back.
func (t *throttle) succeed(username, ip string) {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.clear(pair)
	t.hosts.uncount(host)
}

// forget takes an attempt back that was never examined, because no core was free to hash: it tells nothing about who asked.
func (t *throttle) forget(username, ip string) {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.uncount(pair)
	t.hosts.uncount(host)
}

// names notes which account the username that was entered belongs to.
func (t *throttle) names(username, ip, account string) {
	pair, _ := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.name(pair, account)
}

// account is what names has noted, without asking anybody: of an attempt that is turned away at the door too.
func (t *throttle) account(username, ip string) string {
	pair, _ := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pairs.get(pair).account
}

// tallyKey has one size whatever was sent: what strangers type must not stay in memory.
type tallyKey [16]byte

func keysOf(username, ip string) (pair, host tallyKey) {
	network := access.Network(ip)
	return digest(nameKey(username) + "\x00" + network), digest(network)
}

func digest(text string) (key tallyKey) {
	sum := sha256.Sum256([]byte(text))
	copy(key[:], sum[:])
	return key
}
