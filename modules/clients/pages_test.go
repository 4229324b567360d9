package clients_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/clients/clientsapi"
)

// paged reads a list page by page to its end.
func (s *stage) paged(of string, limit int) (labels []string) {
	s.t.Helper()
	for cursor := ""; ; {
		var page struct {
			Items      []struct{ Label string }
			NextCursor string `json:"next_cursor"`
			Total      int
		}
		s.admin.Get(fmt.Sprint(of, "&limit=", limit, "&cursor=", cursor)).Is(200).JSON(&page)
		for _, one := range page.Items {
			labels = append(labels, one.Label)
		}
		if cursor = page.NextCursor; cursor == "" {
			require.Len(s.t, labels, page.Total)
			return labels
		}
		require.Len(s.t, page.Items, limit)
	}
}

// Whatever the order, the filter and the size of a page, each client of a flow is on one page of them; sorted downward
// they come the other way round.
func TestPagesOfAFlowsClientsHaveEachOfThemOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	given := []string{s.flow}
	names := []string{"Zoe", "anna", "Борис", "Vera", "Emil", "Olga", "Пётр"}
	ids := map[string]string{}
	for _, name := range names {
		s.clock.Advance(time.Second)
		ids[name] = s.add(name, "flow_ids", given)
	}
	s.admin.Delete(path + "/" + ids["Vera"]).Is(204)
	s.admin.Post(path+"/bulk", object{"act": "disable", "ids": []string{ids["Emil"]}}).Is(200)
	of := units + "/" + s.flow + "/clients?"
	everybody := append([]string{"Default"}, names...)
	for _, sort := range []string{"", "created_at", "label", "state"} {
		for limit := 1; limit <= 9; limit += 2 {
			up, down := s.paged(of+"sort="+sort, limit), s.paged(of+"sort=-"+cmp.Or(sort, "created_at"), limit)
			if sort == "" {
				require.Equal(t, everybody, up)
			}
			require.ElementsMatch(t, everybody, up, sort)
			slices.Reverse(down)
			require.Equal(t, up, down, sort)
		}
	}
	require.Equal(t, []string{"anna", "Default", "Emil", "Olga", "Vera", "Zoe", "Борис", "Пётр"}, s.paged(of+"sort=label", 3))
	require.Equal(t, []string{"Vera"}, s.paged(of+"state=revoked", 1))
	require.ElementsMatch(t, []string{"Default", "Zoe", "anna", "Борис", "Olga", "Пётр"}, s.paged(of+"state=waiting&sort=-label", 2))
	require.Empty(t, s.labels(of+"state=installed"))
	require.Equal(t, []string{"Olga"}, s.paged(of+"q=OLG", 1))
	s.admin.Get(of+"sort=secret").Refused(400, "bad_parameter")
	s.admin.Get(of+"sort=label&cursor=nonsense").Refused(400, "bad_parameter")
	s.admin.Get(units+"/"+none+"/clients").Refused(404, "not_found")

	_, err := s.panel.DB.NewRaw("insert into client_lists (flow_id, nodes, elsewhere) values (?, 0, true)", s.flow).
		Exec(t.Context())
	require.NoError(t, err)
	s.clock.Advance(time.Minute)
	require.Empty(t, s.paged(of+"state=waiting", 3), "where proxy panels serve all entries nobody waits")
}

// A page of a flow tells of each client what the client itself says, after every change of it.
func TestThePageOfAFlowSaysWhatTheClientSays(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "flow_ids", []string{s.flow})
	shown := func() (found clients.FlowClient) {
		t.Helper()
		var page struct{ Items []clients.FlowClient }
		s.admin.Get(units + "/" + s.flow + "/clients?sort=-created_at").Is(200).JSON(&page)
		at := slices.IndexFunc(page.Items, func(c clients.FlowClient) bool { return c.ID == id })
		require.GreaterOrEqual(t, at, 0)
		return page.Items[at]
	}
	change := func(body object) {
		t.Helper()
		body["revision"] = s.get(id).Revision
		s.admin.Patch(path+"/"+id, body).Is(200)
	}
	same := func(state string) {
		t.Helper()
		client, of := s.get(id), shown()
		require.Equal(t, state, of.State)
		require.Equal(t, client.State, of.State)
		require.Equal(t, client.Label, of.Label)
		require.Equal(t, client.HasPublicLink, of.HasPublicLink)
		require.Equal(t, client.RevokedAt, of.RevokedAt)
	}
	same(clientsapi.Active)
	change(object{"label": "Anna B"})
	same(clientsapi.Active)
	s.admin.Post(path+"/"+id+"/public-link", nil).Is(201)
	same(clientsapi.Active)
	change(object{"enabled": false})
	same(clientsapi.Disabled)
	change(object{"enabled": true, "expires_at": s.clock.Now().Add(time.Minute)})
	same(clientsapi.Active)
	s.clock.Advance(time.Minute)
	same(clientsapi.Expired) // nothing has been written down meanwhile
	change(object{"never_expires": true})
	same(clientsapi.Active)
	s.admin.Delete(path + "/" + id + "/public-link").Is(204)
	same(clientsapi.Active)
	s.admin.Delete(path + "/" + id).Is(204)
	same(clientsapi.Revoked)
	require.NotNil(t, shown().RevokedAt)
}

// A client that loses a flow and gets it back is on the page of the flow once, with the moment since which it is there
// again.
func TestAClientThatComesBackIsOnThePageOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	id := s.add("Anna", "flow_ids", []string{s.flow})
	for range 3 {
		s.clock.Advance(time.Minute)
		s.admin.Delete(path + "/" + id + "/flows/" + s.flow).Is(204)
		require.Equal(t, []string{"Anna"}, s.labels(units+"/"+s.flow+"/clients?state=revoked"))
		s.admin.Put(path+"/"+id+"/flows/"+s.flow, nil).Is(200)
		require.Empty(t, s.labels(units+"/"+s.flow+"/clients?state=revoked"))
		require.Equal(t, s.clock.Now(), s.get(id).Flows[0].Since)
	}
	require.Equal(t, []string{"Default", "Anna"}, s.labels(units+"/"+s.flow+"/clients"))
}
