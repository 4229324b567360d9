package clients_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
)

// begun runs the accounting until the time of a client has begun, and gives it.
func (m *meter) begun(id string) clients.Client {
	m.t.Helper()
	var got clients.Client
	require.Eventually(m.t, func() bool {
		m.panel.RunSchedule("clients.account")
		got = m.get(id)
		return got.ExpiresAt != nil
	}, time.Minute, 50*time.Millisecond)
	return got
}

// A time that is to begin with the first use begins when the client is first seen to carry something, once, and its
// agents are told of the end that it has then.
func TestATimeBeginsWithTheFirstUse(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h, m, first := s.asks("fra-01"), s.meter(), s.first()
	anna := s.add("Anna", "lasts_days", 30, "flow_ids", []string{s.flow})
	boris := s.add("Boris", "lasts_days", 30, "flow_ids", []string{s.flow})
	got := s.get(anna)
	require.Equal(t, 30, *got.LastsDays)
	require.Nil(t, got.ExpiresAt)
	require.Equal(t, clientsapi.Active, got.State, "it may use its flows before its time has begun")
	h.takes(first, anna, boris)
	require.True(t, h.held[anna].Expires.IsZero())
	s.panel.RunSchedule("clients.account")
	require.Equal(t, 30, *s.get(anna).LastsDays, "nobody has used anything")

	m.carries(s.flow, anna, 1, 2)
	got = m.begun(anna)
	require.Nil(t, got.LastsDays)
	require.Equal(t, got.LastSeenAt.Add(30*24*time.Hour), *got.ExpiresAt)
	require.EqualValues(t, 2, got.Revision, "who had it open before is told that it has changed")
	require.Eventually(t, func() bool {
		h.takes(first, anna, boris)
		return h.held[anna].Expires.Equal(*got.ExpiresAt)
	}, time.Minute, 50*time.Millisecond)
	require.Nil(t, s.get(boris).ExpiresAt, "whoever has used nothing has all of its time")
	require.Equal(t, []string{"client.created", "client.updated"}, s.panel.Recorded("client", anna))

	m.carries(s.flow, anna, 1, 2)
	m.counted(anna, 6)
	require.Equal(t, got.ExpiresAt, s.get(anna).ExpiresAt, "it begins once")
}

// Whoever was seen before has its time from the next use on; what it used until then begins nothing.
func TestATimeBeginsWithTheNextUseOfWhoWasSeen(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	m := s.meter()
	id := s.add("Anna", "flow_ids", []string{s.flow}, "expires_at", time.Now().Add(time.Hour))
	m.carries(s.flow, id, 1, 2)
	seen := m.counted(id, 3)
	s.admin.Patch(path+"/"+id, map[string]any{"revision": seen.Revision, "lasts_days": 7}).Is(200)
	s.panel.RunSchedule("clients.account")
	got := s.get(id)
	require.Equal(t, 7, *got.LastsDays)
	require.Nil(t, got.ExpiresAt, "one of the two stands")
	_, err := s.panel.DB.ExecContext(t.Context(),
		"update client_profiles set lasts_from = lasts_from - interval '1 hour', last_seen_at = last_seen_at - interval '1 hour'")
	require.NoError(t, err)
	_, err = s.panel.DB.ExecContext(t.Context(), "update client_profiles set last_seen_at = last_seen_at + interval '1 minute'")
	require.NoError(t, err)
	s.admin.Patch(path+"/"+id, map[string]any{"revision": got.Revision, "lasts_days": 8}).Is(200)
	got = m.begun(id)
	require.Equal(t, got.LastSeenAt.AddDate(0, 0, 8), got.ExpiresAt.UTC(), "a use before the days changed counts")
}

// A time that has begun ends as any other, and one that was revoked before it began never begins.
func TestATimeThatHasBegunEnds(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	m := s.meter()
	id := s.add("Anna", "lasts_days", 1, "flow_ids", []string{s.flow})
	gone := s.add("Boris", "lasts_days", 1, "flow_ids", []string{s.flow})
	m.carries(s.flow, id, 1, 0)
	m.carries(s.flow, gone, 1, 0)
	s.admin.Delete(path + "/" + gone).Is(204)
	m.begun(id)
	news := s.panel.Follow()
	_, err := s.panel.DB.ExecContext(t.Context(),
		"update client_profiles set expires_at = expires_at - interval '1 day' where id = ?", id)
	require.NoError(t, err)
	s.panel.RunSchedule("clients.expiry")
	require.Equal(t, id, news.Next(clientsapi.EventExpired).SubjectID)
	require.Equal(t, clientsapi.Expired, s.get(id).State)
	require.Equal(t, 1, *s.get(gone).LastsDays)
}

// The three ends of a time exclude each other, wherever one is given, and each takes the place of another.
func TestATimeHasOneEnd(t *testing.T) {
	t.Parallel()
	s := setup(t)
	until := s.clock.Now().Add(time.Hour)
	both := map[string]any{"label": "Boris", "expires_at": until, "lasts_days": 30}
	s.admin.Post(path, both).Refused(422, "invalid_value")
	refused := s.admin.Post(path+"/import", map[string]any{"clients": []any{map[string]any{"label": "A"}, both}}).
		Refused(422, "invalid_value")
	require.Equal(t, "clients[1].lasts_days", refused.Value("errors").([]any)[0].(map[string]any)["field"])
	id := s.add("Anna", "expires_at", until)
	for _, wrong := range []map[string]any{
		{"expires_at": until, "lasts_days": 30},
		{"lasts_days": 30, "never_expires": true},
		{"lasts_days": 0},
		{"lasts_days": 3651},
		{"lasts_days": -1},
		{"lasts_days": 1.5},
		{"lasts_days": "30"},
	} {
		wrong["revision"] = 1
		require.Contains(t, []int{400, 422}, s.admin.Patch(path+"/"+id, wrong).Status, wrong)
		require.Contains(t, []int{400, 422}, s.admin.Post(path+"/bulk",
			map[string]any{"ids": []string{id}, "act": "disable", "lasts_days": wrong["lasts_days"]}).Status, wrong)
	}
	require.Equal(t, until, *s.get(id).ExpiresAt)
	change := func(body map[string]any) clients.Client {
		t.Helper()
		body["revision"] = s.get(id).Revision
		s.admin.Patch(path+"/"+id, body).Is(200)
		return s.get(id)
	}
	got := change(map[string]any{"lasts_days": 30})
	require.Nil(t, got.ExpiresAt)
	require.Equal(t, 30, *got.LastsDays)
	require.Equal(t, 30, *change(map[string]any{"note": "x"}).LastsDays, "what is absent stays")
	got = change(map[string]any{"expires_at": until})
	require.Nil(t, got.LastsDays)
	require.Equal(t, until, *got.ExpiresAt)
	change(map[string]any{"lasts_days": 30})
	got = change(map[string]any{"never_expires": true})
	require.Nil(t, got.LastsDays)
	require.Nil(t, got.ExpiresAt)
}

// Many at once get a time that begins with the next use of each, and more days of it.
func TestATimeThatHasNotBegunIsGivenToManyAndExtended(t *testing.T) {
	t.Parallel()
	s := setup(t)
	anna, boris := s.add("Anna"), s.add("Boris", "expires_at", s.clock.Now())
	act := func(body map[string]any) (out clients.BulkOutcome) {
		t.Helper()
		body["ids"] = []string{anna, boris}
		s.admin.Post(path+"/bulk", body).Is(200).JSON(&out)
		return out
	}
	for _, wrong := range []map[string]any{
		{"act": "expiry"},
		{"act": "expiry", "lasts_days": 30, "never_expires": true},
		{"act": "expiry", "lasts_days": 30, "expires_at": s.clock.Now()},
		{"act": "disable", "lasts_days": 30},
	} {
		wrong["ids"] = []string{anna}
		s.admin.Post(path+"/bulk", wrong).Refused(422, "invalid_value")
	}
	require.Equal(t, 2, act(map[string]any{"act": "expiry", "lasts_days": 30}).Succeeded)
	require.Equal(t, clientsapi.Active, s.get(boris).State)
	require.Equal(t, 2, act(map[string]any{"act": "extend", "extend_days": 3620}).Succeeded)
	require.Equal(t, []int{3650, 3650}, []int{*s.get(anna).LastsDays, *s.get(boris).LastsDays})
	require.Equal(t, "invalid_value", act(map[string]any{"act": "extend", "extend_days": 1}).Results[0].Code)
	require.Equal(t, 3650, *s.get(anna).LastsDays)
}

// What has not begun is exported as such, for another panel and for a spreadsheet, and told to the holder.
func TestATimeThatHasNotBegunIsToldElsewhere(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "lasts_days", 30, "flow_ids", []string{s.flow})
	var list clients.Import
	s.admin.Get(path + "/export?q=anna").Is(200).JSON(&list)
	require.Equal(t, 30, list.Clients[0].LastsDays)
	list.Clients[0].Label = "Boris"
	s.admin.Post(path+"/import", list).Is(200)
	table := strings.Split(string(s.admin.Get(path+"/export?format=csv&q=boris").Is(200).Body), "\n")
	require.Contains(t, table[0], "expires_at,lasts_days,quota_bytes")
	require.Contains(t, table[1], ",active,,30,,")

	address := s.admin.Post(path+"/"+id+"/public-link", nil).Is(201).Text("url")
	page := s.panel.Anonymous().Do("GET", address[strings.Index(address, "/s/"):], nil, "Accept", "text/html")
	require.Contains(t, string(page.Is(200).Body), "30 days from your first connection")
}
