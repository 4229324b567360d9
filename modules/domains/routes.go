package domains

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Bindings are part of what the permissions of nodes open.
const (
	view access.Key = "nodes.view"
	edit access.Key = "nodes.edit"
)

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/node-domains", "",
		httpapi.Get("", "List node domains", access.Needs(view), h.list),
		httpapi.Post("", "Bind a domain to a node", access.Needs(edit), h.create, httpapi.Status(http.StatusCreated)),
		httpapi.Get("/{id}", "Show a node domain", access.Needs(view), h.get),
		httpapi.Patch("/{id}", "Change a node domain", access.Needs(edit), h.patch),
		httpapi.Delete("/{id}", "Remove a node domain", access.Needs(edit), h.delete,
			httpapi.Status(http.StatusNoContent)),
	)
}
