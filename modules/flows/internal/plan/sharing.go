package plan

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"

	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// Listeners with TLS that want one socket share it when the configuration of a node is put together. Each fragment
// stays as if it were alone, so who comes and goes beside a flow changes nothing of it:
//
//   - where clients ask for several host names, a door looks at the name in the first packet and leads to the listener
//     of that name on the loopback interface, without touching the encryption;
//   - where several listeners answer to one name, one of them ends the encryption and hands over what is not its own by
//     protocol and path: the raw one, or one without accounts that stands in for it.
//
// Behind both the PROXY protocol carries the address of the client.

// sharer is a listener that others share a socket with.
type sharer struct {
	part, at int // fragment, and inbound in it
	held     Listen
}

// share lets the listeners of sorted fragments that want one socket have it together.
func share(sorted []Fragment) []Fragment {
	groups := sharers(sorted)
	if len(groups) == 0 {
		return sorted
	}
	s := &sharing{parts: slices.Clone(sorted), doors: Fragment{}, taken: map[int]bool{}}
	for _, f := range sorted {
		for _, l := range f.Listens {
			for port := max(l.From, innerPorts); port <= min(l.To, innerPorts+innerPortCount); port++ {
				s.taken[port] = true
			}
		}
	}
	for _, group := range groups {
		s.copies(group)
		s.socket(group)
	}
	return append([]Fragment{s.doors}, s.parts...)
}

// sharers gives the listeners that want one socket, in an order that does not depend on that of the fragments.
func sharers(sorted []Fragment) [][]sharer {
	at := map[string][]sharer{}
	for i, f := range sorted {
		for _, l := range f.Listens {
			n := slices.IndexFunc(f.Inbounds, func(in Inbound) bool { return in.Tag == l.Name })
			if l.Host != "" && l.From == l.To && n >= 0 {
				socket := net.JoinHostPort(l.IP, strconv.Itoa(l.From))
				at[socket] = append(at[socket], sharer{part: i, at: n, held: l})
			}
		}
	}
	var out [][]sharer
	for _, socket := range slices.Sorted(maps.Keys(at)) {
		if len(at[socket]) > 1 {
			out = append(out, at[socket])
		}
	}
	return out
}

type sharing struct {
	parts []Fragment
	doors Fragment
	taken map[int]bool // ports that listeners on this node hold
}

// copies makes the inbounds of a group fit to be changed.
func (s *sharing) copies(group []sharer) {
	for _, m := range group {
		p := &s.parts[m.part]
		p.Inbounds, p.ready, p.digest = slices.Clone(p.Inbounds), nil, nil
		in := &p.Inbounds[m.at]
		stream := *in.Stream
		in.Stream = &stream
	}
}

func (s *sharing) socket(group []sharer) {
	byHost := map[string][]sharer{}
	for _, m := range group {
		byHost[m.held.Host] = append(byHost[m.held.Host], m)
	}
	held := group[0].held
	if len(byHost) == 1 {
		s.host(group, held.IP, strconv.Itoa(held.From), false)
		return
	}
	door := fmt.Sprintf(agentapi.SharedTag+"%s.%d", held.IP, held.From)
	for _, host := range slices.Sorted(maps.Keys(byHost)) {
		ip, port := s.inner(door + "." + host)
		s.host(byHost[host], ip, port, true)
		way := door + "." + host + ".way"
		s.doors.Outbounds = append(s.doors.Outbounds, Outbound{
			Tag: way, Protocol: "freedom",
			Settings: &outboundSettings{Redirect: net.JoinHostPort(ip, port), ProxyProtocol: proxyVersion},
		})
		s.doors.Rules = append(s.doors.Rules, Rule{
			InboundTag: []string{door}, Domain: []string{"full:" + host}, OutboundTag: way,
		})
	}
	s.doors.Inbounds = append(s.doors.Inbounds, Inbound{
		Tag: door, Listen: held.IP, Port: strconv.Itoa(held.From), Protocol: "dokodemo-door",
		Settings: inboundSettings{Clients: []user{}, Address: "127.0.0.1", Port: held.From, Network: "tcp"},
		Sniffing: &sniffing{Enabled: true, DestOverride: []string{"tls"}, RouteOnly: true},
	})
}

// proxyVersion is that of the PROXY protocol which carries the addresses of clients.
const proxyVersion = 2

// host puts the listeners of one name at an address.
func (s *sharing) host(group []sharer, ip, port string, proxied bool) {
	group = slices.Clone(group)
	slices.SortFunc(group, func(a, b sharer) int { return cmp.Compare(a.held.Path, b.held.Path) })
	head := s.head(group, ip, port)
	head.Listen, head.Port = ip, port
	if proxied {
		head.Stream.Socket = &socketParams{Proxied: true}
	}
	for _, m := range group {
		in := &s.parts[m.part].Inbounds[m.at]
		if in == head {
			continue
		}
		innerIP, innerPort := s.inner(in.Tag)
		in.Listen, in.Port = innerIP, innerPort
		in.Stream.Security, in.Stream.TLS, in.Stream.Socket = "", nil, &socketParams{Proxied: true}
		way := fallback{Path: m.held.Path, Dest: net.JoinHostPort(innerIP, innerPort), Xver: proxyVersion}
		switch in.Stream.Network {
		case "grpc":
			way.ALPN, way.Path = "h2", ""
		case "xhttp":
			way.Path = ""
		}
		head.Settings.Fallbacks = append(head.Settings.Fallbacks, way)
	}
}

// head is the listener of a name that ends the encryption.
func (s *sharing) head(group []sharer, ip, port string) *Inbound {
	first := group[0]
	if len(group) == 1 || first.held.Path == "" {
		return &s.parts[first.part].Inbounds[first.at]
	}
	raw := graph.Listener{Transport: "raw"}
	s.doors.Inbounds = append(s.doors.Inbounds, Inbound{
		Tag: fmt.Sprintf(agentapi.SharedTag+"%s.%s.%s", ip, port, first.held.Host), Protocol: "vless",
		Settings: inboundSettings{Clients: []user{}, Decryption: "none"},
		Stream:   &stream{Network: "raw", Security: graph.TLS, TLS: serverTLS(first.held.Host, raw)},
	})
	return &s.doors.Inbounds[len(s.doors.Inbounds)-1]
}

// First and count of the ports on the loopback interface behind a shared one. They are not those of other listeners, so
// that the open connections of each are counted by its own port.
const (
	innerPorts     = 10000
	innerPortCount = 9000
)

// inner is the place of a listener behind a shared socket: it follows from its name, so that it stays while others come
// and go.
func (s *sharing) inner(name string) (ip, port string) {
	seed := derive([]byte(name), "inner", 5)
	at := (int(seed[3])<<8 | int(seed[4])) % innerPortCount
	for range innerPortCount {
		if !s.taken[innerPorts+at] {
			break
		}
		at = (at + 1) % innerPortCount
	}
	s.taken[innerPorts+at] = true
	// 127.64.0.1 to 127.127.255.254: beside what programs and resolvers use.
	return fmt.Sprintf("127.%d.%d.%d", 64+int(seed[0])%64, seed[1], 1+int(seed[2])%254), strconv.Itoa(innerPorts + at)
}
