package blocks

import (
	"bufio"
	"context"
	"encoding/hex"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/platform/agentapi"
)

// Reasons for which a block is left out.
const (
	reasonForm     = "no network"
	reasonLoopback = "this host itself"
	reasonPrivate  = "private"
	reasonOwn      = "an address of this server"
	reasonPanel    = "the panel"
	reasonSSH      = "somebody looks after the server from there"
)

const (
	resolveLimit = 3 * time.Second
	portSSH      = 22
)

var (
	loopbacks = prefixes("127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128")
	privates  = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
		"224.0.0.0/4", "240.0.0.0/4", "fc00::/7", "fe80::/10", "ff00::/8")
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// guards are the addresses that are never blocked.
type guards struct{ own, panel, peers []netip.Addr }

// refusal says why a network is not blocked; empty: it is.
func (g *guards) refusal(network netip.Prefix) string {
	holds := func(addr netip.Addr) bool { return network.Contains(addr) }
	switch {
	case slices.ContainsFunc(loopbacks, network.Overlaps):
		return reasonLoopback
	case slices.ContainsFunc(privates, network.Overlaps):
		return reasonPrivate
	case slices.ContainsFunc(g.own, holds):
		return reasonOwn
	case slices.ContainsFunc(g.panel, holds):
		return reasonPanel
	case slices.ContainsFunc(g.peers, holds):
		return reasonSSH
	}
	return ""
}

// networkOf reads an address or a network. An IPv4 one in the form of IPv6 is the IPv4 one.
func networkOf(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap().WithZone("")
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	const mapped = 96
	if network.Addr().Is4In6() {
		if network.Bits() < mapped {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mapped)
	}
	return network.Masked(), true
}

// addressesOfPanel are those that the address of the panel stands for now.
func addressesOfPanel(ctx context.Context, base string) []netip.Addr {
	parsed, err := url.Parse(base)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", parsed.Hostname()) // without an answer it is not known
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found
}

// own are the addresses of this host's interfaces.
func own() []netip.Addr {
	found, _ := net.InterfaceAddrs() // what cannot be read is not known
	var all []netip.Addr
	for _, one := range found {
		if prefix, err := netip.ParsePrefix(one.String()); err == nil {
			all = append(all, prefix.Addr().Unmap())
		}
	}
	return all
}

// sshPorts are those at which the host lets somebody log in.
func sshPorts(sockets []agentapi.Socket) map[int]bool {
	ports := map[int]bool{portSSH: true}
	for _, socket := range sockets {
		if socket.L4 == agentapi.TCP && strings.HasPrefix(socket.Process, "sshd") {
			ports[socket.Port] = true
		}
	}
	return ports
}

// peersOn are the addresses that have a connection to one of the ports.
func peersOn(ports map[int]bool) (peers []netip.Addr) {
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if peer, on := peerIn(lines.Text(), ports); on {
				peers = append(peers, peer)
			}
		}
		_ = file.Close()
	}
	return peers
}

// peerIn reads a line of the kernel's table: number, local and remote address, state.
func peerIn(line string, ports map[int]bool) (netip.Addr, bool) {
	const established, least = "01", 4
	fields := strings.Fields(line)
	if len(fields) < least || fields[3] != established {
		return netip.Addr{}, false
	}
	_, digits, _ := strings.Cut(fields[1], ":")
	port, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || !ports[int(port)] {
		return netip.Addr{}, false
	}
	address, _, _ := strings.Cut(fields[2], ":")
	return addressIn(address)
}

// addressIn reads the kernel's form, words of the host's order; the agent runs on machines of one order alone.
func addressIn(text string) (netip.Addr, bool) {
	const word = 4
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw)%word != 0 {
		return netip.Addr{}, false
	}
	for at := 0; at < len(raw); at += word {
		slices.Reverse(raw[at : at+word])
	}
	addr, fine := netip.AddrFromSlice(raw)
	return addr.Unmap(), fine
}
