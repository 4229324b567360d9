package flows_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/traffic"
	"panel/modules/nodes/nodesapi"
	"panel/modules/subscriptions"
	"panel/platform/database"
	"panel/platform/paneltest"
)

func TestConformance(t *testing.T) {
	fleet := newFleet("one")
	paneltest.Check(t, flows.Module(), clients.Module(), fleet.manifest(), fleet.bindings())
}

// Specification, Endpoints rule 9: a link is issued separately, is not cached and matches the last installed
// configuration.
// Specification, Flow: a plan has id and revision; "id and revision are sent back" when it is applied.
func TestAFlowIsInstalledExitsFirstAndItsLinkMatches(t *testing.T) {
	t.Parallel()
	s := setup(t)
	require.Equal(t, "draft", s.get().State)
	a := s.install()
	require.Equal(t, []string{"exit", "entry"}, []string{a.Steps[0].Role, a.Steps[1].Role})
	require.Equal(t, []string{"prepare", "switch", "commit"}, s.fleet.phases("ams-01"))
	require.Equal(t, []string{"prepare", "switch", "commit"}, s.fleet.phases("fra-01"))
	f := s.get()
	require.Equal(t, "applied", f.State)
	require.Equal(t, "in_sync", f.Drift.State)
	require.Equal(t, 1, *f.InstalledVersionNumber)
	require.True(t, f.Clients[0].Installed)

	answer := s.admin.Post(s.path("/connection-link"), nil).Is(200)
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	uri := answer.Text("uri")
	require.Contains(t, uri, "@192.0.2.2:443?")
	id := strings.TrimPrefix(strings.Split(uri, "@")[0], "vless://")
	require.Contains(t, s.fleet.serving("fra-01"), id, "the link holds what the server knows")
}

// Trap 1: a save without a change has no plan steps, and no node is contacted.
// Specification, Endpoints rule 3: saving a flow draft does not start an installation.
func TestSavingWithoutAChangeInstallsNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	before, revision := s.fleet.contacts(), s.get().DraftRevision
	require.Equal(t, revision, s.save(s.drawing(443)).Revision)
	p := s.compile()
	require.True(t, p.IsNoop)
	require.Empty(t, p.Steps)
	a := s.apply(p)
	require.Equal(t, "applied", a.State)
	require.Equal(t, 1, *a.VersionNumber, "no new version")
	require.Equal(t, before, s.fleet.contacts())
}

func TestAnOwnBindingGivesTheLinkItsHostName(t *testing.T) {
	t.Parallel()
	s := setup(t)
	own := database.NewID()
	s.fleet.domains[own] = domainsapi.Domain{
		ID:       own,
		NodeID:   s.fleet.id("fra-01"),
		Hostname: "fra.example.org",
		OwnerID:  s.admin.AccountID,
	}
	g := s.drawing(443)
	g.Nodes[0].NodeDomainID = own
	s.save(g)
	s.install()
	require.Equal(t, "fra.example.org", s.get().Entry.Host)
	require.Contains(t, s.admin.Post(s.path("/connection-link"), nil).Is(200).Text("uri"), "@fra.example.org:443")
}

func TestDisablingTakesTheFlowOffAndEnablingPutsItBack(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Online = false })
	s.ended(s.admin.PostOnce(s.path("/disable"), nil).Is(202).Text("apply_id"))
	require.Empty(t, s.fleet.serving("fra-01"), "no core is needed any more")
	require.False(t, s.get().Enabled)
	s.admin.Post(s.path("/connection-link"), nil).Refused(422, "invalid_value")
	s.admin.Post(s.path("/enable"), nil).Refused(422, "agent_offline")
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Online = true })
	a := s.ended(s.admin.PostOnce(s.path("/enable"), nil).Is(202).Text("apply_id"))
	require.Equal(t, "applied", a.State)
	require.True(t, s.get().Enabled)
	require.Equal(t, 1, *s.get().InstalledVersionNumber)
}

// The figures are those of the installed version, whatever the draft says, and there are none of a flow that is not
// installed or switched off.
func TestAFlowShowsWhatItsInstalledVersionCarries(t *testing.T) {
	t.Parallel()
	s := setup(t)
	carried := func() (out traffic.Traffic) {
		s.admin.Get(s.path("/traffic")).Is(200).JSON(&out)
		return out
	}
	require.Empty(t, carried().Entries)
	s.install()
	now, open := time.Now().UTC(), int64(5)
	s.fleet.mu.Lock()
	s.fleet.carried = map[string]nodesapi.Reading{s.fleet.id("fra-01"): {
		ObservedAt: now, Listeners: map[string]nodesapi.Carried{plan.InboundTag(s.flow, "in"): {
			Sessions: &open,
			UpBps:    1, DownBps: 2,
		}},
		Outbounds: map[string]nodesapi.Carried{"flow." + s.flow + ".out.in.out": {UpBps: 3, DownBps: 4}},
	}}
	s.fleet.mu.Unlock()
	s.save(graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}})
	all := carried()
	require.EqualValues(t, 5, *all.Sessions)
	listed := s.carried(s.flow, database.NewID(), "no id")
	require.Len(t, listed.Items, 1, "unknown flows are left out")
	require.Equal(t, traffic.Sum{ID: s.flow, Sessions: all.Sessions, UpBps: all.UpBps, DownBps: all.DownBps},
		listed.Items[0])
	require.EqualValues(t, 2, *all.DownBps)
	require.Equal(t, 30, all.StaleAfterSeconds)
	require.Equal(t, "in", all.Entries[0].Block)
	require.EqualValues(t, 4, *all.Edges[0].DownBps)
	s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
	require.Empty(t, carried().Entries)
	require.Nil(t, carried().Sessions)
	require.Equal(t, []traffic.Sum{{ID: s.flow}}, s.carried(s.flow).Items, "a flow that is off carries nothing")
	require.NotNil(t, s.carried("no id").Items, "a list is never null")
	s.admin.Get(units+"/traffic?ids="+strings.Repeat(",", 64)).Refused(400, "bad_parameter")
	s.admin.Get(units+"/"+database.NewID()+"/traffic").Refused(404, "not_found")
}

// carried asks what several flows carry.
func (s *stage) carried(ids ...string) (out traffic.Sums) {
	s.t.Helper()
	s.admin.Get(units + "/traffic?ids=" + url.QueryEscape(strings.Join(ids, ","))).Is(200).JSON(&out)
	return out
}

// An apply is shown again with its own drawing, whatever is drawn now, and the sessions on its nodes around it.
func TestAnApplyIsShownAgainWithTheSessionsAroundIt(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.install()
	s.save(graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}})
	during, earlier := a.StartedAt.UTC(), a.StartedAt.Add(-time.Hour)
	s.fleet.mu.Lock()
	s.fleet.sessions = map[string][]nodesapi.Point{
		s.fleet.id("fra-01"): {{At: earlier, Value: 9}, {At: during, Value: 412}},
	}
	s.fleet.mu.Unlock()
	var shown traffic.Replay
	s.admin.Get(s.path("/applies/" + a.ApplyID + "/replay")).Is(200).JSON(&shown)
	require.Len(t, shown.Graph.Nodes, len(s.drawing(443).Nodes))
	require.Equal(t, 15, shown.StepSeconds)
	require.WithinDuration(t, a.StartedAt.Add(-5*time.Minute), shown.From, time.Second)
	require.False(t, shown.To.Before(*a.FinishedAt))
	require.Len(t, shown.Nodes, 1, "nobody counts sessions on the other node")
	require.Equal(t, s.fleet.id("fra-01"), shown.Nodes[0].NodeID)
	require.Len(t, shown.Nodes[0].Sessions, 1, "what was an hour before does not belong to it")
	require.InDelta(t, 412, shown.Nodes[0].Sessions[0].Value, 0)

	off := s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
	body := s.admin.Get(s.path("/applies/" + off.ApplyID + "/replay")).Is(200)
	body.JSON(&shown)
	require.Empty(t, shown.Graph.Nodes, "it takes the flow off its nodes")

	other := s.create("another", 444)
	s.admin.Get(units+"/"+other+"/applies/"+a.ApplyID+"/replay").Refused(404, "not_found")
	s.admin.Get(s.path("/applies/"+database.NewID()+"/replay")).Refused(404, "not_found")
}

func TestDeletingRemovesTheFlowFromItsServersAndLeavesOthers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	first := s.flow
	s.flow = s.create("Second", 8443)
	s.install()
	require.Contains(t, s.fleet.serving("fra-01"), first)
	require.Contains(t, s.fleet.serving("fra-01"), s.flow)
	s.admin.Delete(s.path("")).Is(202)
	require.Eventually(
		t,
		func() bool { return !strings.Contains(s.fleet.serving("fra-01"), s.flow) },
		30*time.Second,
		20*time.Millisecond,
	)
	require.Contains(t, s.fleet.serving("fra-01"), first)
	require.Eventually(
		t,
		func() bool { return s.admin.Get(s.path("")).Status == 404 },
		30*time.Second,
		20*time.Millisecond,
	)
}

// A public link is a subscription; unknown and revoked tokens get the same answer.
func TestSubscriptionsFollowTheInstalledFlow(t *testing.T) {
	t.Parallel()
	s := setup(t, subscriptions.Module())
	s.save(s.drawing(443))
	s.install()
	s.save(s.drawing(8443)) // a draft changes nothing
	client := s.get().Clients[0].ID
	answer := s.admin.Post(s.path("/clients/"+client+"/public-link"), nil).Is(201)
	token := answer.Text("url")[strings.LastIndex(answer.Text("url"), "/s/"):]
	body := s.panel.Anonymous().Get(token).Is(200).Body
	links, err := base64.StdEncoding.DecodeString(string(body))
	require.NoError(t, err)
	require.Equal(t, s.admin.Post(s.path("/connection-link"), nil).Text("uri")+"\n", string(links))

	s.admin.Delete(s.path("/clients/" + client + "/public-link")).Is(204)
	revoked := s.panel.Anonymous().Get(token).Refused(404, "not_found")
	unknown := s.panel.Anonymous().Get("/s/NOSUCHTOKEN").Refused(404, "not_found")
	require.Equal(t, revoked.Text("detail"), unknown.Text("detail"))
}
