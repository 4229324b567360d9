package proxypanel

import (
	"context"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/syncs"
	"panel/modules/proxypanel/internal/webhooks"
	"panel/platform/httpapi"
)

// handlers read the request, ask the rules of the module and shape the answer.
type handlers struct {
	connections *connections
	bootstrap   *bootstrap
	syncs       *syncs.Syncs
	lists       *shadow.Lists
	webhooks    *webhooks.Webhooks
}

func newHandlers(
	c *connections, b *bootstrap, s *syncs.Syncs, l *shadow.Lists, w *webhooks.Webhooks,
) *handlers {
	return &handlers{c, b, s, l, w}
}

type body[T any] struct{ Body T }

type pageInput struct{ httpapi.PageQuery }

// ConnectionPath names a connection in a path.
type ConnectionPath struct {
	ID string `path:"id" maxLength:"64"`
}

type addInput struct{ Body NewConnection }

type changeInput struct {
	ConnectionPath
	IfMatch string `header:"If-Match"`
	Body    ConnectionChange
}

// ScopeList are the scopes that a token needs.
type ScopeList struct {
	Items []TokenScope `json:"items"`
}

// TokenScope is a scope in the words of the proxy panel.
type TokenScope struct {
	Scope string `json:"scope"`
	Use   string `json:"use" enum:"read,abuse,provisioning" doc:"Reading is a must; the others open what they name"`
}

func (h *handlers) listScopes(context.Context, *struct{}) (*body[ScopeList], error) {
	list := ScopeList{Items: []TokenScope{}}
	for _, one := range remnawave.Scopes() {
		list.Items = append(list.Items, TokenScope{Scope: one.Name, Use: one.Use})
	}
	return &body[ScopeList]{list}, nil
}

func (h *handlers) list(ctx context.Context, in *pageInput) (*body[httpapi.Page[Connection]], error) {
	page, err := h.connections.store.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Connection]]{page}, err
}

func (h *handlers) add(ctx context.Context, in *addInput) (*body[Connection], error) {
	added, err := h.connections.add(ctx, in.Body)
	return &body[Connection]{added}, err
}

func (h *handlers) get(ctx context.Context, in *ConnectionPath) (*body[Connection], error) {
	row, err := h.connections.store.get(ctx, in.ID)
	return &body[Connection]{row.shown()}, err
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Connection], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	changed, err := h.connections.change(ctx, in.ID, revision, in.Body)
	return &body[Connection]{changed}, err
}

func (h *handlers) remove(ctx context.Context, in *ConnectionPath) (*struct{}, error) {
	return nil, h.connections.remove(ctx, in.ID)
}

func (h *handlers) test(ctx context.Context, in *ConnectionPath) (*body[Connection], error) {
	seen, err := h.connections.test(ctx, in.ID)
	return &body[Connection]{seen}, err
}

type bootstrapInput struct{ Body Bootstrap }

func (h *handlers) setUp(ctx context.Context, in *bootstrapInput) (*body[BootstrapResult], error) {
	result, err := h.bootstrap.run(ctx, in.Body)
	return &body[BootstrapResult]{result}, err
}
