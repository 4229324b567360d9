package geo

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
)

const (
	view      access.Key = "geo_assets.view"
	manage    access.Key = "geo_assets.manage"
	seesFlows access.Key = "connection_units.view"
	feature              = "geo"
)

func (h *handlers) routes() httpapi.Routes {
	sees, manages, reads := access.Needs(view), access.Needs(manage), httpapi.UngatedReads()
	accepted := httpapi.Status(http.StatusAccepted)
	return httpapi.Under("/api/v1/geo-assets", feature,
		httpapi.Get("", "List geo files", sees, h.list, reads),
		httpapi.Post("", "Add a geo file", manages, h.create, httpapi.Status(http.StatusCreated)),
		httpapi.Get("/presets", "List the sources of geo files that are known", sees, h.presets, reads),
		httpapi.Get("/lookup", "Find the categories that hold a name or an address", sees, h.lookup, reads),
		httpapi.Get("/complete", "Complete the name of a category that flows may use", access.Needs(view, seesFlows),
			h.complete, reads),
		httpapi.Post("/validate", "Say which categories flows may use", access.Needs(view, seesFlows), h.validate),
		httpapi.Get("/of-node/{node_id}", "Show the geo files of a node", sees, h.ofNode, reads),
		httpapi.Get("/{id}", "Show a geo file", sees, h.get, reads),
		httpapi.Patch("/{id}", "Change a geo file", manages, h.change),
		httpapi.Delete("/{id}", "Remove a geo file; nodes lose it", manages, h.remove,
			httpapi.Status(http.StatusNoContent)),
		httpapi.Post("/{id}/update", "Fetch a geo file from its source", manages, h.update, accepted),
		httpapi.Post("/{id}/rollback", "Return to the version before on all nodes at once", manages, h.rollback,
			accepted),
		httpapi.Post("/{id}/distribute", "Roll out the version that was fetched", manages, h.distribute, accepted),
		httpapi.Get("/{id}/nodes", "List how nodes hold a geo file", sees, h.nodes, reads),
		httpapi.Get("/{id}/versions", "List the versions of a geo file that are kept", sees, h.versions, reads),
		httpapi.Get("/{id}/categories", "List the categories of a geo file", sees, h.categories, reads),
		httpapi.Get("/{id}/categories/{category}", "List what a category holds", sees, h.entries, reads),
		httpapi.Get("/{id}/changes", "Compare two versions of a geo file", sees, h.changes, reads),
	)
}
