package fleet

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/dnstest"
	"panel/platform/agentapi"
)

// Addresses on a wire that knows IPv6 alone.
const (
	sixPanel = "2001:db8:6::1"
	sixNode  = "2001:db8:6::2"
	sixZone  = "six.example"
	sixHost  = "n1." + sixZone
)

// A node that has IPv6 alone: its record is an AAAA and nothing else, its certificate is issued, and a client gets
// through by its link.
func TestANodeWithIPv6Alone(t *testing.T) {
	t.Parallel()
	command(t, "ip", "link", "set", "lo", "up")
	if off, err := os.ReadFile("/proc/sys/net/ipv6/conf/lo/disable_ipv6"); err != nil || off[0] != '0' {
		t.Skip("this machine has no IPv6")
	}
	wireSix(t)
	names := dnstest.NewPowerDNS(t, sixZone)
	authority := acmetest.Pebble(t, names.Address)
	site, err := rig.OpenSite(sixPanel)
	require.NoError(t, err)
	t.Cleanup(site.Close)
	stand := rigtest.Install(t, rig.PanelSettings{Host: sixPanel, Env: []string{
		"PANEL_DNS_RESOLVERS=" + names.Address, "PANEL_OUTBOUND_ALLOW=127.0.0.1",
	}})
	agent, err := stand.Enroll(t.Context(), "six", serverSix(t)...)
	require.NoError(t, err)
	rigtest.Run(t, stand, agent)
	integrate(t, stand, names, authority)

	var bound struct{ ID string }
	require.NoError(t, stand.API.Post(t.Context(), "/api/v1/node-domains", map[string]any{
		"node_id": agent.NodeID, "zone": sixZone, "label": "n1", "mode": "direct", "ttl": 60,
	}, &bound))
	flow, err := stand.API.Draw(t.Context(), "six", map[string]any{
		"nodes": []map[string]any{
			{
				"key": "entry", "kind": "entry", "node_id": agent.NodeID, "node_domain_id": bound.ID,
				"params": map[string]any{"listener": map[string]any{
					"protocol": "vless", "listen_ip": "::", "port": 443, "transport": "ws", "security": "tls",
				}},
			},
			{"key": "exit", "kind": "exit", "node_id": agent.NodeID, "params": map[string]any{"private": "allow"}},
		},
		"edges": []map[string]any{{"from": "entry", "to": "exit"}},
	})
	require.NoError(t, err)
	plan, err := stand.API.Compile(t.Context(), flow.ID)
	require.NoError(t, err)
	_, err = stand.API.Apply(t.Context(), flow.ID, plan)
	require.NoError(t, err)
	link, err := stand.API.Link(t.Context(), flow.ID)
	require.NoError(t, err)

	root := filepath.Join(t.TempDir(), "root.pem")
	require.NoError(t, os.WriteFile(root, []byte(authority.Root(t)), 0o600))
	seen, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
		Link: link, DialAs: net.JoinHostPort(sixNode, "443"), URL: site.Page + "/", Expect: `"page":"ok"`,
	}, "env", "SSL_CERT_FILE="+root)
	require.NoError(t, err)
	require.Equal(t, sixNode, seen.ExitIP)

	require.Eventually(t, func() bool {
		var d struct {
			State string `json:"dns_state"`
		}
		return stand.API.Get(t.Context(), "/api/v1/node-domains/"+bound.ID, &d) == nil && d.State == "ok"
	}, answersWithin, glance)
	answer := dnstest.Ask(t, names.Address, sixHost, dns.TypeAAAA).Answer
	require.Len(t, answer, 1)
	require.Equal(t, sixNode, answer[0].(*dns.AAAA).AAAA.String())
	require.Empty(t, dnstest.Ask(t, names.Address, sixHost, dns.TypeA).Answer)
}

// integrate gives the panel the account at the name server, and the authority.
func integrate(t *testing.T, stand *rig.Stand, names *dnstest.PowerDNS, authority acmetest.Authority) {
	t.Helper()
	require.NoError(t, stand.API.Post(t.Context(), "/api/v1/dns/integrations", map[string]any{
		"provider": "powerdns", "label": "power", "fields": map[string]any{
			"api_root": names.Root, "api_key": names.Key, "name_servers": names.Address,
		},
	}, nil))
	require.NoError(t, stand.API.Put(t.Context(), "/api/v1/dns/certificate-settings", map[string]any{
		"revision": 0, "settings": map[string]any{
			"authority": "other", "directory": authority.Directory(), "email": "", "roots": authority.Roots,
			"external_account": map[string]any{"key_id": ""},
		},
	}, nil))
}

// wireSix makes a bridge for the panel's side.
func wireSix(t *testing.T) {
	t.Helper()
	command(t, "ip", "link", "add", "six", "type", "bridge")
	t.Cleanup(func() { command(t, "ip", "link", "del", "six") })
	command(t, "ip", "link", "set", "six", "up")
	command(t, "ip", "addr", "add", sixPanel+"/64", "dev", "six", "nodad")
}

// serverSix is a server with one address of IPv6.
func serverSix(t *testing.T) []string {
	t.Helper()
	return serverOn(t, "six", "six0", sixNode+"/64", "nodad")
}
