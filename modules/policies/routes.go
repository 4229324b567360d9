package policies

import (
	"net/http"
	"slices"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Who sees flows sees what rules over them; changing that is a permission of its own.
const (
	view    access.Key = "connection_units.view"
	manage  access.Key = "connection_units.policies"
	feature            = "flows"
)

func (h *handlers) routes() httpapi.Routes {
	return slices.Concat(
		h.policyRoutes("/api/v1/policies", "policies"),
		h.policyRoutes("/api/v1/flow-balancers", "policies, at the compatibility address"),
		h.catalogueRoutes(), h.planRoutes(),
	)
}

// policyRoutes are the routes of policies. The compatibility address of the specification has the same handlers.
func (h *handlers) policyRoutes(path, called string) httpapi.Routes {
	sees, manages, reads := access.Needs(view), access.Needs(manage), httpapi.UngatedReads()
	return httpapi.Under(path, feature,
		httpapi.Get("", "List "+called, sees, h.list, reads),
		httpapi.Post("", "Make one of the "+called, manages, h.create, httpapi.Status(http.StatusCreated)),
		httpapi.Get("/{id}", "Show one of the "+called, sees, h.get, reads),
		httpapi.Patch("/{id}", "Change one of the "+called, manages, h.change),
		httpapi.Delete("/{id}", "Remove one of the "+called, manages, h.remove, httpapi.Status(http.StatusNoContent)),
		httpapi.Put("/{id}/flows", "Say which flows obey one of the "+called, manages, h.assign),
	)
}

func (h *handlers) catalogueRoutes() httpapi.Routes {
	sees, reads := access.Needs(view), httpapi.UngatedReads()
	return httpapi.Under("/api/v1/policy-catalogue", feature,
		httpapi.Get("", "Show the newest version of the policy catalogue", sees, h.catalogue, reads),
		httpapi.Put("", "Save the policy catalogue as a new version; no flow changes", access.Needs(manage), h.save),
		httpapi.Get("/versions", "List the versions of the policy catalogue", sees, h.versions, reads),
		httpapi.Get("/versions/{version}", "Show a version of the policy catalogue", sees, h.version, reads),
		httpapi.Get("/outdated", "List the flows that run an older snapshot of the policy catalogue", sees, h.outdated,
			reads),
	)
}

func (h *handlers) planRoutes() httpapi.Routes {
	sees, manages, reads := access.Needs(view), access.Needs(manage), httpapi.UngatedReads()
	created := httpapi.Status(http.StatusCreated)
	return httpapi.Under("/api/v1/custom-plans", feature,
		httpapi.Get("", "List custom plans", sees, h.plans, reads),
		httpapi.Post("", "Create a custom plan; nothing may use it yet", manages, h.createPlan, created),
		httpapi.Get("/{id}", "Show a custom plan with its versions", sees, h.plan, reads),
		httpapi.Delete("/{id}", "Remove a custom plan", manages, h.removePlan, httpapi.Status(http.StatusNoContent)),
		httpapi.Get("/{id}/versions", "Show the versions of a custom plan", sees, h.plan, reads),
		httpapi.Post("/{id}/versions", "Create a new version of a custom plan; nothing may use it yet", manages, h.addVersion,
			created),
		httpapi.Post("/{id}/versions/{v}/enable", "Let the flows of a policy use a version of a custom plan, or no more",
			manages, h.enable),
	)
}
