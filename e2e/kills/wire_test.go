package kills

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// wire carries the panel's connections to the database and counts statements on their way: those of transactions that
// touch some tables. It can end the panel before one of them reaches the database.
type wire struct {
	network, address string
	tables           string // begins the names of the tables
	mu               sync.Mutex
	seen             []string
	at               int // the statement before which end is called; 0: none
	end              func()
}

// newWire gives the wire, and the address of the database through it.
func newWire(t *testing.T, dsn, tables string) (*wire, string) {
	t.Helper()
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	query := address.Query()
	w := &wire{network: "tcp", address: address.Host, tables: tables}
	if folder := query.Get("host"); folder != "" {
		port := query.Get("port")
		if port == "" {
			port = "5432"
		}
		w.network, w.address = "unix", folder+"/.s.PGSQL."+port
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go w.serve(listener)
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	address.Host, address.RawQuery = listener.Addr().String(), query.Encode()
	return w, address.String()
}

// count begins to count anew; the panel is ended before the statement with the number.
func (w *wire) count(at int, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen, w.at, w.end = nil, at, end
}

// counted stops counting and gives the statements.
func (w *wire) counted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.end = 0, nil
	return w.seen
}

// passes counts a statement and tells whether it may go on to the database.
func (w *wire) passes(statement string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, statement)
	if w.end == nil || len(w.seen) < w.at {
		return true
	}
	w.end()
	return false
}

func (w *wire) serve(listener net.Listener) {
	for {
		panel, err := listener.Accept()
		if err != nil {
			return
		}
		go w.carry(panel)
	}
}

func (w *wire) carry(panel net.Conn) {
	defer panel.Close()
	database, err := net.Dial(w.network, w.address)
	if err != nil {
		return
	}
	defer database.Close()
	go func() { _, _ = io.Copy(panel, database); _ = panel.Close() }()
	talk := &talk{wire: w, prepared: map[string]string{}}
	for begun := false; ; begun = true {
		kind, message, err := readMessage(panel, begun)
		if err != nil || !talk.passes(kind, message) {
			return
		}
		if _, err := database.Write(message); err != nil {
			return
		}
	}
}

// readMessage reads a message of PostgreSQL's protocol; only the first one has no kind.
func readMessage(from io.Reader, kinded bool) (kind byte, message []byte, err error) {
	head := make([]byte, 4, 5)
	if kinded {
		head = head[:5]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	if kinded {
		kind = head[0]
	}
	length := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	message = append(head, make([]byte, max(length-4, 0))...)
	_, err = io.ReadFull(from, message[len(head):])
	return kind, message, err
}

// talk is one connection.
type talk struct {
	wire     *wire
	prepared map[string]string // statement by name
	inside   bool              // a transaction that touches the tables
}

func (c *talk) passes(kind byte, message []byte) bool {
	statement, executed := c.statement(kind, message)
	if !executed {
		return true
	}
	word := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(statement), ";"))
	ends := word == "commit" || word == "rollback"
	if !c.inside && !strings.Contains(statement, c.wire.tables) {
		return true
	}
	c.inside = !ends
	return c.wire.passes(statement)
}

// statement gives what a message executes.
func (c *talk) statement(kind byte, message []byte) (text string, executed bool) {
	fields := bytes.SplitN(message[min(5, len(message)):], []byte{0}, 3)
	switch {
	case kind == 'Q':
		return string(fields[0]), true
	case kind == 'P' && len(fields) > 1:
		c.prepared[string(fields[0])] = string(fields[1])
	case kind == 'B' && len(fields) > 1:
		return c.prepared[string(fields[1])], true
	}
	return "", false
}
