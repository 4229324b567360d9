package agenttest

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed/freeport"
)

// FreePort gives a port of this machine that nobody has.
func FreePort(t testing.TB) int {
	t.Helper()
	return freeport.For(t)
}

// EchoServer sends everything back; it gives its address.
func EchoServer(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = io.Copy(conn, conn) }()
		}
	}()
	return l.Addr().String()
}

const patience = 5 * time.Second

// Dial opens a connection to a port of this machine.
func Dial(port int) (net.Conn, error) {
	return net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), patience)
}

// Echo sends a text through a new connection to a port of this machine and wants it back.
func Echo(port int, text string) error {
	conn, err := Dial(port)
	if err != nil {
		return err
	}
	defer conn.Close()
	return Talk(conn, text)
}

// Talk is Echo through a connection that is open already.
func Talk(conn net.Conn, text string) error {
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, text); err != nil {
		return err
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got); err != nil {
		return err
	}
	if string(got) != text {
		return fmt.Errorf("got %q", got)
	}
	return nil
}

// Forward is a core configuration that passes a plain TCP port on: traffic through it can be counted to the byte, and
// very many connections need no client core.
func Forward(t testing.TB, tag string, port int, behind string) []byte {
	t.Helper()
	host, digits, err := net.SplitHostPort(behind)
	require.NoError(t, err)
	return fmt.Appendf(nil, `{"inbounds":[{"tag":"%s","listen":"127.0.0.1","port":%d,"protocol":"dokodemo-door",
		"settings":{"address":"%s","port":%s,"network":"tcp"}}],"outbounds":[{"protocol":"freedom"}]}`, tag, port, host, digits)
}
