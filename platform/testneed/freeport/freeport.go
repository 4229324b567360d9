// Package freeport finds ports for programs that tests start.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Ports below those that the system gives to outgoing connections: one that is free stays so, unless somebody asks for
// exactly it.
const (
	first = 10_000
	last  = 32_000
	tries = 100
)

// Find gives a port of this machine that nobody has, neither for TCP nor for UDP, and that no other caller is given
// until this process ends: tests of several processes look for ports at the same time.
func Find() (int, error) {
	var failures []error
	for range tries {
		port := first + rand.IntN(last-first) //nolint:gosec // any will do
		err := reserve(port)
		if err == nil {
			err = free(port)
		}
		if err == nil {
			return port, nil
		}
		failures = append(failures, err)
	}
	return 0, fmt.Errorf("find a free port in %d tries: %w", tries, errors.Join(failures...))
}

// reserved holds the locks of this process, which the system takes back when it ends.
var reserved sync.Map // port to *os.File

// reserve locks a file of the port.
func reserve(port int) error {
	folder := filepath.Join(os.TempDir(), "panel-test-ports-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(port)), os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = file.Close()
		return fmt.Errorf("reserve the port %d: %w", port, err)
	}
	reserved.Store(port, file)
	return nil
}

// free says whether a port can be bound on all addresses. No program starts in the meantime, which until it runs would
// have the sockets of this look; and the sockets are none of Go's, whose poller can hold them beyond their end. Either
// way the port were taken for whoever is given it.
func free(port int) error {
	lookedAtSystem()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return errors.Join(bind(unix.SOCK_STREAM, port), bind(unix.SOCK_DGRAM, port))
}

// lookedAtSystem has Go find out now what it finds out once, before its first program: for that it makes a process that
// has all sockets for a moment, without the lock.
var lookedAtSystem = sync.OnceFunc(func() { _, _ = os.FindProcess(os.Getpid()) })

func bind(kind, port int) error {
	fd, err := unix.Socket(unix.AF_INET6, kind|unix.SOCK_CLOEXEC, 0)
	var address unix.Sockaddr = &unix.SockaddrInet6{Port: port}
	if err != nil { // the machine knows only IPv4
		fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
		address = &unix.SockaddrInet4{Port: port}
	}
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, address); err != nil {
		return fmt.Errorf("bind port %d: %w", port, err)
	}
	return nil
}

// For is Find for a test, which fails where there is none.
func For(t testing.TB) int {
	t.Helper()
	port, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	return port
}
