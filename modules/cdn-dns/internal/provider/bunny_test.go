package provider

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdntest"
	"panel/platform/fault"
)

// pullZones is an account at bunny.net whose host names lead nowhere.
func pullZones(t *testing.T) (*cdntest.Bunny, CDN) {
	t.Helper()
	service := cdntest.NewBunny(t, "127.0.0.1:1")
	c := open(t, providers(t, ""), "bunny", Values{"api_key": cdntest.BunnyKey, "api_root": service.Root})
	return service, c.CDN()
}

func secureFront() Front {
	return Front{
		Name: "panel-1", Host: "a.example.com", Origin: Origin{Address: netip.MustParseAddr("203.0.113.7"), TLS: true},
	}
}

// A front goes from its pull zone over the alias of the host name to the certificate, and asks for nothing twice.
func TestAPullZoneIsMadeStepByStep(t *testing.T) {
	t.Parallel()
	service, network := pullZones(t)
	f := secureFront()
	s, err := network.Advance(t.Context(), f)
	require.NoError(t, err)
	require.Equal(t, StepName, s.Step)
	require.False(t, s.Ready)
	require.Equal(t, "panel-1.b-cdn.net", s.Target)
	require.Equal(t, []Record{{Name: "a.example.com", Type: TypeCNAME, Value: "panel-1.b-cdn.net", TTL: frontTTL}}, s.Records)
	made := service.Zones()[0]
	require.Equal(t, "https://203.0.113.7", made.OriginURL)
	require.Equal(t, "a.example.com", made.Asked["OriginHostHeader"], "the node tells its listeners apart by it")
	require.EqualValues(t, 0, made.Asked["CacheControlMaxAgeOverride"], "nothing is cached")
	require.Equal(t, true, made.Asked["EnableWebSockets"])

	f.Marks, f.Named = s.Marks, true
	s, err = network.Advance(t.Context(), f)
	require.NoError(t, err, "that the service does not see the name yet is waited for")
	require.Equal(t, StepCertificate, s.Step)
	require.False(t, s.Ready)

	f.Origin.TLS = false
	s, err = network.Advance(t.Context(), f)
	require.NoError(t, err)
	require.Equal(t, StepReady, s.Step, "a plain front needs no certificate")
	require.True(t, s.Ready)
	require.Len(t, service.Zones(), 1)
	require.Len(t, service.Zones()[0].Hostnames, 2, "the system's and ours, once")
}

// The answer to the creation was lost: the pull zone is found again by the name that it was begun under, also after
// the service has forgotten what it called it.
func TestAPullZoneIsFoundAgainByItsName(t *testing.T) {
	t.Parallel()
	service, network := pullZones(t)
	f := secureFront()
	first, err := network.Advance(t.Context(), f)
	require.NoError(t, err)
	for _, marks := range []Marks{{}, {Resource: "999999"}, first.Marks} {
		f.Marks = marks
		again, err := network.Advance(t.Context(), f)
		require.NoError(t, err)
		require.Equal(t, first.Marks, again.Marks)
	}
	require.Len(t, service.Zones(), 1)
}

// A host name that somebody else has at the service is a conflict; what was made for it goes, theirs stays.
func TestAHostNameThatIsTakenIsAConflict(t *testing.T) {
	t.Parallel()
	service, network := pullZones(t)
	service.Put("of-somebody-else", "a.example.com")
	f := secureFront()
	s, err := network.Advance(t.Context(), f)
	require.Equal(t, CodeConflict, fault.Code(err))
	require.ErrorContains(t, err, "a.example.com is taken at bunny.net")
	require.NotEmpty(t, s.Marks.Resource, "what was made is known, so that it can be removed")
	f.Marks = s.Marks
	keep := func(Marks) error { return nil }
	require.NoError(t, network.Remove(t.Context(), f, keep))
	require.NoError(t, network.Remove(t.Context(), f, keep), "what is gone is no error")
	require.Len(t, service.Zones(), 1)
	require.Equal(t, "of-somebody-else", service.Zones()[0].Name)
}

// A pull zone fetches from where the node is now; one that is gone is nobody's business.
func TestAPullZoneFollowsItsOrigin(t *testing.T) {
	t.Parallel()
	service, network := pullZones(t)
	f := secureFront()
	require.NoError(t, network.Point(t.Context(), f), "nothing stands there")
	_, err := network.Advance(t.Context(), f)
	require.NoError(t, err)
	for _, origin := range []struct {
		Origin
		url string
	}{
		{Origin{netip.MustParseAddr("203.0.113.8"), true}, "https://203.0.113.8"},
		{Origin{netip.MustParseAddr("203.0.113.8"), false}, "http://203.0.113.8"},
		{Origin{netip.MustParseAddr("2001:db8::8"), true}, "https://[2001:db8::8]"},
	} {
		f.Origin = origin.Origin
		require.NoError(t, network.Point(t.Context(), f))
		require.Equal(t, origin.url, service.Zones()[0].OriginURL)
	}
}

// A key that the service does not know is told at the check, and makes nothing.
func TestAnUnknownKeyOfACDNIsRefused(t *testing.T) {
	t.Parallel()
	service := cdntest.NewBunny(t, "127.0.0.1:1")
	c := open(t, providers(t, ""), "bunny", Values{"api_key": "sesame-open", "api_root": service.Root})
	_, err := c.Rights(t.Context())
	require.Equal(t, CodeRefused, fault.Code(err))
	require.NotContains(t, err.Error(), "sesame")
	_, err = c.CDN().Advance(t.Context(), secureFront())
	require.Equal(t, CodeRefused, fault.Code(err))
	require.False(t, Passing(err))
	require.Empty(t, service.Zones())
	require.Nil(t, open(t, providers(t, ""), "vultr", simple(service.Root, "x")).CDN(), "a DNS service is no CDN")
}

// Certificates and operations of a cloud that fail say why, in its words, and whether asking again helps.
func TestWhatACloudCouldNotDo(t *testing.T) {
	t.Parallel()
	for status, failed := range map[string]bool{
		"ISSUED": false, "VALIDATING": false, "RENEWING": false, "INVALID": true, "REVOKED": true,
	} {
		c := yandexCertificate{Status: status, Challenges: []yandexChallenge{{}, {Error: "CAA forbids it"}}}
		err := c.failed()
		require.Equal(t, failed, err != nil, status)
		if failed {
			require.ErrorContains(t, err, "CAA forbids it")
			require.False(t, Passing(asFault(err)), "it is not issued by waiting")
		}
	}
	require.NoError(t, operation{}.failed())
	for code, want := range map[int]struct {
		code    string
		passing bool
	}{
		grpcExists: {CodeConflict, false}, grpcForbidden: {CodeLacksRights, false},
		grpcUnavailable: {CodeError, true}, 3: {CodeError, false},
	} {
		err := asFault(operation{Error: &yandexError{Code: code, Message: "no"}}.failed())
		require.Equal(t, want.code, fault.Code(err), code)
		require.Equal(t, want.passing, Passing(err), code)
	}
	var proof yandexChallenge
	proof.DNS.Type, proof.DNS.Name, proof.DNS.Value = TypeCNAME, "_acme-challenge.A.example.com.", "proof.cm.example."
	text := proof
	text.DNS.Type = TypeTXT
	require.Equal(t, []Record{{
		Name: "_acme-challenge.a.example.com", Type: TypeCNAME, Value: "proof.cm.example", TTL: frontTTL,
	}}, (&yandexCertificate{Challenges: []yandexChallenge{text, proof}}).aliases())
}
