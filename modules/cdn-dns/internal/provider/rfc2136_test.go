package provider

import (
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/platform/fault"
)

func bindValues(server *dnstest.BIND) Values {
	return Values{
		"server": server.Address, "zones": "example.com, deep.example.com", "key_name": server.KeyName,
		"key_secret": server.Secret,
	}
}

// On a real BIND.
func TestRFC2136KeepsRecords(t *testing.T) {
	t.Parallel()
	server := dnstest.NewBIND(t, "example.com", "deep.example.com")
	c := open(t, providers(t, ""), "rfc2136", bindValues(server))
	keeps(t, c)
	zone := zoneOf(t, c, "example.com")

	// A server takes a CNAME onto an A with success and does nothing; the panel says so.
	_, err := c.Add(t.Context(), zone, Record{Name: "taken.example.com", Type: TypeCNAME, Value: "elsewhere.example", TTL: 60})
	require.Equal(t, CodeConflict, fault.Code(err))
	require.Len(t, dnstest.Ask(t, server.Address, "taken.example.com", dns.TypeA).Answer, 1)

	written := add(t, c, zone, Record{Name: "new.example.com", Type: TypeA, Value: "192.0.2.5", TTL: 60})
	require.True(t, written.Confirmed)
}

func TestAWildcardIsNotTheRecordOfANameBelowIt(t *testing.T) {
	t.Parallel()
	server := dnstest.NewBIND(t, "example.com", "deep.example.com")
	c := open(t, providers(t, ""), "rfc2136", bindValues(server))
	zone := zoneOf(t, c, "example.com")
	require.NotEmpty(t, dnstest.Ask(t, server.Address, "node.wild.example.com", dns.TypeA).Answer, "the wildcard answers")
	require.Empty(t, bareRecords(t, c, zone, "node.wild.example.com"))
	add(t, c, zone, Record{Name: "node.wild.example.com", Type: TypeA, Value: "192.0.2.6", TTL: 60})
	require.Equal(t, []Record{{Name: "node.wild.example.com", Type: TypeA, Value: "192.0.2.6"}},
		bareRecords(t, c, zone, "node.wild.example.com"))
}

// The library says "bad authentication" for all of these.
func TestTheReasonOfARefusedSignatureIsSaid(t *testing.T) {
	t.Parallel()
	server := dnstest.NewBIND(t, "example.com", "deep.example.com")
	for name, values := range map[string]Values{
		"another secret": {"key_secret": "YW5vdGhlciBzZWNyZXQgb2YgdGhlIHRlc3Rz"},
		"another name":   {"key_name": "nobody"},
	} {
		all := bindValues(server)
		for field, value := range values {
			all[field] = value
		}
		_, err := open(t, providers(t, ""), "rfc2136", all).Zones(t.Context())
		require.Equal(t, CodeRefused, fault.Code(err), name)
	}
	p := providers(t, "")
	p.now = func() time.Time { return time.Now().Add(-24 * time.Hour) }
	_, err := open(t, p, "rfc2136", bindValues(server)).Zones(t.Context())
	require.Equal(t, CodeError, fault.Code(err))
	require.ErrorContains(t, err, "clock", "a clock that is wrong by a day")
}

func TestAZoneThatTheServerDoesNotHoldIsSaid(t *testing.T) {
	t.Parallel()
	server := dnstest.NewBIND(t, "example.com")
	values := bindValues(server)
	_, err := open(t, providers(t, ""), "rfc2136", values).Zones(t.Context())
	require.Error(t, err)
	require.NotEqual(t, "internal", fault.Code(err))
}
