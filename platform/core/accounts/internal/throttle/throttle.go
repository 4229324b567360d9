// Package throttle slows down who guesses passwords and second factors, by account and address.
package throttle

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/names"
)

// The login throttle of domain 4.18: from the 5th failure a growing delay for this account from this address, and a
// wider limit for the address alone. Another address is never locked out.
const (
	FreeFailures        = 5
	FreeAddressFailures = 30
	LongestDelay        = 15 * time.Minute

	firstDelay = time.Second
	remembered = 50_000
)

// Throttle counts failed attempts in bounded memory.
type Throttle struct {
	clock clockwork.Clock
	mu    sync.Mutex
	pairs *tallies
	hosts *tallies
}

// New makes a throttle that has counted nothing yet.
func New(clock clockwork.Clock) (*Throttle, error) { return bounded(clock, remembered) }

func bounded(clock clockwork.Clock, most int) (*Throttle, error) {
	pairs, err := newTallies(FreeFailures, most)
	if err != nil {
		return nil, err
	}
	hosts, err := newTallies(FreeAddressFailures, most)
	return &Throttle{clock: clock, pairs: pairs, hosts: hosts}, err
}

// Enter counts the attempt as a failure before the password is checked, so that parallel guesses cannot outrun the
// count; Succeed takes it back.
func (t *Throttle) Enter(username, ip string) error {
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

// Waits says whether Enter would refuse, and counts nothing.
func (t *Throttle) Waits(username, ip string) error {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refusal(pair, host, t.clock.Now())
}

func (t *Throttle) refusal(pair, host tallyKey, now time.Time) error {
	if wait := max(t.pairs.remaining(pair, now), t.hosts.remaining(host, now)); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}

// Succeed clears the account's count from this address and gives the address its attempt back.
func (t *Throttle) Succeed(username, ip string) {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.clear(pair)
	t.hosts.uncount(host)
}

// Forget takes an attempt back that was never examined, because no core was free to hash: it tells nothing about who
// asked.
func (t *Throttle) Forget(username, ip string) {
	pair, host := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.uncount(pair)
	t.hosts.uncount(host)
}

// Names notes which account the username that was entered belongs to.
func (t *Throttle) Names(username, ip, account string) {
	pair, _ := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs.name(pair, account)
}

// Account is what Names has noted, also of an attempt that is refused.
func (t *Throttle) Account(username, ip string) string {
	pair, _ := keysOf(username, ip)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pairs.get(pair).account
}

// tallyKey has one size whatever was sent: what anybody types must not stay in memory.
type tallyKey [16]byte

func keysOf(username, ip string) (pair, host tallyKey) {
	network := access.Network(ip)
	return digest(names.Key(username) + "\x00" + network), digest(network)
}

func digest(text string) (key tallyKey) {
	sum := sha256.Sum256([]byte(text))
	copy(key[:], sum[:])
	return key
}
