package proxypanel

import (
	"net/http"
	"time"

	"panel/platform/access"
	"panel/platform/core/system"
	"panel/platform/httpapi"
)

// The permission keys of this module.
const (
	View   access.Key = "proxypanel.view"
	Manage access.Key = "proxypanel.manage"
)

// feature is the license feature that opens this module; reading stays open without it.
const feature = "proxypanel"

const (
	connectionsPath = "/api/v1/proxypanel/connections"
	bootstrapPath   = "/api/v1/setup/proxypanel/bootstrap"
	webhooksPath    = "/api/v1/proxypanel/webhooks"
)

// How long a request may take that asks the other panel: some twenty questions, five a second.
const (
	lookWithin      = 25 * time.Second
	bootstrapWithin = 30 * time.Second
	answerWithin    = 5 * time.Second
	// writeWithin is for requests that write there: another writer is waited for.
	writeWithin = 35 * time.Second
)

// hookLimit is of one address: a proxy panel tells of each user by itself, up to a hundred at once.
var hookLimit = access.Limit{PerMinute: 600, Burst: 150}

// bootstrapBody is enough for a name, an address and the headers of a gate, in bytes.
const bootstrapBody = 16 << 10

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	asks := httpapi.Waits(lookWithin + answerWithin)
	return httpapi.Join(
		httpapi.Under("/api/v1/proxypanel", feature,
			httpapi.Get("/scopes", "List the scopes that a token needs at the proxy panel", view, h.listScopes, reads),
			httpapi.Get("/connections", "List connections with proxy panels", view, h.list, reads),
			httpapi.Post("/connections", "Add a connection with a proxy panel", manage, h.add, created, asks),
			httpapi.Get("/connections/{id}", "Show a connection with a proxy panel", view, h.get, reads),
			httpapi.Patch("/connections/{id}", "Change a connection with a proxy panel", manage, h.change, asks),
			httpapi.Delete("/connections/{id}", "Remove a connection with a proxy panel", manage, h.remove, gone),
			httpapi.Post("/connections/{id}/test", "Look at a proxy panel now", manage, h.test, asks,
				httpapi.Anew()),
			httpapi.Post("/connections/{id}/sync", "Read a proxy panel now", manage, h.sync,
				httpapi.Status(http.StatusAccepted)),
			httpapi.Put("/connections/{id}/webhook", "Set the secret of a proxy panel's webhooks", manage, h.setWebhook),
			// A webhook proves itself by its signature; its sender repeats it three times and cannot wait.
			httpapi.Raw(http.MethodPost, "/webhooks/{hook_id}", "Take a webhook of a proxy panel",
				access.Throttled(hookLimit), h.takeWebhook, httpapi.BodyLimit(httpapi.PublicBodyLimit),
				httpapi.Lenient()),
			httpapi.Get("/connections/{id}/syncs", "List readings of a proxy panel", view, h.listSyncs, reads),
			httpapi.Get("/connections/{id}/nodes", "List the nodes of a proxy panel", view, h.listNodes, reads),
			httpapi.Get("/connections/{id}/profiles", "List the profiles of a proxy panel", view, h.listProfiles, reads),
			httpapi.Get("/connections/{id}/inbounds", "List the inbounds of a proxy panel", view, h.listInbounds, reads),
			httpapi.Get("/connections/{id}/hosts", "List the hosts of a proxy panel", view, h.listHosts, reads),
			httpapi.Get("/connections/{id}/squads", "List the squads of a proxy panel", view, h.listSquads, reads),
			httpapi.Get("/connections/{id}/users", "List the users of a proxy panel", view, h.listUsers, reads),
		),
		h.nodeRoutes(),
		// The step of the first installation. It never opens to anybody without a session: its answer has credentials.
		httpapi.Under("/api/v1/setup", "",
			httpapi.Post("/proxypanel/bootstrap", "Set up a fresh proxy panel and connect it",
				access.SetupSession(system.Manage), h.setUp, created, httpapi.WhileDegraded(), httpapi.Reveals(),
				httpapi.BodyLimit(bootstrapBody), httpapi.Waits(bootstrapWithin+answerWithin),
				httpapi.Closed(h.bootstrap.closed)),
		),
	)
}

// nodeRoutes are those about which nodes there serve flows, and about what is not there as it was written.
func (h *handlers) nodeRoutes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	gone, asks := httpapi.Status(http.StatusNoContent), httpapi.Waits(writeWithin)
	return httpapi.Under("/api/v1/proxypanel/connections/{id}", feature,
		httpapi.Get("/mapping", "List the nodes of a proxy panel with the nodes that they are", view, h.listMapping, reads),
		httpapi.Post("/adopt", "Adopt a node of a proxy panel for a node", manage, h.adoptNode, asks),
		httpapi.Delete("/nodes/{panel_node_id}/mapping", "Release a node of a proxy panel", manage, h.releaseNode, gone, asks),
		httpapi.Get("/drift", "List what is not at a proxy panel as it was written", view, h.listDrift, reads),
		httpapi.Post("/drift", "Compare a proxy panel with what was written now", manage, h.compare, asks, httpapi.Anew()),
		httpapi.Post("/drift/{object}/adopt", "Take over what a proxy panel has", manage, h.adoptDrift, asks),
		httpapi.Post("/drift/{object}/overwrite", "Write an object of a proxy panel again", manage, h.overwriteDrift, asks),
	)
}
