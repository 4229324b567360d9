package plan_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/agentapi"
)

var tunnelListener = graph.Listener{Protocol: graph.WireGuard, Port: 51820}

func tunnelInput() plan.Input {
	in := input(across())
	l := tunnelListener
	in.Graph.Nodes[0].Params.Listener = &l
	for i := range in.Clients {
		in.Clients[i].Number = int64(i + 1)
	}
	return in
}

// A listener of WireGuard knows each client by a key and an address of its own, which stay when others come and go, and
// the link and the file of a client say the same from the other side.
func TestWireGuardKnowsEachClientByItsKeyAndAddress(t *testing.T) {
	t.Parallel()
	in := tunnelInput()
	other := in.Clients[0]
	other.ID, other.Key, other.Number = "c9", []byte(strings.Repeat("o", 32)), 70000
	peers := func(clients ...plan.Client) map[string]any {
		in.Clients = clients
		known := map[string]any{}
		for _, one := range rendered(t, in)["settings"].(map[string]any)["peers"].([]any) {
			peer := one.(map[string]any)
			known[peer["publicKey"].(string)] = peer["allowedIPs"].([]any)[0]
		}
		return known
	}
	first := in.Clients[0]
	alone, both := peers(first), peers(other, first)
	require.Len(t, both, len(alone)+1)
	for key, address := range alone {
		require.Equal(t, address, both[key])
	}
	c := plan.Connect(plan.Access{
		FlowID: flowID, Root: root, Block: "in", Listen: tunnelListener, Host: "fra.example.org", Client: other, Name: "Anna #1",
	})
	public := base64.StdEncoding.EncodeToString(agentapi.TunnelKey(other.Key).PublicKey().Bytes())
	require.Equal(t, "10.1.18.112/32", c.Tunnel.Address)
	require.Equal(t, c.Tunnel.Address, both[public])

	u, err := url.Parse(c.URI())
	require.NoError(t, err)
	require.Equal(t, []string{"wireguard", "fra.example.org:51820", "Anna #1"}, []string{u.Scheme, u.Host, u.Fragment})
	require.Equal(t, c.Tunnel.PrivateKey, u.User.Username())
	require.Equal(t, c.Tunnel.PublicKey, u.Query().Get("publickey"))
	require.Equal(t, "wireguard", c.Form())
	require.Equal(t, []string{
		"[Interface]", "PrivateKey = " + c.Tunnel.PrivateKey, "Address = 10.1.18.112/32", "DNS = 1.1.1.1", "MTU = 1420", "",
		"[Peer]", "PublicKey = " + c.Tunnel.PublicKey, "AllowedIPs = 0.0.0.0/0, ::/0", "Endpoint = fra.example.org:51820",
		"PersistentKeepalive = 25", "",
	}, strings.Split(c.Conf(), "\n"))
}

// The panel's probe is a peer, too. Whatever it asks for inside a tunnel, it is led to the panel.
func TestAProbeThroughWireGuardReachesThePanelAlone(t *testing.T) {
	t.Parallel()
	in := tunnelInput()
	in.Reflector = plan.Endpoint{Host: "panel.example.org", Port: 8443}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	var ways []string
	for _, f := range r.Fragments {
		for _, o := range f.Outbounds {
			if o.Protocol == "freedom" && strings.HasSuffix(o.Tag, ".probe") {
				ways = append(ways, o.Settings.Redirect)
			}
		}
	}
	require.Equal(t, []string{"panel.example.org:8443"}, ways)
	var o struct {
		Protocol string
		Settings struct {
			Address []string
			Peers   []struct{ Endpoint string }
		}
	}
	require.NoError(t, json.Unmarshal(plan.ProbeClient(flowID, root, "in", "", tunnelListener, "127.0.0.1"), &o))
	require.Equal(t, []string{"10.0.0.2/32"}, o.Settings.Address)
	require.Equal(t, "127.0.0.1:51820", o.Settings.Peers[0].Endpoint)
}

// A core or an agent that cannot serve WireGuard is named, and so is what a reload means to its clients.
func TestWireGuardAsksForACoreAndAnAgentThatServeIt(t *testing.T) {
	t.Parallel()
	in := tunnelInput()
	node := in.Nodes[nodeA]
	node.Core, node.Can = "25.9.11", []string{string(agentapi.CanApply)}
	in.Nodes[nodeA] = node
	r := plan.Compile(in)
	found := map[string]graph.Problem{}
	for _, e := range r.Plan.Errors {
		found[e.Code] = e
	}
	require.Equal(t, "25.9.11", found["transport_not_supported"].Core)
	require.Equal(t, string(agentapi.CanTunnel), found[plan.CapabilityMissing].Capability)

	r = plan.Compile(tunnelInput())
	require.Equal(t, "wireguard_reload", r.Plan.Warnings[0].Code)
}

// Between nodes names must reach the other end, which no tunnel of addresses carries.
func TestNodesDoNotSpeakWireGuardAmongThemselves(t *testing.T) {
	t.Parallel()
	in := input(across())
	for i := range in.Graph.Nodes {
		if in.Graph.Nodes[i].Kind == graph.Exit {
			in.Graph.Nodes[i].Params.Hop = &graph.Listener{Protocol: graph.WireGuard}
		}
	}
	r := plan.Compile(in)
	require.Len(t, r.Plan.Errors, 1)
	require.Equal(t, "transport_not_supported", r.Plan.Errors[0].Code)
}

// The private keys of a tunnel are shown to nobody.
func TestTheKeysOfTunnelsAreMasked(t *testing.T) {
	t.Parallel()
	r := plan.Compile(tunnelInput())
	tree, err := plan.Masked(plan.Render([]plan.Fragment{r.Fragments[nodeA]}))
	require.NoError(t, err)
	require.Equal(t, plan.Stars, tree["inbounds"].([]any)[0].(map[string]any)["settings"].(map[string]any)["secretKey"])
}
