package clients_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
	"panel/platform/restored"
)

// listAgent is a node whose agent asks for what has changed on its lists, and what it holds of the stage's flow.
type listAgent struct {
	*stage
	agent *paneltest.Agent
	taken agentapi.DocumentStatus
	at    agentapi.ListPosition
	held  map[string]agentapi.Client
	named int // clients that the last answers named
	fresh bool
}

func (s *stage) asks(name string) *listAgent {
	s.t.Helper()
	a := &listAgent{stage: s, held: map[string]agentapi.Client{}}
	a.taken.Name = agentapi.DocumentClientLists
	a.agent = s.holds(name, agentapi.DocumentClientLists).agent
	return a
}

func (a *listAgent) beat(b *agentapi.Heartbeat) {
	b.Capabilities = append(b.Capabilities, agentapi.DocumentClients.Capability(),
		agentapi.DocumentClientLists.Capability())
	b.Documents = []agentapi.DocumentStatus{{Name: agentapi.DocumentClients}, a.taken}
}

// ask asks once.
func (a *listAgent) ask(from agentapi.ListPosition) (answer agentapi.ClientChanges) {
	a.t.Helper()
	query := url.Values{
		"epoch": {from.Epoch}, "since": {strconv.FormatInt(from.Since, 10)}, "after": {from.After},
		"known": {strconv.FormatInt(from.Known, 10)},
	}
	a.agent.Get("/agent/v1/client-lists/" + a.flow + "?" + query.Encode()).Is(200).JSON(&answer)
	require.NoError(a.t, answer.Check())
	require.Equal(a.t, from, answer.From)
	return answer
}

// bring asks until nothing more has changed.
func (a *listAgent) bring() {
	a.t.Helper()
	a.named, a.fresh = 0, false
	for more := true; more; {
		answer := a.ask(a.at)
		if answer.Fresh {
			a.held, a.fresh = map[string]agentapi.Client{}, true
		}
		for _, client := range answer.Clients {
			a.held[client.ID] = client
		}
		for _, id := range answer.Gone {
			delete(a.held, id)
		}
		a.named += len(answer.Clients) + len(answer.Gone)
		a.at, more = answer.To, answer.More
	}
}

// takes brings what the document names, until these clients are held, and says so.
func (a *listAgent) takes(wanted ...string) {
	a.t.Helper()
	slices.Sort(wanted)
	require.Eventually(a.t, func() bool {
		answer := a.agent.Get("/agent/v1/desired/client_lists")
		if answer.Status != 200 {
			return false
		}
		var document agentapi.Document
		answer.JSON(&document)
		var lists agentapi.ClientLists
		require.NoError(a.t, json.Unmarshal(document.Content, &lists))
		require.NoError(a.t, lists.Check())
		if len(lists.Flows) == 0 || lists.Flows[0].Revision == a.at.Since && lists.Flows[0].Epoch == a.at.Epoch {
			return slices.Equal(wanted, a.ids())
		}
		a.bring()
		a.taken.Revision, a.taken.Hash = document.Revision, document.Hash
		return slices.Equal(wanted, a.ids())
	}, time.Minute, 50*time.Millisecond)
	a.agent.Beat(a.beat)
}

func (a *listAgent) ids() []string {
	ids := []string{}
	for id := range a.held {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// An agent that asks is told what has changed since what it holds, and nothing else. Beside it one of the release
// before is given whole lists, and a client is installed when both hold it.
func TestAnAgentIsToldWhatHasChangedOnItsLists(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, before, first := s.asks("fra-01"), s.holds("ams-01"), s.first()
	one.takes(first)
	before.takes(first)
	require.True(t, one.fresh)
	require.Len(t, one.held[first].Key, 32)
	s.installed(first, true)

	anna := s.add("Anna", "flow_ids", []string{s.flow})
	one.takes(first, anna)
	require.False(t, one.fresh)
	require.Equal(t, 1, one.named, "the one who came")
	require.Equal(t, []string{"Anna"}, s.labels(units+"/"+s.flow+"/clients?state=waiting"))
	whole := before.takes(first, anna)
	require.Equal(t, one.at.Since, whole.Revision)
	require.Contains(t, whole.Clients, one.held[anna])
	s.installed(anna, true)

	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	s.admin.Patch(path+"/"+anna, map[string]any{"revision": s.get(anna).Revision, "expires_at": until}).Is(200)
	require.Eventually(t, func() bool { one.takes(first, anna); return one.held[anna].Expires.Equal(until) },
		time.Minute, 50*time.Millisecond)
	require.Equal(t, 1, one.named, "the one who has another end of its time")
	former := one.held[anna]
	s.admin.Delete(path + "/" + anna + "/flows/" + s.flow).Is(204)
	one.takes(first)
	require.Equal(t, 1, one.named)
	s.admin.Put(path+"/"+anna+"/flows/"+s.flow, nil).Is(200)
	one.takes(first, anna)
	require.NotEqual(t, former.Key, one.held[anna].Key, "who comes back has another secret")
}

// Limits go to the agents as a change of one client, and the journal says what they were.
func TestLimitsReachAgents(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, first := s.asks("fra-01"), s.first()
	anna := s.add("Anna", "flow_ids", []string{s.flow}, "limits", map[string]any{"speed_mbps": 50})
	one.takes(first, anna)
	require.Equal(t, agentapi.ClientLimits{Mbit: 50}, one.held[anna].Limits)
	require.Zero(t, one.held[first].Limits)
	whole := s.holds("ams-01").takes(first, anna)
	require.Contains(t, whole.Clients, one.held[anna])

	limit := func(limits map[string]any, wanted agentapi.ClientLimits) {
		t.Helper()
		s.admin.Patch(path+"/"+anna, map[string]any{"revision": s.get(anna).Revision, "limits": limits}).Is(200)
		require.Eventually(t, func() bool {
			one.takes(first, anna)
			return one.held[anna].Limits == wanted
		}, time.Minute, 50*time.Millisecond)
		require.Equal(t, 1, one.named)
	}
	key := one.held[anna].Key
	limit(map[string]any{"addresses": 3}, agentapi.ClientLimits{Addresses: 3})
	require.Equal(t, clients.Limits{Addresses: 3}, s.get(anna).Limits, "the others are taken away")
	s.admin.Patch(path+"/"+anna, map[string]any{"revision": s.get(anna).Revision, "note": "x"}).Is(200)
	require.Equal(t, clients.Limits{Addresses: 3}, s.get(anna).Limits)
	limit(map[string]any{}, agentapi.ClientLimits{})
	require.Equal(t, key, one.held[anna].Key)
	journal := s.admin.Get("/api/v1/audit?object=" + anna).Is(200)
	require.Contains(t, string(journal.Body), `"from":{"speed_mbps":50},"to":{"addresses":3}`)
}

// Who asks from what is not known any more is told all: another numbering, a revision that is still to come, one from
// before somebody went and was forgotten.
func TestAListThatIsNotKnownAnyMoreIsToldWhole(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, first := s.asks("fra-01"), s.first()
	anna := s.add("Anna", "flow_ids", []string{s.flow})
	one.takes(first, anna)
	s.installed(anna, true)
	behind := one.at
	require.False(t, one.ask(behind).Fresh)
	s.admin.Delete(path + "/" + anna).Is(204)
	require.Eventually(t, func() bool { return slices.Equal([]string{anna}, one.ask(behind).Gone) }, time.Minute,
		50*time.Millisecond)
	one.takes(first)
	require.Eventually(t, func() bool { return one.ask(behind).Fresh }, time.Minute, 50*time.Millisecond,
		"all agents have heard that she has gone")
	for what, from := range map[string]agentapi.ListPosition{
		"nothing": {}, "another numbering": {Epoch: none, Since: one.at.Since},
		"what is still to come": {Epoch: one.at.Epoch, Since: one.at.Since + 1},
	} {
		answer := one.ask(from)
		require.True(t, answer.Fresh, what)
		require.Len(t, answer.Clients, 1, what)
		require.Equal(t, one.at.Since, answer.To.Since, what)
	}
	now := one.ask(one.at)
	require.False(t, now.Fresh)
	require.Empty(t, append(now.Gone, make([]string, len(now.Clients))...), "nothing has changed")

	other := s.panel.Enroll("no entry of the flow")
	other.Get("/agent/v1/client-lists/"+s.flow).Refused(404, "not_found")
	one.agent.Get("/agent/v1/client-lists/"+none).Refused(404, "not_found")
	one.agent.Get("/agent/v1/client-lists/whatever").Refused(404, "not_found")
	one.agent.Get("/agent/v1/client-lists/" + s.flow + "?since=-1").Is(400)
	s.admin.Get("/agent/v1/client-lists/" + s.flow).Is(401)
}

// A long list comes in parts. Who changes or goes while an agent is at it is told at the end, and a client is installed
// only for those that have all of it.
func TestALongListComesInParts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, list := s.asks("fra-01"), clients.Import{}
	for i := range 2*agentapi.MostChanges + 100 {
		list.Clients = append(list.Clients, clients.Line{Label: fmt.Sprintf("client %05d", i), Flows: []string{s.flow}})
	}
	s.admin.Post(path+"/import", clients.Import{Clients: list.Clients[:6000]}).Is(200)
	s.admin.Post(path+"/import", clients.Import{Clients: list.Clients[6000:]}).Is(200)
	s.numbered()
	part := one.ask(agentapi.ListPosition{})
	require.True(t, part.Fresh && part.More)
	require.Len(t, part.Clients, agentapi.MostChanges)
	gone := part.Clients[0].ID
	s.admin.Delete(path + "/" + gone).Is(204)
	late := s.add("late", "flow_ids", []string{s.flow})
	s.numbered()
	for _, client := range part.Clients {
		one.held[client.ID] = client
	}
	one.at = part.To
	one.bring()
	require.False(t, one.fresh, "who went in the middle is still known")
	require.Len(t, one.held, len(list.Clients)+1)
	require.NotContains(t, one.held, gone)
	require.Contains(t, one.held, late)
	require.Empty(t, one.at.After)
}

// numbered waits until the newest changes have a revision.
func (s *stage) numbered() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var seen bool
		err := s.panel.DB.NewRaw("select changes = seen from client_lists where flow_id = ?", s.flow).
			Scan(s.t.Context(), &seen)
		return err == nil && seen
	}, time.Minute, 20*time.Millisecond)
}

// An agent that is updated is given numbers from the next change on; one that goes back to a release that does not ask
// is given whole lists again, without a change.
func TestAnAgentMayLearnAndForgetToAsk(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	before, first := s.holds("fra-01"), s.first()
	before.takes(first)
	after := &listAgent{stage: s, agent: before.agent, held: map[string]agentapi.Client{}}
	after.taken.Name = agentapi.DocumentClientLists
	after.agent.Beat(after.beat)
	require.Eventually(t, func() bool {
		return strings.Contains(string(after.agent.Node().Body), string(agentapi.DocumentClientLists.Capability()))
	}, time.Minute, 50*time.Millisecond)
	anna := s.add("Anna", "flow_ids", []string{s.flow})
	after.takes(first, anna)
	s.installed(anna, true)

	boris := s.add("Boris", "flow_ids", []string{s.flow})
	after.takes(first, anna, boris)
	before.agent.Beat(before.beat)
	require.Eventually(t, func() bool {
		s.panel.RunSchedule("clients.account")
		var asks bool
		err := s.panel.DB.NewRaw("select by_changes from client_list_nodes where node_id = ?", before.agent.NodeID).
			Scan(t.Context(), &asks)
		return err == nil && !asks
	}, time.Minute, 50*time.Millisecond)
	before.takes(first, anna, boris)
	s.installed(boris, true)
	vera := s.add("Vera", "flow_ids", []string{s.flow})
	before.takes(first, anna, boris, vera)
	s.installed(vera, true)
}

// A restored panel numbers its lists anew: agents that hold what it does not know are told all.
func TestARestoredPanelNumbersItsListsAnew(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, first := s.asks("fra-01"), s.first()
	one.takes(first)
	s.installed(first, true)
	note, err := restored.Note{ID: database.NewID(), Artefact: "panel-1"}.SQL()
	require.NoError(t, err)
	_, err = s.panel.DB.ExecContext(t.Context(), note)
	require.NoError(t, err)
	after := *s
	after.panel = paneltest.Start(t, paneltest.On(s.panel.DB), paneltest.Modules(features()...))
	after.admin, one.stage = after.panel.Admin(), &after
	before := one.at.Epoch
	require.Eventually(t, func() bool { return one.ask(one.at).Fresh }, time.Minute, 50*time.Millisecond)
	require.True(t, after.get(first).Flows[0].Installed, "links go on meanwhile")
	anna := after.add("Anna", "flow_ids", []string{s.flow})
	one.takes(first, anna)
	require.NotEqual(t, before, one.at.Epoch)
	after.installed(anna, true)
}

// No answer to an agent holds a sealed secret, and none is asked for by others.
func TestWhatHasChangedIsForItsAgentAlone(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, first := s.asks("fra-01"), s.first()
	one.takes(first)
	answer := one.agent.Get("/agent/v1/client-lists/" + s.flow).Is(200)
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	var sealed string
	require.NoError(t, s.panel.DB.NewRaw("select secret from client_flows where client_id = ?", first).
		Scan(t.Context(), &sealed))
	require.NotContains(t, string(answer.Body), sealed)
}
