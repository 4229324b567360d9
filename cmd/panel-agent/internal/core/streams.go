package core

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// States of a socket in the kernel's tables.
const (
	tcpEstablished = "01"
	tcpListen      = "0A"
)

// Door is a range of ports on which an inbound of the core listens.
type Door struct {
	Tag  string `json:"tag"`
	IP   string `json:"ip,omitempty"` // empty: all addresses
	From int    `json:"from"`
	To   int    `json:"to"`
}

// Sessions counts the established TCP connections of each inbound. One without a TCP listener, whose sessions the
// kernel does not know, is missing.
func Sessions(doors []Door) map[string]int64 {
	open := map[string]int64{}
	behind := lookup(doors)
	eachSocket(func(state string, local netip.AddrPort, _ []byte) {
		for _, tag := range behind(local) {
			switch state {
			case tcpEstablished:
				open[tag]++
			case tcpListen:
				open[tag] += 0 // it is there
			}
		}
	})
	return open
}

// lookup finds the inbounds at an address. Each port is looked for once: the host's own connections have thousands.
func lookup(doors []Door) func(netip.AddrPort) []string {
	type known struct {
		ip  netip.Addr // not valid: all addresses
		tag string
	}
	ports := map[uint16][]known{}
	at := func(port uint16) []known {
		found, seen := ports[port]
		if seen {
			return found
		}
		for _, d := range doors {
			if d.From <= int(port) && int(port) <= d.To {
				ip, _ := netip.ParseAddr(d.IP)
				if ip.IsUnspecified() {
					ip = netip.Addr{}
				}
				found = append(found, known{ip.Unmap(), d.Tag})
			}
		}
		ports[port] = found
		return found
	}
	return func(local netip.AddrPort) []string {
		var tags []string
		for _, k := range at(local.Port()) {
			at := !k.ip.IsValid() || k.ip == local.Addr() || local.Addr().IsUnspecified()
			if at && !slices.Contains(tags, k.tag) {
				tags = append(tags, k.tag)
			}
		}
		return tags
	}
}

// openStreams counts the established TCP connections of this process that came in through one of the doors.
func openStreams(doors []Door) int {
	mine, behind, open := ownSockets(), lookup(doors), 0
	eachSocket(func(state string, local netip.AddrPort, inode []byte) {
		if state == tcpEstablished && mine[string(inode)] && len(behind(local)) > 0 {
			open++
		}
	})
	return open
}

// eachSocket visits the TCP sockets of this network, also those without a listener.
func eachSocket(visit func(state string, local netip.AddrPort, inode []byte)) {
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			readSocket(lines.Bytes(), visit)
		}
		_ = file.Close()
	}
}

// readSocket knows the fields by their places: number, local and remote address, state, six more, inode.
func readSocket(line []byte, visit func(state string, local netip.AddrPort, inode []byte)) {
	var fields [10][]byte
	at := 0
	for field := range bytes.FieldsSeq(line) {
		if at == len(fields) {
			break
		}
		fields[at] = field
		at++
	}
	state := string(fields[3])
	if at < len(fields) || state != tcpEstablished && state != tcpListen {
		return
	}
	if local, ok := parseAddress(fields[1]); ok {
		visit(state, local, fields[9])
	}
}

// parseAddress reads the kernel's form: the address in words of the host's order, a colon, the port.
func parseAddress(text []byte) (netip.AddrPort, bool) {
	address, digits, found := bytes.Cut(text, []byte{':'})
	var raw [16]byte
	if !found || len(address) != 8 && len(address) != 32 {
		return netip.AddrPort{}, false
	}
	n, err := hex.Decode(raw[:], address)
	port, portErr := strconv.ParseUint(string(digits), 16, 16)
	if err != nil || portErr != nil {
		return netip.AddrPort{}, false
	}
	for at := 0; at < n; at += 4 {
		binary.BigEndian.PutUint32(raw[at:], binary.NativeEndian.Uint32(raw[at:]))
	}
	ip, _ := netip.AddrFromSlice(raw[:n])
	return netip.AddrPortFrom(ip.Unmap(), uint16(port)), true
}

func ownSockets() map[string]bool {
	found := map[string]bool{}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return found
	}
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err == nil && strings.HasPrefix(target, "socket:[") {
			found[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	return found
}
