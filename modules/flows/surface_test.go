package flows_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/agentapi"
)

// Rolling back is loading a version's drawing into the draft through the public API; nothing is installed by it.
// Specification, Flow: "each version is a snapshot".
// Specification, Flow draft: the snapshot is "saved into the draft; applying is still required".
func TestAVersionIsLoadedIntoTheDraft(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.save(s.drawing(8443))
	s.install()
	var page struct{ Items []flows.Version }
	s.admin.Get(s.path("/versions")).Is(200).JSON(&page)
	require.Len(t, page.Items, 2)
	require.True(t, page.Items[0].Installed)
	var first flows.VersionSnapshot
	s.admin.Get(s.path("/versions/" + page.Items[1].ID)).Is(200).JSON(&first)
	require.Equal(t, 443, first.Graph.Nodes[0].Params.Listener.Port)
	contacts := s.fleet.contacts()
	s.save(first.Graph)
	require.Equal(t, contacts, s.fleet.contacts())
	require.Contains(t, s.fleet.serving("fra-01"), `"port":"8443"`)
	kept := s.admin.PostOnce(s.path("/versions"), map[string]any{"note": "Draft before roll back"}).Is(201)
	require.Equal(t, "manual", kept.Text("reason"))
}

// A version is named and pinned by those who edit drafts; what runs and the drawing of the version stay as they are.
func TestAVersionIsNamedAndPinned(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	kept := s.admin.PostOnce(s.path("/versions"), map[string]any{"note": "First"}).Is(201).Text("id")
	one := s.path("/versions/" + kept)
	before := s.admin.Get(one).Is(200).Value("graph")
	for range 2 { // the second one changes nothing and is not told
		changed := s.admin.Patch(one, map[string]any{"note": "Stable before holidays", "pinned": true}).Is(200)
		require.Equal(t, "Stable before holidays", changed.Text("note"))
		require.Equal(t, true, changed.Value("pinned"))
	}
	now := s.admin.Get(one).Is(200)
	require.Equal(t, before, now.Value("graph"))
	require.Equal(t, true, now.Value("pinned"))
	told := slices.DeleteFunc(s.panel.Recorded("flow", s.flow), func(action string) bool {
		return action != "flow.version_changed"
	})
	require.Len(t, told, 1)

	require.Empty(t, s.admin.Patch(one, map[string]any{"note": ""}).Is(200).Text("note"))
	s.admin.Patch(one, map[string]any{"note": strings.Repeat("x", 501)}).Refused(422, "invalid_value")
	s.panel.As("connection_units.view").Patch(one, map[string]any{"pinned": false}).Refused(403, "permission_denied")
	other := s.create("Other", 9443)
	s.admin.Patch(units+"/"+other+"/versions/"+kept, map[string]any{"pinned": false}).Refused(404, "not_found")
	s.admin.Patch(s.path("/versions/zzz"), map[string]any{"pinned": false}).Refused(404, "not_found")
}

// Versions that were never applied go when there are many newer ones; pinned ones stay, and there is an end of them.
func TestPinnedVersionsStay(t *testing.T) {
	t.Parallel()
	s := setup(t)
	keep := func(note string) string {
		return s.admin.Post(s.path("/versions"), map[string]any{"note": note}).Is(201).Text("id")
	}
	pinned, plain := keep("pinned"), keep("plain")
	s.admin.Patch(s.path("/versions/"+pinned), map[string]any{"pinned": true}).Is(200)
	for i := range 31 {
		keep(fmt.Sprintf("later %d", i))
	}
	s.admin.Get(s.path("/versions/" + pinned)).Is(200)
	s.admin.Get(s.path("/versions/"+plain)).Refused(404, "not_found")

	_, err := s.panel.DB.NewRaw(`insert into flow_versions
		(id, flow_id, number, revision, reason, graph, pinned, created_at, created_by)
		select gen_random_uuid(), flow_id, number + n, revision, reason, graph, true, created_at, created_by
		from flow_versions, generate_series(1000, 1048) n where id = ?`, pinned).Exec(t.Context())
	require.NoError(t, err)
	last := keep("one more")
	s.admin.Patch(s.path("/versions/"+last), map[string]any{"pinned": true}).Refused(409, "too_many_pinned")
	s.admin.Patch(s.path("/versions/"+pinned), map[string]any{"pinned": false}).Is(200)
	s.admin.Patch(s.path("/versions/"+last), map[string]any{"pinned": true}).Is(200)
}

func TestFlowsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for i := range 4 {
		s.create(fmt.Sprintf("Flow %d", i), 5000+i)
	}
	for _, sort := range []string{"name", "-name", "created_at", "-updated_at"} {
		seen, cursor := map[string]bool{}, ""
		for {
			var page struct {
				Items      []flows.Flow
				NextCursor *string `json:"next_cursor"`
				Total      int
			}
			s.admin.Get(units + "?limit=2&sort=" + sort + "&cursor=" + cursor).Is(200).JSON(&page)
			require.Equal(t, 5, page.Total)
			for _, f := range page.Items {
				require.False(t, seen[f.ID])
				seen[f.ID] = true
			}
			if page.NextCursor == nil {
				break
			}
			cursor = *page.NextCursor
		}
		require.Len(t, seen, 5, sort)
	}
	require.EqualValues(t, 1, s.admin.Get(units+"?q=europe&state=draft").Is(200).Value("total"))
	require.EqualValues(t, 0, s.admin.Get(units+"?state=applied").Is(200).Value("total"))
	s.admin.Get(units+"?sort=port").Refused(400, "bad_parameter")
	s.admin.Get(units+"?cursor=x").Refused(400, "bad_parameter")
}

func TestNamesAreUniqueAndChangesNeedTheirRevision(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.admin.Post(units, map[string]any{"name": "europe MAIN"}).Refused(409, "name_taken")
	s.admin.Patch(s.path(""), map[string]any{"revision": 1, "name": "Renamed", "tags": []string{"a", "a", "b"}}).Is(200)
	require.Equal(t, []string{"a", "b"}, s.get().Tags)
	s.admin.Patch(s.path(""), map[string]any{"revision": 1, "name": "Again"}).Refused(409, "revision_conflict")
	s.panel.As("connection_units.*").
		Patch(s.path(""), map[string]any{"revision": 2, "owner_id": "x"}).
		Refused(403, "permission_denied")
}

// What a reader may see of a node's configuration holds no secret.
func TestTheRenderedConfigurationIsMasked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	uri := s.admin.Post(s.path("/connection-link"), nil).Text("uri")
	secret := strings.TrimPrefix(strings.Split(uri, "@")[0], "vless://")
	reader := s.panel.As("connection_units.view")
	for _, node := range []string{"fra-01", "ams-01"} {
		answer := reader.Get(s.path("/rendered?node_id=" + s.fleet.id(node))).Is(200)
		require.NotContains(t, string(answer.Body), secret)
		require.Contains(t, string(answer.Body), plan.Stars)
	}
	reader.Get(s.path("/rendered?node_id=nobody")).Refused(404, "not_found")
	for _, path := range []string{"", "/draft", "/clients", "/versions", "/applies"} {
		require.NotContains(t, string(reader.Get(s.path(path)).Is(200).Body), secret)
	}
}

func TestADestinationIsTracedThroughTheDraft(t *testing.T) {
	t.Parallel()
	s := setup(t)
	g := s.drawing(443)
	g.Nodes = append(g.Nodes, graph.Node{Key: "stop", Kind: graph.Block})
	g.Edges = append(g.Edges, graph.Edge{From: "in", To: "stop", Match: &graph.Match{Domain: []string{"ads.example"}}})
	s.save(g)
	require.Equal(t, "block", s.admin.Get(s.path("/explain?domain=x.ads.example")).Is(200).Text("result"))
	require.Equal(t, "exit", s.admin.Get(s.path("/explain?domain=example.org")).Is(200).Text("result"))
	require.Equal(
		t,
		"unknown",
		s.admin.Get(s.path("/explain?ip=192.0.2.1")).Is(200).Text("result"),
		"the rule asks for a name",
	)
	s.admin.Get(s.path("/explain")).Refused(400, "missing_field")
}

// Two flows on the same nodes never mix: each apply waits for the nodes, and both end up installed.
func TestAppliesOnOneServerAreSerialised(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var ids, paths []string
	for i := range 4 {
		s.flow = s.create(fmt.Sprintf("Flow %d", i), 7000+i)
		paths = append(paths, s.flow)
	}
	for _, flow := range paths {
		s.flow = flow
		ids = append(ids, s.admin.Post(s.path("/apply?wait=0"), order(s.ready(), false)).Is(200).Text("apply_id"))
	}
	for i, flow := range paths {
		s.flow = flow
		require.Equal(t, "applied", s.ended(ids[i]).State)
	}
	for _, flow := range paths {
		require.Contains(t, s.fleet.serving("fra-01"), flow)
		require.Contains(t, s.fleet.serving("ams-01"), flow)
	}
}

// A panel that is killed leaves a lease behind; when it ends, whoever is there goes on.
func TestALeaseOfADeadPanelIsTakenOver(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	id := s.admin.Post(s.path("/apply?wait=0"), order(p, false)).Is(200).Text("apply_id")
	require.Eventually(t, func() bool { return len(s.fleet.phases("fra-01")) == 1 }, time.Minute,
		10*time.Millisecond)
	s.switching(id, "ams-01")
	_, err := s.panel.DB.ExecContext(
		t.Context(),
		"update flow_applies set lease_token = 'dead', lease_until = now() + interval '1 second' where id = ?",
		id,
	)
	require.NoError(t, err)
	s.fleet.catchUp()
	require.Equal(t, "applied", s.ended(id).State)
	require.Equal(t, []string{"prepare", "switch", "commit"}, s.fleet.phases("ams-01"), "nothing was ordered twice")
}

// R3: many people save, compile and apply at once. No answer is a failure of the panel, no stale plan gets through,
// and what is installed in the end is what the last successful apply says.
func TestManyPeopleAtOnceLeaveOneConsistentFlow(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var all sync.WaitGroup
	for person := range 6 {
		all.Go(func() {
			for round := range 4 {
				s.act(person, round)
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool { return s.get().State != "applying" }, 60*time.Second, 50*time.Millisecond)
	var page struct{ Items []flows.Apply }
	s.admin.Get(s.path("/applies?limit=200")).Is(200).JSON(&page)
	f, last := s.get(), 0
	for _, a := range page.Items {
		require.NotEqual(t, "applying", a.State)
		if a.State == "applied" {
			last = max(last, a.Revision)
		}
	}
	require.Positive(t, last, "nobody's apply got through")
	require.Equal(t, last, *f.InstalledRevision)
}

func (s *stage) act(person, round int) {
	draft := s.admin.Get(s.path("/draft"))
	var d flows.Draft
	draft.JSON(&d)
	saved := s.admin.Put(
		s.path("/draft"),
		map[string]any{"revision": d.Revision, "graph": s.drawing(3000 + person*10 + round)},
	)
	require.Contains(s.t, []int{200, 409}, saved.Status, "%s", saved.Body)
	compiled := s.admin.Post(s.path("/plan/compile"), nil).Is(201)
	var p plan.Plan
	compiled.JSON(&p)
	applied := s.admin.Post(s.path("/apply?wait=2"), order(p, true))
	require.Contains(s.t, []int{200, 409}, applied.Status, "%s", applied.Body)
}
