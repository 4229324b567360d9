package core

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

const tcpEstablished = "01"

// openStreams counts the established TCP connections of this process that came in through one of the ports.
func openStreams(ports map[int]bool) int {
	mine := ownSockets()
	open := 0
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		open += countEstablished(table, ports, mine)
	}
	return open
}

func countEstablished(table string, ports map[int]bool, mine map[string]bool) int {
	file, err := os.Open(table)
	if err != nil {
		return 0
	}
	defer file.Close()
	open := 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 9 && fields[3] == tcpEstablished && ports[portOf(fields[1])] && mine[fields[9]] {
			open++
		}
	}
	return open
}

func portOf(hexAddress string) int {
	_, digits, _ := strings.Cut(hexAddress, ":")
	port, err := strconv.ParseUint(digits, 16, 16)
	if err != nil {
		return 0
	}
	return int(port)
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
