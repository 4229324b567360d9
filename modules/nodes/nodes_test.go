package nodes

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

func TestANodeIsMadeChangedAndDeletedAndEachStepIsInTheJournal(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	made := admin.Post("/api/v1/nodes", map[string]any{
		"name": "Варшава 3", "address": "203.0.113.7", "tags": []string{"eu", "eu"}, "roles": []string{"exit"},
		"ips": []map[string]any{{"ip": "203.0.113.7", "family": 4, "role": "inbound"}},
	}).Is(http.StatusCreated)
	path := "/api/v1/nodes/" + made.Text("id")
	require.Equal(t, []any{"eu"}, made.Value("tags"))
	require.Equal(t, "never_enrolled", made.Text("agent.link"))
	admin.Patch(path, map[string]any{"note": "x"}).Refused(http.StatusBadRequest, "missing_field")
	changed := admin.Patch(path, map[string]any{"revision": 1, "note": "moved", "disabled": true}).Is(http.StatusOK)
	require.EqualValues(t, 2, changed.Value("revision"))
	require.Equal(t, "disabled", changed.Text("state"))
	admin.Patch(path, map[string]any{"revision": 1, "note": "late"}).Refused(http.StatusConflict, "revision_conflict")
	admin.Do(http.MethodPatch, path, map[string]any{"disabled": false}, "If-Match", `"2"`).Is(http.StatusOK)
	admin.Post("/api/v1/nodes", map[string]any{"name": "варшава 3"}).Refused(http.StatusConflict, "name_taken")
	admin.Delete(path).Is(http.StatusNoContent)
	admin.Get(path).Refused(http.StatusNotFound, "not_found")
	var actions []string
	require.NoError(t, p.DB.NewRaw("select action from journal where object_id = ? order by at, id",
		made.Text("id")).Scan(t.Context(), &actions))
	require.Equal(t, []string{"node.created", "node.updated", "node.updated", "node.deleted"}, actions)
}

// Bad input: 400 for form, 422 for rules, 404 for unknown ids; never a 5xx, never an echo of the value.
func TestBadInputOfAdministratorsIsRefusedAndNotEchoed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	unknownID := "0199a0de-0000-7000-8000-000000000009"
	for body, want := range map[string]int{
		`{"name":"abc","other":"canary"}`: http.StatusBadRequest,
		`{"name":7}`:                      http.StatusBadRequest,
		`{}`:                              http.StatusBadRequest,
		`{`:                               http.StatusBadRequest,
		`{"name":"ab"}`:                   http.StatusUnprocessableEntity,
		`{"name":"canary; rm"}`:           http.StatusUnprocessableEntity,
		`{"name":"can\u0000ary"}`:         http.StatusUnprocessableEntity,
		`{"name":"fine-name","address":"http://canary"}`:                           http.StatusUnprocessableEntity,
		`{"name":"fine-name","address":"0x7f.1"}`:                                  http.StatusUnprocessableEntity,
		`{"name":"fine-name","country_code":"canary"}`:                             http.StatusUnprocessableEntity,
		`{"name":"fine-name","roles":["canary"]}`:                                  http.StatusUnprocessableEntity,
		`{"name":"` + strings.Repeat("c", 65) + `"}`:                               http.StatusUnprocessableEntity,
		`{"name":"fine-name","note":"` + long(1001, "n") + `"}`:                    http.StatusUnprocessableEntity,
		`{"name":"fine-name","ips":[{"ip":"canary","family":4,"role":"inbound"}]}`: http.StatusUnprocessableEntity,
	} {
		answer := admin.Post("/api/v1/nodes", body)
		require.Equal(t, want, answer.Status, "%.80s: %s", body, answer.Body)
		require.NotContains(t, string(answer.Body), "canary\"")
		require.NotContains(t, string(answer.Body), "canary;")
	}
	for _, id := range []string{unknownID, "x", "..%2f..", url.PathEscape("' or 1=1")} {
		admin.Get("/api/v1/nodes/"+id).Refused(http.StatusNotFound, "not_found")
		admin.Patch("/api/v1/nodes/"+id, map[string]any{"revision": 1}).Refused(http.StatusNotFound, "not_found")
		admin.Delete("/api/v1/nodes/"+id).Refused(http.StatusNotFound, "not_found")
		admin.Post("/api/v1/nodes/"+id+"/agent-binding", map[string]any{}).Refused(http.StatusNotFound, "not_found")
	}
	for _, query := range []string{
		"limit=0", "limit=201", "limit=x", "cursor=canary", "sort=canary", "state=canary",
		"country=canary",
	} {
		answer := admin.Get("/api/v1/nodes?" + query)
		answer.Refused(http.StatusBadRequest, "bad_parameter")
		require.NotContains(t, string(answer.Body), "canary")
	}
	admin.Post("/api/v1/nodes/enrollment-tokens", map[string]any{"bind_node_id": unknownID}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

func long(n int, letter string) string { return strings.Repeat(letter, n) }

func fleetOf(t testing.TB, p *paneltest.Panel, n int) {
	t.Helper()
	_, err := p.DB.ExecContext(t.Context(), `insert into nodes (id, name, name_key, tags, country_code, agent_access, created_at, updated_at)
		select gen_random_uuid(), 'node-' || lpad(i::text, 5, '0'), 'node-' || lpad(i::text, 5, '0'), array['t' || i % 10], 'PL', 'granted', now() - i * interval '1 second', now()
		from generate_series(1, ?) i`, n)
	require.NoError(t, err)
	_, err = p.DB.ExecContext(t.Context(), `insert into node_reports (node_id, seen_at, core_state, report, metrics)
		select id, now() - (case when right(name, 1) = '7' then interval '1 hour' else interval '0' end), 'running',
			'{"agent_version":"1.0.0","core":{"kind":"xray"}}', jsonb_build_object('cpu_pct', right(name, 2)::int, 'observed_at', now()) from nodes;
		update node_readings m set seen_at = r.seen_at, cpu_pct = (r.metrics->>'cpu_pct')::float8 from node_reports r where r.node_id = m.node_id;
		update nodes set listed_state = case when right(name, 1) = '7' then 'offline' else 'online' end;
		analyze nodes; analyze node_reports; analyze node_readings;`)
	require.NoError(t, err)
}

func TestPagesOfEveryOrderCoverTheFleetOnceWithoutGaps(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	fleetOf(t, p, 130)
	admin := p.As("nodes.view")
	for sort := range (&store{}).orders() {
		for _, direction := range []string{"", "-"} {
			seen, cursor, pages := map[string]bool{}, "", 0
			for {
				var got struct {
					Items      []struct{ ID string }
					NextCursor *string `json:"next_cursor"`
					Total      int
				}
				admin.Get("/api/v1/nodes?limit=50&sort=" + direction + sort + "&cursor=" + cursor).Is(http.StatusOK).
					JSON(&got)
				require.Equal(t, 130, got.Total)
				for _, item := range got.Items {
					require.False(t, seen[item.ID], "a node appeared twice, sorted by %s", sort)
					seen[item.ID] = true
				}
				if pages++; got.NextCursor == nil {
					break
				}
				cursor = *got.NextCursor
			}
			require.Len(t, seen, 130, sort)
			require.Equal(t, 3, pages)
		}
	}
}

func TestTheListIsSortedByState(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	for name, disabled := range map[string]bool{"first": false, "second": true, "third": false} {
		node := admin.Post("/api/v1/nodes", map[string]any{"name": name}).Is(http.StatusCreated)
		admin.Patch("/api/v1/nodes/"+node.Text("id"), map[string]any{"revision": 1, "disabled": disabled}).
			Is(http.StatusOK)
	}
	sorted := func(by string) (states []string) {
		var got struct{ Items []struct{ State string } }
		admin.Get("/api/v1/nodes?sort=" + by).Is(http.StatusOK).JSON(&got)
		for _, node := range got.Items {
			states = append(states, node.State)
		}
		return states
	}
	require.Equal(t, []string{"disabled", "pending", "pending"}, sorted("state"))
	require.Equal(t, []string{"pending", "pending", "disabled"}, sorted("-state"))
}

func TestTheListIsFilteredInTheDatabase(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	fleetOf(t, p, 100)
	admin := p.As("nodes.view")
	for query, total := range map[string]int{
		"tag=t3": 10, "state=offline": 10, "state=online": 90, "state=online&tag=t7": 0, "country=PL": 100,
		"country=DE":  0,
		"q=node-0004": 10, "q=%25": 0, "q=T3": 10, "role=exit": 0,
	} {
		require.EqualValues(t, total, admin.Get("/api/v1/nodes?"+query).Is(http.StatusOK).Value("total"), query)
	}
	summary := admin.Get("/api/v1/nodes/summary").Is(http.StatusOK)
	require.EqualValues(t, 10, summary.Value("states.offline"))
	require.EqualValues(t, 100, summary.Value("total"))
}

// A picker finds nodes by what is typed, and a page names those that it shows, without reading them whole.
func TestNodesAreNamedInBrief(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	fleetOf(t, p, 100)
	admin := p.As("nodes.view")
	named := func(query string) (found []Brief) {
		var out Briefs
		admin.Get("/api/v1/nodes/brief?" + query).Is(http.StatusOK).JSON(&out)
		return out.Nodes
	}
	first := named("q=node-0004&limit=3")
	require.Len(t, first, 3)
	require.Equal(t, []string{"PL", first[0].Name}, []string{first[0].CountryCode, min(first[0].Name, first[1].Name)})
	require.Contains(t, []string{"online", "offline"}, first[0].State)
	require.Empty(t, named("q=%25"))
	ids := []string{first[2].ID, first[0].ID, "no-id", database.NewID()}
	require.Equal(t, []Brief{first[0], first[2]}, named("limit=1&ids="+strings.Join(ids, ",")),
		"all that are named, by name")
	require.Empty(t, named("ids=,"), "no id is no search")
	require.Len(t, named(""), 50)
	admin.Get("/api/v1/nodes/brief?ids="+strings.Repeat(",", mostNamed)).Refused(http.StatusBadRequest, "bad_parameter")
	p.As("accounts.view").Get("/api/v1/nodes/brief").Refused(http.StatusForbidden, "permission_denied")
}

func TestEveryPermissionIsAskedFor(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	p.As("health.view").Get("/api/v1/nodes").Refused(http.StatusForbidden, "permission_denied")
	p.As("nodes.view").Post("/api/v1/nodes", map[string]any{"name": "abc"}).
		Refused(http.StatusForbidden, "permission_denied")
	p.As("nodes.view").Get("/api/v1/nodes/enrollment-tokens").Refused(http.StatusForbidden, "permission_denied")
	p.As("nodes.*").PostOnce("/api/v1/nodes", map[string]any{"name": "abc"}).Is(http.StatusCreated)
}
