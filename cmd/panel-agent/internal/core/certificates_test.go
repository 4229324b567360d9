package core

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

const tlsHost = "vpn.example.org"

// secured is a listener with TLS and a client of it.
type secured struct{ server, client []byte }

func securedFlow(t *testing.T, protocol, network string, port int, root string) secured {
	t.Helper()
	server := object{"network": network, "security": "tls", "tlsSettings": object{
		"certificates": []object{{
			"certificateFile": agentapi.CertificateOf(tlsHost), "keyFile": agentapi.CertificateOf(tlsHost),
		}},
	}}
	client := object{"network": network, "security": "tls", "tlsSettings": object{
		"serverName": tlsHost, "disableSystemRoot": true,
		"certificates": []object{{"usage": "verify", "certificate": []string{root}}},
	}}
	for _, side := range []object{server, client} {
		switch network {
		case "grpc":
			side["grpcSettings"] = object{"serviceName": "hidden"}
		case "raw":
		default:
			side[network+"Settings"] = object{"path": "/hidden"}
		}
	}
	users, dial := object{"clients": []object{{"password": "a password", "email": client1}}}, object{
		"servers": []object{{"address": "127.0.0.1", "port": port, "password": "a password"}},
	}
	if protocol == "vless" {
		users = object{"decryption": "none", "clients": []object{{"id": testUser, "email": client1}}}
		dial = object{"vnext": []object{{
			"address": "127.0.0.1", "port": port, "users": []object{{"id": testUser, "encryption": "none"}},
		}}}
	}
	return secured{
		server: encoded(t, object{
			"inbounds": []object{{
				"tag": "in-1", "listen": "127.0.0.1", "port": port, "protocol": protocol, "settings": users,
				"streamSettings": server,
			}},
			"outbounds": []object{{"protocol": "freedom"}},
		}),
		client: encoded(t, object{
			"outbounds": []object{{"protocol": protocol, "settings": dial, "streamSettings": client}},
		}),
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return raw
}

// streamThrough opens a connection to an echo server through a real client, which runs in a process of its own: the
// core races inside itself when it is a client.
func streamThrough(t *testing.T, client []byte) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", doorTo(t, client, agenttest.EchoServer(t))))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, agenttest.Talk(conn, "before"))
	return conn
}

// doorTo is a port that leads through a client, which runs until the test ends, to an address of this host.
func doorTo(t *testing.T, client []byte, address string) int {
	t.Helper()
	to, err := net.ResolveTCPAddr("tcp", address)
	require.NoError(t, err)
	var config object
	require.NoError(t, json.Unmarshal(client, &config))
	port, host := agenttest.FreePort(t), to.IP.String()
	if tunnelOf(client) != "" { // which carries nothing to this host; the entry leads it there
		host = "198.51.100.7"
	}
	config["inbounds"] = []object{{
		"tag": "door", "listen": "127.0.0.1", "port": port, "protocol": "dokodemo-door",
		"settings": object{"address": host, "port": to.Port, "network": "tcp"},
	}}
	through := newSupervisor(t, t.TempDir())
	require.NoError(t, through.Swap(t.Context(), Spec{Revision: 1, Hash: "client", Core: encoded(t, config)}))
	return port
}

// shownAt is the serial number of the certificate that a port shows.
func shownAt(port int) (int64, error) {
	dialer := &tls.Dialer{
		NetDialer: &net.Dialer{Timeout: 5 * time.Second},
		Config:    &tls.Config{ServerName: tlsHost, InsecureSkipVerify: true}, //nolint:gosec // only read
	}
	conn, err := dialer.DialContext(context.Background(), "tcp", fmt.Sprint("127.0.0.1:", port))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
}

func holding(all ...agentapi.HostCertificate) agentapi.Certificates {
	return agentapi.Certificates{Certificates: all}
}

// The drain time is shorter than what the stream has behind it, so that a core that was replaced would have cut it.
func TestACertificateIsExchangedUnderAnOpenStreamAndNoConnectionIsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range [][2]string{
		{"vless", "raw"},
		{"vless", "ws"},
		{"vless", "httpupgrade"},
		{"vless", "xhttp"},
		{"vless", "grpc"},
		{"trojan", "raw"},
		{"trojan", "ws"},
		{"trojan", "httpupgrade"},
		{"trojan", "xhttp"},
		{"trojan", "grpc"},
	} {
		t.Run(kind[0]+" "+kind[1], func(t *testing.T) {
			t.Parallel()
			authority, port := agenttest.NewAuthority(t), agenttest.FreePort(t)
			s := shortDrain(t)
			ctx := context.Background()
			require.NoError(t, s.Certificates(ctx, holding(authority.Issue(t, tlsHost, 1, time.Now()))))
			f := securedFlow(t, kind[0], kind[1], port, authority.Root)
			require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: f.server}))
			open, process := streamThrough(t, f.client), serving(s).Pid

			stop := make(chan struct{})
			var made, failed atomic.Int64
			var workers sync.WaitGroup
			for range 4 {
				workers.Go(func() { shake(port, stop, &made, &failed) })
			}
			for serial := int64(2); serial <= 4; serial++ {
				require.NoError(t, s.Certificates(ctx, holding(authority.Issue(t, tlsHost, serial, time.Now()))))
				shown, err := shownAt(port)
				require.NoError(t, err)
				require.Equal(t, serial, shown)
				require.NoError(t, agenttest.Talk(open, fmt.Sprint("under ", serial)))
			}
			s.retiring.Wait()
			close(stop)
			workers.Wait()
			require.Zero(t, failed.Load(), "of %d connections", made.Load())
			require.Positive(t, made.Load())
			require.NoError(t, agenttest.Talk(open, "long after the drain time"))
			require.NoError(t, agenttest.Talk(streamThrough(t, f.client), "a new client"))
			require.Equal(t, process, serving(s).Pid)
			require.Zero(t, s.Report().Restarts)
		})
	}
}

func shake(port int, stop <-chan struct{}, made, failed *atomic.Int64) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		made.Add(1)
		if _, err := shownAt(port); err != nil {
			failed.Add(1)
		}
	}
}

func shortDrain(t *testing.T) *Supervisor {
	t.Helper()
	s, err := New(Options{
		Executable: agenttest.Executable, Dir: t.TempDir(), Drain: time.Second, Clock: clockwork.NewRealClock(),
		Log: zap.NewNop(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background(), false)) })
	return s
}

// A missing certificate says nothing about the configuration: it is on its way, so the test is made again.
func TestAConfigurationWaitsForItsCertificate(t *testing.T) {
	t.Parallel()
	s, authority := newSupervisor(t, t.TempDir()), agenttest.NewAuthority(t)
	f := securedFlow(t, "vless", "ws", agenttest.FreePort(t), authority.Root)
	var refused *Refused
	err := s.Check(context.Background(), f.server)
	require.ErrorIs(t, err, ErrNoCertificate)
	require.ErrorContains(t, err, tlsHost)
	require.NotErrorAs(t, err, &refused)
	require.NoError(t, s.Certificates(context.Background(), holding(authority.Issue(t, tlsHost, 1, time.Now()))))
	require.NoError(t, s.Check(context.Background(), f.server))
}

func TestCertificatesOutliveTheAgentAndAReboot(t *testing.T) {
	t.Parallel()
	dir, port, authority := t.TempDir(), agenttest.FreePort(t), agenttest.NewAuthority(t)
	f := securedFlow(t, "trojan", "raw", port, authority.Root)
	first := newSupervisor(t, dir)
	require.NoError(t, first.Certificates(context.Background(), holding(authority.Issue(t, tlsHost, 7, time.Now()))))
	require.NoError(t, first.Swap(context.Background(), Spec{Revision: 1, Hash: "h", Core: f.server}))
	info, err := os.Stat(filepath.Join(dir, fileCertificates))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, first.Close(context.Background(), true))

	second := newSupervisor(t, dir)
	_, found := second.Adopt(context.Background(), "h")
	require.True(t, found)
	next := holding(authority.Issue(t, tlsHost, 8, time.Now()))
	require.NoError(t, second.Certificates(context.Background(), next), "an adopted core exchanges, too")
	shown, err := shownAt(port)
	require.NoError(t, err)
	require.EqualValues(t, 8, shown)
	require.NoError(t, second.Close(context.Background(), false))

	rebooted := newSupervisor(t, dir)
	require.NoError(t, rebooted.Start(context.Background(), Spec{Revision: 1, Hash: "h", Core: f.server}))
	shown, err = shownAt(port)
	require.NoError(t, err)
	require.EqualValues(t, 8, shown)
}

func TestWhatTheServingConfigurationNeedsStaysOnTheNode(t *testing.T) {
	t.Parallel()
	s, port, authority := newSupervisor(t, t.TempDir()), agenttest.FreePort(t), agenttest.NewAuthority(t)
	f := securedFlow(t, "vless", "raw", port, authority.Root)
	other := authority.Issue(t, "other.example.org", 2, time.Now())
	require.NoError(t, s.Certificates(context.Background(),
		holding(authority.Issue(t, tlsHost, 1, time.Now()), other)))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: f.server}))
	require.NoError(t, s.Certificates(context.Background(), holding()))
	held, err := readCertificates(s.dir)
	require.NoError(t, err)
	require.Contains(t, held, tlsHost)
	require.NotContains(t, held, "other.example.org")
	require.NoError(t, s.Restart(context.Background()))
	shown, err := shownAt(port)
	require.NoError(t, err)
	require.EqualValues(t, 1, shown)
}

// A core that cannot take the new certificate goes on with the one before, and says why.
func TestAnExchangeThatFailsLeavesTheOldCertificateInUse(t *testing.T) {
	t.Parallel()
	s, port, authority := newSupervisor(t, t.TempDir()), agenttest.FreePort(t), agenttest.NewAuthority(t)
	f := securedFlow(t, "vless", "ws", port, authority.Root)
	require.NoError(t, s.Certificates(context.Background(), holding(authority.Issue(t, tlsHost, 1, time.Now()))))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: f.server}))
	broken := holding(agentapi.HostCertificate{Host: tlsHost, Chain: "", Key: ""})
	err := s.Certificates(context.Background(), broken)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "PRIVATE KEY")
	shown, err := shownAt(port)
	require.NoError(t, err)
	require.EqualValues(t, 1, shown)
	require.NoError(t, s.Certificates(context.Background(), holding(authority.Issue(t, tlsHost, 2, time.Now()))))
	shown, err = shownAt(port)
	require.NoError(t, err)
	require.EqualValues(t, 2, shown)
}

// The clock of a node may be wrong by a day, or its certificate valid from tomorrow: it shows what it was given.
func TestTheClockOfTheNodeDecidesNothing(t *testing.T) {
	t.Parallel()
	s, port, authority := newSupervisor(t, t.TempDir()), agenttest.FreePort(t), agenttest.NewAuthority(t)
	f := securedFlow(t, "vless", "ws", port, authority.Root)
	for serial, from := range []time.Duration{48 * time.Hour, -48 * time.Hour} {
		pair := authority.Issue(t, tlsHost, int64(serial+1), time.Now().Add(from))
		require.NoError(t, s.Certificates(context.Background(), holding(pair)))
		if serial == 0 {
			require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: f.server}))
		}
		shown, err := shownAt(port)
		require.NoError(t, err)
		require.EqualValues(t, serial+1, shown)
	}
}

func TestAConfigurationIsReadForItsCertificates(t *testing.T) {
	t.Parallel()
	f := securedFlow(t, "vless", "grpc", 443, "")
	require.Equal(t, map[string]listener{"in-1": {network: "grpc", hosts: []string{tlsHost}}}, listeners(f.server))
	require.Empty(t, listeners([]byte("{")))
	_, err := build(f.server, nil, nil)
	require.ErrorIs(t, err, ErrNoCertificate)
}
