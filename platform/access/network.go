package access

import "net/netip"

// Network is an address as limits count it: an IPv6 customer owns a /64, and an IPv4 address may come wrapped in IPv6.
func Network(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.Prefix(64)
	if err != nil {
		return addr.String()
	}
	return prefix.String()
}
