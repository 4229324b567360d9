package cdndns

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/core/system"
	"panel/platform/httpapi"
)

// The permission keys of this module.
const (
	View   access.Key = "dns.view"
	Manage access.Key = "dns.manage"
)

// feature is the license feature that opens this module; reading stays open without it.
const feature = "cdndns"

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		httpapi.Under("/api/v1/dns", feature,
			httpapi.Get("/providers", "List the DNS services that the panel knows", view, h.listProviders, reads),
			httpapi.Get("/integrations", "List integrations with DNS services", view, h.listIntegrations, reads),
			httpapi.Post("/integrations", "Add an integration with a DNS service", manage, h.addIntegration, created),
			httpapi.Get("/integrations/{id}", "Show an integration with a DNS service", view, h.getIntegration, reads),
			httpapi.Patch("/integrations/{id}", "Change an integration with a DNS service", manage, h.changeIntegration),
			httpapi.Delete("/integrations/{id}", "Remove an integration with a DNS service", manage, h.removeIntegration, gone),
			httpapi.Get("/integrations/{id}/zones", "List the zones that an integration opens now", view, h.listZones, reads),
			httpapi.Post("/setup", "Let a domain lead to a server", access.Needs(system.Manage), h.setupDNS),
		),
		// The step of the first installation. Unlike its neighbours it is never open without a session.
		httpapi.Under("/api/v1/setup", "",
			httpapi.Post("/dnsprovider/dns", "Let the panel's domain lead to its server",
				access.SetupSession(system.Manage), h.setupDNS, httpapi.WhileDegraded(),
				httpapi.BodyLimit(httpapi.SmallBodyLimit)),
		),
	)
}
