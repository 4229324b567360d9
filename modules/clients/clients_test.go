package clients_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/platform/paneltest"
)

func TestConformance(t *testing.T) {
	paneltest.Check(t, clients.Module(), nodes.Module(), domains.Module(), flows.Module())
}

// A client is a resource of its own: what it is called, what it may use and how long. Its secrets are in no answer.
func TestAClientIsAddedChangedAndShown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	until := s.clock.Now().Add(24 * time.Hour)
	news := s.panel.Follow()
	id := s.add("  Anna ", "note", "the red phone", "tags", []string{"vip", "vip", "sales"}, "expires_at", until,
		"flow_ids", []string{s.flow})
	require.Equal(t, id, news.Next(clientsapi.EventCreated).SubjectID)
	got := s.get(id)
	require.Equal(t, "Anna", got.Label)
	require.Equal(t, []string{"vip", "sales"}, got.Tags)
	require.Equal(t, clientsapi.Active, got.State)
	require.Equal(t, until, *got.ExpiresAt)
	require.Equal(t, s.admin.AccountID, got.OwnerID)
	require.Len(t, got.Flows, 1)
	require.Equal(t, "Europe main", got.Flows[0].FlowName)
	require.False(t, got.Flows[0].Installed)

	changed := s.admin.Patch(path+"/"+id, map[string]any{
		"revision": got.Revision, "label": "Anna B", "enabled": false, "never_expires": true,
	}).Is(200)
	require.Equal(t, "disabled", changed.Text("state"))
	require.Nil(t, changed.Value("expires_at"))
	require.NotContains(t, strings.ToLower(string(changed.Body)), "secret")
	require.Equal(t, []string{"client.created", "client.updated"}, s.panel.Recorded("client", id))
	require.Contains(t, s.panel.Recorded("flow", s.flow), "flow.client_added")
	s.admin.Patch(path+"/"+id, map[string]any{"revision": got.Revision, "label": "x"}).Refused(409, "revision_conflict")
}

func TestWhatCannotBeAClientIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for field, body := range map[string]map[string]any{
		"label":    {"label": "   "},
		"flow_ids": {"label": "Anna", "flow_ids": []string{none}},
	} {
		refused := s.admin.Post(path, body).Refused(422, "invalid_value")
		require.Equal(t, field, refused.Value("errors").([]any)[0].(map[string]any)["field"])
	}
	require.Equal(t, []string{"Default"}, s.labels(path), "nothing is left of what was refused")
	id := s.add("Anna")
	s.admin.Patch(path+"/"+id, map[string]any{"revision": 1, "expires_at": s.clock.Now(), "never_expires": true}).
		Refused(422, "invalid_value")
	s.admin.Patch(path+"/"+id, map[string]any{"revision": 1, "owner_id": none}).Refused(422, "invalid_value")
	s.panel.As("connection_units.edit").
		Patch(path+"/"+id, map[string]any{"revision": 1, "owner_id": s.admin.AccountID}).Refused(403, "permission_denied")
	s.admin.Patch(path+"/"+id, map[string]any{"label": "x"}).Refused(400, "missing_field")
	s.admin.Get(path+"/"+none).Refused(404, "not_found")
	s.admin.Put(path+"/"+id+"/flows/"+none, nil).Refused(404, "not_found")
	s.admin.Put(path+"/"+none+"/flows/"+s.flow, nil).Refused(404, "not_found")
	s.admin.Delete(path+"/"+id+"/flows/"+s.flow).Refused(404, "not_found")
}

// A client uses any number of flows. One that is taken and given again has another secret, so that what was revoked
// stays revoked.
func TestAClientIsGivenFlowsAndLosesThem(t *testing.T) {
	t.Parallel()
	s := setup(t)
	other, id := s.newFlow("Asia main"), s.add("Anna")
	sealed := func() (text string, generation int) {
		t.Helper()
		require.NoError(t, s.panel.DB.NewRaw("select secret, generation from client_flows where client_id = ? and flow_id = ?",
			id, s.flow).Scan(t.Context(), &text, &generation))
		return text, generation
	}
	s.admin.Put(path+"/"+id+"/flows/"+s.flow, nil).Is(200)
	s.clock.Advance(time.Second)
	s.admin.Put(path+"/"+id+"/flows/"+other, nil).Is(200)
	before, first := sealed()
	s.admin.Put(path+"/"+id+"/flows/"+s.flow, nil).Is(200)
	again, same := sealed()
	require.Equal(t, before, again, "giving what it has changes nothing")
	require.Equal(t, first, same)
	require.Equal(t, []string{"Europe main", "Asia main"}, flowNames(s.get(id)))
	require.Equal(t, []string{"Default", "Anna"}, s.labels(units+"/"+s.flow+"/clients"))

	s.admin.Delete(path + "/" + id + "/flows/" + s.flow).Is(204)
	require.Equal(t, []string{"Asia main"}, flowNames(s.get(id)))
	s.admin.Delete(path+"/"+id+"/flows/"+s.flow).Refused(404, "not_found")
	s.admin.Put(path+"/"+id+"/flows/"+s.flow, nil).Is(200)
	after, second := sealed()
	require.NotEqual(t, before, after)
	require.Equal(t, first+1, second)
}

// The list of a flow tells who is left out of its next apply, and why.
func TestListOfAFlowTellsStates(t *testing.T) {
	t.Parallel()
	s := setup(t)
	given := []string{s.flow}
	off := s.add("Off", "flow_ids", given)
	s.add("Late", "flow_ids", given, "expires_at", s.clock.Now().Add(time.Hour))
	taken := s.add("Taken", "flow_ids", given)
	s.admin.Delete(path + "/" + s.add("Revoked", "flow_ids", given)).Is(204)
	s.admin.Post(path+"/bulk", map[string]any{"ids": []string{off}, "act": "disable"}).Is(200)
	s.admin.Delete(path + "/" + taken + "/flows/" + s.flow).Is(204)
	s.clock.Advance(2 * time.Hour)
	want := map[string]string{
		"Default": clientsapi.Active, "Off": clientsapi.Disabled, "Late": clientsapi.Expired, "Taken": clientsapi.Revoked,
		"Revoked": clientsapi.Revoked,
	}
	type one struct{ Label, State string }
	states := func(all []one) map[string]string {
		out := map[string]string{}
		for _, c := range all {
			out[c.Label] = c.State
		}
		return out
	}
	var page struct{ Items []one }
	s.admin.Get(units + "/" + s.flow + "/clients").Is(200).JSON(&page)
	require.Equal(t, want, states(page.Items))
	var flow struct{ Clients []one }
	s.admin.Get(units + "/" + s.flow).Is(200).JSON(&flow)
	require.Equal(t, want, states(flow.Clients))
}

func flowNames(c clients.Client) []string {
	names := []string{}
	for _, use := range c.Flows {
		names = append(names, use.FlowName)
	}
	return names
}

// Revoking is for good: every flow, the subscription and the client itself end with one answer.
func TestARevokedClientHasNothingLeft(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "flow_ids", []string{s.flow, s.newFlow("Asia main")})
	address := s.admin.Post(path+"/"+id+"/public-link", nil).Is(201).Text("url")
	page := address[strings.Index(address, "/s/"):]
	s.panel.Anonymous().Get(page).Is(200)
	news := s.panel.Follow()
	s.admin.Delete(path + "/" + id).Is(204)
	require.Equal(t, id, news.Next(clientsapi.EventRevoked).SubjectID)
	s.panel.Anonymous().Get(page).Refused(404, "not_found")
	got := s.get(id)
	require.Equal(t, clientsapi.Revoked, got.State)
	require.Empty(t, got.Flows)
	for _, refused := range []*paneltest.Answer{
		s.admin.Delete(path + "/" + id), s.admin.Post(path+"/"+id+"/public-link", nil),
		s.admin.Put(path+"/"+id+"/flows/"+s.flow, nil),
		s.admin.Patch(path+"/"+id, map[string]any{"revision": got.Revision, "label": "x"}),
	} {
		refused.Refused(404, "not_found")
	}
	require.Contains(t, s.panel.Recorded("flow", s.flow), "flow.client_revoked")
}

// The pages of a flow answer from the same rows: there a client of one flow is revoked with it, one of several loses
// that flow alone.
func TestThePageOfAFlowAnswersFromTheSameRows(t *testing.T) {
	t.Parallel()
	s := setup(t)
	of := units + "/" + s.flow + "/clients"
	single := s.admin.Post(of, map[string]any{"label": "Boris"}).Is(201).Text("id")
	require.Equal(t, []string{"Europe main"}, flowNames(s.get(single)))
	both := s.add("Anna", "flow_ids", []string{s.flow, s.newFlow("Asia main")})
	s.admin.Delete(of + "/" + single).Is(204)
	s.admin.Delete(of + "/" + both).Is(204)
	require.Equal(t, clientsapi.Revoked, s.get(single).State)
	require.Equal(t, clientsapi.Active, s.get(both).State)
	require.Equal(t, []string{"Asia main"}, flowNames(s.get(both)))
	require.Equal(t, []string{"Boris", "Anna"}, s.labels(of+"?state=revoked"))
	s.admin.Delete(of+"/"+both).Refused(404, "not_found")
	s.admin.Post(of+"/"+both+"/public-link", nil).Refused(404, "not_found")
}

// A client without any flow left goes with the flow that is deleted; one that has another flow stays.
func TestClientsOfADeletedFlow(t *testing.T) {
	t.Parallel()
	s := setup(t)
	single := s.add("Boris", "flow_ids", []string{s.flow})
	both := s.add("Anna", "flow_ids", []string{s.flow, s.newFlow("Asia main")})
	s.admin.Delete(units + "/" + s.flow).Is(202)
	require.Eventually(t, func() bool { return s.admin.Get(path+"/"+single).Status == 404 }, time.Minute,
		20*time.Millisecond)
	require.Equal(t, []string{"Asia main"}, flowNames(s.get(both)))
}

func TestClientsAreFoundSortedAndPaged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	soon := s.clock.Now().Add(time.Hour)
	s.add("Zoe", "tags", []string{"vip"}, "expires_at", soon)
	anna := s.add("anna", "note", "The RED phone", "flow_ids", []string{s.flow})
	boris := s.add("Борис", "expires_at", soon.Add(time.Hour))
	s.admin.Delete(path + "/" + s.add("Gone")).Is(204)
	s.admin.Patch(path+"/"+boris, map[string]any{"revision": 1, "enabled": false}).Is(200)
	for query, want := range map[string][]string{
		"":                    {"anna", "Default", "Gone", "Zoe", "Борис"},
		"?sort=-label":        {"Борис", "Zoe", "Gone", "Default", "anna"},
		"?sort=expires_at":    {"Zoe", "Борис", "Default", "anna", "Gone"},
		"?q=red+PHONE":        {"anna"},
		"?q=БОР":              {"Борис"},
		"?tag=vip":            {"Zoe"},
		"?state=revoked":      {"Gone"},
		"?state=disabled":     {"Борис"},
		"?state=active":       {"anna", "Default", "Zoe"},
		"?state=expired":      {},
		"?flow_id=" + s.flow:  {"anna", "Default"},
		"?flow_id=" + none:    {},
		"?flow_id=nonsense":   {},
		"?owner=" + none:      {},
		"?sort=-created_at":   {"Gone", "Борис", "anna", "Zoe", "Default"},
		"?q=%25&sort=label":   {},
		"?ends_within=1":      {"Zoe"},
		"?online=true":        {},
		"?limit=2&sort=label": {"anna", "Default"},
	} {
		if strings.Contains(query, "created_at") || strings.Contains(query, "expires_at") {
			require.ElementsMatch(t, want, s.labels(path+query), query)
			continue
		}
		require.Equal(t, want, s.labels(path+query), query)
	}
	require.NotEmpty(t, anna)
	var seen []string
	for cursor := ""; ; {
		page := s.admin.Get(path + "?limit=2&sort=expires_at&cursor=" + cursor).Is(200)
		for _, one := range page.Value("items").([]any) {
			seen = append(seen, one.(map[string]any)["label"].(string))
		}
		next, more := page.Value("next_cursor").(string)
		if !more {
			break
		}
		cursor = next
	}
	require.Equal(t, []string{"Zoe", "Борис"}, seen[:2])
	require.ElementsMatch(t, []string{"Default", "anna", "Gone"}, seen[2:], "those that never expire come last, each once")
	s.admin.Get(path+"?sort=secret").Refused(400, "bad_parameter")
}

// A summary counts what the views of the list show, each client in one state.
func TestASummaryCountsWhatTheListShows(t *testing.T) {
	t.Parallel()
	s := setup(t)
	in := func(days int) time.Time { return s.clock.Now().AddDate(0, 0, days) }
	s.add("ends tomorrow", "expires_at", in(1))
	s.add("ends in a week", "expires_at", in(7))
	s.add("ends later", "expires_at", in(8))
	s.add("has ended", "expires_at", in(-1))
	s.add("has none left", "quota", object{"bytes": 10})
	s.add("has not begun", "lasts_days", 30)
	off := []string{s.add("is off", "expires_at", in(1)), s.add("is off and has not begun", "lasts_days", 30)}
	s.admin.Post(path+"/bulk", object{"act": "disable", "ids": off}).Is(200)
	s.admin.Delete(path + "/" + s.add("is gone")).Is(204)
	now := s.clock.Now()
	_, err := s.panel.DB.NewRaw(`update client_profiles set used_down = case when label = 'has none left' then 10 else used_down end,
		last_seen_at = case when label in ('ends tomorrow', 'is gone') then ?::timestamptz
			when label = 'ends later' then ?::timestamptz end`, now.Add(-time.Minute), now.Add(-3*time.Minute)).Exec(t.Context())
	require.NoError(t, err)

	var all clients.Summary
	s.admin.Get(path + "/summary").Is(200).JSON(&all)
	require.Equal(t, clients.Summary{
		Total: 10, Active: 5, Online: 1, Ending: 2, Expired: 1, Spent: 1, Disabled: 2, Revoked: 1,
	}, all)
	for query, count := range map[string]int{
		"": all.Total, "state=active": all.Active, "state=revoked": all.Revoked, "online=true": all.Online, "ends_within=7": all.Ending, "state=expired": all.Expired,
		"state=spent": all.Spent, "state=disabled": all.Disabled,
	} {
		require.Len(t, s.labels(path+"?"+query), count, query)
	}
	require.Equal(t, []string{"ends tomorrow"}, s.labels(path+"?online=true"))
	require.Equal(t, []string{"ends in a week", "ends tomorrow"}, s.labels(path+"?ends_within=7"))
	require.Equal(t, []string{"has not begun"}, s.labels(path+"?not_begun=true"), "one that is off is not active")
	s.admin.Get(path+"?ends_within=-1").Refused(400, "bad_parameter")
	s.admin.Get(path+"?ends_within=3651").Refused(400, "bad_parameter")
}

// The end of a client's time is told once, whoever looks; from that moment on the client has nothing.
func TestAnExpiredClientHasNothingUntilItsTimeIsExtended(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "expires_at", s.clock.Now().Add(time.Hour), "flow_ids", []string{s.flow})
	news := s.panel.Follow()
	s.clock.Advance(time.Hour)
	require.Equal(t, clientsapi.Expired, s.get(id).State)
	s.panel.RunSchedule("clients.expiry")
	require.Equal(t, id, news.Next(clientsapi.EventExpired).SubjectID)
	s.panel.RunSchedule("clients.expiry")
	told := func() (n int) {
		for _, action := range s.panel.Recorded("client", id) {
			if action == clientsapi.EventExpired {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, told())
	s.admin.Patch(path+"/"+id, map[string]any{"revision": 1, "expires_at": s.clock.Now().Add(time.Hour)}).Is(200)
	require.Equal(t, clientsapi.Active, s.get(id).State)
	s.clock.Advance(time.Hour)
	s.panel.RunSchedule("clients.expiry")
	require.Equal(t, 2, told(), "an extended time ends again")
}

// One that refuses keeps back no other, and is told in the words of its own route.
func TestManyClientsAreActedOnAtOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	anna, boris := s.add("Anna", "tags", []string{"old"}), s.add("Boris")
	act := func(body map[string]any) clients.BulkOutcome {
		t.Helper()
		var out clients.BulkOutcome
		body["ids"] = []string{anna, none, boris, anna}
		s.admin.Post(path+"/bulk", body).Is(200).JSON(&out)
		return out
	}
	out := act(map[string]any{"act": "disable"})
	require.Equal(t, 2, out.Succeeded)
	require.Equal(t, 1, out.Failed)
	require.Equal(t, "not_found", out.Results[1].Code)
	require.Equal(t, clientsapi.Disabled, s.get(boris).State)
	act(map[string]any{"act": "enable"})
	act(map[string]any{"act": "tags", "add_tags": []string{"new"}, "remove_tags": []string{"old"}})
	require.Equal(t, []string{"new"}, s.get(anna).Tags)
	until := s.clock.Now().Add(time.Hour)
	act(map[string]any{"act": "expiry", "expires_at": until})
	require.Equal(t, until, *s.get(boris).ExpiresAt)
	act(map[string]any{"act": "give_flow", "flow_id": s.flow})
	require.Len(t, s.get(anna).Flows, 1)
	act(map[string]any{"act": "take_flow", "flow_id": s.flow})
	require.Empty(t, s.get(anna).Flows)
	require.Equal(t, 2, act(map[string]any{"act": "revoke"}).Succeeded)
	require.Equal(t, clientsapi.Revoked, s.get(boris).State)
	for _, wrong := range []map[string]any{
		{"act": "tags"},
		{"act": "enable", "add_tags": []string{"x"}},
		{"act": "expiry"},
		{"act": "give_flow"},
		{"act": "revoke", "flow_id": s.flow},
		{"act": "expiry", "expires_at": until, "never_expires": true},
	} {
		wrong["ids"] = []string{anna}
		s.admin.Post(path+"/bulk", wrong).Refused(422, "invalid_value")
	}
}

// An export holds nothing secret, and another panel, or the same one again, takes it in: all of it or nothing.
func TestAnExportIsImported(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add("Anna", "note", "=cmd()", "tags", []string{"vip"}, "flow_ids", []string{s.flow}, "expires_at",
		s.clock.Now().Add(time.Hour))
	s.admin.Delete(path + "/" + s.add("Gone")).Is(204)
	exported := s.admin.Get(path + "/export").Is(200)
	var list clients.Import
	require.NoError(t, json.Unmarshal(exported.Body, &list))
	require.Len(t, list.Clients, 2, "without what was revoked")
	table := string(s.admin.Get(path + "/export?format=csv&q=anna").Is(200).Body)
	require.Contains(t, table, "'=cmd()", "no cell is a formula")
	require.Equal(t, 2, strings.Count(table, "\n"))

	var done clients.Imported
	s.admin.Post(path+"/import", list).Is(200).JSON(&done)
	require.Equal(t, clients.Imported{Skipped: []string{"Default", "Anna"}}, done, "what is there is left alone")
	list.Clients[1].Label, list.Clients[0].Label = "Clara", "Boris"
	list.Clients[1].Flows = []string{"EUROPE main", s.flow}
	list.DryRun = true
	s.admin.Post(path+"/import", list).Is(200).JSON(&done)
	require.Equal(t, 2, done.Added)
	require.NotContains(t, s.labels(path), "Clara", "a dry run changes nothing")
	list.DryRun = false
	s.admin.Post(path+"/import", list).Is(200).JSON(&done)
	require.Equal(t, []string{"Clara"}, s.labels(path+"?q=clara"))
	require.Equal(t, []string{"Default", "Anna", "Boris", "Clara"}, s.labels(units+"/"+s.flow+"/clients"))

	broken := clients.Import{Clients: []clients.Line{{Label: "Dora"}, {Label: "Emil", Flows: []string{"nowhere"}}}}
	refused := s.admin.Post(path+"/import", broken).Refused(422, "invalid_value")
	require.Equal(t, "clients[1].flows[0]", refused.Value("errors").([]any)[0].(map[string]any)["field"])
	require.Empty(t, s.labels(path+"?q=dora"))
}

// What a panel of before had sealed for its own table is sealed anew at the start, and opens either way.
func TestSecretsThatHaveMovedAreSealedForTheirNewPlace(t *testing.T) {
	t.Parallel()
	s := setup(t)
	count := func() (moved int) {
		require.NoError(t, s.panel.DB.NewRaw("select count(*) from client_flows where moved").Scan(t.Context(), &moved))
		return moved
	}
	_, err := s.panel.DB.ExecContext(t.Context(), "update client_flows set moved = true, secret = 'v1.unreadable.AAAA'")
	require.NoError(t, err)
	again := paneltest.Start(t, paneltest.On(s.panel.DB), paneltest.Modules(features()...))
	require.Equal(t, 1, count(), "what does not open is left alone, and the panel starts")
	again.Admin().Get(path).Is(200)
}

func TestClientsAreCountedByTheirState(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add("Zoe", "expires_at", s.clock.Now())
	boris := s.add("Boris")
	s.admin.Patch(path+"/"+boris, map[string]any{"revision": 1, "enabled": false}).Is(200)
	shown := s.panel.Scrape()
	for state, count := range map[string]string{"active": "1", "disabled": "1", "expired": "1", "revoked": "0"} {
		require.Contains(t, shown, `panel_clients{state="`+state+`"} `+count)
	}
}
