package cdndns

import (
	"context"

	"github.com/jonboulle/clockwork"

	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/metrics"
	"panel/platform/module"
)

// networks is what the module does with the networks that stand in front of nodes.
type networks struct{ *cdn.Engine }

func newNetworks(
	db *database.DB, j audit.Journal, b *events.Bus, clock clockwork.Clock, d domainsapi.Domains, f nodesapi.Fleet,
	w *watcher,
) *networks {
	return &networks{cdn.New(cdn.Tools{
		DB: db, Journal: j, Bus: b, Clock: clock, Domains: d, Fleet: f, Find: w.holder, Open: w.client,
		Leaving: w.Owns, Held: w.integrations.held,
	})}
}

// held tells which kind of service holds the zone of a host name, and the zone, as the integrations were checked last.
// Error: provider.ErrNoZone.
func (i *integrations) held(ctx context.Context, host string) (kind *provider.Kind, zone string, err error) {
	row, zone, err := i.opening(ctx, host)
	if err != nil {
		return nil, "", err
	}
	client, err := i.open(row)
	if err != nil {
		return nil, "", err
	}
	return client.Kind, zone, nil
}

// isCDN tells whether an integration is an account at a CDN. It stays until the end of the context's transaction.
func (i *integrations) isCDN(ctx context.Context, id string) (bool, error) {
	name, err := i.store.providerOf(ctx, id)
	kind := i.providers.Kind(name)
	return kind != nil && kind.CDN, err
}

// withNetworks adds to the manifest what networks need.
func withNetworks(m module.Module) module.Module {
	m.Events = append(m.Events, cdn.EventKinds(View)...)
	m.Journal.Actions = append(m.Journal.Actions, cdn.ActionCreated, cdn.ActionRemoved)
	m.Faults = append(m.Faults, fault.Declared{
		Kind: fault.KindConflict, Code: "integration_in_use", Summary: "Host names lead through the CDN of the integration",
	})
	m.Private = append(m.Private, newNetworks)
	return m
}

func (n *networks) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/cdn", feature,
		httpapi.Get("/resources", "List what stands at CDNs", access.Needs(View), n.list, httpapi.UngatedReads()),
	)
}

// metrics are those of all panels on this database.
func (n *networks) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_cdn_resources", "What stands at CDNs for host names, by its state.", "state",
			n.Counts),
	}
}

func (n *networks) list(ctx context.Context, in *pageInput) (*body[httpapi.Page[cdn.Resource]], error) {
	page, err := n.List(ctx, in.PageQuery)
	return &body[httpapi.Page[cdn.Resource]]{page}, err
}
