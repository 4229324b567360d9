package clients_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
	"panel/platform/paneltest"
)

// atOnce asks so many times at the same moment, and gives the answers in the order of their numbers.
func atOnce(count int, ask func(i int) *paneltest.Answer) []*paneltest.Answer {
	answers, begin := make([]*paneltest.Answer, count), make(chan struct{})
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			<-begin
			answers[i] = ask(i)
		})
	}
	close(begin)
	all.Wait()
	return answers
}

func statuses(answers []*paneltest.Answer) (all []int) {
	for _, one := range answers {
		all = append(all, one.Status)
	}
	slices.Sort(all)
	return all
}

// Of two people who change the same client from the same revision one is told so, and nothing of the other is lost.
func TestOfTwoChangesFromOneRevisionOneIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna")
	answers := atOnce(6, func(i int) *paneltest.Answer {
		return s.admin.Patch(path+"/"+id, map[string]any{"revision": 1, "note": fmt.Sprint("by ", i)})
	})
	require.Equal(t, []int{200, 409, 409, 409, 409, 409}, statuses(answers))
	for i, one := range answers {
		if one.Status == 200 {
			require.Equal(t, fmt.Sprint("by ", i), s.get(id).Note)
			continue
		}
		one.Refused(409, "revision_conflict")
	}
	require.EqualValues(t, 2, s.get(id).Revision)
	require.Equal(t, []string{"client.created", "client.updated"}, s.panel.Recorded("client", id))
}

// A client that is revoked while others give it flows and take them ends with none: nobody gets an access that the
// revocation did not see.
func TestARevocationMeetsPeopleWhoGiveFlows(t *testing.T) {
	t.Parallel()
	s := setup(t)
	flows := []string{s.flow, s.newFlow("Asia main"), s.newFlow("America main")}
	for range 4 {
		id := s.add("Anna", "flow_ids", flows[:1])
		answers := atOnce(7, func(i int) *paneltest.Answer {
			switch {
			case i == 0:
				return s.admin.Delete(path + "/" + id)
			case i%3 == 0:
				return s.admin.Delete(path + "/" + id + "/flows/" + flows[0])
			}
			return s.admin.Put(path+"/"+id+"/flows/"+flows[i%3], nil)
		})
		for i, one := range answers {
			require.Contains(t, []int{200, 204, 404, 409}, one.Status, "%d: %s", i, one.Body)
		}
		if answers[0].Status == 409 { // a flow was given between its look and its change, which it says
			s.admin.Delete(path + "/" + id).Is(204)
		}
		require.Equal(t, clientsapi.Revoked, s.get(id).State)
		require.Empty(t, s.get(id).Flows)
		var left int
		require.NoError(t, s.panel.DB.NewRaw("select count(*) from client_flows where client_id = ? and revoked_at is null", id).
			Scan(t.Context(), &left))
		require.Zero(t, left)
	}
}

// The same list sent several times at once adds each client once; every answer tells what it has added and what it
// left.
func TestOneListIsImportedOnceThoughItIsSentTogether(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const many, senders = 50, 4
	list := clients.Import{}
	for i := range many {
		list.Clients = append(list.Clients, clients.Line{Label: fmt.Sprintf("client %02d", i), Flows: []string{s.flow}})
	}
	added := 0
	for _, one := range atOnce(senders, func(int) *paneltest.Answer { return s.admin.Post(path+"/import", list) }) {
		var done clients.Imported
		one.Is(200).JSON(&done)
		require.Equal(t, many, done.Added+len(done.Skipped))
		added += done.Added
	}
	require.Equal(t, many, added)
	require.Equal(t, many+1, s.total(path))
}

// An import waits for whoever changes a flow, and keeps nobody who does from adding a client meanwhile.
func TestAnImportKeepsNobodyFromAddingClients(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	done := make(chan *paneltest.Answer, 1)
	list := clients.Import{Clients: []clients.Line{{Label: "Boris", Flows: []string{s.flow}}}}
	require.NoError(t, s.panel.DB.InTx(t.Context(), func(ctx context.Context) error {
		db := s.panel.DB.In(ctx)
		_, err := db.NewRaw("select from flows where id = ? for update", s.flow).Exec(ctx)
		require.NoError(t, err)
		go func() { done <- s.admin.Post(path+"/import", list) }()
		require.Eventually(t, func() bool { // it waits for the flow
			var waits int
			require.NoError(t, s.panel.DB.NewRaw(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'
				and datname = current_database()`).Scan(t.Context(), &waits))
			return waits > 0
		}, time.Minute, 10*time.Millisecond)
		_, err = db.NewRaw(`insert into client_profiles (id, label, owner_id, used_since, created_at, updated_at)
			values (gen_random_uuid(), 'Anna', '', now(), now(), now())`).Exec(ctx)
		return err
	}))
	(<-done).Is(200)
	require.Equal(t, []string{"Anna", "Boris", "Default"}, s.labels(path+"?sort=label"))
}

// Acts on many that meet carry each of theirs out, whatever the order in which they name the clients.
func TestActsOnTheSameClientsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var ids, back []string
	for i := range 8 {
		ids = append(ids, s.add(fmt.Sprint("client ", i), "flow_ids", []string{s.flow}))
	}
	back = slices.Clone(ids)
	slices.Reverse(back)
	other := s.newFlow("Asia main")
	acts := []map[string]any{
		{"act": "tags", "add_tags": []string{"a"}, "ids": ids},
		{"act": "tags", "add_tags": []string{"b"}, "ids": back},
		{"act": "give_flow", "flow_id": other, "ids": ids},
		{"act": "quota", "quota": map[string]any{"bytes": 5}, "ids": back},
	}
	for _, one := range atOnce(len(acts), func(i int) *paneltest.Answer { return s.admin.Post(path+"/bulk", acts[i]) }) {
		var out clients.BulkOutcome
		one.Is(200).JSON(&out)
		require.Equal(t, len(ids), out.Succeeded, "%s", one.Body)
	}
	for _, id := range ids {
		got := s.get(id)
		require.ElementsMatch(t, []string{"a", "b"}, got.Tags)
		require.Len(t, got.Flows, 2)
		require.EqualValues(t, 5, got.Quota.Bytes)
	}
}

// Two people who ask for a subscription URL at once each get one, and the later one alone leads anywhere.
func TestOneAddressOfASubscriptionIsInForce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "flow_ids", []string{s.flow})
	found := 0
	for _, one := range atOnce(4, func(int) *paneltest.Answer { return s.admin.Post(path+"/"+id+"/public-link", nil) }) {
		address := one.Is(201).Text("url")
		if s.panel.Anonymous().Get(address[len(address)-len("/s/")-26:]).Status == 200 {
			found++
		}
	}
	require.Equal(t, 1, found)
	require.True(t, s.get(id).HasPublicLink)
}
