package clients_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

const gigabyte = 1 << 30

// meter is a node whose agent reports what clients carried.
type meter struct {
	*stage
	agent *paneltest.Agent
	seq   int64
}

func (s *stage) meter() *meter {
	s.t.Helper()
	return &meter{stage: s, agent: s.panel.Enroll("meter-01")}
}

// carries reports bytes of a client on a flow, and gives the batch, which an agent may send again.
func (m *meter) carries(flow, client string, up, down int64) []agentapi.Sample {
	m.t.Helper()
	samples := paneltest.Samples(1, time.Now())
	samples[0].Traffic = []agentapi.Traffic{
		{Kind: agentapi.TrafficClient, Name: "flow." + flow + ".client." + client, Up: up, Down: down},
		{Kind: agentapi.TrafficListener, Name: "flow." + flow + ".client." + client, Up: 99, Down: 99},
	}
	m.seq++
	m.agent.Deliver("s", m.seq, samples).Is(200)
	return samples
}

// counted runs the accounting until the client has carried so much in all: a transaction of another test on the same
// server may hold back what is counted.
func (m *meter) counted(id string, total int64) clients.Client {
	m.t.Helper()
	var got clients.Client
	require.Eventually(m.t, func() bool {
		m.panel.RunSchedule("clients.account")
		got = m.get(id)
		return got.Total.Up+got.Total.Down >= total
	}, time.Minute, 50*time.Millisecond)
	require.Equal(m.t, total, got.Total.Up+got.Total.Down)
	return got
}

// What clients carry is counted once: over all flows and nodes, however often a batch is sent or counted again.
func TestTrafficIsCountedOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	other := s.newFlow("Asia main")
	id := s.add("Anna", "flow_ids", []string{s.flow, other})
	require.Nil(t, s.get(id).LastSeenAt)
	m := s.meter()
	batch := m.carries(s.flow, id, 100, 1000)
	m.agent.Deliver("s", m.seq, batch).Is(200)
	m.counted(id, 1100)
	m.carries(other, id, 1, 10)
	m.carries(none, id, 7, 7)       // a flow that it does not use
	m.carries(s.flow, none, 5, 5)   // nobody
	m.carries(s.flow, id, 0, 1<<20) // and more of its own
	got := m.counted(id, 1111+1<<20)
	require.Equal(t, clients.Traffic{Up: 101, Down: 1010 + 1<<20}, got.Total)
	require.Equal(t, got.Total, got.Used.Traffic)
	require.Equal(t, clients.Traffic{Up: 100, Down: 1000 + 1<<20}, got.Flows[0].Total)
	require.Equal(t, clients.Traffic{Up: 1, Down: 10}, got.Flows[1].Total)
	require.NotNil(t, got.LastSeenAt)
	for range 3 {
		s.panel.RunSchedule("clients.account")
	}
	require.Equal(t, got.Total, s.get(id).Total)
	require.Equal(t, []string{"Default", "Default", "Anna"}, s.labels(path+"?sort=used"))
}

// A client whose quota is used up has nothing until its next period, more quota, or somebody resets it.
func TestAQuotaIsReachedOnceInEachPeriod(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	m := s.meter()
	id := s.add("Anna", "quota", map[string]any{"bytes": gigabyte, "reset": "monthly"}, "flow_ids", []string{s.flow})
	address := s.admin.Post(path+"/"+id+"/public-link", nil).Is(201).Text("url")
	require.NotEmpty(t, address)
	m.carries(s.flow, id, 0, gigabyte-1)
	require.Equal(t, clientsapi.Active, m.counted(id, gigabyte-1).State)
	news := s.panel.Follow()
	m.carries(s.flow, id, 1, 0)
	require.Equal(t, clientsapi.Spent, m.counted(id, gigabyte).State)
	require.Equal(t, id, news.Next(clientsapi.EventQuotaReached).SubjectID)
	require.Equal(t, []string{"Anna"}, s.labels(path+"?state=spent"))
	told := func() (n int) {
		for _, action := range s.panel.Recorded("client", id) {
			if action == clientsapi.EventQuotaReached {
				n++
			}
		}
		return n
	}
	s.panel.RunSchedule("clients.account")
	require.Equal(t, 1, told())

	revision := s.get(id).Revision
	more := map[string]any{"revision": revision, "quota": map[string]any{"bytes": 2 * gigabyte, "reset": "monthly"}}
	s.admin.Patch(path+"/"+id, more).Is(200)
	require.Equal(t, clientsapi.Active, s.get(id).State)
	m.carries(s.flow, id, gigabyte, 0)
	require.Equal(t, clientsapi.Spent, m.counted(id, 2*gigabyte).State)
	require.Equal(t, 2, told())
	s.admin.Post(path+"/bulk", map[string]any{"ids": []string{id}, "act": "reset_traffic"}).Is(200)
	require.Equal(t, clientsapi.Active, s.get(id).State)
	m.carries(s.flow, id, 2*gigabyte, 0)
	require.Equal(t, clientsapi.Spent, m.counted(id, 4*gigabyte).State)

	_, err := s.panel.DB.ExecContext(t.Context(), "update client_profiles set used_since = used_since - interval '32 days'")
	require.NoError(t, err)
	s.panel.RunSchedule("clients.account")
	got := s.get(id)
	require.Equal(t, clientsapi.Active, got.State, "a new month")
	require.Equal(t, clients.Traffic{}, got.Used.Traffic)
	require.Equal(t, 1, got.Used.Since.Day())
	require.EqualValues(t, 4*gigabyte, got.Total.Up+got.Total.Down, "what it carried in all goes on")
	s.admin.Patch(path+"/"+id, map[string]any{"revision": got.Revision, "no_quota": true}).Is(200)
	require.Nil(t, s.get(id).Quota)
	both := map[string]any{"revision": got.Revision + 1, "no_quota": true, "quota": map[string]any{"bytes": 1}}
	s.admin.Patch(path+"/"+id, both).Refused(422, "invalid_value")
}

// Who may use a flow changes with the time and with what was carried. The list of the flow follows both, and nobody
// else on it is looked at: a client whose time ends or whose quota is used up goes, one whose quota begins anew comes
// back.
func TestListsFollowTimeAndQuotas(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 25, 12, 7, 0, 0, time.UTC) // not the minute in which everybody is looked at
	clock := clockwork.NewFakeClockAt(at)
	s := start(t, clock, paneltest.Clock(clock))
	flows := []string{s.flow}
	ending := s.add("Anna", "flow_ids", flows, "expires_at", clock.Now().Add(10*time.Minute))
	quota := map[string]any{"bytes": gigabyte, "reset": "daily"}
	spent := s.add("Boris", "flow_ids", flows, "quota", quota)
	s.add("Vera", "flow_ids", flows)
	execute := func(statement string, args ...any) {
		t.Helper()
		_, err := s.panel.DB.NewRaw(statement, args...).Exec(t.Context())
		require.NoError(t, err)
	}
	// Another panel works on the list, so that what it is to look at stays there.
	execute(`insert into client_lists (flow_id, nodes, seen, open, whole, lease_token, lease_until)
		values (?, 1, 1, false, false, 'another', now() + interval '1 day')`, s.flow)
	looked := func() (ids []string) {
		t.Helper()
		s.panel.RunSchedule("clients.account")
		require.NoError(t, s.panel.DB.NewRaw("delete from client_list_changes returning client_id::text").
			Scan(t.Context(), &ids))
		return ids
	}
	finds := func(id string) { // the run of the schedule itself may be on its way
		t.Helper()
		found := func() bool { return slices.Equal([]string{id}, looked()) }
		require.Eventually(t, found, time.Minute, 50*time.Millisecond)
	}
	require.Empty(t, looked())
	execute("update client_profiles set used_up = ? where id = ?", gigabyte, spent)
	finds(spent)
	require.Empty(t, looked(), "once")
	clock.Advance(11 * time.Minute)
	finds(ending)
	clock.Advance(24 * time.Hour)
	finds(spent)
	require.Empty(t, looked())
}
