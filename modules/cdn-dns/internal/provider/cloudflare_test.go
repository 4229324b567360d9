package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/platform/fault"
)

const cloudflareToken = "a token of the tests"

func cloudflareWith(t *testing.T, may *dnstest.CloudflareToken, zones ...string) (*dnstest.Cloudflare, *Client) {
	t.Helper()
	stand := dnstest.NewCloudflare(t, zones...)
	stand.Allow(cloudflareToken, may)
	return stand, open(t, providers(t, stand.Root), Cloudflare, Values{"api_token": cloudflareToken})
}

func TestCloudflareKeepsRecords(t *testing.T) {
	t.Parallel()
	_, c := cloudflareWith(t, dnstest.Full(), "example.com", "deep.example.com")
	keeps(t, c)
}

func TestZonesOfAllPagesAreRead(t *testing.T) {
	t.Parallel()
	stand, c := cloudflareWith(t, dnstest.Full())
	for i := range 120 {
		stand.AddZones(fmt.Sprintf("zone%03d.example", i))
	}
	zones, err := c.Zones(t.Context())
	require.NoError(t, err)
	require.Len(t, zones, 120, "the service gives at most 50 on a page")
	require.Equal(t, "zone119.example", zones[119].Name)
}

// After each write an authoritative server of the zone is asked.
func TestAWriteIsConfirmedByTheZonesServer(t *testing.T) {
	t.Parallel()
	stand, c := cloudflareWith(t, dnstest.Full(), "example.com")
	zone := zoneOf(t, c, "www.example.com")
	written := add(t, c, zone, Record{Name: "www.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 300})
	require.True(t, written.Confirmed)
	require.NotEmpty(t, written.Record.ID)

	stand.Mute(true)
	written = add(t, c, zone, Record{Name: "late.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 300})
	require.False(t, written.Confirmed, "the API has it, the name server does not")
	require.Empty(t, written.Seen)
}

func TestAProxiedRecordIsAnsweredByTheNetwork(t *testing.T) {
	t.Parallel()
	stand, c := cloudflareWith(t, dnstest.Full(), "example.com")
	zone := zoneOf(t, c, "cdn.example.com")
	written := add(t, c, zone, Record{Name: "cdn.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 300, Proxied: true})
	require.True(t, written.Confirmed)
	require.Equal(t, []string{"198.51.100.254"}, written.Seen)
	require.True(t, stand.Records()[0].Proxied)
	require.Equal(t, 1, stand.Records()[0].TTL, "the TTL of a proxied record is automatic")
}

func TestATokenOfOneZoneWorksWithItsID(t *testing.T) {
	t.Parallel()
	stand := dnstest.NewCloudflare(t, "example.com", "other.example")
	stand.Allow(cloudflareToken, dnstest.Full("example.com"))
	p := providers(t, stand.Root)
	c := open(t, p, Cloudflare, Values{"api_token": cloudflareToken, "zone_id": stand.ZoneID("example.com")})
	require.Equal(t, "example.com", zoneOf(t, c, "www.example.com").Name)
	_, err := c.ZoneOf(t.Context(), "www.other.example")
	require.ErrorIs(t, err, ErrNoZone)
	for _, call := range stand.Calls() {
		require.NotEqual(t, "GET /zones", call, "zones are not listed")
	}
	c = open(t, p, Cloudflare, Values{"api_token": cloudflareToken, "zone_id": stand.ZoneID("other.example")})
	_, err = c.ZoneOf(t.Context(), "www.other.example")
	require.Equal(t, CodeLacksRights, fault.Code(err))
}

// A token that lacks a right is told which one (422 dns_token_lacks_rights).
func TestTheMissingRightIsNamed(t *testing.T) {
	t.Parallel()
	for right, may := range map[string]*dnstest.CloudflareToken{
		"Zone:Read": {DNSRead: true, DNSEdit: true},
		"DNS:Edit":  {ZoneRead: true, DNSRead: true},
	} {
		_, c := cloudflareWith(t, may, "example.com")
		_, err := c.Rights(t.Context())
		missing, ok := fault.As(err)
		require.True(t, ok)
		require.Equal(t, CodeLacksRights, missing.Code)
		require.Equal(t, fault.KindInvalid, missing.Kind)
		require.Equal(t, []string{right}, missing.Extra["missing"])
	}
	_, c := cloudflareWith(t, &dnstest.CloudflareToken{ZoneRead: true, DNSRead: true}, "example.com")
	_, err := c.Add(t.Context(), zoneOf(t, c, "example.com"), Record{Name: "a.example.com", Type: TypeA, Value: "192.0.2.1"})
	missing, _ := fault.As(err)
	require.Equal(t, []string{"DNS:Edit"}, missing.Extra["missing"], "also when it shows at the write alone")

	_, c = cloudflareWith(t, dnstest.Full(), "example.com")
	rights, err := c.Rights(t.Context())
	require.NoError(t, err)
	require.Equal(t, Rights{ZoneRead: true, DNSEdit: true}, rights)
}

func TestATokenThatSeesNoZoneLacksTheRightToReadThem(t *testing.T) {
	t.Parallel()
	_, c := cloudflareWith(t, dnstest.Full())
	_, err := c.Rights(t.Context())
	require.Equal(t, CodeLacksRights, fault.Code(err))
}

func TestAnUnknownTokenIsRefusedAndNeverRepeated(t *testing.T) {
	t.Parallel()
	stand := dnstest.NewCloudflare(t, "example.com")
	c := open(t, providers(t, stand.Root), Cloudflare, Values{"api_token": "sesame-open"})
	_, err := c.Zones(t.Context())
	require.Equal(t, CodeRefused, fault.Code(err))
	require.NotContains(t, err.Error(), "sesame")
}

func TestOurRecordNeverReplacesAnother(t *testing.T) {
	t.Parallel()
	stand, c := cloudflareWith(t, dnstest.Full(), "example.com")
	stand.Put(dnstest.CloudflareRecord{
		Zone: "example.com", Type: "CNAME", Name: "www.example.com", Content: "elsewhere.example.net", TTL: 300,
	})
	_, err := c.Add(t.Context(), zoneOf(t, c, "example.com"),
		Record{Name: "www.example.com", Type: TypeA, Value: "192.0.2.1"})
	require.Equal(t, CodeConflict, fault.Code(err))
	require.Equal(t, fault.KindConflict, fault.KindOf(err))
	require.Len(t, stand.Records(), 1)
}

func TestALimitedCallIsRepeatedAndThenSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	stand, c := cloudflareWith(t, dnstest.Full(), "example.com")
	stand.Limit(1)
	_, err := c.Zones(t.Context())
	require.NoError(t, err, "a question is asked again after the time that the service named")

	zone := zoneOf(t, c, "example.com")
	stand.Limit(1)
	_, err = c.Add(t.Context(), zone, Record{Name: "www.example.com", Type: TypeA, Value: "192.0.2.1"})
	limited, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, CodeError, limited.Code)
	require.Equal(t, time.Second, limited.RetryAfter)
	require.Empty(t, stand.Records(), "a write is not repeated by itself")
}

func TestAServiceThatDoesNotAnswerIsATimeout(t *testing.T) {
	t.Parallel()
	stand := dnstest.NewCloudflare(t, "example.com")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	stand.Before(func(string, string) { <-release })
	p := providers(t, stand.Root)
	p.patience = 100 * time.Millisecond
	_, err := open(t, p, Cloudflare, Values{"api_token": "x"}).Zones(t.Context())
	require.Equal(t, CodeTimeout, fault.Code(err))
	require.Equal(t, fault.KindUpstreamTimeout, fault.KindOf(err))
}
