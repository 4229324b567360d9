// Package reach decides which addresses an agent may dial on somebody's word: those of the public internet, and the
// networks that the server's own settings open.
package reach

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"

	"panel/cmd/panel-agent/internal/core"
)

// ErrInside says that an address is this host itself or not of the public internet.
var ErrInside = errors.New("the target is this host itself or in a private network")

// variable opens networks that are closed otherwise, as it does for the panel; tests set it.
const variable = "PANEL_OUTBOUND_ALLOW"

// Reach is what may be dialed.
type Reach struct{ allowed []netip.Prefix }

// FromEnvironment reads the networks that are open beside the public internet.
func FromEnvironment() (Reach, error) { return Of(os.Getenv(variable)) }

// Of reads addresses and networks that are separated by commas.
func Of(text string) (Reach, error) {
	var list []netip.Prefix
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(one)
		if err != nil {
			addr, failed := netip.ParseAddr(one)
			if failed != nil {
				return Reach{}, fmt.Errorf("read %s: it must list networks, such as 10.0.0.0/8", variable)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		list = append(list, prefix)
	}
	return Reach{list}, nil
}

// Permits decides about one address.
func (r Reach) Permits(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return slices.ContainsFunc(r.allowed, func(p netip.Prefix) bool { return p.Contains(addr) }) || !core.Inside(addr)
}

// Guard is asked by the dialer with the address that is really dialed, so that nothing between the name and the
// connection changes it.
func (r Reach) Guard(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !r.Permits(at.Addr()) {
		return ErrInside
	}
	return nil
}
