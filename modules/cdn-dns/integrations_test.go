package cdndns

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/libdns/libdns"
	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/platform/paneltest"
)

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module(), nodes.Module(), domains.Module(), clients.Module(), flows.Module())
}

func TestAnIntegrationIsCheckedBeforeItIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com", "example.org")
	news := b.Follow()
	var added Integration
	answer := b.Admin().Post(integrationsRoute, cloudflare("main", token)).Is(http.StatusCreated)
	answer.JSON(&added)
	require.Equal(t, "main", added.Label)
	require.Equal(t, "cloudflare", added.Provider)
	require.True(t, added.HasToken)
	require.Equal(t, Permissions{ZoneRead: true, DNSEdit: true}, added.Permissions)
	require.Len(t, added.Zones, 2)
	require.NotNil(t, added.LastVerifiedAt)
	require.Empty(t, added.LastError)
	require.Equal(t, added.ID, news.Next("dns.integration_added").SubjectID)
	require.Equal(t, []string{"dns.integration_added"}, b.Recorded("dns_integration", added.ID))

	var shown Integration
	b.As("dns.view").Get(integrationsRoute + "/" + added.ID).Is(http.StatusOK).JSON(&shown)
	require.Equal(t, added, shown)
	require.Len(t, b.As("dns.view").Get(integrationsRoute).Is(http.StatusOK).Value("items"), 1)
}

// Secrets are write-only: neither an answer nor the table nor the journal holds the token.
func TestTheTokenIsWriteOnlyAndSealed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	id := b.add("main")
	for _, path := range []string{integrationsRoute, integrationsRoute + "/" + id} {
		require.NotContains(t, string(b.Admin().Get(path).Is(http.StatusOK).Body), token)
	}
	var stored, written string
	require.NoError(t, b.DB.NewRaw("select i::text from cdndns_integrations i").Scan(t.Context(), &stored))
	require.NotContains(t, stored, token)
	require.NoError(t, b.DB.NewRaw("select string_agg(j::text, '') from journal j").Scan(t.Context(), &written))
	require.NotContains(t, written, token)
}

func TestCredentialsThatAreNotEnoughAreNotKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.cloud.Allow("reads", &dnstest.CloudflareToken{ZoneRead: true, DNSRead: true})
	answer := b.Admin().Post(integrationsRoute, cloudflare("main", "reads")).
		Refused(http.StatusUnprocessableEntity, "dns_token_lacks_rights")
	require.Equal(t, []any{"DNS:Edit"}, answer.Value("missing"))
	b.Admin().Post(integrationsRoute, cloudflare("main", "sesame")).
		Refused(http.StatusUnprocessableEntity, "dns_token_refused")
	b.Admin().Post(integrationsRoute, fields{"provider": "sesame", "label": "x", "fields": fields{}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	b.Admin().Post(integrationsRoute, fields{"provider": "cloudflare", "label": "x", "fields": fields{}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	b.cloud.Limit(10)
	b.Admin().Post(integrationsRoute, cloudflare("main", token)).Refused(http.StatusBadGateway, "dns_provider_error")
	require.Empty(t, b.Admin().Get(integrationsRoute).Value("items"))
}

func TestLabelsAreUnique(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	b.Admin().Post(integrationsRoute, cloudflare("main", token)).Refused(http.StatusConflict, "name_taken")
	second := b.add("second")
	b.Admin().Patch(integrationsRoute+"/"+second, fields{"revision": 1, "label": "main"}).
		Refused(http.StatusConflict, "name_taken")
}

func TestATokenIsExchangedWithoutTouchingTheRest(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	id := b.add("main")
	path := integrationsRoute + "/" + id
	b.Admin().Patch(path, fields{"label": "renamed"}).Refused(http.StatusBadRequest, "missing_field")
	b.Admin().Patch(path, fields{"revision": 7, "label": "renamed"}).Refused(http.StatusConflict, "revision_conflict")
	b.Admin().Patch(path, fields{"revision": 1, "fields": fields{"api_token": "sesame"}}).
		Refused(http.StatusUnprocessableEntity, "dns_token_refused")

	b.cloud.Allow("the next token", dnstest.Full())
	b.cloud.Allow(token, nil)
	var changed Integration
	b.Admin().Patch(path, fields{"revision": 1, "label": "renamed", "fields": fields{"api_token": "the next token"}}).
		Is(http.StatusOK).JSON(&changed)
	require.Equal(t, "renamed", changed.Label)
	require.EqualValues(t, 2, changed.Revision)
	require.Len(t, b.Admin().Get(path+"/zones").Is(http.StatusOK).Value("items"), 1, "the new token is used")
	require.Equal(t, []string{"dns.integration_added", "dns.integration_changed"}, b.Recorded("dns_integration", id))
}

func TestAnIntegrationIsRemovedAndItsRecordsStay(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	setUp(t, b.Admin().Post(setupRoute, request("panel.example.com", "192.0.2.10")))
	id := b.add("main")
	b.As("dns.view").Delete(integrationsRoute+"/"+id).Refused(http.StatusForbidden, "permission_denied")
	b.As("dns.manage").Delete(integrationsRoute + "/" + id).Is(http.StatusNoContent)
	b.Admin().Delete(integrationsRoute+"/"+id).Refused(http.StatusNotFound, "not_found")
	b.Admin().Get(integrationsRoute+"/"+id).Refused(http.StatusNotFound, "not_found")
	b.Admin().Get(integrationsRoute+"/sesame").Refused(http.StatusNotFound, "not_found")
	require.Len(t, b.cloud.Records(), 1)
}

// A token that was revoked is known before it is needed, and told once.
func TestAnIntegrationThatWorksNoMoreIsToldOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	id := b.add("main")
	news := b.Follow()
	b.cloud.Allow(token, nil)
	b.RunSchedule("cdndns.check")
	failed := news.Next("dns.integration_failed")
	require.Equal(t, id, failed.SubjectID)
	var shown Integration
	b.Admin().Get(integrationsRoute + "/" + id).JSON(&shown)
	require.NotEmpty(t, shown.LastError)
	require.NotNil(t, shown.LastVerifiedAt, "when it worked last stays known")
	require.Contains(t, b.Scrape(), "\npanel_dns_integrations_failing 1\n")

	b.RunSchedule("cdndns.check")
	b.cloud.Allow(token, dnstest.Full())
	b.RunSchedule("cdndns.check")
	works := news.Next("dns.integration_works")
	require.Equal(t, id, works.SubjectID)
	b.Admin().Get(integrationsRoute + "/" + id).JSON(&shown)
	require.Empty(t, shown.LastError)
}

func TestZonesAreAskedNow(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	id := b.add("main")
	b.cloud.AddZones("example.org")
	require.Len(t, b.As("dns.view").Get(integrationsRoute+"/"+id+"/zones").Is(http.StatusOK).Value("items"), 2)
	b.cloud.Allow(token, nil)
	b.Admin().Get(integrationsRoute+"/"+id+"/zones").Refused(http.StatusUnprocessableEntity, "dns_token_refused")
	b.Admin().Get(integrationsRoute+"/"+noID+"/zones").Refused(http.StatusNotFound, "not_found")
}

const noID = "0199a3f2-0000-7000-8000-000000000000"

func TestTheFieldsOfServicesAreDeclared(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var list ProviderList
	b.As("dns.view").Get("/api/v1/dns/providers").Is(http.StatusOK).JSON(&list)
	names := []string{}
	for _, kind := range list.Items {
		names = append(names, kind.Name)
		require.NotEmpty(t, kind.Fields)
	}
	require.Equal(t, []string{
		"bunny", "cloudflare", "digitalocean", "hetzner", "linode", "powerdns", "rfc2136", "selectel", "timeweb",
		"vultr", "yandex",
	}, names)
}

// On real servers: integrations of PowerDNS and BIND, and the zone of a name among them.
func TestTheIntegrationOfANameIsTheOneWithTheNearestZone(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("cloud")
	power := dnstest.NewPowerDNS(t, "deep.example.com")
	b.Admin().Post(integrationsRoute, fields{"provider": "powerdns", "label": "power", "fields": fields{
		"api_root": power.Root, "api_key": power.Key, "name_servers": power.Address,
	}}).Is(http.StatusCreated)
	bind := dnstest.NewBIND(t, "example.org")
	b.Admin().Post(integrationsRoute, fields{"provider": "rfc2136", "label": "bind", "fields": fields{
		"server": bind.Address, "zones": "example.org", "key_name": bind.KeyName, "key_secret": bind.Secret,
	}}).Is(http.StatusCreated)

	rules := b.rules()
	for host, wanted := range map[string]string{
		"a.example.com": "example.com", "a.deep.example.com": "deep.example.com", "x.y.example.org": "example.org",
	} {
		zone, solver, err := rules.solver(t.Context(), host)
		require.NoError(t, err, host)
		require.Equal(t, wanted, zone)
		require.NotNil(t, solver)
	}
	_, _, err := rules.solver(t.Context(), "a.example.net")
	require.ErrorIs(t, err, provider.ErrNoZone)
}

// Services that replace whole sets of records lose none when panels of one database write to the same name at once, as
// those do that prove two certificates of a zone. On a real PowerDNS, whose API knows no append.
func TestTwoPanelsThatWriteToOneNameLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	power := dnstest.NewPowerDNS(t, "example.net")
	b.Admin().Post(integrationsRoute, fields{"provider": "powerdns", "label": "power", "fields": fields{
		"api_root": power.Root, "api_key": power.Key, "name_servers": power.Address,
	}}).Is(http.StatusCreated)
	const each = 5
	done := make(chan error)
	for panel, rules := range []*integrations{b.rules(), b.rules()} {
		_, solver, err := rules.solver(t.Context(), "example.net")
		require.NoError(t, err)
		for n := range each {
			proof := libdns.TXT{Name: "_acme-challenge", Text: fmt.Sprint("proof-", panel, "-", n), TTL: time.Minute}
			go func() {
				_, err := solver.AppendRecords(context.WithoutCancel(t.Context()), "example.net.", []libdns.Record{proof})
				done <- err
			}()
		}
	}
	for range 2 * each {
		require.NoError(t, <-done)
	}
	require.Len(t, dnstest.Ask(t, power.Address, "_acme-challenge.example.net", dns.TypeTXT).Answer, 2*each)
}

func TestTextsOfEventsAreTranslated(t *testing.T) {
	t.Parallel()
	for _, kind := range eventKinds() {
		if kind.Notify {
			require.Contains(t, russian, kind.Summary+"\n")
			require.True(t, kind.Effect == "" || strings.Contains(russian, kind.Effect+"\n"))
		}
	}
}
