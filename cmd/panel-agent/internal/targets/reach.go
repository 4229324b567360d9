package targets

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"panel/cmd/panel-agent/internal/core"
)

// errInside says that an address is this host itself or not of the public internet.
var errInside = errors.New("the target is this host itself or in a private network")

// reach decides which addresses may be dialed.
type reach struct{ allowed []netip.Prefix }

// networks reads addresses and networks that are separated by commas.
func networks(text string) (list []netip.Prefix, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(one)
		if err != nil {
			addr, failed := netip.ParseAddr(one)
			if failed != nil {
				return nil, fmt.Errorf("read %s: it must list networks, such as 10.0.0.0/8", allowVariable)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		list = append(list, prefix)
	}
	return list, nil
}

func (r reach) permits(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return slices.ContainsFunc(r.allowed, func(p netip.Prefix) bool { return p.Contains(addr) }) || !core.Inside(addr)
}

// guard is asked by the dialer with the address that is really dialed, so that nothing between the name and the
// connection changes it.
func (r reach) guard(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !r.permits(at.Addr()) {
		return errInside
	}
	return nil
}
