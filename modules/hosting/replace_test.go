package hosting

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
	"panel/platform/agentapi"
	"panel/platform/database"
)

const units = "/api/v1/connection-units"

// stage is a bench with a machine that serves flows and is to be replaced.
type stage struct {
	*bench
	account Account
	old     Server
	oldNode string
	agent   *serving // of the old machine
	exit    string   // a node of another machine
	made    *installers
}

// newStage has the machine ams-1 at the stand-in, which is a node whose agent lives, and an exit elsewhere.
func newStage(t *testing.T) *stage { return staged(newBench(t, "hetzner")) }

func staged(b *bench) *stage {
	b.t.Helper()
	s := &stage{bench: b, account: b.add(), made: b.installs()}
	old, exit := b.Enroll("ams-1"), b.Enroll("exit-1")
	s.oldNode, s.exit = old.NodeID, exit.NodeID
	b.Admin().Patch("/api/v1/nodes/"+s.oldNode, fields{"address": "192.0.2.1", "revision": 1})
	b.Admin().Patch("/api/v1/nodes/"+s.exit, fields{"address": "192.0.2.7", "revision": 1})
	s.agent = b.serves(old.Online(), "192.0.2.1")
	b.serves(exit.Online(), "192.0.2.7")
	b.cloud.Put(machine(1, "192.0.2.1"))
	require.Equal(b.t, "succeeded", b.sync(s.account.ID))
	s.old = b.servers(s.account.ID)[0]
	require.Equal(b.t, s.oldNode, *s.old.NodeID)
	return s
}

// drawing is a flow with its entry on a node.
func (s *stage) drawing(node string, port int) fields {
	return fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": node, "params": fields{"listener": fields{
				"protocol": "vless", "port": port, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "out", "kind": "exit", "node_id": s.exit, "params": fields{}},
		},
		"edges": []fields{{"from": "in", "to": "out", "priority": 0}},
	}
}

func (s *stage) flow(name string, port int) (id string) {
	s.t.Helper()
	body := fields{"name": name, "graph": s.drawing(s.oldNode, port)}
	return s.Admin().Post(units, body).Is(http.StatusCreated).Text("id")
}

// install applies the draft of a flow as a person does.
func (s *stage) install(flow string) {
	s.t.Helper()
	admin := s.Admin()
	var plan struct {
		ID       string
		Revision int
	}
	admin.Post(units+"/"+flow+"/plan/compile", nil).Is(http.StatusCreated).JSON(&plan)
	apply := ""
	require.Eventually(s.t, func() bool {
		answer := admin.Post(units+"/"+flow+"/apply", fields{"id": plan.ID, "revision": plan.Revision})
		if answer.Status == http.StatusOK {
			apply = answer.Text("apply_id")
		}
		return apply != ""
	}, within, every)
	require.Eventually(s.t, func() bool {
		return admin.Get(units+"/"+flow+"/applies/"+apply).Is(http.StatusOK).Text("state") == "applied"
	}, within, every)
}

func (s *stage) path(rest string) string {
	return accountsPath + "/" + s.account.ID + rest
}

func (s *stage) wanted(old string) fields {
	body := wish("ams-2")
	body["old"] = old
	return body
}

func (s *stage) begin(old string) (begun Replacement) {
	s.t.Helper()
	s.Admin().Do(http.MethodPost, s.path("/servers/"+s.old.ID+"/replace"), s.wanted(old), "Idempotency-Key",
		database.NewID()).Is(http.StatusAccepted).JSON(&begun)
	return begun
}

func (s *stage) at(id string) (now Replacement) {
	s.t.Helper()
	s.Admin().Get(s.path("/replacements/" + id)).Is(http.StatusOK).JSON(&now)
	return now
}

// ends waits for the end of a replacement.
func (s *stage) ends(id, state string) (now Replacement) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		now = s.at(id)
		return now.FinishedAt != nil
	}, 2*within, every)
	require.Equal(s.t, state, now.State, now.Error)
	return now
}

// comesUp lets the machine that was made last run its script: its agent lives from now on.
func (s *stage) comesUp() *serving {
	s.t.Helper()
	return s.serves(s.made.run(s.bench), "198.51.100.1")
}

func (s *stage) installedOn(node string) (flows []string) {
	s.t.Helper()
	require.NoError(s.t, s.DB.NewRaw("select flow_id::text from flow_fragments where node_id = ? order by 1", node).
		Scan(s.t.Context(), &flows))
	return flows
}

func states(steps []ReplacementStep) (list []string) {
	for _, step := range steps {
		list = append(list, step.Step+" "+step.State)
	}
	return list
}

// "Replace a blocked machine as one operation: new server, agent, then the act that replaces A by B in bindings and
// flows, old one drained, kept or deleted."
func TestABlockedMachineIsReplaced(t *testing.T) {
	t.Parallel()
	for _, old := range []string{oldKeep, oldDelete} {
		t.Run(old, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			first, second, drawn := s.flow("First", 443), s.flow("Second", 8443), s.flow("Only drawn", 9443)
			s.install(first)
			s.install(second)
			var quote ReplacementQuote
			asked := s.wanted(old)
			delete(asked, "price")
			delete(asked, "old")
			s.Admin().Post(s.path("/servers/"+s.old.ID+"/replace/preview"), asked).Is(http.StatusOK).JSON(&quote)
			require.Equal(t, int64(451), quote.Price.Amount)
			require.Equal(t, s.oldNode, quote.NodeID)
			require.Len(t, quote.Flows, 3)
			require.Len(t, s.cloud.Machines(), 1, "a preview makes nothing")

			news := s.Follow()
			begun := s.begin(old)
			require.Equal(t, replaceMaking, begun.State)
			require.Equal(t, "machine running", states(begun.Steps)[0])
			s.comesUp()
			done := s.ends(begun.ID, replaceDone)
			require.ElementsMatch(t, []string{first, second}, s.installedOn(*done.ByNodeID))
			require.Empty(t, s.installedOn(s.oldNode))
			for _, flow := range []string{first, second, drawn} {
				text := string(s.Admin().Get(units + "/" + flow + "/draft").Is(http.StatusOK).Body)
				require.Contains(t, text, *done.ByNodeID)
				require.NotContains(t, text, s.oldNode)
			}
			require.Len(t, done.Flows, 3)
			for _, f := range done.Flows {
				require.Equal(t, flowMoved, f.State)
				require.Equal(t, f.FlowID != drawn, f.ApplyID != "", "what is installed nowhere is not installed now")
			}
			require.Equal(t, "maintenance", s.Admin().Get("/api/v1/nodes/"+s.oldNode).Is(http.StatusOK).Text("state"))
			require.Equal(t, Replaced{Name: s.old.Name, By: "ams-2"}, news.Next(replaceSucceeded).Data)
			require.Contains(t, s.Recorded(objectServer, s.old.ID), replaceStarted)
			require.Contains(t, s.Recorded(objectServer, s.old.ID), replaceSucceeded)
			operation := s.Admin().Get("/api/v1/operations/" + done.OperationID).Is(http.StatusOK)
			require.Equal(t, "succeeded", operation.Text("state"))
			require.Equal(t, "hosting.replace", operation.Text("kind"))
			last := map[string]string{oldKeep: "old skipped", oldDelete: "old done"}[old]
			require.Equal(t, []string{"machine done", "flows done", "pools done", "drain done", last}, states(done.Steps))
			require.Equal(t, old == oldKeep, slices.ContainsFunc(s.cloud.Machines(), func(m hostingtest.Machine) bool {
				return m.ID == 1
			}))
		})
	}
}

// "Stops at any failure with everything still serving": a machine that is not made, and one whose agent does not come,
// leave every flow where it is.
func TestAReplacementWhoseMachineIsNotMadeChangesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow("First", 443)
	s.install(flow)
	s.cloud.Allow("Read")
	failed := s.ends(s.begin(oldDelete).ID, replaceFailed)
	require.Contains(t, failed.Error, "right_missing")
	require.Equal(t, replaceMaking, failed.FailedIn)
	require.Equal(t, []string{flow}, s.installedOn(s.oldNode))
	require.Equal(t, "online", s.Admin().Get("/api/v1/nodes/"+s.oldNode).Is(http.StatusOK).Text("state"))
	s.Admin().Post(s.path("/replacements/"+failed.ID+"/continue"), nil).
		Refused(http.StatusConflict, "hosting_replacement_over")
	s.cloud.Allow("*")
}

// "Stops at any failure with everything still serving": the new core refuses a flow, which serves on where it was; what
// was in the way is gone, and the replacement goes on from there.
func TestAReplacementThatStopsInTheMiddleGoesOn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first, second := s.flow("First", 443), s.flow("Second", 8443)
	s.install(first)
	s.install(second)
	begun := s.begin(oldDelete)
	agent := s.comesUp()
	agent.answers(func(kind agentapi.CommandKind, args json.RawMessage) *agentapi.CommandResult {
		var in agentapi.ApplyConfigArgs
		_ = json.Unmarshal(args, &in)
		if kind != agentapi.ApplyConfig || in.Phase != agentapi.PhasePrepare || agent.now.DesiredRevision == 0 {
			return nil
		}
		return &agentapi.CommandResult{Code: agentapi.CodeFailed, Stage: agentapi.StageTest, Error: "core: no"}
	})
	failed := s.ends(begun.ID, replaceFailed)
	require.Equal(t, replaceMoving, failed.FailedIn)
	require.Contains(t, failed.Error, "Second")
	require.Equal(t, []string{first}, s.installedOn(*failed.ByNodeID))
	require.Equal(t, []string{second}, s.installedOn(s.oldNode))
	require.Equal(t, "flows failed", states(failed.Steps)[1])
	require.Equal(t, 1, failed.Steps[1].Done)
	require.Equal(t, "failed", s.Admin().Get("/api/v1/operations/"+failed.OperationID).Is(http.StatusOK).Text("state"))
	require.Equal(t, "online", s.Admin().Get("/api/v1/nodes/"+s.oldNode).Is(http.StatusOK).Text("state"))
	s.Admin().Post(s.path("/replacements/"+failed.ID+"/cancel"), nil).
		Refused(http.StatusConflict, "hosting_replacement_late")

	require.NotEmpty(t, failed.Flows[1].Error)
	said := diagnose(t.Context(), s.doctorOf())
	require.Equal(t, s.old.Name, said.Subject)
	require.Equal(t, "panelctl hosting continue main "+failed.ID, said.Do.String())

	agent.answers(nil)
	var again Replacement
	s.Admin().Post(s.path("/replacements/"+failed.ID+"/continue"), nil).Is(http.StatusAccepted).JSON(&again)
	require.NotEqual(t, failed.OperationID, again.OperationID)
	done := s.ends(failed.ID, replaceDone)
	require.ElementsMatch(t, []string{first, second}, s.installedOn(*done.ByNodeID))
	require.Contains(t, s.Recorded(objectServer, s.old.ID), replaceResumed)
	require.NotEqual(t, s.old.Name, diagnose(t.Context(), s.doctorOf()).Subject)
}

// A draft that somebody is at work on would be installed along: the replacement is refused at its start, and stops
// before that flow when it happens later.
func TestAReplacementDoesNotInstallWhatSomebodyDraws(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow("First", 443)
	s.install(flow)
	draw := func(port int) {
		revision := s.Admin().Get(units + "/" + flow + "/draft").Is(http.StatusOK).Value("revision")
		s.Admin().Put(units+"/"+flow+"/draft", fields{"revision": revision, "graph": s.drawing(s.oldNode, port)}).
			Is(http.StatusOK)
	}
	draw(444)
	refused := s.Admin().Do(http.MethodPost, s.path("/servers/"+s.old.ID+"/replace"), s.wanted(oldKeep),
		"Idempotency-Key", "a").Refused(http.StatusConflict, "draft_not_installed")
	require.Equal(t, []any{flow}, refused.Value("flow_ids"))
	require.Len(t, s.cloud.Machines(), 1)

	draw(443) // as it is installed
	begun := s.begin(oldKeep)
	draw(445)
	s.comesUp()
	failed := s.ends(begun.ID, replaceFailed)
	require.Contains(t, failed.Error, "draft_not_installed")
	require.Equal(t, []string{flow}, s.installedOn(s.oldNode))
}

// "Cancel where it can still be undone": as long as no flow has moved. The new machine is deleted, all serves as
// before.
func TestAReplacementIsUndoneBeforeFlowsMove(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow("First", 443)
	s.install(flow)
	begun := s.begin(oldDelete)
	require.Eventually(t, func() bool { return len(s.cloud.Machines()) == 2 }, within, every)
	cancel := s.path("/replacements/" + begun.ID + "/cancel")
	s.Admin().Post(cancel, nil).Is(http.StatusAccepted)
	s.Admin().Post(cancel, nil).Is(http.StatusAccepted)
	undone := s.ends(begun.ID, replaceCancelled)
	require.Len(t, s.cloud.Machines(), 1)
	require.Equal(t, 1, s.cloud.Machines()[0].ID)
	require.Equal(t, []string{flow}, s.installedOn(s.oldNode))
	operation := s.Admin().Get("/api/v1/operations/" + undone.OperationID).Is(http.StatusOK)
	require.Equal(t, "cancelled", operation.Text("state"))
	require.Contains(t, s.Recorded(objectServer, s.old.ID), replaceUnwanted)
	require.Contains(t, s.Recorded(objectServer, s.old.ID), replaceUndone)
	s.Admin().Post(cancel, nil).Refused(http.StatusConflict, "hosting_replacement_late")
}

// Who replaces a machine changes what is installed: that needs the permission of both.
func TestAReplacementNeedsBothPermissions(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	path := s.path("/servers/" + s.old.ID + "/replace")
	for _, keys := range [][]string{{"core.cloud_providers"}, {"connection_units.apply"}} {
		s.As(keys...).Do(http.MethodPost, path, s.wanted(oldKeep), "Idempotency-Key", "a").
			Refused(http.StatusForbidden, "permission_denied")
	}
	both := s.As("core.cloud_providers", "connection_units.apply")
	both.Do(http.MethodPost, path, s.wanted(oldKeep), "Idempotency-Key", "a").Is(http.StatusAccepted)
}

// What makes no sense is refused before anything is ordered, and one machine is replaced once at a time.
func TestReplacementsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.cloud.Put(machine(2, "192.0.2.2"))
	require.Equal(t, "succeeded", s.sync(s.account.ID))
	list := s.servers(s.account.ID)
	stranger := list[slices.IndexFunc(list, func(m Server) bool { return m.NodeID == nil })]
	send := func(server string, change fields) int {
		body := s.wanted(oldKeep)
		for key, value := range change {
			body[key] = value
		}
		return s.Admin().Do(http.MethodPost, s.path("/servers/"+server+"/replace"), body, "Idempotency-Key",
			database.NewID()).Status
	}
	require.Equal(t, http.StatusConflict, send(stranger.ID, nil), "it is no node")
	require.Equal(t, http.StatusNotFound, send(database.NewID(), nil))
	require.Equal(t, http.StatusUnprocessableEntity, send(s.old.ID, fields{"old": "burn"}))
	require.Equal(t, http.StatusUnprocessableEntity, send(s.old.ID, fields{"account_id": database.NewID()}))
	require.Equal(t, http.StatusUnprocessableEntity, send(s.old.ID, fields{"plan": "cx99"}))
	require.Equal(t, http.StatusConflict, send(s.old.ID, fields{
		"price": fields{"amount": 1, "currency": "EUR", "period": "month"},
	}))
	require.Len(t, s.cloud.Machines(), 2)
	begun := s.begin(oldKeep)
	require.Equal(t, http.StatusConflict, send(s.old.ID, fields{"name": "ams-3"}))
	s.Admin().Delete(s.path("/servers/"+s.old.ID+"?confirm="+s.old.Name)).
		Refused(http.StatusConflict, "hosting_replacement_active")
	s.Admin().Delete(s.path("")).Refused(http.StatusConflict, "hosting_order_active")
	var page struct{ Items []Replacement }
	s.Admin().Get(s.path("/replacements")).Is(http.StatusOK).JSON(&page)
	require.Len(t, page.Items, 1)
	require.Equal(t, begun.ID, page.Items[0].ID)
	s.Admin().Get(s.path("/replacements/"+database.NewID())).Refused(http.StatusNotFound, "not_found")
}

// A machine that was entered by hand is replaced by one of another account; nobody can be asked to delete it.
func TestAMachineByHandIsReplacedByAnother(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	hand := s.byHand()
	old := s.enter(hand.ID, "rented", fields{"ips": []string{"192.0.2.7"}})
	require.Equal(t, s.exit, *old.NodeID)
	body := s.wanted(oldDelete)
	body["account_id"] = s.account.ID
	path := accountsPath + "/" + hand.ID + "/servers/" + old.ID + "/replace"
	s.Admin().Do(http.MethodPost, path, body, "Idempotency-Key", "a").Refused(http.StatusConflict, "not_able")
	body["old"] = oldKeep
	var begun Replacement
	s.Admin().Do(http.MethodPost, path, body, "Idempotency-Key", "b").Is(http.StatusAccepted).JSON(&begun)
	require.Equal(t, s.account.ID, begun.ByAccountID)
	s.comesUp()
	require.Eventually(t, func() bool {
		var now Replacement
		s.Admin().Get(accountsPath + "/" + hand.ID + "/replacements/" + begun.ID).Is(http.StatusOK).JSON(&now)
		return now.State == replaceDone
	}, within, every)
}

// Agents that do not answer at the moment are waited for; the flow moves as soon as they are back.
func TestAReplacementWaitsForAnAgentThatIsAway(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow("First", 443)
	s.install(flow)
	begun := s.begin(oldKeep)
	agent := s.comesUp()
	require.Eventually(t, func() bool { return s.at(begun.ID).State != replaceMaking }, within, every)
	agent.falls(true)
	require.Never(t, func() bool { return s.at(begun.ID).FinishedAt != nil }, time.Second, 100*time.Millisecond)
	agent.falls(false)
	s.ends(begun.ID, replaceDone)
}
