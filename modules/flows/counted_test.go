package flows_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/nodes/nodesapi"
	"panel/modules/subscriptions"
	"panel/platform/agentapi"
	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// counted is a panel over so many nodes, of which the first is an entry that leads to all others, and the count of its
// statements.
func counted(t *testing.T, nodes int, more ...module.Module) (*stage, *dbtest.Statements) {
	t.Helper()
	s := &stage{t: t, fleet: newFleet(numbered(nodes)...)}
	features := append([]module.Module{
		s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(),
	}, more...)
	db, count := dbtest.Counted(t, app.Migrations(app.With(features))...)
	s.panel = paneltest.Start(t, paneltest.On(db), paneltest.Modules(features...))
	s.admin = s.panel.Admin()
	s.flow = s.grow("Sunflower", nodes, 2000)
	return s, count
}

func numbered(nodes int) []string {
	names := make([]string, nodes)
	for i := range names {
		names[i] = fmt.Sprintf("node-%03d", i)
	}
	return names
}

// grow creates a flow over so many nodes and gives its id.
func (s *stage) grow(name string, nodes, port int) string {
	s.t.Helper()
	return s.admin.Post(units, map[string]any{"name": name, "graph": sunflower(s.fleet, nodes, port)}).Is(201).
		Text("id")
}

// sunflower enters on the first node and leaves, by destination, on all others.
func sunflower(f *fleet, nodes, port int) graph.Graph {
	g := graph.Graph{
		Nodes: []graph.Node{{Key: "in", Kind: graph.Entry, NodeID: f.id("node-000"), Params: graph.Params{
			Listener: &graph.Listener{
				Protocol: "vless",
				Port:     port,
				Reality:  &graph.Reality{Target: "www.example.org:443"},
			},
		}}},
	}
	for i := 1; i < nodes; i++ {
		key := fmt.Sprintf("out%d", i)
		private := []string{"block", "allow"}[port%2]
		g.Nodes = append(
			g.Nodes,
			graph.Node{
				Key:    key,
				Kind:   graph.Exit,
				NodeID: f.id(fmt.Sprintf("node-%03d", i)),
				Params: graph.Params{Private: private},
			},
		)
		edge := graph.Edge{From: "in", To: key, Priority: i}
		if i < nodes-1 {
			edge.Match = &graph.Match{Domain: []string{fmt.Sprintf("site%d.example", i)}}
		}
		g.Edges = append(g.Edges, edge)
	}
	return g
}

// applied installs one change on so many nodes and gives the fewest statements that it took in a few rounds.
func applied(t *testing.T, nodes int) int64 {
	t.Helper()
	s, count := counted(t, nodes)
	fewest := int64(-1)
	for round := 1; round <= 3; round++ {
		s.save(sunflower(s.fleet, nodes, 2000+round))
		p := s.ready()
		n := count.OfWork(func() {
			a := s.apply(p)
			require.Equal(t, "applied", a.State, "%+v", a.Error)
			require.Len(t, a.Steps, nodes)
		})
		if round > 1 && (fewest < 0 || n < fewest) {
			fewest = n
		}
	}
	return fewest
}

// P8: what an apply costs the database does not grow with the nodes: every stage is one step for all of them.
func TestAnApplyTakesAsManyStatementsForManyNodesAsForFew(t *testing.T) {
	t.Parallel()
	few, many := applied(t, 3), applied(t, 60)
	t.Logf("%d statements for 3 nodes, %d for 60", few, many)
	require.LessOrEqual(t, many, few+20)
}

// A plan that is being installed is not asked about any longer: what a question would open on a node is about to be
// opened for good, and a rollout over hundreds of nodes does not compete with its own check-up.
func TestQuestionsEndWhenTheInstallationBegins(t *testing.T) {
	t.Parallel()
	const nodes, atOnce = 60, 32
	s, _ := counted(t, nodes)
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, isProbe := o.Args.(agentapi.ProbeArgs)
		return nil, isProbe && args.Bind != nil
	})
	p := s.compile()
	require.Eventually(t, func() bool { return s.fleet.binds() == atOnce }, 60*time.Second, 10*time.Millisecond)
	id := s.admin.Post(s.path("/apply?wait=0"), order(p, true)).Is(200).Text("apply_id")
	s.fleet.catchUp()
	require.Equal(t, "applied", s.ended(id).State)
	require.Eventually(t, func() bool {
		asking, err := s.panel.DB.NewSelect().Table("flow_plans").Where("checking").Count(t.Context())
		return err == nil && asking == 0
	}, 60*time.Second, 20*time.Millisecond)
	require.Equal(t, atOnce, s.fleet.binds())
}

// binds counts the temporary listeners that were ordered.
func (f *fleet) binds() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, o := range f.orders {
		if args, isProbe := o.Args.(agentapi.ProbeArgs); isProbe && args.Bind != nil {
			n++
		}
	}
	return n
}

// A page of flows takes one statement of this module with the counts of all their clients, whatever it is sorted and
// filtered by and however many flows there are; what other modules know of their nodes and bindings takes two more.
func TestAPageOfFlowsTakesOneStatement(t *testing.T) {
	t.Parallel()
	s, count := counted(t, 2)
	for i := range 60 {
		s.flow = s.grow(fmt.Sprint("Flow ", i), 2, 2001+i)
	}
	s.install()
	for _, query := range []string{
		"?limit=50", "?limit=50&sort=-updated_at", "?state=applied",
		"?q=flow&sort=created_at", "?q=none",
	} {
		n := count.OfRequests(func() { s.admin.Get(units + query).Is(200) })
		require.LessOrEqual(t, n, int64(1), query)
	}
	require.LessOrEqual(t, count.OfRequests(func() { s.get() }), int64(2), "one flow has its first clients with it")
}

// crowd gives the flow so many clients by themselves in the database.
func (s *stage) crowd(clients int) {
	s.t.Helper()
	_, err := s.panel.DB.NewRaw(`with made as (
			insert into client_profiles (id, label, owner_id, used_since, created_at, updated_at)
			select gen_random_uuid(), 'client ' || i, 'nobody', now(), now(), now() from generate_series(1, ?) i returning id)
		insert into client_flows (client_id, flow_id, secret, created_at) select id, ?, '', now() from made`, clients, s.flow).
		Exec(s.t.Context())
	require.NoError(s.t, err)
}

// A flow with 50,000 clients is listed by how many they are, and shown with the first hundred of them: neither answer
// grows with them.
func TestAFlowOfManyClientsIsShownByTheirCount(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const clients = 50_000
	s.crowd(clients)
	_, err := s.panel.DB.NewRaw("analyze client_profiles, client_flows").Exec(t.Context())
	require.NoError(t, err)
	f := s.get()
	require.Equal(t, flows.ClientCounts{Total: clients + 1, Active: clients + 1, Waiting: clients + 1}, f.ClientCounts)
	require.Len(t, f.Clients, 100)
	require.Equal(t, "Default", f.Clients[0].Label)
	page := s.admin.Get(units).Is(200)
	require.Less(t, len(page.Body), 4_000)
	require.NotContains(t, string(page.Body), "Default")
}

// Clients are counted by what an apply would change: one that is new or came back is to be let in, one that was
// revoked, disabled or is past its time is to be shut out.
func TestTheCountsOfClientsSayWhatWaitsForAnApply(t *testing.T) {
	t.Parallel()
	s := setup(t)
	add := func(label string) string {
		return s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201).Text("id")
	}
	revoked, disabled, expired := add("revoked"), add("disabled"), add("expired")
	require.Equal(t, flows.ClientCounts{Total: 4, Active: 4, Waiting: 4}, s.get().ClientCounts)
	s.install()
	require.Equal(t, flows.ClientCounts{Total: 4, Active: 4}, s.get().ClientCounts)

	s.admin.Delete(s.path("/clients/" + revoked)).Is(204)
	for id, change := range map[string]string{
		disabled: "enabled = false", expired: "expires_at = now() - interval '1 minute'",
	} {
		_, err := s.panel.DB.NewRaw("update client_profiles set "+change+" where id = ?", id).Exec(t.Context())
		require.NoError(t, err)
	}
	add("new")
	require.Equal(t, flows.ClientCounts{Total: 4, Active: 2, Waiting: 4}, s.get().ClientCounts)
	s.install()
	require.Equal(t, flows.ClientCounts{Total: 4, Active: 2}, s.get().ClientCounts)
	var page struct{ Items []flows.Flow }
	s.admin.Get(units).Is(200).JSON(&page)
	require.Equal(t, s.get().Flow, page.Items[0], "the list says of a flow what its page says")
}

// The total of a list stays what matches on every page, also on one behind the last flow.
func TestTheTotalOfFlowsIsTheSameOnEveryPage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	other := s.create("Last of all", 8444)
	page := s.admin.Get(units + "?limit=1&sort=created_at").Is(200)
	require.InEpsilon(t, 2.0, page.Value("total"), 0.01)
	next, _ := page.Value("next_cursor").(string)
	s.admin.Delete(units + "/" + other).Is(202)
	require.Eventually(
		t,
		func() bool { return s.admin.Get(units+"/"+other).Status == 404 },
		30*time.Second,
		10*time.Millisecond,
	)
	behind := s.admin.Get(units + "?limit=1&sort=created_at&cursor=" + next).Is(200)
	require.InEpsilon(t, 1.0, behind.Value("total"), 0.01)
	require.Empty(t, behind.Value("items"))
}

// The list says of a draft what the editor says: how many changes it is away from what is installed.
func TestADraftKnowsInHowMuchItDiffersFromWhatIsInstalled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	require.Nil(t, s.get().DraftChanges, "nothing is installed")
	s.install()
	require.Zero(t, *s.get().DraftChanges)
	moved := s.drawing(443)
	moved.Nodes[0].Position, moved.Nodes[1].Title = &graph.Position{X: 40, Y: 7}, "Amsterdam"
	s.save(moved)
	require.Zero(t, *s.get().DraftChanges, "names and places change nothing of what runs")
	s.save(s.drawing(8443))
	require.Equal(t, 1, *s.get().DraftChanges)
	s.install()
	require.Zero(t, *s.get().DraftChanges)
}

// A subscription takes as many statements for many flows as for one: its client with what it has on all of them, the
// installed drawings, the installed parts of their entries, and the secrets that somebody brought.
func TestASubscriptionTakesAsManyStatementsForManyFlowsAsForOne(t *testing.T) {
	t.Parallel()
	s, count := counted(t, 2, subscriptions.Module())
	s.install()
	client := s.get().Clients[0].ID
	url := s.admin.Post(s.path("/clients/"+client+"/public-link"), nil).Is(201).Text("url")
	address := url[strings.LastIndex(url, "/s/"):] + "?format=links"
	links := func() (n int) {
		text, err := base64.StdEncoding.DecodeString(string(s.panel.Anonymous().Get(address).Is(200).Body))
		require.NoError(t, err)
		return strings.Count(string(text), "vless://")
	}
	one := count.OfRequests(func() { require.Equal(t, 1, links()) })
	const flows = 5
	for i := 1; i < flows; i++ {
		s.flow = s.grow(fmt.Sprint("Flow ", i), 2, 3000+i)
		s.admin.Put("/api/v1/clients/"+client+"/flows/"+s.flow, nil).Is(200)
		s.install()
	}
	many := count.OfRequests(func() { require.Equal(t, flows, links()) })
	require.Positive(t, one)
	require.LessOrEqual(t, many, int64(4))
	require.LessOrEqual(t, many, one+1, "one reads the settings, perhaps")
}
