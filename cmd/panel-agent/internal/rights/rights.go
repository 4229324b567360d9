// Package rights takes rights from processes that need them no more than the parser of hostile traffic should have
// them.
package rights

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrKept says that the rights could not be taken, because this build cannot do it for all its threads.
var ErrKept = errors.New("this build keeps its rights on the packet filter")

// DropNetAdmin has this process, and what it starts, no longer change the network of the host.
func DropNetAdmin() error {
	_, _, failed := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_LOWER,
		unix.CAP_NET_ADMIN, 0, 0, 0)
	if errors.Is(failed, syscall.ENOTSUP) {
		return ErrKept
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read the rights of this process: %w", err)
	}
	const bit = uint32(1) << unix.CAP_NET_ADMIN
	data[0].Effective &^= bit
	data[0].Permitted &^= bit
	data[0].Inheritable &^= bit
	_, _, failed = syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&data[0])), 0)
	if failed != 0 {
		return fmt.Errorf("take rights from this process: %w", failed)
	}
	return nil
}
