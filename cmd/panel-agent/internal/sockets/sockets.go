// Package sockets lists what listens on this host and which process has it, from /proc.
package sockets

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"panel/platform/agentapi"
)

const (
	tcpListen = "0A"
	udpOpen   = "07"
	mostShown = 512
)

type owner struct {
	pid  int
	name string
}

// Lister reads the listening sockets. It remembers owners, because finding one means looking at every process.
type Lister struct {
	proc string
	own  func() []int // process ids of the cores
	mu   sync.Mutex
	seen map[string]owner // by inode
}

// New makes a lister; own names the processes whose sockets count as this agent's, beside its own.
func New(own func() []int) *Lister { return &Lister{proc: "/proc", own: own, seen: map[string]owner{}} }

type found struct {
	agentapi.Socket
	inode string
}

// List gives the listening sockets, in a stable order.
func (l *Lister) List() []agentapi.Socket {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.read()
	l.learn(all)
	mine := append(l.own(), os.Getpid())
	result := make([]agentapi.Socket, 0, len(all))
	for _, f := range all {
		has := l.seen[f.inode]
		f.Process, f.Own = has.name, slices.Contains(mine, has.pid)
		result = append(result, f.Socket)
	}
	slices.SortFunc(result, func(a, b agentapi.Socket) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), strings.Compare(a.L4, b.L4), strings.Compare(a.IP, b.IP))
	})
	result = slices.Compact(result)
	return result[:min(len(result), mostShown)]
}

// Owner finds who has a socket; false when nobody listens there.
func (l *Lister) Owner(l4, ip string, port int) (agentapi.Socket, bool) {
	for _, s := range l.List() {
		if s.L4 == l4 && s.Port == port && overlap(s.IP, ip) {
			return s, true
		}
	}
	return agentapi.Socket{}, false
}

func overlap(a, b string) bool {
	x, errA := netip.ParseAddr(a)
	y, errB := netip.ParseAddr(b)
	if errA != nil || errB != nil {
		return a == b
	}
	return x.IsUnspecified() || y.IsUnspecified() || x.Unmap() == y.Unmap()
}

func (l *Lister) read() []found {
	var all []found
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		all = append(all, l.readTable(table)...)
	}
	return all
}

func (l *Lister) readTable(table string) []found {
	file, err := os.Open(filepath.Join(l.proc, "self/net", table))
	if err != nil {
		return nil
	}
	defer file.Close()
	l4, state := agentapi.TCP, tcpListen
	if strings.HasPrefix(table, "udp") {
		l4, state = agentapi.UDP, udpOpen
	}
	var all []found
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != state || !strings.HasSuffix(fields[2], ":0000") {
			continue
		}
		if ip, port, ok := parse(fields[1]); ok {
			all = append(all, found{Socket: agentapi.Socket{L4: l4, IP: ip, Port: port}, inode: fields[9]})
		}
	}
	return all
}

// parse reads the kernel's form: each group of four bytes in the host's order, here little-endian.
func parse(text string) (string, int, bool) {
	address, digits, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	port, portErr := strconv.ParseUint(digits, 16, 16)
	if err != nil || portErr != nil || len(raw)%4 != 0 {
		return "", 0, false
	}
	for at := 0; at < len(raw); at += 4 {
		slices.Reverse(raw[at : at+4])
	}
	return net.IP(raw).String(), int(port), true
}

// learn reads the processes only when a socket appears that it has not seen.
func (l *Lister) learn(all []found) {
	wanted := map[string]bool{}
	seen := map[string]owner{}
	for _, f := range all {
		if has, ok := l.seen[f.inode]; ok {
			seen[f.inode] = has
		} else {
			wanted[f.inode] = true
		}
	}
	l.seen = seen
	if len(wanted) == 0 {
		return
	}
	processes, _ := filepath.Glob(filepath.Join(l.proc, "[0-9]*"))
	for _, process := range processes {
		l.lookInto(process, wanted)
	}
	for inode := range wanted { // of a process that may not be read
		if _, ok := l.seen[inode]; !ok {
			l.seen[inode] = owner{}
		}
	}
}

func (l *Lister) lookInto(process string, wanted map[string]bool) {
	handles, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return
	}
	for _, handle := range handles {
		link, err := os.Readlink(filepath.Join(process, "fd", handle.Name()))
		inode := strings.TrimSuffix(strings.TrimPrefix(link, "socket:["), "]")
		if err != nil || !wanted[inode] {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(process))
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		l.seen[inode] = owner{pid: pid, name: strings.TrimSpace(string(name))}
	}
}

// Addresses are the host's global unicast addresses.
func Addresses() []string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var global []string
	for _, address := range all {
		if network, ok := address.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			global = append(global, network.IP.String())
		}
	}
	slices.Sort(global)
	return slices.Compact(global)
}
