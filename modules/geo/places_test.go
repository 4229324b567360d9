package geo

import (
	"bytes"
	"net"
	"net/http"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/stretchr/testify/require"

	"panel/modules/geo/internal/dat"
	"panel/platform/paneltest"
	"panel/platform/places"
)

// placesFile is a database that knows networks in the form of MaxMind.
func placesFile(t *testing.T, known map[string]mmdbtype.Map) []byte {
	t.Helper()
	return placesFileSaying(t, map[string]string{"en": "Test"}, known)
}

func placesFileSaying(t *testing.T, description map[string]string, known map[string]mmdbtype.Map) []byte {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{
		DatabaseType: "Test", Description: description, RecordSize: 24, IncludeReservedNetworks: true,
	})
	require.NoError(t, err)
	for network, what := range known {
		_, parsed, err := net.ParseCIDR(network)
		require.NoError(t, err)
		require.NoError(t, tree.Insert(parsed, what))
	}
	var out bytes.Buffer
	_, err = tree.WriteTo(&out)
	require.NoError(t, err)
	return out.Bytes()
}

func inCountry(code string) mmdbtype.Map {
	return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(code)}}
}

func inNetwork(asn uint32, name string) mmdbtype.Map {
	return mmdbtype.Map{
		"autonomous_system_number":       mmdbtype.Uint32(asn),
		"autonomous_system_organization": mmdbtype.String(name),
	}
}

// mmdb adds a database of places, whose file lies at the origin, and gives its id.
func (s *stage) mmdb(name string) string {
	s.t.Helper()
	return s.admin.Post(assetsPath, fields{
		"file": "mmdb", "preset": "custom", "name": name, "source_url": s.origin.URL + "/" + name,
	}).Is(http.StatusCreated).Text("id")
}

// placeOf is the place that an answer shows, nil for none.
func placeOf(t *testing.T, answer *paneltest.Answer) *places.Place {
	t.Helper()
	var body struct{ Place *places.Place }
	answer.JSON(&body)
	return body.Place
}

// Spec: databases of places give country and network to nodes and to the journal. Several are put together.
func TestDatabasesOfPlacesNameNodesAndCallers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	numeric := s.admin.Post("/api/v1/nodes", fields{"name": "numeric", "address": "81.2.69.1"}).Is(http.StatusCreated)
	require.Nil(t, placeOf(t, numeric), "nobody knows places yet")
	named := s.admin.Post("/api/v1/nodes", fields{
		"name": "named", "address": "n.example",
		"ips": []fields{{"ip": "89.160.20.1", "family": 4, "role": "inbound"}},
	}).Is(http.StatusCreated)

	s.origin.publish("country.mmdb", placesFile(t, map[string]mmdbtype.Map{
		"81.2.69.0/24": inCountry("GB"), "127.0.0.0/8": inCountry("NL"),
	}))
	s.origin.publish("asn.mmdb", placesFile(t, map[string]mmdbtype.Map{
		"81.2.69.0/24": inNetwork(64500, "Example"), "89.160.20.0/24": inNetwork(64501, "Other"),
	}))
	for _, name := range []string{"country.mmdb", "asn.mmdb"} {
		a := s.update(s.mmdb(name), true)
		require.Equal(t, stateCurrent, a.State, "only the panel holds it: %s", a.RejectDetail)
	}
	home := &places.Place{Country: "GB", ASN: 64500, Network: "Example"}
	require.Eventually(t, func() bool { // a new database stays unnoticed for a while
		place := placeOf(t, s.admin.Get("/api/v1/nodes/"+numeric.Text("id")).Is(http.StatusOK))
		return place != nil && *place == *home
	}, within, every)
	require.Equal(t, &places.Place{ASN: 64501, Network: "Other"},
		placeOf(t, s.admin.Get("/api/v1/nodes/"+named.Text("id"))), "a host name has the place of its first address")

	var nodes struct {
		Items []struct{ Place *places.Place }
	}
	s.admin.Get("/api/v1/nodes?sort=name").Is(http.StatusOK).JSON(&nodes)
	require.Equal(t, home, nodes.Items[1].Place)

	var journal struct {
		Items []struct {
			ID, IP string
			Place  *places.Place
		}
	}
	s.admin.Get("/api/v1/audit?action=node.created").Is(http.StatusOK).JSON(&journal)
	require.Equal(t, "127.0.0.1", journal.Items[0].IP)
	require.Equal(t, &places.Place{Country: "NL"}, journal.Items[0].Place)
	require.Equal(t, "NL", placeOf(t, s.admin.Get("/api/v1/audit/"+journal.Items[0].ID)).Country)
	require.Contains(t, string(s.admin.Get("/api/v1/audit/export?format=ndjson").Is(http.StatusOK).Body),
		`"place":{"country":"NL"`)
}

// A description is for people: a database without one is as good as any other.
func TestADatabaseOfPlacesNeedsNoDescription(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	digest := s.origin.publish("country.mmdb", placesFileSaying(t, nil, map[string]mmdbtype.Map{
		"81.2.69.0/24": inCountry("GB"),
	}))
	a := s.update(s.mmdb("country.mmdb"), true)
	require.Equal(t, stateCurrent, a.State, a.RejectDetail)
	require.Equal(t, digest, a.Version.SHA256)
}

func TestADatabaseOfPlacesThatIsDamagedIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	good := placesFile(t, map[string]mmdbtype.Map{"81.2.69.0/24": inCountry("GB"), "89.160.20.0/24": inCountry("SE")})
	digest := s.origin.publish("country.mmdb", good)
	id := s.mmdb("country.mmdb")
	require.Equal(t, digest, s.update(id, true).Version.SHA256)
	flipped := bytes.Clone(good)
	for i := range 64 {
		flipped[i] ^= 0xff
	}
	for reason, body := range map[string][]byte{
		dat.NotGeoData: good[:len(good)/2], dat.Truncated: flipped, dat.Empty: {}, dat.HTML: []byte("<html></html>"),
	} {
		s.origin.publish("country.mmdb", body)
		a := s.update(id, true)
		require.Equal(t, [2]string{stateRejected, reason}, [2]string{a.State, a.RejectReason}, a.RejectDetail)
		require.Equal(t, digest, a.Version.SHA256)
	}
}
