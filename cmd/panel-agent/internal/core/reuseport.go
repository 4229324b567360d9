package core

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Two cores share a port while one takes over from the other. Left alone, the kernel spreads new connections over
// both, and those still queued at the old listener are reset when it closes. This program makes the kernel pick socket
// 1 of the group, which is the newer one; with a single socket the index is out of range and the kernel takes that
// one. So the old listener gets nothing new from the moment the new one listens, and closing it later loses nothing.
var pickNewer = []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 1}}

// steerToNewest applies pickNewer to every listener of this process. It comes after listening: the kernel lets a socket
// that has a program already not join the group of a port. A kernel that refuses it leaves plain sharing.
func steerToNewest() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil {
			attachPicker(fd)
		}
	}
}

func attachPicker(fd int) {
	if reuse, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT); err != nil || reuse == 0 {
		return
	}
	program := unix.SockFprog{Len: uint16(len(pickNewer)), Filter: &pickNewer[0]}
	_, _, _ = syscall.Syscall6(syscall.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF,
		uintptr(unsafe.Pointer(&program)), unsafe.Sizeof(program), 0)
	runtime.KeepAlive(&program)
}
