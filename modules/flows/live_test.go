package flows_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/traffic"
	"panel/modules/nodes"
	"panel/platform/paneltest"
	"panel/platform/testneed/freeport"
)

// world is a panel behind a stable address with real agents that run real cores on this machine.
type world struct {
	*stage
	address string
	target  string // the panel's own address at the moment
	mu      sync.Mutex
	agent   string // executable
}

func buildAgent(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "panel-agent")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "panel/cmd/panel-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// front forwards a fixed address to whichever panel runs, so that agents find the panel again after a restart.
func (w *world) front() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = l.Close() })
	w.address = "http://" + l.Addr().String()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go w.forward(in)
		}
	}()
}

func (w *world) forward(in net.Conn) {
	defer in.Close()
	w.mu.Lock()
	to := w.target
	w.mu.Unlock()
	out, err := net.Dial("tcp", strings.TrimPrefix(to, "http://"))
	if err != nil {
		return
	}
	defer out.Close()
	go func() { _, _ = io.Copy(out, in) }()
	_, _ = io.Copy(in, out)
}

// start runs a panel; further settings may put it on the database of an earlier one.
func (w *world) start(more ...paneltest.Setting) {
	w.t.Helper()
	env := paneltest.Env(map[string]string{"PANEL_PUBLIC_URL": w.address, "PANEL_AGENT_HEARTBEAT_SECONDS": "1"})
	w.panel = paneltest.Start(
		w.t,
		append(more, env, paneltest.Modules(nodes.Module(), domains.Module(), clients.Module(), flows.Module()))...)
	w.admin = w.panel.Admin()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.target = w.panel.URL
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{stage: &stage{t: t}, agent: buildAgent(t)}
	w.front()
	w.start()
	return w
}

// join enrols an agent and runs it until the test ends.
func (w *world) join(name string) (nodeID string) {
	w.t.Helper()
	dir := w.t.TempDir()
	token := w.panel.EnrollmentToken(nil)
	enroll := exec.CommandContext(
		w.t.Context(),
		w.agent,
		"enroll",
		"--panel",
		w.address,
		"--data",
		dir,
		"--name",
		name,
		"--token-stdin",
	)
	enroll.Stdin = strings.NewReader(token)
	out, err := enroll.CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	w.run(dir)
	require.Eventually(w.t, func() bool {
		nodeID = w.nodeNamed(name)
		return nodeID != ""
	}, 60*time.Second, 100*time.Millisecond)
	return nodeID
}

func (w *world) nodeNamed(name string) string {
	var page struct {
		Items []struct{ ID, Name, State string }
	}
	w.admin.Get("/api/v1/nodes?limit=200").Is(200).JSON(&page)
	for _, n := range page.Items {
		if n.Name == name && n.State == "online" {
			return n.ID
		}
	}
	return ""
}

func (w *world) run(dir string) {
	agent := exec.Command(w.agent, "run", "--data", dir)
	if testing.Verbose() {
		agent.Stdout, agent.Stderr = os.Stderr, os.Stderr
	}
	require.NoError(w.t, agent.Start())
	w.t.Cleanup(func() {
		_ = agent.Process.Signal(syscall.SIGTERM)
		_ = agent.Wait()
	})
}

// site is a REALITY target: TLS 1.3 with h2.
func site(t *testing.T) string {
	s := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "site") }),
	)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func (w *world) fetches(link, url, want string) bool {
	fetch := exec.CommandContext(w.t.Context(), w.agent, "fetch", "--url", url, "--expect", want, "--timeout", "15")
	fetch.Stdin = strings.NewReader(link)
	out, err := fetch.CombinedOutput()
	if err != nil {
		w.t.Logf("fetch: %v %s", err, out)
	}
	return err == nil
}

// The whole way: two agents enrol, a flow from one to the other is planned, checked, installed and probed, its link
// carries a page, and it goes on doing so while the panel is away.
func TestRealTrafficGoesThroughAnAppliedFlow(t *testing.T) {
	w := newWorld(t)
	page := httptest.NewServer(
		http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "hello through the flow") }),
	)
	t.Cleanup(page.Close)
	entry, exit := w.join("entry-01"), w.join("exit-01")
	g := graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: entry, Params: graph.Params{Listener: &graph.Listener{
				Protocol: "vless",
				Port:     freeport.For(t),
				Reality: &graph.Reality{
					Target: site(t), ServerNames: []string{"example.com"},
					AllowPrivateTarget: true,
				},
			}}},
			{Key: "out", Kind: graph.Exit, NodeID: exit, Params: graph.Params{Private: "allow"}},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
	w.flow = w.admin.Post(units, map[string]any{"name": "Live flow", "graph": g}).Is(201).Text("id")
	a := w.ended(w.apply(w.ready()).ApplyID)
	require.Equal(t, "applied", a.State, "%+v", a)
	require.Contains(t, a.Steps[1].Stages[3].Detail, "the exit address is 127.0.0.1", "a real client saw the exit")
	link := w.admin.Post(w.path("/connection-link"), nil).Is(200).Text("uri")
	require.True(t, w.fetches(link, page.URL, "hello through the flow"))
	require.Eventually(t, func() bool { return w.get().Drift.State == "in_sync" }, 60*time.Second, 100*time.Millisecond)

	w.showsWhatItCarries(func() { w.fetches(link, page.URL, "hello through the flow") })

	require.NoError(t, w.panel.App.Stop(t.Context()))
	require.True(t, w.fetches(link, page.URL, "hello through the flow"), "traffic goes on while the panel is away")
	w.start(paneltest.On(w.panel.DB))
	require.Eventually(
		t,
		func() bool { return w.get().Drift.State == "in_sync" && w.nodeNamed("exit-01") != "" },
		30*time.Second,
		200*time.Millisecond,
	)
}

// showsWhatItCarries fetches until a sample of the entry's agent tells of it: by its listener and by the edge.
func (w *world) showsWhatItCarries(fetch func()) {
	require.Eventually(w.t, func() bool {
		fetch()
		var carried traffic.Traffic
		w.admin.Get(w.path("/traffic")).Is(200).JSON(&carried)
		entry, edge := carried.Entries[0], carried.Edges[0]
		moved := func(r traffic.Rates) bool { return r.DownBps != nil && *r.DownBps > 0 && *r.UpBps > 0 }
		return carried.Sessions != nil && moved(entry.Rates) && moved(edge.Rates)
	}, 90*time.Second, time.Second)
}

// A port that another program of the node holds is refused with and without force: at once, when the node's probe
// finds it, and later, when the node's heartbeat has listed it. A real agent looks at a real socket of this test.
// Specification, Errors: found port conflicts are not overridden by force_apply.
func TestAPortOfAnotherProgramIsNeverForced(t *testing.T) {
	w := newWorld(t)
	node, port := w.join("entry-01"), freeport.For(t)
	g := graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: node, Params: graph.Params{Listener: &graph.Listener{
				Protocol: "shadowsocks2022", L4: "tcp", Port: port,
			}}},
			{Key: "out", Kind: graph.Direct},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
	w.flow = w.admin.Post(units, map[string]any{"name": "Taken port", "graph": g}).Is(201).Text("id")
	foreign, err := net.Listen("tcp", "0.0.0.0:"+strconv.Itoa(port))
	require.NoError(t, err)
	defer foreign.Close()
	found := w.compile()
	conflicts := func(path, method string) []any {
		list, _ := w.admin.Do(method, w.path(path), nil).Is(200).Value("conflicts").([]any)
		return list
	}
	require.Eventually(
		t,
		func() bool { return len(conflicts("/plans/"+found.ID, "GET")) > 0 },
		30*time.Second,
		20*time.Millisecond,
	)
	w.neverForced(found)

	require.Eventually(
		t,
		func() bool { return len(conflicts("/plan/preview", "POST")) > 0 },
		30*time.Second,
		100*time.Millisecond,
	)
	w.neverForced(found)
	w.neverForced(w.compile())

	require.NoError(t, foreign.Close())
	require.Eventually(
		t,
		func() bool { return len(conflicts("/plan/preview", "POST")) == 0 },
		30*time.Second,
		100*time.Millisecond,
	)
	require.Equal(t, "applied", w.ended(w.apply(w.ready()).ApplyID).State)
}

func (w *world) neverForced(p plan.Plan) {
	w.t.Helper()
	for _, force := range []bool{false, true} {
		w.admin.Post(w.path("/apply"), order(p, force)).Refused(409, "port_conflict")
	}
}
