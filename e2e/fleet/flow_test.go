package fleet

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/agentapi"
)

const (
	answersWithin = 60 * time.Second
	glance        = 20 * time.Millisecond
)

// crossing is a flow that enters on one server and leaves on another.
type crossing struct {
	*testing.T
	stand       *rig.Stand
	site        *rig.Site
	entry, exit *rig.Agent
	flow, link  string
}

func TestFlowAcrossTwoServers(t *testing.T) {
	t.Parallel()
	w := &crossing{T: t}
	w.bringUp()
	w.install()
	t.Run("the target sees the address of the exit", func(t *testing.T) { w.carries(t) })
	t.Run("clients reach no service of the exit itself", w.exitItself)
	t.Run("traffic and open streams go on while the panel is down", w.withoutPanel)
	t.Run("a killed agent leaves the traffic alone and takes it over again", w.withoutAgents)
	t.Run("a killed core comes back", w.withoutCores)
	t.Run("a killed database leaves the traffic alone", w.withoutDatabase)
	t.Run("clients come and go without an apply", w.clients)
	var told func(*testing.T)
	t.Run("a quota that ends while the panel is down is kept to", func(t *testing.T) { told = w.quota(t) })
	t.Run("a revocation is carried out whoever is killed", w.revocation)
	t.Run("an addition is carried out whoever is killed", w.addition)
	t.Run("clients of WireGuard come and go", w.tunnels)
	t.Run("a load balancer stands before an entry", w.balanced)
	t.Run("a pool of exits leaves the dead one", w.pools)
	t.Run("nodes that go first are watched", w.canaries)
	t.Run("a change after all that is installed", w.change)
	t.Run("and told when the panel is back", func(t *testing.T) {
		require.NotNil(t, told, "the quota did not end")
		told(t)
	})
}

func (w *crossing) bringUp() {
	wire(w.T)
	var err error
	w.site, err = rig.OpenSite(panelAddress)
	require.NoError(w, err)
	w.Cleanup(w.site.Close)
	w.stand = rigtest.Install(w, rig.PanelSettings{Host: panelAddress, Port: 8080})
	w.entry = w.agent("entry", server(w.T, "entry", entryAddress))
	w.exit = w.agent("exit", server(w.T, "exit", exitAddress))
}

func (w *crossing) agent(name string, enter []string) *rig.Agent {
	w.Helper()
	agent, err := w.stand.Enroll(w.Context(), name, enter...)
	require.NoError(w, err)
	rigtest.Run(w, w.stand, agent)
	return agent
}

// install goes the ordinary way: draw, compile, evidence, apply, link. Nothing is forced.
func (w *crossing) install() {
	w.Helper()
	flow, err := w.stand.API.Draw(w.Context(), "across", w.drawing(443))
	require.NoError(w, err)
	w.flow = flow.ID
	w.apply()
	w.link, err = w.stand.API.Link(w.Context(), w.flow)
	require.NoError(w, err)
}

func (w *crossing) apply() {
	w.Helper()
	plan, err := w.stand.API.Compile(w.Context(), w.flow)
	require.NoError(w, err)
	_, err = w.stand.API.Apply(w.Context(), w.flow, plan)
	require.NoError(w, err)
	require.NoError(w, w.stand.API.InSync(w.Context(), w.flow))
}

func (w *crossing) drawing(port int) map[string]any {
	listener := map[string]any{
		"protocol": "vless", "listen_ip": "0.0.0.0", "port": port, "transport": "raw", "security": "reality",
		"reality": map[string]any{
			"target":               w.site.Target,
			"server_names":         []string{rig.SiteName},
			"allow_private_target": true,
		},
	}
	return map[string]any{
		"nodes": []map[string]any{
			{
				"key": "entry", "kind": "entry", "node_id": w.entry.NodeID,
				"params": map[string]any{"listener": listener},
			},
			{"key": "exit", "kind": "exit", "node_id": w.exit.NodeID},
		},
		"edges": []map[string]any{{"from": "entry", "to": "exit"}},
	}
}

// carries fetches a page as a client does and looks at the address that the page has seen.
func (w *crossing) carries(t *testing.T) {
	t.Helper()
	seen, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
		Link: w.link, URL: w.site.Page + "/",
		Expect: `"page":"ok"`,
	})
	require.NoError(t, err)
	require.Equal(t, exitAddress, seen.ExitIP)
}

// exitItself asks for a page that the exit's server shows to everybody, by an address that it had and by one that is
// new.
func (w *crossing) exitItself(t *testing.T) {
	enter := w.exit.Spec.Prefix
	command(t, append(slices.Clone(enter), "ip", "addr", "add", laterAddress+"/24", "dev", "eth0")...)
	showPage(t, enter)
	for _, address := range []string{exitAddress, laterAddress} {
		page := "http://" + net.JoinHostPort(address, pagePort) + "/"
		require.Eventually(t, func() bool { return visited(t, page) }, answersWithin, glance, "others reach it")
		_, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{Link: w.link, URL: page, Timeout: 10})
		require.Error(t, err, address)
	}
	w.carries(t)
}

// stream opens a long answer through the flow; finish lets it end and requires that it arrived whole.
func (w *crossing) stream(t *testing.T) (finish func()) {
	t.Helper()
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), answersWithin)
	t.Cleanup(cancel)
	opened := w.site.Held()
	go func() {
		_, err := rig.Fetch(
			ctx,
			agentapi.ThroughProbe{Link: w.link, URL: w.site.Page + "/held", Expect: "ended", Timeout: 60},
		)
		ended <- err
	}()
	require.Eventually(t, func() bool { return w.site.Held() > opened }, answersWithin, glance)
	return func() {
		w.site.Release()
		require.NoError(t, <-ended)
	}
}

func (w *crossing) withoutPanel(t *testing.T) {
	finish := w.stream(t)
	w.stand.Panel.Kill()
	for range 3 {
		w.carries(t)
	}
	finish()
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.whole(t)
}

// whole waits until both nodes are online and serve what is installed.
func (w *crossing) whole(t *testing.T) {
	t.Helper()
	for _, agent := range []*rig.Agent{w.entry, w.exit} {
		require.NoError(t, w.stand.Online(t.Context(), agent))
	}
	require.NoError(t, w.stand.API.InSync(t.Context(), w.flow))
	w.carries(t)
}

func (w *crossing) withoutAgents(t *testing.T) {
	before := append(cores(t, w.stand.Folder, "entry"), cores(t, w.stand.Folder, "exit")...)
	finish := w.stream(t)
	for _, agent := range []*rig.Agent{w.entry, w.exit} {
		agent.Kill()
		w.carries(t)
	}
	finish = sequence(finish, w.stream(t))
	for _, agent := range []*rig.Agent{w.entry, w.exit} {
		require.NoError(t, agent.Launch())
	}
	w.whole(t)
	finish()
	after := append(cores(t, w.stand.Folder, "entry"), cores(t, w.stand.Folder, "exit")...)
	require.Equal(t, before, after, "the new agents took over the cores that served")
}

func sequence(first, second func()) func() { return func() { first(); second() } }

func (w *crossing) withoutCores(t *testing.T) {
	for _, agent := range []*rig.Agent{w.entry, w.exit} {
		for _, pid := range cores(t, w.stand.Folder, agent.Spec.Name) {
			kill(t, pid)
		}
		require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
			_, err := rig.Fetch(
				ctx,
				agentapi.ThroughProbe{Link: w.link, URL: w.site.Page + "/", Expect: `"page":"ok"`, Timeout: 10},
			)
			return err
		}))
	}
	w.whole(t)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

// cores are the processes that serve below the folder of an agent.
func cores(t *testing.T, folder, name string) []int {
	t.Helper()
	found := running(folder, name)
	require.NotEmpty(t, found, "a core that serves for %s", name)
	return found
}

// running are the cores below the folder of an agent, as far as there are any.
func running(folder, name string) (found []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		words, err := os.ReadFile(line)
		if err == nil && strings.Contains(string(words), "\x00core\x00") &&
			strings.Contains(string(words), filepath.Join(folder, name)+"/") {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line))); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

func (w *crossing) withoutDatabase(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(w.stand.Panel.DataDir, "postgres", "data", "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	w.carries(t)
	require.NoError(t, w.stand.Panel.Healthy(t.Context()))
	w.whole(t)
}

// save makes a drawing the draft.
func (w *crossing) save(t *testing.T, drawing map[string]any) {
	t.Helper()
	var draft struct {
		Revision int `json:"draft_revision"`
	}
	path := fmt.Sprintf("/api/v1/connection-units/%s", w.flow)
	require.NoError(t, w.stand.API.Get(t.Context(), path, &draft))
	body := map[string]any{"revision": draft.Revision, "graph": drawing}
	require.NoError(t, w.stand.API.Put(t.Context(), path+"/draft", body, nil))
}

// change moves the entry to another port: the old link ends, a new one works.
func (w *crossing) change(t *testing.T) {
	w.save(t, w.drawing(444))
	w.apply()
	old := w.link
	var err error
	w.link, err = w.stand.API.Link(t.Context(), w.flow)
	require.NoError(t, err)
	require.NotEqual(t, old, w.link)
	w.carries(t)
}
