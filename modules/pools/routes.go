package pools

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Pools are part of what the permissions and the feature of flows open.
const (
	view    access.Key = "connection_units.view"
	edit    access.Key = "connection_units.edit"
	install access.Key = "connection_units.apply"
	feature            = "flows"
)

func (h *handlers) routes() httpapi.Routes {
	sees, edits, applies := access.Needs(view), access.Needs(edit), access.Needs(install)
	reads, created := httpapi.UngatedReads(), httpapi.Status(http.StatusCreated)
	return httpapi.Under("/api/v1/transit-pools", feature,
		httpapi.Get("", "List transit pools", sees, h.list, reads),
		httpapi.Post("", "Make a transit pool", edits, h.create, created),
		httpapi.Get("/{id}", "Show a transit pool", sees, h.get, reads),
		httpapi.Patch("/{id}", "Change a transit pool", edits, h.change),
		httpapi.Delete("/{id}", "Remove a transit pool", edits, h.remove, httpapi.Status(http.StatusNoContent)),
		httpapi.Get("/{id}/status", "Show what became of the members of a transit pool", sees, h.status, reads),
		httpapi.Post("/{id}/override", "Lead all traffic of a transit pool to one member", applies, h.override),
		httpapi.Post("/{id}/members/{mid}/drain", "Give a member of a transit pool no new traffic", applies, h.drain),
	)
}
