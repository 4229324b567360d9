package places

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/stretchr/testify/require"
)

var (
	home   = netip.MustParseAddr("81.2.69.0")
	abroad = netip.MustParseAddr("89.160.20.0")
)

// write makes a database of these networks, in the place of what stood under the name.
func write(t *testing.T, file string, known map[string]mmdbtype.Map) {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test", RecordSize: 24})
	require.NoError(t, err)
	for network, what := range known {
		_, parsed, err := net.ParseCIDR(network)
		require.NoError(t, err)
		require.NoError(t, tree.Insert(parsed, what))
	}
	fresh, err := os.Create(file + ".new")
	require.NoError(t, err)
	_, err = tree.WriteTo(fresh)
	require.NoError(t, err)
	require.NoError(t, fresh.Close())
	require.NoError(t, os.Rename(file+".new", file))
}

func country(code string) mmdbtype.Map {
	return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(code)}}
}

func city(code, name string) mmdbtype.Map {
	all := country(code)
	all["city"] = mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(name)}}
	all["location"] = mmdbtype.Map{"latitude": mmdbtype.Float64(51.5), "longitude": mmdbtype.Float64(-0.1)}
	return all
}

func network(asn uint32, name string) mmdbtype.Map {
	return mmdbtype.Map{
		"autonomous_system_number":       mmdbtype.Uint32(asn),
		"autonomous_system_organization": mmdbtype.String(name),
	}
}

// What several databases know of an address is put together; what none knows stays unknown.
func TestDatabasesSayTogetherWhereAnAddressIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "city.mmdb"), map[string]mmdbtype.Map{
		"81.2.69.0/24": city("GB", "London"), "89.160.20.0/24": country("SE"),
	})
	write(t, filepath.Join(dir, "networks.mmdb"), map[string]mmdbtype.Map{"81.2.0.0/16": network(20712, "Example")})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.mmdb"), []byte("no database"), 0o600))
	p := In(dir, clockwork.NewFakeClock())
	require.Equal(t, Place{
		ASN: 20712, Network: "Example", Country: "GB", City: "London", Lat: 51.5, Lon: -0.1,
	}, p.Of(home))
	require.Equal(t, Place{Country: "SE"}, p.Of(abroad))
	require.Zero(t, p.Of(netip.MustParseAddr("8.8.8.0")))
	require.Zero(t, p.Of(netip.MustParseAddr("2a00:1450::")), "a database of IPv4 or IPv6 without it")
	require.Zero(t, p.Of(netip.Addr{}))
}

// A database that came, was replaced or went is noticed within a minute, and none is needed.
func TestDatabasesComeAndGo(t *testing.T) {
	t.Parallel()
	dir, clock := filepath.Join(t.TempDir(), "assets"), clockwork.NewFakeClock()
	p := In(dir, clock)
	require.Zero(t, p.Of(home), "there is not even the folder")
	require.NoError(t, os.Mkdir(dir, 0o700))
	file := filepath.Join(dir, "country.mmdb")
	for _, code := range []string{"GB", "IE"} {
		write(t, file, map[string]mmdbtype.Map{"81.2.69.0/24": country(code)})
		before := p.Of(home)
		require.NotEqual(t, code, before.Country, "the folder is not read for each address")
		clock.Advance(readEvery + time.Second)
		require.Equal(t, code, p.Of(home).Country)
	}
	require.NoError(t, os.Remove(file))
	clock.Advance(readEvery + time.Second)
	require.Zero(t, p.Of(home))
}
