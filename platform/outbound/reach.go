package outbound

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"syscall"

	"code.dny.dev/ssrf"
)

// Reach says which addresses a client may call. Networks of PANEL_OUTBOUND_ALLOW are always allowed.
type Reach int

const (
	// PublicOnly allows addresses of the public internet: for webhooks, sources of data and whatever outsiders
	// influence.
	PublicOnly Reach = iota
	// Private allows private networks as well, for infrastructure that an administrator names: a mail server, S3, a
	// proxy panel beside the panel. Loopback, link-local and metadata addresses stay refused.
	Private
	// Configured allows every address: for those that come from the panel's own PANEL_ variables, which only somebody
	// with rights on the server sets.
	Configured
)

// ErrForbidden means that the target's address is outside the client's reach.
var ErrForbidden = errors.New("the address is not allowed as a target")

var privateNetworks = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")

// metadataAddresses serve credentials of cloud servers inside networks that are private otherwise.
var metadataAddresses = prefixes("100.100.100.200/32", "fd00:ec2::254/128", "fd20:ce::254/128")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// permits decides about one address after name resolution.
func (n *Network) permits(addr netip.Addr, reach Reach) error {
	addr = addr.Unmap().WithZone("")
	inside := func(p netip.Prefix) bool { return p.Contains(addr) }
	switch {
	case reach == Configured, slices.ContainsFunc(n.allowed, inside):
		return nil
	case slices.ContainsFunc(metadataAddresses, inside):
		return ErrForbidden
	case reach == Private && slices.ContainsFunc(privateNetworks, inside):
		return nil
	}
	family := "tcp6"
	if addr.Is4() {
		family = "tcp4"
	}
	if err := public.Safe(family, netip.AddrPortFrom(addr, 443).String(), nil); err != nil {
		return fmt.Errorf("%w: %w", ErrForbidden, err)
	}
	return nil
}

var public = ssrf.New()

// guard is asked by the dialer with the address that is really dialled, so that a name that changes between a check and
// the connection gains nothing.
func (n *Network) guard(reach Reach) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrForbidden, err)
		}
		return n.permits(target.Addr(), reach)
	}
}

// check looks at a target before a request. Behind a proxy, which resolves names itself, it also resolves the name and
// wants every address of it to be allowed; a name that cannot be resolved here is refused.
func (n *Network) check(ctx context.Context, target *url.URL, reach Reach) error {
	if err := wellFormed(target, reach); err != nil {
		return err
	}
	host := target.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		return n.permits(addr, reach)
	}
	if n.proxy == nil || reach == Configured {
		return nil
	}
	addresses, err := n.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return fmt.Errorf("resolve the target before it is handed to the proxy: %w", err)
	}
	for _, addr := range addresses {
		if err := n.permits(addr, reach); err != nil {
			return err
		}
	}
	return nil
}

// Address reads a target that a person typed. It refuses what no client may ever call: other schemes than http and
// https, credentials in the address, and literal addresses outside the reach. Names are judged when they are called.
func (n *Network) Address(text string, reach Reach) (*url.URL, error) {
	target, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the address cannot be read")
	}
	if err := wellFormed(target, reach); err != nil {
		return nil, err
	}
	if addr, err := netip.ParseAddr(target.Hostname()); err == nil {
		return target, n.permits(addr, reach)
	}
	return target, nil
}

func wellFormed(target *url.URL, reach Reach) error {
	switch {
	case target.Scheme != "http" && target.Scheme != "https":
		return fmt.Errorf("%w: it must begin with http:// or https://", ErrForbidden)
	case target.Hostname() == "" || target.Opaque != "":
		return fmt.Errorf("%w: it names no host", ErrForbidden)
	case target.User != nil && reach != Configured:
		return fmt.Errorf("%w: it must not carry a user name or a password", ErrForbidden)
	}
	if port := target.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return fmt.Errorf("%w: its port is no number from 1 to 65535", ErrForbidden)
		}
	}
	return nil
}
