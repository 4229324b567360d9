package plan

import (
	"crypto/ecdh"
	"encoding/base64"
	"net"
	"slices"
	"strconv"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// tunnelSettings are those of a listener of WireGuard. It knows its peers by their keys and by their addresses, which
// stay the same whoever comes and goes.
func tunnelSettings(root []byte, block string, accounts []account) inboundSettings {
	s := inboundSettings{
		Clients: []user{}, SecretKey: keyText(tunnelKey(root, block).Bytes()), MTU: agentapi.TunnelMTU,
		NoKernelTun: true,
	}
	for _, a := range accounts {
		s.Peers = append(s.Peers, tunnelPeer{
			Email: a.email, PublicKey: publicText(agentapi.TunnelKey(a.key)), AllowedIPs: []string{a.address.String() + "/32"},
		})
	}
	return s
}

func keyText(raw []byte) string { return base64.StdEncoding.EncodeToString(raw) }

func publicText(key *ecdh.PrivateKey) string { return keyText(key.PublicKey().Bytes()) }

// tunnelClient is what a client needs.
func tunnelClient(root []byte, block string, a account) *flowsapi.Tunnel {
	return &flowsapi.Tunnel{
		PrivateKey: keyText(agentapi.TunnelKey(a.key).Bytes()), Address: a.address.String() + "/32",
		PublicKey: publicText(tunnelKey(root, block)), MTU: agentapi.TunnelMTU,
	}
}

// tunnelOutbound is the client side of a listener of WireGuard.
type tunnelOutbound struct {
	Tag      string `json:"tag"`
	Protocol string `json:"protocol"`
	Settings struct {
		SecretKey   string       `json:"secretKey"`
		Address     []string     `json:"address"`
		Peers       []tunnelPeer `json:"peers"`
		MTU         int          `json:"mtu"`
		NoKernelTun bool         `json:"noKernelTun"`
	} `json:"settings"`
}

func tunnelProbe(root []byte, block string, l graph.Listener, host string, a account) tunnelOutbound {
	t := tunnelClient(root, block, a)
	o := tunnelOutbound{Tag: "probe", Protocol: graph.WireGuard}
	o.Settings.SecretKey, o.Settings.Address, o.Settings.MTU = t.PrivateKey, []string{t.Address}, t.MTU
	o.Settings.NoKernelTun = true
	o.Settings.Peers = []tunnelPeer{{
		PublicKey: t.PublicKey, Endpoint: net.JoinHostPort(host, strconv.Itoa(l.Port)), AllowedIPs: []string{"0.0.0.0/0"},
	}}
	return o
}

// servesTunnels is what the agent of a node must be able to do, so that an entry there can speak WireGuard.
const servesTunnels = string(agentapi.CanTunnel)

func (c *compiler) tunnel(key string, n Node, l graph.Listener) {
	if l.Protocol != graph.WireGuard {
		return
	}
	path := c.path(key, ".params.listener.protocol")
	if n.Core != "" && !coreSpeaks(n.Core, graph.WireGuard) {
		c.failOn(n, "transport_not_supported", path, "the node's core does not speak WireGuard")
	}
	if len(n.Can) > 0 && !slices.Contains(n.Can, servesTunnels) {
		c.lacking(key, n, servesTunnels, "the node's agent cannot serve WireGuard; update it")
	}
	c.warn("wireguard_reload", path,
		"a change of this node's configuration interrupts the clients of WireGuard for up to 15 seconds")
}
