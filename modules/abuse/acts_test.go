package abuse

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/lookups"
	"panel/modules/abuse/internal/watching"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/modules/proxypanel"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/module"
	"panel/platform/paneltest"
	"panel/platform/settings"
)

const (
	actionsPath = "/api/v1/abuse/actions"
	clientsPath = "/api/v1/clients"
)

// scene is a panel with real flows and clients: one client of two flows, with an open case, whom one node has seen.
type scene struct {
	*paneltest.Panel
	t      *testing.T
	admin  *paneltest.Client
	acts   *acts.Acts
	cases  *cases.Cases
	places *watching.Watching
	node   *paneltest.Agent
	flows  [2]string
	client string
	caseID string
}

func newScene(t *testing.T, more ...paneltest.Setting) *scene {
	t.Helper()
	s := &scene{t: t}
	manifest := Module()
	manifest.Attach = func(
		h *handlers, i *intake.Intake, doc *settings.Doc[Settings], db *database.DB, p *watching.Watching,
		c *cases.Cases, l *lookups.Lookups, a *acts.Acts, b *blocks.Blocks,
	) module.Parts {
		s.acts, s.cases, s.places = a, c, p
		return attach(h, i, doc, db, p, c, l, a, b)
	}
	s.Panel = paneltest.Start(t, append(more, paneltest.Modules(nodes.Module(), domains.Module(), flows.Module(),
		clients.Module(), proxypanel.Module(), manifest))...)
	s.admin = s.Admin()
	for i, name := range []string{"Europe", "Asia"} {
		s.flows[i] = s.admin.Post("/api/v1/connection-units", fields{"name": name}).Is(http.StatusCreated).Text("id")
	}
	s.client = s.admin.Post(clientsPath, fields{"label": "Anna", "flow_ids": s.flows[:]}).Is(http.StatusCreated).Text("id")
	s.node = s.Enroll("fra").Online()
	s.caseID = s.opens(s.client)
	return s
}

func (s *scene) exec(statement string, args ...any) {
	s.t.Helper()
	_, err := s.DB.NewRaw(statement, args...).Exec(s.t.Context())
	require.NoError(s.t, err)
}

// opens stores a case of a client, as scoring does.
func (s *scene) opens(client string) string {
	s.t.Helper()
	id := database.NewID()
	s.exec(`insert into abuse_cases (id, user_ref, label, state, score, most, confidence, recommended, breakdown, findings,
			signals, node_ids, flow_ids, evidence_at, opened_at, updated_at, scored_at)
		values (?, ?, 'Anna', 'open', 80, 255, 1, 'soft_block', '[]', '[]', '{}', array[?]::uuid[], '{}', now(), now(), now(),
			now())`, id, agentapi.RefOfClient(client), s.node.NodeID)
	return id
}

func (s *scene) do(more fields) *paneltest.Answer {
	s.t.Helper()
	order := fields{"reason": "shared"}
	for key, value := range more {
		order[key] = value
	}
	return s.admin.Post(casesPath+"/"+s.caseID+"/actions", order)
}

func (s *scene) done(more fields) (done cases.Action) {
	s.t.Helper()
	s.do(more).Is(http.StatusCreated).JSON(&done)
	return done
}

func (s *scene) undo(id string) *paneltest.Answer {
	s.t.Helper()
	return s.admin.Post(actionsPath+"/"+id+"/undo", nil)
}

func (s *scene) shown() (found cases.Case) {
	s.t.Helper()
	s.As(string(View)).Get(casesPath + "/" + s.caseID).Is(http.StatusOK).JSON(&found)
	return found
}

func (s *scene) limits() (limits clients.Limits) {
	s.t.Helper()
	return s.user().Limits
}

func (s *scene) user() (found clients.Client) {
	s.t.Helper()
	s.admin.Get(clientsPath + "/" + s.client).Is(http.StatusOK).JSON(&found)
	return found
}

// secrets are those of the client on its flows, sealed.
func (s *scene) secrets() (found []string) {
	s.t.Helper()
	require.NoError(s.t, s.DB.NewRaw(`select secret || ' ' || generation from client_flows where client_id = ?
		and revoked_at is null order by flow_id`, s.client).Scan(s.t.Context(), &found))
	return found
}

// passes lets the time of all acts be over.
func (s *scene) passes() {
	s.t.Helper()
	s.exec("update abuse_actions set until = now() - interval '1 second' where state = 'active' and until is not null")
	require.NoError(s.t, s.acts.EndDue(s.t.Context()))
}

// Rule: a limit holds until its end and gives back what was; the case says what was done, and is over with it.
func TestALimitHoldsUntilItsEnd(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	news := s.Follow()
	s.admin.Patch(clientsPath+"/"+s.client, fields{"revision": 1, "limits": fields{"speed_mbps": 1}}).Is(http.StatusOK)
	one := s.done(fields{"kind": "limit", "minutes": 60})
	require.Equal(t, clients.Limits{SpeedMbps: 1, Addresses: 1}, s.limits(), "the narrower of both")
	require.Equal(t, &cases.Limits{SpeedMbps: 1, Addresses: 1}, one.Result.Limits)
	require.WithinDuration(t, time.Now().Add(time.Hour), *one.Until, time.Minute)
	require.True(t, one.Undoable)
	require.Equal(t, cases.User{Name: "Anna", Known: true}, one.User)
	told := news.Next(acts.EventActioned)
	require.Equal(t, s.caseID, told.SubjectID)
	require.Equal(t, "limit", told.Data.(acts.News).Kind)
	require.Equal(t, []string{acts.EventActioned}, s.Recorded(acts.Object, one.ID))

	found := s.shown()
	require.Equal(t, cases.Actioned, found.State)
	require.Equal(t, []cases.Action{one}, found.Actions)
	s.admin.Patch(casesPath+"/"+s.caseID, fields{"revision": found.Revision, "state": "dismissed"}).
		Refused(http.StatusConflict, "case_acting")
	s.do(fields{"kind": "limit"}).Refused(http.StatusConflict, "act_active")

	s.passes()
	require.Equal(t, clients.Limits{SpeedMbps: 1}, s.limits())
	found = s.shown()
	require.Equal(t, cases.Expired, found.State)
	require.Equal(t, acts.Ended, found.Actions[0].State)
	require.Empty(t, found.Actions[0].EndedBy)
	require.False(t, found.Actions[0].Undoable)
	require.Equal(t, []string{acts.EventActioned, acts.EventUndone}, s.Recorded(acts.Object, one.ID))
	s.undo(one.ID).Refused(http.StatusConflict, "act_over")
	s.do(fields{"kind": "limit"}).Refused(http.StatusConflict, "case_closed")
}

// Rule: undoing gives back exactly what was; what somebody else has set meanwhile stays.
func TestUndoingKeepsWhatOthersHaveSet(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	one := s.done(fields{"kind": "limit", "speed_mbps": 3, "addresses": 2})
	s.admin.Patch(clientsPath+"/"+s.client, fields{
		"revision": s.user().Revision, "limits": fields{"speed_mbps": 50, "addresses": 2},
	}).Is(http.StatusOK)
	before := s.user().Revision
	undone := s.undo(one.ID).Is(http.StatusOK)
	require.Equal(t, "undone", undone.Text("state"))
	require.NotEmpty(t, undone.Text("ended_by"))
	require.Equal(t, clients.Limits{SpeedMbps: 50}, s.limits())
	require.Equal(t, cases.Open, s.shown().State, "somebody looks at it again")
	require.Equal(t, before+1, s.user().Revision)
}

// Rule: who is revoked has no flow, and gets those back with the secrets that it had, so that its links work again. A
// flow that somebody gives it meanwhile has another secret and stays as it is.
func TestARevokedClientGetsItsSecretsBack(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	before := s.secrets()
	require.Len(t, before, 2)
	one := s.done(fields{"kind": "revoke"})
	require.Nil(t, one.Until, "until somebody undoes it")
	require.Empty(t, s.secrets())
	require.Len(t, one.Result.Flows, 2)
	require.ElementsMatch(t, s.flows[:], []string{one.Result.Flows[0].ID, one.Result.Flows[1].ID})
	require.Contains(t, []string{"Europe", "Asia"}, one.Result.Flows[0].Name)
	require.Contains(t, s.Recorded("flow", s.flows[0]), "flow.client_revoked")
	s.do(fields{"kind": "revoke"}).Refused(http.StatusConflict, "act_active")
	s.undo(one.ID).Is(http.StatusOK)
	require.Equal(t, before, s.secrets())

	two := s.done(fields{"kind": "revoke", "flow_ids": s.flows[:1], "minutes": 5})
	require.Len(t, s.secrets(), 1)
	s.admin.Put(clientsPath+"/"+s.client+"/flows/"+s.flows[0], nil).Is(http.StatusOK)
	given := s.secrets()
	s.passes()
	require.Equal(t, given, s.secrets())
	require.Equal(t, acts.Ended, s.theAct(two.ID).State)
	require.Equal(t, cases.Expired, s.shown().State)
}

func (s *scene) theAct(id string) cases.Action {
	s.t.Helper()
	all := s.listed("")
	at := slices.IndexFunc(all, func(a cases.Action) bool { return a.ID == id })
	require.GreaterOrEqual(s.t, at, 0)
	return all[at]
}

func (s *scene) listed(query string) []cases.Action {
	s.t.Helper()
	var page struct {
		Items []cases.Action `json:"items"`
		Total int            `json:"total"`
	}
	s.As(string(View)).Get(actionsPath + query).Is(http.StatusOK).JSON(&page)
	require.Len(s.t, page.Items, page.Total)
	return page.Items
}

// Rule: a client or flow that goes meanwhile leaves nothing to give back, and keeps no act from ending.
func TestWhatIsGoneKeepsNoActFromEnding(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	one := s.done(fields{"kind": "revoke"})
	two := s.done(fields{"kind": "limit"})
	s.admin.Delete("/api/v1/connection-units/" + s.flows[1])
	s.exec("delete from client_flows where flow_id = ?", s.flows[1])
	s.undo(one.ID).Is(http.StatusOK)
	require.Len(t, s.secrets(), 1)
	require.Equal(t, cases.Actioned, s.shown().State, "the limit holds on")
	s.admin.Delete(clientsPath + "/" + s.client).Is(http.StatusNoContent)
	s.undo(two.ID).Is(http.StatusOK)
	require.Empty(t, s.secrets())
	require.Equal(t, cases.Open, s.shown().State)
	for _, kind := range []string{"warn", "limit", "revoke"} {
		s.do(fields{"kind": kind}).Refused(http.StatusConflict, "user_gone")
	}
	require.Equal(t, cases.Open, s.shown().State, "nothing is left of what was refused")
	require.Len(t, s.listed("?user_ref=c:"+s.client), 2)
}

// Rule: whoever acts at the same time, the same is done once; whoever undoes at the same time, it is given back once.
func TestActsAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	count := func(status int, ask func() *paneltest.Answer) (n int) {
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				answer := ask()
				mu.Lock()
				defer mu.Unlock()
				if answer.Status == status {
					n++
				} else {
					require.Equal(t, http.StatusConflict, answer.Status, string(answer.Body))
				}
			})
		}
		all.Wait()
		return n
	}
	require.Equal(t, 1, count(http.StatusCreated, func() *paneltest.Answer { return s.do(fields{"kind": "limit"}) }))
	one := s.listed("?kind=limit&state=active")[0]
	require.Equal(t, 1, count(http.StatusOK, func() *paneltest.Answer { return s.undo(one.ID) }))
	require.Zero(t, s.limits())
	require.Equal(t, []string{acts.EventActioned, acts.EventUndone}, s.Recorded(acts.Object, one.ID))
	s.done(fields{"kind": "limit"})
	s.done(fields{"kind": "revoke", "minutes": 1})
	var ends sync.WaitGroup
	s.exec("update abuse_actions set until = now() - interval '1 second' where state = 'active'")
	for range 4 {
		ends.Go(func() { require.NoError(t, s.acts.EndDue(context.WithoutCancel(t.Context()))) })
	}
	ends.Wait()
	require.Zero(t, s.limits())
	require.Len(t, s.secrets(), 2)
	require.Empty(t, s.listed("?state=active"))
}

// A warning stands in the case until its end and changes nothing for the user.
func TestAWarning(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	before := s.user()
	one := s.done(fields{"kind": "warn"})
	require.WithinDuration(t, time.Now().Add(24*time.Hour), *one.Until, time.Minute)
	require.Equal(t, before, s.user())
	require.Equal(t, cases.Actioned, s.shown().State)
	s.passes()
	require.Equal(t, cases.Expired, s.shown().State)
}

// Rule: what makes no sense is refused with a stable code, and leaves nothing.
func TestActsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	past, far := time.Now().Add(-time.Hour).UTC(), time.Now().AddDate(2, 0, 0).UTC()
	for _, order := range []fields{
		{"kind": "limit", "reason": "   "},
		{"kind": "limit", "until": past},
		{"kind": "limit", "until": far},
		{"kind": "limit", "minutes": 5, "until": far},
		{"kind": "limit", "minutes": 0},
		{"kind": "shout"},
	} {
		s.do(order).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	s.do(fields{"kind": "disable_user"}).Refused(http.StatusConflict, "proxy_panel_missing")
	s.do(fields{"kind": "revoke", "flow_ids": []string{database.NewID()}}).Refused(http.StatusConflict, "nothing_to_revoke")
	s.do(fields{"kind": "drop_sessions"}).Refused(http.StatusConflict, "nodes_cannot")
	s.admin.Post(casesPath+"/"+database.NewID()+"/actions", fields{"kind": "warn", "reason": "a"}).
		Refused(http.StatusNotFound, "not_found")
	s.admin.Post(casesPath+"/x/actions", fields{"kind": "warn", "reason": "a"}).Refused(http.StatusNotFound, "not_found")
	s.undo("x").Refused(http.StatusNotFound, "not_found")
	s.As(string(View)).Post(casesPath+"/"+s.caseID+"/actions", fields{"kind": "warn", "reason": "a"}).
		Refused(http.StatusForbidden, "permission_denied")
	require.Empty(t, s.listed(""))
	found := s.shown()
	require.Equal(t, cases.Open, found.State)
	s.admin.Patch(casesPath+"/"+s.caseID, fields{"revision": found.Revision, "state": "dismissed"}).Is(http.StatusOK)
	s.do(fields{"kind": "warn"}).Refused(http.StatusConflict, "case_closed")
}

// canDrop lets the agent of the node say that it can end sessions.
func (s *scene) canDrop() {
	s.t.Helper()
	s.node.Online(func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.DropSessions.Capability())
	})
	require.Eventually(s.t, func() bool {
		var able bool
		require.NoError(s.t, s.DB.NewRaw("select exists (select from node_reports where jsonb_exists(report->'capabilities', ?))",
			string(agentapi.DropSessions.Capability())).Scan(s.t.Context(), &able))
		return able
	}, time.Minute, 10*time.Millisecond)
}

// Rule: sessions are ended by an order to the agents of the nodes where the user is; the act says what each has done.
func TestSessionsAreDropped(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.canDrop()
	one := s.done(fields{"kind": "drop_sessions"})
	require.Equal(t, acts.Pending, one.State)
	require.Equal(t, []cases.NodeResult{{NodeID: s.node.NodeID, Node: "fra"}}, one.Result.Nodes)
	require.False(t, one.Undoable)
	require.Equal(t, cases.Open, s.shown().State, "it is over at once")
	s.do(fields{"kind": "drop_sessions"}).Refused(http.StatusConflict, "act_active")
	news := s.Follow()
	s.answers(agentapi.CommandResult{OK: true, Data: json.RawMessage(`{"streams":7,"sources":2}`)})
	s.isOver(one.ID)
	require.Equal(t, s.caseID, news.Next(cases.EventChanged).SubjectID)
	got := s.theAct(one.ID)
	require.Equal(t, acts.Ended, got.State)
	require.Equal(t, [2]int{7, 2}, [2]int{got.Result.Streams, got.Result.Sources})
	require.True(t, *got.Result.Nodes[0].OK)

	two := s.done(fields{"kind": "drop_sessions"})
	s.answers(agentapi.CommandResult{Code: agentapi.CodeNotSupported, Error: "no"})
	s.isOver(two.ID)
	got = s.theAct(two.ID)
	require.Equal(t, acts.Failed, got.State)
	require.Equal(t, "too_old", got.Result.Nodes[0].Error)
}

// answers lets the agent answer the order that waits for it.
func (s *scene) answers(result agentapi.CommandResult) {
	s.t.Helper()
	waiting := s.node.Commands()
	require.Len(s.t, waiting, 1)
	require.Equal(s.t, agentapi.DropSessions, waiting[0].Kind)
	var args agentapi.DropSessionsArgs
	require.NoError(s.t, json.Unmarshal(waiting[0].Args, &args))
	require.Equal(s.t, agentapi.DropSessionsArgs{UserRef: agentapi.RefOfClient(s.client)}, args)
	result.FinishedAt = time.Now().UTC()
	require.Less(s.t, s.node.Finish(waiting[0].ID, result).Status, 300)
}

func (s *scene) isOver(id string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.theAct(id).State != acts.Pending }, time.Minute, 20*time.Millisecond)
}

// Rule: an agent that does not answer in time is said to be away, also when the panel that had asked it is gone.
func TestAnOrderThatNobodyAnswersIsOver(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.canDrop()
	one := s.done(fields{"kind": "drop_sessions"})
	s.exec("update node_commands set deadline = now() - interval '1 second'")
	s.exec("update abuse_actions set until = now() - interval '2 minutes'")
	require.NoError(t, s.acts.EndDue(t.Context()))
	got := s.theAct(one.ID)
	require.Equal(t, acts.Failed, got.State)
	require.Equal(t, "offline", got.Result.Nodes[0].Error)
	require.Equal(t, "nodes_cannot", got.Result.Error)
}

// Acts are kept as long as cases, and those of a case that is gone stand by themselves.
func TestOldActsGo(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.done(fields{"kind": "warn"})
	s.passes()
	s.exec("update abuse_cases set closed_at = now() - interval '91 days'")
	require.NoError(t, s.cases.Forget(t.Context(), time.Now().AddDate(0, 0, -90)))
	require.Nil(t, s.listed("")[0].CaseID)
	s.exec("update abuse_actions set ended_at = now() - interval '91 days'")
	s.RunSchedule("abuse.renew")
	require.Empty(t, s.listed(""))
}
