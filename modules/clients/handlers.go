package clients

import (
	"context"

	"panel/platform/httpapi"
)

// handlers read the request, ask the clients and shape the answer.
type handlers struct{ clients *clients }

func newHandlers(c *clients) *handlers { return &handlers{clients: c} }

type body[T any] struct{ Body T }

// secretBody is an answer that nobody may keep.
type secretBody[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         T
}

func answer[T any](value T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{value}, nil
}

func secretly[T any](value T, err error) (*secretBody[T], error) {
	if err != nil {
		return nil, err
	}
	return &secretBody[T]{CacheControl: "no-store", Body: value}, nil
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Client]], error) {
	return answer(h.clients.page(ctx, in))
}

func (h *handlers) summary(ctx context.Context, _ *struct{}) (*body[Summary], error) {
	return answer(h.clients.summary(ctx))
}

func (h *handlers) add(ctx context.Context, in *addInput) (*body[Client], error) {
	return answer(h.clients.add(ctx, in.Body))
}

func (h *handlers) get(ctx context.Context, in *ClientPath) (*body[Client], error) {
	return answer(h.clients.get(ctx, in.ID))
}

func (h *handlers) course(ctx context.Context, in *courseInput) (*body[Course], error) {
	return answer(h.clients.course(ctx, in))
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Client], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	return answer(h.clients.change(ctx, in.ID, revision, in.Body))
}

func (h *handlers) revoke(ctx context.Context, in *ClientPath) (*struct{}, error) {
	return nil, h.clients.revoke(ctx, in.ID)
}

func (h *handlers) give(ctx context.Context, in *usePath) (*body[Client], error) {
	return answer(h.clients.give(ctx, in.ID, in.FlowID))
}

func (h *handlers) take(ctx context.Context, in *usePath) (*struct{}, error) {
	return nil, h.clients.take(ctx, in.ID, in.FlowID)
}

func (h *handlers) issueLink(ctx context.Context, in *ClientPath) (*secretBody[PublicLink], error) {
	return secretly(h.clients.issueLink(ctx, in.ID))
}

func (h *handlers) revokeLink(ctx context.Context, in *ClientPath) (*struct{}, error) {
	return nil, h.clients.revokeLink(ctx, in.ID)
}

func (h *handlers) bulk(ctx context.Context, in *bulkInput) (*body[BulkOutcome], error) {
	return answer(h.clients.bulk(ctx, &in.Body))
}

func (h *handlers) load(ctx context.Context, in *importInput) (*body[Imported], error) {
	return answer(h.clients.load(ctx, &in.Body))
}

func (h *handlers) export(_ context.Context, in *exportInput) (*httpapi.File, error) {
	return h.clients.export(in), nil
}

func (h *handlers) find(ctx context.Context, in *findInput) (*body[FoundClients], error) {
	return answer(h.clients.find(ctx, in))
}

func (h *handlers) listOf(ctx context.Context, in *flowClientsInput) (*body[httpapi.Page[FlowClient]], error) {
	return answer(h.clients.pageOf(ctx, in))
}

func (h *handlers) addTo(ctx context.Context, in *flowClientInput) (*body[FlowClient], error) {
	return answer(h.clients.addTo(ctx, in.ID, in.Body.Label))
}

func (h *handlers) takeFrom(ctx context.Context, in *flowClientPath) (*struct{}, error) {
	return nil, h.clients.takeFrom(ctx, in.ID, in.ClientID)
}

func (h *handlers) issueLinkOf(ctx context.Context, in *flowClientPath) (*secretBody[PublicLink], error) {
	if err := h.clients.uses(ctx, in.ID, in.ClientID); err != nil {
		return nil, err
	}
	return secretly(h.clients.issueLink(ctx, in.ClientID))
}

func (h *handlers) revokeLinkOf(ctx context.Context, in *flowClientPath) (*struct{}, error) {
	if err := h.clients.uses(ctx, in.ID, in.ClientID); err != nil {
		return nil, err
	}
	return nil, h.clients.revokeLink(ctx, in.ClientID)
}
