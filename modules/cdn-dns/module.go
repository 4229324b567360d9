// Package cdndns makes the names that lead to nodes: it knows the services that hold DNS zones, writes records there
// and sees to it that they stand.
//
// An integration is the panel's access to one account at one service. What the services have in common, and what each
// has of its own, is in internal/provider; name servers are asked by internal/lookup.
package cdndns

import (
	"embed"
	"strings"

	"github.com/jonboulle/clockwork"

	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/cdn-dns/internal/lookup"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/turns"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// The words for what happens here, in the journal and as events.
const (
	objectIntegration = "dns_integration"
	objectName        = "dns_name"

	integrationAdded   = "dns.integration_added"
	integrationChanged = "dns.integration_changed"
	integrationRemoved = "dns.integration_removed"
	integrationFailed  = "dns.integration_failed"
	integrationWorks   = "dns.integration_works"
	actionSetup        = "dns.records_made"
)

// Settings of the panel that this module reads.
var (
	cloudflareRoot = config.Key{
		Name: "PANEL_CLOUDFLARE_API_ROOT", Default: "https://api.cloudflare.com/client/v4", Form: config.URL,
		Summary: "address of the API of Cloudflare",
	}
	resolvers = config.Key{
		Name: "PANEL_DNS_RESOLVERS", Default: "1.1.1.1,8.8.8.8,9.9.9.9",
		Summary: "public resolvers that DNS is asked by: addresses, with or without a port, separated by commas",
	}
)

// answerPort is where nodes answer an authority that asks over HTTP. Authorities ask port 80.
var answerPort = config.Key{
	Name: "PANEL_ACME_HTTP_PORT", Default: "80", Form: config.Number, Min: 1, Max: 65535,
	Summary: "port at which agents answer certificate authorities; another one than 80 needs a way to it from port 80",
}

// Named is the data of an event about an integration.
type Named struct {
	Label string `json:"label"`
}

// Failed is the data of the event that an integration works no more.
type Failed struct {
	Label  string `json:"label"`
	Reason string `json:"reason"`
}

// Module is the manifest.
func Module() module.Module {
	return withNetworks(withRecords(withCertificates(module.Module{
		Name:     "cdndns",
		Requires: []string{"domains", "flows", "nodes"},
		Summary:  "Names that lead to nodes: DNS records at the services that hold the zones",
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See integrations with DNS services"},
			{Key: Manage, Summary: "Manage integrations with DNS services"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Domains and CDN"}},
		Faults:   faults(),
		Journal: audit.Kinds{
			Actions: []string{
				integrationAdded, integrationChanged, integrationRemoved, actionSetup,
			},
			Objects: []string{objectIntegration, objectName},
		},
		Events:     eventKinds(),
		Config:     []config.Key{cloudflareRoot, resolvers, answerPort},
		Secrets:    []vault.Column{{Table: "cdndns_integrations", ID: "id", Column: "sealed"}},
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check()},
		Reference:  []module.Page{{Name: "dns-services", Text: servicesPage}},
		Private:    []any{newResolver, newProviders, newStore, newIntegrations, newSetup, newHandlers},
		Attach:     attach,
	})))
}

func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindForbidden, Code: "automation_stopped",
			Summary: "Nothing is written by itself now; the last error of the domain says why",
		},
		{Kind: fault.KindInvalid, Code: provider.CodeRefused, Summary: "The DNS service does not know the credentials"},
		{
			Kind: fault.KindInvalid, Code: provider.CodeLacksRights,
			Summary: "The token lacks a right at the DNS service; the answer names it",
		},
		{Kind: fault.KindUpstream, Code: provider.CodeError, Summary: "The DNS service refused or cannot be used"},
		{Kind: fault.KindUpstreamTimeout, Code: provider.CodeTimeout, Summary: "The DNS service did not answer in time"},
	}
}

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: integrationAdded, Summary: "An integration with a DNS service was added", Data: Named{}},
		{Name: integrationChanged, Summary: "An integration with a DNS service was changed", Data: Named{}},
		{Name: integrationRemoved, Summary: "An integration with a DNS service was removed", Data: Named{}},
		{
			Name: integrationFailed, Summary: "An integration with a DNS service works no more", Severity: events.Warning,
			Notify: true, Effect: "Records of its zones cannot be changed, and certificates that need them are not renewed.",
			Screen: "/dns", Data: Failed{},
		},
		{
			Name: integrationWorks, Summary: "An integration with a DNS service works again", Notify: true, Screen: "/dns",
			Resolves: []string{integrationFailed}, Data: Named{},
		},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}

func newResolver(network *outbound.Network, cfg *config.Config) *lookup.Resolver {
	var servers []string
	for server := range strings.SplitSeq(cfg.String(resolvers), ",") {
		if server = strings.TrimSpace(server); server != "" {
			servers = append(servers, server)
		}
	}
	return lookup.New(network, servers)
}

func newProviders(
	network *outbound.Network, r *lookup.Resolver, db *database.DB, cfg *config.Config, clock clockwork.Clock,
) *provider.Providers {
	return provider.New(network, r, turns.New(db), cfg.String(cloudflareRoot), clock)
}

func attach(
	h *handlers, i *issuer, w *watcher, n *networks, states domainsapi.States, stages flowsapi.Stages,
) module.Parts {
	parts, watching := i.parts(states, stages), w.parts(states, stages)
	stages.Add(n.Stages()...)
	states.Add(cdn.Source())
	states.CDNs(h.integrations.isCDN)
	parts.Routes = httpapi.Join(h.routes(), parts.Routes, watching.Routes, n.routes())
	parts.Listeners = append(parts.Listeners, watching.Listeners...)
	parts.Loops = append(parts.Loops, watching.Loops...)
	parts.Metrics = append(append(parts.Metrics, watching.Metrics...), n.metrics()...)
	parts.Jobs = append(parts.Jobs, h.integrations.worker())
	parts.Schedules = append(parts.Schedules, checkSchedule())
	parts.Metrics = append(parts.Metrics, h.integrations.metrics()...)
	return parts
}
