package subscriptions

import (
	"crypto/sha256"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/limits"
)

// How often a subscription URL is answered: each token that is known, and each network that asks for unknown
// ones.
var (
	knownLimit   = access.Limit{PerMinute: 10, Burst: 10}
	unknownLimit = access.Limit{PerMinute: 30, Burst: 30}
)

// throttle counts by what was asked for, so that clients behind one address do not wait for each other.
type throttle struct {
	clock          clockwork.Clock
	known, unknown *limits.Limiter
}

func newThrottle(clock clockwork.Clock) (*throttle, error) {
	known, err := limits.New()
	if err != nil {
		return nil, err
	}
	unknown, err := limits.New()
	return &throttle{clock: clock, known: known, unknown: unknown}, err
}

func (t *throttle) tookKnown(token string) error {
	return t.take(t.known, limits.Key{Route: sha256.Sum256([]byte(token))}, knownLimit)
}

func (t *throttle) tookUnknown(ip string) error {
	return t.take(t.unknown, limits.Key{From: limits.Network(ip)}, unknownLimit)
}

func (t *throttle) take(from *limits.Limiter, key limits.Key, limit access.Limit) error {
	if wait := from.Take(key, limit, t.clock.Now()); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}
