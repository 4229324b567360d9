package health

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// The permission keys of this module.
const (
	View   access.Key = "health.view"
	Manage access.Key = "health.manage"
)

// feature is the license feature that opens changes; reading stays open without it.
const feature = "health"

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Under("/api/v1/health", feature,
		httpapi.Get("/summary", "Show how the fleet does", view, h.summary, reads),
		httpapi.Get("/policies", "List health policies", view, h.listPolicies, reads),
		httpapi.Post("/policies", "Create a health policy", manage, h.createPolicy, created),
		httpapi.Get("/policies/{id}", "Show a health policy", view, h.policy, reads),
		httpapi.Patch("/policies/{id}", "Change a health policy", manage, h.changePolicy),
		httpapi.Delete("/policies/{id}", "Remove a health policy", manage, h.removePolicy, gone),
		httpapi.Get("/nodes", "List nodes with their health", view, h.nodes, reads),
		httpapi.Get("/nodes/{id}", "Show the health of a node with its evidence", view, h.node, reads),
		httpapi.Get("/nodes/{id}/history", "Show how a node did over a period", view, h.nodeHistory, reads),
		httpapi.Get("/connection-units", "List flows with their health", view, h.flows, reads),
		httpapi.Get("/connection-units/{id}", "Show the health of a flow with its evidence", view, h.flow, reads),
		httpapi.Get("/connection-units/{id}/history", "Show how a flow did over a period", view, h.flowHistory, reads),
		httpapi.Get("/incidents", "List incidents", view, h.incidents, reads),
		httpapi.Get("/incidents/{id}", "Show an incident with who suffers and what happened", view, h.incident, reads),
		httpapi.Post("/incidents/{id}/ack", "Acknowledge an incident", manage, h.acknowledge),
		httpapi.Post("/incidents/{id}/resolve", "Resolve an incident by hand", manage, h.resolve),
		httpapi.Get("/self-heal/actions", "List what self-repair did, proposes or left", view, h.actions, reads),
		httpapi.Get("/self-heal/dry-run", "Show what self-repair would have done last week", view, h.dryRun, reads),
		httpapi.Get("/self-heal/actions/{id}", "Show an action of self-repair", view, h.action, reads),
		httpapi.Post("/self-heal/actions/{id}/approve", "Approve what self-repair proposes", manage, h.approve),
		httpapi.Post("/self-heal/actions/{id}/undo", "Give back what an action of self-repair has changed", manage, h.undo),
		httpapi.Post("/self-heal/actions/{id}/dismiss", "Dismiss what self-repair proposes", manage, h.dismiss),
		httpapi.Post("/checks/run", "Look at nodes and flows now", manage, h.run, httpapi.Status(http.StatusAccepted)),
	)
}
