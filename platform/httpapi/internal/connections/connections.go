// Package connections bounds how many clients are connected, and makes room by closing those on which strangers are
// silent.
package connections

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"panel/platform/fault"
	"panel/platform/limits"
)

// Set bounds how many clients are connected at a time, in sum and from one address. A full server makes room by closing
// connections on which a stranger has been silent for long; whoever has proved who he is stays.
type Set struct {
	bounds  Bounds
	within  time.Duration
	proxy   func(netip.Addr) bool // whether a peer stands for many clients
	log     *zap.Logger
	refused func(*fault.Fault) []byte
	drains  *semaphore.Weighted
	looking sync.Mutex // through all connections

	mu     sync.Mutex
	open   map[*Client]struct{}
	counts map[netip.Addr]int
	logged time.Time // when the log last heard of a refusal
}

// Bounds say how many clients may be connected at a time. Zero is no bound.
type Bounds struct {
	Most       int // in sum; never more than the process has file descriptors for
	PerAddress int // from one address, or one /64 of IPv6
}

// New makes a set; refused gives the whole answer for a connection that no request is read from.
func New(bounds Bounds, within time.Duration, proxy func(netip.Addr) bool, log *zap.Logger,
	refused func(*fault.Fault) []byte,
) *Set {
	bounds.Most = affordable(bounds.Most)
	return &Set{
		bounds: bounds, within: within, proxy: proxy, log: log, refused: refused,
		drains: semaphore.NewWeighted(drainsAtOnce),
		open:   map[*Client]struct{}{}, counts: map[netip.Addr]int{},
	}
}

// keptDescriptors is what the database, logs and files of the panel have of the descriptors of the process.
const keptDescriptors = 512

// affordable is the bound that leaves the rest of the panel enough file descriptors.
func affordable(wanted int) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return wanted
	}
	descriptors := int(min(limit.Cur, 1<<30))
	most := descriptors - min(keptDescriptors, descriptors/2)
	if wanted == 0 {
		return most
	}
	return min(wanted, most)
}

// listener accepts connections within the bounds. It outlives a lack of file descriptors and memory.
type listener struct {
	net.Listener
	*Set
}

// Listen accepts what comes to a listener within the bounds.
func (l *Set) Listen(on net.Listener) net.Listener { return listener{on, l} }

const (
	shortestPause = 5 * time.Millisecond
	longestPause  = 100 * time.Millisecond
)

// Accept gives the next connection that there is room for.
func (l listener) Accept() (net.Conn, error) {
	for pause := shortestPause; ; {
		conn, err := l.Listener.Accept()
		switch {
		case err == nil:
			if client := l.admit(conn); client != nil {
				return client, nil
			}
			pause = shortestPause
		case !passes(err):
			return nil, err
		default:
			l.warn("connections cannot be accepted at the moment", zap.Error(err))
			l.makeRoom()
			<-time.After(pause)
			pause = min(2*pause, longestPause)
		}
	}
}

// passes says whether accepting may succeed again later: descriptors and memory come back, and a client that left while
// it waited says nothing about the next one.
func passes(err error) bool {
	for _, passing := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR,
		syscall.EPROTO,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

var (
	errFull = fault.Unavailable("the panel has as many connections as it takes; try again").After(5 * time.Second)
	errMany = fault.Throttled(5 * time.Second)
)

// admit counts the connection; nil after it has refused it.
func (l *Set) admit(conn net.Conn) *Client {
	peer := peerOf(conn)
	client := &Client{Conn: conn, of: l, within: l.within, peer: peer, from: limits.Of(peer)}
	refusal := l.enter(client)
	if refusal == errFull && l.makeRoom() {
		refusal = l.enter(client)
	}
	if refusal == nil {
		return client
	}
	l.warn("a connection was refused", zap.String("ip", client.peer.String()), zap.String("code", refusal.Code))
	_ = conn.SetWriteDeadline(time.Now().Add(longestPause)) //nolint:forbidigo // deadlines of connections are times of the machine
	_, _ = conn.Write(l.refused(refusal))                   // it is closed either way
	_ = conn.Close()
	return nil
}

func (l *Set) enter(client *Client) *fault.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bounds.Most > 0 && len(l.open) >= l.bounds.Most {
		return errFull
	}
	if l.bounds.PerAddress > 0 && l.counts[client.from] >= l.bounds.PerAddress && !l.shared(client.peer) {
		return errMany
	}
	l.open[client] = struct{}{}
	l.counts[client.from]++
	return nil
}

// shared says whether many clients may come from one address: a proxy of this installation, or anything on the same
// machine.
func (l *Set) shared(peer netip.Addr) bool { return peer.IsLoopback() || l.proxy(peer) }

// left forgets a connection that has ended.
func (l *Set) left(client *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, client)
	if l.counts[client.from]--; l.counts[client.from] == 0 {
		delete(l.counts, client.from)
	}
}

// drainsAtOnce bounds how many refused bodies are read to their end for the sake of the answer: a flood of them is not.
const drainsAtOnce = 64

const (
	closedAtOnce = 32 // so that a full server does not look through all of its connections for each newcomer
	silentFor    = time.Second
)

// makeRoom closes the connections of strangers that have been silent for longest.
func (l *Set) makeRoom() bool {
	l.looking.Lock()
	defer l.looking.Unlock()
	silent := l.silent()
	for _, client := range silent[:min(len(silent), closedAtOnce)] {
		client.ends.close()
		_ = client.Conn.Close() // its worker notices and leaves
		client.closed.Do(func() { l.left(client) })
	}
	return len(silent) > 0
}

func (l *Set) silent() []*Client {
	type waiting struct {
		client *Client
		since  int64
	}
	latest := time.Now().Add(-silentFor).UnixNano() //nolint:forbidigo // as above
	var found []waiting
	l.mu.Lock()
	for client := range l.open {
		if since, waits := client.waitsSince(); waits && since < latest && !l.proxy(client.peer) {
			found = append(found, waiting{client, since})
		}
	}
	l.mu.Unlock()
	slices.SortFunc(found, func(a, b waiting) int { return cmp.Compare(a.since, b.since) })
	clients := make([]*Client, len(found))
	for i := range found {
		clients[i] = found[i].client
	}
	return clients
}

// warn logs at most once a minute: what is told here comes in floods.
func (l *Set) warn(message string, fields ...zap.Field) {
	now := time.Now() //nolint:forbidigo // as above
	l.mu.Lock()
	due := now.Sub(l.logged) >= time.Minute
	if due {
		l.logged = now
	}
	open := len(l.open)
	l.mu.Unlock()
	if due {
		l.log.Warn(message, append(fields, zap.Int("connections", open))...)
	}
}

// peerOf is the address of the other side.
func peerOf(conn net.Conn) netip.Addr {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}
