package abuse

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// The permission keys of this module.
const (
	View   access.Key = "abuse.view"
	Manage access.Key = "abuse.manage"
)

// feature is the license feature that agents deliver under and that opens changes; reading stays open without it.
const feature = "abuse"

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		h.agentRoutes(),
		httpapi.Under("/api/v1/abuse", feature,
			httpapi.Get("/overview", "Show how abuse protection stands", view, h.overview, reads),
			httpapi.Get("/signals", "List signals of abuse", view, h.signals, reads),
			httpapi.Get("/users/{user_ref}/diversity", "Show from where a user was connected", view, h.diversity, reads),
			httpapi.Get("/agents", "List how well agents tell of abuse", view, h.agents, reads),
			httpapi.Get("/cases", "List cases of abuse", view, h.listCases, reads),
			httpapi.Get("/cases/{id}", "Show a case of abuse with its evidence", view, h.oneCase, reads),
			httpapi.Patch("/cases/{id}", "Dismiss a case, open it again, or leave its user alone for a time", manage, h.changeCase),
			httpapi.Post("/cases/{id}/notes", "Note something about a case", manage, h.addNote, created),
			httpapi.Get("/lookups", "List who asked which user was behind a complaint", view, h.listLookups, reads),
			httpapi.Post("/lookups", "Ask which user was behind a complaint", manage, h.ask,
				httpapi.Status(http.StatusAccepted)),
			httpapi.Get("/lookups/{id}", "Show which user may have been behind a complaint", view, h.oneLookup, reads),
			httpapi.Get("/allowlist", "List who and what is no abuse", view, h.allowed, reads),
			httpapi.Post("/allowlist", "Say that a user or network is no abuse", manage, h.allow, created),
			httpapi.Delete("/allowlist/{id}", "Take a user or network from the allow-list", manage, h.disallow, gone),
		),
		h.actRoutes(view, manage),
		h.blockRoutes(view, manage),
		settings.Routes("/api/v1/abuse/settings", "abuse protection", view, manage, h.settings, shownSettings),
	)
}

// agentRoutes are closed in read-only mode, unlike the rest of the agent link: agents keep what they have and send it
// later (specification, "Endpoints").
func (h *handlers) agentRoutes() httpapi.Routes {
	agent, lenient, taken := access.Agent(), httpapi.Lenient(), httpapi.Status(http.StatusAccepted)
	limit, paced := httpapi.BodyLimit(agentapi.MaxBody), httpapi.Paced()
	return httpapi.Under("", feature,
		httpapi.Raw(http.MethodPost, agentapi.PathAbuseSignals, "Deliver numbered signals of abuse", agent,
			h.takeSignals, lenient, taken, limit, paced, httpapi.Reads[agentapi.AbuseBatch]()),
		httpapi.Raw(http.MethodPost, agentapi.PathSessionDiversity, "Deliver from where users are connected", agent,
			h.takeDiversity, lenient, taken, limit, paced, httpapi.Reads[agentapi.DiversityBatch]()),
	)
}
