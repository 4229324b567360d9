// Package limits holds clients of a core to a speed, and to a number of addresses from which they come at once.
package limits

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/time/rate"

	"panel/platform/agentapi"
)

// idle is how long an address has to carry nothing before another one may take its place: a phone that leaves one
// network for another comes back after that time at the latest.
const idle = 30 * time.Second

// Keeper knows the clients with limits that have come to a core.
type Keeper struct {
	clock clockwork.Clock

	mu      sync.Mutex
	clients map[string]*client
}

// New is a keeper that knows nobody yet.
func New(clock clockwork.Clock) *Keeper {
	return &Keeper{clock: clock, clients: map[string]*client{}}
}

// client is one with limits, over all its streams.
type client struct {
	up, down *rate.Limiter
	speed    int
	seats    map[netip.Addr]*seat
}

// seat is an address from which a client comes.
type seat struct {
	carried atomic.Int64 // when it carried something last, in nanoseconds since 1970
	visits  map[*Visit]bool
}

// Visit is one stream of a client with limits.
type Visit struct {
	keeper *Keeper
	client *client
	seat   *seat // nil: addresses do not count
	end    func()
}

// Enter begins a stream from an address, which end ends; false says that the client comes from as many others already.
// An address counts while it carries something. One that has been idle gives way: its streams are ended.
func (k *Keeper) Enter(clientID string, to agentapi.ClientLimits, from netip.Addr, end func()) (*Visit, bool) {
	v := &Visit{keeper: k, end: end}
	displaced, admitted := k.enter(v, clientID, to, network(from))
	for _, one := range displaced {
		one.end()
	}
	return v, admitted
}

func (k *Keeper) enter(v *Visit, clientID string, to agentapi.ClientLimits, from netip.Addr) ([]*Visit, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := k.clients[clientID]
	if of == nil {
		of = &client{
			up: rate.NewLimiter(rate.Inf, 0), down: rate.NewLimiter(rate.Inf, 0), seats: map[netip.Addr]*seat{},
		}
		k.clients[clientID] = of
	}
	v.client = of
	of.limit(to.Mbit)
	if to.Addresses == 0 || !from.IsValid() {
		return nil, true
	}
	now := k.clock.Now()
	var displaced []*Visit
	at := of.seats[from]
	if at == nil {
		var room bool
		if displaced, room = of.makeRoom(to.Addresses, now); !room {
			return displaced, false
		}
		at = &seat{visits: map[*Visit]bool{}}
		of.seats[from] = at
	}
	at.visits[v], v.seat = true, at
	at.carried.Store(now.UnixNano())
	return displaced, true
}

// network is what counts as one address: of IPv6 the /64, which one device has for itself. Behind a proxy on the same
// machine everybody has its address, so that one counts for nothing.
func network(from netip.Addr) netip.Addr {
	const ofOneDevice = 64
	from = from.Unmap().WithZone("")
	if !from.IsValid() || from == netip.IPv6Loopback() || from == netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		return netip.Addr{}
	}
	if from.Is4() {
		return from
	}
	prefix, _ := from.Prefix(ofOneDevice) // never fails for IPv6
	return prefix.Addr()
}

// makeRoom drops idle addresses, the longest idle first, until there is a place for one more.
func (c *client) makeRoom(most int, now time.Time) (displaced []*Visit, room bool) {
	for len(c.seats) >= most {
		var oldest netip.Addr
		last := now.Add(-idle).UnixNano()
		for from, at := range c.seats {
			if carried := at.carried.Load(); carried <= last {
				oldest, last = from, carried
			}
		}
		if !oldest.IsValid() {
			return displaced, false
		}
		for visit := range c.seats[oldest].visits {
			displaced = append(displaced, visit)
		}
		delete(c.seats, oldest)
	}
	return displaced, true
}

// limit sets the speed in each direction, in Mbit/s; 0 is without a limit. Streams that run keep to it at once.
func (c *client) limit(mbit int) {
	if mbit == c.speed {
		return
	}
	c.speed = mbit
	for _, limiter := range []*rate.Limiter{c.up, c.down} {
		if mbit == 0 {
			limiter.SetLimit(rate.Inf)
			continue
		}
		const bytesPerMbit, leastBurst, share = 1e6 / 8, 16 << 10, 20 // a burst is what passes in 50 ms
		limiter.SetBurst(max(mbit*bytesPerMbit/share, leastBurst))
		limiter.SetLimit(rate.Limit(mbit * bytesPerMbit))
	}
}

// Change takes other limits of a client that has come before.
func (k *Keeper) Change(clientID string, to agentapi.ClientLimits) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if of := k.clients[clientID]; of != nil {
		of.limit(to.Mbit)
	}
}

// Leave says that the stream has ended. The address goes on to count until it has been idle.
func (v *Visit) Leave() {
	v.keeper.mu.Lock()
	defer v.keeper.mu.Unlock()
	if v.seat != nil {
		delete(v.seat.visits, v)
	}
}
