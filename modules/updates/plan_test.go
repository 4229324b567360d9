package updates

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/release"
)

// fleetOf makes nodes in the order of their names, all online and seen.
func fleetOf(versions ...string) []nodesapi.Node {
	nodes := make([]nodesapi.Node, len(versions))
	for i, version := range versions {
		name := fmt.Sprintf("node-%03d", i)
		nodes[i] = nodesapi.Node{ID: name, Name: name, Online: true, SeenAt: time.Unix(1, 0), AgentVersion: version}
	}
	return nodes
}

func namesOf(nodes []nodesapi.Node) []string {
	names := []string{}
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

// settingsOf draws sizes as the API takes them: a number of nodes, then rising shares in percent.
func settingsOf(random *rand.Rand) []int {
	sizes := []int{1 + random.IntN(200)}
	for share := 0; len(sizes) < 1+random.IntN(6) && share < 100; {
		share += 1 + random.IntN(100-share)
		sizes = append(sizes, share)
	}
	return sizes
}

// Whatever the settings and however large the fleet: every node belongs to one ring, rings follow each other without a
// gap, the first has no more nodes than was said, and what lies beyond the last share belongs to the last ring.
func TestRingsDivideAFleetOfAnySize(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 11))
	for range 5000 {
		sizes, count := settingsOf(random), random.IntN(1200)
		rings := ringOf(count, sizes)
		require.Len(t, rings, count)
		require.True(t, slices.IsSorted(rings), "%v of %d: %v", sizes, count, rings)
		members := map[int]int{}
		for _, ring := range rings {
			members[ring]++
		}
		for ring := 1; ring <= len(members); ring++ {
			require.Positive(t, members[ring], "%v of %d leave ring %d empty before a later one", sizes, count, ring)
		}
		if len(sizes) > 1 {
			require.LessOrEqual(t, members[1], sizes[0])
		}
		if count > 0 {
			require.LessOrEqual(t, rings[count-1], len(sizes))
			require.GreaterOrEqual(t, rings[0], 1)
		}
	}
}

// A share is counted over the whole list, not over what the rings before have left, and is rounded up.
func TestARingReachesToItsShareOfTheWholeFleet(t *testing.T) {
	t.Parallel()
	reach := func(count int, sizes ...int) (ends []int) {
		rings := ringOf(count, sizes)
		for ring := range sizes {
			ends = append(ends, len(rings)-len(slices.DeleteFunc(slices.Clone(rings),
				func(r int) bool { return r <= ring+1 })))
		}
		return ends
	}
	require.Equal(t, []int{2, 25, 100}, reach(100, 2, 25, 100))
	require.Equal(t, []int{1, 2, 3, 10}, reach(10, 1, 11, 21, 100), "shares of a node are rounded up")
	require.Equal(t, []int{5, 6, 10}, reach(10, 5, 10, 100), "a share that the first ring has passed adds one node")
	require.Equal(t, []int{10}, reach(10, 3), "a single ring is all")
	require.Equal(t, []int{3, 7}, reach(7, 3, 20), "the last ring is always the rest")
	require.Equal(t, []int{4, 4, 4}, reach(4, 50, 60, 100), "the first ring may be larger than the fleet")
}

// Behind a build are the agents that are older or of no known version. One that is newer is left alone, and one that
// never reported is not there yet.
func TestOnlyAgentsThatAreOlderAreBehind(t *testing.T) {
	t.Parallel()
	nodes := fleetOf("1.0.0", "1.1.0", "v1.1.0-rc.1", "1.1.0-3-gabcdef", "2.0.0", "dev", "", "0.9.9")
	nodes[7].SeenAt = time.Time{}
	require.Equal(t, []string{"node-000", "node-002", "node-005", "node-006"}, namesOf(behind(nodes, "1.1.0", nil)))
	require.Len(t, nodes, 8, "the list of the caller stays as it was")
	require.Equal(t, "node-001", nodes[1].Name)
}

// The chosen nodes go first, in the order that was chosen, then those that are online, by name; an offline one is last,
// because it would hold up its ring.
func TestNodesGoInTheOrderThatWasChosen(t *testing.T) {
	t.Parallel()
	nodes := fleetOf("1.0.0", "1.0.0", "1.0.0", "1.0.0", "1.0.0")
	nodes[0].Online, nodes[3].Online = false, false
	first := []string{"node-004", "gone", "node-003"}
	require.Equal(
		t,
		[]string{"node-004", "node-003", "node-001", "node-002", "node-000"},
		namesOf(behind(nodes, "1.1.0", first)),
	)
	require.Equal(t, []RingNode{{"node-004", "node-004"}, {"node-003", "node-003"}}, firstOf(nodes, first))
	require.Equal(t, []RingNode{}, firstOf(nodes, nil))
}

// For any two versions one rule holds in the rollout and on its screen: who is behind is exactly who would be given an
// order, and after the build was taken nobody is behind.
func TestNobodyIsBehindOnceTheBuildWasTaken(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	known := []string{"", "dev", "0.9.0", "1.0.0", "1.0.0-2-g0123456", "v1.0.1", "1.1.0-rc.2", "1.1.0", "2.0.0"}
	for range 500 {
		versions := make([]string, 20)
		for i := range versions {
			versions[i] = known[random.IntN(len(known))]
		}
		build := known[3+random.IntN(len(known)-3)]
		nodes := fleetOf(versions...)
		for _, n := range behind(nodes, build, nil) {
			require.LessOrEqual(t, release.Compare(n.AgentVersion, build), 0)
			at := slices.IndexFunc(nodes, func(other nodesapi.Node) bool { return other.ID == n.ID })
			nodes[at].AgentVersion = build
		}
		require.Empty(t, behind(nodes, build, nil))
	}
}

// A ring tells how many nodes it has and names the first of them; thousands of names would help nobody.
func TestALargeRingNamesItsFirstNodesOnly(t *testing.T) {
	t.Parallel()
	rings := ringsOf(fleetOf(slices.Repeat([]string{"1.0.0"}, 300)...), []int{1, 10, 100})
	require.Equal(t, []int{1, 29, 270}, []int{rings[0].Nodes, rings[1].Nodes, rings[2].Nodes})
	require.Equal(t, []string{"nodes", "percent", "percent"}, []string{rings[0].Unit, rings[1].Unit, rings[2].Unit})
	require.Len(t, rings[0].Members, 1)
	require.Len(t, rings[1].Members, 20)
	require.Equal(t, "node-001", rings[1].Members[0].Name)
	require.Len(t, rings[2].Members, 20)
	for _, ring := range ringsOf(nil, []int{1, 100}) {
		require.Zero(t, ring.Nodes)
		require.NotNil(t, ring.Members, "an empty ring has an empty list in the answer")
	}
}

// Versions are counted newest first; what never reported stands last.
func TestVersionsAreCountedNewestFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, []VersionCount{{"2.0.0", 1}, {"1.10.0", 1}, {"1.9.0", 2}, {"dev", 1}, {"", 2}},
		versionsOf(fleetOf("1.9.0", "", "1.10.0", "dev", "1.9.0", "2.0.0", "")))
	require.Equal(t, []VersionCount{}, versionsOf(nil))
}

// The journal names what was changed and leaves out what stayed.
func TestTheJournalNamesTheChangesOfRingsOnly(t *testing.T) {
	t.Parallel()
	before := usual()
	same := *before
	require.Empty(t, changes(before, &same))
	after := ringsRow{Sizes: []int{2, 100}, FirstNodes: []string{"a"}, PauseSeconds: 5, Parallel: 1}
	require.Equal(t, map[string]audit.Change{
		"sizes": {From: []int{1, 10, 100}, To: []int{2, 100}}, "first_nodes": {From: []string{}, To: []string{"a"}},
		"pause_seconds": {From: 60, To: 5}, "parallel": {From: 10, To: 1},
	}, changes(before, &after))
	same.Parallel = 11
	require.Equal(t, map[string]audit.Change{"parallel": {From: 10, To: 11}}, changes(before, &same))
}

// A rollout shows its nodes by ring and state. What is known to the panel alone, the moment between the decision on an
// order and its number, looks like work that goes on.
func TestARolloutCountsItsNodesByRing(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("", 3*3600))
	rested := began.Add(time.Minute)
	o := &rolloutRow{
		ID: "one", State: running, Ring: 2, StartedAt: began, RestedAt: &rested, PauseSeconds: 60, StoppedBy: "anna",
	}
	shown := o.shown([]tally{
		{
			"one",
			1,
			done,
			1,
		}, {"one", 2, ordering, 1}, {"one", 2, updating, 2}, {"one", 2, skipped, 4}, {"other", 1, failed, 9},
	})
	require.Equal(t, []RolloutRing{
		{Ring: 1, Total: 1, Counts: map[string]int{done: 1}},
		{Ring: 2, Total: 7, Counts: map[string]int{updating: 3, skipped: 4}},
	}, shown.Rings)
	require.Equal(t, map[string]int{done: 1, updating: 3, skipped: 4}, shown.Counts)
	require.Equal(t, began.Add(2*time.Minute).UTC(), *shown.RestUntil)
	require.True(t, shown.Stopping)
	o.FinishedAt = &rested
	ended := o.shown(nil)
	require.Nil(t, ended.RestUntil, "nothing is watched after the end")
	require.False(t, ended.Stopping)
	require.Equal(t, time.UTC, ended.StartedAt.Location())
	require.NotNil(t, ended.Rings)
	node := (&targetRow{State: ordering, OrderedAt: &began}).shown()
	require.Equal(t, updating, node.State)
	require.Equal(t, began.UTC(), *node.OrderedAt)
	require.Nil(t, node.EndedAt)
}
