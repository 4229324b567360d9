package provider

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/internal/lookup"
	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// oneByOne gives turns to one after the other, whatever the name.
type oneByOne struct{ mutex sync.Mutex }

func (o *oneByOne) Take(ctx context.Context, _ string) (held context.Context, release func(), err error) {
	o.mutex.Lock()
	return ctx, o.mutex.Unlock, nil
}

// providers are those of a panel that may call this machine, whose resolvers are the given ones.
func providers(t *testing.T, cloudflareRoot string, resolvers ...string) *Providers {
	t.Helper()
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	p := New(network, lookup.New(network, resolvers), &oneByOne{}, cloudflareRoot, clockwork.NewRealClock())
	p.confirm = 200 * time.Millisecond
	return p
}

func open(t *testing.T, p *Providers, kind string, values Values) *Client {
	t.Helper()
	client, err := p.Open(kind, values, "fields")
	require.NoError(t, err)
	return client
}

func zoneOf(t *testing.T, c *Client, host string) Zone {
	t.Helper()
	zone, err := c.ZoneOf(t.Context(), host)
	require.NoError(t, err)
	return zone
}

func add(t *testing.T, c *Client, zone Zone, r Record) Written {
	t.Helper()
	written, err := c.Add(t.Context(), zone, r)
	require.NoError(t, err)
	return written
}

// bareRecords leaves out what services name by themselves.
func bareRecords(t *testing.T, c *Client, zone Zone, name string) []Record {
	t.Helper()
	found, err := c.Records(t.Context(), zone, name)
	require.NoError(t, err)
	for i := range found {
		found[i].ID, found[i].TTL = "", 0
	}
	return found
}

// keeps is what every service must do, whatever its API looks like. The account holds example.com and, below it,
// deep.example.com.
func keeps(t *testing.T, c *Client) {
	t.Helper()
	ctx := t.Context()
	require.Equal(t, "example.com", zoneOf(t, c, "a.b.example.com").Name, "the zone is found by walking labels")
	require.Equal(t, "deep.example.com", zoneOf(t, c, "x.deep.example.com").Name, "the nearest zone wins")
	_, err := c.ZoneOf(ctx, "example.net")
	require.ErrorIs(t, err, ErrNoZone)

	zone := zoneOf(t, c, "www.example.com")
	first := Record{Name: "www.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 300}
	second := Record{Name: "www.example.com", Type: TypeA, Value: "192.0.2.2", TTL: 300}
	six := Record{Name: "www.example.com", Type: TypeAAAA, Value: "2001:db8::1", TTL: 300}
	for _, r := range []Record{first, second, six, first} {
		require.True(t, add(t, c, zone, r).Record.Same(r), "also one that is there already")
	}
	found, err := c.Records(ctx, zone, "WWW.example.com.")
	require.NoError(t, err)
	require.Len(t, found, 3, "a record stands beside those that are there, and once")
	for _, r := range []Record{first, second, six} {
		require.Condition(t, func() bool {
			for _, other := range found {
				if other.Same(r) {
					return true
				}
			}
			return false
		}, "%s %s is there", r.Type, r.Value)
	}

	_, err = c.Add(ctx, zone, Record{Name: "www.example.com", Type: TypeCNAME, Value: "elsewhere.example.net", TTL: 300})
	require.Equal(t, CodeConflict, fault.Code(err), "an alias never goes where an address stands")
	require.Len(t, bareRecords(t, c, zone, "www.example.com"), 3)

	for _, r := range found {
		if r.Same(first) {
			require.NoError(t, c.Remove(ctx, zone, r))
			require.NoError(t, c.Remove(ctx, zone, r), "what is gone is no error")
		}
	}
	left := bareRecords(t, c, zone, "www.example.com")
	require.Len(t, left, 2, "one record is taken away, not its neighbours")

	apex := Record{Name: "example.com", Type: TypeA, Value: "192.0.2.9", TTL: 300}
	add(t, c, zone, apex)
	require.Contains(t, bareRecords(t, c, zone, "example.com"), Record{Name: "example.com", Type: TypeA, Value: "192.0.2.9"})

	alias := Record{Name: "alias.example.com", Type: TypeCNAME, Value: "Elsewhere.Example.net.", TTL: 300}
	add(t, c, zone, alias)
	_, err = c.Add(ctx, zone, Record{Name: "alias.example.com", Type: TypeA, Value: "192.0.2.8", TTL: 300})
	require.Equal(t, CodeConflict, fault.Code(err), "an address never goes where an alias stands")
	require.Equal(t, []Record{{Name: "alias.example.com", Type: TypeCNAME, Value: "elsewhere.example.net"}},
		bareRecords(t, c, zone, "alias.example.com"))
	solves(t, c, zone)
}
