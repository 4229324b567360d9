package policies

import (
	"context"

	"panel/platform/httpapi"
)

// handlers read the request, ask the policies and shape the answer.
type handlers struct{ policies *policies }

func newHandlers(p *policies) *handlers { return &handlers{policies: p} }

type body[T any] struct{ Body T }

type listInput struct {
	httpapi.PageQuery
	Query  string `query:"q" maxLength:"64" doc:"A part of the name"`
	Kind   string `query:"kind" enum:"balancer,routing,limits,security"`
	FlowID string `query:"flow_id" maxLength:"64" doc:"Those that this flow obeys"`
}

// IDPath names a policy or a custom plan in a path.
type IDPath struct {
	ID string `path:"id" maxLength:"64"`
}

type createInput struct{ Body NewPolicy }

type changeInput struct {
	IDPath
	IfMatch string `header:"If-Match"`
	Body    PolicyChange
}

type assignInput struct {
	IDPath
	IfMatch string `header:"If-Match"`
	Body    Assignment
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Policy]], error) {
	page, err := h.policies.page(ctx, in)
	return &body[httpapi.Page[Policy]]{page}, err
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Policy], error) {
	id, err := h.policies.create(ctx, in.Body)
	return h.shown(ctx, id, err)
}

func (h *handlers) get(ctx context.Context, in *IDPath) (*body[Policy], error) {
	return h.shown(ctx, in.ID, nil)
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Policy], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.policies.change(ctx, in.ID, revision, in.Body)
	}
	return h.shown(ctx, in.ID, err)
}

func (h *handlers) remove(ctx context.Context, in *IDPath) (*struct{}, error) {
	return nil, h.policies.remove(ctx, in.ID)
}

func (h *handlers) assign(ctx context.Context, in *assignInput) (*body[Policy], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.policies.assign(ctx, in.ID, revision, in.Body.FlowIDs)
	}
	return h.shown(ctx, in.ID, err)
}

func (h *handlers) shown(ctx context.Context, id string, err error) (*body[Policy], error) {
	if err != nil {
		return nil, err
	}
	policy, err := h.policies.get(ctx, id)
	return &body[Policy]{policy}, err
}

type saveInput struct {
	IfMatch string `header:"If-Match"`
	Body    NewCatalogue
}

type versionInput struct {
	Version int `path:"version" minimum:"1" maximum:"1000000000"`
}

func (h *handlers) catalogue(ctx context.Context, _ *struct{}) (*body[Catalogue], error) {
	c, err := h.policies.catalogue(ctx, 0)
	return &body[Catalogue]{c}, err
}

func (h *handlers) save(ctx context.Context, in *saveInput) (*body[Catalogue], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.policies.saveCatalogue(ctx, revision, in.Body)
	}
	if err != nil {
		return nil, err
	}
	return h.catalogue(ctx, nil)
}

func (h *handlers) versions(
	ctx context.Context, in *httpapi.PageQuery,
) (*body[httpapi.Page[CatalogueVersion]], error) {
	page, err := h.policies.versions(ctx, *in)
	return &body[httpapi.Page[CatalogueVersion]]{page}, err
}

func (h *handlers) version(ctx context.Context, in *versionInput) (*body[Catalogue], error) {
	c, err := h.policies.catalogue(ctx, in.Version)
	return &body[Catalogue]{c}, err
}

func (h *handlers) outdated(ctx context.Context, _ *struct{}) (*body[Outdated], error) {
	found, err := h.policies.outdated(ctx)
	return &body[Outdated]{found}, err
}

type planListInput struct {
	httpapi.PageQuery
	Query string `query:"q" maxLength:"64" doc:"A part of the name"`
}

type createPlanInput struct{ Body NewPlan }

type addVersionInput struct {
	IDPath
	IfMatch string `header:"If-Match"`
	Body    NewPlanVersion
}

type enableInput struct {
	IDPath
	Number string `path:"v" maxLength:"10"`
	Body   Enabling
}

func (h *handlers) plans(ctx context.Context, in *planListInput) (*body[httpapi.Page[CustomPlan]], error) {
	page, err := h.policies.planPage(ctx, in)
	return &body[httpapi.Page[CustomPlan]]{page}, err
}

func (h *handlers) createPlan(ctx context.Context, in *createPlanInput) (*body[CustomPlan], error) {
	id, err := h.policies.createPlan(ctx, in.Body)
	return h.shownPlan(ctx, id, err)
}

func (h *handlers) plan(ctx context.Context, in *IDPath) (*body[CustomPlan], error) {
	return h.shownPlan(ctx, in.ID, nil)
}

func (h *handlers) addVersion(ctx context.Context, in *addVersionInput) (*body[CustomPlan], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.policies.addVersion(ctx, in.ID, revision, in.Body.Body)
	}
	return h.shownPlan(ctx, in.ID, err)
}

func (h *handlers) enable(ctx context.Context, in *enableInput) (*body[CustomPlan], error) {
	return h.shownPlan(ctx, in.ID, h.policies.enable(ctx, in.ID, in.Number, in.Body))
}

func (h *handlers) removePlan(ctx context.Context, in *IDPath) (*struct{}, error) {
	return nil, h.policies.removePlan(ctx, in.ID)
}

func (h *handlers) shownPlan(ctx context.Context, id string, err error) (*body[CustomPlan], error) {
	if err != nil {
		return nil, err
	}
	plan, err := h.policies.getPlan(ctx, id)
	return &body[CustomPlan]{plan}, err
}
