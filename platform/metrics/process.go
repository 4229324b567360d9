package metrics

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// runtimeCollectors tell of Go's runtime under the names that its own client uses.
func runtimeCollectors() []Collector {
	memory := func(field func(*runtime.MemStats) uint64) func() float64 {
		return func() float64 {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return float64(field(&stats))
		}
	}
	return []Collector{
		Gauge("go_goroutines", "Goroutines that exist.", func() float64 { return float64(runtime.NumGoroutine()) }),
		Gauge("go_memstats_heap_inuse_bytes", "Bytes in spans of the heap that are in use.",
			memory(func(m *runtime.MemStats) uint64 { return m.HeapInuse })),
		Gauge("go_memstats_next_gc_bytes", "Bytes of the heap at which the next collection begins.",
			memory(func(m *runtime.MemStats) uint64 { return m.NextGC })),
		Gauge("go_memstats_sys_bytes", "Bytes obtained from the system.",
			memory(func(m *runtime.MemStats) uint64 { return m.Sys })),
		{name: "go_gc_duration_seconds", help: "Pauses of the garbage collector.", kind: summary, read: pauses},
	}
}

func pauses(show func(string, float64)) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	show("_sum", time.Duration(stats.PauseTotalNs).Seconds()) //nolint:gosec // 292 years of pauses
	show("_count", float64(stats.NumGC))
}

// processCollectors tell of the process under the names that are usual for it.
func processCollectors() []Collector {
	started := float64(time.Now().UnixMilli()) / 1000 //nolint:forbidigo // a fact of this process
	return []Collector{
		Gauge("process_start_time_seconds", "When the process started, in seconds since 1970.",
			func() float64 { return started }),
		Counter("process_cpu_seconds_total", "Time of processors that was used.", cpuSeconds),
		Gauge("process_resident_memory_bytes", "Memory that the process holds.", residentBytes),
		Gauge("process_open_fds", "Open file descriptors.", openFiles),
		Gauge("process_max_fds", "Most file descriptors that may be open.", mostFiles),
	}
}

func cpuSeconds() float64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return math.NaN()
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// residentBytes is the second number of /proc/self/statm, in pages.
func residentBytes() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		if pages, err := strconv.Atoi(fields[1]); err == nil {
			return float64(pages * os.Getpagesize())
		}
	}
	return math.NaN()
}

func openFiles() float64 {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return math.NaN()
	}
	return float64(len(entries))
}

func mostFiles() float64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.NaN()
	}
	return float64(limit.Cur)
}
