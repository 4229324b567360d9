package specimen

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// The permission keys of this module.
const (
	View   access.Key = "specimen.view"
	Manage access.Key = "specimen.manage"
)

// feature is the license feature that opens this module; reading stays open without it.
const feature = "specimen"

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		httpapi.Under("/api/v1/specimen/items", feature,
			httpapi.Get("", "List items of specimen", view, h.list, reads),
			httpapi.Post("", "Add an item to specimen", manage, h.add, created),
			httpapi.Get("/{id}", "Show an item of specimen", view, h.get, reads),
			httpapi.Patch("/{id}", "Change an item of specimen", manage, h.change),
			httpapi.Delete("/{id}", "Remove an item from specimen", manage, h.remove, gone),
		),
		settings.Routes("/api/v1/specimen/settings", "specimen", view, manage, h.items.settings, shown),
	)
}
