package clients

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// Clients are part of what the permissions of flows open.
const (
	view access.Key = "connection_units.view"
	edit access.Key = "connection_units.edit"
)

// feature gates every write; reading stays open.
const feature = "flows"

func (h *handlers) routes() httpapi.Routes {
	sees, edits, reads := access.Needs(view), access.Needs(edit), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		httpapi.Routes{httpapi.Get(agentapi.PathClientChanges, "Fetch what has changed on a list of clients", access.Agent(),
			h.changes, httpapi.Lenient())},
		httpapi.Under("/api/v1/clients", feature,
			httpapi.Get("", "List clients of all flows", sees, h.list, reads),
			httpapi.Post("", "Add a client to any number of flows", edits, h.add, created),
			httpapi.Get("/summary", "Count clients by their state", sees, h.summary, reads),
			httpapi.Download(http.MethodGet, "/export", "Export clients, without anything secret", sees, h.export, reads),
			httpapi.Post("/import", "Add many clients at once", edits, h.load, httpapi.BodyLimit(mostImport)),
			httpapi.Post("/bulk", "Act on many clients", edits, h.bulk),
			httpapi.Get("/{id}", "Show a client with its flows", sees, h.get, reads),
			httpapi.Get("/{id}/traffic", "Show what a client carried by days", sees, h.course, reads),
			httpapi.Patch("/{id}", "Change a client", edits, h.change),
			httpapi.Delete("/{id}", "Revoke a client for good", edits, h.revoke, gone),
			httpapi.Put("/{id}/flows/{flow_id}", "Let a client use a flow", edits, h.give),
			httpapi.Delete("/{id}/flows/{flow_id}", "End a client's use of a flow", edits, h.take, gone),
			httpapi.Post("/{id}/public-link", "Issue a client's subscription URL for all its flows", edits,
				h.issueLink, created, httpapi.Anew()),
			httpapi.Delete("/{id}/public-link", "Revoke a client's subscription URL for all its flows", edits,
				h.revokeLink, gone),
		),
		httpapi.Under("/api/v1/connection-units", feature,
			httpapi.Get("/clients", "Find clients of all flows by name", sees, h.find, reads),
			httpapi.Get("/{id}/clients", "List clients", sees, h.listOf, reads),
			httpapi.Post("/{id}/clients", "Add a client; it works as soon as the nodes have it", edits, h.addTo, created),
			httpapi.Delete("/{id}/clients/{client_id}", "Revoke a client", edits, h.takeFrom, gone),
			httpapi.Post("/{id}/clients/{client_id}/public-link", "Issue a client's subscription URL", edits,
				h.issueLinkOf, created, httpapi.Anew()),
			httpapi.Delete("/{id}/clients/{client_id}/public-link", "Revoke a client's subscription URL", edits,
				h.revokeLinkOf, gone),
		),
	)
}
