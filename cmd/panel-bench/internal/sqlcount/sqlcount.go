// Package sqlcount stands between a program and PostgreSQL and counts the statements that pass. The count is free of
// noise.
package sqlcount

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Counter passes connections on and remembers the statements.
type Counter struct {
	listener net.Listener
	socket   string // of the server
	mu       sync.Mutex
	count    map[string]int
	pings    int
	prepared map[string]string
}

const socketName = ".s.PGSQL.5432"

// Start listens in the folder for clients that take it for a server's, and passes on to the socket in the server's
// folder.
func Start(folder, server string) (*Counter, error) {
	listener, err := net.Listen("unix", filepath.Join(folder, socketName))
	if err != nil {
		return nil, fmt.Errorf("stand before the database: %w", err)
	}
	c := &Counter{
		listener: listener,
		socket:   filepath.Join(server, socketName),
		count:    map[string]int{},
		prepared: map[string]string{},
	}
	go c.accept()
	return c, nil
}

// Close ends the listening; open connections end with their ends.
func (c *Counter) Close() error { return c.listener.Close() }

// Take gives the statements since the last call with their number, and begins anew. Pings are not among them.
func (c *Counter) Take() map[string]int {
	c.mu.Lock()
	seen := c.count
	c.count = map[string]int{}
	c.mu.Unlock()
	taken := map[string]int{}
	for statement, times := range seen {
		taken[shape(statement)] += times
	}
	return taken
}

// TakePings gives the number of pings since the last call.
func (c *Counter) TakePings() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.pings
	c.pings = 0
	return seen
}

func (c *Counter) accept() {
	for number := 0; ; number++ {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", c.socket)
		if err != nil {
			client.Close()
			continue
		}
		go passOn(client, server)
		go c.watch(fmt.Sprint(number), server, client)
	}
}

func passOn(to, from net.Conn) {
	_, _ = io.Copy(to, from) // either side may leave at any moment
	to.Close()
}

// watch reads the client's messages one by one: a type, a length, a body; only the first one has no type.
func (c *Counter) watch(connection string, server, client net.Conn) {
	defer server.Close()
	messages := bufio.NewReaderSize(client, 64<<10)
	for first := true; ; first = false {
		message, err := next(messages, first)
		if err != nil {
			return
		}
		if !first {
			c.note(connection, message)
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

func next(client io.Reader, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(client, head); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	message := make([]byte, len(head)-4+size)
	copy(message, head)
	_, err := io.ReadFull(client, message[len(head):])
	return message, err
}

// note counts simple queries and executions; an execution is known by the statement that its portal was bound to.
func (c *Counter) note(connection string, message []byte) {
	body := message[5:]
	c.mu.Lock()
	defer c.mu.Unlock()
	switch message[0] {
	case 'Q':
		c.add(word(body))
	case 'P':
		name := word(body)
		c.prepared[connection+name] = word(body[len(name)+1:])
	case 'B':
		portal := word(body)
		c.add(c.prepared[connection+word(body[len(portal)+1:])])
	}
}

// literals are values that a program wrote into the text of a statement.
var literals = regexp.MustCompile(`'(?:[^']|'')*'|\b[0-9]+\b`)

// add only counts; shapes are worked out in Take, so that counting costs the measured program as little as it can.
func (c *Counter) add(statement string) {
	if ping := strings.HasPrefix(statement, "--") || statement == ";" || statement == ""; ping {
		c.pings++
		return
	}
	c.count[statement]++
}

// shape is a statement without its values.
func shape(statement string) string {
	return literals.ReplaceAllString(strings.Join(strings.Fields(statement), " "), "?")
}

func word(body []byte) string {
	text, _, _ := strings.Cut(string(body), "\x00")
	return text
}
