package connections

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/fault"
)

func refusal(f *fault.Fault) []byte { return []byte(f.Code) }

// The bound of connections from one address holds for that address alone, and for none that many clients share.
func TestConnectionsOfOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	proxy := netip.MustParseAddr("198.51.100.7")
	bounds := New(Bounds{PerAddress: 3}, time.Second, func(peer netip.Addr) bool { return peer == proxy }, zap.NewNop(),
		refusal)
	for address, most := range map[string]int{
		"203.0.113.5:1": 3, "203.0.113.6:1": 3, "[2001:db8:1:2::1]:1": 3, "198.51.100.7:1": 50, "127.0.0.1:1": 50,
		"[::1]:1": 50,
	} {
		let := 0
		for range 50 {
			if bounds.admit(&pretended{from: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}) != nil {
				let++
			}
		}
		require.Equal(t, most, let, address)
	}
	refused := &pretended{from: net.TCPAddrFromAddrPort(netip.MustParseAddrPort("[2001:db8:1:2:ffff::9]:1"))}
	require.Nil(t, bounds.admit(refused), "a /64 is one client")
	require.Equal(t, "throttled", string(refused.said))
	require.True(t, refused.closed)
}

// A connection that has ended makes room for another one.
func TestAnEndedConnectionMakesRoom(t *testing.T) {
	t.Parallel()
	bounds := New(Bounds{Most: 2, PerAddress: 1}, time.Second, func(netip.Addr) bool { return false }, zap.NewNop(),
		refusal)
	from := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("203.0.113.5:1"))
	for range 10 {
		conn := bounds.admit(&pretended{from: from})
		require.NotNil(t, conn)
		require.Nil(t, bounds.admit(&pretended{from: from}))
		require.NoError(t, conn.Close())
		require.NoError(t, conn.Close(), "closing twice counts once")
	}
	require.Empty(t, bounds.open)
	require.Empty(t, bounds.counts)
}

// A connection is gone once its client has closed it, and not before; what it has sent stays to be read.
func TestAConnectionIsGoneWhenItsClientHasClosedIt(t *testing.T) {
	t.Parallel()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer on.Close()
	far, err := net.Dial("tcp", on.Addr().String())
	require.NoError(t, err)
	near, err := on.Accept()
	require.NoError(t, err)
	defer near.Close()
	client := &Client{Conn: near}
	require.False(t, client.Gone(), "it is silent")
	_, err = far.Write([]byte("a word"))
	require.NoError(t, err)
	text := make([]byte, 6)
	require.False(t, client.Gone(), "it has said something")
	_, err = io.ReadFull(client, text)
	require.NoError(t, err)
	require.Equal(t, "a word", string(text))
	require.False(t, client.Gone())
	require.NoError(t, far.Close())
	require.Eventually(t, client.Gone, 60*time.Second, time.Millisecond)
	require.NoError(t, near.Close())
	require.True(t, client.Gone(), "and when this side has closed it")
}

// pretended is a connection from any address.
type pretended struct {
	net.Conn
	from   net.Addr
	said   []byte
	closed bool
}

func (p *pretended) RemoteAddr() net.Addr             { return p.from }
func (p *pretended) SetWriteDeadline(time.Time) error { return nil }
func (p *pretended) Write(text []byte) (n int, _ error) {
	p.said = append(p.said, text...)
	return len(text), nil
}
func (p *pretended) Close() error { p.closed = true; return nil }

// The bound leaves the rest of the panel enough descriptors, whatever the setting says.
func TestTheBoundFitsTheDescriptors(t *testing.T) {
	t.Parallel()
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.Equal(t, 5, affordable(5))
	require.LessOrEqual(t, affordable(1<<30), int(limit.Cur)-keptDescriptors)
	require.Equal(t, affordable(1<<30), affordable(0))
	require.False(t, passes(errors.New("x")))
}

// A file goes to the client by the system itself, in pieces of which each has the time of a write: a slow client gets
// it whole, and one that reads nothing does not hold its connection.
func TestAFileIsCopiedWithinTheLimitOfWrites(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), 256<<10) // 4 MiB: more than the buffers of a connection
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	for reads, whole := range map[bool]bool{true: true, false: false} {
		on, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		far, err := net.Dial("tcp", on.Addr().String())
		require.NoError(t, err)
		near, err := on.Accept()
		require.NoError(t, err)
		require.NoError(t, on.Close())
		got := make(chan []byte, 1)
		if reads {
			go func() {
				text, _ := io.ReadAll(far)
				got <- text
			}()
		}
		file, err := os.Open(name)
		require.NoError(t, err)
		client := &Client{Conn: near, within: 500 * time.Millisecond}
		written, err := client.ReadFrom(file)
		require.NoError(t, file.Close())
		require.NoError(t, near.Close())
		if whole {
			require.NoError(t, err)
			require.Equal(t, int64(len(content)), written)
			require.Equal(t, content, <-got)
		} else {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			require.Less(t, written, int64(len(content)))
		}
		require.NoError(t, far.Close())
	}
}
