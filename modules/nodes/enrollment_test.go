package nodes

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

func TestAnEnrolmentTokenMakesANodeAndIsShownOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	issued := admin.Post("/api/v1/nodes/enrollment-tokens", map[string]any{
		"label":     "first",
		"auto_tags": []string{"eu"},
	}).Is(http.StatusCreated)
	require.Equal(t, "no-store", issued.Header.Get("Cache-Control"))
	token := issued.Text("token")
	require.Contains(t, issued.Text("install.command"), "PANEL_ENROLL_TOKEN=%s\\n' "+token+";")
	agent := p.EnrollWith(token, "Web 01.example")

	node := admin.Get("/api/v1/nodes/" + agent.NodeID).Is(http.StatusOK)
	require.Equal(t, "Web-01-example", node.Text("name"))
	require.Equal(t, "127.0.0.1", node.Text("address"))
	require.Equal(t, []any{"eu"}, node.Value("tags"))
	require.Equal(t, "pending", node.Text("state"))
	again := admin.Get("/api/v1/nodes/enrollment-tokens/" + issued.Text("id")).Is(http.StatusOK)
	require.NotContains(t, string(again.Body), token)
	require.Equal(t, "used_up", again.Text("state"))
}

// Servers made from one image call themselves the same and often start at once.
func TestServersOfOneHostNameEnrolAtOnce(t *testing.T) {
	t.Parallel()
	const servers = 60
	p := paneltest.Start(t, paneltest.Modules(Module()),
		paneltest.Env(map[string]string{"PANEL_TRUSTED_PROXIES": "127.0.0.1/32"}))
	tokens := make([]string, servers)
	for i := range tokens {
		tokens[i] = p.EnrollmentToken(nil)
	}
	names := make([]string, servers)
	var all sync.WaitGroup
	for i := range servers {
		all.Go(func() {
			wanted := agentapi.EnrollRequest{
				Token: tokens[i], Hostname: "image", OS: "linux", Arch: "amd64",
				Protocol: 1,
			}
			from := fmt.Sprintf("203.0.113.%d", i+1) // one address may not ask so often
			ask := func() *paneltest.Answer {
				return p.Anonymous().Do(http.MethodPost, agentapi.PathEnroll, wanted, "X-Forwarded-For", from)
			}
			reply := ask()
			for reply.Status == http.StatusServiceUnavailable { // a busy panel, which agents ask again
				reply = ask()
			}
			reply.Is(http.StatusCreated)
			names[i] = p.As("nodes.view").Get("/api/v1/nodes/" + reply.Text("node_id")).Is(http.StatusOK).Text("name")
		})
	}
	all.Wait()
	require.Len(t, distinct(names), servers)
	require.Contains(t, names, "image")
}

// One code for all four: wrong, spent, expired and revoked (domain decision 14).
func TestAWrongSpentExpiredOrRevokedTokenGivesOneAnswer(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	spent, expired, revoked := p.EnrollmentToken(nil), p.EnrollmentToken(map[string]any{"expires_in_seconds": 60}), ""
	p.EnrollWith(spent, "spent")
	admin := p.As("nodes.edit")
	issued := admin.Post("/api/v1/nodes/enrollment-tokens", map[string]any{"kind": "reusable"}).Is(http.StatusCreated)
	revoked = issued.Text("token")
	p.EnrollWith(revoked, "before")
	admin.Delete("/api/v1/nodes/enrollment-tokens/" + issued.Text("id")).Is(http.StatusNoContent)
	clock.Advance(2 * time.Minute)
	details := map[string]bool{}
	for _, token := range []string{"", "pne_wrong", spent, expired, revoked} {
		answer := p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Hostname: "late"})
		answer.Refused(http.StatusUnauthorized, "enrollment_token_invalid")
		details[answer.Text("detail")] = true
		if token != "" {
			require.NotContains(t, string(answer.Body), token)
		}
	}
	require.Len(t, details, 1)
}

func TestFiftyParallelEnrolmentsOnAOneOffTokenHaveExactlyOneWinner(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	token := p.EnrollmentToken(nil)
	var won, refused atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			// Straight to the service: the route is throttled, and the race is in the database.
			answer := p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Hostname: "same"})
			switch answer.Status {
			case http.StatusCreated:
				won.Add(1)
			case http.StatusUnauthorized, http.StatusTooManyRequests:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, won.Load())
	require.EqualValues(t, 49, refused.Load())
}

func TestAReusableTokenKeepsItsLimitAndNamesDoNotCollide(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	token := p.EnrollmentToken(map[string]any{"kind": "reusable", "usage_limit": 2})
	first, second := p.EnrollWith(token, "same-name"), p.EnrollWith(token, "same-name")
	require.NotEqual(t, first.NodeID, second.NodeID)
	p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Hostname: "x"}).
		Refused(http.StatusUnauthorized, "enrollment_token_invalid")
	require.Equal(t, "same-name-2", p.As("nodes.view").Get("/api/v1/nodes/"+second.NodeID).Text("name"))
}

func TestABoundTokenGivesAnExistingNodeItsAgentAndEndsTheOldOne(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	node := admin.Post("/api/v1/nodes", map[string]any{"name": "waw-03"}).Is(http.StatusCreated)
	path := "/api/v1/nodes/" + node.Text("id") + "/agent-binding"
	first := p.EnrollWith(admin.Post(path, map[string]any{}).Is(http.StatusOK).Text("enrollment.token"), "host")
	require.Equal(t, node.Text("id"), first.NodeID)
	first.Beat()
	second := p.EnrollWith(admin.Post(path,
		map[string]any{"action": "bind"}).Is(http.StatusOK).Text("enrollment.token"), "host")
	first.Post(agentapi.PathHeartbeat, paneltest.Heartbeat()).Refused(http.StatusUnauthorized, "agent_token_invalid")
	second.Beat()
	admin.Post(path, map[string]any{"action": "revoke"}).Is(http.StatusOK)
	second.Post(agentapi.PathHeartbeat, paneltest.Heartbeat()).Refused(http.StatusUnauthorized, "agent_token_invalid")
	require.Equal(t, "revoked", admin.Get("/api/v1/nodes/"+second.NodeID).Text("agent.link"))
}

func TestARotatedTokenLivesOnForTheOverlap(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	agent := p.Enroll("rotating")
	fresh := agent.Post("/agent/v1/token", nil).Is(http.StatusOK)
	require.Equal(t, "no-store", fresh.Header.Get("Cache-Control"))
	next := agent.With(fresh.Text("agent_token"))
	agent.Beat()
	next.Beat()
	clock.Advance(overlap + time.Second)
	agent.Post(agentapi.PathHeartbeat, paneltest.Heartbeat()).Refused(http.StatusUnauthorized, "agent_token_invalid")
	next.Beat()
}

// A token in a query string is never looked at (domain decision 5, trap 24).
func TestAnAgentTokenInTheQueryIsNotLookedAt(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("query")
	p.Anonymous().Get(agentapi.PathConfig+"?token="+agent.Token).Refused(http.StatusUnauthorized, "agent_token_invalid")
	p.Anonymous().Get(agentapi.PathStream+"?access_token="+agent.Token).
		Refused(http.StatusUnauthorized, "agent_token_invalid")
}

func TestAgentAndSessionTokensDoNotMix(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("mixing")
	agent.Get("/api/v1/nodes").Refused(http.StatusUnauthorized, "no_session")
	p.Admin().Post(agentapi.PathHeartbeat, paneltest.Heartbeat()).
		Refused(http.StatusUnauthorized, "agent_token_invalid")
}

func TestOnlyDigestsOfTokensAreStored(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	enrolment := p.EnrollmentToken(nil)
	agent := p.EnrollWith(enrolment, "digest")
	for _, table := range []string{"agent_tokens", "enrollment_tokens", "nodes", "node_reports", "journal"} {
		var rows []string
		require.NoError(t, p.DB.NewRaw("select r::text from "+table+" r").Scan(t.Context(), &rows))
		text := strings.Join(rows, "\n")
		require.NotContains(t, text, enrolment)
		require.NotContains(t, text, agent.Token)
	}
}

func TestTheInstallScriptAndTheAgentComeFromThePanel(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Env(map[string]string{
		"PANEL_PUBLIC_URL": "https://panel.example", "PANEL_AGENT_DIR": agentDir(t),
	}))
	script := p.Anonymous().Get(agentapi.PathInstallScript).Is(http.StatusOK)
	require.Contains(t, string(script.Body), "panel=https://panel.example\n")
	program := p.Anonymous().Get("/install/agent/linux/arm64").Is(http.StatusOK)
	require.Equal(t, "an executable", string(program.Body))
	require.Len(t, program.Header.Get("X-Checksum-Sha256"), 64)
	for _, path := range []string{
		"/install/agent/plan9/amd64", "/install/agent/linux/..%2f..%2fetc",
		"/install/agent/linux/amd64",
	} {
		p.Anonymous().Get(path).Refused(http.StatusNotFound, "not_found")
	}
}

// When the answer of a rotation is lost, the agent still holds the token before: the next rotation must not end it.
func TestALostAnswerOfARotationLocksNoAgentOut(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("lost-answer")
	agent.Post(agentapi.PathToken, nil).Is(http.StatusOK)
	fresh := agent.Post(agentapi.PathToken, nil).Is(http.StatusOK)
	agent.Beat()
	agent.With(fresh.Text("agent_token")).Beat()
}

// Agents of another version leave fields out and send others: they are answered all the same.
func TestAnAgentOfAnotherVersionIsUnderstood(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("other-version")
	agent.Post(agentapi.PathHeartbeat, map[string]any{
		"agent_version": "9.9.9", "protocol": agentapi.Protocol,
		"a_later_field": 1,
	}).Is(http.StatusOK)
}
