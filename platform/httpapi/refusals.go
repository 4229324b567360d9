package httpapi

import (
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/access"
)

const (
	// mostRefusals bounds the memory and the lines a minute that refused strangers get, however many addresses they
	// own.
	mostRefusals = 50
	// refusalsEvery is how often the refusals that were only counted are told.
	refusalsEvery = time.Minute
)

// refusals keeps strangers from filling the log: the first refusal of a kind is logged, those after it are counted and
// reported as one line a minute for as long as they come. Kinds beyond the bound share one.
type refusals struct {
	log   *zap.Logger
	clock clockwork.Clock

	mu     sync.Mutex
	counts map[refusalKey]int // what was counted and not reported yet
	timer  clockwork.Timer    // nil while there is nothing to tell
}

// refusalKey is a kind of refusals. The zero key is the one that all kinds beyond the bound share.
type refusalKey struct {
	from   netip.Addr
	status int
	code   string // empty where the operation itself refused
}

func newRefusals(log *zap.Logger, clock clockwork.Clock) *refusals {
	return &refusals{log: log, clock: clock, counts: map[refusalKey]int{}}
}

// logged says whether the answer gets a line of its own: all do but the refusals of a stranger after the first.
func (r *refusals) logged(v *visit, status int) bool {
	if v.caller.Kind != access.Nobody || status < fiber.StatusBadRequest || status >= fiber.StatusInternalServerError {
		return true
	}
	key := refusalKey{from: v.from, status: status}
	if v.refusal != nil {
		key.code = v.refusal.Code
	}
	return r.first(key)
}

// again counts a refusal of a kind of which one came lately; it counts nothing, and says so, where this is the first.
func (r *refusals) again(key refusalKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.counts[key]
	if known {
		r.counts[key]++
	}
	return known
}

// first says whether none of the kind came lately; it counts all others.
func (r *refusals) first(key refusalKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.counts[key]
	if !known && len(r.counts) >= mostRefusals {
		key = refusalKey{}
		_, known = r.counts[key]
	}
	if known {
		r.counts[key]++
		return false
	}
	r.counts[key] = 0
	if r.timer == nil {
		r.timer = r.clock.AfterFunc(refusalsEvery, r.summarize)
	}
	return true
}

// summarize writes the sums and goes on while there is something to count.
func (r *refusals) summarize() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write()
	r.timer = nil
	if len(r.counts) > 0 {
		r.timer = r.clock.AfterFunc(refusalsEvery, r.summarize)
	}
}

// write forgets the kinds of which nothing came since the sums before.
func (r *refusals) write() {
	for key, count := range r.counts {
		if count == 0 {
			delete(r.counts, key)
			continue
		}
		r.log.Info("more requests were refused", append(key.fields(), zap.Int("count", count))...)
		r.counts[key] = 0
	}
}

func (k refusalKey) fields() []zap.Field {
	if k == (refusalKey{}) {
		return []zap.Field{zap.String("network", "many others")}
	}
	fields := []zap.Field{zap.Int("status", k.status), zap.String("network", networkText(k.from))}
	if k.code != "" {
		fields = append(fields, zap.String("code", k.code))
	}
	return fields
}

// networkText is a network as people write it: the address of IPv4, the /64 of IPv6.
func networkText(from netip.Addr) string {
	if !from.IsValid() {
		return "unknown"
	}
	return access.Network(from.String())
}

// stop tells what is left.
func (r *refusals) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write()
	if r.timer != nil {
		r.timer.Stop()
	}
}
