package cdndns

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

// Specification, "DNS setup request and result": root_domain and created; without save_integration nothing is kept.
func TestADomainLeadsToTheServer(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	result := setUp(t, b.Admin().Post(setupRoute, request("Panel.Example.com.", "192.0.2.10")))
	require.Equal(t, DNSSetupResult{
		RootDomain: "example.com",
		Created:    []MadeRecord{{Type: "A", Name: "panel.example.com", Value: "192.0.2.10"}},
		Existing:   []MadeRecord{},
	}, result)
	require.Len(t, b.cloud.Records(), 1)
	require.Equal(t, []string{"dns.records_made"}, b.Recorded("dns_name", "panel.example.com"))
	require.Empty(t, b.Admin().Get(integrationsRoute).Is(http.StatusOK).Value("items"))
}

func TestAnIPv6AddressGetsAnAAAARecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	first := setUp(t, b.Admin().Post(setupRoute, request("panel.example.com", "2001:DB8::0:10")))
	require.Equal(t, []MadeRecord{{Type: "AAAA", Name: "panel.example.com", Value: "2001:db8::10"}}, first.Created)
	second := setUp(t, b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")))
	require.Equal(t, "A", second.Created[0].Type, "both families stand side by side")
	require.Len(t, b.cloud.Records(), 2)
}

func TestTheSameCallAgainFindsItsRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	body := request("panel.example.com", "192.0.2.10")
	setUp(t, b.Admin().Post(setupRoute, body))
	again := setUp(t, b.Admin().Post(setupRoute, body))
	require.Empty(t, again.Created)
	require.Equal(t, []MadeRecord{{Type: "A", Name: "panel.example.com", Value: "192.0.2.10"}}, again.Existing)
	require.Len(t, b.cloud.Records(), 1)
	require.Len(t, b.Recorded("dns_name", ""), 1, "what changed nothing is not in the journal")
}

// Specification: "when the integration is saved, the integration record without the token".
func TestTheIntegrationIsSavedWithoutShowingTheToken(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	body := request("panel.example.com", "192.0.2.10", fields{"save_integration": true})
	answer := b.Admin().Post(setupRoute, body)
	require.NotContains(t, string(answer.Body), token)
	result := setUp(t, answer)
	require.NotNil(t, result.Integration)
	require.Empty(t, result.SaveError)
	require.True(t, result.Integration.HasToken)
	require.Equal(t, "example.com", result.Integration.Label)
	require.Equal(t, []Zone{{ID: b.cloud.ZoneID("example.com"), Name: "example.com"}}, result.Integration.Zones)

	again := setUp(t, b.Admin().Post(setupRoute, body))
	require.Equal(t, result.Integration.ID, again.Integration.ID, "the call again renews what it saved")
	require.Len(t, b.Admin().Get(integrationsRoute).Value("items"), 1)
}

// Specification: save_error "can report a failure to save the integration after the DNS write already succeeded"; the
// answer is still 200, and the same call again saves alone.
func TestAFailedSaveIsReportedAndRepeatedByTheSameCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	server := dnstest.NewPowerDNS(t, "example.net")
	other := b.Admin().Post(integrationsRoute, fields{
		"provider": "powerdns", "label": "example.com",
		"fields": fields{"api_root": server.Root, "api_key": server.Key, "name_servers": server.Address},
	}).Is(http.StatusCreated).Text("id")

	body := request("panel.example.com", "192.0.2.10", fields{"save_integration": true})
	failed := setUp(t, b.Admin().Post(setupRoute, body))
	require.Len(t, failed.Created, 1)
	require.NotEmpty(t, failed.SaveError)
	require.Equal(t, "name_taken", failed.SaveCode)
	require.Nil(t, failed.Integration)

	b.Admin().Delete(integrationsRoute + "/" + other).Is(http.StatusNoContent)
	saved := setUp(t, b.Admin().Post(setupRoute, body))
	require.Empty(t, saved.Created)
	require.Len(t, saved.Existing, 1)
	require.Empty(t, saved.SaveError+saved.SaveCode)
	require.NotNil(t, saved.Integration)
}

// A token that is revoked between the write and the save.
func TestATokenThatIsRevokedAfterTheWriteIsASaveError(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.cloud.Before(func(method, path string) {
		if method == http.MethodGet && len(b.cloud.Records()) == 1 && path == "/zones" {
			b.cloud.Allow(token, nil)
		}
	})
	result := setUp(t, b.Admin().Post(setupRoute,
		request("panel.example.com", "192.0.2.10", fields{"save_integration": true})))
	require.Len(t, result.Created, 1)
	require.Contains(t, result.SaveError, "credentials")
	require.Equal(t, "dns_token_refused", result.SaveCode)
}

// Specification, Errors: missing fields are 400; what is well-formed and wrong is 422. No value is echoed.
func TestWrongRequestsAreRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	admin := b.Admin()
	for _, name := range []string{"domain", "server_ip", "api_token"} {
		body := request("panel.example.com", "192.0.2.10")
		delete(body, name)
		admin.Post(setupRoute, body).Refused(http.StatusBadRequest, "missing_field")
	}
	admin.Post(setupRoute, request("panel.example.com", "192.0.2.10", fields{"more": 1})).
		Refused(http.StatusBadRequest, "unknown_field")
	admin.Post(setupRoute, "{").Refused(http.StatusBadRequest, "bad_json")
	for _, domain := range []string{"sesame", "*.sesame.com", "sesame..com", "192.0.2.1", "-sesame.com", "sesame_x.com/"} {
		answer := admin.Post(setupRoute, request(domain, "192.0.2.10")).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.NotContains(t, string(answer.Body), "sesame")
	}
	for _, ip := range []string{"sesame", "192.0.2", "0.0.0.0", "127.0.0.1", "::1", "224.0.0.1", "fe80::1", "192.0.2.1/24"} {
		admin.Post(setupRoute, request("panel.example.com", ip)).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.Empty(t, b.cloud.Calls())
}

func TestADomainOfAnyAlphabetIsTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, "xn--e1afmkfd.xn--p1ai")
	result := setUp(t, b.Admin().Post(setupRoute, request("панель.пример.рф", "192.0.2.10")))
	require.Equal(t, "xn--e1afmkfd.xn--p1ai", result.RootDomain)
	require.Equal(t, "xn--80aksgi6f.xn--e1afmkfd.xn--p1ai", result.Created[0].Name)
}

// A right that the token lacks is named: 422 dns_token_lacks_rights.
func TestTheRightThatTheTokenLacksIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	for right, may := range map[string]*dnstest.CloudflareToken{
		"Zone:Read": {DNSRead: true, DNSEdit: true},
		"DNS:Edit":  {ZoneRead: true, DNSRead: true},
	} {
		b.cloud.Allow(token, may)
		answer := b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")).
			Refused(http.StatusUnprocessableEntity, "dns_token_lacks_rights")
		require.Equal(t, []any{right}, answer.Value("missing"))
	}
	b.cloud.Allow(token, nil)
	b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")).
		Refused(http.StatusUnprocessableEntity, "dns_token_refused")
}

func TestADomainOutsideTheTokensZonesIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.Admin().Post(setupRoute, request("panel.example.net", "192.0.2.10")).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// A record that the panel did not make is never touched.
func TestAnotherRecordAtTheNameIsAConflict(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	for _, other := range []dnstest.CloudflareRecord{
		{Zone: "example.com", Type: "A", Name: "a.example.com", Content: "192.0.2.99", TTL: 300},
		{Zone: "example.com", Type: "CNAME", Name: "c.example.com", Content: "elsewhere.example.net", TTL: 300},
	} {
		b.cloud.Put(other)
		b.Admin().Post(setupRoute, request(other.Name, "192.0.2.10")).Refused(http.StatusConflict, "record_conflict")
	}
	require.Len(t, b.cloud.Records(), 2)
}

// Specification, Errors: 502 when the provider refuses; with its Retry-After when it asks for time.
func TestAProviderThatRefusesIsABadGateway(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	limited := false
	b.cloud.Before(func(method, _ string) {
		if method == http.MethodPost && !limited {
			limited = true
			b.cloud.Limit(1)
		}
	})
	answer := b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")).
		Refused(http.StatusBadGateway, "dns_provider_error")
	require.Equal(t, "1", answer.Header.Get("Retry-After"))
	require.NotContains(t, string(answer.Body), token)
	setUp(t, b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")))
}

func TestAProviderThatIsNotThereIsABadGateway(t *testing.T) {
	t.Parallel()
	panel := paneltest.Start(t, built(), paneltest.Env(map[string]string{
		cloudflareRoot.Name: "http://127.0.0.1:1",
	}))
	panel.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")).
		Refused(http.StatusBadGateway, "dns_provider_error")
}

// Specification, Errors: 504 when the provider does not answer in time.
func TestAProviderThatDoesNotAnswerIsAGatewayTimeout(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	b.cloud.Before(func(string, string) { <-release })
	began := time.Now()
	b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")).
		Refused(http.StatusGatewayTimeout, "dns_provider_timeout")
	require.Less(t, time.Since(began), 35*time.Second)
}

// Specification: POST /api/v1/setup/dnsprovider/dns is Session with settings.manage, and usable only during the first
// installation.
func TestTheStepOfTheFirstInstallation(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	body := request("panel.example.com", "192.0.2.10", fields{"save_integration": true})
	b.Anonymous().Post(firstRoute, body).Refused(http.StatusUnauthorized, "no_session")
	require.Empty(t, b.cloud.Calls(), "nobody without a session reaches the provider")
	b.As("nodes.edit").Post(firstRoute, body).Refused(http.StatusForbidden, "permission_denied")
	admin := b.As("settings.manage")
	result := setUp(t, admin.Post(firstRoute, body))
	require.Len(t, result.Created, 1)
	require.NotNil(t, result.Integration)

	admin.Post("/api/v1/setup/finish", nil).Is(http.StatusOK)
	admin.Post(firstRoute, body).Refused(http.StatusConflict, "setup_closed")
	setUp(t, admin.Post(setupRoute, body))
	b.As("dns.manage").Post(setupRoute, body).Refused(http.StatusForbidden, "permission_denied")
	b.Anonymous().Post(setupRoute, body).Refused(http.StatusUnauthorized, "no_session")
}

// The step of the first installation works before there is a license; afterwards the feature decides.
func TestTheFirstInstallationNeedsNoLicense(t *testing.T) {
	t.Parallel()
	cloud := dnstest.NewCloudflare(t, "example.com")
	cloud.Allow(token, dnstest.Full())
	panel := paneltest.Start(t, built(), paneltest.License(entitlement.Fixed{}),
		paneltest.Env(map[string]string{
			cloudflareRoot.Name: cloud.Root, resolvers.Name: cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
		}))
	body := request("panel.example.com", "192.0.2.10")
	panel.Admin().Post(setupRoute, body).Is(http.StatusForbidden)
	setUp(t, panel.Admin().Post(firstRoute, body))
}
