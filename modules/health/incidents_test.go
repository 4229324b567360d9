package health

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/nodes/nodesapi"
)

func (w *world) incidents(query string) (all []incidents.Incident) {
	w.t.Helper()
	var page struct{ Items []incidents.Incident }
	w.As(string(View)).Get("/api/v1/health/incidents?sort=opened_at&" + query).Is(http.StatusOK).JSON(&page)
	return page.Items
}

// incident is the only one there is.
func (w *world) incident() (d incidents.Detail) {
	w.t.Helper()
	all := w.incidents("")
	require.Len(w.t, all, 1)
	w.As(string(View)).Get("/api/v1/health/incidents/" + all[0].ID).Is(http.StatusOK).JSON(&d)
	return d
}

// said are what the entries of an incident tell, without what follows from results that came in two rounds.
func said(d incidents.Detail) (all []string) {
	for _, e := range d.Entries {
		if e.What != "worse" && e.What != "changed" && e.What != "better" {
			all = append(all, e.What)
		}
	}
	return all
}

// lost lets agents fall silent for good.
func (w *world) lost(nodes ...string) {
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State = false, "offline" }, nodes...)
}

func (w *world) heard(nodes ...string) {
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State, n.SeenAt = true, "online", w.clock.Now() }, nodes...)
}

// goesOn lets time pass while the panel judges.
func (w *world) goesOn(d time.Duration) {
	w.t.Helper()
	for ; d > 0; d -= 20 * time.Second {
		w.passes(20 * time.Second)
		w.beat()
		w.round()
	}
}

// calm lets the time pass after which an incident is resolved that nobody suffers from.
func (w *world) calm() {
	w.t.Helper()
	w.passes(incidents.Calm + time.Second)
	w.beat()
	w.round()
}

// Rule of domain 4.15: an incident opens, is acknowledged, mitigated when nobody suffers any more, and resolved when it
// has stayed so; within the flap window the same incident opens again.
func TestAnIncidentOpensEndsAndComesBack(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	news := w.Follow()
	require.Empty(t, w.incidents(""))
	w.passes(time.Minute)
	w.beat()
	w.all(handshake, false)
	w.folded()
	w.becomes(flow, missing)
	d := w.incident()
	require.Equal(t, []any{"connection_unit", flow, "Europe", "critical", "open", "unreachable", 0, 1, 1}, []any{
		d.Kind, d.SubjectID, d.SubjectName, d.Severity, d.State, d.Hint, d.Nodes, d.ConnectionUnits, d.Suffering,
	})
	require.Nil(t, d.Cause, "one alone has nothing in common with anybody")
	require.True(t, d.BeganAt.Before(d.OpenedAt) && d.OpenedAt.Sub(d.BeganAt) < 10*time.Second, "the first failure was seen before")
	require.Equal(t, []string{"opened"}, said(d))
	require.NotEmpty(t, d.Subjects[0].Evidence)
	require.Equal(t, d.ID, news.Next(healthapi.EventIncidentOpened).SubjectID)

	manager := w.As(string(Manage), string(View))
	w.As(string(View)).Post("/api/v1/health/incidents/"+d.ID+"/ack", fields{}).Is(http.StatusForbidden)
	for range 2 {
		manager.Post("/api/v1/health/incidents/"+d.ID+"/ack", fields{"note": "calling the hoster"}).Is(http.StatusOK)
	}
	require.Equal(t, "acknowledged", w.incident().State)
	require.NotEmpty(t, w.incident().AcknowledgedBy)
	require.Equal(t, []string{"health.incident_acknowledged"}, w.Recorded(incidents.Object, d.ID))

	w.passes(30 * time.Second)
	w.beat()
	w.all(handshake, true)
	w.becomes(flow, well)
	require.Equal(t, []any{"mitigated", 0}, []any{w.incident().State, w.incident().Suffering})
	w.calm()
	d = w.incident()
	require.Equal(t, "resolved", d.State)
	require.Empty(t, d.ResolvedBy)
	require.Equal(t, []string{"opened", "acknowledged", "left", "mitigated", "resolved"}, said(d))
	at := slices.IndexFunc(d.Entries, func(e incidents.Entry) bool { return e.What == "acknowledged" })
	require.Equal(t, "calling the hoster", d.Entries[at].Note)
	news.Next(healthapi.EventIncidentResolved)
	require.Empty(t, w.incidents("state=unresolved"))

	w.passes(5 * time.Minute)
	w.beat()
	w.all(handshake, false)
	w.becomes(flow, missing)
	d = w.incident()
	require.Equal(t, []any{"open", 1, ""}, []any{d.State, d.Reopened, d.AcknowledgedBy})
	require.Equal(t, d.ID, news.Next(healthapi.EventIncidentOpened).SubjectID)
}

// After the flap window the same failure is another incident.
func TestAnIncidentOfLaterIsAnotherOne(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	for n := range 2 {
		w.passes(11 * time.Minute)
		w.beat()
		w.all(handshake, false)
		w.becomes(flow, missing)
		require.Len(t, w.incidents(""), n+1)
		w.passes(30 * time.Second)
		w.beat()
		w.all(handshake, true)
		w.becomes(flow, well)
		w.calm()
	}
	require.Len(t, w.incidents("state=resolved&kind=connection_unit&subject_id="+flow), 2)
	require.Empty(t, w.incidents("kind=node"))
}

// Issue: one incident for one cause. A flow that nobody reaches and the node beneath it are one, in whatever order they
// are seen, and it is told of by the node.
func TestANodeAndItsFlowsAreOneIncident(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw", "ber", "par")
	europe, asia := w.flow("Europe", "ams"), w.flow("Asia", "ams")
	w.place()
	node := w.node("ams")
	first, second, port := w.check(europe, "tls"), w.check(asia, "tls"), w.check(node, "tcp")
	w.settled()
	for _, check := range []string{first, second, port} {
		w.all(check, true)
	}
	w.folded()
	w.passes(time.Minute)
	w.beat()
	w.all(first, false)
	w.becomes(europe, missing)
	d := w.incident()
	require.Equal(t, "Europe", d.SubjectName)

	w.passes(20 * time.Second)
	w.lost(node)
	w.all(port, false)
	w.becomes(node, missing)
	w.all(second, false)
	w.folded()
	w.becomes(asia, verdictRow{healthapi.Down, "node_down", "node"})
	now := w.incident()
	require.Equal(t, []any{d.ID, "node", "ams", "unreachable", 1, 2, 3}, []any{
		now.ID, now.Kind, now.SubjectName, now.Hint, now.Nodes, now.ConnectionUnits, now.Suffering,
	})
	require.Equal(t, &incidents.Cause{Kind: "node", Name: "ams"}, now.Cause)
	require.Empty(t, w.incidents("")[0].SufferingIDs, "told to those who ask")
	require.ElementsMatch(t, []string{node, europe, asia}, w.incidents("suffering_ids=true")[0].SufferingIDs)

	w.passes(20 * time.Second)
	w.heard(node)
	for _, check := range []string{first, second, port} {
		w.all(check, true)
	}
	w.folded()
	w.becomes(asia, well)
	w.becomes(europe, well)
	require.Equal(t, "mitigated", w.incident().State)
	require.Equal(t, []string{}, w.incidents("suffering_ids=true")[0].SufferingIDs, "who is well suffers no more")
	w.calm()
	require.Equal(t, "resolved", w.incident().State)
}

// Issue: a dead provider is one incident, not forty; who joins late joins it, and a failure of another sort does not.
func TestADeadProviderIsOneIncident(t *testing.T) {
	t.Parallel()
	names := []string{"ams", "fra", "waw", "ber", "par", "vie", "rig", "osl", "mad", "rom", "lis", "dub"}
	w := newWorld(t, names...)
	hosted := []string{w.node("ams"), w.node("fra"), w.node("waw")}
	w.fleet.set(func(n *nodesapi.Node) { n.Provider = "Big Host" }, append(hosted, w.node("ber"))...)
	w.place()
	w.settled()
	w.lost(hosted[:2]...)
	w.goesOn(2 * time.Minute)
	w.lost(hosted[2])
	w.round()
	w.fleet.set(func(n *nodesapi.Node) { n.CoreState = "failed" }, w.node("ber"))
	w.round()
	all := w.incidents("")
	require.Len(t, all, 2)
	require.Equal(t, []any{"unreachable", 3, &incidents.Cause{Kind: "provider", Name: "Big Host"}},
		[]any{all[0].Hint, all[0].Nodes, all[0].Cause})
	require.Equal(t, []any{"core_failed", 1, "ber"}, []any{all[1].Hint, all[1].Nodes, all[1].SubjectName})

	w.goesOn(4 * time.Minute)
	w.lost(w.node("vie"))
	w.round()
	require.Len(t, w.incidents(""), 3, "another one, of nobody's provider")
}

// What more than half of the fleet has in common joins nothing.
func TestWhatNearlyAllHaveInCommonIsNoCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw", "ber")
	w.fleet.set(func(n *nodesapi.Node) { n.Country, n.Tags = "NL", []string{"prod"} })
	w.settled()
	w.place()
	w.round()
	w.lost(w.node("ams"))
	w.round()
	w.fleet.set(func(n *nodesapi.Node) { n.CoreState = "failed" }, w.node("fra"))
	w.lost(w.node("ber"))
	w.round()
	require.Len(t, w.incidents("severity=critical"), 3)
}

// Issue: maintenance and what is not known open nothing, and who rests suffers no more.
func TestMaintenanceAndTheUnknownOpenNothing(t *testing.T) {
	t.Parallel()
	w, node, flow, port, _ := watched(t)
	w.goesOn(10 * time.Minute) // without a result all is unknown
	require.Equal(t, "unknown", w.verdict(flow).State)
	require.Empty(t, w.incidents(""))
	w.fleet.set(func(n *nodesapi.Node) { n.State = "maintenance" }, node)
	w.all(port, false)
	w.becomes(node, missing)
	require.Empty(t, w.incidents(""))
	w.fleet.set(func(n *nodesapi.Node) { n.State = "online" }, node)
	w.round()
	require.Equal(t, "open", w.incident().State, "maintenance is over, and it is still down")
	w.fleet.set(func(n *nodesapi.Node) { n.State = "maintenance" }, node)
	w.round()
	require.Equal(t, []string{"opened", "joined", "rests", "rests", "mitigated"}, said(w.incident()), "its flow suffered with it, and waits with it")
}

// Whoever is removed suffers no more.
func TestWhoIsRemovedSuffersNoMore(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	w.passes(time.Minute)
	w.beat()
	w.all(handshake, false)
	w.becomes(flow, missing)
	w.flows.mu.Lock()
	w.flows.all = nil
	w.flows.mu.Unlock()
	w.place()
	w.round()
	require.Equal(t, []string{"opened", "gone", "mitigated"}, said(w.incident()))
}

// What a person has closed stays closed for those who still suffer, until they get worse.
func TestWhatSomebodyClosedStaysClosed(t *testing.T) {
	t.Parallel()
	w, node, _, port, _ := watched(t)
	w.passes(time.Minute)
	w.beat()
	for _, agent := range []string{"fra", "waw", "ber"} {
		w.says(agent, port, false, 3)
	}
	w.says("panel", port, true, 1)
	w.becomes(node, verdictRow{healthapi.Degraded, "partly_unreachable", "route"})
	d := w.incident()
	require.Equal(t, []any{"warning", "route"}, []any{d.Severity, d.Hint})
	manager := w.As(string(Manage), string(View))
	path := "/api/v1/health/incidents/" + d.ID
	manager.Post(path+"/resolve", fields{"note": "known"}).Is(http.StatusOK)
	manager.Post(path+"/resolve", fields{}).Is(http.StatusOK)
	manager.Post(path+"/ack", fields{}).Refused(http.StatusConflict, "incident_resolved")
	require.Equal(t, []string{"health.incident_resolved"}, w.Recorded(incidents.Object, d.ID))
	w.round()
	require.Equal(t, "resolved", w.incident().State)

	w.passes(10 * time.Second)
	w.beat()
	w.says("panel", port, false, 3)
	w.becomes(node, missing)
	d = w.incident()
	require.Equal(t, []any{"open", "critical", 1}, []any{d.State, d.Severity, d.Reopened})
	for _, id := range []string{"zzz", flowsapi.EventChanged} {
		manager.Post("/api/v1/health/incidents/"+id+"/ack", fields{}).Refused(http.StatusNotFound, "not_found")
	}
}

// Hint of domain 4.6: those who do not see it are all in one country, and the rest of the world sees it.
func TestABlockInOneCountryIsSeen(t *testing.T) {
	t.Parallel()
	w, node, _, port, _ := watched(t)
	w.fleet.set(func(n *nodesapi.Node) { n.Country = "RU" }, w.node("fra"), w.node("waw"))
	w.fleet.set(func(n *nodesapi.Node) { n.Country = "DE" }, w.node("ber"), node)
	w.passes(time.Minute)
	w.beat()
	w.says("fra", port, false, 3)
	w.says("waw", port, false, 3)
	w.says("ber", port, true, 1)
	w.says("panel", port, true, 1)
	w.becomes(node, verdictRow{healthapi.Degraded, "partly_unreachable", "route"})
	require.Equal(t, "blocked_region", w.incident().Hint)
}

// Issue: what comes and goes ten times a minute is one incident, and people hear of it once.
func TestWhatComesAndGoesIsOneMessage(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	news := w.App.Bus().Subscribe(t.Context())
	const times = 10
	for i := range 2 * times {
		w.passes(3 * time.Second)
		w.beat()
		w.all(handshake, i%2 == 1)
		w.folded()
	}
	require.Len(t, w.incidents(""), 1)
	w.admin.Post(policiesPath, fields{"name": "last", "scope": fields{"kind": "tag", "tag": "x"}}).Is(http.StatusCreated)
	told := map[string]int{}
	for told[healthapi.EventPolicyCreated] == 0 {
		told[(<-news).Kind]++
	}
	require.Equal(t, 1, told[healthapi.EventIncidentOpened], "one message")
	require.Zero(t, told[healthapi.EventIncidentResolved], "and none that it is over before it rests")
	require.Equal(t, "down", w.detail("connection-units", flow).State)
	require.Equal(t, "open", w.incident().State)
}

// Issue: half of the vantages are lost. Who is left decides, and what the lost ones said does not count any more.
func TestHalfOfTheVantagesAreLost(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	lost, left := w.vantages(handshake)[:2], w.vantages(handshake)[2:]
	for _, one := range lost {
		w.says(one, handshake, true, 3)
	}
	w.folded()
	old := w.clock.Now()
	for w.clock.Since(old) < 3*time.Minute {
		w.passes(20 * time.Second)
		w.beat()
		for _, one := range append(slices.Clone(left), "panel") {
			w.says(one, handshake, true, 1)
		}
		w.folded()
	}
	require.Equal(t, well, w.verdict(flow), "two of four still see it")
	require.Empty(t, w.incidents(""))
	w.passes(20 * time.Second)
	w.beat()
	for _, one := range append(slices.Clone(left), "panel") {
		w.says(one, handshake, false, 3)
	}
	w.becomes(flow, missing)
}
