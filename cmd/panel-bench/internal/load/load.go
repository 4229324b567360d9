// Package load drives an HTTP server from one thread with many kept connections, so cheaply that the server is what is
// measured.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"time"
)

// Plan is a closed-model load: every connection has one request under way.
type Plan struct {
	Address     string // host:port
	Connections int
	// Request appends the next request of the connection to the empty buffer.
	Request func(connection int, buffer []byte) []byte
	For     time.Duration
	// Requests ends the load earlier, with so many answers; 0 leaves the end to the time.
	Requests int
	// Refusals are expected and no error.
	Refusals bool
}

// Outcome is what the server did in the time.
type Outcome struct {
	Requests  int
	Refused   int    // answers other than 2xx
	Refusal   string // the first of them
	Took      time.Duration
	Latencies []float64 // milliseconds, one per request
}

// PerSecond counts answered requests.
func (o Outcome) PerSecond() float64 { return float64(o.Requests) / o.Took.Seconds() }

// Run drives the server for the time of the plan. It fails when a connection does, and when an answer is no success.
func Run(ctx context.Context, plan Plan) (Outcome, error) {
	d := &driver{plan: plan}
	defer d.close()
	if err := d.open(ctx); err != nil {
		return Outcome{}, err
	}
	if err := d.drive(ctx); err != nil {
		return d.outcome, err
	}
	if d.outcome.Refused > 0 && !plan.Refusals {
		return d.outcome, fmt.Errorf(
			"drive %s: %d of %d answers were refusals, the first: %s",
			plan.Address,
			d.outcome.Refused,
			d.outcome.Requests,
			d.outcome.Refusal,
		)
	}
	return d.outcome, nil
}

type driver struct {
	plan    Plan
	poll    int
	conns   map[int]*connection
	outcome Outcome
}

// connection is one socket and where it is in its request and answer.
type connection struct {
	number, fd int
	request    []byte
	sent       int
	answer     []byte
	began      time.Time
	waiting    bool // for room to write
}

func (d *driver) open(ctx context.Context) (err error) {
	if d.poll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("drive %s: %w", d.plan.Address, err)
	}
	d.conns = make(map[int]*connection, d.plan.Connections)
	for number := range d.plan.Connections {
		if err := d.connect(ctx, number); err != nil {
			return fmt.Errorf("connect to %s: %w", d.plan.Address, err)
		}
	}
	return nil
}

// connect lets the standard library dial and then keeps a copy of the socket to itself.
func (d *driver) connect(ctx context.Context, number int) error {
	dialled, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", d.plan.Address)
	if err != nil {
		return err
	}
	defer dialled.Close()
	tcp, ok := dialled.(*net.TCPConn)
	if !ok {
		return errors.New("this is no TCP connection")
	}
	file, err := tcp.File()
	if err != nil {
		return err
	}
	defer file.Close()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return err
	}
	c := &connection{number: number, fd: fd}
	d.conns[fd] = c
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	return syscall.EpollCtl(
		d.poll,
		syscall.EPOLL_CTL_ADD,
		fd,
		&syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)},
	) //nolint:gosec // a descriptor is small
}

func (d *driver) close() {
	for fd := range d.conns {
		_ = syscall.Close(fd)
	}
	_ = syscall.Close(d.poll)
}

func (d *driver) drive(ctx context.Context) error {
	began := time.Now()
	end := began.Add(d.plan.For)
	for _, c := range d.conns {
		if err := d.send(c); err != nil {
			return err
		}
	}
	events := make([]syscall.EpollEvent, 256)
	for now := began; now.Before(end) && !d.enough() && ctx.Err() == nil; now = time.Now() {
		count, err := syscall.EpollWait(d.poll, events, 100)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("drive %s: %w", d.plan.Address, err)
		}
		for _, event := range events[:max(0, count)] {
			if err := d.advance(d.conns[int(event.Fd)]); err != nil {
				return err
			}
		}
	}
	d.outcome.Took = time.Since(began)
	return ctx.Err()
}

func (d *driver) enough() bool { return d.plan.Requests > 0 && d.outcome.Requests >= d.plan.Requests }

func (d *driver) advance(c *connection) error {
	if c.sent < len(c.request) {
		return d.write(c)
	}
	return d.read(c)
}

func (d *driver) send(c *connection) error {
	c.request, c.sent, c.answer, c.began = d.plan.Request(c.number, c.request[:0]), 0, c.answer[:0], time.Now()
	return d.write(c)
}

func (d *driver) write(c *connection) error {
	for c.sent < len(c.request) {
		n, err := syscall.Write(c.fd, c.request[c.sent:])
		if errors.Is(err, syscall.EAGAIN) {
			return d.listen(c, true)
		}
		if err != nil {
			return fmt.Errorf("send a request: %w", err)
		}
		c.sent += n
	}
	return d.listen(c, false)
}

// listen asks the kernel to tell about room to write only while there is none.
func (d *driver) listen(c *connection, toWrite bool) error {
	if c.waiting == toWrite {
		return nil
	}
	c.waiting = toWrite
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(c.fd)} //nolint:gosec // a descriptor is small
	if toWrite {
		event.Events = syscall.EPOLLOUT
	}
	return syscall.EpollCtl(d.poll, syscall.EPOLL_CTL_MOD, c.fd, &event)
}

const room = 64 << 10

func (d *driver) read(c *connection) error {
	if cap(c.answer)-len(c.answer) < room {
		c.answer = append(make([]byte, 0, 2*cap(c.answer)+room), c.answer...)
	}
	n, err := syscall.Read(c.fd, c.answer[len(c.answer):cap(c.answer)])
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return nil
	case err != nil:
		return fmt.Errorf("read an answer: %w", err)
	case n == 0:
		return errors.New("read an answer: the server closed the connection")
	}
	c.answer = c.answer[:len(c.answer)+n]
	if !complete(c.answer) {
		return nil
	}
	d.count(c)
	return d.send(c)
}

func (d *driver) count(c *connection) {
	d.outcome.Requests++
	d.outcome.Latencies = append(d.outcome.Latencies, float64(time.Since(c.began).Microseconds())/1000)
	if !bytes.HasPrefix(c.answer, []byte("HTTP/1.1 2")) {
		d.outcome.Refused++
		if d.outcome.Refusal == "" {
			d.outcome.Refusal = string(c.answer[:min(len(c.answer), 1500)])
		}
	}
}

var (
	endOfHead = []byte("\r\n\r\n")
	length    = []byte("\r\nContent-Length: ")
)

// complete understands answers with a length, which is all that the servers here send; one without has no body.
func complete(answer []byte) bool {
	head := bytes.Index(answer, endOfHead)
	if head < 0 {
		return false
	}
	at := bytes.Index(answer[:head], length)
	if at < 0 {
		return true
	}
	digits := answer[at+len(length) : head+2]
	size, err := strconv.Atoi(string(digits[:bytes.IndexByte(digits, '\r')]))
	return err != nil || len(answer) >= head+len(endOfHead)+size
}
