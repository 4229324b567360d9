package flows_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
	"panel/platform/paneltest"
)

// column reads one field of every item of a list, page by page.
func (s *stage) column(path, sort, field string) []any {
	s.t.Helper()
	seen, cursor := []any{}, ""
	for {
		page := s.admin.Get(s.path(path + "?limit=1&sort=" + sort + "&cursor=" + cursor)).Is(200)
		items, _ := page.Value("items").([]any)
		for _, item := range items {
			row, _ := item.(map[string]any)
			seen = append(seen, row[field])
		}
		next, more := page.Value("next_cursor").(string)
		if !more {
			return seen
		}
		cursor = next
	}
}

// Every list of a flow is sorted as it is asked, page by page, and refuses a field that it does not know.
func TestListsOfAFlowAreSorted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, label := range []string{"Zoe", "anna"} {
		s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201)
	}
	first := s.install().ApplyID
	s.save(s.drawing(8443))
	second := s.install().ApplyID
	for _, c := range []struct {
		path, sort, field string
		want              []any
	}{
		{"/versions", "number", "number", []any{1.0, 2.0}},
		{"/versions", "created_at", "number", []any{1.0, 2.0}},
		{"/versions", "", "number", []any{2.0, 1.0}},
		{"/applies", "started_at", "apply_id", []any{first, second}},
		{"/applies", "", "apply_id", []any{second, first}},
		{"/clients", "label", "label", []any{"anna", "Default", "Zoe"}},
		{"/clients", "", "label", []any{"Default", "Zoe", "anna"}},
	} {
		require.Equal(t, c.want, s.column(c.path, c.sort, c.field), "%s by %s", c.path, c.sort)
		if c.sort != "" {
			turned := slices.Clone(c.want)
			slices.Reverse(turned)
			require.Equal(t, turned, s.column(c.path, "-"+c.sort, c.field), "%s by -%s", c.path, c.sort)
		}
	}
	for _, path := range []string{"/versions", "/applies", "/clients"} {
		for _, sort := range []string{"port", "-port", "--number", "id;drop"} {
			s.admin.Get(s.path(path+"?sort="+sort)).Refused(400, "bad_parameter")
		}
	}
}

// Loading a version into the draft is told as such: in the journal and on the live stream.
func TestALoadedVersionIsTold(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.save(s.drawing(8443))
	news := s.panel.Bus().Subscribe(t.Context())
	var versions struct{ Items []flows.Version }
	s.admin.Get(s.path("/versions")).Is(200).JSON(&versions)
	version := versions.Items[0].ID
	save := func(port int, version string) map[string]any {
		return map[string]any{"revision": s.get().DraftRevision, "graph": s.drawing(port), "version_id": version}
	}
	for _, wrong := range []string{"zzz", s.flow} {
		s.admin.Put(s.path("/draft"), save(443, wrong)).Refused(422, "invalid_value")
	}
	s.admin.Put(s.path("/draft"), save(444, version)).Refused(422, "invalid_value")
	s.admin.Put(s.path("/draft"), save(443, version)).Is(200)

	var number int
	err := s.panel.DB.NewRaw(`select (changes::jsonb -> 'version' ->> 'to')::int from journal where action = 'flow.version_loaded' and object_id = ?`,
		s.flow).
		Scan(t.Context(), &number)
	require.NoError(t, err)
	require.Equal(t, 1, number)
	require.Eventually(t, func() bool {
		select {
		case event := <-news:
			return event.Kind == "flow.version_loaded" && event.SubjectID == s.flow
		default:
			return false
		}
	}, 60*time.Second, time.Millisecond)
}

// The list of flows begins with those that need somebody, by name where they need it alike, on every page.
func TestTheListOfFlowsBeginsWithTheWorst(t *testing.T) {
	t.Parallel()
	s := &stage{t: t, fleet: newFleet("down-01", "down-02", "odd-01", "well-01", "well-02")}
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module())
	s.admin = s.panel.Admin()
	port := 2000
	add := func(name, entry, exit string) {
		port++
		g := s.drawing(port)
		g.Nodes[0].NodeID, g.Nodes[1].NodeID = s.fleet.id(entry), s.fleet.id(exit)
		s.flow = s.admin.Post(units, map[string]any{"name": name, "graph": g}).Is(201).Text("id")
	}
	for _, f := range [][3]string{
		{"b well", "well-01", "well-02"},
		{"a well", "well-01", "well-02"},
		{"c drifted", "odd-01", "well-01"},
		{"d degraded", "well-01", "down-01"},
		{"f dead", "down-01", "down-02"},
	} {
		add(f[0], f[1], f[2])
		s.install()
	}
	add("e failed", "well-01", "well-02")
	s.fleet.scripted(refusal(s.fleet.id("well-01"), agentapi.PhasePrepare, nodesapi.Result{Error: "no"}))
	require.Equal(t, "apply_failed", s.apply(s.ready()).State)
	s.fleet.scripted(nil)
	add("a draft", "well-01", "well-02")
	for _, node := range []string{"down-01", "down-02"} {
		s.fleet.set(node, func(n *nodesapi.Node) { n.Online = false })
	}
	s.fleet.set("odd-01", func(n *nodesapi.Node) { n.RevisionInstalled-- })

	want := []any{"f dead", "e failed", "d degraded", "c drifted", "a well", "b well", "a draft"}
	names := func(sort string) (seen []any) {
		for cursor := ""; ; {
			page := s.admin.Get(units + "?limit=2&sort=" + sort + "&cursor=" + cursor).Is(200)
			require.EqualValues(t, len(want), page.Value("total"))
			items, _ := page.Value("items").([]any)
			for _, item := range items {
				row, _ := item.(map[string]any)
				seen = append(seen, row["name"])
			}
			next, more := page.Value("next_cursor").(string)
			if !more {
				return seen
			}
			cursor = next
		}
	}
	require.Equal(t, want, names("worst"))
	slices.Reverse(want)
	require.Equal(t, want, names("-worst"))
	found := s.admin.Get(units + "?sort=worst&q=WELL&limit=1").Is(200)
	require.EqualValues(t, 2, found.Value("total"))
}

// Clients are found by a part of their label and by whether they work; those that wait for an apply come first.
func TestClientsAreFoundByLabelAndState(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	ids := map[string]string{"Default": s.get().Clients[0].ID}
	for _, label := range []string{"Anna phone", "Boris", "anna laptop"} {
		ids[label] = s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201).Text("id")
	}
	s.install()
	s.admin.Delete(s.path("/clients/" + ids["Boris"])).Is(204)
	s.admin.Post(s.path("/clients"), map[string]any{"label": "Anna new"}).Is(201)
	labels := func(query string) (seen []string) {
		var page struct{ Items []flows.Client }
		s.admin.Get(s.path("/clients?" + query)).Is(200).JSON(&page)
		for _, c := range page.Items {
			seen = append(seen, c.Label)
		}
		return seen
	}
	for query, want := range map[string][]string{
		"q=ANNA&sort=label":          {"anna laptop", "Anna new", "Anna phone"},
		"q=anna&sort=-label&limit=1": {"Anna phone"},
		"q=nobody":                   nil,
		"state=waiting":              {"Anna new"},
		"state=revoked":              {"Boris"},
		"state=installed&sort=label": {"anna laptop", "Anna phone", "Default"},
		"state=installed&q=a&sort=":  {"Default", "Anna phone", "anna laptop"},
		"sort=state":                 {"Anna new", "anna laptop", "Anna phone", "Default", "Boris"},
		"sort=-state&state=&q=o":     {"Boris", "Anna phone", "anna laptop"},
	} {
		require.Equal(t, want, labels(query), query)
	}
	s.admin.Get(s.path("/clients?state=lost")).Refused(400, "bad_parameter")
}

// Clients come page by page in every order, each of them once, also where the one at which a page ended has changed or
// left the list meanwhile.
func TestClientsComePageByPage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	for _, label := range []string{"Anna", "boris", "Clara", "anna"} {
		s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201)
	}
	page := func(query string) (labels, ids []string, cursor string) {
		var page httpapi.Page[flows.Client]
		s.admin.Get(s.path("/clients?" + query)).Is(200).JSON(&page)
		for _, c := range page.Items {
			labels, ids = append(labels, c.Label), append(ids, c.ID)
		}
		if page.NextCursor != nil {
			cursor = *page.NextCursor
		}
		return labels, ids, cursor
	}
	for _, sort := range []string{"created_at", "-created_at", "label", "-label", "state", "-state"} {
		want, all, last := page("sort=" + sort)
		require.Len(t, want, 5)
		require.Empty(t, last)
		var got []string
		for cursor, more := "", true; more; more = cursor != "" {
			_, ids, next := page("limit=2&sort=" + sort + "&cursor=" + cursor)
			got, cursor = append(got, ids...), next
		}
		require.Equal(t, all, got, sort)
	}
	require.EqualValues(t, 4, s.admin.Get(s.path("/clients?state=waiting&limit=1")).Is(200).Value("total"))
	_, ids, cursor := page("state=waiting&sort=label&limit=2")
	s.admin.Delete(s.path("/clients/" + ids[1])).Is(204)
	labels, _, last := page("state=waiting&sort=label&limit=2&cursor=" + cursor)
	require.Equal(t, []string{"boris", "Clara"}, labels)
	require.Empty(t, last)
	s.admin.Get(s.path("/clients?sort=-label&cursor="+cursor)).Refused(400, "bad_parameter")
	s.admin.Get(s.path("/clients?sort=secret")).Refused(400, "bad_parameter")
	s.admin.Get("/api/v1/connection-units/0197f3a0-0000-7000-8000-000000000001/clients").Refused(404, "not_found")
}
