package load_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sagernet/sing-shadowsocks/shadowaead_2022"
	"github.com/sagernet/sing/common/auth"
	"github.com/sagernet/sing/common/metadata"
	"github.com/sagernet/sing/common/network"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/load"
	"panel/platform/agentapi"
)

// site is a listener of Shadowsocks 2022 with a site behind it, which notes who came from where.
type site struct {
	mu    sync.Mutex
	came  []string // users
	from  []string // addresses
	wants []string // destinations
}

// NewConnection answers one request for so many bytes.
func (s *site) NewConnection(ctx context.Context, conn net.Conn, to metadata.Metadata) error {
	user, _ := auth.UserFromContext[string](ctx)
	s.mu.Lock()
	s.came, s.from = append(s.came, user), append(s.from, to.Source.Addr.String())
	s.wants = append(s.wants, to.Destination.String())
	s.mu.Unlock()
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(request.URL.Query().Get("n"))
	if err != nil {
		return err
	}
	for err == nil && count > 0 { // the first write of this server takes no more than one chunk
		part := min(count, 10_000)
		_, err = conn.Write(bytes.Repeat([]byte("x"), part))
		count -= part
	}
	return err
}

func (*site) NewPacketConnection(context.Context, network.PacketConn, metadata.Metadata) error {
	return nil
}

func (*site) NewError(context.Context, error) {}

// opened starts a listener that knows users by their names, whose keys are long as those of agents' lists.
func opened(t *testing.T, names ...string) (s *site, users *load.Users, lines []byte) {
	t.Helper()
	s = &site{}
	key := bytes.Repeat([]byte("k"), 16)
	service, err := shadowaead_2022.NewMultiService[string](load.UsersMethod, key, 60, s, time.Now)
	require.NoError(t, err)
	changes := agentapi.ClientChanges{FlowID: "f"}
	var keys [][]byte
	for i, name := range names {
		own := bytes.Repeat([]byte{byte('a' + i)}, 32)
		changes.Clients = append(changes.Clients, agentapi.Client{ID: name, Key: own})
		keys = append(keys, own[:16])
	}
	require.NoError(t, service.UpdateUsers(names, keys))
	lines, err = json.Marshal(changes)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_ = service.NewConnection(context.Background(), conn, metadata.Metadata{
					Source: metadata.SocksaddrFromNet(conn.RemoteAddr()),
				})
			}()
		}
	}()
	return s, &load.Users{
		Entry: listener.Addr().String(), Key: key, Site: netip.MustParseAddrPort("192.0.2.7:80"),
	}, append(lines, '\n')
}

// Each user connects with its own key and from an address of its own, asks the site behind the listener, and is counted
// once it got something.
func TestUsersConnectEachAsItself(t *testing.T) {
	t.Parallel()
	s, users, lines := opened(t, "anna", "boris", "clara")
	known, err := users.Know(lines)
	require.NoError(t, err)
	require.Equal(t, 3, known)
	done, err := users.Connect(t.Context(), 6, 300*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, 6, done)
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.came)
	require.Equal(t, []string{"anna", "anna", "boris", "boris", "clara", "clara"}, s.came, "one after the other")
	slices.Sort(s.from)
	require.Equal(t, []string{"127.1.0.1", "127.1.1.1", "127.1.2.1"}, slices.Compact(s.from))
	require.Equal(t, []string{"192.0.2.7:80"}, slices.Compact(s.wants))
}

// A reading gives how many bytes came.
func TestAUserReadsWhatItAskedFor(t *testing.T) {
	t.Parallel()
	_, users, lines := opened(t, "anna")
	_, err := users.Know(lines)
	require.NoError(t, err)
	count, err := users.Read(t.Context(), 0, 123_456)
	require.NoError(t, err)
	require.EqualValues(t, 123_456, count)
}

// A user whom the listener does not know is not counted, and a list that cannot be read is an error.
func TestWhoGetsNothingIsNotCounted(t *testing.T) {
	t.Parallel()
	_, users, _ := opened(t, "anna")
	stranger, err := json.Marshal(agentapi.ClientChanges{Clients: []agentapi.Client{
		{ID: "x", Key: bytes.Repeat([]byte("z"), 32)},
	}})
	require.NoError(t, err)
	known, err := users.Know(append(stranger, '\n'))
	require.NoError(t, err)
	require.Equal(t, 1, known)
	done, _ := users.Connect(t.Context(), 2, 100*time.Millisecond)
	require.Zero(t, done)
	_, err = users.Know([]byte("no list\n"))
	require.Error(t, err)
}
