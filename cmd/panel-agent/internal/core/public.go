package core

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/transport/internet"
	"golang.org/x/sys/unix"
)

// publicSuffix ends the tags of outbounds that must not reach private addresses. The core's rules see the first
// destination of a connection; this dialer checks the address that is really dialled, after the name was resolved,
// and at every datagram.
const publicSuffix = ".public"

var privateNetworks = networks(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
	"::/127", "64:ff9b:1::/48", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func networks(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// private sees through the IPv6 forms that carry an IPv4 address.
func private(addr netip.Addr) bool {
	addr = embedded(addr.Unmap().WithZone(""))
	return slices.ContainsFunc(privateNetworks, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// Inside says whether an address is private or leads to this host, whose services its firewall may keep from the net
// but not from a process of its own. An address that cannot be judged counts as inside.
func Inside(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if private(addr) {
		return true
	}
	forms := []netip.Addr{addr}
	if v4 := embedded(addr); v4 != addr {
		forms = append(forms, v4)
	}
	return slices.ContainsFunc(forms, func(form netip.Addr) bool {
		local, err := host.local(form)
		return local || err != nil
	})
}

var (
	// NAT64, SIIT and IPv4-compatible: the last four bytes
	carriers  = networks("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

func embedded(addr netip.Addr) netip.Addr {
	raw := addr.As16()
	switch {
	case addr.Is4(), addr == netip.IPv6Unspecified(), addr == netip.IPv6Loopback():
		return addr
	case slices.ContainsFunc(carriers, func(n netip.Prefix) bool { return n.Contains(addr) }):
		return netip.AddrFrom4([4]byte(raw[12:16]))
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(raw[2:6]))
	}
	return addr
}

var errPrivate = errors.New("the destination is a private address or this host, which this flow does not reach")

// publicDialer is the core's own dialer behind a check of the address.
type publicDialer struct{ internet.DefaultSystemDialer }

// guardPrivate makes the core in this process dial through the guard.
func guardPrivate() { internet.UseAlternativeSystemDialer(&publicDialer{}) }

// Dial refuses private addresses and those of the host to outbounds whose tag says so.
func (d *publicDialer) Dial(ctx context.Context, source xnet.Address, to xnet.Destination,
	options *internet.SocketConfig,
) (net.Conn, error) {
	if !guarded(ctx) {
		conn, err := d.DefaultSystemDialer.Dial(ctx, source, to, options)
		if err != nil {
			dialFailed(ctx, err)
		}
		return conn, err
	}
	to, err := public(ctx, to)
	if err != nil {
		return nil, err
	}
	conn, err := d.DefaultSystemDialer.Dial(ctx, source, to, options)
	if packets, ok := conn.(*internet.PacketConnWrapper); ok {
		packets.PacketConn = &publicPackets{PacketConn: packets.PacketConn}
	}
	return conn, err
}

func guarded(ctx context.Context) bool {
	outbounds := session.OutboundsFromContext(ctx)
	return len(outbounds) > 0 && strings.HasSuffix(outbounds[len(outbounds)-1].Tag, publicSuffix)
}

// public resolves a name here and now, so that the address that was looked at is the one that is dialled.
func public(ctx context.Context, to xnet.Destination) (xnet.Destination, error) {
	addresses, err := resolve(ctx, to.Address)
	if err != nil {
		return to, err
	}
	for _, addr := range addresses {
		if !Inside(addr) {
			to.Address = xnet.IPAddress(addr.Unmap().AsSlice())
			return to, nil
		}
	}
	return to, errPrivate
}

func resolve(ctx context.Context, address xnet.Address) ([]netip.Addr, error) {
	if !address.Family().IsDomain() {
		addr, ok := netip.AddrFromSlice(address.IP())
		if !ok {
			return nil, errPrivate
		}
		return []netip.Addr{addr}, nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", address.Domain())
	if err != nil {
		return nil, fmt.Errorf("resolve a destination: %w", err)
	}
	return found, nil
}

// publicPackets drops datagrams to private addresses and to the host, as a network without a route would. Judgements
// are cached for a moment: a stream of datagrams must not ask the kernel about each.
type publicPackets struct {
	net.PacketConn
	mu     sync.Mutex
	judged map[netip.Addr]judgement
}

type judgement struct {
	inside bool
	until  time.Time
}

const (
	judgementLife  = time.Second
	mostJudgements = 256
)

// WriteTo lets the core believe that a dropped datagram was sent: UDP promises no more.
func (p *publicPackets) WriteTo(data []byte, to net.Addr) (int, error) {
	target, err := netip.ParseAddrPort(to.String())
	if err != nil || p.inside(target.Addr()) {
		return len(data), nil
	}
	return p.PacketConn.WriteTo(data, to)
}

func (p *publicPackets) inside(addr netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if known, ok := p.judged[addr]; ok && now.Before(known.until) {
		return known.inside
	}
	if p.judged == nil || len(p.judged) >= mostJudgements {
		p.judged = map[netip.Addr]judgement{}
	}
	found := judgement{inside: Inside(addr), until: now.Add(judgementLife)}
	p.judged[addr] = found
	return found.inside
}

// hostRoutes asks the kernel where an address leads. Only the kernel knows all addresses of the host at this moment:
// those of its interfaces, also the ones that come and go, and whole networks that a route of type local brings home.
type hostRoutes struct {
	open   func() (*netlink.Handle, error)
	mu     sync.Mutex
	handle *netlink.Handle
}

var host = &hostRoutes{open: func() (*netlink.Handle, error) { return netlink.NewHandle(unix.NETLINK_ROUTE) }}

// local says whether packets to the address are delivered on this host. An address without a route is not local.
func (h *hostRoutes) local(addr netip.Addr) (bool, error) {
	kind, err := h.kind(addr)
	if err == nil {
		return kind == unix.RTN_LOCAL || kind == unix.RTN_BROADCAST || kind == unix.RTN_ANYCAST, nil
	}
	for _, unroutable := range []syscall.Errno{unix.ENETUNREACH, unix.EHOSTUNREACH, unix.EACCES, unix.EINVAL} {
		if errors.Is(err, unroutable) {
			return false, nil
		}
	}
	return onInterface(addr)
}

// kind is the type of the route that the kernel would take.
func (h *hostRoutes) kind(addr netip.Addr) (int, error) {
	handle, err := h.socket()
	if err != nil {
		return 0, err
	}
	routes, err := handle.RouteGet(addr.AsSlice())
	if err != nil {
		return 0, fmt.Errorf("ask the kernel for a route: %w", err)
	}
	if len(routes) == 0 {
		return unix.RTN_UNREACHABLE, nil
	}
	return routes[0].Type, nil
}

// socket opens the connection to the kernel once; a failure is not remembered.
func (h *hostRoutes) socket() (*netlink.Handle, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.handle == nil {
		handle, err := h.open()
		if err != nil {
			return nil, fmt.Errorf("open a socket for routes: %w", err)
		}
		h.handle = handle
	}
	return h.handle, nil
}

// onInterface compares with the addresses of the interfaces, for kernels that answer no question about a single route.
func onInterface(addr netip.Addr) (bool, error) {
	known, err := net.InterfaceAddrs()
	if err != nil {
		return false, fmt.Errorf("read the addresses of this host: %w", err)
	}
	for _, one := range known {
		if network, ok := one.(*net.IPNet); ok && network.IP.Equal(addr.AsSlice()) {
			return true, nil
		}
	}
	return false, nil
}
