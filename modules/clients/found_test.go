package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
)

// found are the clients of all flows that a part of a name finds, each with its flow.
func (s *stage) found(query string) []string {
	s.t.Helper()
	var answer clients.FoundClients
	s.admin.Get(units + "/clients?" + query).Is(200).JSON(&answer)
	require.NotNil(s.t, answer.Items)
	out := []string{}
	for _, one := range answer.Items {
		require.False(s.t, one.Installed, "nothing is installed")
		out = append(out, one.Label+" on "+one.FlowName)
	}
	return out
}

// Clients of all flows are found by a part of their name in any case: those that begin with it first, each with the
// flow that it uses; whoever was revoked, and a use that has ended, is not found.
func TestClientsOfAllFlowsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	s := setup(t)
	asia := s.newFlow("Asia main")
	s.add("Marianna", "flow_ids", []string{s.flow})
	anna := s.add("ANNA", "flow_ids", []string{s.flow, asia})
	s.add("Анна", "flow_ids", []string{asia})
	s.admin.Delete(path + "/" + s.add("Annabel", "flow_ids", []string{s.flow})).Is(204)
	s.add("Anna without a flow")
	require.ElementsMatch(t, []string{"ANNA on Europe main", "ANNA on Asia main", "Marianna on Europe main"}, s.found("q=anna"))
	require.Equal(t, "Marianna on Europe main", s.found("q=anna")[2], "those that begin with it come first")
	require.Equal(t, []string{"Анна on Asia main"}, s.found("q=%D0%B0%D0%9D%D0%9D"))
	require.Len(t, s.found("q=anna&limit=1"), 1)
	require.Empty(t, s.found("q=%25"), "no sign of a pattern")
	s.admin.Delete(path + "/" + anna + "/flows/" + asia).Is(204)
	require.Equal(t, []string{"ANNA on Europe main", "Marianna on Europe main"}, s.found("q=anna"))
	s.admin.Get(units+"/clients").Refused(400, "bad_parameter")
	s.admin.Get(units+"/clients?q=a&limit=51").Refused(400, "bad_parameter")
}

// The page of a flow issues and revokes a client's subscription URL; it is the same one as that of the
// client, and ends with the next one. Only a client of the flow has one there.
func TestTheSubscriptionOfAClientOfAFlow(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "flow_ids", []string{s.flow})
	of := units + "/" + s.flow + "/clients/" + id + "/public-link"
	first := s.admin.Post(of, nil).Is(201).Text("url")
	second := s.admin.Post(of, nil).Is(201).Text("url")
	page := func(address string) string { return address[strings.Index(address, "/s/"):] }
	require.NotEqual(t, first, second)
	s.panel.Anonymous().Get(page(first)).Refused(404, "not_found")
	s.panel.Anonymous().Get(page(second)).Is(200)
	require.True(t, s.get(id).HasPublicLink)
	s.admin.Delete(of).Is(204)
	s.panel.Anonymous().Get(page(second)).Refused(404, "not_found")
	require.False(t, s.get(id).HasPublicLink)
	s.admin.Delete(of).Is(204)
	for _, other := range []string{
		units + "/" + s.newFlow("Asia main") + "/clients/" + id, units + "/" + none + "/clients/" + id,
		units + "/" + s.flow + "/clients/" + none, units + "/nonsense/clients/" + id, units + "/" + s.flow + "/clients/x",
	} {
		s.admin.Post(other+"/public-link", nil).Refused(404, "not_found")
		s.admin.Delete(other+"/public-link").Refused(404, "not_found")
	}
	recorded := s.panel.Recorded("flow", s.flow)
	require.Contains(t, recorded, "flow.public_link_issued")
	require.Contains(t, recorded, "flow.public_link_revoked")
}

// Revoking twice, giving what somebody has and taking what nobody has are answered, and change nothing.
func TestGivingAndTakingTwice(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna")
	use := path + "/" + id + "/flows/" + s.flow
	s.admin.Delete(use).Refused(404, "not_found")
	s.admin.Put(use, nil).Is(200)
	given := s.get(id)
	s.admin.Put(use, nil).Is(200)
	require.Equal(t, given.Revision, s.get(id).Revision, "it has the flow already")
	s.admin.Delete(use).Is(204)
	s.admin.Delete(use).Refused(404, "not_found")
	s.admin.Put(use, nil).Is(200)
	require.Equal(t, []string{"Europe main"}, flowNames(s.get(id)))
	for _, wrong := range []string{"/flows/" + none, "/flows/x"} {
		s.admin.Put(path+"/"+id+wrong, nil).Refused(404, "not_found")
		s.admin.Delete(path+"/"+id+wrong).Refused(404, "not_found")
	}
	s.admin.Put(path+"/"+none+"/flows/"+s.flow, nil).Refused(404, "not_found")
	s.admin.Delete(path+"/"+none+"/flows/"+s.flow).Refused(404, "not_found")
	s.admin.Delete(path + "/" + id).Is(204)
	s.admin.Put(use, nil).Refused(404, "not_found")
}

// A flow that is not there has no page of clients, whatever its id looks like; nobody is added to it.
func TestAnUnknownFlowHasNoClients(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, flow := range []string{none, "nonsense", strings.Repeat("a", 64)} {
		of := units + "/" + flow + "/clients"
		s.admin.Get(of).Refused(404, "not_found")
		s.admin.Post(of, map[string]any{"label": "Anna"}).Refused(404, "not_found")
	}
	require.Equal(t, []string{"Default"}, s.labels(path))
	s.admin.Post(units+"/"+s.flow+"/clients", map[string]any{"label": " \t "}).Refused(422, "invalid_value")
}

// The list of a flow is sorted and narrowed down like that of all clients, page by page, with the number of all that
// match on each.
func TestTheClientsOfAFlowArePaged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	of := units + "/" + s.flow + "/clients"
	for i := range 5 {
		s.admin.Post(of, map[string]any{"label": fmt.Sprintf("Client %d", 4-i)}).Is(201)
	}
	s.admin.Delete(path + "/" + s.add("Gone", "flow_ids", []string{s.flow})).Is(204)
	var seen []string
	for cursor, pages := "", 0; ; pages++ {
		page := s.admin.Get(of + "?limit=2&sort=label&q=CLIENT&cursor=" + cursor).Is(200)
		require.EqualValues(t, 5, page.Value("total"), "of all that match")
		for _, one := range page.Value("items").([]any) {
			seen = append(seen, one.(map[string]any)["label"].(string))
		}
		next, more := page.Value("next_cursor").(string)
		if !more {
			require.Equal(t, 2, pages)
			break
		}
		cursor = next
	}
	require.Equal(t, []string{"Client 0", "Client 1", "Client 2", "Client 3", "Client 4"}, seen)
	require.Equal(t, []string{"Gone"}, s.labels(of+"?state=revoked"))
	require.Empty(t, s.labels(of+"?state=installed"))
	require.Equal(t, "Gone", s.labels(of + "?sort=state")[6], "whoever was revoked comes last")
	s.admin.Get(of+"?sort=secret").Refused(400, "bad_parameter")
	s.admin.Get(of+"?limit=2&sort=label&cursor=x").Refused(400, "bad_parameter")
}

// A large list is counted once a second; what another page of the same second tells may be that much older.
func TestALargeListIsCountedOnceASecond(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.panel.DB.ExecContext(t.Context(), `insert into client_profiles (id, label, owner_id, created_at, updated_at,
			used_since) select gen_random_uuid(), 'Client ' || i, ?, now(), now(), now() from generate_series(1, 1000) i`,
		s.admin.AccountID)
	require.NoError(t, err)
	total := func(query string) int {
		return int(s.admin.Get(path + "?limit=1" + query).Is(200).Value("total").(float64))
	}
	require.Equal(t, 1001, total(""), "with that of the flow")
	require.Equal(t, 1, total("&q=Default"))
	s.add("Anna")
	s.add("Default too")
	require.Equal(t, 1001, total(""))
	require.Equal(t, 2, total("&q=Default"), "few are counted each time")
	s.clock.Advance(1e9)
	require.Equal(t, 1003, total(""))
}

// Clients stay when their owner goes: whoever takes over owns them from then on.
func TestClientsOfAnAccountThatGoes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	other := s.panel.As("connection_units.view", "connection_units.edit")
	id := other.Post(path, map[string]any{"label": "Anna"}).Is(201).Text("id")
	gone := other.Post(path, map[string]any{"label": "Boris"}).Is(201).Text("id")
	s.admin.Delete(path + "/" + gone).Is(204)
	require.Equal(t, other.AccountID, s.get(id).OwnerID)
	before := s.get(id).Revision
	s.admin.Do("DELETE", "/api/v1/accounts/"+other.AccountID, nil).Refused(409, "account_in_use")
	s.admin.Do("DELETE", "/api/v1/accounts/"+other.AccountID+"?hand_over_to="+s.admin.AccountID, nil).Is(204)
	require.Equal(t, s.admin.AccountID, s.get(id).OwnerID)
	require.Greater(t, s.get(id).Revision, before)
	require.Equal(t, clientsapi.Active, s.get(id).State)
}
