package targets

import (
	"context"
	"net/http"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Targets belong to flows: their permissions and their feature are those of flows.
const (
	view    access.Key = "connection_units.view"
	edit    access.Key = "connection_units.edit"
	feature            = "flows"
)

const path = "/api/v1/target-search"

// handlers read the request, ask the searches and shape the answer.
type handlers struct{ s *searches }

func newHandlers(s *searches) *handlers { return &handlers{s} }

func (h *handlers) routes() httpapi.Routes {
	see, reads := access.Needs(view), httpapi.UngatedReads()
	act, accepted := access.Needs(edit), httpapi.Status(http.StatusAccepted)
	return httpapi.Under(path, feature,
		httpapi.Get("", "List searches for REALITY targets", see, h.list, reads),
		httpapi.Post("", "Search for REALITY targets from a node", act, h.search, accepted),
		httpapi.Post("/check", "Check one REALITY target from a node", act, h.check, accepted),
		httpapi.Get("/{id}", "Show a search for REALITY targets", see, h.get, reads),
		httpapi.Get("/{id}/results", "List what a search for REALITY targets found", see, h.results, reads),
		httpapi.Post("/{id}/cancel", "Cancel a search for REALITY targets", act, h.cancel, accepted),
	)
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Search]], error) {
	page, err := h.s.store.page(ctx, in)
	return &body[httpapi.Page[Search]]{page}, err
}

func (h *handlers) search(ctx context.Context, in *searchInput) (*body[Search], error) {
	found, err := h.s.start(ctx, in.Body)
	return &body[Search]{found}, err
}

func (h *handlers) check(ctx context.Context, in *checkInput) (*body[Search], error) {
	found, err := h.s.startCheck(ctx, in.Body)
	return &body[Search]{found}, err
}

func (h *handlers) get(ctx context.Context, in *SearchPath) (*body[Search], error) {
	row, err := h.s.store.get(ctx, in.ID)
	return &body[Search]{row.shown()}, err
}

func (h *handlers) results(ctx context.Context, in *resultsInput) (*body[httpapi.Page[Result]], error) {
	page, err := h.s.store.results(ctx, in, h.s.now())
	return &body[httpapi.Page[Result]]{page}, err
}

func (h *handlers) cancel(ctx context.Context, in *SearchPath) (*body[Search], error) {
	found, err := h.s.cancel(ctx, in.ID)
	return &body[Search]{found}, err
}
