package limits

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/pipe"
	"pgregory.net/rapid"

	"panel/platform/agentapi"
)

var (
	home  = netip.MustParseAddr("192.0.2.1")
	phone = netip.MustParseAddr("198.51.100.7")
	third = netip.MustParseAddr("203.0.113.9")
)

func two() agentapi.ClientLimits { return agentapi.ClientLimits{Addresses: 2} }

// stays is the end of a stream that must go on.
func stays(t *testing.T) func() {
	return func() { t.Error("a stream that was to go on was ended") }
}

func TestAClientComesFromAsManyAddressesAsItMay(t *testing.T) {
	t.Parallel()
	k := New(clockwork.NewFakeClock())
	for range 10 { // streams of one address count once
		_, admitted := k.Enter("anna", two(), home, stays(t))
		require.True(t, admitted)
	}
	_, admitted := k.Enter("anna", two(), phone, stays(t))
	require.True(t, admitted)
	_, admitted = k.Enter("anna", two(), third, stays(t))
	require.False(t, admitted, "a third address")
	_, admitted = k.Enter("boris", two(), third, stays(t))
	require.True(t, admitted, "somebody else")
	_, admitted = k.Enter("anna", agentapi.ClientLimits{Mbit: 5}, third, stays(t))
	require.True(t, admitted, "without a limit of addresses")
}

// A phone that leaves one network for another is not kept out by what it has left open there.
func TestAnIdleAddressGivesWay(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	k, ended := New(clock), 0
	for range 3 {
		_, admitted := k.Enter("anna", two(), home, func() { ended++ })
		require.True(t, admitted)
	}
	clock.Advance(10 * time.Second)
	_, admitted := k.Enter("anna", two(), phone, stays(t))
	require.True(t, admitted)
	clock.Advance(idle - 11*time.Second)
	_, admitted = k.Enter("anna", two(), third, stays(t))
	require.False(t, admitted, "a second too early")
	clock.Advance(time.Second)
	_, admitted = k.Enter("anna", two(), third, stays(t))
	require.True(t, admitted)
	require.Equal(t, 3, ended, "all streams of the address that was idle the longest")
}

// What carries something is not idle, and what has ended counts until it would have been.
func TestAnAddressCountsWhileItCarries(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	k, one := New(clock), agentapi.ClientLimits{Addresses: 1}
	visit, admitted := k.Enter("anna", one, home, stays(t))
	require.True(t, admitted)
	in, out := pipe.New()
	near := visit.Near(t.Context(), &transport.Link{Reader: in, Writer: out})
	for range 4 {
		clock.Advance(idle - time.Second)
		require.NoError(t, near.Writer.WriteMultiBuffer(buf.MultiBuffer{buf.FromBytes([]byte("x"))}))
		_, admitted = k.Enter("anna", one, phone, stays(t))
		require.False(t, admitted)
	}
	visit.Leave()
	_, admitted = k.Enter("anna", one, phone, stays(t))
	require.False(t, admitted, "it was there a moment ago")
	clock.Advance(idle)
	_, admitted = k.Enter("anna", one, phone, stays(t))
	require.True(t, admitted)
}

func TestWhatCountsAsOneAddress(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool { return network(netip.MustParseAddr(a)) == network(netip.MustParseAddr(b)) }
	require.True(t, same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"), "one device changes the end of its address")
	require.False(t, same("2001:db8:1:2::1", "2001:db8:1:3::1"))
	require.True(t, same("192.0.2.1", "::ffff:192.0.2.1"))
	require.False(t, same("192.0.2.1", "192.0.2.2"))
	for _, none := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1"} {
		require.False(t, network(netip.MustParseAddr(none)).IsValid(), none)
	}
	require.False(t, network(netip.Addr{}).IsValid())
}

// However streams come and go, no more addresses carry something at once than may.
func TestNeverFromMoreAddressesThanMay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		clock := clockwork.NewFakeClock()
		k, most := New(clock), rapid.IntRange(1, 4).Draw(t, "most")
		open := map[*Visit]netip.Addr{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			clock.Advance(time.Duration(rapid.IntRange(0, 40).Draw(t, "seconds")) * time.Second)
			from := netip.MustParseAddr(fmt.Sprint("192.0.2.", rapid.IntRange(1, 6).Draw(t, "from")))
			var self *Visit
			ended := map[*Visit]bool{}
			visit, admitted := k.Enter("anna", agentapi.ClientLimits{Addresses: most}, from, func() { ended[self] = true })
			if self = visit; admitted {
				open[visit] = from
			}
			k.mu.Lock()
			living := len(k.clients["anna"].seats)
			k.mu.Unlock()
			if living > most {
				t.Fatalf("%d addresses where %d may be", living, most)
			}
			for visit := range open {
				if rapid.Bool().Draw(t, "leaves") {
					visit.Leave()
					delete(open, visit)
				}
			}
		}
	})
}

// moved is how long a direction of a client takes for so many bytes, in streams that run beside each other.
func moved(t *testing.T, k *Keeper, to agentapi.ClientLimits, streams, bytes int) time.Duration {
	t.Helper()
	began, done := time.Now(), make(chan error, streams)
	for range streams {
		go func() {
			visit, _ := k.Enter("anna", to, home, func() {})
			in, out := pipe.New(pipe.DiscardOverflow())
			far := visit.Far(t.Context(), &transport.Link{Reader: in, Writer: out})
			for left := bytes / streams; left > 0; left -= buf.Size {
				piece := buf.New()
				piece.Extend(buf.Size)
				if err := far.Writer.WriteMultiBuffer(buf.MultiBuffer{piece}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range streams {
		require.NoError(t, <-done)
	}
	return time.Since(began)
}

// 1 MB at 8 Mbit/s takes a second, less the burst; that it takes no less is certain on every machine.
func TestAllStreamsOfAClientShareItsSpeed(t *testing.T) {
	t.Parallel()
	k := New(clockwork.NewRealClock())
	require.Greater(t, moved(t, k, agentapi.ClientLimits{Mbit: 8}, 4, 1e6), 900*time.Millisecond)
	k.Change("anna", agentapi.ClientLimits{})
	require.True(t, k.clients["anna"].down.Allow(), "nothing waits any more")
}

// A stream that is ended while it waits for its turn waits no longer.
func TestAnEndedStreamWaitsForNothing(t *testing.T) {
	t.Parallel()
	k := New(clockwork.NewRealClock())
	ctx, cancel := context.WithCancel(t.Context())
	visit, _ := k.Enter("anna", agentapi.ClientLimits{Mbit: 1}, home, func() {})
	in, out := pipe.New(pipe.WithoutSizeLimit())
	near := visit.Near(ctx, &transport.Link{Reader: in, Writer: out})
	ended := make(chan error, 1)
	go func() { ended <- near.Writer.WriteMultiBuffer(make100(t)) }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// make100 are 12.5 MB: 100 seconds at 1 Mbit/s.
func make100(t *testing.T) (all buf.MultiBuffer) {
	t.Helper()
	for all.Len() < 12_500_000 {
		piece := buf.New()
		piece.Extend(buf.Size)
		all = append(all, piece)
	}
	return all
}
