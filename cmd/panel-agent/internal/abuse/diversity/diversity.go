// Package diversity counts from where clients are connected, in windows of some minutes. Addresses stay here: what is
// told are numbers, and salted hashes of networks.
package diversity

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"slices"
	"time"

	"panel/cmd/panel-agent/internal/abuse/places"
	"panel/platform/agentapi"
)

const (
	networkOf4, networkOf6 = 24, 64 // bits of what counts as one source
	mostPlaces             = 1000   // sources and addresses of one client that are told apart in a window
	hashBytes              = 16
)

// Prefix is what counts as one source: one customer, or the many behind one carrier's address. Not valid where nothing
// is known: behind a proxy on the same machine everybody has its address.
func Prefix(from netip.Addr) netip.Prefix {
	from = from.Unmap().WithZone("")
	if !from.IsValid() || from.IsUnspecified() || from == netip.IPv6Loopback() ||
		from == netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		return netip.Prefix{}
	}
	bits := networkOf6
	if from.Is4() {
		bits = networkOf4
	}
	prefix, _ := from.Prefix(bits) // never fails: the bits fit the family
	return prefix
}

// Hash is a prefix as it may be told.
func Hash(salt []byte, prefix netip.Prefix) string {
	if !prefix.IsValid() {
		return ""
	}
	sum := hmac.New(sha256.New, salt)
	sum.Write([]byte(prefix.String()))
	return hex.EncodeToString(sum.Sum(nil)[:hashBytes])
}

// Window counts one window after another. It is not safe for concurrent use.
type Window struct {
	clients map[string]*client
	streams map[Stream]*stream
}

// Stream is one stream of one core.
type Stream struct {
	Core   string
	Number int64
}

type stream struct {
	client string
	from   netip.Prefix
	addr   netip.Addr
}

// client is from where one is connected.
type client struct {
	places map[netip.Prefix]*place
	addrs  map[netip.Addr]bool
	at     int // sources with a stream now
	most   int
	first  time.Time
	last   time.Time
}

// place is one source of a client in a window.
type place struct {
	open        int
	first, last time.Time
}

// New is a window that knows nobody.
func New() *Window { return &Window{clients: map[string]*client{}, streams: map[Stream]*stream{}} }

// Begin notes a stream that is open from a moment on. One that is known stays.
func (w *Window) Begin(s Stream, clientID string, from netip.Addr, at time.Time) {
	if w.streams[s] != nil {
		return
	}
	prefix := Prefix(from)
	w.streams[s] = &stream{clientID, prefix, from}
	c := w.clients[clientID]
	if c == nil {
		c = &client{places: map[netip.Prefix]*place{}, addrs: map[netip.Addr]bool{}, first: at}
		w.clients[clientID] = c
	}
	c.last = at
	c.come(prefix, from, at)
}

func (c *client) come(prefix netip.Prefix, from netip.Addr, at time.Time) {
	if !prefix.IsValid() {
		return
	}
	p := c.places[prefix]
	if p == nil {
		if len(c.places) >= mostPlaces {
			return
		}
		p = &place{first: at}
		c.places[prefix] = p
	}
	if p.open == 0 {
		c.at++
		c.most = max(c.most, c.at)
	}
	p.open++
	p.last = at
	if len(c.addrs) < mostPlaces {
		c.addrs[from] = true
	}
}

// End notes that a stream is over.
func (w *Window) End(s Stream, at time.Time) {
	gone := w.streams[s]
	if gone == nil {
		return
	}
	delete(w.streams, s)
	c := w.clients[gone.client]
	if c == nil {
		return
	}
	c.last = at
	if p := c.places[gone.from]; p != nil && p.open > 0 {
		p.last = at
		if p.open--; p.open == 0 {
			c.at--
		}
	}
}

// Keep ends the streams of a core that are not among those that it names; all of them, where the core is gone.
func (w *Window) Keep(core string, open map[int64]bool, at time.Time) {
	for s := range w.streams {
		if s.Core == core && !open[s.Number] {
			w.End(s, at)
		}
	}
}

// Knows says whether a stream is open.
func (w *Window) Knows(s Stream) bool { return w.streams[s] != nil }

// Cores are those of the open streams.
func (w *Window) Cores() map[string]bool {
	cores := map[string]bool{}
	for s := range w.streams {
		cores[s.Core] = true
	}
	return cores
}

// AtOnce calls visit with everybody who comes from so many sources at once in this moment, or more.
func (w *Window) AtOnce(least int, visit func(clientID string, sources int)) {
	for id, c := range w.clients {
		if c.at >= least {
			visit(id, c.at)
		}
	}
}

// Telling is how what a window has counted is told.
type Telling struct {
	Salt  []byte        // of the hashes of sources
	Shift time.Duration // from this host's clock to that of the panel
	Where func(netip.Addr) places.Place
}

// Close ends the window, gives what it has counted and begins the next one with what is open.
func (w *Window) Close(now time.Time, how Telling) []agentapi.UserDiversity {
	told := make([]agentapi.UserDiversity, 0, len(w.clients))
	for id, c := range w.clients {
		told = append(told, c.told(id, now, how))
		if !c.renew(now) {
			delete(w.clients, id)
		}
	}
	for _, open := range w.streams { // who is connected is in the next window, too
		c := w.clients[open.client]
		if c == nil {
			c = &client{places: map[netip.Prefix]*place{}, addrs: map[netip.Addr]bool{}, first: now, last: now}
			w.clients[open.client] = c
		}
		if open.from.IsValid() && len(c.addrs) < mostPlaces {
			c.addrs[open.addr] = true
		}
	}
	slices.SortFunc(told, func(a, b agentapi.UserDiversity) int { return cmp.Compare(a.UserRef, b.UserRef) })
	return told
}

// renew leaves what is open; false when nothing is.
func (c *client) renew(now time.Time) bool {
	for prefix, p := range c.places {
		if p.open == 0 {
			delete(c.places, prefix)
			continue
		}
		p.first, p.last = now, now
	}
	c.addrs, c.most, c.first, c.last = map[netip.Addr]bool{}, c.at, now, now
	return len(c.places) > 0
}

// told is a client in the form of the panel.
func (c *client) told(id string, now time.Time, how Telling) agentapi.UserDiversity {
	u := agentapi.UserDiversity{
		UserRef: agentapi.RefOfClient(id), IPs: int64(len(c.addrs)), Sources: int64(len(c.places)),
		MaxConcurrent: int64(c.most), FirstAt: c.first.Add(how.Shift), LastAt: c.last.Add(how.Shift),
	}
	if c.at > 0 {
		u.LastAt = now.Add(how.Shift)
	}
	u.Networks = c.networks(now, how)
	for _, n := range u.Networks {
		u.ASNs, u.Countries, u.Cities = with(u.ASNs, n.ASN), with(u.Countries, n.Country), with(u.Cities, n.City)
	}
	return u
}

// with adds what is known to a sorted list.
func with[T cmp.Ordered](list []T, known T) []T {
	var unknown T
	at, there := slices.BinarySearch(list, known)
	if known == unknown || there {
		return list
	}
	return slices.Insert(list, at, known)
}

// networks are the sources of a client by the network and place that they are part of. Where no database knows them,
// each source stands for itself.
func (c *client) networks(now time.Time, how Telling) []agentapi.UserNetwork {
	type part struct {
		asn           int64
		country, city string
		alone         netip.Prefix
	}
	found := map[part]*agentapi.UserNetwork{}
	for prefix, p := range c.places {
		where := how.Where(prefix.Addr())
		of := part{asn: where.ASN, country: where.Country, city: where.City}
		if of == (part{}) {
			of.alone = prefix
		}
		first, last := p.first.Add(how.Shift), p.last.Add(how.Shift)
		if p.open > 0 {
			last = now.Add(how.Shift)
		}
		n := found[of]
		if n == nil {
			n = &agentapi.UserNetwork{
				ASN: where.ASN, Name: where.Network, Country: where.Country, City: where.City,
				Lat: where.Lat, Lon: where.Lon, FirstAt: first, LastAt: last,
			}
			found[of] = n
		}
		n.Prefixes = with(n.Prefixes, Hash(how.Salt, prefix))
		if first.Before(n.FirstAt) {
			n.FirstAt = first
		}
		if last.After(n.LastAt) {
			n.LastAt = last
		}
	}
	all := make([]agentapi.UserNetwork, 0, len(found))
	for _, n := range found {
		all = append(all, *n)
	}
	slices.SortFunc(all, func(a, b agentapi.UserNetwork) int {
		return cmp.Or(a.FirstAt.Compare(b.FirstAt), cmp.Compare(a.Prefixes[0], b.Prefixes[0]))
	})
	return all[:min(len(all), agentapi.MaxDiversityLists)]
}
