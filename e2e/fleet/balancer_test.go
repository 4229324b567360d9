package fleet

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

// balanced installs a listener behind a load balancer, which the probe of the agent gets through as one would. Clients
// get through the balancer, and nobody past it.
func (w *crossing) balanced(t *testing.T) {
	const port = 445
	g := w.drawing(port)
	entry := g["nodes"].([]map[string]any)[0]
	entry["params"].(map[string]any)["listener"].(map[string]any)["accept_proxy_protocol"] = true
	flow, err := w.stand.API.Draw(t.Context(), "balanced", g)
	require.NoError(t, err)
	in := *w
	in.T, in.flow = t, flow.ID
	in.apply()
	in.link, err = w.stand.API.Link(t.Context(), in.flow)
	require.NoError(t, err)
	through := agentapi.ThroughProbe{
		Link: in.link, URL: w.site.Page + "/", Expect: `"page":"ok"`, Timeout: 10,
		DialAs: balancer(t, net.JoinHostPort(entryAddress, strconv.Itoa(port))),
	}
	seen, err := rig.Fetch(t.Context(), through)
	require.NoError(t, err)
	require.Equal(t, exitAddress, seen.ExitIP)
	through.DialAs = ""
	_, err = rig.Fetch(t.Context(), through)
	require.Error(t, err, "without a header")
}

// balancer forwards to an address and says who connects; it gives its own address.
func balancer(t *testing.T, to string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(from, to)
		}
	}()
	return listener.Addr().String()
}

func forward(from net.Conn, to string) {
	defer from.Close()
	behind, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer behind.Close()
	_, _ = fmt.Fprintf(behind, "PROXY TCP4 203.0.113.9 %s 4711 443\r\n", entryAddress)
	go func() { _, _ = io.Copy(behind, from); _ = behind.Close() }()
	_, _ = io.Copy(from, behind)
}
