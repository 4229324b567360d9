package notifications

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// The permission keys of this module.
const (
	View   access.Key = "notifications.view"
	Manage access.Key = "notifications.manage"
)

// feature is the license feature that opens this module; reading stays open without it.
const feature = "notifications"

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	taken := httpapi.Status(http.StatusAccepted)
	return httpapi.Join(
		httpapi.Under("/api/v1/notifications", feature,
			httpapi.Get("/channels", "List the channels of notifications", view, h.listChannels, reads),
			httpapi.Post("/channels", "Add a channel of notifications", manage, h.addChannel, created),
			httpapi.Get("/channels/{id}", "Show a channel of notifications", view, h.getChannel, reads),
			httpapi.Patch("/channels/{id}", "Change a channel of notifications", manage, h.changeChannel),
			httpapi.Delete("/channels/{id}", "Remove a channel of notifications", manage, h.removeChannel, gone),
			httpapi.Post("/channels/{id}/test", "Send a test through a channel", manage, h.testChannel, taken),
			httpapi.Get("/rules", "List the rules of notifications", view, h.listRules, reads),
			httpapi.Post("/rules", "Add a rule of notifications", manage, h.addRule, created),
			httpapi.Get("/rules/{id}", "Show a rule of notifications", view, h.getRule, reads),
			httpapi.Patch("/rules/{id}", "Change a rule of notifications", manage, h.changeRule),
			httpapi.Delete("/rules/{id}", "Remove a rule of notifications", manage, h.removeRule, gone),
			httpapi.Get("/deliveries", "List deliveries of notifications", view, h.listDeliveries, reads),
			httpapi.Get("/deliveries/{id}", "Show a delivery of a notification", view, h.getDelivery, reads),
			httpapi.Get("/events", "List the kinds of events that rules can name", view, h.listEvents, reads),
			httpapi.Post("/messenger/test", "Send a test to the messenger and answer how it went", manage, h.testMessenger),
		),
		settings.Routes("/api/v1/notifications/settings", "notifications", view, manage, h.courier.settings, shown),
	)
}
