package coretest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/features/stats" //nolint:depguard // only shown to, never linked

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
	"panel/platform/testneed/freeport"
)

const visitor = "203.0.113.9"

// headers are what load balancers write, by the version of the PROXY protocol.
func headers() map[string][]byte {
	second := append([]byte("\r\n\r\n\x00\r\nQUIT\n"), 0x21, 0x11, 0, 12)
	second = append(append(second, net.ParseIP(visitor).To4()...), 127, 0, 0, 1)
	second = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(second, 4711), 443)
	return map[string][]byte{
		"version 1": fmt.Appendf(nil, "PROXY TCP4 %s 127.0.0.1 4711 443\r\n", visitor), "version 2": second, "none": nil,
	}
}

// balancer writes a header before whatever it forwards, and gives its port.
func balancer(t *testing.T, to int, header []byte) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(from, to, header)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

func forward(from net.Conn, to int, header []byte) {
	defer from.Close()
	behind, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", to))
	if err != nil {
		return
	}
	defer behind.Close()
	if _, err := behind.Write(header); err != nil {
		return
	}
	go func() { _, _ = io.Copy(behind, from); _ = behind.Close() }()
	_, _ = io.Copy(from, behind)
}

// A listener behind a load balancer takes who connects from the header of either version, over every transport, and
// lets in nobody who has none.
func TestALoadBalancerSaysWhoConnects(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"raw", "xhttp", "grpc", "ws"} {
		for name, header := range headers() {
			t.Run(transport+" "+name, func(t *testing.T) {
				t.Parallel()
				s := shape{"vmess", transport, "none"}
				l := listenerOf(t, s.protocol, s.transport)
				l.Security, l.AcceptProxy = s.security, true
				entry := serveListener(t, s, l, nil)
				c := entry.connection
				c.Port = balancer(t, l.Port, header)
				raw, err := format.Write(format.Xray, []flowsapi.Connection{c})
				require.NoError(t, err)
				port := freeport.For(t)
				start(t, onPorts(t, raw, port))
				page := strings.TrimPrefix(entry.page, "http://")
				if header == nil {
					require.Empty(t, answered(t, port, page, "whatever\r\n\r\n", 3*time.Second))
					return
				}
				require.Equal(t, "through "+s.String(), fetched(t, port, entry.page))
				unfinished, _ := asking(t, port, page, "GET / HTTP/1.0\r\n")
				defer unfinished.Close()
				manager := entry.server.GetFeature(stats.ManagerType()).(stats.Manager)
				told := func() bool { return slices.Equal([]string{visitor}, visitors(manager)) }
				require.Eventually(t, told, time.Minute, 10*time.Millisecond)
			})
		}
	}
}

// visitors are the addresses from which clients are seen online.
func visitors(manager stats.Manager) (all []string) {
	for _, user := range manager.GetAllOnlineUsers() {
		if online := manager.GetOnlineMap(user); online != nil {
			all = append(all, online.List()...)
		}
	}
	return all
}
