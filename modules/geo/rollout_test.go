package geo

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/geo/geoapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/paneltest"
	"panel/platform/restored"
)

// Design: rings of one node, a twentieth, a quarter, and all.
func TestNodesAreSharedIntoRings(t *testing.T) {
	t.Parallel()
	count := map[int]int{}
	for at := range 100 {
		count[ringOf(at, 100)]++
	}
	require.Equal(t, map[int]int{1: 1, 2: 4, 3: 20, 4: 75}, count)
	require.Equal(t, []int{1, 4}, []int{ringOf(0, 2), ringOf(1, 2)})
}

func (s *stage) nodesOf(id string) map[string]NodeState {
	s.t.Helper()
	var page httpapi.Page[NodeState]
	s.admin.Get(assetsPath + "/" + id + "/nodes").Is(http.StatusOK).JSON(&page)
	out := map[string]NodeState{}
	for _, n := range page.Items {
		out[n.NodeName] = n
	}
	return out
}

func TestARollOutGoesFromRingToRing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a", "b"))
	all := map[string]*node{}
	for i := range 3 {
		n := s.node(fmt.Sprintf("n%d", i))
		all[n.NodeID] = n
	}
	s.Enroll("old").Online()                                                    // its agent cannot hold files
	s.admin.Post("/api/v1/nodes", fields{"name": "new"}).Is(http.StatusCreated) // it has no agent yet
	id := s.geosite()
	require.Equal(t, stateDistributing, s.update(id, true).State)
	canary := s.canary(id, all)
	require.Empty(t, s.toldOf(all, first, canary), "nobody before the first has taken it")
	canary.takes(first)
	quarter := s.inRing(id, all, firstRing+2)
	quarter.told(first)
	require.Empty(t, s.toldOf(all, first, canary, quarter), "nobody before the quarter has taken it")
	s.allTake(all, first)
	a := s.until(id, inState(stateCurrent))
	require.Equal(t, NodeCounts{Total: 4, Current: 3, Waiting: 1}, a.Nodes)
	require.Equal(t, nodeUnsupported, s.nodesOf(id)["old"].State)
	require.NotContains(t, s.nodesOf(id), "new")
	var mine NodeAssets
	s.admin.Get(assetsPath + "/of-node/" + canary.NodeID).Is(http.StatusOK).JSON(&mine)
	require.Equal(t, [3]string{nameGeosite, first, nodeCurrent},
		[3]string{mine.Items[0].Name, mine.Items[0].SHA256, mine.Items[0].State})
	s.admin.Get(assetsPath+"/of-node/nothing").Refused(http.StatusNotFound, "not_found")
	require.Equal(t, string(sites("a", "b")), string(canary.Get("/agent/v1/assets/"+first).Is(http.StatusOK).Body))
	require.Contains(t, s.Recorded(object, id), geoapi.Updated)

	late := s.node("late")
	late.takes(first)
	require.Eventually(t, func() bool { return s.nodesOf(id)["late"].State == nodeCurrent }, within, every,
		"a node that comes gets what the others hold")
}

// canary is the node of the first ring.
func (s *stage) canary(id string, all map[string]*node) *node {
	s.t.Helper()
	return s.inRing(id, all, firstRing)
}

// inRing is the one node of a ring, once it was told of a version.
func (s *stage) inRing(id string, all map[string]*node, ring int) *node {
	s.t.Helper()
	var found *node
	require.Eventually(s.t, func() bool {
		for _, n := range s.nodesOf(id) {
			if n.Ring == ring && n.At != nil {
				found = all[n.NodeID]
			}
		}
		return found != nil
	}, within, every)
	return found
}

// toldOf gives the nodes beside some that shall hold a version.
func (s *stage) toldOf(all map[string]*node, sha256 string, but ...*node) (names []string) {
	for _, n := range all {
		_, content, _ := n.wanted()
		for _, f := range content.Files {
			if !slices.Contains(but, n) && f.SHA256 == sha256 {
				names = append(names, n.NodeID)
			}
		}
	}
	return names
}

func TestAFailureStopsTheRollOutAndAReturnIsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	all := map[string]*node{}
	for i := range 3 {
		n := s.node(fmt.Sprintf("n%d", i))
		all[n.NodeID] = n
	}
	id := s.geosite()
	s.update(id, true)
	s.canary(id, all).takes(first)
	s.allTake(all, first)
	s.until(id, inState(stateCurrent))

	second := s.origin.publish("geosite.dat", sites("a", "b"))
	s.update(id, true)
	s.admin.Post(assetsPath+"/"+id+"/distribute", fields{}).Refused(http.StatusConflict, "geo_no_candidate")
	canary := s.canary(id, all)
	canary.refuses(second, "the core refuses the configuration: no space left on device")
	a := s.until(id, inState(stateFailed))
	require.Equal(t, reasonDisk, a.RejectReason)
	require.Contains(t, a.RejectDetail, "no space left")
	require.Equal(t, first, a.Previous.SHA256)
	require.Empty(t, s.toldOf(all, second, canary), "the others keep what they have")
	require.Equal(t, nodeFailed, s.nodesOf(id)[s.nameOf(canary)].State)
	late := s.node("late")
	late.told(first)

	s.admin.Post(assetsPath+"/"+id+"/rollback", fields{}).Is(http.StatusAccepted)
	s.allTake(all, first)
	late.takes(first)
	a = s.until(id, inState(stateReady))
	require.Equal(t, first, a.Version.SHA256)
	require.Nil(t, a.Previous)
	require.Equal(t, second, a.Candidate.SHA256, "what was returned from may go forth again")
	require.Contains(t, s.Recorded(object, id), geoapi.RolledBack)
	require.Contains(t, s.Recorded(object, id), geoapi.DistributionFailed)

	require.Equal(t, stateReady, s.scheduled(id).State, "the schedule fetches it again and does not roll it out")
	require.Equal(t, second, s.asset(id).Candidate.SHA256)

	s.admin.Post(assetsPath+"/"+id+"/distribute", fields{}).Is(http.StatusAccepted)
	all[late.NodeID] = late
	s.allTake(all, second)
	a = s.until(id, inState(stateCurrent))
	require.Equal(t, [2]string{second, first}, [2]string{a.Version.SHA256, a.Previous.SHA256}, "in rings, by a person")
}

// A newer file that waits stays the candidate when nodes return from the one before it.
func TestAReturnKeepsTheNewerCandidate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	s.update(id, true)
	s.until(id, inState(stateCurrent))
	s.origin.publish("geosite.dat", sites("b"))
	s.update(id, true)
	s.until(id, inState(stateCurrent))
	third := s.origin.publish("geosite.dat", sites("c"))
	s.update(id, false)
	s.admin.Post(assetsPath+"/"+id+"/rollback", fields{}).Is(http.StatusAccepted)
	require.Equal(t, third, s.until(id, inState(stateReady)).Candidate.SHA256)
	s.admin.Post(assetsPath+"/"+id+"/rollback", fields{}).Refused(http.StatusConflict, "geo_no_previous")
}

// Rule: an agent that was away for a week holds what it held, keeps nobody waiting, and gets the newest version at once
// when it is back, however many there were in between.
func TestAnAgentThatWasAwayForAWeekGetsTheNewest(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	here, away := s.node("here"), s.node("away")
	all := map[string]*node{here.NodeID: here, away.NodeID: away}
	id := s.geosite()
	s.update(id, true)
	s.allTake(all, first)
	s.until(id, inState(stateCurrent))
	_, err := s.DB.NewRaw("update node_reports set seen_at = now() - interval '7 days' where node_id = ?", away.NodeID).
		Exec(t.Context())
	require.NoError(t, err)
	newest := first
	for i := range mostKept + 2 {
		newest = s.origin.publish("geosite.dat", sites("a", fmt.Sprintf("day%d", i)))
		s.update(id, true)
		here.takes(newest)
		s.until(id, inState(stateCurrent))
	}
	state := s.nodesOf(id)["away"]
	require.Equal(t, [2]string{nodeOffline, first}, [2]string{state.State, state.SHA256})
	require.Equal(t, NodeCounts{Total: 2, Current: 1, Waiting: 1}, s.asset(id).Nodes)
	var kept KeptVersions
	s.admin.Get(assetsPath + "/" + id + "/versions").Is(http.StatusOK).JSON(&kept)
	require.Contains(t, fmt.Sprint(kept.Items), first, "what a node holds is not forgotten")

	away.beat()
	away.takes(newest)
	require.Eventually(t, func() bool { return s.nodesOf(id)["away"].State == nodeCurrent }, within, every)
	require.Equal(t, string(sites("a", fmt.Sprintf("day%d", mostKept+1))),
		string(away.Get("/agent/v1/assets/"+newest).Is(http.StatusOK).Body))
}

// A node that came after a roll-out shall hold the file too: screens that are open learn of it.
func TestScreensAreToldOfANodeThatCameLater(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	here := s.node("here")
	id := s.geosite()
	s.update(id, true)
	s.allTake(map[string]*node{here.NodeID: here}, first)
	s.until(id, inState(stateCurrent))
	news := s.App.Bus().Subscribe(t.Context())
	s.node("later")
	wanted := NodeCounts{Total: 2, Current: 1, Waiting: 1}
	told := func() bool { return (<-news).Kind == geoapi.Moved && s.asset(id).Nodes == wanted }
	require.Eventually(t, told, within, every)
}

func (s *stage) nameOf(n *node) string { return n.Node().Text("name") }

// scheduled lets the schedule of an asset be due.
func (s *stage) scheduled(id string) Asset {
	s.t.Helper()
	before := s.asset(id).FetchedAt
	_, err := s.DB.NewRaw("update geo_assets set next_update_at = now() - interval '1 minute' where id = ?", id).
		Exec(s.t.Context())
	require.NoError(s.t, err)
	require.NoError(s.t, s.own.due(s.t.Context()))
	return s.until(id, func(a Asset) bool {
		return a.FetchedAt != nil && (before == nil || a.FetchedAt.After(*before)) && a.State != stateChecking
	})
}

func TestTheScheduleFetchesAndAPinIsObeyed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	id := s.geosite()
	require.Equal(t, first, s.scheduled(id).Version.SHA256)
	require.NotNil(t, s.asset(id).NextUpdateAt)
	s.until(id, inState(stateCurrent))
	s.admin.Patch(assetsPath+"/"+id, fields{"revision": 1, "pinned": true}).Is(http.StatusOK)
	asked := s.origin.asked
	_, err := s.DB.NewRaw("update geo_assets set next_update_at = now() - interval '1 minute'").Exec(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.own.due(t.Context()))
	require.Equal(t, asked, s.origin.asked)
}

// Spec: a roll-out survives kill -9 and goes on with any panel.
func TestARollOutGoesOnWithAnotherPanel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	all := map[string]*node{}
	for i := range 2 {
		n := s.node(fmt.Sprintf("n%d", i))
		all[n.NodeID] = n
	}
	id := s.geosite()
	s.update(id, true)
	canary := s.canary(id, all)
	other := newStageOn(t, s)
	_, err := s.DB.NewRaw("update geo_rollouts set lease_token = 'dead', lease_until = now() - interval '1 s'").Exec(t.Context())
	require.NoError(t, err)
	canary.takes(first)
	s.allTake(all, first)
	other.until(id, inState(stateCurrent))
}

func newStageOn(t *testing.T, s *stage) *stage {
	t.Helper()
	return newStage(t, paneltest.On(s.DB))
}

// What a node is taken to hold follows from its last word, also while it was told of something newer.
func TestWhatANodeHoldsFollowsFromItsLastWord(t *testing.T) {
	t.Parallel()
	able := &nodesapi.Node{Name: "n", Online: true, Capabilities: []string{capability}}
	gone := &nodesapi.Node{Name: "n", Capabilities: []string{capability}}
	row := nodeRow{Wanted: "2", Held: "1"}
	for name, one := range map[string]struct {
		node  *nodesapi.Node
		said  string
		state string
		held  string
	}{
		"has taken it":      {able, nodesapi.DocumentApplied, nodeCurrent, "2"},
		"is at it":          {able, nodesapi.DocumentPending, nodeWaiting, "1"},
		"could not":         {able, nodesapi.DocumentFailed, nodeFailed, "1"},
		"is away":           {gone, nodesapi.DocumentPending, nodeOffline, "1"},
		"took it, is away":  {gone, nodesapi.DocumentApplied, nodeCurrent, "2"},
		"cannot hold files": {&nodesapi.Node{Online: true}, "", nodeUnsupported, "1"},
	} {
		got := judged(row, one.node, nodesapi.DocumentState{State: one.said}, "2")
		require.Equal(t, [2]string{one.state, one.held}, [2]string{got.State, got.Held}, name)
	}
}

// A roll-out that was under way in a database that was restored ends there: nodes keep what they hold, and a person
// begins it anew.
func TestARollOutEndsWithARestore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	all := map[string]*node{}
	for i := range 2 {
		n := s.node(fmt.Sprintf("n%d", i))
		all[n.NodeID] = n
	}
	id := s.geosite()
	s.update(id, true)
	canary := s.canary(id, all)
	text, err := restored.Note{ID: database.NewID(), Artefact: "panel-1"}.SQL()
	require.NoError(t, err)
	_, err = s.DB.ExecContext(t.Context(), text)
	require.NoError(t, err)
	other := newStageOn(t, s)
	a := other.until(id, inState(stateFailed))
	require.Contains(t, a.RejectDetail, restored.Cause)
	require.Empty(t, s.toldOf(all, first, canary), "the other node was not told of it")
	again := s.scheduled(id)
	require.Equal(t, [2]string{stateFailed, reasonNode}, [2]string{again.State, again.RejectReason},
		"the schedule does not roll out again what has failed")
	s.update(id, true)
	s.allTake(all, first)
	require.Equal(t, first, other.until(id, inState(stateCurrent)).Version.SHA256)
}
