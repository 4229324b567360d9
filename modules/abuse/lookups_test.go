package abuse

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/lookups"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const (
	lookupsPath = "/api/v1/abuse/lookups"
	exitAddress = "203.0.113.7"
	victim      = "198.51.100.9"
)

// fleet is a world in which users connect to the first node, and traffic of its flow leaves by the second one.
func fleet(t *testing.T, more ...paneltest.Setting) *world {
	t.Helper()
	w := newWorld(t, more...)
	w.served.mu.Lock()
	w.served.flows[w.nodes[1].NodeID] = []string{w.flows[0]}
	w.served.enter[w.flows[0]] = []string{w.nodes[0].NodeID}
	w.served.mu.Unlock()
	able := func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.FindConnections.Capability())
	}
	w.nodes[0].Online(able)
	w.nodes[1].Online(able, func(h *agentapi.Heartbeat) { h.Addresses = []string{exitAddress, "2001:db8::7"} })
	return w
}

func complaint(change ...func(fields)) fields {
	out := fields{
		"address": exitAddress, "dest": victim, "dest_port": 22, "reason": "abuse 4711",
		"at": time.Now().UTC().Add(-10 * time.Minute),
	}
	for _, one := range change {
		one(out)
	}
	return out
}

func (w *world) ask(change ...func(fields)) (got lookups.Lookup) {
	w.t.Helper()
	w.admin.Post(lookupsPath, complaint(change...)).Is(http.StatusAccepted).JSON(&got)
	return got
}

func (w *world) lookup(id string) (got lookups.Lookup) {
	w.t.Helper()
	w.As(string(View)).Get(lookupsPath + "/" + id).Is(http.StatusOK).JSON(&got)
	return got
}

// over waits until every entry has answered or cannot.
func (w *world) over(id string) (got lookups.Lookup) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		got = w.lookup(id)
		return got.State == "done"
	}, time.Minute, 20*time.Millisecond)
	return got
}

// question is what an entry was asked.
func (w *world) question(at int) (id string, args agentapi.FindConnectionsArgs) {
	w.t.Helper()
	var found []agentapi.Command
	for _, one := range w.nodes[at].Commands() {
		if one.Kind == agentapi.FindConnections {
			found = append(found, one)
		}
	}
	require.Len(w.t, found, 1)
	require.NoError(w.t, json.Unmarshal(found[0].Args, &args))
	return found[0].ID, args
}

func (w *world) answers(at int, commandID string, data agentapi.FindConnectionsData) {
	w.t.Helper()
	text, err := json.Marshal(data)
	require.NoError(w.t, err)
	w.nodes[at].Finish(commandID, agentapi.CommandResult{OK: true, Data: text}).Is(http.StatusNoContent)
}

// Rule: a complaint becomes a person: the entry whose flow leaves by the address is asked, and its record names the
// user; the exit is not asked, as it knows no users.
func TestAComplaintLeadsToAPerson(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	w.tells(1, scan(w.users[0], func(s *agentapi.AbuseSignal) {
		s.FirstAt, s.LastAt = s.FirstAt.AddDate(0, 0, -3), s.LastAt.AddDate(0, 0, -3)
	}))
	w.scores()
	asked := w.ask()
	require.Equal(t, "running", asked.State)
	require.Equal(t, 300, asked.Tolerance)
	require.Equal(t, []lookups.Node{{NodeID: w.nodes[0].NodeID, Node: "fra", State: "asked"}}, asked.Nodes)
	id, args := w.question(0)
	require.Empty(t, w.nodes[1].Commands())
	require.Equal(t, []string{w.flows[0]}, args.FlowIDs)
	require.Equal(t, victim, args.Dest)
	require.Equal(t, 22, args.Port)
	require.Equal(t, asked.At.Add(-5*time.Minute), args.From)
	require.Equal(t, asked.At.Add(5*time.Minute), args.To)
	minute := asked.At.Truncate(time.Minute)
	line := agentapi.ConnectionLine{
		Minute: minute, UserRef: w.users[0], FlowID: w.flows[0], Network: "tcp", Dest: victim, Port: 22, Count: 40,
	}
	before := line
	before.Minute, before.Count = minute.Add(-2*time.Minute), 2
	w.answers(0, id, agentapi.FindConnectionsData{
		Since: asked.At.Add(-time.Hour), Lines: []agentapi.ConnectionLine{line, before},
	})
	got := w.over(asked.ID)
	require.Equal(t, "answered", got.Nodes[0].State)
	require.Equal(t, asked.At.Add(-time.Hour), *got.Nodes[0].Since)
	require.Equal(t, []lookups.Person{{
		UserRef: w.users[0], User: "user of fra", FlowID: w.flows[0], Flow: "flow of a test", NodeID: w.nodes[0].NodeID,
		Node: "fra", Connections: 42, FirstAt: before.Minute, LastAt: minute.Add(time.Minute), From: "record",
		Exact: true, Also: []lookups.Also{{Kind: "port_scan", Count: 500}},
	}}, got.People)
}

// Rule: where a flow is a member of a pool, whoever came in by a flow that uses the pool may be the one: the entries of
// that flow are asked, too; a flow that was deleted meanwhile is left out.
func TestAComplaintLeadsThroughPools(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	sender := w.flows[1]
	w.served.mu.Lock()
	w.served.sends = map[string][]string{w.flows[0]: {sender, database.NewID()}}
	w.served.enter[sender] = []string{w.nodes[1].NodeID}
	w.served.mu.Unlock()
	asked := w.ask()
	nodes := map[string]string{}
	for _, one := range asked.Nodes {
		nodes[one.NodeID] = one.State
	}
	require.Equal(t, map[string]string{w.nodes[0].NodeID: "asked", w.nodes[1].NodeID: "asked"}, nodes)
	_, args := w.question(1)
	require.Equal(t, []string{sender}, args.FlowIDs)
}

// Rule: what signals tell is in the first answer. Who reached for what was complained about comes before those of whom
// it is not known what they reached for; who reached for something else, or at another time, is not named.
func TestSignalsAnswerAtOnce(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	var other [3]string
	for i := range other {
		client := database.NewID()
		w.served.serve(w.nodes[0].NodeID, w.flows[0], client, "user "+string(rune('a'+i)))
		other[i] = "c:" + client
	}
	at := time.Now().UTC().Add(-10 * time.Minute)
	signal := func(user, dest string, port int, when time.Time, count int64) agentapi.AbuseSignal {
		return scan(user, func(s *agentapi.AbuseSignal) {
			s.FlowID, s.FirstAt, s.LastAt, s.Count = w.flows[0], when.Add(-time.Minute), when, count
			s.Dest = &agentapi.AbuseDest{IP: dest, Port: port}
		})
	}
	w.tells(1, signal(w.users[0], victim, 22, at, 7), signal(w.users[0], victim, 22, at.Add(time.Minute), 5),
		signal(other[0], "", 22, at, 900), signal(other[1], "198.51.100.10", 22, at, 900),
		signal(other[2], victim, 22, at.Add(-time.Hour), 900), signal(other[1], victim, 80, at, 900))
	got := w.ask(func(f fields) { f["at"] = at })
	require.Equal(t, "running", got.State, "the record of the entry is asked for all the same")
	require.Len(t, got.People, 2)
	require.Equal(t, []string{w.users[0], other[0]}, []string{got.People[0].UserRef, got.People[1].UserRef})
	require.Equal(t, []bool{true, false}, []bool{got.People[0].Exact, got.People[1].Exact})
	require.EqualValues(t, 12, got.People[0].Connections)
	require.Equal(t, "signals", got.People[0].From)
	wide := w.ask(func(f fields) { f["at"], f["tolerance_s"], f["dest"] = at, 3600, "198.51.100.0/24" })
	require.Len(t, wide.People, 4, "an hour around, and the network")
	require.Len(t, w.ask(func(f fields) { f["at"] = at; delete(f, "dest"); delete(f, "dest_port") }).People, 3)
	require.Empty(t, w.ask(func(f fields) { f["at"] = at; f["address"] = "203.0.113.8" }).People)
}

// Rule: a signal about hours is found by the moments in it; a name is found with everything below it.
func TestLongSignalsAndNamesAreFound(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	now := time.Now().UTC()
	w.tells(1, scan(w.users[0], func(s *agentapi.AbuseSignal) {
		s.FirstAt, s.LastAt = now.Add(-5*time.Hour), now
		s.Dest = &agentapi.AbuseDest{Host: "mail.victim.example", Port: 25}
	}))
	named := func(dest string) func(fields) {
		return func(f fields) { f["at"], f["dest"], f["dest_port"] = now.Add(-3*time.Hour), dest, 25 }
	}
	require.Len(t, w.ask(named("Victim.Example.")).People, 1)
	require.True(t, w.ask(named("mail.victim.example")).People[0].Exact)
	require.Empty(t, w.ask(named("il.victim.example")).People)
	require.False(t, w.ask(named(victim)).People[0].Exact, "the address of the name is not known")
}

// Rule: where there is no record, the answer says so: of each entry whether it answered, was out of reach or keeps
// none.
func TestEachEntrySaysWhetherItCouldTell(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	asked := w.ask()
	id, _ := w.question(0)
	w.answers(0, id, agentapi.FindConnectionsData{Lines: []agentapi.ConnectionLine{}})
	require.Equal(t, "no_record", w.over(asked.ID).Nodes[0].State)

	asked = w.ask()
	id, _ = w.question(0)
	failed := agentapi.CommandResult{Code: agentapi.CodeFailed, Error: "the disk is full"}
	w.nodes[0].Finish(id, failed).Is(http.StatusNoContent)
	got := w.over(asked.ID).Nodes[0]
	require.Equal(t, []string{"unreachable", "the disk is full"}, []string{got.State, got.Error})

	asked = w.ask()
	w.exec("update abuse_lookups set ends_by = now() - interval '1 minute'")
	require.Equal(t, "unreachable", w.over(asked.ID).Nodes[0].State, "its time is over")

	w.nodes[0].Online(func(h *agentapi.Heartbeat) { h.AgentVersion = "0.9.0" })
	require.Eventually(t, func() bool {
		got := w.ask()
		return got.State == "done" && got.Nodes[0].State == "no_record"
	}, time.Minute, 50*time.Millisecond, "an agent that is too old is not asked")

	w.nodes[0].Online(func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.FindConnections.Capability())
	})
	w.served.serves(flowsapi.ServedEntry{FlowID: w.flows[0], NodeID: w.nodes[0].NodeID})
	got = w.ask().Nodes[0]
	require.Equal(t, "no_record", got.State)
	require.Contains(t, got.Error, "proxy panel serves", "its agent is not asked")
}

// Rule: no agent's word is taken about users of other nodes, about flows that it was not asked for, or other times.
func TestALyingEntryNamesNobody(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	asked := w.ask()
	id, _ := w.question(0)
	line := func(user, flow string, minute time.Time, count int) agentapi.ConnectionLine {
		return agentapi.ConnectionLine{
			Minute: minute, UserRef: user, FlowID: flow, Dest: victim, Port: 22, Count: count,
		}
	}
	w.answers(0, id, agentapi.FindConnectionsData{Since: asked.At.Add(-time.Hour), Lines: []agentapi.ConnectionLine{
		line(w.users[1], w.flows[0], asked.At, 1), line(w.users[0], w.flows[1], asked.At, 1),
		line(w.users[0], w.flows[0], asked.At.Add(time.Hour), 1), line("p:1:2", w.flows[0], asked.At, 1),
		line("c:\u202e", w.flows[0], asked.At, 1), line(w.users[0], w.flows[0], asked.At, -5),
		line(w.users[0], w.flows[0], asked.At, 1<<40),
	}})
	got := w.over(asked.ID)
	require.Len(t, got.People, 1)
	require.Equal(t, w.users[0], got.People[0].UserRef)
	require.EqualValues(t, 1_000_001, got.People[0].Connections)
}

// Rule: a node that is deleted while it is asked answers no more; its lookup ends and can be read.
func TestANodeIsDeletedWhileItIsAsked(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	asked := w.ask()
	w.admin.Delete("/api/v1/nodes/" + w.nodes[0].NodeID).Is(http.StatusNoContent)
	got := w.over(asked.ID)
	require.Equal(t, "unreachable", got.Nodes[0].State)
	require.Equal(t, "fra", got.Nodes[0].Node)
}

// Bad input: each field says what is wrong with it. An address that no node has is no fault: it is asked of nobody.
func TestAComplaintThatCannotBeAnsweredIsRefused(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	now := time.Now().UTC()
	for field, value := range map[string]any{
		"address": "fra.example.com", "dest": "two words", "reason": "  ", "at": now.Add(time.Hour),
	} {
		w.admin.Post(lookupsPath, complaint(func(f fields) { f[field] = value })).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	w.admin.Post(lookupsPath, complaint(func(f fields) { f["at"] = now.AddDate(0, 0, -91) })).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	for field, value := range map[string]any{
		"tolerance_s": 3601, "dest_port": 65536, "port": -1, "reason": strings.Repeat("x", 501),
	} {
		w.admin.Post(lookupsPath, complaint(func(f fields) { f[field] = value })).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	w.admin.Post(lookupsPath, complaint(func(f fields) { delete(f, "reason") })).
		Refused(http.StatusBadRequest, "missing_field")
	nobody := w.ask(func(f fields) { f["address"] = "192.0.2.200" })
	require.Equal(t, "done", nobody.State)
	require.Empty(t, nobody.Nodes)
	require.Equal(t, "2001:db8::7", w.ask(func(f fields) { f["address"] = "2001:DB8:0::7" }).Address)
	w.admin.Get(lookupsPath+"/x").Refused(http.StatusNotFound, "not_found")
	w.admin.Get(lookupsPath+"/"+database.NewID()).Refused(http.StatusNotFound, "not_found")
}

// Rule: a lookup is a look at what users did: who may not change anything may not ask, each question is in the journal
// with its reason, once however often it is sent, and the answer goes when addresses do.
func TestQuestionsAreToldAndForgotten(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	w.As(string(View)).Post(lookupsPath, complaint()).Refused(http.StatusForbidden, "permission_denied")
	w.As("nodes.view").Get(lookupsPath).Refused(http.StatusForbidden, "permission_denied")
	var first lookups.Lookup
	w.admin.PostOnce(lookupsPath, complaint()).JSON(&first)
	require.Equal(t, []string{lookups.ActionAsked}, w.Recorded(lookups.Object, first.ID))
	var reason string
	require.NoError(t, w.DB.NewRaw("select changes::jsonb -> 'reason' ->> 'to' from journal where object_id = ?", first.ID).
		Scan(t.Context(), &reason))
	require.Equal(t, "abuse 4711", reason)
	second := w.ask(func(f fields) { f["reason"] = "another hoster" })
	var page struct{ Items []lookups.Line }
	w.As(string(View)).Get(lookupsPath).Is(http.StatusOK).JSON(&page)
	require.Len(t, page.Items, 2)
	require.Equal(t, []string{second.ID, first.ID}, []string{page.Items[0].ID, page.Items[1].ID})
	w.exec("update abuse_lookups set asked_at = now() - interval '15 days' where id = ?", first.ID)
	w.RunSchedule(lookups.TidyKind)
	w.admin.Get(lookupsPath+"/"+first.ID).Refused(http.StatusNotFound, "not_found")
	w.lookup(second.ID)
}

// abandon makes a lookup that is over as it was before anybody heard the answers, with nobody to follow it.
func (w *world) abandon(id string) {
	w.t.Helper()
	w.over(id)
	w.exec("update abuse_lookup_nodes set state = 'asked', since = null, error = '', people = '[]' where lookup_id = ?", id)
	w.exec(`update abuse_lookups set state = 'running', ended_at = null, ends_by = now() - interval '2 hours'
		where id = ?`, id)
}

// Rule: a question outlives its job and its panel: what nobody follows any more is ended all the same.
func TestALookupThatNobodyFollowsEnds(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	asked := w.ask()
	id, _ := w.question(0)
	w.answers(0, id, agentapi.FindConnectionsData{
		Since: asked.At.Add(-time.Hour), Lines: []agentapi.ConnectionLine{{
			Minute: asked.At.Truncate(time.Minute), UserRef: w.users[0], FlowID: w.flows[0], Dest: victim, Port: 22,
			Count: 1,
		}},
	})
	w.abandon(asked.ID)
	require.Equal(t, "running", w.lookup(asked.ID).State)
	w.RunSchedule(lookups.TidyKind)
	require.Len(t, w.over(asked.ID).People, 1, "what it answered counts")
}

// Rule: without the feature nobody is asked; what was answered stays to be read.
func TestTheLicenseClosesQuestions(t *testing.T) {
	t.Parallel()
	license := &entitlement.Shared{}
	license.Follow(entitlement.Fixed{State: entitlement.Active, Enabled: []string{"abuse"}})
	w := fleet(t, paneltest.License(license))
	asked := w.ask()
	for code, state := range map[string]entitlement.State{
		"license_read_only":       {State: entitlement.Degraded, Reason: "none"},
		"license_feature_blocked": {State: entitlement.Active, Reason: "ok"},
	} {
		license.Follow(entitlement.Fixed(state))
		w.admin.Post(lookupsPath, complaint()).Refused(http.StatusForbidden, code)
		w.lookup(asked.ID)
	}
}

// The command asks, waits for the entries, and says on its error stream who could not tell; the id shows it again.
func TestTheCommandFindsAPerson(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	at := time.Now().UTC().Add(-10 * time.Minute).Format(time.RFC3339)
	w.tells(1, scan(w.users[0], func(s *agentapi.AbuseSignal) {
		s.FirstAt, s.LastAt = s.FirstAt.Add(-10*time.Minute), s.LastAt.Add(-10*time.Minute)
	}))
	done := make(chan paneltest.Said)
	go func() {
		line := "abuse lookup " + exitAddress + " --at " + at + " --reason hoster --plain"
		done <- w.admin.Command([]module.Module{Module()}, line)
	}()
	var waiting []agentapi.Command
	require.Eventually(t, func() bool {
		waiting = w.nodes[0].Commands()
		return len(waiting) == 1
	}, time.Minute, 20*time.Millisecond)
	w.answers(0, waiting[0].ID, agentapi.FindConnectionsData{Lines: []agentapi.ConnectionLine{}})
	said := <-done
	require.Equal(t, cli.ExitDone, said.Exit, said.Err)
	require.Contains(t, said.Out, "user of fra\t-\tfra\t500\t")
	require.Contains(t, said.Err, "fra keeps no record of connections")
	listed := w.admin.Command([]module.Module{Module()}, "abuse lookups --plain")
	require.Contains(t, listed.Out, "\thoster\t")
	id := listed.Out[strings.LastIndex(listed.Out, "\t")+1:]
	again := w.admin.Command([]module.Module{Module()}, "abuse lookup "+strings.TrimSpace(id)+" --plain")
	require.Equal(t, said.Out, again.Out)
}

// Rule: two questions at once are answered apart, each by its own order.
func TestTwoQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	first := w.ask()
	second := w.ask(func(f fields) { f["dest_port"] = 25 })
	commands := w.nodes[0].Commands()
	require.Len(t, commands, 2)
	for _, one := range commands {
		var args agentapi.FindConnectionsArgs
		require.NoError(t, json.Unmarshal(one.Args, &args))
		w.answers(0, one.ID, agentapi.FindConnectionsData{
			Since: args.From, Lines: []agentapi.ConnectionLine{{
				Minute: first.At, UserRef: w.users[0], FlowID: w.flows[0], Dest: victim, Port: args.Port,
				Count: args.Port,
			}},
		})
	}
	require.EqualValues(t, 22, w.over(first.ID).People[0].Connections)
	require.EqualValues(t, 25, w.over(second.ID).People[0].Connections)
}
