package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
	"panel/platform/entitlement"
)

type thingPath struct {
	Name string `path:"name"`
}

type spoken struct {
	Body struct {
		Said string `json:"said"`
	}
}

func saying(text string) *spoken {
	out := &spoken{}
	out.Body.Said = text
	return out
}

// A path without parameters is looked up and one with some is searched for; which of the two takes a request does not
// depend on the order of the modules, and neither changes what other methods and other spellings are answered.
func TestLiteralPathsGoBeforePatterns(t *testing.T) {
	t.Parallel()
	literal := func(context.Context, *empty) (*spoken, error) { return saying("literal"), nil }
	pattern := func(_ context.Context, in *thingPath) (*spoken, error) { return saying("pattern " + in.Name), nil }
	routes := Routes{
		Get("/things/{name}", "x", access.Public(), pattern, func(o *Operation) { o.Owner = "first" }),
		Get("/things/all", "x", access.Public(), literal, func(o *Operation) { o.Owner = "second" }),
		Delete("/things/{name}", "x", access.Public(), pattern, func(o *Operation) { o.BodyLimit = 1 << 10 }),
	}
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), License: entitlement.Fixed{State: entitlement.Active}, Streams: NewStreams(),
	}, routes)
	require.NoError(t, err)
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{http.MethodGet, "/things/all", 200, "literal"},
		{http.MethodGet, "/things/all?x=1", 400, "bad_parameter"},
		{http.MethodHead, "/things/all", 200, ""},
		{http.MethodGet, "/things/one", 200, "pattern one"},
		{http.MethodDelete, "/things/all", 200, "pattern all"},
		{http.MethodPost, "/things/all", 405, "method_not_allowed"},
		{http.MethodGet, "/things/all/", 404, "not_found"},
		{http.MethodGet, "/THINGS/all", 404, "not_found"},
	} {
		answer, err := s.App().Test(httptest.NewRequest(test.method, test.path, nil))
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, test.status, answer.StatusCode, "%s %s: %s", test.method, test.path, body)
		require.Contains(t, string(body), test.body, "%s %s", test.method, test.path)
	}
}

// perRoute remembers the routes that were answered.
type perRoute struct{ answered map[string]int }

func (perRoute) Began() {}

func (c perRoute) Route(_, template string) func(int, time.Duration) {
	return func(int, time.Duration) { c.answered[template]++ }
}

// Pages and files of the interface have a name in the log and in the metrics; what the interface does not know either
// is an unknown address.
func TestTheInterfaceHasItsOwnRouteAndUnknownAddressesHaveAnother(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	meter := perRoute{map[string]int{}}
	s, err := New(Options{
		Log: zap.New(core), Clock: clockwork.NewRealClock(), Meter: meter, Streams: NewStreams(),
		License: entitlement.Fixed{State: entitlement.Active},
		Fallback: func(c *fiber.Ctx) error {
			switch c.Path() {
			case "/assets/a.js":
				return c.SendString("script")
			case "/broken":
				return errors.New("broken")
			}
			return c.Next()
		},
	}, Routes{Get("/known", "x", access.Public(), func(context.Context, *empty) (*spoken, error) {
		return saying("x"), nil
	})})
	require.NoError(t, err)
	for _, test := range []struct {
		path, route string
		status      int
	}{
		{"/known", "/known", 200},
		{"/assets/a.js", Interface, 200},
		{"/broken", Interface, 500},
		{"/assets/b.js", Unmatched, 404},
	} {
		answer, err := s.App().Test(httptest.NewRequest(http.MethodGet, test.path, nil))
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, test.status, answer.StatusCode, test.path)
		lines := logs.TakeAll()
		require.Equal(t, test.route, lines[len(lines)-1].ContextMap()["route"], test.path)
		require.Equal(t, 1, meter.answered[test.route], test.path)
		clear(meter.answered)
	}
}

// What a handler learns of its caller is the caller's own also when the next request is already under way.
func TestACallerStaysWhoHeIs(t *testing.T) {
	t.Parallel()
	var first context.Context
	who := func(ctx context.Context, _ *empty) (*spoken, error) {
		if first == nil {
			first = ctx
		}
		return saying(access.From(ctx).Username + " from " + access.Address(ctx)), nil
	}
	sessions := &oneSession{access.Caller{Kind: access.Admin, Username: "anna", Permissions: access.Set{"*"}}}
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), Sessions: sessions, License: entitlement.Fixed{State: entitlement.Active},
		Permissions: []access.Permission{{Key: "rows.view"}}, Streams: NewStreams(),
	}, Routes{Get("/who", "x", access.Needs("rows.view"), who)})
	require.NoError(t, err)
	for _, name := range []string{"anna", "boris"} {
		sessions.caller.Username = name
		request := httptest.NewRequest(http.MethodGet, "/who", nil)
		request.Header.Set("Authorization", "Bearer ps_x")
		answer, err := s.App().Test(request)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), name+" from 0.0.0.0")
	}
	require.Equal(t, "anna", access.From(first).Username)
	require.Equal(t, access.System, access.From(context.Background()).Kind)
}
