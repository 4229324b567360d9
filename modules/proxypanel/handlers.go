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
	adopting    *adopting
	drifts      *drifts
}

func newHandlers(
	c *connections, b *bootstrap, s *syncs.Syncs, l *shadow.Lists, w *webhooks.Webhooks, a *adopting, d *drifts,
) *handlers {
	return &handlers{c, b, s, l, w, a, d}
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

type adoptInput struct {
	ConnectionPath
	Body Adoption
}

// PanelNodePath names a node of a proxy panel in a path.
type PanelNodePath struct {
	ConnectionPath
	PanelNodeID string `path:"panel_node_id" format:"uuid"`
}

// DriftPath names an object that differs in a path.
type DriftPath struct {
	ConnectionPath
	Object string `path:"object" maxLength:"64"`
}

func (h *handlers) listMapping(ctx context.Context, in *ConnectionPath) (*body[MappingList], error) {
	list, err := h.adopting.list(ctx, in.ID)
	return &body[MappingList]{list}, err
}

func (h *handlers) adoptNode(ctx context.Context, in *adoptInput) (*body[PanelNodeView], error) {
	adopted, err := h.adopting.adopt(ctx, in.ID, in.Body)
	return &body[PanelNodeView]{adopted}, err
}

func (h *handlers) releaseNode(ctx context.Context, in *PanelNodePath) (*struct{}, error) {
	return nil, h.adopting.release(ctx, in.ID, in.PanelNodeID)
}

func (h *handlers) listDrift(ctx context.Context, in *ConnectionPath) (*body[DriftList], error) {
	list, err := h.drifts.list(ctx, in.ID)
	return &body[DriftList]{list}, err
}

func (h *handlers) compare(ctx context.Context, in *ConnectionPath) (*body[DriftList], error) {
	list, err := h.drifts.compare(ctx, in.ID)
	return &body[DriftList]{list}, err
}

func (h *handlers) adoptDrift(ctx context.Context, in *DriftPath) (*body[DriftList], error) {
	list, err := h.drifts.adopt(ctx, in.ID, in.Object)
	return &body[DriftList]{list}, err
}

func (h *handlers) overwriteDrift(ctx context.Context, in *DriftPath) (*body[DriftList], error) {
	list, err := h.drifts.overwrite(ctx, in.ID, in.Object)
	return &body[DriftList]{list}, err
}
