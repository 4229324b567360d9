package hosting

import (
	"net/http"
	"time"

	"panel/platform/access"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// Manage is the one permission key of this module, named by the specification.
const Manage access.Key = "core.cloud_providers"

// install is the permission key of flows to change what is installed.
const install access.Key = "connection_units.apply"

// feature is the license feature that opens this module; reading stays open without it.
const feature = "hosting"

const accountsPath = "/api/v1/cloud-providers"

// How long a request may take that asks a provider.
const (
	askWithin    = 28 * time.Second
	answerWithin = 5 * time.Second
)

func (h *handlers) routes() httpapi.Routes {
	manage, reads := access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	accepted := httpapi.Status(http.StatusAccepted)
	moves := access.Needs(Manage).And(install) // it changes what is installed
	asks := httpapi.Waits(askWithin + answerWithin)
	doc := settings.Routes("/settings", "hosting providers", manage, manage, h.machines.settings, shownSettings)
	reads(&doc[0])
	return httpapi.Under(accountsPath, feature, append(doc,
		httpapi.Get("/billing", "Show what the machines cost and which payments come", manage, h.billing, reads),
		httpapi.Post("/{id}/servers/{server_id}/paid", "Note that a machine was paid", manage, h.paid),
		httpapi.Post("/{id}/servers/{server_id}/skip", "End the reminders of a payment", manage, h.skip),
		httpapi.Get("", "List accounts at hosting providers", manage, h.list, reads),
		httpapi.Post("", "Add an account at a hosting provider", manage, h.add, created, asks),
		httpapi.Get("/kinds", "List the kinds of hosting providers with what they can do", manage, h.listKinds, reads),
		httpapi.Get("/{id}", "Show an account at a hosting provider", manage, h.get, reads),
		httpapi.Patch("/{id}", "Change an account at a hosting provider", manage, h.change, asks),
		httpapi.Delete("/{id}", "Remove an account at a hosting provider", manage, h.remove, gone),
		httpapi.Post("/{id}/test", "Ask a hosting provider now what the credentials may do", manage, h.test, asks,
			httpapi.Anew()),
		httpapi.Post("/{id}/sync", "Read the machines of an account now", manage, h.sync, accepted),
		httpapi.Get("/{id}/regions", "List where machines can be made", manage, h.listRegions, reads, asks),
		httpapi.Get("/{id}/plans", "List sizes of machines with their prices", manage, h.listPlans, reads, asks),
		httpapi.Get("/{id}/images", "List systems that machines can begin with", manage, h.listImages, reads, asks),
		httpapi.Post("/{id}/servers/preview", "Show what a machine would cost", manage, h.preview, asks,
			httpapi.Anew()),
		httpapi.Post("/{id}/servers", "Make a machine at a price that was seen before", manage, h.create, asks, accepted,
			httpapi.Keyed()),
		httpapi.Post("/{id}/servers/{server_id}/power", "Switch a machine on or off, or start it anew", manage, h.power,
			accepted),
		httpapi.Delete("/{id}/servers/{server_id}", "Delete a machine at its provider", manage, h.deleteServer, accepted),
		httpapi.Post("/{id}/servers/{server_id}/replace/preview",
			"Show what it would cost and change to put another machine in the place of one", manage, h.previewReplacement,
			asks, httpapi.Anew()),
		httpapi.Post("/{id}/servers/{server_id}/replace", "Put a new machine in the place of one, with all its flows",
			moves, h.replace, asks, accepted, httpapi.Keyed()),
		httpapi.Get("/{id}/replacements", "List machines of an account that were replaced", manage, h.listReplacements,
			reads),
		httpapi.Get("/{id}/replacements/{replacement_id}", "Show how far a replacement is", manage, h.getReplacement,
			reads),
		httpapi.Post("/{id}/replacements/{replacement_id}/cancel", "Undo a replacement that has moved no flow yet", manage,
			h.cancelReplacement, accepted),
		httpapi.Post("/{id}/replacements/{replacement_id}/continue", "Go on with a replacement that has failed", moves,
			h.continueReplacement, accepted),
		httpapi.Get("/{id}/orders", "List what was done with machines of an account", manage, h.listOrders, reads),
		httpapi.Get("/{id}/orders/{order_id}", "Show what is done with a machine", manage, h.getOrder, reads),
		httpapi.Get("/{id}/servers", "List the machines of an account", manage, h.listServers, reads),
		httpapi.Get("/{id}/servers/{server_id}", "Show a machine", manage, h.getServer, reads),
		httpapi.Patch("/{id}/servers/{server_id}", "Change what is known of a machine by hand", manage, h.changeServer),
		httpapi.Post("/{id}/entries", "Enter a machine by hand", manage, h.addEntry, created),
		httpapi.Delete("/{id}/entries/{server_id}", "Remove a machine that was entered by hand", manage, h.removeEntry,
			gone),
	)...)
}
