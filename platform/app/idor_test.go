package app_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

// estate is two administrators with two of each object: what belongs to the first is at place 0, to the second at 1.
type estate struct {
	*matrix
	admins  [2]*paneltest.Client
	agents  [2]string
	objects map[string][2]string // by the word that stands before the identifier in a path
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	return newEstateOn(t, newMatrix(t, newOutside(t)))
}

func newEstateOn(t *testing.T, m *matrix) *estate {
	t.Helper()
	e := &estate{matrix: m, objects: map[string][2]string{}}
	for i, name := range []string{"one", "two"} {
		e.admins[i], e.agents[i] = e.Admin(), e.Enroll(name).Token
		e.owns(i, "accounts", e.admins[i].AccountID)
		e.owns(i, "sessions", e.ask(i, http.MethodGet, "/api/v1/auth/me", "")["session"].(map[string]any)["id"])
		e.owns(i, "tokens", e.token(e.admins[i].AccountID))
		e.owns(i, "passkeys", e.passkey(e.admins[i].AccountID))
		e.owns(i, "enrollment-tokens", e.ask(i, http.MethodPost, "/api/v1/nodes/enrollment-tokens", "{}")["id"])
		e.node(i, name)
	}
	for i, name := range []string{"one", "two"} {
		e.flow(i, name)
		e.targetSearch(i)
	}
	return e
}

// targetSearch is a search that has found two targets.
func (e *estate) targetSearch(i int) {
	e.t.Helper()
	id, node := database.NewID(), e.objects["nodes"][i]
	e.write(`insert into target_searches (id, node_id, node_name, mode, targets, total, concurrency, timeout_s, state, reason,
			scanned, found, command_id, account_id, started_by, created_at, ends_by, ended_at)
		values (?, ?, 'n', 'host_list', '[]', 2, 16, 10, 'done', '', 2, 2, ?, ?, 'a', now(), now(), now())`,
		id, node, database.NewID(), e.admins[i].AccountID)
	for number := range 2 {
		e.write(`insert into target_results (id, search_id, number, node_id, target, server_name, finding, suitability, score,
				latency_ms, reasons, checked_at, valid_until)
			values (?, ?, ?, ?, 't', 't', '{}', 'suitable', 90, 5, '[]', now(), now())`, database.NewID(), id, number, node)
	}
	e.owns(i, "target-search", id)
}

func (e *estate) owns(i int, word string, id any) {
	e.t.Helper()
	pair := e.objects[word]
	text, ok := id.(string)
	require.True(e.t, ok && text != "", "no identifier of %s: %v", word, id)
	pair[i] = text
	e.objects[word] = pair
}

// ask sends as one of the administrators and demands success.
func (e *estate) ask(i int, method, path, body string) map[string]any {
	e.t.Helper()
	got := e.wire.send(call{method: method, path: path, headers: bearer(e.admins[i].Token), body: body})
	require.Less(e.t, got.status, 300, "%s %s: %s", method, path, got.body)
	return decoded(e.t, got.body)
}

func (e *estate) token(account string) string {
	id := database.NewID()
	e.write(`insert into api_tokens (id, account_id, name, token_hash, permissions, created_at, expires_at)
		values (?, ?, 'key', ?, '{}', now(), now() + interval '1 day')`, id, account, []byte(id))
	return id
}

func (e *estate) passkey(account string) string {
	id := database.NewID()
	e.write(`insert into passkeys (id, account_id, name, credential_id, credential, created_at) values (?, ?, 'key', ?, '{}', now())`,
		id, account, []byte(id))
	return id
}

// node is an enrolled one whose agent is there and has a command to do.
func (e *estate) node(i int, name string) {
	beat := `{"protocol":1,"agent_version":"1.0.0","os":"linux","arch":"amd64","hostname":"` + name + `","session_id":"s",
		"capabilities":["apply_config","probe","stream"],"core":{"kind":"xray","version":"26.3.27","state":"running"}}`
	got := e.wire.send(call{
		method: http.MethodPost, path: "/agent/v1/heartbeat", headers: bearer(e.agents[i]),
		body: beat,
	})
	require.Equal(e.t, http.StatusOK, got.status, got.body)
	for _, each := range e.ask(i, http.MethodGet, "/api/v1/nodes?limit=200", "")["items"].([]any) {
		if node := each.(map[string]any); node["name"] == name {
			e.owns(i, "nodes", node["id"])
		}
	}
	order := "/api/v1/nodes/" + e.objects["nodes"][i] + "/restart-core"
	require.Eventually(e.t, func() bool {
		got := e.wire.send(call{method: http.MethodPost, path: order, headers: bearer(e.admins[i].Token), body: "{}"})
		if got.status == http.StatusAccepted {
			e.owns(i, "operations", decoded(e.t, got.body)["id"])
			e.owns(i, "commands", decoded(e.t, got.body)["id"])
		}
		return got.status == http.StatusAccepted
	}, eventuallyWithin, eventuallyEvery, "the node comes online")
	binding := `{"node_id":"` + e.objects["nodes"][0] + `","zone":"` + name + `.example","label":"in"}`
	e.owns(i, "node-domains", e.ask(i, http.MethodPost, "/api/v1/node-domains", binding)["id"])
}

// flow has a client, a version and a plan.
func (e *estate) flow(i int, name string) {
	flow := e.ask(i, http.MethodPost, "/api/v1/connection-units", `{"name":"flow `+name+`","graph":`+e.drawing("")+`}`)
	e.owns(i, "connection-units", flow["id"])
	path := "/api/v1/connection-units/" + e.objects["connection-units"][i]
	e.owns(i, "clients", e.ask(i, http.MethodPost, path+"/clients", `{"label":"phone"}`)["id"])
	e.owns(i, "versions", e.ask(i, http.MethodPost, path+"/versions", `{"note":"kept"}`)["id"])
	e.owns(i, "plans", e.ask(i, http.MethodPost, path+"/plan/compile", "{}")["id"])
}

func (e *estate) drawing(domain string) string {
	if domain != "" {
		domain = `"node_domain_id":"` + domain + `",`
	}
	return `{"nodes":[{"key":"in","kind":"entry",` + domain + `"node_id":"` + e.objects["nodes"][0] + `","params":{"listener":{"protocol":"vless","port":443,
		"reality":{"target":"www.example.org:443"}}}},{"key":"out","kind":"exit","node_id":"` + e.objects["nodes"][1] + `"}],"edges":[{"from":"in","to":"out"}]}`
}

// words are what stands before each identifier of a path.
func (p policy) words() []string {
	var found []string
	parts := strings.Split(p.path, "/")
	for i, part := range parts {
		if part == "{id}" || strings.HasSuffix(part, "_id}") || part == "{category}" {
			found = append(found, parts[i-1])
		}
	}
	return found
}

// with fills the identifiers in, one after another.
func (p policy) with(ids ...string) string {
	path := p.path
	for _, id := range ids {
		before, rest, found := strings.Cut(path, "{")
		if !found {
			break
		}
		_, after, _ := strings.Cut(rest, "}")
		path = before + id + after
	}
	return path
}

// A child is found only below its own parent: the plan of one flow is unknown to another, and so on for every pair.
func TestAChildOfAnotherParentIsUnknown(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	before, tried := e.picture(), 0
	for name, line := range policies(t) {
		words := line.words()
		if len(words) != 2 || e.objects[words[0]][0] == "" || e.objects[words[1]][0] == "" {
			continue
		}
		for i := range 2 {
			tried++
			path := line.with(e.objects[words[0]][i], e.objects[words[1]][1-i])
			got := e.wire.send(call{method: line.method, path: path, headers: bearer(e.admins[i].Token), body: "{}"})
			require.Equal(t, verdict{http.StatusNotFound, "not_found"}, verdict{got.status, got.code}, "%s: %s", name,
				got.body)
		}
	}
	require.GreaterOrEqual(t, tried, 14, "accounts' sessions, nodes' operations, flows' clients, versions and plans")
	require.Equal(t, before, e.picture())
}

// An identifier of any other kind of object is unknown, whatever operation it is given to, also in a request that is
// right in everything else. Specification, Errors: 404 is an unknown identifier.
func TestAnIdentifierOfAnotherKindIsUnknown(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	known, related := e.described(), sameObjects(t)
	before, tried := e.picture(), 0
	for name, line := range policies(t) {
		words := line.words()
		if len(words) == 0 || line.access != "session" && line.access != "agent" {
			continue
		}
		_, needed := known.queries(t, line)
		for _, strange := range slices.Sorted(maps.Keys(e.objects)) {
			if related(words[len(words)-1], strange) {
				continue
			}
			ids := make([]string, len(words))
			for i, word := range words {
				ids[i] = e.objects[word][0]
			}
			ids[len(ids)-1] = e.objects[strange][1]
			got := e.wire.send(call{
				method: line.method, path: line.with(ids...) + "?" + needed.Encode(), headers: e.headers(known, line),
				body: known.request(t, line),
			})
			require.Equal(t, verdict{http.StatusNotFound, "not_found"}, verdict{got.status, got.code},
				"%s with an id of %s: %s", name, strange, got.body)
			tried++
		}
	}
	require.GreaterOrEqual(t, tried, 400, "some fifty operations with the identifiers of a dozen kinds")
	require.Equal(t, before, e.picture())
}

// sameObjects tells whether two words of paths stand before identifiers of the same thing, by
// testdata/same_objects.csv.
func sameObjects(t *testing.T) func(a, b string) bool {
	t.Helper()
	var groups [][]string
	for _, row := range reviewed(t, "testdata/same_objects.csv") {
		groups = append(groups, strings.Fields(row[0]))
	}
	return func(a, b string) bool {
		return a == b || slices.ContainsFunc(groups, func(same []string) bool {
			return slices.Contains(same, a) && slices.Contains(same, b)
		})
	}
}

// What is an administrator's own is unknown to another one: sessions and passkeys of /api/v1/auth even to full access,
// domain bindings in a path to everybody but full access, which hands over and removes what others leave behind. The
// answer is that of an identifier that never was.
func TestWhatIsAnothersOwnIsUnknown(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	operator := e.As("nodes.*")
	before := e.picture()
	for name, line := range policies(t) {
		words := line.words()
		caller, own := e.admins[0], strings.HasPrefix(line.path, "/api/v1/auth/")
		if strings.HasPrefix(line.path, "/api/v1/node-domains/") {
			caller, own = operator, true
		}
		if len(words) != 1 || !own {
			continue
		}
		e.alike(t, name, func(id string) call {
			return call{method: line.method, path: line.with(id), headers: bearer(caller.Token), body: `{"revision":1}`}
		}, e.objects[words[0]][1])
	}
	require.Equal(t, before, e.picture())
}

// Specification, Flow: "A binding that belongs to someone else is rejected", as an unknown one, also for full access.
func TestAnothersBindingInABodyIsUnknown(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	save := func(binding string) call {
		return call{
			method: http.MethodPut, path: "/api/v1/connection-units/" + e.objects["connection-units"][0] + "/draft",
			headers: bearer(e.admins[0].Token), body: `{"revision":1,"graph":` + e.drawing(binding) + `}`,
		}
	}
	e.alike(t, "draft", save, e.objects["node-domains"][1])
	foreign := e.wire.send(save(e.objects["node-domains"][1]))
	require.Equal(t, http.StatusUnprocessableEntity, foreign.status, foreign.body)
	require.Contains(t, foreign.body, "node_domain_unknown")
	own := e.wire.send(save(e.objects["node-domains"][0]))
	require.Equal(t, http.StatusOK, own.status, own.body)
}

// alike requires that the other's identifier and one that never was get the same answer.
func (e *estate) alike(t *testing.T, name string, request func(id string) call, others string) {
	t.Helper()
	foreign, never := e.wire.send(request(others)), e.wire.send(request(database.NewID()))
	require.GreaterOrEqual(t, foreign.status, http.StatusBadRequest, "%s: %s", name, foreign.body)
	require.Equal(t, anonymous(t, never.body), anonymous(t, foreign.body), name)
}

// anonymous is a problem without the number of its request.
func anonymous(t *testing.T, body string) map[string]any {
	members := decoded(t, body)
	delete(members, "request_id")
	return members
}

// Agent A can neither read nor write what is node B's: a body or path that names B changes nothing of it.
func TestAnAgentReachesNoOtherNode(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	before := e.ofNode(1)
	b := e.objects["nodes"][1]
	for name, line := range policies(t) {
		if line.access != "agent" || line.method == http.MethodGet || strings.HasSuffix(line.path, "/token") {
			continue
		}
		body := `{"id":"` + e.objects["commands"][1] + `","node_id":"` + b + `","ok":true,"revision":1,"protocol":1,"session_id":"s","seq":1,
			"samples":[],"results":[{"id":"` + e.objects["commands"][1] + `","ok":true}]}`
		got := e.wire.send(call{
			method: line.method, path: line.with(e.objects["commands"][1]),
			headers: bearer(e.agents[0]), body: body,
		})
		require.Less(t, got.status, http.StatusInternalServerError, name)
		if strings.Contains(line.path, "/commands/") {
			require.Equal(t, verdict{http.StatusNotFound, "not_found"}, verdict{got.status, got.code}, name)
		}
	}
	waiting := e.wire.send(call{method: http.MethodGet, path: "/agent/v1/commands?node_id=" +
		b, headers: bearer(e.agents[0])})
	require.NotContains(t, waiting.body, e.objects["commands"][1])
	require.Contains(t, waiting.body, e.objects["commands"][0])
	require.Equal(t, before, e.ofNode(1))
}

// ofNode is everything that the database holds of one node.
func (e *estate) ofNode(i int) map[string]string {
	e.t.Helper()
	var tables []string
	require.NoError(e.t, e.DB.NewRaw(`select distinct c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'node_id'`).Scan(e.t.Context(), &tables))
	found, content := map[string]string{}, contentOf(e.t)
	for _, table := range tables {
		if content[table] != "" {
			found[table] = e.sum(table, content[table])
			continue
		}
		var content string
		require.NoError(e.t, e.DB.NewRaw("select coalesce(string_agg(t::text, '|' order by t::text), '') from "+table+" t where node_id::text = ?",
			e.objects["nodes"][i]).Scan(e.t.Context(), &content), table)
		found[table] = content
	}
	return found
}
