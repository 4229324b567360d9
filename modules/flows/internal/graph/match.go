package graph

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"panel/platform/pattern"
)

var errForm = errors.New("write 192.0.2.1, 2001:db8::1 or 10.0.0.0/8")

var geoForm = pattern.Of(`^!?[a-zA-Z0-9][a-zA-Z0-9@._-]{0,63}$`)

// geoIn is a category of the usual file, or of a custom one.
func geoIn(text string) bool {
	file, category, custom := strings.Cut(text, ":")
	if !custom {
		return geoForm().MatchString(text)
	}
	return geoFileForm().MatchString(file) && geoForm().MatchString(category)
}

var geoFileForm = pattern.Of(`^[a-z0-9_-][a-z0-9._-]{0,59}\.dat$`)

var setForm = pattern.Of(`^[a-z0-9][a-z0-9_-]{0,39}$`)

func (c *checker) match(path string, m *Match) {
	if m == nil {
		return
	}
	c.each(path+".geosite", m.Geosite, geoIn, "name a category of the geosite file, or custom.dat:category")
	c.each(path+".geoip", m.GeoIP, geoIn, "name a category of the geoip file, or custom.dat:category")
	c.each(path+".domain", m.Domain, validDomain, "write a domain, or full:, keyword: or regexp: before a pattern")
	c.each(path+".ip", m.IP, validAddress, "write an address or a network such as 10.0.0.0/8")
	c.each(path+".protocol", m.Protocol, validProtocol, "use http, tls, quic or bittorrent")
	c.each(path+".sets", m.Sets, setForm().MatchString, "name a set of the policy catalogue")
	if m.Port != "" && !validPorts(m.Port) {
		c.add("invalid_value", path+".port", "write ports and ranges such as 80,443,1000-2000")
	}
}

func (c *checker) each(path string, values []string, valid func(string) bool, message string) {
	for i, v := range values {
		if !valid(v) {
			c.add("invalid_value", path+"["+strconv.Itoa(i)+"]", message)
		}
	}
}

func validDomain(v string) bool {
	prefix, rest, found := strings.Cut(v, ":")
	if !found {
		return isHost(v)
	}
	switch prefix {
	case "full", "domain":
		return isHost(rest)
	case "keyword":
		return nameForm().MatchString(rest)
	case "regexp":
		return true // all of them are bounded and read together
	}
	return false
}

func validAddress(v string) bool {
	_, err := ParsePrefix(v)
	return err == nil
}

// ParsePrefix reads an address or a network; an address is the network of itself.
func ParsePrefix(v string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(v); err == nil && !p.Addr().Is4In6() {
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(v)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("read an address or a network: %w", errors.Join(err, errForm))
	}
	a = a.Unmap()
	return a.Prefix(a.BitLen())
}

func validProtocol(v string) bool { return oneOf(v, "http", "tls", "quic", "bittorrent") }

func validPorts(v string) bool {
	for _, part := range strings.Split(v, ",") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		from, errA := strconv.Atoi(a)
		to, errB := strconv.Atoi(b)
		if errA != nil || errB != nil || from < 1 || from > to || to > 65535 || a[0] == '+' || b[0] == '+' {
			return false
		}
	}
	return true
}
