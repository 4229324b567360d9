package statuspage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
)

var errBroken = errors.New("it is broken")

// around are the neighbours of the module as a test wants them; nobody is asked who is not set.
type around struct {
	flowsapi.Flows
	nodes  []nodesapi.Status
	flows  []string // names, in the order of their ids
	groups []poolsapi.Pool
	asked  []string
	fails  error
}

func (a *around) Statuses(context.Context, string) ([]nodesapi.Status, error) {
	a.asked = append(a.asked, "nodes")
	return a.nodes, a.fails
}

func (a *around) Pools(_ context.Context, ids ...string) ([]poolsapi.Pool, error) {
	a.asked = append(a.asked, "pools")
	return slices.DeleteFunc(slices.Clone(a.groups), func(p poolsapi.Pool) bool {
		return len(ids) > 0 && !slices.Contains(ids, p.ID)
	}), a.fails
}

func (a *around) Blocked(context.Context) ([]string, error) { return nil, a.fails }

func (a *around) Names(_ context.Context, ids ...string) (map[string]string, error) {
	a.asked = append(a.asked, "flows")
	return map[string]string{ids[0]: "flow of " + ids[0]}, a.fails
}

func (a *around) Page(_ context.Context, after string, most int) (page []flowsapi.Flow, err error) {
	a.asked = append(a.asked, "flows after "+after)
	for i, name := range a.flows {
		if id := fmt.Sprintf("f%04d", i); id > after && len(page) < most {
			page = append(page, flowsapi.Flow{ID: id, Name: name, NodeIDs: []string{"n1", "n2"}})
		}
	}
	return page, a.fails
}

func (a *around) neighbours() *neighbours {
	return &neighbours{statuses: a, flows: a, pools: a}
}

func everything() *around {
	return &around{
		nodes: []nodesapi.Status{
			{ID: "n1", Name: "ams-1", Region: "eu", Country: "NL"},
			{ID: "n2", Name: "AMS-2", Region: "eu", Country: "NL"},
			{ID: "n3", Name: "nyc-1", Region: "america"},
			{ID: "n4", Name: "lab"},
		},
		flows:  []string{"ams flow", "other"},
		groups: []poolsapi.Pool{{ID: "p1", Name: "Pool of ams", NodeIDs: []string{"n1"}, FlowIDs: []string{"f0000", "f0001"}}},
	}
}

// Who makes a component finds nodes, regions, pools and flows by a part of their names, and asks only those he wants.
func TestSourcesAreFoundByAPartOfTheirName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		query, kind string
		found       []Source
		asked       []string
	}{
		{" AMS", "", []Source{
			{"node", "n1", "ams-1", "NL"},
			{"node", "n2", "AMS-2", "NL"},
			{"pool", "p1", "Pool of ams", "3"},
			{"flow", "f0000", "ams flow", "2"},
		}, []string{"nodes", "pools", "flows after "}},
		{"", "region", []Source{{"region", "america", "america", "1"}, {"region", "eu", "eu", "2"}}, []string{"nodes"}},
		{"1", "node", []Source{{"node", "n1", "ams-1", "NL"}, {"node", "n3", "nyc-1", ""}}, []string{"nodes"}},
		{"", "pool", []Source{{"pool", "p1", "Pool of ams", "3"}}, []string{"pools"}},
		{"nothing", "flow", []Source{}, []string{"flows after "}},
	} {
		a := everything()
		found, err := a.neighbours().sources(t.Context(), test.query, test.kind)
		require.NoError(t, err)
		require.Equal(t, test.found, found.Items, "%q %s", test.query, test.kind)
		require.Equal(t, test.asked, a.asked, "%q %s", test.query, test.kind)
	}
}

// Of many sources fifty are named, and no further page of flows is read for those that nobody sees.
func TestSourcesAreOnlySoMany(t *testing.T) {
	t.Parallel()
	a := &around{}
	for i := range 450 {
		a.flows = append(a.flows, map[bool]string{true: "wanted", false: "other"}[i >= 150])
	}
	found, err := a.neighbours().sources(t.Context(), "wanted", "flow")
	require.NoError(t, err)
	require.Len(t, found.Items, mostSources)
	require.Equal(t, "f0150", found.Items[0].ID)
	require.Equal(t, []string{"flows after "}, a.asked)
	a.asked = nil
	found, err = a.neighbours().sources(t.Context(), "nothing", "flow")
	require.NoError(t, err)
	require.Empty(t, found.Items)
	require.Equal(t, []string{"flows after ", "flows after f0199", "flows after f0399"}, a.asked, "up to the last page")
}

// The names of what components stand for are asked for by kind, and only where a component stands for it.
func TestNamesAreAskedForWhereTheyAreNeeded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		source, id string
		asked      []string
		key, name  string
	}{
		{fromNode, "n1", []string{"nodes"}, "node n1", "ams-1"},
		{fromRegion, "eu", []string{"nodes"}, "region eu", "eu"},
		{fromPool, "p1", []string{"pools"}, "pool p1", "Pool of ams"},
		{fromFlow, "f1", []string{"flows"}, "flow f1", "flow of f1"},
		{byHand, "", nil, "manual ", ""},
		{fromPool, "gone", []string{"pools"}, "pool gone", ""},
	} {
		a := everything()
		names, err := a.neighbours().sourcesOf(t.Context(), []Component{{Source: test.source, SourceID: test.id}})
		require.NoError(t, err)
		require.Equal(t, test.asked, a.asked)
		require.Equal(t, test.name, names[test.key])
	}
}

// A neighbour that fails fails the question; nothing is taken for gone.
func TestANeighbourThatFailsIsNoAbsence(t *testing.T) {
	t.Parallel()
	a := everything()
	a.fails = errBroken
	for _, kind := range []string{fromNode, fromRegion, fromPool, fromFlow} {
		_, err := a.neighbours().sources(t.Context(), "", kind)
		require.ErrorIs(t, err, errBroken, kind)
		_, err = a.neighbours().sourcesOf(t.Context(), []Component{{Source: kind, SourceID: "x"}})
		require.ErrorIs(t, err, errBroken, kind)
	}
	s := &service{neighbours: a.neighbours()}
	for _, kind := range []string{fromRegion, fromPool} {
		_, err := s.affected(t.Context(), &draft{Auto: Auto{Draft: true}, Components: []Component{{Source: kind, SourceID: "x"}}},
			healthapi.Incident{})
		require.ErrorIs(t, err, errBroken, kind)
	}
}

// An incident is told of the visible components behind which one who suffers stands: a node or flow itself, its pool,
// its region.
func TestAnIncidentAffectsWhoeverStandsForASufferer(t *testing.T) {
	t.Parallel()
	d := &draft{Auto: Auto{Draft: true}}
	for _, c := range []Component{
		{ID: "node", Source: fromNode, SourceID: "n1"},
		{ID: "other node", Source: fromNode, SourceID: "n3"},
		{ID: "region", Source: fromRegion, SourceID: "eu"},
		{ID: "other region", Source: fromRegion, SourceID: "america"},
		{ID: "pool", Source: fromPool, SourceID: "p1"},
		{ID: "flow", Source: fromFlow, SourceID: "f0001"},
		{ID: "a flow called as the node", Source: fromFlow, SourceID: "n1"},
		{ID: "by hand", Source: byHand},
	} {
		c.Visible = true
		d.Components = append(d.Components, c)
	}
	d.Components = append(d.Components, Component{ID: "hidden", Source: fromNode, SourceID: "n1"})
	s := &service{neighbours: everything().neighbours()}
	for _, test := range []struct {
		incident healthapi.Incident
		want     []string
	}{
		{healthapi.Incident{Nodes: []string{"n1"}}, []string{"node", "region", "pool"}},
		{healthapi.Incident{Nodes: []string{"n2"}}, []string{"region"}},
		{healthapi.Incident{Flows: []string{"f0001"}}, []string{"pool", "flow"}},
		{healthapi.Incident{Nodes: []string{"n4"}, Flows: []string{"n3"}}, []string{}},
	} {
		affected, err := s.affected(t.Context(), d, test.incident)
		require.NoError(t, err)
		require.Equal(t, test.want, affected, "%+v", test.incident)
	}
	d.Auto.Draft = false
	none, err := s.affected(t.Context(), d, healthapi.Incident{Nodes: []string{"n1"}})
	require.NoError(t, err)
	require.Empty(t, none, "the page drafts nothing, whoever suffers")
}

// A notice speaks of an incident in its own words: open or acknowledged is being looked into.
func TestANoticeIsWhereItsIncidentIs(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		healthapi.IncidentOpen: stateInvestigating, healthapi.IncidentMitigated: stateMonitoring,
		healthapi.IncidentResolved: stateResolved, healthapi.IncidentAcknowledged: stateInvestigating,
	} {
		require.Equal(t, want, (&following{incident: healthapi.Incident{State: state}}).state(), state)
	}
	for state, said := range sentences {
		require.NoError(t, checked(state, said, "en", longestBody))
		require.NotEmpty(t, said["ru"], state)
	}
}
