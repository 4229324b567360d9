package cdndns

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/lookup"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/turns"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/platform/config"
	"panel/platform/outbound"
	"panel/platform/paneltest"
	"panel/platform/vault"
)

type fields = map[string]any

const (
	token             = "a-cloudflare-token-of-the-tests"
	integrationsRoute = "/api/v1/dns/integrations"
	setupRoute        = "/api/v1/dns/setup"
	firstRoute        = "/api/v1/setup/dnsprovider/dns"
)

// built is the module with those that it needs.
func built() paneltest.Setting {
	return paneltest.Modules(nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module())
}

// bench is a panel whose Cloudflare is a stand-in on this machine.
type bench struct {
	*paneltest.Panel
	t     *testing.T
	cloud *dnstest.Cloudflare
}

func newBench(t *testing.T, zones ...string) *bench {
	t.Helper()
	cloud := dnstest.NewCloudflare(t, zones...)
	cloud.Allow(token, dnstest.Full())
	panel := paneltest.Start(t, built(), paneltest.Env(map[string]string{
		cloudflareRoot.Name: cloud.Root, resolvers.Name: cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))
	return &bench{Panel: panel, t: t, cloud: cloud}
}

func cloudflare(label, token string) fields {
	return fields{"provider": "cloudflare", "label": label, "fields": fields{"api_token": token}}
}

// add adds an integration of the stand-in and gives its id.
func (b *bench) add(label string) string {
	b.t.Helper()
	return b.Admin().Post(integrationsRoute, cloudflare(label, token)).Is(http.StatusCreated).Text("id")
}

func request(domain, ip string, more ...fields) fields {
	body := fields{"domain": domain, "server_ip": ip, "api_token": token}
	for _, one := range more {
		for name, value := range one {
			body[name] = value
		}
	}
	return body
}

func setUp(t *testing.T, answer *paneltest.Answer) DNSSetupResult {
	t.Helper()
	var result DNSSetupResult
	answer.Is(http.StatusOK).JSON(&result)
	require.NotNil(t, result.Created)
	require.NotNil(t, result.Existing)
	return result
}

// rules are the module's own, beside the panel and on its database, for what no operation shows.
func (b *bench) rules() *integrations {
	b.t.Helper()
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})
	require.NoError(b.t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(b.t, err)
	secrets, err := vault.New("a master key that only tests know")
	require.NoError(b.t, err)
	providers := provider.New(network, lookup.New(network, []string{b.cloud.Address}), turns.New(b.DB),
		b.cloud.Root, b.Clock)
	return newIntegrations(newStore(b.DB), providers, secrets, nil, b.Bus(), b.Clock)
}
