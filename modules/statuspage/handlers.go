package statuspage

import (
	"context"
	"io"

	"panel/platform/httpapi"
)

// handlers read the request, ask the service and shape the answer.
type handlers struct{ *service }

func newHandlers(s *service) *handlers { return &handlers{s} }

type body[T any] struct{ Body T }

// ObjectPath names what a path is about.
type ObjectPath struct {
	ID string `path:"id" maxLength:"64"`
}

type pagedInput struct {
	ObjectPath
	httpapi.PageQuery
}

type createInput struct{ Body NewPage }

type changeInput struct {
	ObjectPath
	IfMatch string `header:"If-Match"`
	Body    PageChange
}

type componentsInput struct {
	ObjectPath
	IfMatch string `header:"If-Match"`
	Body    Components
}

type unsavedInput struct {
	ObjectPath
	Body Unsaved
}

type announcementsInput struct {
	ObjectPath
	IfMatch string `header:"If-Match"`
	Body    Announcements
}

type barsInput struct {
	ObjectPath
	ComponentID string `query:"component_id" maxLength:"64" doc:"Of this one alone"`
	Days        int    `query:"days" minimum:"1" maximum:"90" default:"90"`
}

type sourcesInput struct {
	Query string `query:"q" maxLength:"64" doc:"A part of the name"`
	Kind  string `query:"kind" enum:"node,flow,pool,region"`
}

type noticesInput struct {
	httpapi.PageQuery
	PageID    string                 `query:"page_id" maxLength:"64"`
	State     string                 `query:"state" enum:"open,resolved,all"`
	Published httpapi.Optional[bool] `query:"published"`
}

type noticeInput struct{ Body NewNotice }

type noticeChangeInput struct {
	ObjectPath
	IfMatch string `header:"If-Match"`
	Body    NoticeChange
}

type updateInput struct {
	ObjectPath
	Body NewUpdate
}

type maintenanceInput struct {
	httpapi.PageQuery
	PageID string `query:"page_id" maxLength:"64"`
	When   string `query:"when" enum:"upcoming,past,all"`
}

type planInput struct{ Body NewMaintenance }

type replanInput struct {
	ObjectPath
	IfMatch string `header:"If-Match"`
	Body    MaintenanceChange
}

type targetInput struct {
	ObjectPath
	Body NewTarget
}

type targetChangeInput struct {
	ObjectPath
	Body TargetChange
}

type deployInput struct {
	ObjectPath
	Body NewDeploy
}

// answer shapes what a reading gave.
func answer[T any](out T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{out}, nil
}

// then reads anew what a change has left.
func then[T any](
	ctx context.Context, err error, id string, read func(ctx context.Context, id string) (T, error),
) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return answer(read(ctx, id))
}

// revised runs a change that starts from a revision.
func revised(inBody *int64, ifMatch string, change func(revision int64) error) error {
	revision, err := httpapi.Revision(inBody, ifMatch)
	if err != nil {
		return err
	}
	return change(revision)
}

func (h *handlers) overview(ctx context.Context, _ *struct{}) (*body[Overview], error) {
	return answer(h.service.overview(ctx))
}

func (h *handlers) list(ctx context.Context, _ *struct{}) (*body[Pages], error) {
	return answer(h.all(ctx))
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Page], error) {
	id, err := h.add(ctx, in.Body)
	return then(ctx, err, id, h.service.get)
}

func (h *handlers) get(ctx context.Context, in *ObjectPath) (*body[Page], error) {
	return answer(h.service.get(ctx, in.ID))
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Page], error) {
	err := revised(in.Body.Revision, in.IfMatch, func(r int64) error {
		return h.editPage(ctx, in.ID, r, in.Body.PageFields)
	})
	return then(ctx, err, in.ID, h.service.get)
}

func (h *handlers) remove(ctx context.Context, in *ObjectPath) (*struct{}, error) {
	return nil, h.removePage(ctx, in.ID)
}

func (h *handlers) components(ctx context.Context, in *componentsInput) (*body[Page], error) {
	err := revised(in.Body.Revision, in.IfMatch, func(r int64) error { return h.compose(ctx, in.ID, r, in.Body) })
	return then(ctx, err, in.ID, h.service.get)
}

func (h *handlers) announcements(ctx context.Context, in *announcementsInput) (*body[Page], error) {
	err := revised(in.Body.Revision, in.IfMatch, func(r int64) error {
		return h.announce(ctx, in.ID, r, in.Body.Announcements)
	})
	return then(ctx, err, in.ID, h.service.get)
}

func (h *handlers) unsaved(ctx context.Context, in *unsavedInput) (*body[Preview], error) {
	return answer(h.previewUnsaved(ctx, in.ID, in.Body))
}

func (h *handlers) bars(ctx context.Context, in *barsInput) (*body[Bars], error) {
	return answer(h.service.bars(ctx, in.ID, in.ComponentID, in.Days))
}

func (h *handlers) sources(ctx context.Context, in *sourcesInput) (*body[Sources], error) {
	return answer(h.neighbours.sources(ctx, in.Query, in.Kind))
}

func (h *handlers) putLogo(ctx context.Context, in *ObjectPath, file *httpapi.Uploaded) (*body[Page], error) {
	content, err := io.ReadAll(file)
	if err == nil {
		err = h.setLogo(ctx, in.ID, content)
	}
	return then(ctx, err, in.ID, h.service.get)
}

func (h *handlers) dropLogo(ctx context.Context, in *ObjectPath) (*body[Page], error) {
	return then(ctx, h.removeLogo(ctx, in.ID), in.ID, h.service.get)
}

func (h *handlers) notices(ctx context.Context, in *noticesInput) (*body[httpapi.Page[Notice]], error) {
	return answer(h.noticePage(ctx, in))
}

func (h *handlers) tellNotice(ctx context.Context, in *noticeInput) (*body[Notice], error) {
	id, err := h.addNotice(ctx, in.Body)
	return then(ctx, err, id, h.noticeOf)
}

func (h *handlers) notice(ctx context.Context, in *ObjectPath) (*body[Notice], error) {
	return answer(h.noticeOf(ctx, in.ID))
}

func (h *handlers) changeNotice(ctx context.Context, in *noticeChangeInput) (*body[Notice], error) {
	err := revised(in.Body.Revision, in.IfMatch, func(r int64) error { return h.editNotice(ctx, in.ID, r, in.Body) })
	return then(ctx, err, in.ID, h.noticeOf)
}

func (h *handlers) removeNotice(ctx context.Context, in *ObjectPath) (*struct{}, error) {
	return nil, h.discard(ctx, in.ID)
}

func (h *handlers) updateNotice(ctx context.Context, in *updateInput) (*body[Notice], error) {
	return then(ctx, h.update(ctx, in.ID, in.Body), in.ID, h.noticeOf)
}

func (h *handlers) publishNotice(ctx context.Context, in *ObjectPath) (*body[Notice], error) {
	return then(ctx, h.show(ctx, in.ID), in.ID, h.noticeOf)
}

func (h *handlers) works(ctx context.Context, in *maintenanceInput) (*body[httpapi.Page[Maintenance]], error) {
	return answer(h.workPage(ctx, in))
}

func (h *handlers) planWork(ctx context.Context, in *planInput) (*body[Maintenance], error) {
	id, err := h.plan(ctx, in.Body)
	return then(ctx, err, id, h.work)
}

func (h *handlers) changeWork(ctx context.Context, in *replanInput) (*body[Maintenance], error) {
	err := revised(in.Body.Revision, in.IfMatch, func(r int64) error { return h.editWork(ctx, in.ID, r, in.Body) })
	return then(ctx, err, in.ID, h.work)
}

func (h *handlers) removeWork(ctx context.Context, in *ObjectPath) (*struct{}, error) {
	return nil, h.forget(ctx, in.ID)
}

func (h *handlers) endWork(ctx context.Context, in *ObjectPath) (*body[Maintenance], error) {
	return then(ctx, h.finish(ctx, in.ID), in.ID, h.work)
}

func (h *handlers) targets(ctx context.Context, in *ObjectPath) (*body[Targets], error) {
	return answer(h.targetsOf(ctx, in.ID))
}

func (h *handlers) createTarget(ctx context.Context, in *targetInput) (*body[Target], error) {
	id, err := h.addTarget(ctx, in.ID, in.Body)
	return then(ctx, err, id, h.targetOf)
}

func (h *handlers) changeTarget(ctx context.Context, in *targetChangeInput) (*body[Target], error) {
	return then(ctx, h.retarget(ctx, in.ID, in.Body), in.ID, h.targetOf)
}

func (h *handlers) removeTarget(ctx context.Context, in *ObjectPath) (*struct{}, error) {
	return nil, h.dropTarget(ctx, in.ID)
}

func (h *handlers) testTarget(ctx context.Context, in *ObjectPath) (*body[Tested], error) {
	return answer(h.try(ctx, in.ID))
}

func (h *handlers) deployPreview(ctx context.Context, in *ObjectPath) (*body[DeployPreview], error) {
	return answer(h.previewDeploy(ctx, in.ID))
}

func (h *handlers) startDeploy(ctx context.Context, in *deployInput) (*body[Deploy], error) {
	return answer(h.deploy(ctx, in.ID, in.Body))
}

func (h *handlers) deploys(ctx context.Context, in *pagedInput) (*body[httpapi.Page[Deploy]], error) {
	return answer(h.deployPage(ctx, in))
}

func (h *handlers) getDeploy(ctx context.Context, in *ObjectPath) (*body[Deploy], error) {
	row, err := h.store.deploy(ctx, in.ID)
	return answer(row.shown(), err)
}
