package plan

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
)

// privateNets are the addresses that clients of a flow may not reach through a node unless the operator allows it:
// loopback, private, link-local, carrier-grade NAT, multicast, reserved and their IPv6 counterparts and embeddings.
var privateNets = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
	"::/127", "64:ff9b:1::/48", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// everyAddress is matched only by traffic whose address is known: a name that cannot be resolved does not pass.
var everyAddress = []string{"0.0.0.0/0", "::/0"}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		out[i] = netip.MustParsePrefix(t)
	}
	return out
}

func texts(nets []netip.Prefix) []string {
	out := make([]string, len(nets))
	for i, n := range nets {
		out[i] = n.String()
	}
	return out
}

var privateTexts = texts(privateNets)

// conditions turns a match into the rules that together choose the same traffic: names and addresses are alternatives,
// the other conditions hold for both.
func conditions(m *graph.Match) []Rule {
	if m.Empty() {
		return []Rule{{}}
	}
	common := Rule{Port: m.Port, Protocol: m.Protocol}
	var out []Rule
	if names := domains(m); len(names) > 0 {
		r := common
		r.Domain = names
		out = append(out, r)
	}
	if nets := addresses(m); len(nets) > 0 {
		r := common
		r.IP = nets
		out = append(out, r)
	}
	if len(out) == 0 {
		out = []Rule{common}
	}
	return out
}

func domains(m *graph.Match) []string {
	var out []string
	for _, g := range m.Geosite {
		out = append(out, geoName("geosite:", g))
	}
	for _, d := range m.Domain {
		if !strings.Contains(d, ":") {
			d = "domain:" + d
		}
		out = append(out, d)
	}
	return out
}

// geoName is a category as the core names it; one of a custom file stands with the name of the file.
func geoName(prefix, name string) string {
	if strings.Contains(name, ":") {
		return "ext:" + name
	}
	return prefix + name
}

func addresses(m *graph.Match) []string {
	var out []string
	for _, g := range m.GeoIP {
		if rest, negated := strings.CutPrefix(g, "!"); negated {
			out = append(out, "!geoip:"+rest)
			continue
		}
		out = append(out, geoName("geoip:", g))
	}
	for _, ip := range m.IP {
		if p, err := graph.ParsePrefix(ip); err == nil {
			out = append(out, p.String())
		}
	}
	return out
}

// guarded lets a condition out to the open net but not to private addresses: first the private part of what the
// condition chooses is blocked, then the rest passes if its address is known.
func guarded(cond Rule, out string) []Rule {
	if len(cond.IP) > 0 {
		return guardedNets(cond, out)
	}
	blocked, passed := cond, cond
	blocked.IP, blocked.OutboundTag = privateTexts, blockTag
	passed.IP, passed.OutboundTag = everyAddress, out
	unknown := cond
	unknown.OutboundTag = blockTag
	return []Rule{blocked, passed, unknown}
}

func guardedNets(cond Rule, out string) []Rule {
	blocked, passed := cond, cond
	blocked.IP, blocked.OutboundTag = privatePart(cond.IP), blockTag
	passed.OutboundTag = out
	if len(blocked.IP) == 0 {
		return []Rule{passed}
	}
	return []Rule{blocked, passed}
}

// privatePart intersects networks with the private ones. A geo category is not opened here: any of them may hold
// private networks, so all private networks are blocked with it.
func privatePart(nets []string) []string {
	var out []string
	for _, text := range nets {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return privateTexts
		}
		for _, private := range privateNets {
			if p.Overlaps(private) {
				out = append(out, narrower(p, private).String())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func narrower(a, b netip.Prefix) netip.Prefix {
	if a.Bits() >= b.Bits() {
		return a
	}
	return b
}

// reflection chooses the traffic of a probe to the panel's reflector.
func reflection(e Endpoint) Rule {
	r := Rule{Port: strconv.Itoa(e.Port)}
	if a, err := netip.ParseAddr(e.Host); err == nil {
		r.IP = []string{a.Unmap().String()}
		return r
	}
	r.Domain = []string{"full:" + e.Host}
	return r
}

func matchText(m *graph.Match) string {
	if m.Empty() {
		return "everything else"
	}
	var parts []string
	for _, c := range conditions(m) {
		parts = append(parts, c.Domain...)
		parts = append(parts, c.IP...)
	}
	if m.Port != "" {
		parts = append(parts, "port "+m.Port)
	}
	return strings.Join(append(parts, m.Protocol...), ", ")
}
