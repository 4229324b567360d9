package httpapi

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
)

// described is the description of the operations as a tree.
func described(t *testing.T, routes ...Operation) map[string]any {
	t.Helper()
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active}, Streams: NewStreams(),
		Permissions: []access.Permission{{Key: "notes.view"}, {Key: "notes.edit"}}, Version: "1.2.3",
	}, routes)
	require.NoError(t, err)
	text, err := s.Describe()
	require.NoError(t, err)
	again, err := s.Describe()
	require.NoError(t, err)
	require.Equal(t, string(text), string(again), "the file changes only with the API")
	var tree map[string]any
	require.NoError(t, json.Unmarshal(text, &tree))
	return tree
}

// member follows a path of names through a tree.
func member(tree any, path ...string) any {
	for _, name := range path {
		object, _ := tree.(map[string]any)
		tree = object[name]
	}
	return tree
}

// statusesIn are the answers that an operation is described with.
func statusesIn(operation any) (list []string) {
	answers, _ := member(operation, "responses").(map[string]any)
	for status := range answers {
		list = append(list, status)
	}
	return list
}

// The description says who may call an operation, what opens it and how it may be refused, so that nobody has to try.
func TestTheDescriptionSaysWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	owned := func(o *Operation) { o.Owner = "notes" }
	tree := described(t,
		Get("/notes", "List", access.Needs("notes.view"), noted[struct{}], Feature("notes"), owned),
		Post("/notes/{id}/end", "End", access.Needs("notes.edit"), noted[idPath], WhileDegraded(), SignedIn(), owned),
		Get("/open", "Show", access.Throttled(access.PublicLimit), noted[struct{}], owned),
		Post("/report", "Report", access.Agent(), noted[struct{}], owned),
		Get("/hidden", "Hide", access.Session(), noted[struct{}], Hidden(), owned),
	)
	list, end := member(tree, "paths", "/notes", "get"), member(tree, "paths", "/notes/{id}/end", "post")
	require.Equal(t, []any{"notes.view"}, member(list, "x-permission"))
	require.Equal(t, "notes", member(list, "x-license-feature"))
	require.Equal(t, []any{map[string]any{"session": []any{}}}, member(list, "security"))
	require.Equal(t, []any{true, true}, []any{member(end, "x-signed-in"), member(end, "x-while-degraded")})
	require.Contains(t, statusesIn(end), "404", "its path holds an id")
	require.Contains(t, statusesIn(end), "409")
	require.NotContains(t, statusesIn(list), "409", "a read changes nothing")
	open, report := member(tree, "paths", "/open", "get"), member(tree, "paths", "/report", "post")
	require.Nil(t, member(open, "security"))
	require.Contains(t, statusesIn(open), "429")
	require.NotContains(t, statusesIn(open), "401")
	require.Equal(t, []any{map[string]any{"agent": []any{}}}, member(report, "security"))
	require.Nil(t, member(tree, "paths", "/hidden"))
	require.Equal(t, "1.2.3", member(tree, "info", "version"))
}

// A POST that can be repeated says which header makes it safe; what answers once and what agents send does not.
func TestTheDescriptionNamesTheKeyOfARepeatedRequest(t *testing.T) {
	t.Parallel()
	tree := described(t, Post("/add", "Add", access.Session(), noted[named]),
		Post("/once", "Show once", access.Session(), noted[named], Anew()),
		Post("/report", "Report", access.Agent(), noted[named]))
	keyed := func(path string) bool {
		parameters, _ := member(tree, "paths", path, "post", "parameters").([]any)
		for _, one := range parameters {
			if member(one, "name") == idempotencyKey && member(one, "in") == "header" {
				return true
			}
		}
		return false
	}
	require.Equal(t, []bool{true, false, false}, []bool{keyed("/add"), keyed("/once"), keyed("/report")})
}

type pieceOfNote struct {
	Size int `json:"size"`
}

type reportInput struct {
	Body struct {
		Name   string        `json:"name"`
		Pieces []pieceOfNote `json:"pieces"`
	}
}

// What programs of other versions call is described as it is taken: without required fields and with unknown ones, at
// every depth.
func TestALenientBodyIsDescribedAsItIsTaken(t *testing.T) {
	t.Parallel()
	body := func(opts ...Option) map[string]any {
		tree := described(t, Post("/report", "Report", access.Agent(), noted[reportInput], opts...))
		schemas, _ := member(tree, "components", "schemas").(map[string]any)
		return schemas
	}
	strict, lenient := 0, 0
	for name, schema := range body() {
		if name != "HttpapiProblem" && member(schema, "additionalProperties") == false {
			strict++
		}
	}
	for name, schema := range body(Lenient()) {
		if member(schema, "additionalProperties") == true {
			require.Nil(t, member(schema, "required"), name)
			lenient++
		}
	}
	require.Equal(t, 2, lenient, "the body and its pieces")
	require.GreaterOrEqual(t, strict, lenient)
}

// A list is always a list: the description never allows null in its place.
func TestAListIsDescribedWithoutNull(t *testing.T) {
	t.Parallel()
	tree := described(t, Get("/rows", "List", access.Session(), func(context.Context, *struct{}) (*rowsOutput, error) {
		return &rowsOutput{}, nil
	}))
	found := 0
	schemas, _ := member(tree, "components", "schemas").(map[string]any)
	for name, schema := range schemas {
		if items := member(schema, "properties", "items"); items != nil {
			require.Equal(t, "array", member(items, "type"), name)
			found++
		}
	}
	require.Equal(t, 1, found)
}
