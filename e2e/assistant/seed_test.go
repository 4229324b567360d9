// Package assistant asks the panel's assistant on a whole panel with all modules.
package assistant

import (
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

type object = map[string]any

type client = *paneltest.Client

// seeded is a panel with a small fleet in which something is wrong.
type seeded struct {
	*paneltest.Panel
	t     *testing.T
	clock *clockwork.FakeClock
	admin *paneltest.Client
	nodes map[string]string // ids by name
	flows map[string]string
	asked int
}

// began is when the seeded panel begins; it is asked a day and some hours later.
var began = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func full() entitlement.Fixed {
	return entitlement.Fixed{State: entitlement.Active, Reason: "ok", Enabled: app.Features(modules.All())}
}

func seed(t *testing.T) *seeded {
	t.Helper()
	clock := clockwork.NewFakeClockAt(began)
	s := &seeded{t: t, clock: clock, nodes: map[string]string{}, flows: map[string]string{}}
	s.Panel = paneltest.Start(t, paneltest.Modules(modules.All()...), paneltest.License(full()), paneltest.Clock(clock),
		paneltest.Env(map[string]string{config.OutboundAllow.Name: "127.0.0.1"}))
	s.admin = s.person("alice")
	agents := map[string]*paneltest.Agent{}
	for _, name := range []string{"ams-1", "ams-2", "fra-1", "msk-1"} {
		agents[name] = s.Enroll(name)
		s.online(agents[name])
		s.nodes[name] = agents[name].NodeID
	}
	s.flow("europe", "ams-1", "ams-2", 443)
	s.flow("asia", "fra-1", "ams-2", 8443)
	s.changePort("europe", 8080)
	s.stored()
	clock.Advance(26 * time.Hour)
	s.admin = s.person("boris")
	for _, name := range []string{"ams-1", "ams-2", "fra-1"} {
		s.online(agents[name])
	}
	require.Equal(t, "offline", agents["msk-1"].State())
	s.admin.Post("/api/v1/nodes/"+s.nodes["fra-1"]+"/maintenance", object{"on": true, "reason": "new disk"}).Is(http.StatusOK)
	s.install("europe", "ams-1", "ams-2")
	return s
}

// install notes a flow as installed on nodes, which takes agents that run a core.
func (s *seeded) install(name string, nodes ...string) {
	id := s.flows[name]
	version := s.admin.Post("/api/v1/connection-units/"+id+"/versions", object{"note": "seed"}).Is(http.StatusCreated).Text("id")
	s.exec("update flows set installed_version_id = ?, installed_revision = draft_revision, installed_at = ? where id = ?",
		version, s.clock.Now(), id)
	for _, node := range nodes {
		s.exec("insert into flow_fragments (flow_id, node_id, content, hash) values (?, ?, '{}', '')", id, s.nodes[node])
	}
}

// person is an administrator with full access and a name.
func (s *seeded) person(name string) *paneltest.Client {
	who := s.Admin()
	s.exec("update accounts set username = ? where id = ?", name, who.AccountID)
	return who
}

func (s *seeded) exec(query string, args ...any) {
	s.t.Helper()
	_, err := s.DB.ExecContext(s.t.Context(), query, args...)
	require.NoError(s.t, err)
}

// online lets an agent report and time pass until its node is shown so.
func (s *seeded) online(agent *paneltest.Agent) {
	s.t.Helper()
	agent.Beat()
	require.Eventually(s.t, func() bool {
		s.clock.Advance(100 * time.Millisecond)
		return agent.State() == "online"
	}, time.Minute, 20*time.Millisecond)
}

func drawing(from, to string, port int) object {
	return object{
		"nodes": []object{
			{"key": "in", "kind": "entry", "node_id": from, "params": object{"listener": object{
				"protocol": "vless", "port": port, "reality": object{"target": "www.example.org:443"},
			}}},
			{"key": "out", "kind": "exit", "node_id": to},
		},
		"edges": []object{{"from": "in", "to": "out"}},
	}
}

func (s *seeded) flow(name, from, to string, port int) {
	s.flows[name] = s.admin.Post("/api/v1/connection-units", object{
		"name": name, "graph": drawing(s.nodes[from], s.nodes[to], port),
	}).Is(http.StatusCreated).Text("id")
}

// changePort saves the draft of a flow with another port.
func (s *seeded) changePort(name string, port int) {
	path := "/api/v1/connection-units/" + s.flows[name] + "/draft"
	revision := s.admin.Get(path).Is(http.StatusOK).Value("revision")
	s.admin.Put(path, object{
		"revision": revision, "graph": drawing(s.nodes["ams-1"], s.nodes["ams-2"], port),
	}).Is(http.StatusOK)
}

// stored puts there what would take hours to come about.
func (s *seeded) stored() {
	s.exec(`insert into certificates (id, names, source, not_before, not_after, created_at, updated_at) values
		(?, '{vpn.example.org}', 'upload', ?, ?, ?, ?)`, database.NewID(), began.AddDate(0, -2, 0), began.AddDate(0, 0, 11), began,
		began)
	s.exec(`insert into health_incidents (id, kind, subject_id, name, class, hint, severity, began_at, opened_at, joined_at)
		values (?, 'node', ?, 'msk-1', 'node', 'agent', 'critical', ?, ?, ?)`, database.NewID(), s.nodes["msk-1"],
		began.Add(time.Hour), began.Add(time.Hour), began.Add(time.Hour))
}

// ask puts a question as the caller.
func (s *seeded) ask(as *paneltest.Client, language, page, text string) *paneltest.Answer {
	s.t.Helper()
	return as.Post("/api/v1/assistant/questions", object{"text": text, "language": language, "page": page}).
		Is(http.StatusCreated)
}
