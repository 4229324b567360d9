package targets

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module(), features()[:4]...)
}

// Rule: a search answers at once and runs on the agent of the chosen node; what it finds comes live and by page; it is
// done when all results are there that the agent has announced.
func TestASearchRunsOnTheChosenNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	news := s.Follow()
	id := s.search("WWW.Example.org.", "https.example.net:8443", "www.example.org")
	require.Equal(t, id, news.Next(kindStarted).SubjectID)
	command, args := s.order(id, false)
	require.Equal(t, agentapi.ScanTargets, command.Kind)
	require.Equal(t, []agentapi.ScanTarget{
		{Host: "www.example.org", Port: 443}, {Host: "https.example.net", Port: 8443},
	}, args.Targets, "each once")

	first := finding(id, 0)
	s.deliver(first).Is(http.StatusOK)
	require.Equal(t, SearchNews{NodeID: s.agent.NodeID, State: stateRunning, Scanned: 1, Found: 1, Total: 2},
		news.Next(kindFound).Data)
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 2})
	require.Equal(t, stateRunning, s.get(id).Text("state"), "the last result is still on its way")
	s.deliver(finding(id, 1, func(f *agentapi.TargetFinding) { f.TLSVersion = "1.2" }), first).Is(http.StatusOK)
	done := s.ends(id, stateDone)
	require.EqualValues(t, 2, done.Value("scanned"))
	require.EqualValues(t, 1, done.Value("found"))
	require.Equal(t, stateDone, paneltest.NextData[SearchNews](news, kindEnded).State)

	page := s.admin.Get(path + "/" + id + "/results").Is(http.StatusOK)
	require.EqualValues(t, 2, page.Value("total"))
	var results struct{ Items []Result }
	page.JSON(&results)
	best, worst := results.Items[0], results.Items[1]
	require.Equal(t, "suitable", best.Suitability)
	require.True(t, best.PostQuantum && best.Fresh && best.Certificate.ChainValid)
	require.Equal(t, best.CheckedAt.Add(validFor), best.ValidUntil)
	require.Equal(t, "https.example.net:8443", worst.Target, "what was asked for, whatever the agent says")
	require.Equal(t, "https.example.net", worst.ServerName)
	require.Equal(t, "unsuitable", worst.Suitability)
	s.admin.Get(path + "/" + id + "/results?suitability=unsuitable&sort=target&limit=1").Is(http.StatusOK).
		JSON(&results)
	require.Len(t, results.Items, 1)
	require.Equal(t, []string{kindStarted}, s.Recorded(object, id))
	require.EqualValues(t, 1, s.admin.Get(path).Is(http.StatusOK).Value("total"))
	require.EqualValues(t, 0, s.admin.Get(path+"?node_id="+database.NewID()).Is(http.StatusOK).Value("total"))
}

// Rule: a search ends in one truth: what the agent cannot do any more fails with its reason, and is never left running.
func TestASearchNeverRunsForEver(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for code, reason := range map[agentapi.ResultCode]string{
		agentapi.CodeInterrupted: reasonInterrupted, agentapi.CodeExpired: reasonSilent,
		agentapi.CodeFailed: reasonAgent,
	} {
		id := s.search("www.example.org")
		s.finish(id, code, nil)
		require.Equal(t, reason, s.ends(id, stateFailed).Text("reason"))
	}
	id := s.search("www.example.org")
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	past := time.Now().Add(-time.Hour)
	_, err := s.DB.ExecContext(t.Context(), "update target_searches set ends_by = ? where id = ?", past, id)
	require.NoError(t, err)
	require.Equal(t, reasonLost, s.ends(id, stateFailed).Text("reason"), "its results never came")

	id = s.search("www.example.org")
	_, err = s.DB.ExecContext(t.Context(), "update target_searches set ends_by = ? where id = ?", past, id)
	require.NoError(t, err)
	s.RunSchedule(sweepKind)
	require.Equal(t, reasonSilent, s.ends(id, stateFailed).Text("reason"))
	require.Contains(t, s.Scrape(), "panel_target_searches_failed 5\n")
	require.Contains(t, s.Scrape(), "panel_target_searches_running 0\n")
}

// Rule: a search is cancelled once; the agent is told to stop; what it has found stays.
func TestASearchIsCancelled(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org", "www.example.net")
	s.deliver(finding(id, 0)).Is(http.StatusOK)
	s.admin.Post(path+"/"+id+"/cancel", nil).Is(http.StatusAccepted)
	require.Equal(t, stateCancelled, s.get(id).Text("state"))
	s.order(id, true)
	s.admin.Post(path+"/"+id+"/cancel", nil).Is(http.StatusAccepted)
	require.Equal(t, []string{kindStarted, actionStopped}, s.Recorded(object, id))
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1, Stopped: true})
	require.EqualValues(t, 1, s.get(id).Value("scanned"))
	require.Equal(t, stateCancelled, s.get(id).Text("state"))
	s.admin.Post(path+"/"+database.NewID()+"/cancel", nil).Refused(http.StatusNotFound, "not_found")
}

// Rule: an agent adds to searches of its own node alone, and a batch of it that nobody can read costs nothing.
func TestAnAgentAddsToItsOwnSearchesAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org")
	other := s.Enroll("waw-01")
	other.Online(able)
	s.deliverAs(other, 1, finding(id, 0)).Is(http.StatusOK)
	require.EqualValues(t, 0, s.get(id).Value("scanned"))
	s.deliver(
		finding(database.NewID(), 0), finding("nonsense", 0), finding(id, -1), finding(id, 7),
	).Is(http.StatusOK)
	require.EqualValues(t, 0, s.get(id).Value("scanned"))
	s.deliver(finding(id, 0, func(f *agentapi.TargetFinding) {
		f.Certificate.Subject, f.CheckedAt = "a\u202eb", time.Now().Add(9*time.Hour)
	})).Is(http.StatusOK)
	var results struct{ Items []Result }
	s.admin.Get(path + "/" + id + "/results").JSON(&results)
	require.Equal(t, "ab", results.Items[0].Certificate.Subject)
	require.False(t, results.Items[0].CheckedAt.After(time.Now()), "an agent whose clock is wrong gains no time")

	s.admin.Delete("/api/v1/nodes/" + s.agent.NodeID)
	require.Eventually(t, func() bool { return s.get(id).Status == http.StatusNotFound }, within, every,
		"a search goes with its node")
}

// The inputs of searches share one panel.
func TestInputs(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	t.Run("what cannot be tried is refused", s.inputsAreChecked)
	t.Run("own domains are those of the caller", s.ownDomains)
	t.Run("neighbours are those of the node", s.neighbours)
	t.Run("a node that cannot search is refused", s.unableNodes)
}

// Rule: what cannot be tried is refused with the field that is wrong, and nothing is ordered.
func (s *stage) inputsAreChecked(t *testing.T) {
	node, many := s.agent.NodeID, make([]string, 512)
	for i := range many {
		many[i] = fmt.Sprintf("h%d.example.org", i)
	}
	for name, wrong := range map[string]fields{
		"inputs[0]": {"mode": modeHosts, "inputs": []string{"10.0.0.1"}},
		"inputs[1]": {"mode": modeHosts, "inputs": []string{"www.example.org", "[::1]:443"}},
		"inputs[2]": {"mode": modeHosts, "inputs": []string{"a.example.org", "b.example.org:1", "localhost"}},
		"inputs[3]": {"mode": modeHosts, "inputs": []string{
			"a.example.org", "b.example.org", "c.example.org", "d.example.org:0",
		}},
		"inputs": {"mode": modeHosts},
	} {
		wrong["node_id"] = node
		answer := s.admin.Post(path, wrong).Refused(http.StatusUnprocessableEntity, "invalid_value")
		var problem struct{ Errors []struct{ Field string } }
		answer.JSON(&problem)
		require.Equal(t, name, problem.Errors[0].Field)
	}
	for _, network := range []string{
		"203.0.113.0/23", "2001:db8::/64", "nonsense", "192.168.4.0/24", "127.0.0.0/30", "100.64.1.0/24", "224.0.0.0/24",
		"::ffff:10.0.0.0/120", "169.254.169.254/32",
	} {
		s.admin.Post(path, fields{"node_id": node, "mode": modeNetwork, "inputs": []string{network}}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	s.admin.Post(path, fields{"node_id": node, "mode": modeNetwork, "inputs": []string{
		"8.8.0.0/24", "8.8.1.0/24", "8.8.2.0/32",
	}}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	for _, mode := range []string{modeNeighbours, modeOwn} {
		s.admin.Post(path, fields{"node_id": node, "mode": mode}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		s.admin.Post(path, fields{"node_id": node, "mode": mode, "inputs": many[:1]}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	s.admin.Post(path, fields{"node_id": database.NewID(), "mode": modeHosts, "inputs": many[:1]}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	s.admin.Post(path, fields{"node_id": node, "mode": modeHosts, "inputs": append(many, "x.example.org")}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Empty(t, s.agent.Commands())
}

// Rule: the neighbours are the other 255 addresses around the node's own one.
func (s *stage) neighbours(t *testing.T) {
	s.As("nodes.edit").Patch("/api/v1/nodes/"+s.agent.NodeID, fields{"address": "8.8.4.4", "revision": s.agent.Node().
		Value("revision")}).Is(http.StatusOK)
	id := s.admin.Post(path, fields{"node_id": s.agent.NodeID, "mode": modeNeighbours, "port": 8443}).
		Is(http.StatusAccepted).Text("id")
	_, args := s.order(id, false)
	require.Len(t, args.Targets, 255)
	require.Contains(t, args.Targets, agentapi.ScanTarget{Host: "8.8.4.255", Port: 8443})
	require.NotContains(t, args.Targets, agentapi.ScanTarget{Host: "8.8.4.4", Port: 8443})
}

// Rule: own domains are the host names that the caller has bound to nodes; full access has all.
func (s *stage) ownDomains(t *testing.T) {
	s.admin.Post("/api/v1/node-domains", fields{"node_id": s.agent.NodeID, "zone": "example.org", "label": "own"}).
		Is(http.StatusCreated)
	order := fields{"node_id": s.agent.NodeID, "mode": modeOwn}
	s.As(string(view), string(edit)).Post(path, order).Refused(http.StatusUnprocessableEntity, "invalid_value")
	id := s.admin.Post(path, order).Is(http.StatusAccepted).Text("id")
	_, args := s.order(id, false)
	require.Equal(t, []agentapi.ScanTarget{{Host: "own.example.org", Port: 443}}, args.Targets)
	s.admin.Post(path+"/"+id+"/cancel", nil).Is(http.StatusAccepted)
}

// Rule: a node searches one at a time; a single check may go on beside it.
func TestANodeSearchesOneAtATime(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org")
	order := fields{"node_id": s.agent.NodeID, "mode": modeHosts, "inputs": []string{"www.example.net"}}
	s.admin.Post(path, order).Refused(http.StatusConflict, "search_active")
	check := s.admin.Post(path+"/check", fields{
		"node_id": s.agent.NodeID, "target": "8.8.8.8:8443", "sni": "dns.example.org",
	}).Is(http.StatusAccepted)
	_, args := s.order(check.Text("id"), false)
	require.Equal(t, []agentapi.ScanTarget{{Host: "8.8.8.8", Port: 8443, ServerName: "dns.example.org"}}, args.Targets)
	s.admin.Post(path+"/"+id+"/cancel", nil).Is(http.StatusAccepted)
	s.admin.Post(path, order).Is(http.StatusAccepted)
	for _, wrong := range []fields{
		{"target": "192.168.0.1"}, {"target": "www.example.org", "sni": "1.2.3.4"}, {"target": ":443"},
	} {
		wrong["node_id"] = s.agent.NodeID
		s.admin.Post(path+"/check", wrong).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
}

// Rule: at most 1024 targets an hour are tried from one node, and 2048 by one account: hosters flag scanners.
func TestSearchesAreBoundedInAnHour(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	check := fields{"node_id": s.agent.NodeID, "target": "www.example.org"}
	for range 2 {
		id := s.admin.Post(path, fields{
			"node_id": s.agent.NodeID, "mode": modeNetwork, "inputs": []string{"8.8.0.0/24", "8.8.1.0/24"},
		}).Is(http.StatusAccepted).Text("id")
		s.admin.Post(path+"/"+id+"/cancel", nil).Is(http.StatusAccepted)
	}
	refused := s.admin.Post(path+"/check", check).Refused(http.StatusTooManyRequests, "throttled")
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	other := s.Enroll("waw-01")
	other.Online(able)
	s.admin.Post(path+"/check", fields{"node_id": other.NodeID, "target": "www.example.org"}).Is(http.StatusAccepted)
	_, err := s.DB.ExecContext(t.Context(), "update target_searches set total = 2000 where node_id = ?", other.NodeID)
	require.NoError(t, err)
	third := s.Enroll("ber-01")
	third.Online(able)
	s.admin.Post(path+"/check", fields{"node_id": third.NodeID, "target": "www.example.org"}).
		Refused(http.StatusTooManyRequests, "throttled")
	s.As(string(edit)).Post(path+"/check", fields{"node_id": third.NodeID, "target": "www.example.org"}).
		Is(http.StatusAccepted)
	_, err = s.DB.ExecContext(t.Context(), "update target_searches set created_at = created_at - interval '61 minutes'")
	require.NoError(t, err)
	s.admin.Post(path+"/check", check).Is(http.StatusAccepted)
}

// Rule: no request waits for a node: one whose agent is away or too old is refused at once, by name.
func (s *stage) unableNodes(t *testing.T) {
	old := s.Enroll("old-01").Online()
	answer := s.admin.Post(path+"/check", fields{"node_id": old.NodeID, "target": "www.example.org"}).
		Refused(http.StatusUnprocessableEntity, "capability_missing")
	require.Equal(t, "old-01", answer.Text("node"))
	away := s.Enroll("away-01")
	s.admin.Post(path+"/check", fields{"node_id": away.NodeID, "target": "www.example.org"}).
		Refused(http.StatusUnprocessableEntity, "agent_offline")
}

// Rule: those who see flows see searches; those who edit flows start and cancel them; both with the feature flows.
func TestWhoMaySearch(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org")
	viewer, order := s.As(string(view)), fields{"node_id": s.agent.NodeID, "target": "www.example.org"}
	viewer.Get(path + "/" + id).Is(http.StatusOK)
	viewer.Get(path + "/" + id + "/results").Is(http.StatusOK)
	viewer.Post(path+"/check", order).Refused(http.StatusForbidden, "permission_denied")
	viewer.Post(path+"/"+id+"/cancel", nil).Refused(http.StatusForbidden, "permission_denied")
	blocked := paneltest.Start(t, paneltest.On(s.DB), paneltest.Modules(features()...),
		paneltest.License(entitlement.Fixed(entitlement.State{State: entitlement.Active, Reason: "ok"})))
	blocked.Admin().Get(path + "/" + id).Is(http.StatusOK)
	blocked.Admin().Post(path+"/check", order).Refused(http.StatusForbidden, "license_feature_blocked")
	for _, unknown := range []string{database.NewID(), "zzz"} {
		s.admin.Get(path+"/"+unknown).Refused(http.StatusNotFound, "not_found")
		s.admin.Get(path+"/"+unknown+"/results").Refused(http.StatusNotFound, "not_found")
	}
}

// Rule: a panel that is killed in a search loses nothing: another one on the database brings it to its end.
func TestASearchOutlivesItsPanel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org")
	_, err := s.DB.ExecContext(t.Context(), "update jobs.river_job set state = 'available' where kind = ?", followKind)
	require.NoError(t, err)
	second := paneltest.Start(t, paneltest.On(s.DB), paneltest.Modules(features()...))
	s.agent = s.agent.At(second)
	s.deliver(finding(id, 0)).Is(http.StatusOK)
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	s.ends(id, stateDone)
}
