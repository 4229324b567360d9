package app

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// boundMemory makes the collector work harder as the process nears three quarters of what the machine or its container
// has; the rest is for the database and the system. A limit that the operator has given the runtime (GOMEMLIMIT) stays.
func boundMemory(log *zap.Logger) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	limit := min(machineMemory(), groupMemory("/sys/fs/cgroup", "/proc/self/cgroup"))
	if limit == math.MaxInt64 {
		return
	}
	limit -= limit / 4
	debug.SetMemoryLimit(limit)
	log.Debug("the memory of the process has a bound", zap.Int64("bytes", limit))
}

func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return math.MaxInt64
	}
	return int64(min(uint64(info.Totalram)*uint64(info.Unit), math.MaxInt64)) //nolint:gosec,unconvert // widths differ between systems
}

// groupMemory is the smallest limit of the control groups around the process, as systemd and containers set it.
func groupMemory(root, own string) int64 {
	least := int64(math.MaxInt64)
	text, err := os.ReadFile(own)
	if err != nil {
		return least
	}
	_, group, found := strings.Cut(strings.TrimSpace(string(text)), "0::")
	if !found {
		return least
	}
	for folder := filepath.Join("/", group); ; folder = filepath.Dir(folder) {
		if limit, err := os.ReadFile(filepath.Join(root, folder, "memory.max")); err == nil {
			if bytes, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil && bytes > 0 {
				least = min(least, bytes)
			}
		}
		if folder == "/" {
			return least
		}
	}
}
