package httpapi

import (
	"context"
	"net/http"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"panel/platform/access"
	"panel/platform/entitlement"
)

type hiddenPath struct {
	ID string `path:"id"`
}

type embedsHidden struct{ hiddenPath }

type hidesField struct {
	id string `path:"id"` //nolint:unused // the mistake that is asked for
}

type hidesInBody struct {
	Body struct {
		Parts []struct{ hiddenPart }
	}
}

type hiddenPart struct {
	Name string `json:"name"`
}

func added(routes ...Operation) error {
	_, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active},
		Streams: NewStreams(),
	}, routes)
	return err
}

func takes[I any](path string, opts ...Option) Operation {
	return Post(path, "x", access.Public(), func(context.Context, *I) (*struct{}, error) { return &struct{}{}, nil },
		append(opts, BodyLimit(PublicBodyLimit))...)
}

// What the libraries pass over in silence stops the start with a sentence that says what to do.
func TestAnInputThatWouldBePassedOverIsRefused(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, added(takes[embedsHidden]("/a/{id}")), "embeds httpapi.hiddenPath, which is not exported")
	require.ErrorContains(t, added(takes[hidesField]("/a/{id}")), "the field id of its input")
	require.ErrorContains(t, added(takes[hidesInBody]("/a")), "embeds httpapi.hiddenPart")
	require.ErrorContains(t, added(takes[struct {
		Body struct {
			Names []string `json:"names" uniqueItems:"true"`
		}
	}]("/a")), "uniqueItems")
	require.NoError(t, added(takes[thingInput]("/a")))
}

type bodyOfOne struct {
	Body struct {
		Name string `json:"name"`
	}
}

// Two modules may give an input the same name: bodies without a type of their own carry their module in the
// description.
func TestBodiesWithoutANameCarryTheirModule(t *testing.T) {
	t.Parallel()
	type bodyOfOther struct {
		Body struct {
			Size int `json:"size"`
		}
	}
	one, other := takes[bodyOfOne]("/one"), takes[bodyOfOther]("/other")
	one.Owner, other.Owner = "apples", "pears"
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active},
		Streams: NewStreams(),
	}, Routes{one, other})
	require.NoError(t, err)
	text, err := s.Describe()
	require.NoError(t, err)
	require.Contains(t, string(text), `"ApplesBodyOfOneBody"`)
	require.Contains(t, string(text), `"PearsBodyOfOtherBody"`)
}

// A query is what the operation declares: nothing unknown, nothing twice, no moment that nothing can hold.
func TestAQueryIsHeldToItsDeclaration(t *testing.T) {
	t.Parallel()
	type query struct {
		PageQuery
		From string `query:"from" format:"date-time"`
	}
	get := func(opts ...Option) func(string) int {
		s, err := New(Options{
			Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active},
			Streams: NewStreams(),
		}, Routes{
			Get("/list", "x", access.Public(), func(context.Context, *query) (*struct{}, error) {
				return &struct{}{},
					nil
			}, opts...),
		})
		require.NoError(t, err)
		return func(query string) int {
			c := &fasthttp.RequestCtx{}
			c.Request.SetRequestURI("/list?" + query)
			s.App().Handler()(c)
			return c.Response.StatusCode()
		}
	}
	strict, lenient := get(), get(Lenient())
	for query, want := range map[string][2]int{
		"": {204, 204}, "limit=7&sort=name": {204, 204}, "from=2027-03-01T00:00:00Z": {204, 204}, "from=": {204, 204},
		"Limit=7": {400, 204}, "later=1": {400, 204}, "limit=7&limit=8": {400, 400}, "limit=%00": {400, 400},
		"from=0000-01-01T00:00:00Z":      {400, 400},
		"from=9999-12-31T23:59:59-01:00": {400, 400}, "limit[]=1": {400, 204}, "=1": {400, 204},
	} {
		require.Equal(t, want, [2]int{strict(query), lenient(query)}, query)
	}
}

func TestAShortListPagesInEveryOrder(t *testing.T) {
	t.Parallel()
	ids := []string{
		"0197f3a0-0000-7000-8000-000000000001", "0197f3a0-0000-7000-8000-000000000002",
		"0197f3a0-0000-7000-8000-000000000003",
	}
	list := ShortList[string]{
		ID: func(s string) string { return s }, Usual: "-id",
		Sorts: map[string]func(a, b string) int{"id": func(a, b string) int { return 0 }},
	}
	for sort, want := range map[string][]string{"": {ids[2], ids[1], ids[0]}, "id": ids} {
		var seen []string
		query := PageQuery{Limit: 2, Sort: sort}
		for more := true; more; {
			page, err := list.Page(ids, query)
			require.NoError(t, err)
			require.Equal(t, 3, page.Total)
			seen = append(seen, page.Items...)
			if more = page.NextCursor != nil; more {
				query.Cursor = *page.NextCursor
			}
		}
		require.Equal(t, want, seen)
	}
	_, err := list.Page(ids, PageQuery{Limit: 2, Sort: "name"})
	require.ErrorIs(t, err, ErrSort)
	gone := Cursor{Sort: "id", ID: "0197f3a0-0000-7000-8000-000000000009"}.Text()
	_, err = list.Page(ids, PageQuery{Limit: 2, Sort: "id", Cursor: *gone})
	require.ErrorIs(t, err, ErrCursor)
	require.Equal(t, http.StatusBadRequest, statuses[ErrCursor.Kind])
}

// A zero that somebody has sent is not taken for a parameter that was left out; it keeps to its bounds.
func TestAnOptionalZeroIsNotTakenForNothing(t *testing.T) {
	t.Parallel()
	type query struct {
		Wait Optional[int] `query:"wait" minimum:"0" maximum:"25"`
	}
	var seen []int
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active},
		Streams: NewStreams(),
	}, Routes{
		Get("/wait", "x", access.Public(), func(_ context.Context, in *query) (*struct{}, error) {
			seen = append(seen, in.Wait.Or(10))
			return &struct{}{}, nil
		}),
	})
	require.NoError(t, err)
	get := func(query string) int {
		c := &fasthttp.RequestCtx{}
		c.Request.SetRequestURI("/wait?" + query)
		s.App().Handler()(c)
		return c.Response.StatusCode()
	}
	for _, query := range []string{"wait=0", "", "wait=25"} {
		require.Equal(t, http.StatusNoContent, get(query), query)
	}
	require.Equal(t, []int{0, 10, 25}, seen)
	for _, query := range []string{"wait=26", "wait=-1", "wait=soon"} {
		require.Equal(t, http.StatusBadRequest, get(query), query)
	}
	text, err := s.Describe()
	require.NoError(t, err)
	require.Contains(t, string(text), `"maximum": 25`)
}
