package access

import (
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cable lies between a panel and its database and can cut the one connection that carries notifications, and keep it
// cut, while all others go on.
type cable struct {
	listener net.Listener
	socket   string // of the database
	severed  atomic.Bool
	mu       sync.Mutex
	hearing  map[net.Conn]bool
}

// lay gives the cable and the address of the database through it.
func lay(t *testing.T, dsn string) (*cable, string) {
	t.Helper()
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	query := address.Query()
	c := &cable{hearing: map[net.Conn]bool{}, socket: socketOf(address, query)}
	c.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.listener.Close() })
	go c.serve()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	address.Host, address.RawQuery = c.listener.Addr().String(), query.Encode()
	return c, address.String()
}

// socketOf is where the database itself listens: a host and port, or a folder of sockets.
func socketOf(address *url.URL, query url.Values) string {
	folder, port := query.Get("host"), query.Get("port")
	if folder == "" {
		return address.Host
	}
	if port == "" {
		port = "5432"
	}
	return folder + "/.s.PGSQL." + port
}

func (c *cable) serve() {
	for {
		panel, err := c.listener.Accept()
		if err != nil {
			return
		}
		go c.carry(panel)
	}
}

func (c *cable) carry(panel net.Conn) {
	defer panel.Close()
	network := "tcp"
	if strings.HasPrefix(c.socket, "/") {
		network = "unix"
	}
	database, err := net.Dial(network, c.socket)
	if err != nil {
		return
	}
	defer database.Close()
	go func() { _, _ = io.Copy(panel, database); _ = panel.Close() }()
	_, _ = io.Copy(database, &ear{Conn: panel, cable: c})
}

// ear looks for the word that makes a connection the one that listens.
type ear struct {
	net.Conn
	cable *cable
}

func (e *ear) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	if strings.Contains(string(p[:n]), "listen panel") {
		e.cable.mu.Lock()
		e.cable.hearing[e.Conn] = true
		e.cable.mu.Unlock()
		if e.cable.severed.Load() {
			return 0, io.ErrClosedPipe
		}
	}
	return n, err
}

// cut ends the listening connection; a new one gets no further than its first word.
func (c *cable) cut() {
	c.severed.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.hearing {
		_ = conn.Close()
	}
	clear(c.hearing)
}

// mend lets it listen again.
func (c *cable) mend() { c.severed.Store(false) }

// listening says whether a connection listens.
func (c *cable) listening() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hearing) == 0 {
		return errors.New("nobody listens")
	}
	return nil
}

const healsWithin = 20 * time.Second
