package assistant

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rights of each tool: who may only ask is told nothing that lies behind a permission, whatever he asks, and each
// read that was refused names the permission of the operation (the access matrix, in process).
func TestAnAnswerTellsNothingThatItsAskerMayNotSee(t *testing.T) {
	s := seed(t)
	refused := map[string]string{}
	for i, one := range append(append([]asked{}, inEnglish...), inRussian...) {
		language := "en"
		if i >= len(inEnglish) {
			language = "ru"
		}
		answer := s.reply(s.As("assistant.use"), language, one.page, one.text)
		for _, read := range answer.Read {
			path, _, _ := strings.Cut(read.Path, "?")
			if !read.OK {
				require.NotEmpty(t, read.Missing, "%s of %s", read.Path, one.text)
				refused[s.template(path)] = read.Missing[0]
			}
		}
		told := strings.ReplaceAll(answer.told(), one.text, "")
		for _, secret := range []string{"msk-1", "alice", "boris", "new disk", "vpn.example.org", "8080"} {
			if !strings.Contains(one.text, secret) {
				require.NotContains(t, told, secret, one.text)
			}
		}
		require.Empty(t, answer.Proposals, one.text)
	}
	for path, key := range map[string]string{
		"/api/v1/nodes": "nodes.view", "/api/v1/connection-units": "connection_units.view",
		"/api/v1/health/incidents": "health.view", "/api/v1/audit": "audit.view", "/api/v1/certificates": "dns.view",
		"/api/v1/backups/profiles": "backups.view", "/api/v1/accounts": "accounts.view",
		"/api/v1/system/diagnostics": "settings.manage", "/api/v1/notifications/settings": "notifications.view",
	} {
		require.Equal(t, key, refused[path], path)
	}
}

// template puts {id} where an id stands.
func (s *seeded) template(path string) string {
	for _, ids := range []map[string]string{s.nodes, s.flows} {
		for _, id := range ids {
			path = strings.ReplaceAll(path, id, "{id}")
		}
	}
	return path
}

// A proposal is the ordinary request: the browser sends it after the confirmation, and what happens is what the
// ordinary API does with the person's rights.
func TestAConfirmedProposalIsSentByThePerson(t *testing.T) {
	s := seed(t)
	answer := s.reply(s.admin, "en", home, "Put ams-1 into maintenance")
	require.Len(t, answer.Proposals, 1)
	one := answer.Proposals[0]
	require.Equal(t, "form", one.Kind)
	state := func() string { return s.admin.Get("/api/v1/nodes/" + s.nodes["ams-1"]).Is(http.StatusOK).Text("state") }
	require.Equal(t, "online", state())
	s.admin.Post("/api/v1/assistant/proposals/"+one.ID+"/confirm", nil).Is(http.StatusOK)
	require.Equal(t, "online", state(), "the confirmation sends nothing")
	s.As("nodes.view").Do(one.Request.Method, one.Request.Path, one.Request.Body).Refused(http.StatusForbidden, "permission_denied")
	s.admin.Do(one.Request.Method, one.Request.Path, one.Request.Body).Is(http.StatusOK)
	require.Equal(t, "maintenance", state())

	drafted := s.reply(s.admin, "ru", europe, "Замени ams-2 на fra-1").Proposals
	require.Len(t, drafted, 1)
	require.Equal(t, "draft", drafted[0].Kind)
	require.Equal(t, "out.node", drafted[0].Diff[0].Field)
	s.admin.Post("/api/v1/assistant/proposals/"+drafted[0].ID+"/confirm", nil).Is(http.StatusOK)
	s.admin.Do(drafted[0].Request.Method, drafted[0].Request.Path, drafted[0].Request.Body).Is(http.StatusOK)
	draft := s.admin.Get("/api/v1/connection-units/" + s.flows["europe"] + "/draft").Is(http.StatusOK)
	require.Contains(t, string(draft.Body), s.nodes["fra-1"])
	require.NotContains(t, string(draft.Body), s.nodes["ams-2"])

	for text, kind := range map[string]string{
		"Plan flow asia": "plan", "Turn off europe": "form", "Replace ams-1 by fra-1": "plan", "Stop the automation": "form",
	} {
		offers := s.reply(s.admin, "en", home, text).Proposals
		require.Len(t, offers, 1, text)
		require.Equal(t, kind, offers[0].Kind, text)
		s.admin.Do(offers[0].Request.Method, offers[0].Request.Path, offers[0].Request.Body)
	}
	s.flow("solo", "fra-1", "msk-1", 9443)
	preview := s.reply(s.admin, "en", home, "Plan flow solo").Proposals[0].Request
	require.Less(t, s.admin.Do(preview.Method, preview.Path, preview.Body).Status, 300, "the request is one that the API takes")
}
