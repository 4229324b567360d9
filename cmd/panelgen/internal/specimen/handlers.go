package specimen

import (
	"context"

	"panel/platform/httpapi"
)

// handlers read the request, ask the items and shape the answer.
type handlers struct{ items *items }

func newHandlers(i *items) *handlers { return &handlers{items: i} }

type body[T any] struct{ Body T }

type listInput struct{ httpapi.PageQuery }

// ItemPath names an item in a path.
type ItemPath struct {
	ID string `path:"id" maxLength:"64"`
}

// NewItem is what an item begins with. The description of the API names it as it is called here.
type NewItem struct {
	Name    string `json:"name" minLength:"1" maxLength:"64"`
	Comment string `json:"comment,omitempty" maxLength:"500"`
}

type addInput struct{ Body NewItem }

// ItemChange is what may change. What is absent stays as it is.
type ItemChange struct {
	Revision *int64  `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Comment  *string `json:"comment,omitempty" maxLength:"500"`
}

type changeInput struct {
	ItemPath
	IfMatch string `header:"If-Match"`
	Body    ItemChange
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Item]], error) {
	page, err := h.items.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Item]]{page}, err
}

func (h *handlers) add(ctx context.Context, in *addInput) (*body[Item], error) {
	item, err := h.items.add(ctx, in.Body)
	return &body[Item]{item}, err
}

func (h *handlers) get(ctx context.Context, in *ItemPath) (*body[Item], error) {
	item, err := h.items.get(ctx, in.ID)
	return &body[Item]{item}, err
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Item], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	item, err := h.items.change(ctx, in.ID, revision, in.Body)
	return &body[Item]{item}, err
}

func (h *handlers) remove(ctx context.Context, in *ItemPath) (*struct{}, error) {
	return nil, h.items.remove(ctx, in.ID)
}
