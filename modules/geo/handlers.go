package geo

import (
	"context"

	"panel/platform/httpapi"
)

// handlers read the request, ask the service and shape the answer.
type handlers struct{ *service }

func newHandlers(s *service) *handlers { return &handlers{s} }

type body[T any] struct{ Body T }

type listInput struct {
	httpapi.PageQuery
	Query string `query:"q" maxLength:"64" doc:"A part of the name"`
	File  string `query:"file" enum:"geoip,geosite,custom,mmdb"`
	State string `query:"state" enum:"idle,downloading,checking,ready,distributing,current,rejected,failed"`
}

// AssetPath names an asset.
type AssetPath struct {
	ID string `path:"id" maxLength:"64"`
}

type createInput struct{ Body NewAsset }

type changeInput struct {
	AssetPath
	IfMatch string `header:"If-Match"`
	Body    AssetChange
}

type updateInput struct {
	AssetPath
	Body Updating
}

type nodesInput struct {
	AssetPath
	httpapi.PageQuery
	State string `query:"state" enum:"current,waiting,failed,offline,not_supported"`
}

type nodeInput struct {
	NodeID string `path:"node_id" maxLength:"64"`
}

type categoriesInput struct {
	AssetPath
	httpapi.PageQuery
	Query string `query:"q" maxLength:"64" doc:"A part of the name"`
}

type entriesInput struct {
	AssetPath
	httpapi.PageQuery
	Category string `path:"category" maxLength:"64"`
	Query    string `query:"q" maxLength:"255" doc:"A part of the entry"`
}

type changesInput struct {
	AssetPath
	From string `query:"from" maxLength:"64" doc:"SHA-256 of a kept version; the one before when left out"`
	To   string `query:"to" maxLength:"64" doc:"SHA-256 of a kept version; the candidate, else the current one, when left out"`
}

type lookupInput struct {
	Query string `query:"q" required:"true" minLength:"1" maxLength:"255" doc:"A domain or an address"`
}

type completeInput struct {
	File  string `query:"file" default:"geosite" maxLength:"64" doc:"geosite, geoip or the name of a custom file"`
	Query string `query:"q" maxLength:"64" doc:"What the category begins with or contains"`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type validateInput struct{ Body Validation }

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Asset]], error) {
	page, err := h.page(ctx, in)
	return &body[httpapi.Page[Asset]]{page}, err
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Asset], error) {
	id, err := h.add(ctx, in.Body)
	return h.shown(ctx, id, err)
}

func (h *handlers) get(ctx context.Context, in *AssetPath) (*body[Asset], error) {
	return h.shown(ctx, in.ID, nil)
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Asset], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.alter(ctx, in.ID, revision, in.Body)
	}
	return h.shown(ctx, in.ID, err)
}

func (h *handlers) remove(ctx context.Context, in *AssetPath) (*struct{}, error) {
	return nil, h.drop(ctx, in.ID)
}

func (h *handlers) shown(ctx context.Context, id string, err error) (*body[Asset], error) {
	if err != nil {
		return nil, err
	}
	asset, err := h.asset(ctx, id)
	return &body[Asset]{asset}, err
}

func (h *handlers) presets(context.Context, *struct{}) (*body[Presets], error) {
	return &body[Presets]{Presets{Items: presets()}}, nil
}

func (h *handlers) update(ctx context.Context, in *updateInput) (*body[UpdateStarted], error) {
	id, err := h.beginUpdate(ctx, in.ID, in.Body.Distribute == nil || *in.Body.Distribute)
	return &body[UpdateStarted]{UpdateStarted{OperationID: id}}, err
}

func (h *handlers) rollback(ctx context.Context, in *AssetPath) (*body[Asset], error) {
	return h.shown(ctx, in.ID, h.goBack(ctx, in.ID))
}

func (h *handlers) distribute(ctx context.Context, in *AssetPath) (*body[Asset], error) {
	return h.shown(ctx, in.ID, h.rollOut(ctx, in.ID))
}

func (h *handlers) nodes(ctx context.Context, in *nodesInput) (*body[httpapi.Page[NodeState]], error) {
	page, err := h.nodePage(ctx, in)
	return &body[httpapi.Page[NodeState]]{page}, err
}

func (h *handlers) ofNode(ctx context.Context, in *nodeInput) (*body[NodeAssets], error) {
	assets, err := h.assetsOf(ctx, in.NodeID)
	return &body[NodeAssets]{assets}, err
}

func (h *handlers) versions(ctx context.Context, in *AssetPath) (*body[KeptVersions], error) {
	kept, err := h.keptVersions(ctx, in.ID)
	return &body[KeptVersions]{kept}, err
}

func (h *handlers) categories(ctx context.Context, in *categoriesInput) (*body[httpapi.Page[Category]], error) {
	page, err := h.categoryPage(ctx, in)
	return &body[httpapi.Page[Category]]{page}, err
}

func (h *handlers) entries(ctx context.Context, in *entriesInput) (*body[httpapi.Page[Entry]], error) {
	page, err := h.entryPage(ctx, in)
	return &body[httpapi.Page[Entry]]{page}, err
}

func (h *handlers) changes(ctx context.Context, in *changesInput) (*body[Changes], error) {
	changes, err := h.difference(ctx, in)
	return &body[Changes]{changes}, err
}

func (h *handlers) lookup(ctx context.Context, in *lookupInput) (*body[Found], error) {
	found, err := h.find(ctx, in.Query)
	return &body[Found]{found}, err
}

func (h *handlers) complete(ctx context.Context, in *completeInput) (*body[Completions], error) {
	items, err := h.completions(ctx, in.File, in.Query, in.Limit)
	return &body[Completions]{items}, err
}

func (h *handlers) validate(ctx context.Context, in *validateInput) (*body[Validated], error) {
	items, err := h.validated(ctx, in.Body.Tokens)
	return &body[Validated]{items}, err
}
