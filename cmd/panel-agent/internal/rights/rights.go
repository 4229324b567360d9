// Package rights keeps the agent's rights from the processes that it starts: who reads hostile traffic needs none on
// the packet filter of the host.
package rights

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// WithoutNetAdmin starts a process, by start, that may not change the network of the host, though this one may. Of a
// process of root it takes nothing, for root has every right again in what it starts.
func WithoutNetAdmin(start func() error) error {
	runtime.LockOSThread() // rights belong to a thread, and a new process has those of the one that starts it
	defer runtime.UnlockOSThread()
	had, err := unix.PrctlRetInt(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_IS_SET, unix.CAP_NET_ADMIN, 0, 0)
	if err != nil || had == 0 {
		return start()
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_LOWER, unix.CAP_NET_ADMIN, 0, 0); err != nil {
		return start()
	}
	defer func() { _ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_NET_ADMIN, 0, 0) }()
	return start()
}
