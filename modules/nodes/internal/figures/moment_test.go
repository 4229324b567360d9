package figures

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// turned notes that a node changed its state so long ago.
func (s *stage) turned(id string, ago time.Duration, was, state string) {
	s.t.Helper()
	s.exec("insert into node_states (node_id, at, was, state) values (?, ?, ?, ?)", id, s.now().Add(-ago), was, state)
}

// there lets nodes be there for so long.
func (s *stage) there(ago time.Duration) {
	s.t.Helper()
	s.exec("update nodes set created_at = ?", s.now().Add(-ago))
}

func (s *stage) at(ago time.Duration) *Moment {
	s.t.Helper()
	got, err := s.At(s.t.Context(), s.now().Add(-ago))
	require.NoError(s.t, err)
	return got
}

// statesOf are the states of the nodes by name.
func statesOf(m *Moment) map[string]string {
	states := map[string]string{}
	for _, cell := range m.Cells {
		states[string(cell[1])] = string(cell[2])
	}
	return states
}

// Each node is shown in the state that it had turned to last; before its first change in the one that it came from,
// and without any change in the one that it is in.
func TestTheFleetIsShownAsItWas(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	lost, back, calm := s.add(node{name: "lost"}), s.add(node{name: "back"}), s.add(node{name: "calm"})
	s.exec("update nodes set announced_state = 'online' where id = ?", calm)
	s.there(48 * time.Hour)
	s.turned(lost, 2*time.Hour, "online", "offline")
	s.turned(back, 3*time.Hour, "online", "degraded")
	s.turned(back, time.Hour, "degraded", "online")

	require.Equal(t, map[string]string{`"lost"`: `"online"`, `"back"`: `"online"`, `"calm"`: `"online"`},
		statesOf(s.at(4*time.Hour)))
	then := s.at(90 * time.Minute)
	require.Equal(t, map[string]string{`"lost"`: `"offline"`, `"back"`: `"degraded"`, `"calm"`: `"online"`}, statesOf(then))
	require.Equal(t, map[string]int{"offline": 1, "degraded": 1, "online": 1}, then.States)
	require.Equal(t, 3, then.Total)
	require.Equal(t, 2, then.Failures)
	require.Equal(t, []string{"lost", "back"}, []string{then.Failing[0].Name, then.Failing[1].Name}, "the newest first")
	require.True(t, then.Failing[0].Since.Equal(s.now().Add(-2*time.Hour)))
	require.Nil(t, then.Failing[0].Until)
	require.True(t, then.Failing[1].Until.Equal(s.now().Add(-time.Hour)))
	require.True(t, then.Earlier.Equal(s.now().Add(-2*time.Hour)))
	require.True(t, then.Later.Equal(s.now().Add(-time.Hour)))
	require.Equal(t, map[string]string{`"lost"`: `"offline"`, `"back"`: `"online"`, `"calm"`: `"online"`}, statesOf(s.at(0)))
}

// What was noted of that minute counts, also nodes that are gone since; a minute in which the panel did not run has no
// figures, and its nodes are counted by their own states.
func TestFiguresOfAMomentAreThoseOfItsMinute(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.add(node{name: "left"})
	s.there(48 * time.Hour)
	minute := s.now().Truncate(time.Minute).Add(-time.Hour)
	s.exec(`insert into fleet_minutes (at, states, measured, sessions, net_rx_bps, net_tx_bps, cpu_pct)
		values (?, '{"online": 4, "offline": 1}', 4, 17, 100, 200, 30)`, minute)
	then := s.at(s.now().Sub(minute) - 30*time.Second)
	require.Equal(t, map[string]int{"online": 4, "offline": 1}, then.States)
	require.Equal(t, 5, then.Total)
	require.EqualValues(t, 17, *then.Figures.Sessions)
	require.Equal(t, []float64{100, 200, 30}, []float64{
		then.Figures.NetRxBps, then.Figures.NetTxBps,
		*then.Figures.CPUPercent,
	})
	require.True(t, then.Earliest.Equal(minute))

	silent := s.at(s.now().Sub(minute) - noted)
	require.Nil(t, silent.Figures)
	require.Equal(t, 1, silent.Total)
}

// A node that came later is not part of the moment, and one whose past is not known says so.
func TestWhatIsNotKnownOfTheFleetIsNotInvented(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	older := s.add(node{name: "older"})
	s.there(48 * time.Hour)
	s.add(node{name: "newcomer"})
	s.turned(older, time.Hour, "unknown", "online")
	then := s.at(2 * time.Hour)
	require.Equal(t, map[string]string{`"older"`: `"unknown"`}, statesOf(then))
	require.Empty(t, then.Failing)
	require.Nil(t, then.Later, "that its past is known from here on is no change")
}

// A moment outside of what is kept is refused, and any moment of a large fleet costs the same few statements.
func TestAMomentIsOneOfTheLastThirtyDays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, at := range []time.Time{s.now().Add(time.Second), s.now().Add(-kept - time.Second)} {
		_, err := s.At(t.Context(), at)
		require.ErrorContains(t, err, "30 days")
	}
	s.many(mostCells + 20)
	s.there(48 * time.Hour)
	s.exec("insert into node_states (node_id, at, was, state) select id, now() - interval '1 hour', 'online', 'offline' from nodes")
	then := s.at(time.Minute)
	require.Len(t, then.Cells, mostCells)
	require.Len(t, then.Failing, mostFailing)
	require.Equal(t, mostCells+20, then.Failures)
	require.EqualValues(t, 2, s.count.Fewest(func() { s.at(time.Minute) }))
	require.Equal(t, "node_states", TidyStates().Table)
}
