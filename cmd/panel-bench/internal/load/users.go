package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	shadowsocks "github.com/sagernet/sing-shadowsocks"
	"github.com/sagernet/sing-shadowsocks/shadowaead_2022"
	"github.com/sagernet/sing/common/metadata"

	"panel/platform/agentapi"
)

// UsersMethod is what the listener of Users speaks: Shadowsocks 2022, whose clients cost little.
const UsersMethod = "2022-blake3-aes-128-gcm"

// Users are clients of one listener, each with an address of its own on this machine. They read from a site behind it.
type Users struct {
	Entry string // address and port of the listener
	Key   []byte // of the listener
	Site  netip.AddrPort

	known []shadowsocks.Method
}

// Know takes users from the changes of a list as an agent has them on its disk, one in each line, and gives how many
// there are.
func (u *Users) Know(lines []byte) (int, error) {
	u.known = nil
	for line := range bytes.Lines(lines) {
		var changes agentapi.ClientChanges
		if err := json.Unmarshal(line, &changes); err != nil {
			return 0, fmt.Errorf("read the list of an agent: %w", err)
		}
		for _, one := range changes.Clients {
			user, err := shadowaead_2022.New(UsersMethod, [][]byte{u.Key, one.Key[:len(u.Key)]}, nil)
			if err != nil {
				return 0, fmt.Errorf("read the key of a user: %w", err)
			}
			u.known = append(u.known, user)
		}
	}
	return len(u.known), nil
}

// Connect has users connect at an even pace, one after the other, and counts those who got what they asked for. The
// error is that of the first one who did not.
func (u *Users) Connect(ctx context.Context, count int, within time.Duration) (done int, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	pace := time.NewTicker(within / time.Duration(count))
	defer pace.Stop()
	for i := range count {
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-pace.C:
		}
		all.Go(func() {
			n, failed := u.Read(ctx, i, 1)
			mu.Lock()
			defer mu.Unlock()
			if failed == nil && n > 0 {
				done++
			} else if err == nil {
				err = failed
			}
		})
	}
	all.Wait()
	return done, err
}

const (
	reachWithin = 10 * time.Second
	readWithin  = time.Minute
)

// Read gets so many bytes of the site as one of the users, and gives how many came.
func (u *Users) Read(ctx context.Context, user int, count int64) (int64, error) {
	user %= len(u.known)
	dialer := net.Dialer{
		Timeout: reachWithin, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, byte(1+user>>8), byte(user), 1)},
	}
	conn, err := dialer.DialContext(ctx, "tcp", u.Entry)
	if err != nil {
		return 0, fmt.Errorf("connect as a user: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stream := u.known[user].DialEarlyConn(conn, metadata.SocksaddrFromNetIP(u.Site))
	if _, err := fmt.Fprintf(stream, "GET /bytes?n=%d HTTP/1.0\r\n\r\n", count); err != nil {
		return 0, fmt.Errorf("ask as a user: %w", err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(readWithin))
	return io.Copy(io.Discard, stream)
}
