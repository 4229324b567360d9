package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inbound is one of 3x-ui with a client for each name, its subscription and its members.
func inbound(port int, clients ...string) string {
	settings := `{"clients":[` + strings.Join(clients, ",") + `]}`
	return fmt.Sprintf(`{"id":%d,"enable":true,"port":%d,"protocol":"trojan","tag":"in-%d","settings":%q,`+
		`"streamSettings":"{\"network\":\"tcp\",\"security\":\"tls\"}","sniffing":""}`, port, port, port, settings)
}

func person(email, subscription, more string) string {
	return fmt.Sprintf(`{"email":%q,"password":"secret-%s","subId":%q%s}`, email, email, subscription, more)
}

// listed is a client as the list has it.
type listed struct {
	ID            string
	Label         string
	HasPublicLink bool `json:"has_public_link"`
	Revision      int
	Quota         *struct{ Bytes int64 }
	Used          struct{ Down int64 }
	Flows         []struct{ FlowName string }
}

func (s *stage) clients() map[string]listed {
	s.t.Helper()
	var page struct{ Items []listed }
	s.admin.Get("/api/v1/clients").Is(200).JSON(&page)
	out := map[string]listed{}
	for _, one := range page.Items {
		out[one.Label] = one
	}
	return out
}

// Programs of clients that come from 3x-ui go on with the subscription URL that they have: at the path of
// before, and at that of the panel. A person who had a client in each inbound is one, with all of it in one answer.
func TestProgramsGoOnWithTheSubscriptionThatTheyHave(t *testing.T) {
	t.Parallel()
	const annas, borises, weak, veras = "s8k2m4qa7xv1c9zt", "t8k2m4qa7xv1c9zt", "vera", "v8k2m4qa7xv1c9zt"
	s := setup(t)
	list := "[" + inbound(4443, person("anna", annas, `,"totalGB":1000`), person("boris", borises, ""),
		person("vera", weak, "")) + "," + inbound(4444, person("anna-2", annas, `,"totalGB":500`),
		person("boris-2", borises, `,"enable":false`), person("vera", veras, ""), person("boris", "another-boris", "")) + "]"
	read := s.read([]byte(list))
	require.Equal(t, []int{2, 4}, []int{read.Entries[0].Subscriptions, read.Entries[1].Subscriptions})
	told := map[string]string{}
	for _, f := range read.Findings {
		told[f.What] = f.Code
	}
	require.Equal(t, "subscription_too_short", told["vera"])
	require.Equal(t, "subscription_shared", told["boris-2"])
	require.NotContains(t, told, "anna-2")
	s.take(read, all(read))

	there := s.clients()
	require.Len(t, there, 4, "and two of the name boris with an address each")
	require.Len(t, there["anna"].Flows, 2)
	require.Len(t, there["vera"].Flows, 2)
	require.EqualValues(t, 1500, there["anna"].Quota.Bytes)
	links := map[string]bool{"anna": true, "boris": true, "boris-2": false, "vera": true}
	for label, has := range links {
		require.Equal(t, has, there[label].HasPublicLink, label)
	}
	visitor := s.panel.Anonymous()
	for _, address := range []string{"/sub/" + annas, "/s/" + annas} {
		require.Contains(t, visitor.Get(address).Is(200).Header.Get("subscription-userinfo"), "total=1500")
	}
	require.Contains(t, visitor.Get("/sub/"+borises).Is(200).Header.Get("subscription-userinfo"), "total=0")
	for _, address := range []string{veras, "another-boris"} {
		visitor.Get("/sub/" + address).Is(200)
	}
	visitor.Get("/sub/"+weak).Refused(404, "not_found")

	again := s.read([]byte(list))
	s.take(again, all(again))
	var page struct{ Total int }
	s.admin.Get("/api/v1/clients?q=anna").Is(200).JSON(&page)
	require.Equal(t, 2, page.Total, "the same list makes clients of its own")
	visitor.Get("/sub/" + annas).Is(200)

	s.admin.Delete("/api/v1/clients/" + there["anna"].ID + "/public-link").Is(204)
	for _, address := range []string{"/sub/" + annas, "/s/" + annas} {
		visitor.Get(address).Refused(404, "not_found")
	}
	url := s.admin.Post("/api/v1/clients/"+there["vera"].ID+"/public-link", nil).Is(201).Text("url")
	visitor.Get("/sub/"+veras).Refused(404, "not_found")
	visitor.Get(url[strings.Index(url, "/s/"):]).Is(200)
	require.NotContains(t, strings.Join(s.names(), " "), annas)
}
