// Package telemetry reads how the host does, from /proc, and what the core has carried.
package telemetry

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/agentapi"
)

// Host reads samples; rates are taken against the reading before.
type Host struct {
	proc  string
	disk  string
	clock clockwork.Clock
	last  reading
}

// reading holds the counters that only rise.
type reading struct {
	at                          time.Time
	busy, total                 float64
	rxBytes, txBytes, rxPackets float64
	syncookies, drops           float64
}

// NewHost reads from /proc; diskPath is a place on the file system to report.
func NewHost(clock clockwork.Clock, diskPath string) *Host { return newHost(clock, "/proc", diskPath) }

func newHost(clock clockwork.Clock, proc, diskPath string) *Host {
	h := &Host{proc: proc, disk: diskPath, clock: clock}
	h.last = h.read()
	return h
}

// Sample is the state of the host now. What cannot be read stays zero: a missing file is no reason to report nothing.
func (h *Host) Sample() agentapi.Sample {
	now := h.read()
	sample := agentapi.Sample{ObservedAt: now.at.UTC()}
	h.rates(&sample, now)
	h.levels(&sample)
	h.last = now
	return sample
}

func (h *Host) rates(s *agentapi.Sample, now reading) {
	seconds := now.at.Sub(h.last.at).Seconds()
	rate := func(now, before float64) float64 {
		if seconds <= 0 || now < before { // a counter that went back has begun anew
			return 0
		}
		return (now - before) / seconds
	}
	if total := now.total - h.last.total; total > 0 {
		s.CPUPercent = min(100, max(0, 100*(now.busy-h.last.busy)/total))
	}
	s.NetRxBps, s.NetTxBps = 8*rate(now.rxBytes, h.last.rxBytes), 8*rate(now.txBytes, h.last.txBytes)
	s.RxPps = rate(now.rxPackets, h.last.rxPackets)
	s.SyncookiesPs, s.ListenDropsPs = rate(now.syncookies, h.last.syncookies), rate(now.drops, h.last.drops)
}

func (h *Host) levels(s *agentapi.Sample) {
	if load := h.fields("loadavg"); len(load) > 0 {
		s.Load1 = number(load[0])
	}
	memory := h.table("meminfo")
	s.MemTotal = int64(memory["MemTotal"]) << 10
	s.MemUsed = max(0, s.MemTotal-int64(memory["MemAvailable"])<<10)
	var fs syscall.Statfs_t
	if syscall.Statfs(h.disk, &fs) == nil {
		s.DiskTotal = int64(fs.Blocks) * fs.Bsize
		s.DiskUsed = s.DiskTotal - int64(fs.Bfree)*fs.Bsize
	}
	s.TCPEstablished = int64(h.established())
	s.ConntrackCount = int64(h.single("sys/net/netfilter/nf_conntrack_count"))
	s.ConntrackMax = int64(h.single("sys/net/netfilter/nf_conntrack_max"))
	s.UptimeSeconds = int64(h.single("uptime"))
}

func (h *Host) read() reading {
	now := reading{at: h.clock.Now()}
	h.readCPU(&now)
	h.readNetwork(&now)
	drops := h.pairs("net/netstat", "TcpExt")
	now.syncookies, now.drops = drops["SyncookiesSent"], drops["ListenDrops"]
	return now
}

func (h *Host) readCPU(now *reading) {
	fields := h.fields("stat")
	for at := 1; at <= 8 && at < len(fields); at++ { // user nice system idle iowait irq softirq steal
		value := number(fields[at])
		now.total += value
		if at != 4 && at != 5 {
			now.busy += value
		}
	}
}

func (h *Host) readNetwork(now *reading) {
	h.eachLine("net/dev", func(line string) {
		name, rest, found := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if !found || len(fields) < 16 || strings.TrimSpace(name) == "lo" {
			return
		}
		now.rxBytes += number(fields[0])
		now.rxPackets += number(fields[1])
		now.txBytes += number(fields[8])
	})
}

// established is read from the kernel's own count, which costs the same with ten connections and with a million.
func (h *Host) established() float64 { return h.pairs("net/snmp", "Tcp")["CurrEstab"] }

// pairs reads files in which a line of names is followed by a line of values, both after the same prefix.
func (h *Host) pairs(file, prefix string) map[string]float64 {
	found := map[string]float64{}
	var names []string
	h.eachLine(file, func(line string) {
		label, rest, _ := strings.Cut(line, ":")
		if label != prefix {
			return
		}
		fields := strings.Fields(rest)
		if names == nil {
			names = fields
			return
		}
		for at, name := range names[:min(len(names), len(fields))] {
			found[name] = number(fields[at])
		}
	})
	return found
}

func (h *Host) table(file string) map[string]float64 {
	found := map[string]float64{}
	h.eachLine(file, func(line string) {
		name, rest, _ := strings.Cut(line, ":")
		if fields := strings.Fields(rest); len(fields) > 0 {
			found[name] = number(fields[0])
		}
	})
	return found
}

func (h *Host) single(file string) float64 {
	if fields := h.fields(file); len(fields) > 0 {
		return number(fields[0])
	}
	return 0
}

// fields are those of the first line.
func (h *Host) fields(file string) []string {
	raw, _ := os.ReadFile(filepath.Join(h.proc, file))
	line, _, _ := bytes.Cut(raw, []byte{'\n'})
	return strings.Fields(string(line))
}

func (h *Host) eachLine(file string, visit func(string)) {
	raw, err := os.ReadFile(filepath.Join(h.proc, file))
	if err != nil {
		return
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		visit(lines.Text())
	}
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return value
}

// BootID changes when the server boots.
func BootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(raw))
}
