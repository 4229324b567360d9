package provider

import (
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/platform/fault"
)

func powerDNSValues(server *dnstest.PowerDNS) Values {
	return Values{"api_root": server.Root, "api_key": server.Key, "name_servers": server.Address}
}

// On a real PowerDNS.
func TestPowerDNSKeepsRecords(t *testing.T) {
	t.Parallel()
	server := dnstest.NewPowerDNS(t, "example.com", "deep.example.com")
	c := open(t, providers(t, ""), "powerdns", powerDNSValues(server))
	keeps(t, c)

	zone := zoneOf(t, c, "seen.example.com")
	written := add(t, c, zone, Record{Name: "seen.example.com", Type: TypeAAAA, Value: "2001:db8::7", TTL: 60})
	require.True(t, written.Confirmed)
	require.Len(t, dnstest.Ask(t, server.Address, "seen.example.com", dns.TypeAAAA).Answer, 1)

	server.Set("example.com", "taken.example.com", "CNAME", "elsewhere.example.net.")
	_, err := c.Add(t.Context(), zone, Record{Name: "taken.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 60})
	require.Equal(t, CodeConflict, fault.Code(err))
	zones, err := c.Zones(t.Context())
	require.NoError(t, err)
	require.Len(t, zones, 2)
}

func TestPowerDNSRefusesAnotherKey(t *testing.T) {
	t.Parallel()
	server := dnstest.NewPowerDNS(t, "example.com")
	values := powerDNSValues(server)
	values["api_key"] = "another key"
	_, err := open(t, providers(t, ""), "powerdns", values).Zones(t.Context())
	require.Equal(t, CodeRefused, fault.Code(err))
}
