package statuspage

import (
	"net/http"
	"time"

	"panel/platform/access"
	"panel/platform/httpapi"
)

const (
	view    access.Key = "statuspage.view"
	publish access.Key = "statuspage.deploy"
	feature            = "statuspage"
)

// mostLogo is what is taken in of a logo before it is judged.
const mostLogo = 1 << 20

// putting makes an upload replace what is there: again it changes nothing.
func putting(o httpapi.Operation) httpapi.Operation {
	o.Method, o.Anew = http.MethodPut, false
	return o
}

// Specification, Endpoints 10: reading needs statuspage.view; changing also needs statuspage.deploy.
func (h *handlers) routes() httpapi.Routes {
	sees, changes, reads := access.Needs(view), access.Needs(publish).And(view), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	accepted := httpapi.Status(http.StatusAccepted)
	return httpapi.Join(httpapi.Under("/api/v1/statuspage", feature,
		httpapi.Get("", "Show how the status pages do", sees, h.overview, reads),
		httpapi.Get("/sources", "Find what components can be made of", sees, h.sources, reads),
		httpapi.Get("/pages", "List status pages", sees, h.list, reads),
		httpapi.Post("/pages", "Make a status page", changes, h.create, created),
		httpapi.Get("/pages/{id}", "Show a status page", sees, h.get, reads),
		httpapi.Patch("/pages/{id}", "Change the draft of a status page", changes, h.change),
		httpapi.Delete("/pages/{id}", "Remove a status page", changes, h.remove, gone),
		httpapi.Put("/pages/{id}/components", "Replace the groups and components of a status page", changes, h.components,
			httpapi.BodyLimit(httpapi.MaxBodyLimit)),
		httpapi.Put("/pages/{id}/announcements", "Replace the announcements of a status page", changes, h.announcements),
		httpapi.Get("/pages/{id}/bars", "Show how components did on the last days", sees, h.bars, reads),
		putting(httpapi.Upload("/pages/{id}/logo", "Give a status page its logo", changes, mostLogo, h.putLogo)),
		httpapi.Delete("/pages/{id}/logo", "Take the logo from a status page", changes, h.dropLogo),
		httpapi.Raw(http.MethodGet, "/pages/{id}/logo", "Fetch the logo of a status page", sees, h.logo, reads),
		httpapi.Raw(http.MethodGet, "/pages/{id}/preview", "Show a status page as its draft has it", sees, h.preview, reads,
			httpapi.Takes("locale", "en or ru"), httpapi.Takes("theme", "light, dark or auto")),
		httpapi.Post("/pages/{id}/preview", "Show a status page as somebody types it", sees, h.unsaved,
			httpapi.BodyLimit(httpapi.MaxBodyLimit), httpapi.WhileDegraded()),
		httpapi.Get("/pages/{id}/targets", "List the places of a status page", sees, h.targets, reads),
		httpapi.Post("/pages/{id}/targets", "Add a place to a status page", changes, h.createTarget, created),
		httpapi.Get("/pages/{id}/deploy-preview", "Show what a deploy would change", sees, h.deployPreview, reads),
		httpapi.Post("/pages/{id}/deploy", "Deploy a status page", changes, h.startDeploy, accepted),
		httpapi.Get("/pages/{id}/deploys", "List the deploys of a status page", sees, h.deploys, reads),
		httpapi.Get("/deploys/{id}", "Show a deploy", sees, h.getDeploy, reads),
		httpapi.Patch("/targets/{id}", "Change a place of a status page", changes, h.changeTarget),
		httpapi.Delete("/targets/{id}", "Forget a place of a status page", changes, h.removeTarget, gone),
		httpapi.Post("/targets/{id}/test", "Try a place of a status page", changes, h.testTarget,
			httpapi.Waits(tryWithin+5*time.Second)),
		httpapi.Get("/incidents", "List notices", sees, h.notices, reads),
		httpapi.Post("/incidents", "Write a notice", changes, h.tellNotice, created),
		httpapi.Get("/incidents/{id}", "Show a notice", sees, h.notice, reads),
		httpapi.Patch("/incidents/{id}", "Change a notice", changes, h.changeNotice),
		httpapi.Delete("/incidents/{id}", "Remove a draft of a notice", changes, h.removeNotice, gone),
		httpapi.Post("/incidents/{id}/updates", "Say what is known now", changes, h.updateNotice),
		httpapi.Post("/incidents/{id}/publish", "Let readers see a notice", changes, h.publishNotice),
		httpapi.Get("/maintenance", "List announced work", sees, h.works, reads),
		httpapi.Post("/maintenance", "Announce work", changes, h.planWork, created),
		httpapi.Patch("/maintenance/{id}", "Change announced work", changes, h.changeWork),
		httpapi.Delete("/maintenance/{id}", "Remove announced work", changes, h.removeWork, gone),
		httpapi.Post("/maintenance/{id}/end", "End work now", changes, h.endWork),
	), h.public())
}
