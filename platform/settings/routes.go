package settings

import (
	"context"
	"fmt"
	"strconv"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Document is the answer of GET and PUT: the settings as they may be shown, and their edition.
type Document[V any] struct {
	State
	Settings V `json:"settings"`
}

// Change is the body of PUT: all settings, and the revision that they were read with. A secret that is left out stays.
type Change[T any] struct {
	Revision *int64 `json:"revision,omitempty" minimum:"0" doc:"Revision that the change starts from; or send it as If-Match"`
	Settings T      `json:"settings"`
}

type change[T any] struct {
	IfMatch string `header:"If-Match" maxLength:"32"`
	Body    Change[T]
}

type document[V any] struct {
	ETag string `header:"ETag" doc:"The revision"`
	Body Document[V]
}

// Routes are GET and PUT of a document. View turns it into what may be shown: of a secret whether it is set,
// "has_token".
func Routes[T, V any](path, about string, read, manage access.Rule, doc *Doc[T], view func(T) V) httpapi.Routes {
	answer := func(value T, state State, err error) (*document[V], error) {
		if err != nil {
			return nil, err
		}
		return &document[V]{
			ETag: fmt.Sprintf("%q", strconv.FormatInt(state.Revision, 10)),
			Body: Document[V]{State: state, Settings: view(value)},
		}, nil
	}
	get := func(ctx context.Context, _ *struct{}) (*document[V], error) { return answer(doc.Get(ctx)) }
	put := func(ctx context.Context, in *change[T]) (*document[V], error) {
		revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
		if err != nil {
			return nil, err
		}
		return answer(doc.Put(ctx, revision, in.Body.Settings))
	}
	return httpapi.Routes{
		httpapi.Get(path, "Show the settings of "+about, read, get),
		httpapi.Put(path, "Change the settings of "+about, manage, put),
	}
}
