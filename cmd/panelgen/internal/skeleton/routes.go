package skeleton

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// The permission keys of this module.
const (
	View   access.Key = "skeleton.view"
	Manage access.Key = "skeleton.manage"
)

// feature is the license feature that opens this module; reading stays open without it.
const feature = "skeleton"

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		httpapi.Under("/api/v1/skeleton/items", feature,
			httpapi.Get("", "List items of skeleton", view, h.list, reads),
			httpapi.Post("", "Add an item to skeleton", manage, h.add, created, httpapi.Idempotent()),
			httpapi.Get("/{id}", "Show an item of skeleton", view, h.get, reads),
			httpapi.Patch("/{id}", "Change an item of skeleton", manage, h.change),
			httpapi.Delete("/{id}", "Remove an item from skeleton", manage, h.remove, gone),
		),
		settings.Routes("/api/v1/skeleton/settings", "skeleton", view, manage, h.items.settings, shown),
	)
}
