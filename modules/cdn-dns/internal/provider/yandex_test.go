package provider

import (
	"net/netip"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdntest"
	"panel/platform/fault"
)

// yandexAccount is a client of the stand-in, by the given clock.
func yandexAccount(t *testing.T, clock clockwork.Clock) (*cdntest.Yandex, *Client) {
	t.Helper()
	service := cdntest.NewYandex(t, "127.0.0.1:1")
	p := providers(t, "https://api.cloudflare.com/client/v4")
	p.now = clock.Now
	return service, open(t, p, "yandex", Values{
		"folder_id": cdntest.YandexFolder, "service_account_key": service.Key, "api_root": service.Root,
	})
}

// The key of a service account is exchanged for a token, once for as long as that is good.
func TestAKeyIsExchangedForATokenThatIsKept(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	service, client := yandexAccount(t, clock)
	for range 3 {
		_, err := client.Rights(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, 1, service.Exchanged())
	service.Revoke()
	_, err := client.Rights(t.Context())
	require.NoError(t, err, "a token that was revoked is exchanged for another")
	require.Equal(t, 2, service.Exchanged())
	clock.Advance(time.Hour)
	_, err = client.Rights(t.Context())
	require.Error(t, err, "the clock of the panel is an hour ahead now")
}

// A clock that is wrong by a day: the service refuses the statement, which is said and harms nothing.
func TestAStatementOfAWrongClockIsRefused(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, client := yandexAccount(t, clockwork.NewFakeClockAt(time.Now().Add(off)))
		_, err := client.Rights(t.Context())
		require.Equal(t, CodeRefused, fault.Code(err))
	}
}

// A key that cannot be read is refused before anything is called, and never repeated.
func TestAKeyThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	p := providers(t, "https://api.cloudflare.com/client/v4")
	for _, key := range []string{
		"sesame", "{}", `{"id":"a","service_account_id":"b"}`,
		`{"id":"a","service_account_id":"b","private_key":"-----BEGIN PRIVATE KEY-----\nc2VzYW1l\n-----END PRIVATE KEY-----"}`,
	} {
		_, err := p.Open("yandex", Values{"folder_id": "f", "service_account_key": key}, "fields")
		wrong, ok := fault.As(err)
		require.True(t, ok)
		require.Equal(t, "fields.service_account_key", wrong.Fields[0].Field)
		require.NotContains(t, err.Error(), "sesame")
	}
}

// A right that the account lacks is named; a certificate that is not issued ends the front.
func TestWhatACDNRefusesIsTyped(t *testing.T) {
	t.Parallel()
	service := cdntest.NewYandex(t, "127.0.0.1:1")
	client := open(t, providers(t, "https://api.cloudflare.com/client/v4"), "yandex", Values{
		"folder_id": "another", "service_account_key": service.Key, "api_root": service.Root,
	})
	front := Front{
		Name: "panel-1", Host: "a.example.com", Origin: Origin{Address: netip.MustParseAddr("203.0.113.7")},
	}
	_, err := client.CDN().Advance(t.Context(), front)
	require.Equal(t, CodeLacksRights, fault.Code(err))
	require.False(t, Passing(err))
	require.True(t, service.Empty())
}

// Each service has a host of its own, and another root takes all of them.
func TestTheServicesOfACloudHaveHostsOfTheirOwn(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://cdn.api.cloud.yandex.net", yandexAt(yandexRoot, "cdn"))
	require.Equal(t, "http://10.0.0.1", yandexAt("http://10.0.0.1", "cdn"))
}

// A service that holds no zones opens none and writes nothing.
func TestACDNHoldsNoZones(t *testing.T) {
	t.Parallel()
	_, client := yandexAccount(t, clockwork.NewRealClock())
	zones, err := client.Zones(t.Context())
	require.NoError(t, err)
	require.Empty(t, zones)
	_, err = client.ZoneOf(t.Context(), "a.example.com")
	require.ErrorIs(t, err, ErrNoZone)
	_, err = client.Add(t.Context(), Zone{Name: "example.com"}, Record{Name: "a.example.com", Type: TypeA, Value: "192.0.2.1"})
	require.ErrorIs(t, err, ErrNoZone)
	require.ErrorIs(t, client.Remove(t.Context(), Zone{}, Record{}), ErrNoZone)
}
