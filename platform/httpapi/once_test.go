package httpapi

import (
	"context"
	"net/http"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
)

type located struct {
	Location string `header:"Location"`
}

type locatedOutput struct {
	located
	Body struct{}
}

func postOf[O any](opts ...Option) Operation {
	return Post("/a", "x", access.Session(), func(context.Context, *struct{}) (*O, error) { return new(O), nil },
		opts...)
}

// What a POST answers can be stored and given again, or the operation says that it cannot.
func TestAPostThatCannotBeRepeatedSaysSo(t *testing.T) {
	t.Parallel()
	raw := func(opts ...Option) Operation {
		return Raw(http.MethodPost, "/a", "x", access.Session(), func(*fiber.Ctx) error { return nil }, opts...)
	}
	require.ErrorContains(t, added(postOf[locatedOutput]()), "its answer has a header")
	require.NoError(t, added(postOf[locatedOutput](Anew())))
	require.ErrorContains(t, added(raw()), "writes its answer itself")
	require.NoError(t, added(raw(Anew())))
	reads := func(context.Context, *struct{}) (*struct{}, error) { return nil, nil } //nolint:nilnil // never called
	read := Get("/a", "x", access.Session(), reads, Anew())
	require.ErrorContains(t, added(read), "no other takes an Idempotency-Key")
	require.ErrorContains(t, added(takes[thingInput]("/a", Anew())), "only a POST of a session")
	require.True(t, postOf[struct{}]().Repeatable())
	require.False(t, postOf[struct{}](Anew()).Repeatable())
}
