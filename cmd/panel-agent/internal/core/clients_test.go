package core

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

const listedFlow = "0198a000-0000-7000-8000-000000000001"

var numbers atomic.Int64

func someone(id string) agentapi.Client {
	made := agentapi.Client{ID: id, UUID: uuid.NewString(), Key: make([]byte, 32), Number: numbers.Add(1)}
	_, _ = rand.Read(made.Key)
	return made
}

func listing(clients ...agentapi.Client) agentapi.Clients {
	return agentapi.Clients{Flows: []agentapi.FlowClients{{FlowID: listedFlow, Revision: 1, Clients: clients}}}
}

// entry is a listener whose clients come from a list, and how a client dials it.
type entry struct {
	server []byte
	dial   func(c agentapi.Client) []byte
}

const sharedMethod = "2022-blake3-aes-128-gcm"

// entryOf is a listener of a protocol over a transport. TLS is where the protocol needs it.
func entryOf(t *testing.T, protocol, network string, port int, root string) entry {
	t.Helper()
	server, client := object{"network": network}, object{"network": network}
	if root != "" {
		server["security"], client["security"] = "tls", "tls"
		server["tlsSettings"] = object{"certificates": []object{{
			"certificateFile": agentapi.CertificateOf(tlsHost), "keyFile": agentapi.CertificateOf(tlsHost),
		}}}
		client["tlsSettings"] = object{
			"serverName": tlsHost, "disableSystemRoot": true,
			"certificates": []object{{"usage": "verify", "certificate": []string{root}}},
		}
	}
	switch network {
	case "grpc":
		server["grpcSettings"], client["grpcSettings"] = object{"serviceName": "hidden"}, object{"serviceName": "hidden"}
	case "ws", "xhttp", "httpupgrade":
		server[network+"Settings"], client[network+"Settings"] = object{"path": "/hidden"}, object{"path": "/hidden"}
	case "hysteria":
		server["hysteriaSettings"] = object{"version": 2}
		server["tlsSettings"].(object)["alpn"], client["tlsSettings"].(object)["alpn"] = []string{"h3"}, []string{"h3"}
	}
	settings, key := object{}, base64.StdEncoding.EncodeToString(someone("").Key[:16])
	switch protocol {
	case "vless":
		settings["decryption"] = "none"
	case "hysteria":
		settings["version"] = 2
	case "shadowsocks":
		settings["method"], settings["password"], settings["network"] = sharedMethod, key, "tcp,udp"
	case protocolWireGuard:
		return tunnelEntry(t, port)
	}
	in := object{
		"tag": "in-1", "listen": "127.0.0.1", "port": port, "protocol": protocol, "settings": settings,
		"streamSettings": server, "clients_of": agentapi.ListOf{FlowID: listedFlow},
	}
	dial := func(c agentapi.Client) []byte {
		to, stream := object{"address": "127.0.0.1", "port": port}, object{}
		for name, value := range client {
			stream[name] = value
		}
		switch protocol {
		case "vless":
			to["id"], to["encryption"] = c.UUID, "none"
		case "vmess":
			to["id"], to["security"] = c.UUID, "auto"
		case "trojan":
			to["password"] = c.Password()
		case "shadowsocks":
			to["method"], to["password"] = sharedMethod, key+":"+c.SharedKey(sharedMethod)
		case "hysteria":
			to["version"], stream["hysteriaSettings"] = 2, object{"version": 2, "auth": c.Password()}
		}
		return encoded(t, object{"outbounds": []object{{
			"protocol": protocol, "settings": to, "streamSettings": stream,
		}}})
	}
	return entry{
		server: encoded(t, object{"inbounds": []object{in}, "outbounds": []object{{"protocol": "freedom"}}}),
		dial:   dial,
	}
}

// tunnelEntry leads whatever comes out of its tunnels to this host, which no tunnel carries anything to.
func tunnelEntry(t *testing.T, port int) entry {
	t.Helper()
	private := agentapi.TunnelKey([]byte(t.Name()))
	in := object{
		"tag": "in-1", "listen": "127.0.0.1", "port": port, "protocol": protocolWireGuard,
		"settings":   object{"secretKey": hex.EncodeToString(private.Bytes()), "mtu": agentapi.TunnelMTU, "noKernelTun": true},
		"clients_of": agentapi.ListOf{FlowID: listedFlow},
	}
	back := object{"protocol": "freedom", "settings": object{"redirect": "127.0.0.1:0"}}
	dial := func(c agentapi.Client) []byte {
		return encoded(t, object{"outbounds": []object{{"protocol": protocolWireGuard, "settings": object{
			"secretKey": hex.EncodeToString(agentapi.TunnelKey(c.Key).Bytes()), "address": []string{c.TunnelAddress().String()},
			"mtu": agentapi.TunnelMTU, "noKernelTun": true, "peers": []object{{
				"publicKey": hex.EncodeToString(private.PublicKey().Bytes()), "endpoint": fmt.Sprint("127.0.0.1:", port),
			}},
		}}}})
	}
	return entry{server: encoded(t, object{"inbounds": []object{in}, "outbounds": []object{back}}), dial: dial}
}

// ends reports whether a stream is over within two seconds: what is said into it comes back no more.
func ends(conn net.Conn) error {
	const limit = 2 * time.Second
	for over := time.Now().Add(limit); time.Now().Before(over); {
		_ = conn.SetDeadline(time.Now().Add(limit))
		if _, err := io.WriteString(conn, "x"); err != nil {
			return nil //nolint:nilerr // that is what is asked
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			return nil //nolint:nilerr // also where no end is said, and only nothing comes any more
		}
	}
	return errors.New("the stream goes on")
}

// doorOf is a client of an entry that runs until the test ends; it gives the port that leads to an echo server.
func doorOf(t *testing.T, client []byte) int {
	t.Helper()
	conn := streamThrough(t, client)
	return conn.RemoteAddr().(*net.TCPAddr).Port
}

func talks(port int) error {
	conn, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
	if err != nil {
		return err
	}
	defer conn.Close()
	return agenttest.Talk(conn, "is anybody there")
}

// A client that is added is let in, and one that is taken off has its streams ended within two seconds and begins no
// other one, also in a connection that it has open: in the running core, while the streams of others go on.
func TestClientsComeAndGoInARunningCore(t *testing.T) {
	t.Parallel()
	for _, kind := range [][2]string{
		{"vless", "raw"},
		{"vless", "xhttp"},
		{"vless", "ws"},
		{"vless", "httpupgrade"},
		{"vless", "grpc"},
		{"vmess", "raw"},
		{"trojan", "raw"},
		{"shadowsocks", "raw"},
		{"hysteria", "hysteria"},
		{protocolWireGuard, "raw"},
	} {
		t.Run(kind[0]+" "+kind[1], func(t *testing.T) {
			t.Parallel()
			s, ctx, root := newSupervisor(t, t.TempDir()), t.Context(), ""
			if kind[0] == "hysteria" || kind[0] == "trojan" {
				authority := agenttest.NewAuthority(t)
				root = authority.Root
				require.NoError(t, s.Certificates(ctx, holding(authority.Issue(t, tlsHost, 1, time.Now()))))
			}
			e := entryOf(t, kind[0], kind[1], agenttest.FreePort(t), root)
			anna, boris := someone("anna"), someone("boris")
			require.NoError(t, s.Clients(ctx, listing(anna)))
			require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
			process, of := serving(s).Pid, streamThrough(t, e.dial(anna))
			carried := "user>>>" + agentapi.ClientEmail(listedFlow, "anna") + ">>>traffic>>>downlink"
			require.Eventually(t, func() bool { return counted(s, carried) > 0 }, 20*time.Second, 50*time.Millisecond)
			annas := of.RemoteAddr().(*net.TCPAddr).Port

			require.NoError(t, s.Clients(ctx, listing(anna, boris)))
			other := streamThrough(t, e.dial(boris))
			require.NoError(t, agenttest.Talk(of, "under another who comes"))

			require.NoError(t, s.Clients(ctx, listing(boris)))
			require.NoError(t, ends(of))
			require.Error(t, talks(annas))
			require.NoError(t, agenttest.Talk(other, "after another who goes"))

			require.NoError(t, s.Clients(ctx, listing(anna, boris)))
			if kind[0] == protocolWireGuard { // a program begins anew when it has heard nothing for 15 seconds
				annas = doorOf(t, e.dial(anna))
			}
			require.Eventually(t, func() bool { return talks(annas) == nil }, 20*time.Second, 50*time.Millisecond)
			require.NoError(t, agenttest.Talk(other, "at the end"))
			require.Equal(t, process, serving(s).Pid)
			require.Zero(t, s.Report().Restarts)
		})
	}
}

// The streams that a replaced core still carries end with the client, too; those of others go on to their end.
func TestAClientThatGoesIsCutOnADrainingCore(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna, boris := someone("anna"), someone("boris")
	require.NoError(t, s.Clients(ctx, listing(anna, boris)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	of, other := streamThrough(t, e.dial(anna)), streamThrough(t, e.dial(boris))
	require.NoError(t, s.Restart(ctx))
	require.NoError(t, agenttest.Talk(of, "on the core that drains"))
	require.NoError(t, s.Clients(ctx, listing(boris)))
	require.NoError(t, ends(of))
	require.NoError(t, agenttest.Talk(other, "of another"))
}

// Who comes while no agent is there to tell it is not known to a core; but one that starts reads the lists before it
// listens, and so does the next core after a crash.
func TestACoreThatStartsKnowsItsClients(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "shadowsocks", "raw", agenttest.FreePort(t), "")
	anna := someone("anna")
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	require.NoError(t, s.Clients(ctx, listing(anna)))
	door := doorOf(t, e.dial(anna))
	require.NoError(t, serving(s).Kill())
	require.Eventually(t, func() bool { return s.Report().Restarts == 1 && talks(door) == nil }, 60*time.Second,
		50*time.Millisecond)
	info, err := os.Stat(filepath.Join(s.dir, fileClients))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm(), "it holds secrets")
}

// Without any client Shadowsocks 2022 lets nobody in: not one who knows the key of the server, as all clients do.
func TestAListenerWithoutClientsLetsInNobody(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	port := agenttest.FreePort(t)
	e := entryOf(t, "shadowsocks", "raw", port, "")
	anna := someone("anna")
	require.NoError(t, s.Clients(ctx, listing()))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	require.NoError(t, s.Clients(ctx, listing(anna)))
	door := doorOf(t, e.dial(anna))
	require.NoError(t, s.Clients(ctx, listing()))
	require.Error(t, talks(door))
}

// Many who come at once to Shadowsocks 2022, and one who comes back with another secret, take another core
// process: open streams go on.
func TestManyNewClientsOfShadowsocksExchangeTheCore(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "shadowsocks", "raw", agenttest.FreePort(t), "")
	anna := someone("anna")
	require.NoError(t, s.Clients(ctx, listing(anna)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	open, process := streamThrough(t, e.dial(anna)), serving(s).Pid
	all := []agentapi.Client{anna}
	for i := range mostAdded + 1 {
		all = append(all, someone(fmt.Sprint("client-", i)))
	}
	require.NoError(t, s.Clients(ctx, listing(all...)))
	require.NotEqual(t, process, serving(s).Pid)
	require.NoError(t, agenttest.Talk(open, "on the core before"))
	require.NoError(t, talks(doorOf(t, e.dial(all[len(all)-1]))))

	process, all[1] = serving(s).Pid, someone(all[1].ID)
	require.NoError(t, s.Clients(ctx, listing(all...)))
	require.NotEqual(t, process, serving(s).Pid)
	require.NoError(t, talks(doorOf(t, e.dial(all[1]))))
}

// The end of a client's time needs no panel: the core knows it.
func TestTheTimeOfAClientEndsByItself(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna, boris := someone("anna"), someone("boris")
	require.NoError(t, s.Clients(ctx, listing(anna, boris)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	of, other := streamThrough(t, e.dial(anna)), streamThrough(t, e.dial(boris))
	anna.Expires = time.Now().Add(time.Second)
	require.NoError(t, s.Clients(ctx, listing(anna, boris)))
	require.NoError(t, of.SetReadDeadline(time.Now().Add(20*time.Second)))
	_, err := io.ReadAll(of)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.False(t, time.Now().Before(anna.Expires))
	require.NoError(t, agenttest.Talk(other, "of another"))
}

// A flow that the lists do not name keeps its clients, and the disk keeps their list: the panel sets only what it
// knows of, and another flow of the node may be on its way.
func TestAFlowThatIsNotNamedKeepsItsClients(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna := someone("anna")
	require.NoError(t, s.Clients(ctx, listing(anna)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	open := streamThrough(t, e.dial(anna))
	require.NoError(t, s.Clients(ctx, agentapi.Clients{}))
	require.NoError(t, agenttest.Talk(open, "still there"))
	require.NoError(t, s.Restart(context.Background()))
	require.NoError(t, talks(doorOf(t, e.dial(anna))))
}
