package abuse

import (
	"context"

	"panel/modules/abuse/internal/lookups"
	"panel/modules/abuse/internal/views"
	"panel/platform/httpapi"
)

func (h *handlers) overview(ctx context.Context, _ *struct{}) (*body[views.Overview], error) {
	found, err := h.views.Overview(ctx)
	return &body[views.Overview]{found}, err
}

// LookupPath names a lookup.
type LookupPath struct {
	ID string `path:"id" maxLength:"64"`
}

type askInput struct{ Body lookups.New }

func (h *handlers) ask(ctx context.Context, in *askInput) (*body[lookups.Lookup], error) {
	begun, err := h.lookups.Ask(ctx, in.Body)
	return &body[lookups.Lookup]{begun}, err
}

func (h *handlers) oneLookup(ctx context.Context, in *LookupPath) (*body[lookups.Lookup], error) {
	found, err := h.lookups.Get(ctx, in.ID)
	return &body[lookups.Lookup]{found}, err
}

func (h *handlers) listLookups(ctx context.Context, in *pageInput) (*body[httpapi.Page[lookups.Line]], error) {
	page, err := h.lookups.Page(ctx, in.PageQuery)
	return &body[httpapi.Page[lookups.Line]]{page}, err
}
