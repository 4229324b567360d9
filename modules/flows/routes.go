package flows

import (
	"panel/platform/access"
	"panel/platform/httpapi"
)

// The permission keys of flows; the specification calls a flow a connection unit here and in paths.
const (
	View    access.Key = "connection_units.view"
	Edit    access.Key = "connection_units.edit"
	Install access.Key = "connection_units.apply"
)

// feature gates every write; reading stays open.
const feature = "flows"

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under(
		"/api/v1/connection-units",
		feature,
		httpapi.Get("", "List flows", access.Needs(View), h.list, reads),
		httpapi.Post("", "Create a flow", access.Needs(Edit), h.create, httpapi.Status(created)),
		httpapi.Get("/installed", "Show what was installed at a moment", access.Needs(View), h.installedAt, reads),
		httpapi.Post("/bulk/apply", "Install the plans of many flows", access.Needs(Install), h.bulkApply,
			httpapi.Status(accepted)),
		httpapi.Get("/bulk/apply/{bulk_id}", "Show what became of each flow", access.Needs(View), h.bulkApplied,
			reads),
		httpapi.Get("/{id}", "Show a flow", access.Needs(View), h.get, reads),
		httpapi.Patch("/{id}", "Change a flow's name, tags or owner", access.Needs(Edit), h.patch),
		httpapi.Delete(
			"/{id}",
			"Delete a flow and remove it from its nodes",
			access.Needs(Install),
			h.delete,
			httpapi.Status(accepted),
		),
		httpapi.Get("/{id}/traffic", "Show what the installed flow carries now", access.Needs(View), h.traffic,
			reads),
		httpapi.Get("/{id}/nodes/{node_id}/drift", "Show how a node differs from what is installed",
			access.Needs(View), h.drift, reads),
		httpapi.Post(
			"/{id}/nodes/{node_id}/restore",
			"Install the flow's part on one node again",
			access.Needs(Install),
			h.restore,
			httpapi.Status(accepted),
		),
		httpapi.Get("/{id}/draft", "Show the draft", access.Needs(View), h.draft, reads),
		httpapi.Put("/{id}/draft", "Save the draft; nothing is installed", access.Needs(Edit), h.saveDraft),
		httpapi.Post(
			"/{id}/plan/preview",
			"Preview a plan; nothing is stored",
			access.Needs(View),
			h.preview,
			httpapi.WhileDegraded(),
			httpapi.Anew(),
		),
		httpapi.Post(
			"/{id}/plan/compile",
			"Compile the draft into a plan",
			access.Needs(Edit, Install),
			h.compile,
			httpapi.Status(created),
		),
		httpapi.Get("/{id}/plans/{plan_id}", "Show a plan with its readiness", access.Needs(View), h.plan, reads),
		httpapi.Post(
			"/{id}/plans/{plan_id}/recheck",
			"Ask the nodes about readiness again",
			access.Needs(Edit, Install),
			h.recheck,
			httpapi.Status(accepted),
		),
		httpapi.Post("/{id}/apply", "Install a plan", access.Needs(Install), h.apply, httpapi.Waits(longestWait)),
		httpapi.Get("/{id}/applies", "List applies", access.Needs(View), h.applies, reads),
		httpapi.Get("/{id}/applies/{apply_id}", "Show an apply", access.Needs(View), h.applied, reads),
		httpapi.Get(
			"/{id}/applies/{apply_id}/replay",
			"Show the drawing of an apply and the sessions on its nodes around it",
			access.Needs(View),
			h.replay,
			reads,
		),
		httpapi.Post(
			"/{id}/applies/{apply_id}/stop",
			"Stop an apply that is not decided yet; everything is reverted",
			access.Needs(Install),
			h.stop,
			httpapi.Status(accepted),
		),
		httpapi.Post(
			"/{id}/disable",
			"Take a flow off its nodes",
			access.Needs(Install),
			h.disable,
			httpapi.Status(accepted),
		),
		httpapi.Post(
			"/{id}/enable",
			"Put the installed version back",
			access.Needs(Install),
			h.enable,
			httpapi.Status(accepted),
		),

		httpapi.Post("/{id}/connection-link", "Issue a connection link", access.Needs(Edit), h.connectionLink,
			httpapi.Anew()),
		httpapi.Get("/{id}/versions", "List versions", access.Needs(View), h.versions, reads),
		httpapi.Post(
			"/{id}/versions",
			"Keep the draft as a version",
			access.Needs(Edit),
			h.keepVersion,
			httpapi.Status(created),
		),
		httpapi.Get("/{id}/versions/{version_id}", "Show a version with its drawing", access.Needs(View), h.version,
			reads),
		httpapi.Patch("/{id}/versions/{version_id}", "Name or pin a version", access.Needs(Edit), h.changeVersion),
		httpapi.Get("/{id}/rendered", "Show a node's configuration, secrets masked", access.Needs(View), h.rendered,
			reads),
		httpapi.Get("/{id}/explain", "Trace a destination through the draft", access.Needs(View), h.explain, reads),
	)
}

func reads(o *httpapi.Operation) { httpapi.UngatedReads()(o) }
