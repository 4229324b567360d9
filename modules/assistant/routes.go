package assistant

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/core/system"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// Use is the permission to ask; what an answer tells and proposes depends on the caller's other permissions.
const Use access.Key = "assistant.use"

// feature is the license feature that opens asking; the own history stays readable without it.
const feature = "assistant"

// path is where all operations of this module are.
const path = "/api/v1/assistant"

func (h *handlers) routes() httpapi.Routes {
	use, reads := access.Needs(Use), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	all := httpapi.Under(path, feature,
		httpapi.Get("", "Show what the assistant can do now", use, h.state, reads),
		httpapi.Post("/questions", "Ask the assistant", use, h.ask, created, httpapi.Paced()),
		httpapi.Get("/questions", "List the own questions", use, h.history, reads),
		httpapi.Delete("/questions", "Delete all own questions", use, h.forgetAll, gone),
		httpapi.Get("/questions/{id}", "Show an own question with its answer", use, h.question, reads),
		httpapi.Delete("/questions/{id}", "Delete an own question", use, h.forget, gone),
		httpapi.Post("/questions/{id}/cancel", "Stop the model's answer to an own question", use, h.cancel),
		httpapi.Raw(http.MethodPost, "/questions/{id}/stream", "Follow the model's answer to an own question", use, h.stream,
			httpapi.Lasts(), httpapi.Anew()),
		httpapi.Post("/preview", "Show what would leave the panel for a question", use, h.preview),
		httpapi.Get("/proposals/{id}", "Show a proposal", use, h.proposal, reads),
		httpapi.Post("/proposals/{id}/confirm", "Confirm a proposal", use, h.confirm),
		httpapi.Post("/proposals/{id}/reject", "Reject a proposal", use, h.reject),
		httpapi.Get("/helper", "Show the helper session", use, h.helperState, reads),
		httpapi.Post("/helper", "Begin the helper session", use, h.helperStart, created),
		httpapi.Post("/helper/check", "Look which step of the helper session is done", use, h.helperCheck),
		httpapi.Post("/helper/cancel", "End the helper session", use, h.helperCancel, gone),
	)
	manage := use.And(system.Manage)
	all = httpapi.Join(all, settings.Routes(path+"/settings", "the assistant", use, manage, h.settings, shownSettings))
	for i := range all {
		httpapi.Hidden()(&all[i])
	}
	return all
}
