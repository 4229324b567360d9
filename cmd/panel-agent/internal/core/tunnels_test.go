package core

import (
	"encoding/json"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

// Datagrams go through a tunnel and their answers come back; a client without a number is not there, and those beside
// it are.
func TestDatagramsGoThroughATunnel(t *testing.T) {
	t.Parallel()
	echo, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := echo.ReadFrom(packet)
			if err != nil {
				return
			}
			_, _ = echo.WriteTo(packet[:n], from)
		}
	}()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, protocolWireGuard, "raw", agenttest.FreePort(t), "")
	anna, former := someone("anna"), someone("former")
	former.Number = 0
	require.NoError(t, s.Clients(ctx, listing(former, anna)))
	require.NoError(t, s.Check(ctx, e.server))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))

	var client object
	require.NoError(t, json.Unmarshal(e.dial(anna), &client))
	port := agenttest.FreePort(t)
	client["inbounds"] = []object{{
		"listen": "127.0.0.1", "port": port, "protocol": "dokodemo-door", "settings": object{
			"address": "198.51.100.7", "port": echo.LocalAddr().(*net.UDPAddr).Port, "network": "udp",
		},
	}}
	through := newSupervisor(t, t.TempDir())
	require.NoError(t, through.Swap(ctx, Spec{Revision: 1, Hash: "client", Core: encoded(t, client)}))
	conn, err := net.Dial("udp", fmt.Sprint("127.0.0.1:", port))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	answer := make([]byte, 1500)
	require.Eventually(t, func() bool {
		_, _ = conn.Write([]byte("is anybody there"))
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		n, err := conn.Read(answer)
		return err == nil && string(answer[:n]) == "is anybody there"
	}, time.Minute, 10*time.Millisecond)
	carried := "user>>>" + agentapi.ClientEmail(listedFlow, "anna") + ">>>traffic>>>uplink"
	require.Eventually(t, func() bool { return counted(s, carried) > 0 }, 20*time.Second, 50*time.Millisecond)
}
