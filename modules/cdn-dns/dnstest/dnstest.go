// Package dnstest runs name servers for tests: real PowerDNS and BIND of the operating system, and a stand-in for
// Cloudflare that keeps its rules and answers DNS as well. Nothing but tests uses it.
package dnstest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
)

const startWithin = 30 * time.Second

// ports reserves addresses on loopback, each free for TCP and UDP when it was looked for.
func ports(t testing.TB, many int) []string {
	t.Helper()
	var found []string
	for len(found) < many {
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer tcp.Close()
		udp, err := net.ListenPacket("udp", tcp.Addr().String())
		if err != nil {
			continue
		}
		defer udp.Close()
		found = append(found, tcp.Addr().String())
	}
	return found
}

// run starts a program that ends with the test. What it said is shown when it does not come up.
func run(t testing.TB, folder, program string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(folder, "log"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Stdout, command.Stderr = folder, log, log
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		cancel()
		_ = command.Wait()
		_ = log.Close()
		if said, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(program), said[max(0, len(said)-4000):])
		}
	})
}

// Answers waits until the server answers for the zone.
func Answers(t testing.TB, address, zone string) {
	t.Helper()
	require.Eventually(t, func() bool {
		question := new(dns.Msg)
		question.SetQuestion(dns.Fqdn(zone), dns.TypeSOA)
		reply, err := dns.Exchange(question, address)
		return err == nil && len(reply.Answer) == 1
	}, startWithin, 50*time.Millisecond, "a name server answers for %s", zone)
}

// Ask gives what a server answers with for a name, whatever it is.
func Ask(t testing.TB, address, name string, kind uint16) *dns.Msg {
	t.Helper()
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), kind)
	reply, err := dns.Exchange(question, address)
	require.NoError(t, err)
	return reply
}

func port(address string) string {
	_, number, err := net.SplitHostPort(address)
	if _, wrong := strconv.Atoi(number); err != nil || wrong != nil {
		return "0"
	}
	return number
}
