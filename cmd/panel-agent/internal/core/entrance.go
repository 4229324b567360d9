package core

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/xtls/xray-core/common/serial"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/inbound"
	"github.com/xtls/xray-core/proxy"
	"golang.org/x/sys/unix"

	"panel/cmd/panel-agent/internal/core/buffered"
)

const (
	listenLimit = 2 * time.Second // a listener of gRPC opens its socket after it has said that it listens
	listenPoll  = 5 * time.Millisecond
)

// entrance holds the inbounds that are exchanged while the core runs, and those whose listener cannot be closed without
// cutting its connections. The core knows each of them as a gate.
type entrance struct {
	dir    string // of the certificates
	raw    []byte
	seen   map[string]listener
	roster *roster
	core   *xray.Instance
	gates  []*gate
	mu     sync.Mutex // one exchange at a time, with the overlap that belongs to it
}

func newEntrance(raw []byte, dir string, r *roster) *entrance {
	return &entrance{dir: dir, raw: raw, seen: listeners(raw), roster: r}
}

// take removes the inbounds that get a gate from a configuration.
func (e *entrance) take(config *xray.Config) (own []*xray.InboundHandlerConfig) {
	var rest []*xray.InboundHandlerConfig
	for _, in := range config.Inbound {
		if l := e.seen[in.Tag]; in.Tag != "" && (len(l.hosts) > 0 || l.network == "grpc") {
			own = append(own, in)
		} else {
			rest = append(rest, in)
		}
	}
	config.Inbound = rest
	return own
}

// fill gives the core its gates; they open with it.
func (e *entrance) fill(core *xray.Instance, own []*xray.InboundHandlerConfig, held certificates) error {
	e.core = core
	manager, ok := core.GetFeature(inbound.ManagerType()).(inbound.Manager)
	if !ok && len(own) > 0 {
		return errors.New("make the core: it has no inbounds")
	}
	for _, in := range own {
		handler, err := e.create(in)
		if err != nil {
			return err
		}
		l := e.seen[in.Tag]
		ports, err := doors(&xray.Config{Inbound: []*xray.InboundHandlerConfig{in}})
		if err != nil {
			return err
		}
		g := &gate{listener: l, doors: ports, shown: held.digest(l.hosts), handler: handler}
		if err := manager.AddHandler(context.Background(), g); err != nil {
			return fmt.Errorf("make the core: %w", err)
		}
		e.gates = append(e.gates, g)
	}
	return nil
}

func (e *entrance) create(in *xray.InboundHandlerConfig) (inbound.Handler, error) {
	if e.seen[in.Tag].network == "grpc" {
		var err error
		if in, err = buffered.Inbound(in); err != nil {
			return nil, err
		}
	}
	made, err := xray.CreateObject(e.core, in)
	if err != nil {
		return nil, fmt.Errorf("make the inbound %s: %w", in.Tag, err)
	}
	handler, ok := made.(inbound.Handler)
	if !ok {
		return nil, fmt.Errorf("make the inbound %s: it is none", in.Tag)
	}
	return handler, nil
}

// exchange reads what the node holds and exchanges every inbound that shows something else. The new one listens before
// the old one stops; after an error the old one serves on.
func (e *entrance) exchange() error {
	e.mu.Lock()
	e.roster.mu.Lock() // no client comes or goes between the making of an inbound and its service
	defer e.roster.mu.Unlock()
	held, err := readCertificates(e.dir)
	if err != nil {
		e.mu.Unlock()
		return err
	}
	config, err := build(e.raw, held, e.roster.held)
	if err != nil {
		e.mu.Unlock()
		return err
	}
	var left []func()
	var problems []error
	for _, g := range e.gates {
		shown := held.digest(g.hosts)
		if len(g.hosts) == 0 || shown == g.shown {
			continue
		}
		leave, err := e.exchangeOne(g, config)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		g.shown = shown
		left = append(left, leave)
	}
	go func() { // handshakes that are under way at the old ones end there
		defer e.mu.Unlock()
		if len(left) > 0 {
			time.Sleep(overlap)
		}
		for _, leave := range left {
			leave()
		}
	}()
	return errors.Join(problems...)
}

func (e *entrance) exchangeOne(g *gate, config *xray.Config) (leave func(), err error) {
	for _, in := range config.Inbound {
		if in.Tag != g.Tag() {
			continue
		}
		next, err := e.create(in)
		if err != nil {
			return nil, err
		}
		return g.exchange(next)
	}
	return nil, fmt.Errorf("exchange the inbound %s: the configuration has none", g.Tag())
}

// gate is an inbound as the core knows it, whoever serves behind it.
type gate struct {
	listener
	doors   []Door
	shown   string // digest of the certificates
	mu      sync.Mutex
	handler inbound.Handler
	sockets map[int]uint64 // listening, with their inodes
}

func (g *gate) serving() inbound.Handler {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.handler
}

// Start opens the gate with the core.
func (g *gate) Start() error {
	_, err := g.listen(g.serving())
	return err
}

// Close stops listening and leaves the connections alone.
func (g *gate) Close() error {
	g.mu.Lock()
	handler, sockets := g.handler, g.sockets
	g.mu.Unlock()
	return g.leave(handler, sockets)
}

// Tag is the name of the inbound.
func (g *gate) Tag() string { return g.serving().Tag() }

// ReceiverSettings are those of who serves now.
func (g *gate) ReceiverSettings() *serial.TypedMessage { return g.serving().ReceiverSettings() }

// ProxySettings are those of who serves now.
func (g *gate) ProxySettings() *serial.TypedMessage { return g.serving().ProxySettings() }

// GetInbound gives the proxy behind the gate, as the core asks for it.
func (g *gate) GetInbound() proxy.Inbound {
	if behind, ok := g.serving().(proxy.GetInbound); ok {
		return behind.GetInbound()
	}
	return nil
}

// listen starts a handler and waits until its sockets are there.
func (g *gate) listen(handler inbound.Handler) (before map[int]uint64, err error) {
	before = listening(g.doors)
	if err := handler.Start(); err != nil {
		return before, errors.Join(err, handler.Close())
	}
	if g.network == "hysteria" { // it listens when it has started, for datagrams
		g.mu.Lock()
		g.handler = handler
		g.mu.Unlock()
		return before, nil
	}
	want := 0
	for _, d := range g.doors {
		want += d.To - d.From + 1
	}
	for until := time.Now().Add(listenLimit); ; time.Sleep(listenPoll) {
		fresh := listening(g.doors)
		for fd, inode := range before {
			if fresh[fd] == inode {
				delete(fresh, fd)
			}
		}
		if len(fresh) >= want {
			g.mu.Lock()
			g.handler, g.sockets = handler, fresh
			g.mu.Unlock()
			return before, nil
		}
		if time.Now().After(until) {
			return before, errors.Join(fmt.Errorf("the inbound %s does not listen", handler.Tag()), handler.Close())
		}
	}
}

// exchange lets next listen; leave ends the listening of who served before.
func (g *gate) exchange(next inbound.Handler) (leave func(), err error) {
	g.mu.Lock()
	old, sockets := g.handler, g.sockets
	g.mu.Unlock()
	if _, err := g.listen(next); err != nil {
		return nil, fmt.Errorf("exchange the inbound %s: %w", old.Tag(), err)
	}
	steerToNewest()
	return func() {
		if err := g.leave(old, sockets); err != nil {
			fmt.Fprintln(os.Stderr, "close an exchanged inbound:", err)
		}
	}, nil
}

// leave stops a handler from listening. That of gRPC would end its connections when it is closed, so only its sockets
// are; every other one leaves its connections alone.
func (g *gate) leave(handler inbound.Handler, sockets map[int]uint64) error {
	if g.network != "grpc" {
		return handler.Close()
	}
	now := listening(g.doors)
	for fd, inode := range sockets {
		if now[fd] == inode {
			_ = unix.Shutdown(fd, unix.SHUT_RDWR)
		}
	}
	return nil
}

// listening gives the sockets of this process that listen at doors, with their inodes: a number may be used again.
func listening(at []Door) map[int]uint64 {
	found, behind := map[int]uint64{}, lookup(at)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return found
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(filepath.Base(entry.Name()))
		if err != nil {
			continue
		}
		if accepts, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err != nil || accepts == 0 {
			continue
		}
		var stat unix.Stat_t
		if local, ok := boundTo(fd); ok && len(behind(local)) > 0 && unix.Fstat(fd, &stat) == nil {
			found[fd] = stat.Ino
		}
	}
	return found
}

// boundTo is the address of an internet socket.
func boundTo(fd int) (netip.AddrPort, bool) {
	address, err := unix.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}, false
	}
	switch at := address.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port)), true
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(at.Addr).Unmap(), uint16(at.Port)), true
	}
	return netip.AddrPort{}, false
}
