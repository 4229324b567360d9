package audit

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
)

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/audit", "",
		httpapi.Get("", "List journal entries", access.Needs(View), h.list),
		httpapi.Get("/actions", "List the actions that occur", access.Needs(View), h.actions),
		httpapi.Get("/verify", "Prove the journal", access.Needs(View), h.verify,
			httpapi.Deadline(verifyWithin+verifyAnswer)),
		httpapi.Download(http.MethodGet, "/export", "Export the journal as CSV or NDJSON", access.Needs(View), h.export,
			httpapi.Lasts()),
		httpapi.Get("/{id}", "Read a journal entry", access.Needs(View), h.get),
	)
}
