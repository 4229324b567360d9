package core

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

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
