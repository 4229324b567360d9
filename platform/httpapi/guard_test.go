package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

// callers knows session tokens and agent tokens by heart.
type callers map[string]access.Caller

func (c callers) Authenticate(_ context.Context, token string) (access.Caller, error) {
	if caller, known := c[token]; known && caller.Kind == access.Admin {
		return caller, nil
	}
	return access.Caller{}, fault.Unauthenticated("session_expired", "sign in again")
}

func (c callers) Recognise(ctx context.Context, token string) (access.Caller, error) {
	return c.Authenticate(ctx, token)
}

func (c callers) AuthenticateAgent(_ context.Context, token string) (access.Caller, error) {
	if caller, known := c[token]; known && caller.Kind == access.Node {
		return caller, nil
	}
	return access.Caller{}, fault.Unauthenticated("agent_token_invalid", "unknown")
}

// installation is how far the first one is.
type installation struct{ administrator, finished bool }

func (i *installation) Progress(context.Context) (administrator, finished bool, err error) {
	return i.administrator, i.finished, nil
}

// told are the refusals that the journal heard of.
type told struct {
	mu    sync.Mutex
	codes []string
}

func (d *told) Denied(_ context.Context, _ Operation, code string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.codes = append(d.codes, code)
}

// gate is a server with an operation of every access behind the whole guard.
type gate struct {
	t       *testing.T
	server  *Server
	license *entitlement.Fixed
	setup   *installation
	told    *told
}

type idPath struct {
	ID string `path:"id"`
}

func noted[I any](context.Context, *I) (*spoken, error) { return saying("done"), nil }

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{t: t, license: &entitlement.Fixed{State: entitlement.Active}, setup: &installation{}, told: &told{}}
	known := callers{
		"viewer": {Kind: access.Admin, Permissions: access.Set{"notes.view"}},
		"editor": {Kind: access.Admin, Permissions: access.Set{"notes.*"}},
		"script": {Kind: access.Admin, Permissions: access.Set{"*"}, TokenID: "7"},
		"fresh":  {Kind: access.Admin, Permissions: access.Set{"*"}, MustChangePassword: true},
		"agent":  {Kind: access.Node, NodeID: "7"},
	}
	open := BodyLimit(SmallBodyLimit)
	routes := append(Under("/notes", "notes",
		Get("", "List", access.Needs("notes.view"), noted[struct{}], UngatedReads()),
		Post("", "Add", access.Needs("notes.edit"), noted[named]),
		Get("/{id}", "Show", access.Needs("notes.view"), noted[idPath]),
		Post("/ending", "End", access.Needs("notes.edit"), noted[struct{}], WhileDegraded()),
	), Post("/tokens", "Give access", access.Session(), noted[struct{}], SignedIn(), Anew()),
		Post("/password", "Choose", access.Session(), noted[struct{}], BeforePasswordChange()),
		Post("/agent", "Report", access.Agent(), noted[struct{}]),
		Post("/setup/first", "Begin", access.FirstAdmin(access.PublicLimit), noted[struct{}], open),
		Post("/setup/step", "Go on", access.Setup("notes.edit"), noted[struct{}], open),
		Post("/setup/signed", "Go on", access.SetupSession("notes.edit"), noted[struct{}], open))
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), Streams: NewStreams(), Sessions: known, Agents: known, Installation: g.setup,
		License: g, Denials: g.told, Permissions: []access.Permission{{Key: "notes.view"}, {Key: "notes.edit"}},
	}, routes)
	require.NoError(t, err)
	g.server = s
	return g
}

// Current is the license at this moment.
func (g *gate) Current() entitlement.State { return g.license.Current() }

// says is the code of the refusal, or "done".
func (g *gate) says(method, path, token, body string) string {
	code, _ := g.answers(method, path, token, body)
	return code
}

func (g *gate) answers(method, path, token, body string) (code string, header http.Header) {
	g.t.Helper()
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := g.server.App().Test(request, -1)
	require.NoError(g.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(g.t, err)
	if strings.Contains(string(text), `"said":"done"`) {
		return "done", answer.Header
	}
	return between(string(text), `"code":"`, `"`), answer.Header
}

// The order of refusals is fixed: who it is, what he may, what the license allows, what the query and the path say,
// and only then the body. Whoever is turned away learns nothing of what would have come next.
func TestRefusalsComeInOneOrder(t *testing.T) {
	t.Parallel()
	const wrong = `{"name":7}`
	g := newGate(t)
	g.license.State = entitlement.Degraded
	require.Equal(t, "no_session", g.says("POST", "/notes?odd=1", "", wrong))
	require.Equal(t, "session_expired", g.says("POST", "/notes?odd=1", "unknown", wrong))
	require.Equal(t, "permission_denied", g.says("POST", "/notes?odd=1", "viewer", wrong))
	require.Equal(t, "license_read_only", g.says("POST", "/notes?odd=1", "editor", wrong))
	g.license.State = entitlement.Active
	require.Equal(t, "license_feature_blocked", g.says("POST", "/notes?odd=1", "editor", wrong))
	g.license.Enabled = []string{"notes"}
	require.Equal(t, "bad_parameter", g.says("POST", "/notes?odd=1", "editor", wrong))
	require.Equal(t, "bad_json", g.says("POST", "/notes", "editor", wrong))
	require.Equal(t, "done", g.says("POST", "/notes", "editor", `{"name":"x"}`))
	require.Equal(t, []string{
		"no_session", "session_expired", "permission_denied", "license_read_only", "license_feature_blocked",
	}, g.told.codes, "the journal hears of who lacked something, not of mistakes")
}

// In read-only mode everything can be read, and of what changes something only what is declared passes; agents are told
// when to come again.
func TestReadOnlyModeLetsReadsAndDeclaredActsPass(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.license.State = entitlement.Degraded
	require.Equal(t, "done", g.says("GET", "/notes", "viewer", ""))
	require.Equal(t, "done", g.says("GET", "/notes/01900000-0000-7000-8000-000000000000", "viewer", ""))
	require.Equal(t, "done", g.says("POST", "/notes/ending", "editor", ""))
	code, header := g.answers("POST", "/tokens", "editor", "")
	require.Equal(t, "license_read_only ", code+" "+header.Get("Retry-After"), "people are not told to come again")
	code, header = g.answers("POST", "/agent", "agent", "")
	require.Equal(t, "license_read_only 60", code+" "+header.Get("Retry-After"))
}

// A feature that is not in the plan is closed, but for the reads that its group leaves open.
func TestAFeatureOutsideThePlanIsClosed(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	require.Equal(t, "done", g.says("GET", "/notes", "viewer", ""))
	require.Equal(t, "license_feature_blocked",
		g.says("GET", "/notes/01900000-0000-7000-8000-000000000000", "viewer", ""))
	require.Equal(t, "license_feature_blocked", g.says("POST", "/notes/ending", "editor", ""))
	g.license.Enabled = []string{"notes"}
	require.Equal(t, "done", g.says("POST", "/notes/ending", "editor", ""))
}

// An API token makes no other access, whatever it may do; an account with a password of somebody else's choice first
// chooses its own; and tokens of one sort open nothing of the other.
func TestEachSortOfCallerHasItsOwnOperations(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	require.Equal(t, "session_required", g.says("POST", "/tokens", "script", ""))
	require.Equal(t, "done", g.says("POST", "/tokens", "viewer", ""))
	require.Equal(t, "password_change_required", g.says("GET", "/notes", "fresh", ""))
	require.Equal(t, "done", g.says("POST", "/password", "fresh", ""))
	require.Equal(t, "agent_token_invalid", g.says("POST", "/agent", "editor", ""))
	require.Equal(t, "agent_token_invalid", g.says("POST", "/agent", "", ""))
	require.Equal(t, "session_expired", g.says("GET", "/notes", "agent", ""))
	require.Equal(t, "done", g.says("POST", "/agent", "agent", ""))
}

// A malformed id is answered like an unknown one, so that nobody learns more by asking.
func TestAMalformedIDIsAnUnknownOne(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.license.Enabled = []string{"notes"}
	for _, id := range []string{
		"7", "01900000-0000-7000-8000-00000000000", "01900000-0000-7000-8000-00000000000g",
		"{01900000-0000-7000-8000-000000000000}", "01900000000070008000000000000000", "%27or%271",
	} {
		require.Equal(t, "not_found", g.says("GET", "/notes/"+id, "viewer", ""), id)
	}
	require.Equal(t, "done", g.says("GET", "/notes/01900000-0000-7000-8000-000000000000", "viewer", ""))
}

// The first installation is open to anybody until there is an administrator, then his, and then closed for ever.
func TestTheInstallationCloses(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	says := func(path, token string) string { return g.says("POST", "/setup/"+path, token, "") }
	require.Equal(t, "done", says("first", ""))
	require.Equal(t, "done", says("step", ""))
	require.Equal(t, "no_session", says("signed", ""), "this step is never open to anybody")
	g.setup.administrator = true
	require.Equal(t, "setup_closed", says("first", ""))
	require.Equal(t, "no_session", says("step", ""))
	require.Equal(t, "permission_denied", says("step", "viewer"))
	require.Equal(t, "done", says("step", "editor"))
	g.setup.finished = true
	for _, path := range []string{"first", "step", "signed"} {
		require.Equal(t, "setup_closed", says(path, "editor"), path)
	}
}
