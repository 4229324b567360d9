// Package freeport finds ports for programs that tests start.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports below those that the system gives to outgoing connections: one that is free stays so, unless somebody asks for
// exactly it.
const (
	first = 10_000
	last  = 32_000
	tries = 100
)

// Find gives a port of this machine that nobody has, neither for TCP nor for UDP.
func Find() (int, error) {
	var failures []error
	for range tries {
		port := first + rand.IntN(last-first) //nolint:gosec // any will do
		err := free(net.JoinHostPort("", strconv.Itoa(port)))
		if err == nil {
			return port, nil
		}
		failures = append(failures, err)
	}
	return 0, fmt.Errorf("find a free port in %d tries: %w", tries, errors.Join(failures...))
}

func free(address string) error {
	streams, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer streams.Close()
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		return err
	}
	return packets.Close()
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
