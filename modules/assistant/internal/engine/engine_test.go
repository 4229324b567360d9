package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/httpapi"
)

// panel answers reads with documents by their path.
type panel map[string]string

// Get gives the document of a path; a text that is no document is the code of a refusal.
func (p panel) Get(_ context.Context, path string, _ url.Values, into any) error {
	text, known := p[path]
	switch {
	case !known:
		return httpapi.ErrNotReadable
	case !strings.HasPrefix(text, "{"):
		return &httpapi.ReadError{Status: 403, Code: "permission_denied", Missing: []string{text}}
	}
	return json.Unmarshal([]byte(text), into)
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func respond(t *testing.T, p Reader, text, language string) (Answer, []Proposal) {
	t.Helper()
	answer, offers, err := Respond(t.Context(), p, Ask{Text: text, Language: language, Page: "/", Now: noon})
	require.NoError(t, err)
	return answer, offers
}

// Every question that is suggested is understood, in both languages and on every page, so that nobody is led astray.
func TestSuggestionsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "ru"} {
		for _, page := range []string{"/", "/flows/x", "/nodes/x", "/notifications/settings", "/diagnostics", "/elsewhere"} {
			for _, text := range Suggestions(language, page) {
				one := &talk{ask: Ask{Text: text, Language: language, Page: page}, words: read(text)}
				require.NotNil(t, one.choose(), text)
			}
		}
	}
}

// Every sentence of an answer is in the language of the question.
func TestAnswersAreInTheLanguageOfTheQuestion(t *testing.T) {
	t.Parallel()
	p := panel{"/api/v1/system/automation": `{"stopped":true,"by":"x","reason":"y"}`}
	english, _ := respond(t, p, "Автоматика остановлена?", "en")
	require.Contains(t, english.Paragraphs[0].Text, "Automatic acts are stopped")
	russian, _ := respond(t, p, "Is the automation stopped?", "ru")
	require.Contains(t, russian.Paragraphs[0].Text, "Автоматика остановлена")
}

// A read that is refused names the permission and is listed; a part that this panel does not have is said.
func TestRefusalsAreTold(t *testing.T) {
	t.Parallel()
	refused, _ := respond(t, panel{"/api/v1/nodes": "nodes.view"}, "Which nodes are offline?", "en")
	require.Contains(t, refused.Paragraphs[0].Text, "nodes.view")
	require.Equal(t, Read{Path: "/api/v1/nodes?limit=10&state=offline", At: noon, Missing: []string{"nodes.view"}},
		refused.Read[0])
	absent, _ := respond(t, panel{}, "Which nodes are offline?", "en")
	require.Contains(t, absent.Paragraphs[0].Text, "no such part")
	broken := failing{errors.New("the database is gone")}
	_, _, err := Respond(t.Context(), broken, Ask{Text: "Which nodes are offline?", Language: "en", Now: noon})
	require.ErrorIs(t, err, broken.error, "a failure of the panel is no answer")
}

type failing struct{ error }

func (f failing) Get(context.Context, string, url.Values, any) error { return f.error }

// A word that the engine does not know makes a question one that it does not answer.
func TestAnUnknownWordIsNotPassedOver(t *testing.T) {
	t.Parallel()
	p := panel{"/api/v1/nodes": `{"items":[],"total":0}`}
	plain, _ := respond(t, p, "Which nodes are offline?", "en")
	require.True(t, plain.Understood)
	for _, text := range []string{"Which nodes are offline in Spain?", "Which blue nodes are offline?", "nodes offline tomorrow"} {
		answer, _ := respond(t, p, text, "en")
		require.False(t, answer.Understood, text)
		require.NotEmpty(t, answer.Suggestions)
	}
}

// Names may stand in any quotes, and be of several words.
func TestNamesAreReadInQuotes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`use "My Node"`, "use «My Node»", "use “My Node”", "use `My Node`", `use "My Node`} {
		words := read(text)
		require.Equal(t, "my node", words[1].text, text)
		require.True(t, words[1].quoted, text)
	}
	require.Empty(t, read(" ?! ... "))
}

// Proposals are requests that the person's browser sends; none has another method or path than the ordinary API.
func TestProposalsAreRequestsOfTheOrdinaryAPI(t *testing.T) {
	t.Parallel()
	const id = "01900000-0000-7000-8000-000000000000"
	one := `{"id":"` + id + `","name":"x","state":"online","enabled":true,"draft_revision":3,"draft_changes":2}`
	p := panel{
		"/api/v1/nodes": `{"items":[` + one + `],"total":1}`, "/api/v1/nodes/{id}": one,
		"/api/v1/connection-units": `{"items":[` + one + `],"total":1}`, "/api/v1/connection-units/{id}": one,
		"/api/v1/backups/profiles": `{"items":[` + one + `],"total":1}`,
	}
	for text, want := range map[string]string{
		"Put x into maintenance": "POST /api/v1/nodes/" + id + "/maintenance", "Make a backup": "POST /api/v1/backups/runs",
		"Turn off x": "POST /api/v1/connection-units/" + id + "/disable", "Stop the automation": "POST /api/v1/system/automation/stop",
		"Plan flow x": "POST /api/v1/connection-units/" + id + "/plan/preview",
	} {
		answer, offers := respond(t, p, text, "en")
		require.True(t, answer.Understood, text)
		require.Len(t, offers, 1, text)
		require.Equal(t, want, offers[0].Request.Method+" "+offers[0].Request.Path)
		require.NotEmpty(t, offers[0].Diff)
		require.Contains(t, []string{Draft, Plan, Form}, offers[0].Kind)
		require.NotEmpty(t, offers[0].Needs)
	}
	already, offers := respond(t, p, "End the maintenance of x", "en")
	require.Empty(t, offers)
	require.Contains(t, already.Paragraphs[0].Text, "already")
}

// A node is replaced in the draft of the page's flow and nowhere else in it.
func TestReplacingANodeProposesADraft(t *testing.T) {
	t.Parallel()
	p := panel{
		"/api/v1/nodes":                       `{"items":[{"id":"1","name":"old"},{"id":"2","name":"new-1"}],"total":2}`,
		"/api/v1/connection-units/{id}":       `{"id":"f","name":"flow"}`,
		"/api/v1/connection-units/{id}/draft": `{"revision":4,"graph":{"nodes":[{"key":"in","node_id":"1"},{"key":"out","node_id":"3"}],"edges":[]}}`,
	}
	answer, offers, err := Respond(t.Context(), p, Ask{Text: "Replace old by new-1", Language: "en", Page: "/flows/f", Now: noon})
	require.NoError(t, err)
	require.True(t, answer.Understood)
	require.Len(t, offers, 1)
	require.Equal(t, Draft, offers[0].Kind)
	require.Equal(t, []Diff{{Field: "in.node", From: "old", To: "new-1"}}, offers[0].Diff)
	require.JSONEq(t, `{"revision":4,"graph":{"nodes":[{"key":"in","node_id":"2"},{"key":"out","node_id":"3"}],"edges":[]}}`,
		string(offers[0].Request.Body))
}

// Each tool of a model is a topic of the engine, with a schema that takes nothing else, and refuses what it does not
// know.
func TestToolsAreTopics(t *testing.T) {
	t.Parallel()
	known := []string{"code"}
	for _, one := range topics() {
		known = append(known, one.name)
	}
	for _, tool := range Tools() {
		require.Contains(t, known, tool.Name)
		var schema struct {
			Properties           map[string]any
			AdditionalProperties bool
		}
		require.NoError(t, json.Unmarshal(tool.Schema(), &schema))
		require.False(t, schema.AdditionalProperties)
		require.Len(t, schema.Properties, len(tool.Args))
		ask := Ask{Language: "en", Now: noon}
		for _, arguments := range []string{`{"x":"y"}`, `[]`, `{"subject":1}`, `nonsense`, `{"subject":"` + strings.Repeat("x", 101) + `"}`} {
			_, err := Call(t.Context(), panel{}, ask, tool.Name, arguments)
			require.ErrorIs(t, err, ErrBadArgs, "%s %s", tool.Name, arguments)
		}
		_, err := Call(t.Context(), panel{}, ask, tool.Name, "")
		require.NoError(t, err, tool.Name)
	}
	_, err := Call(t.Context(), panel{}, Ask{}, "confirm", "{}")
	require.ErrorIs(t, err, ErrNoTool)
}

// What a model is told holds no names of clients and no addresses.
func TestAModelIsToldMaskedData(t *testing.T) {
	t.Parallel()
	p := panel{"/api/v1/audit": `{"items":[{"at":"2026-11-20T10:00:00Z","actor":{"kind":"admin","name":"eve 10.0.0.9"},
		"action":"client.created","object":{"type":"client","id":"1","name":"Ivan Petrov"},"changes":{}}],"total":1}`}
	result, err := Call(t.Context(), p, Ask{Language: "en", Now: noon}, "who_changed", `{"period":"today"}`)
	require.NoError(t, err)
	require.Contains(t, result.Text(), "client.created")
	require.NotContains(t, result.Text(), "Ivan")
	require.NotContains(t, result.Text(), "10.0.0.9")
}

// Whatever is asked, the engine answers or says that it does not know; it never proposes what was not asked for.
func FuzzRespond(f *testing.F) {
	for _, text := range []string{"Which nodes are offline?", "Почему этот поток выходит через ams-2?", "\"", "___", "a.b:c/d"} {
		f.Add(text, "/flows/x")
	}
	p := panel{"/api/v1/nodes": `{"items":[],"total":0}`}
	f.Fuzz(func(t *testing.T, text, page string) {
		answer, _, err := Respond(t.Context(), p, Ask{Text: text, Language: "ru", Page: page, Now: noon})
		require.NoError(t, err)
		require.NotNil(t, answer.Paragraphs)
		require.LessOrEqual(t, len(answer.Read), 40)
		require.False(t, slices.ContainsFunc(answer.Paragraphs, func(p Paragraph) bool { return p.Links == nil }))
	})
}
