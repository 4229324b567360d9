package clients_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
)

func (s *stage) course(id, query string) (out clients.Course) {
	s.t.Helper()
	s.admin.Get(path + "/" + id + "/traffic" + query).Is(200).JSON(&out)
	return out
}

// What a client carries is told by days over all its flows, each byte once, with the days on which it carried nothing.
func TestTheTrafficOfAClientIsToldByDays(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	other := s.newFlow("Asia main")
	id, quiet := s.add("Anna", "flow_ids", []string{s.flow, other}), s.add("Boris", "flow_ids", []string{s.flow})
	m := s.meter()
	batch := m.carries(s.flow, id, 100, 1000)
	m.agent.Deliver("s", m.seq, batch).Is(200)
	m.carries(other, id, 1, 10)
	got := m.counted(id, 1111)
	require.True(t, got.Online)
	require.False(t, s.get(quiet).Online)
	days := s.course(id, "").Days
	require.Len(t, days, 30)
	sum := clients.Traffic{}
	for i := range days { // the test may run at midnight
		if i < 28 {
			require.Zero(t, days[i].Traffic, days[i].Day)
		}
		sum.Up, sum.Down = sum.Up+days[i].Up, sum.Down+days[i].Down
	}
	require.Equal(t, clients.Traffic{Up: 101, Down: 1010}, sum)
	for i := 1; i < len(days); i++ {
		before, err := time.Parse(time.DateOnly, days[i-1].Day)
		require.NoError(t, err)
		require.Equal(t, before.AddDate(0, 0, 1).Format(time.DateOnly), days[i].Day)
	}
	for _, day := range s.course(quiet, "?days=7").Days {
		require.Zero(t, day.Traffic)
	}
}

// Days begin at midnight UTC, the last one is today, and only so many are told as were asked for.
func TestDaysOfTrafficEndToday(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna")
	today := s.clock.Now().UTC().Truncate(24 * time.Hour)
	for ago, up := range map[int]int{0: 1, 6: 7, 7: 8, 89: 90, 90: 91} {
		_, err := s.panel.DB.NewRaw("insert into client_days (client_id, day, up, down) values (?, ?, ?, 0)", id,
			today.AddDate(0, 0, -ago).Format(time.DateOnly), up).Exec(t.Context())
		require.NoError(t, err)
	}
	week := s.course(id, "?days=7").Days
	require.Len(t, week, 7)
	require.Equal(t, clients.Day{Day: today.Format(time.DateOnly), Traffic: clients.Traffic{Up: 1}}, week[6])
	require.EqualValues(t, 7, week[0].Up)
	all := s.course(id, "?days=90").Days
	require.EqualValues(t, 90, all[0].Up)
	s.admin.Get(path+"/"+id+"/traffic?days=91").Refused(400, "bad_parameter")
	s.admin.Get(path+"/"+none+"/traffic").Refused(404, "not_found")
	s.admin.Get(path+"/zzz/traffic").Refused(404, "not_found")
	s.panel.As("nodes.view").Get(path+"/"+id+"/traffic").Refused(403, "permission_denied")
}

// Time is added to what a client had left; one whose time was over begins now, and one without an end is left alone.
func TestClientsAreExtendedByDays(t *testing.T) {
	t.Parallel()
	s := setup(t)
	now := s.clock.Now().UTC()
	left, over := now.Add(10*24*time.Hour), now.Add(-10*24*time.Hour)
	anna, boris, vera := s.add("Anna", "expires_at", left), s.add("Boris", "expires_at", over), s.add("Vera")
	require.Equal(t, clientsapi.Expired, s.get(boris).State)
	body := map[string]any{"ids": []string{anna, boris, vera}, "act": "extend", "extend_days": 30}
	var out clients.BulkOutcome
	s.admin.Post(path+"/bulk", body).Is(200).JSON(&out)
	require.Equal(t, []int{2, 1}, []int{out.Succeeded, out.Failed})
	require.Equal(t, "invalid_value", out.Results[2].Code)
	require.Equal(t, left.AddDate(0, 0, 30), s.get(anna).ExpiresAt.UTC())
	got := s.get(boris)
	require.Equal(t, clientsapi.Active, got.State)
	require.WithinDuration(t, now.AddDate(0, 0, 30), *got.ExpiresAt, time.Minute)
	require.Nil(t, s.get(vera).ExpiresAt)
	olga := s.add("Olga", "expires_at", time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC))
	body["ids"] = []string{olga}
	s.admin.Post(path+"/bulk", body).Is(200).JSON(&out)
	require.Equal(t, "invalid_value", out.Results[0].Code, "no moment of the API is later")
	for _, wrong := range []map[string]any{
		{"ids": []string{anna}, "act": "extend"},
		{"ids": []string{anna}, "act": "enable", "extend_days": 1},
		{"ids": []string{anna}, "act": "extend", "extend_days": 3651},
	} {
		s.admin.Post(path+"/bulk", wrong).Refused(422, "invalid_value")
	}
}
