package clients_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients/clientsapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// sharing is an entry whose agent keeps to shares.
type sharing struct {
	*holder
	seq   int64
	known map[string]agentapi.Share // what it goes by
	used  map[string]int64          // its own counts
}

func (s *stage) shares(name string) *sharing {
	s.t.Helper()
	return &sharing{
		holder: s.holds(name, agentapi.DocumentShares), known: map[string]agentapi.Share{}, used: map[string]int64{},
	}
}

// fetches takes the newest shares as an agent does, and says so.
func (h *sharing) fetches() {
	h.t.Helper()
	answer := h.agent.Get("/agent/v1/desired/shares")
	if answer.Status != 200 {
		return
	}
	var document agentapi.Document
	answer.JSON(&document)
	require.NoError(h.t, document.Verify())
	var content agentapi.Shares
	require.NoError(h.t, json.Unmarshal(document.Content, &content))
	require.NoError(h.t, content.Check())
	for _, share := range content.Clients {
		if h.known[share.ClientID] = share; share.NoQuota {
			delete(h.known, share.ClientID)
		}
	}
	h.keeps[0].Revision, h.keeps[0].Hash = document.Revision, document.Hash
	h.agent.Beat(h.beat)
}

// until fetches and has the panel count until the agent goes by a share that fits.
func (h *sharing) until(client string, fits func(share agentapi.Share, there bool) bool) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		h.panel.RunSchedule("clients.account")
		h.fetches()
		share, there := h.known[client]
		return fits(share, there)
	}, 3*time.Minute, 50*time.Millisecond, "%v", h.known)
}

// counted waits until the panel knows how much of a client's traffic the agent has counted.
func (h *sharing) counted(client string, bytes int64) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		h.panel.RunSchedule("clients.account")
		var known int64
		require.NoError(h.t, h.panel.DB.NewRaw("select counted from client_shares where client_id = ?", client).
			Scan(h.t.Context(), &known))
		return known == bytes
	}, 3*time.Minute, 50*time.Millisecond)
}

// loses is an agent that begins anew, without its shares and its counts.
func (h *sharing) loses() {
	h.t.Helper()
	h.heard(true)
	h.keeps[0].Revision, h.keeps[0].Hash = 0, ""
	clear(h.known)
	clear(h.used)
	h.agent.Beat(h.beat)
	h.heard(false)
}

// heard waits until the panel knows that the agent goes by all of its shares, or that it does not.
func (h *sharing) heard(confirmed bool) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		h.panel.RunSchedule("clients.account")
		var all bool
		require.NoError(h.t, h.panel.DB.NewRaw("select bool_and(confirmed) from client_shares").Scan(h.t.Context(), &all))
		return all == confirmed
	}, 3*time.Minute, 50*time.Millisecond)
}

func (h *sharing) may(client string, bytes int64) {
	h.t.Helper()
	h.until(client, func(s agentapi.Share, there bool) bool { return there && s.Limit-h.used[client] == bytes })
}

// uses reports what a client has carried, with the agent's own count of it.
func (h *sharing) uses(client string, bytes int64) {
	h.t.Helper()
	samples := paneltest.Samples(1, time.Now())
	h.used[client] += bytes
	samples[0].Traffic = []agentapi.Traffic{
		{Kind: agentapi.TrafficClient, Name: agentapi.ClientEmail(h.flow, client), Down: bytes},
		{Kind: agentapi.TrafficShare, Name: client, Up: h.used[client]},
	}
	h.seq++
	h.agent.Deliver("s", h.seq, samples).Is(200)
}

// Each entry's agent gets a share of what is left of a quota; it is told of quotas alone, and of what changes.
func TestEntriesGetSharesOfAQuota(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, two := s.shares("fra-01"), s.shares("ams-01")
	s.add("Boris", "flow_ids", []string{s.flow})
	anna := s.add("Anna", "quota", map[string]any{"bytes": gigabyte, "reset": "monthly"}, "flow_ids", []string{s.flow})
	one.may(anna, gigabyte/2)
	two.may(anna, gigabyte/2)
	require.Len(t, one.known, 1, "clients without a quota have no share")

	revision := one.keeps[0].Revision
	one.uses(anna, gigabyte/50)
	for range 3 {
		s.panel.RunSchedule("clients.account")
	}
	one.fetches()
	require.Equal(t, revision, one.keeps[0].Revision, "while it has enough nothing is written")

	more := map[string]any{"bytes": 2 * gigabyte, "reset": "monthly"}
	s.admin.Patch(path+"/"+anna, map[string]any{"revision": s.get(anna).Revision, "quota": more}).Is(200)
	one.until(anna, func(share agentapi.Share, _ bool) bool { return share.Limit > gigabyte/2 })
	s.admin.Patch(path+"/"+anna, map[string]any{"revision": s.get(anna).Revision, "no_quota": true}).Is(200)
	one.until(anna, func(_ agentapi.Share, there bool) bool { return !there })
	two.until(anna, func(_ agentapi.Share, there bool) bool { return !there })
}

// Where a client uses its quota its agent gets more of it; but first the other agent has to say that it goes by less,
// so one that cannot be reached keeps what it was given.
func TestAShareMovesWhenItsAgentHasGivenItBack(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, two := s.shares("fra-01"), s.shares("ams-01")
	anna := s.add("Anna", "quota", map[string]any{"bytes": gigabyte}, "flow_ids", []string{s.flow})
	one.may(anna, gigabyte/2)
	two.may(anna, gigabyte/2)

	const slack = gigabyte / 200
	one.uses(anna, gigabyte/2)
	for range 3 {
		s.panel.RunSchedule("clients.account")
		one.fetches()
	}
	require.LessOrEqual(t, one.known[anna].Limit, int64(gigabyte/2+slack), "the other one may use its half")
	require.Equal(t, clientsapi.Active, s.get(anna).State)
	two.until(anna, func(share agentapi.Share, _ bool) bool { return share.Limit < gigabyte/4 })
	one.until(anna, func(share agentapi.Share, _ bool) bool { return share.Limit >= gigabyte/4*3 })
	require.LessOrEqual(t, one.known[anna].Limit+two.known[anna].Limit, int64(gigabyte+slack))
}

// A quota whose end only the agent has seen, while the panel was away, is told once when the panel is back: by event,
// notice and journal. The next period brings new shares.
func TestAQuotaThatAnAgentEndedIsToldOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, first := s.shares("fra-01"), s.first()
	anna := s.add("Anna", "quota", map[string]any{"bytes": gigabyte, "reset": "monthly"}, "flow_ids", []string{s.flow})
	one.may(anna, gigabyte)
	news := s.panel.Follow()
	one.uses(anna, one.known[anna].Limit)
	require.Eventually(t, func() bool { // a transaction of another test may hold back what is counted
		s.panel.RunSchedule("clients.account")
		return s.get(anna).State == clientsapi.Spent
	}, 3*time.Minute, 50*time.Millisecond)
	require.Equal(t, anna, news.Next(clientsapi.EventQuotaReached).SubjectID)
	one.takes(first)
	_, err := s.panel.DB.ExecContext(t.Context(), "update client_profiles set used_since = used_since - interval '32 days'")
	require.NoError(t, err)
	one.may(anna, gigabyte)
	one.takes(first, anna)
	told := 0
	for _, action := range s.panel.Recorded("client", anna) {
		if action == clientsapi.EventQuotaReached {
			told++
		}
	}
	require.Equal(t, 1, told)
}

// An agent of before, which knows no shares, takes none; after its update it gets them without anybody doing anything.
// One that has lost what it held gets all of them again.
func TestAgentsGetSharesWhenTheyCanKeepToThem(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	old := &sharing{holder: s.holds("fra-01"), known: map[string]agentapi.Share{}, used: map[string]int64{}}
	anna := s.add("Anna", "quota", map[string]any{"bytes": gigabyte}, "flow_ids", []string{s.flow})
	s.panel.RunSchedule("clients.account")
	old.agent.Get("/agent/v1/desired/shares").Is(404)

	old.keeps = []agentapi.DocumentStatus{{Name: agentapi.DocumentShares}}
	old.agent.Beat(old.beat)
	old.may(anna, gigabyte)
	old.uses(anna, 1000)
	old.counted(anna, 1000)

	old.loses()
	old.until(anna, func(share agentapi.Share, there bool) bool { return there && share.Counted == 1000 })
	require.EqualValues(t, gigabyte, old.known[anna].Limit, "it goes on from what the panel knows of its count")
}

// What an agent has counted may arrive after it has lost its shares and begun at zero: nothing of the quota is given
// away by that, because the limit follows what is used of it in all.
func TestACountThatArrivesLateIsNotGivenAway(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h := s.shares("fra-01")
	anna := s.add("Anna", "quota", map[string]any{"bytes": gigabyte}, "flow_ids", []string{s.flow})
	h.may(anna, gigabyte)
	h.loses()
	h.until(anna, func(share agentapi.Share, there bool) bool { return there && share.Counted == 0 })
	h.heard(true)

	const late, more = gigabyte / 10, gigabyte / 2
	h.uses(anna, late)
	h.counted(anna, late)
	h.used[anna] = 0 // the agent knows nothing of that
	h.uses(anna, more)
	h.counted(anna, more)
	h.may(anna, gigabyte-late-more)
}
