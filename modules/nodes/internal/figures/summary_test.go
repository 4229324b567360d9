package figures

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
)

func (s *stage) summary() *Summary {
	s.t.Helper()
	found, err := s.Summary(s.t.Context())
	require.NoError(s.t, err)
	return found
}

func TestTheSummaryOfAnEmptyFleetHasNoNulls(t *testing.T) {
	t.Parallel()
	got := newStage(t).summary()
	require.Zero(t, got.Total)
	require.Equal(t, map[string]int{
		"pending": 0, "online": 0, "degraded": 0, "offline": 0, "maintenance": 0,
		"disabled": 0,
	}, got.States)
	require.Equal(t, []Region{}, got.Regions)
	require.Equal(t, []Incident{}, got.Attention)
	require.Equal(t, []Version{}, got.Agents)
	require.Equal(t, []Country{}, got.Countries)
	require.Equal(t, []Tag{}, got.Tags)
	require.Nil(t, got.Figures.CPUPercent)
}

// Sums are over the whole fleet and only over what was measured lately, in all, by region and by city.
func TestSumsAreOverAllNodesThatWereMeasuredLately(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	now := s.now()
	reading := func(age time.Duration, sessions any, rx, tx, cpu float64) []any {
		return []any{now.Add(-age), sessions, rx, tx, cpu, 50.0}
	}
	s.add(node{
		name: "fra-1", region: "eu", country: "DE", city: "Frankfurt", tags: []string{"a"},
		readings: reading(9*time.Second, 10, 100, 200, 20),
	})
	s.add(node{
		name: "fra-2", region: "eu", country: "DE", city: "Frankfurt", tags: []string{"a", "b"},
		readings: reading(3*time.Second, 32, 1, 2, 40),
	})
	s.add(node{name: "ams-1", region: "eu", country: "NL", city: "Amsterdam", readings: reading(31*time.Second, 1000,
		1e9, 1e9, 99)})
	s.add(node{name: "nyc-1", region: "us", country: "US", readings: reading(time.Second, nil, 5, 6, 60)})
	s.add(node{name: "new-1", region: "us", country: "US", access: "none"})
	got := s.summary()
	require.Equal(t, 5, got.Total)
	require.Equal(t, 4, got.States["online"])
	require.Equal(t, 1, got.States["pending"])
	require.Equal(t, 3, got.Figures.Nodes)
	require.EqualValues(t, 42, *got.Figures.Sessions)
	require.InDelta(t, 106, got.Figures.NetRxBps, 0.01)
	require.InDelta(t, 208, got.Figures.NetTxBps, 0.01)
	require.InDelta(t, 40, *got.Figures.CPUPercent, 0.01)
	require.Equal(t, now.Add(-9*time.Second), *got.Figures.OldestAt)
	require.Len(t, got.Regions, 2)
	eu, us := got.Regions[0], got.Regions[1]
	require.Equal(t, "eu", eu.Region)
	require.Equal(t, 3, eu.Total)
	require.EqualValues(t, 42, *eu.Figures.Sessions)
	require.Equal(t, []City{
		{CountryCode: "DE", City: "Frankfurt", Total: 2, States: map[string]int{"online": 2}},
		{CountryCode: "NL", City: "Amsterdam", Total: 1, States: map[string]int{"online": 1}},
	}, eu.Cities)
	require.Equal(t, map[string]int{"online": 1, "pending": 1}, us.States)
	require.Nil(t, us.Figures.Sessions, "an agent that does not count sessions does not count as none")
	require.Equal(t, []Version{{"1.2.0", 4}, {"", 1}}, got.Agents)
	require.Equal(t, []Country{{"DE", 2}, {"US", 2}, {"NL", 1}}, got.Countries)
	require.Equal(t, []Tag{{"a", 2}, {"b", 1}}, got.Tags)
}

// An outage is one incident however many nodes it has, and says how many; another one an hour before stays apart.
func TestNodesThatFailTogetherAreOneIncident(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range 34 {
		s.add(node{name: fmt.Sprintf("out-%02d", i), seen: 10*time.Minute + time.Duration(i)*time.Second})
	}
	early := s.add(node{name: "early", seen: time.Hour})
	s.add(node{name: "late", seen: time.Minute})
	s.add(node{name: "broken", core: "failed", since: 5 * time.Minute})
	s.add(node{name: "fine"})
	s.add(node{name: "gone", access: "revoked", since: 2 * time.Hour})
	asked := 0
	s.relations.Flows(func(_ context.Context, groups [][]string, names int) ([]nodesapi.Related, error) {
		asked++
		require.Equal(t, mostFlowNames, names)
		require.Len(t, groups, 5)
		require.Len(t, groups[0], 34)
		require.Equal(t, []string{early}, groups[1])
		return []nodesapi.Related{
			{Count: 8, First: []nodesapi.Named{{ID: "f", Name: "Europe"}}},
			{Count: 1},
			{},
			{},
			{},
		}, nil
	})
	got := s.summary()
	require.Equal(t, 38, got.AttentionNodes)
	require.Len(t, got.Attention, 5)
	causes := []string{}
	for _, one := range got.Attention {
		causes = append(causes, fmt.Sprint(one.Cause, " ", one.State, " ", one.Nodes))
	}
	require.Equal(t, []string{
		"agent_lost offline 34", "agent_lost offline 1", "agent_revoked offline 1", "agent_stale degraded 1",
		"core_failed degraded 1",
	}, causes)
	outage := got.Attention[0]
	require.Equal(t, s.now().Add(-10*time.Minute-33*time.Second), outage.Since)
	require.Equal(t, s.now().Add(-10*time.Minute), outage.Until)
	require.Len(t, outage.First, mostNames)
	require.Len(t, outage.IDs, 34, "of all, that others can tell which they are")
	require.Equal(t, []string{early}, got.Attention[1].IDs)
	require.Equal(t, "out-00", outage.First[0].Name)
	require.Equal(t, 8, *outage.Flows)
	require.Equal(t, "Europe", outage.FirstFlows[0].Name)
	require.Equal(t, []nodesapi.Named{}, got.Attention[1].FirstFlows)
	require.Equal(t, 1, asked)
}

func TestIncidentsAreShownWhenNobodyKnowsTheFlows(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.add(node{name: "lost", seen: time.Hour})
	require.Nil(t, s.summary().Attention[0].Flows)
	s.relations.Flows(func(context.Context, [][]string, int) ([]nodesapi.Related, error) {
		return nil, errors.New("no answer")
	})
	require.Nil(t, s.summary().Attention[0].Flows)
}

func TestMoreIncidentsThanAreShownAreStillCounted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range mostIncidents + 10 {
		s.add(node{name: fmt.Sprintf("lost-%02d", i), seen: time.Hour + time.Duration(i)*time.Minute})
	}
	got := s.summary()
	require.Len(t, got.Attention, mostIncidents)
	require.Equal(t, mostIncidents+10, got.AttentionNodes)
	require.Equal(t, "lost-00", got.Attention[0].First[0].Name, "the newest first")
}

// The cost is one statement, however large the fleet is.
func TestASummaryTakesOneStatementAtAnySizeOfTheFleet(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, size := range []int{1, 2000} {
		s.many(size)
		require.EqualValues(t, 1, s.count.Fewest(func() { s.summary() }), size)
		s.exec("delete from nodes")
	}
}

func TestCellsShowWhatNeedsAttentionFirstAndAreBounded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.many(mostCells + 3)
	lost := s.add(node{name: "lost", region: "z", seen: time.Hour})
	got, err := s.Cells(t.Context())
	require.NoError(t, err)
	require.Equal(t, mostCells+4, got.Total)
	require.Len(t, got.Cells, mostCells)
	require.Equal(t, fmt.Sprintf(`"%s" "lost" "offline" "z" null`, lost), words(got.Cells[0]))
	require.Regexp(t, `"n\d+" "online" "r\d+" 45.7$`, words(got.Cells[1]))
	require.EqualValues(t, 1, s.count.Fewest(func() { _, err = s.Cells(t.Context()) }))
	require.NoError(t, err)
}

func words(c Cell) (text string) {
	for at, part := range c {
		if at > 0 {
			text += " "
		}
		text += string(part)
	}
	return text
}
