package clients_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
	"panel/platform/paneltest"
)

// An import whose database session is ended in the middle has added all clients or none, and the same list sent again
// brings what is missing, each once.
func TestAnImportThatIsCutOffIsSentAgain(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const many = 10_000
	list := clients.Import{}
	for i := range many {
		list.Clients = append(list.Clients, clients.Line{Label: fmt.Sprintf("client %05d", i), Flows: []string{s.flow}})
	}
	ended := make(chan *paneltest.Answer, 1)
	go func() { ended <- s.admin.Post(path+"/import", list) }()
	cut := 0
	for cut == 0 && len(ended) == 0 {
		require.NoError(t, s.panel.DB.NewRaw(`select count(pg_terminate_backend(l.pid)) from pg_locks l
			where l.locktype = 'advisory' and l.objid = 731204524
			and l.database = (select oid from pg_database where datname = current_database())`).Scan(t.Context(), &cut))
	}
	first := <-ended
	there := s.total(path)
	if first.Status != 200 {
		require.Equal(t, 1, there, "a part of the list is there: %s", first.Body)
	}
	var again clients.Imported
	s.admin.Post(path+"/import", list).Is(200).JSON(&again)
	require.Equal(t, many, again.Added+len(again.Skipped))
	require.Equal(t, many+1, s.total(path))
	require.Equal(t, many+1, s.total(units+"/"+s.flow+"/clients"))
}

// total is how many a list has in all.
func (s *stage) total(of string) int {
	s.t.Helper()
	var page struct{ Total int }
	s.admin.Get(of + "?limit=1").Is(200).JSON(&page)
	return page.Total
}

// Each client of an act has an outcome of its own: one that refuses keeps back no other, and none is acted on twice.
func TestAnActOnManyTellsTheOutcomeOfEach(t *testing.T) {
	t.Parallel()
	s := setup(t)
	live, revoked, without := s.add("Anna", "flow_ids", []string{s.flow}), s.add("Boris"), s.add("Vera")
	s.admin.Delete(path + "/" + revoked).Is(204)
	act := func(body map[string]any) (out clients.BulkOutcome) {
		t.Helper()
		body["ids"] = []string{without, live, revoked, none, "no id", live}
		s.admin.Post(path+"/bulk", body).Is(200).JSON(&out)
		return out
	}
	codes := func(out clients.BulkOutcome) (all []string) {
		for _, one := range out.Results {
			all = append(all, one.Code)
			require.Equal(t, one.OK, one.Code == "" && one.Error == "")
		}
		return all
	}
	out := act(map[string]any{"act": "take_flow", "flow_id": s.flow})
	require.Equal(t, []string{"not_found", "", "not_found", "not_found", "not_found"}, codes(out))
	require.Equal(t, []int{1, 4}, []int{out.Succeeded, out.Failed})
	require.Empty(t, s.get(live).Flows)
	out = act(map[string]any{"act": "limits", "limits": map[string]any{"speed_mbps": 20, "addresses": 2}})
	require.Equal(t, clients.Limits{SpeedMbps: 20, Addresses: 2}, s.get(without).Limits)
	require.Zero(t, s.get(revoked).Limits)
	out = act(map[string]any{"act": "quota", "quota": map[string]any{"bytes": 5}})
	require.Equal(t, []string{"", "", "not_found", "not_found", "not_found"}, codes(out))
	require.EqualValues(t, 5, s.get(without).Quota.Bytes)
	require.Nil(t, s.get(revoked).Quota)
	out = act(map[string]any{"act": "give_flow", "flow_id": none})
	require.Equal(t, 5, out.Failed)
	require.Empty(t, s.get(without).Flows)
}

// The table is one that any reader of CSV reads back, whatever people have typed, and no cell is a formula.
func TestTheTableOfClientsIsReadBack(t *testing.T) {
	t.Parallel()
	s := setup(t)
	hostile := []string{`comma, "quoted"`, "line\nbreak", "=1+1", "+7 900", "@here", "-minus", "\tTab", "Анна; Б"}
	for i, note := range hostile {
		s.add(fmt.Sprint("client ", i), "note", note, "tags", []string{"a", "b"}, "flow_ids", []string{s.flow},
			"quota", map[string]any{"bytes": gigabyte})
	}
	read := csv.NewReader(strings.NewReader(string(s.admin.Get(path + "/export?format=csv&tag=a").Is(200).Body)))
	lines, err := read.ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, len(hostile)+1)
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	for i, line := range lines[1:] {
		note := line[at["note"]]
		require.Equal(t, hostile[i], strings.TrimPrefix(note, "'"))
		require.Equal(t, strings.ContainsAny(hostile[i][:1], "=+-@\t"), strings.HasPrefix(note, "'"))
		require.Equal(t, "a b", line[at["tags"]])
		require.Equal(t, clientsapi.Active, line[at["state"]])
		require.Equal(t, fmt.Sprint(gigabyte), line[at["quota_bytes"]])
		require.Equal(t, "Europe main", line[at["flows"]])
		require.Empty(t, line[at["expires_at"]])
		_, err := time.Parse(time.RFC3339, line[at["created_at"]])
		require.NoError(t, err)
	}
}

// Several panels on one database count what a client carries once, and tell once that its quota is reached.
func TestSeveralPanelsCountAQuotaOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	m := s.meter()
	other := paneltest.Start(t, paneltest.On(s.panel.DB), paneltest.Modules(features()...))
	id := s.add("Anna", "quota", map[string]any{"bytes": 3 * gigabyte}, "flow_ids", []string{s.flow})
	at := m.agent.At(other)
	m.carries(s.flow, id, 0, gigabyte)
	batch := paneltest.Samples(1, time.Now())
	batch[0].Traffic = m.carries(s.flow, id, gigabyte, 0)[0].Traffic
	at.Deliver("s", m.seq, batch).Is(200) // the answer of the first panel was lost
	for range 2 {
		s.panel.RunSchedule("clients.account")
		other.RunSchedule("clients.account")
	}
	require.Equal(t, clientsapi.Active, m.counted(id, 2*gigabyte).State)
	m.agent = at
	m.carries(s.flow, id, 0, gigabyte)
	require.Equal(t, clientsapi.Spent, m.counted(id, 3*gigabyte).State)
	other.RunSchedule("clients.account")
	told := 0
	for _, action := range s.panel.Recorded("client", id) {
		if action == clientsapi.EventQuotaReached {
			told++
		}
	}
	require.Equal(t, 1, told)
}
