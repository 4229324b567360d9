package httpapi

import (
	"context"
	"net/url"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

type readInput struct {
	ID string `path:"id"`
	Q  string `query:"q" maxLength:"5"`
}

// reading is a server with operations of every sort, and a reader of it.
func reading(t *testing.T, license entitlement.Fixed) *Reader {
	t.Helper()
	tells := func(ctx context.Context, in *readInput) (*spoken, error) {
		return saying(access.From(ctx).Username + " " + in.ID + " " + in.Q), nil
	}
	missing := func(context.Context, *readInput) (*spoken, error) { return nil, fault.Missing("gone") }
	raw := func(c *fiber.Ctx) error { return c.SendString("raw") }
	needs := access.Needs("things.view")
	r := NewReader()
	_, err := New(Options{
		Clock: clockwork.NewRealClock(), License: license, Streams: NewStreams(), Reader: r,
		Permissions: []access.Permission{{Key: "things.view"}, {Key: "also"}},
	}, Routes{
		Get("/things/{id}", "x", needs, tells), Get("/missing/{id}", "x", needs, missing),
		Get("/also/{id}", "x", needs.And("also"), tells), Get("/gated/{id}", "x", needs, tells, Feature("extra")),
		Post("/written", "x", needs, tells), Get("/hidden/{id}", "x", needs, tells, Hidden()),
		Get("/secret/{id}", "x", needs, tells, Reveals()), Get("/person/{id}", "x", needs, tells, SignedIn()),
		Raw(fiber.MethodGet, "/raw", "x", needs, raw), Get("/open/{id}", "x", access.Public(), tells, BodyLimit(1<<10)),
	})
	require.NoError(t, err)
	return r
}

func as(permissions ...access.Key) context.Context {
	return access.With(context.Background(), access.Caller{Kind: access.Admin, Username: "eve", Permissions: permissions})
}

func everyFeature() entitlement.Fixed {
	return entitlement.Fixed{State: entitlement.Active, Enabled: []string{"extra"}}
}

// A read in process is answered as the caller of the request, with his rights and no others.
func TestAReadHasTheRightsOfItsCaller(t *testing.T) {
	t.Parallel()
	r, told := reading(t, everyFeature()), struct{ Said string }{}
	require.NoError(t, r.Get(as("things.view"), "/things/{id}", url.Values{"id": {someID}, "q": {"abc"}}, &told))
	require.Equal(t, "eve "+someID+" abc", told.Said)
	for path, missing := range map[string]string{"/things/{id}": "things.view", "/also/{id}": "things.view"} {
		var refused *ReadError
		require.ErrorAs(t, r.Get(as("other"), path, url.Values{"id": {someID}}, &told), &refused)
		require.Equal(t, &ReadError{Status: 403, Code: "permission_denied", Missing: []string{missing}}, refused)
	}
	var refused *ReadError
	require.ErrorAs(t, r.Get(as("things.view"), "/also/{id}", url.Values{"id": {someID}}, &told), &refused)
	require.Equal(t, []string{"also"}, refused.Missing)
	require.ErrorAs(t, r.Get(context.Background(), "/things/{id}", url.Values{"id": {someID}}, &told), &refused)
	require.Equal(t, 401, refused.Status, "the panel itself is no caller")
	due := access.With(context.Background(), access.Caller{
		Kind: access.Admin, Permissions: access.Set{access.All}, MustChangePassword: true,
	})
	require.ErrorAs(t, r.Get(due, "/things/{id}", url.Values{"id": {someID}}, &told), &refused)
	require.Equal(t, "password_change_required", refused.Code)
}

// Nothing but typed reads of a session is asked in process, whoever asks.
func TestOnlyPlainReadsAreAskedInProcess(t *testing.T) {
	t.Parallel()
	r := reading(t, everyFeature())
	for _, path := range []string{
		"/written", "/hidden/{id}", "/secret/{id}", "/person/{id}", "/raw", "/open/{id}", "/nowhere", "", "/things/" + someID,
	} {
		err := r.Get(as(access.All), path, url.Values{"id": {someID}}, new(any))
		require.ErrorIs(t, err, ErrNotReadable, path)
		_, _, err = r.Needs(path)
		require.ErrorIs(t, err, ErrNotReadable, path)
	}
	one, also, err := r.Needs("/also/{id}")
	require.NoError(t, err)
	require.Equal(t, []access.Key{"things.view"}, one)
	require.Equal(t, []access.Key{"also"}, also)
	require.Error(t, NewReader().Get(as(access.All), "/things/{id}", nil, new(any)), "no server yet")
}

// What a read refuses it refuses as it does over the network: parameters, ids, the license, the handler's own faults.
func TestAReadIsRefusedAsARequestIs(t *testing.T) {
	t.Parallel()
	blocked := reading(t, entitlement.Fixed{State: entitlement.Active})
	r := reading(t, everyFeature())
	for name, test := range map[string]struct {
		of     *Reader
		path   string
		values url.Values
		status int
		code   string
	}{
		"unknown parameter": {r, "/things/{id}", url.Values{"id": {someID}, "zz": {"1"}}, 400, "bad_parameter"},
		"long parameter":    {r, "/things/{id}", url.Values{"id": {someID}, "q": {"abcdef"}}, 400, "bad_parameter"},
		"no id":             {r, "/things/{id}", url.Values{"id": {"../written"}}, 404, "not_found"},
		"gone":              {r, "/missing/{id}", url.Values{"id": {someID}}, 404, "not_found"},
		"not in the plan":   {blocked, "/gated/{id}", url.Values{"id": {someID}}, 403, "license_feature_blocked"},
	} {
		var refused *ReadError
		require.ErrorAs(t, test.of.Get(as(access.All), test.path, test.values, new(any)), &refused, name)
		require.Equal(t, test.status, refused.Status, name)
		require.Equal(t, test.code, refused.Code, name)
	}
}

// The hidden operations are described apart, with all that they use and nothing else.
func TestHiddenOperationsAreDescribedApart(t *testing.T) {
	t.Parallel()
	r := reading(t, everyFeature())
	open, err := r.server.Describe()
	require.NoError(t, err)
	require.NotContains(t, string(open), "/hidden/")
	hidden, err := r.server.DescribeHidden()
	require.NoError(t, err)
	require.Contains(t, string(hidden), `"/hidden/{id}"`)
	require.NotContains(t, string(hidden), `"/things/{id}"`)
}
