package imports

import (
	"context"
	"net/http"
	"time"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Imports are part of what the permissions of flows open.
const (
	view access.Key = "connection_units.view"
	edit access.Key = "connection_units.edit"
)

// feature gates every write; reading stays open.
const feature = "flows"

// takeWithin is how long it may take to store the flows and clients of an import.
const takeWithin = 30 * time.Second

// handlers read the request, ask the imports and shape the answer.
type handlers struct{ imports *imports }

func newHandlers(i *imports) *handlers { return &handlers{imports: i} }

func (h *handlers) routes() httpapi.Routes {
	sees, edits, reads := access.Needs(view), access.Needs(edit), httpapi.UngatedReads()
	created, gone := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		httpapi.Under("/api/v1/flow-imports", feature,
			httpapi.Upload("", "Read a file of another program; nothing becomes a flow yet", edits, httpapi.MaxUpload,
				h.upload, created),
			httpapi.Post("/outside", "Read the inbounds of a 3x-ui panel; nothing becomes a flow yet", edits, h.outside,
				created, httpapi.Waits(outsideWithin), httpapi.Anew()),
			httpapi.Get("/{id}", "Show what was read", edits, h.get, reads),
			httpapi.Delete("/{id}", "Forget what was read", edits, h.forget, gone),
			httpapi.Post("/{id}/flows", "Make drafts with clients of what was read; nothing is installed", edits, h.take,
				created, httpapi.Deadline(takeWithin)),
		),
		httpapi.Under("/api/v1/connection-units", feature,
			httpapi.Download(http.MethodGet, "/{id}/export", "Export a flow, without anything secret", sees, h.export, reads),
		),
	)
}

type body[T any] struct{ Body T }

func answer[T any](value T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{Body: value}, nil
}

func (h *handlers) upload(ctx context.Context, _ *struct{}, file *httpapi.Uploaded) (*body[Import], error) {
	return answer(h.imports.readFile(ctx, file.File, file.Size))
}

func (h *handlers) outside(ctx context.Context, in *outsideInput) (*body[Import], error) {
	return answer(h.imports.readOutside(ctx, in.Body))
}

func (h *handlers) get(ctx context.Context, in *ImportPath) (*body[Import], error) {
	return answer(h.imports.get(ctx, in.ID))
}

func (h *handlers) forget(ctx context.Context, in *ImportPath) (*struct{}, error) {
	return nil, h.imports.forget(ctx, in.ID)
}

func (h *handlers) take(ctx context.Context, in *takeInput) (*body[Import], error) {
	return answer(h.imports.take(ctx, in.ID, in.Body))
}

func (h *handlers) export(ctx context.Context, in *flowPath) (*httpapi.File, error) {
	return h.imports.export(ctx, in.ID)
}
