package domains

import (
	"context"

	"panel/platform/httpapi"
	"panel/platform/keyset"
)

type body[T any] struct{ Body T }

func wrapped[T any](value *T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{*value}, nil
}

type listInput struct {
	httpapi.PageQuery
	NodeID string `query:"node_id" maxLength:"64" doc:"Only those of this node"`
	Owner  string `query:"owner" maxLength:"64" doc:"Only those of this account"`
	Query  string `query:"q" maxLength:"253" doc:"Part of the host name"`
}

// DomainPath names a node domain in a path.
type DomainPath struct {
	ID string `path:"id" maxLength:"64"`
}

type createInput struct {
	Body struct {
		NodeID string  `json:"node_id" format:"uuid"`
		ZoneID *string `json:"zone_id,omitempty" format:"uuid"`
		Zone   string  `json:"zone" minLength:"3" maxLength:"253" doc:"Domain that the host name lies in"`
		Label  string  `json:"label,omitempty" maxLength:"63" doc:"First part of the host name; empty: derived from the node's name"`
		Mode   string  `json:"mode,omitempty" enum:"direct,cdn,relay,reality_sni,static_site" default:"direct"`
		TTL    int     `json:"ttl,omitempty" minimum:"30" maximum:"86400" default:"300"`
		CDNID  string  `json:"cdn_integration_id,omitempty" maxLength:"36" doc:"Account at a CDN that the host name leads through; only with the mode cdn"`
	}
}

type patchInput struct {
	DomainPath
	IfMatch string `header:"If-Match"`
	Body    struct {
		Revision *int64  `json:"revision,omitempty"`
		NodeID   *string `json:"node_id,omitempty" format:"uuid"`
		Zone     *string `json:"zone,omitempty" minLength:"3" maxLength:"253"`
		Label    *string `json:"label,omitempty" maxLength:"63"`
		Mode     *string `json:"mode,omitempty" enum:"direct,cdn,relay,reality_sni,static_site"`
		TTL      *int    `json:"ttl,omitempty" minimum:"30" maximum:"86400"`
		CDNID    *string `json:"cdn_integration_id,omitempty" maxLength:"36" doc:"Empty: the network of the DNS service"`
		OwnerID  *string `json:"owner_id,omitempty" format:"uuid" doc:"Hands the binding over; needs full access"`
	}
}

// handlers are the operations on bindings: read the request, ask the domains, shape the answer.
type handlers struct{ domains *domains }

func newHandlers(d *domains) *handlers { return &handlers{domains: d} }

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Domain]], error) {
	k, err := keyset.New(in.PageQuery, "d.id", "hostname", map[string]keyset.Order{
		"hostname": {Expression: "d.hostname", Kind: httpapi.CursorText}, "created_at": {
			Expression: "d.created_at",
			Kind:       httpapi.CursorMoment,
		},
	})
	if err != nil {
		return nil, err
	}
	page, err := h.domains.page(ctx, in, k)
	return &body[httpapi.Page[Domain]]{page}, err
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Domain], error) {
	return wrapped(h.domains.create(ctx, in))
}

func (h *handlers) get(ctx context.Context, in *DomainPath) (*body[Domain], error) {
	return wrapped(h.domains.get(ctx, in.ID))
}

func (h *handlers) patch(ctx context.Context, in *patchInput) (*body[Domain], error) {
	want, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	return wrapped(h.domains.patch(ctx, in, want))
}

func (h *handlers) delete(ctx context.Context, in *DomainPath) (*struct{}, error) {
	return nil, h.domains.delete(ctx, in.ID)
}
