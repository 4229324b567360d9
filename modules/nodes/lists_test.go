package nodes

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/figures"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// namesIn are the names on one page of a list, and its count.
func namesIn(t *testing.T, as *paneltest.Client, query string) (names []string, total int) {
	t.Helper()
	var page struct {
		Items []struct{ Name string }
		Total int
	}
	as.Get("/api/v1/nodes?" + query).Is(http.StatusOK).JSON(&page)
	for _, item := range page.Items {
		names = append(names, item.Name)
	}
	return names, page.Total
}

// estate adds nodes that differ in all that can be filtered by.
func estate(t *testing.T, p *paneltest.Panel) *paneltest.Client {
	t.Helper()
	admin := p.As("nodes.edit", "nodes.view")
	admin.AddNode("Warszawa 1", "country_code", "PL", "tags", []string{"eu", "fast"}, "roles", []string{
		"entry",
		"exit",
	},
		"address", "waw1.example.org")
	admin.AddNode("Frankfurt", "country_code", "DE", "tags", []string{"eu"}, "roles", []string{"exit"}, "address",
		"203.0.113.50")
	admin.AddNode("New York", "country_code", "US", "tags", []string{"us", "100%_sure"}, "roles", []string{"edge"},
		"address", "2001:db8::5")
	return admin
}

// Each filter keeps what it names, several keep what fits all of them, and a part of a name is a part of it and no
// pattern.
func TestTheListKeepsWhatItsFiltersName(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := estate(t, p)
	for query, want := range map[string][]string{
		"":                         {"Frankfurt", "New York", "Warszawa 1"},
		"country=pl":               {"Warszawa 1"},
		"country=DE":               {"Frankfurt"},
		"tag=eu":                   {"Frankfurt", "Warszawa 1"},
		"tag=e":                    {},
		"tag=EU":                   {},
		"role=exit":                {"Frankfurt", "Warszawa 1"},
		"role=transit":             {},
		"role=exit&tag=fast":       {"Warszawa 1"},
		"role=edge&tag=eu":         {},
		"q=WARSZ":                  {"Warszawa 1"},
		"q=szawa+1":                {"Warszawa 1"},
		"q=example.org":            {"Warszawa 1"},
		"q=EXAMPLE":                {"Warszawa 1"},
		"q=203.0.113":              {"Frankfurt"},
		"q=db8%3A%3A5":             {"New York"},
		"q=fas":                    {"Warszawa 1"},
		"q=100%25_":                {"New York"},
		"q=_":                      {"New York"},
		"q=%5C":                    {},
		"q=%27+or+1%3D1":           {},
		"state=pending":            {"Frankfurt", "New York", "Warszawa 1"},
		"state=online":             {},
		"state=pending&country=US": {"New York"},
	} {
		names, total := namesIn(t, admin, query)
		require.ElementsMatch(t, want, names, query)
		require.Equal(t, len(want), total, query)
	}
	for _, query := range []string{"role=boss", "country=P", "country=POL", "tag=" + strings.Repeat("t", 33), "q=" +
		strings.Repeat("q", 65), "unknown=1"} {
		admin.Get("/api/v1/nodes?"+query).Refused(http.StatusBadRequest, "bad_parameter")
	}
}

// Names are sorted as people do, without regard to capitals, and pages meet without a gap when nodes come and go
// between them.
func TestPagesMeetWhileNodesComeAndGo(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	ids := map[string]string{}
	for _, name := range []string{"beta", "Alpha", "delta", "Charlie", "echo"} {
		ids[name] = admin.AddNode(name)
	}
	seen, cursor := []string{}, ""
	for page := 0; ; page++ {
		var got struct {
			Items      []struct{ Name string }
			NextCursor *string `json:"next_cursor"`
		}
		admin.Get("/api/v1/nodes?limit=2&cursor=" + url.QueryEscape(cursor)).Is(http.StatusOK).JSON(&got)
		for _, item := range got.Items {
			seen = append(seen, item.Name)
		}
		if got.NextCursor == nil {
			break
		}
		cursor = *got.NextCursor
		if page == 0 {
			admin.Delete("/api/v1/nodes/" + ids["beta"]).Is(http.StatusNoContent) // where the page ended
			admin.AddNode("aardvark")
		}
	}
	require.Equal(t, []string{"Alpha", "beta", "Charlie", "delta", "echo"}, seen)
	admin.Get("/api/v1/nodes?sort=-name&limit=2&cursor="+url.QueryEscape(cursor)).Refused(http.StatusBadRequest,
		"bad_parameter")
}

// The count is fresh for whoever has just changed something, though it is remembered for a second.
func TestTheCountFollowsOnesOwnChanges(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	admin := p.As("nodes.edit", "nodes.view")
	total := func(query string) int {
		_, n := namesIn(t, admin, query)
		return n
	}
	require.Zero(t, total(""))
	id := admin.AddNode("first")
	require.Equal(t, 1, total(""))
	require.Equal(t, 0, total("state=disabled"))
	admin.Patch("/api/v1/nodes/"+id, map[string]any{"revision": 1, "disabled": true}).Is(http.StatusOK)
	require.Equal(t, 1, total("state=disabled"))
	require.Equal(t, 0, total("state=pending"))
	require.Equal(t, 1, total(""))
	_, err := p.DB.ExecContext(t.Context(), `insert into nodes (id, name, name_key, created_at, updated_at)
		values (?0, 'x', 'x', now(), now())`, database.NewID())
	require.NoError(t, err)
	require.Equal(t, 1, total(""), "what another panel has added comes a second later")
	clock.Advance(time.Second)
	require.Equal(t, 2, total(""))
	admin.Delete("/api/v1/nodes/" + id).Is(http.StatusNoContent)
	require.Equal(t, 1, total(""))
}

// The list is sorted by what agents report, and nodes that never did stand at the low end.
func TestTheListIsSortedByReadings(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	never := p.As("nodes.edit").AddNode("never")
	for name, load := range map[string]float64{"calm": 5, "busy": 95, "usual": 40} {
		agent := p.Enroll(name)
		agent.Beat()
		one := paneltest.Samples(1, time.Now())
		one[0].CPUPercent, one[0].NetTxBps = load, 1000*load
		agent.Deliver("s", 1, one).Is(http.StatusOK)
		agent.Shown("metrics.cpu_pct", load)
	}
	admin := p.As("nodes.view")
	for _, sort := range []string{"cpu_pct", "net_tx_bps"} {
		rising, _ := namesIn(t, admin, "sort="+sort)
		falling, _ := namesIn(t, admin, "sort=-"+sort)
		require.Equal(t, []string{"busy", "usual", "calm"}, slices.DeleteFunc(slices.Clone(falling),
			func(n string) bool { return n == "never" }), sort)
		slices.Reverse(falling)
		require.Equal(t, falling, rising, sort)
	}
	admin.Get("/api/v1/nodes/" + never).Is(http.StatusOK)
}

// Tokens are listed newest first or by their end, by the state that follows from their use, page by page and without
// themselves.
func TestEnrollmentTokensAreListedByTheirState(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	edit := p.As("nodes.edit")
	const path = "/api/v1/nodes/enrollment-tokens"
	issue := func(label string, more ...any) *paneltest.Answer {
		body := map[string]any{"label": label}
		for i := 0; i+1 < len(more); i += 2 {
			body[fmt.Sprint(more[i])] = more[i+1]
		}
		clock.Advance(time.Second)
		return edit.Post(path, body).Is(http.StatusCreated)
	}
	secrets := []string{
		issue("fresh", "expires_in_seconds", 1000).Text("token"), issue("old", "expires_in_seconds", 60).Text("token"),
		issue("many", "kind", "reusable").Text("token"), issue("taken back", "expires_in_seconds", 500).Text("token"),
	}
	spent, back := issue("spent", "expires_in_seconds", 2000), issue("revoked")
	p.EnrollWith(spent.Text("token"), "one")
	p.EnrollWith(secrets[2], "two")
	edit.Delete(path + "/" + back.Text("id")).Is(http.StatusNoContent)
	edit.Delete(path + "/" + back.Text("id")).Is(http.StatusNoContent)
	clock.Advance(time.Minute)
	labels := func(query string) (labels []string) {
		answer := edit.Get(path + "?" + query).Is(http.StatusOK)
		for _, secret := range secrets {
			require.NotContains(t, string(answer.Body), secret)
		}
		var page struct {
			Items []EnrollmentToken
			Total int
		}
		answer.JSON(&page)
		for _, item := range page.Items {
			labels = append(labels, item.Label)
		}
		if !strings.Contains(query, "limit") {
			require.Len(t, labels, page.Total)
		}
		return labels
	}
	require.Equal(t, []string{"revoked", "spent", "taken back", "many", "old", "fresh"}, labels(""))
	require.Equal(t, []string{"fresh", "old"}, labels("sort=created_at&limit=2"))
	require.Equal(t, "old", labels("sort=expires_at")[0])
	for state, want := range map[string][]string{
		"active": {"taken back", "many", "fresh"}, "used_up": {"spent"}, "expired": {"old"}, "revoked": {"revoked"},
	} {
		require.Equal(t, want, labels("state="+state), state)
	}
	edit.Get(path+"?state=lost").Refused(http.StatusBadRequest, "bad_parameter")
	edit.Get(path+"?sort=label").Refused(http.StatusBadRequest, "bad_parameter")
	shown := edit.Get(path + "/" + spent.Text("id")).Is(http.StatusOK)
	require.Equal(t, []any{"used_up", 1.0, 1.0}, []any{
		shown.Text("state"), shown.Value("used_count"),
		shown.Value("usage_limit"),
	})
	require.NotNil(t, shown.Value("last_used_at"))
	require.Equal(t, []string{
		"node.enrollment_token_issued", "node.enrollment_token_revoked",
		"node.enrollment_token_revoked",
	},
		p.Recorded("enrollment_token", back.Text("id")))
	edit.Get(path+"/"+database.NewID()).Refused(http.StatusNotFound, "not_found")
	edit.Delete(path+"/x").Refused(http.StatusNotFound, "not_found")
}

// A token gives its tags to the nodes that it makes, and to those that it brings a new agent, beside their own.
func TestATokenGivesItsTags(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	edit := p.As("nodes.edit")
	id := edit.AddNode("bound", "tags", []string{"own"})
	token := p.EnrollmentToken(map[string]any{
		"bind_node_id": id, "auto_tags": []string{"eu", "own", " eu "},
		"kind": "reusable", "usage_limit": 5,
	})
	bound := p.EnrollWith(token, "host")
	require.Equal(t, id, bound.NodeID)
	require.Equal(t, []any{"own", "eu"}, bound.Node().Value("tags"))
	p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Hostname: "second"}).
		Refused(http.StatusUnauthorized, "enrollment_token_invalid")
	edit.Delete("/api/v1/nodes/" + id).Is(http.StatusNoContent)
	lost := edit.Post("/api/v1/nodes/enrollment-tokens", map[string]any{"bind_node_id": id})
	lost.Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// busy gives every node what an agent on a busy server tells, different on each.
const busy = `update node_reports set
	report = jsonb_build_object('agent_version', '1.8.2', 'protocol', 1, 'os', 'linux', 'arch', 'amd64',
		'hostname', 'host-' || node_id, 'capabilities', '["apply_config", "probe", "stream"]'::jsonb,
		'skew_ms', (random() * 100)::int, 'core', jsonb_build_object('kind', 'xray', 'version', '26.3.27',
			'state', 'running', 'uptime_s', (random() * 1e6)::int, 'config_revision', 17)),
	metrics = jsonb_build_object('observed_at', now(), 'cpu_pct', random() * 100, 'load1', random(),
		'mem_used', (random() * 1e10)::bigint, 'mem_total', 17179869184, 'disk_used', (random() * 1e11)::bigint,
		'disk_total', 274877906944, 'net_rx_bps', random() * 1e9, 'net_tx_bps', random() * 1e9, 'rx_pps', random() * 1e5,
		'tcp_established', (random() * 1e4)::int, 'conntrack_count', (random() * 1e5)::int, 'conntrack_max', 262144,
		'uptime_s', (random() * 1e7)::int, 'sessions', (random() * 1e4)::int)`

// A page of 50 busy nodes is at most 12 kB on the wire.
func TestAPageOfNodesIsSmallOnTheWire(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	fleetOf(t, p, 60)
	_, err := p.DB.ExecContext(t.Context(), busy)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/v1/nodes?limit=50", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+p.As("nodes.view").Token)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	packed, err := io.ReadAll(response.Body)
	require.NoError(t, errors.Join(err, response.Body.Close()))
	require.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	require.Less(t, len(packed), 12_000)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	var page struct{ Items []Node }
	require.NoError(t, json.NewDecoder(unpacked).Decode(&page))
	require.Len(t, page.Items, 50)
	require.NotNil(t, page.Items[0].Metrics)
}

// One filter finds all that do not do well, as the summary counts them.
func TestNodesThatNeedAttentionAreFoundByOneFilter(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	fleetOf(t, p, 20)
	_, err := p.DB.ExecContext(t.Context(), `update node_reports set core_state = 'failed' from nodes
		where id = node_id and name = 'node-00003'; update nodes set listed_state = 'degraded' where name = 'node-00003'`)
	require.NoError(t, err)
	names, total := namesIn(t, p.As("nodes.view"), "state=attention&sort=name")
	require.Equal(t, []string{"node-00003", "node-00007", "node-00017"}, names)
	require.Equal(t, 3, total)
	require.EqualValues(t, 3, p.As("nodes.view").Get("/api/v1/nodes/summary").Value("attention_nodes"))
}

// How nodes changed their states is told newest first, of all or of one, never as a null list.
func TestChangesOfStatesAreListed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	viewer := p.As("nodes.view")
	require.Equal(t, []any{}, viewer.Get("/api/v1/nodes/state-changes").Value("items"))
	agent := p.Enroll("lost")
	_, err := p.DB.ExecContext(t.Context(), `insert into node_states (node_id, at, was, state) values
		(?, now() - interval '1 hour', 'online', 'offline'), (?, now() - interval '2 days', 'offline', 'online')`,
		agent.NodeID, agent.NodeID)
	require.NoError(t, err)
	require.EqualValues(t, 1, viewer.Get("/api/v1/nodes/state-changes").Value("total"), "a day, if nothing else is asked for")
	own := viewer.Get("/api/v1/nodes/state-changes?node_id=" + agent.NodeID + "&from=2020-01-01T00:00:00Z")
	var changes figures.StateChanges
	own.JSON(&changes)
	require.Equal(t, 2, changes.Total)
	require.Equal(t, []string{"offline", "lost"}, []string{changes.Items[0].State, changes.Items[0].Name})
	other := viewer.Get("/api/v1/nodes/state-changes?node_id=01890000-0000-7000-8000-000000000001")
	require.Equal(t, []any{}, other.Value("items"))
	viewer.Get("/api/v1/nodes/state-changes?limit=0").Refused(http.StatusBadRequest, "bad_parameter")
}
