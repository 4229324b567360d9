package diversity

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/cmd/panel-agent/internal/abuse/places"
	"panel/platform/agentapi"
)

var (
	began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	salt  = []byte("0123456789abcdef")
)

// nowhere tells without a database of places.
var nowhere = Telling{Salt: salt, Where: func(netip.Addr) places.Place { return places.Place{} }}

func addr(text string) netip.Addr { return netip.MustParseAddr(text) }

func number(n int) Stream { return Stream{Core: "core", Number: int64(n)} }

func closed(w *Window, at time.Time) map[string]agentapi.UserDiversity {
	users := map[string]agentapi.UserDiversity{}
	for _, u := range w.Close(at, nowhere) {
		users[u.UserRef] = u
	}
	return users
}

// One client from twelve networks is that many sources; two hundred devices behind a carrier's address are one.
func TestACrowdBehindOneAddressIsOneSource(t *testing.T) {
	t.Parallel()
	w := New()
	for n := range 12 {
		w.Begin(number(n), "anna", addr(fmt.Sprintf("198.51.%d.7", n)), began)
	}
	for n := range 200 {
		w.Begin(number(100+n), fmt.Sprint("crowd", n), addr("203.0.113.5"), began)
		w.Begin(number(500+n), "family", addr(fmt.Sprintf("192.0.2.%d", n)), began)
	}
	users := closed(w, began.Add(time.Minute))
	require.EqualValues(t, 12, users["c:anna"].Sources)
	require.EqualValues(t, 12, users["c:anna"].MaxConcurrent)
	require.Len(t, users["c:anna"].Networks, 12)
	require.EqualValues(t, 1, users["c:crowd7"].Sources)
	require.EqualValues(t, 1, users["c:family"].Sources, "a /24 counts once")
	require.EqualValues(t, 200, users["c:family"].IPs)
	require.EqualValues(t, 1, users["c:family"].MaxConcurrent)
}

func TestAWholeHomeOfIPv6IsOneSource(t *testing.T) {
	t.Parallel()
	require.Equal(t, Prefix(addr("2001:db8:1:2::1")), Prefix(addr("2001:db8:1:2:ffff::9")))
	require.NotEqual(t, Prefix(addr("2001:db8:1:2::1")), Prefix(addr("2001:db8:1:3::1")))
	require.Equal(t, Prefix(addr("::ffff:192.0.2.1")), Prefix(addr("192.0.2.200")))
	for _, unknown := range []string{"127.0.0.1", "::1", "0.0.0.0"} {
		require.False(t, Prefix(addr(unknown)).IsValid(), unknown)
	}
	require.False(t, Prefix(netip.Addr{}).IsValid())
}

// Somebody who moves from place to place is never at two at once.
func TestAtOnceIsWhatIsOpenTogether(t *testing.T) {
	t.Parallel()
	w := New()
	for n := range 5 {
		at := began.Add(time.Duration(n) * time.Second)
		w.Begin(number(n), "anna", addr(fmt.Sprintf("198.51.%d.7", n)), at)
		w.End(number(n), at.Add(time.Millisecond))
	}
	users := closed(w, began.Add(time.Minute))
	require.EqualValues(t, 5, users["c:anna"].Sources)
	require.EqualValues(t, 1, users["c:anna"].MaxConcurrent)
	require.Equal(t, began.Add(4*time.Second+time.Millisecond), users["c:anna"].LastAt)
	require.Empty(t, closed(w, began.Add(2*time.Minute)), "who has left is not in the next window")
}

func TestWhatIsOpenIsInTheNextWindow(t *testing.T) {
	t.Parallel()
	w := New()
	w.Begin(number(1), "anna", addr("198.51.100.7"), began)
	w.Begin(number(2), "nowhere", netip.Addr{}, began)
	closed(w, began.Add(time.Minute))
	users := closed(w, began.Add(2*time.Minute))
	require.EqualValues(t, 1, users["c:anna"].IPs)
	require.Equal(t, began.Add(time.Minute), users["c:anna"].FirstAt)
	require.Equal(t, began.Add(2*time.Minute), users["c:anna"].LastAt)
	require.Contains(t, users, "c:nowhere", "unknown is not absent")
	require.Zero(t, users["c:nowhere"].Sources)
}

func TestACoreThatIsGoneHasNoStreams(t *testing.T) {
	t.Parallel()
	w := New()
	w.Begin(number(1), "anna", addr("198.51.100.7"), began)
	w.Begin(Stream{"other", 1}, "boris", addr("198.51.101.7"), began)
	w.Keep("core", nil, began)
	atOnce := map[string]int{}
	w.AtOnce(1, func(id string, sources int) { atOnce[id] = sources })
	require.Equal(t, map[string]int{"boris": 1}, atOnce)
}

// What leaves the node tells apart sources and names none.
func TestHashesHideAddresses(t *testing.T) {
	t.Parallel()
	one, other := Hash(salt, Prefix(addr("192.0.2.1"))), Hash(salt, Prefix(addr("192.0.3.1")))
	require.Regexp(t, "^[0-9a-f]{32}$", one)
	require.NotEqual(t, one, other)
	require.NotEqual(t, one, Hash([]byte("another salt 123"), Prefix(addr("192.0.2.1"))))
	require.Empty(t, Hash(salt, netip.Prefix{}))
	w := New()
	w.Begin(number(1), "anna", addr("192.0.2.1"), began)
	require.NotContains(t, fmt.Sprintf("%+v", w.Close(began, nowhere)), "192.0.2")
}

// However streams begin and end, no count goes below nothing, and no more sources are open than there are.
func TestCountsFitTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, at := New(), began
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			at = at.Add(time.Second)
			n := rapid.IntRange(0, 9).Draw(t, "stream")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				for _, u := range w.Close(at, nowhere) {
					if u.MaxConcurrent > u.Sources || u.Sources > u.IPs || u.LastAt.Before(u.FirstAt) {
						t.Fatalf("numbers that do not fit: %+v", u)
					}
				}
			case 1:
				w.Keep("core", map[int64]bool{int64(n): true}, at)
			case 2, 3, 4:
				w.End(number(n), at)
			default:
				from := fmt.Sprintf("192.0.%d.%d", rapid.IntRange(0, 3).Draw(t, "net"), rapid.IntRange(1, 3).Draw(t, "host"))
				w.Begin(number(n), fmt.Sprint(n%3), addr(from), at)
			}
			for id, c := range w.clients {
				open := 0
				for _, p := range c.places {
					if p.open > 0 {
						open++
					}
				}
				if open != c.at || c.at < 0 {
					t.Fatalf("%s: %d sources are open, %d are counted", id, open, c.at)
				}
			}
		}
	})
}

// Sources of one network in one place are one network, whose hashes are told together; the unknown stands for itself.
func TestSourcesAreToldByTheirNetworks(t *testing.T) {
	t.Parallel()
	home := places.Place{ASN: 64500, Network: "Home", Country: "NL", City: "Utrecht", Lat: 52.1, Lon: 5.1}
	abroad := places.Place{ASN: 64501, Network: "Abroad", Country: "DE"}
	where := map[netip.Addr]places.Place{
		addr("198.51.100.0"): home, addr("198.51.101.0"): home, addr("203.0.113.0"): abroad,
	}
	w := New()
	for n, from := range []string{"198.51.100.7", "198.51.101.7", "203.0.113.7", "192.0.2.7"} {
		w.Begin(number(n), "anna", addr(from), began.Add(time.Duration(n)*time.Second))
	}
	u := w.Close(began.Add(time.Minute), Telling{
		Salt: salt, Shift: time.Hour, Where: func(a netip.Addr) places.Place { return where[a] },
	})[0]
	require.EqualValues(t, 4, u.Sources)
	require.Equal(t, []int64{64500, 64501}, u.ASNs)
	require.Equal(t, []string{"DE", "NL"}, u.Countries)
	require.Equal(t, []string{"Utrecht"}, u.Cities)
	require.Len(t, u.Networks, 3)
	first := u.Networks[0]
	require.Equal(t, "Home", first.Name)
	require.InDelta(t, 52.1, first.Lat, 0.01)
	require.Len(t, first.Prefixes, 2)
	require.Equal(t, began.Add(time.Hour), first.FirstAt)
	require.Equal(t, began.Add(time.Minute+time.Hour), first.LastAt, "it is open still")
	require.Equal(t, []string{Hash(salt, Prefix(addr("192.0.2.7")))}, u.Networks[2].Prefixes)
	require.Zero(t, u.Networks[2].ASN)
}
