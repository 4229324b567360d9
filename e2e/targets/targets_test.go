// Package targets has a real agent search a set of sites for REALITY targets, on behalf of a real panel.
package targets

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/e2e/rig/sites"
	"panel/platform/testneed/freeport"
)

const (
	path   = "/api/v1/target-search"
	within = 120 * time.Second
)

// world is a panel with one agent, for which the names of the sites lead to this machine.
type world struct {
	*testing.T
	stand *rig.Stand
	agent *rig.Agent
	set   *sites.Set
}

type search struct {
	ID, State, Reason     string
	Total, Scanned, Found int
}

type result struct {
	Target, SNI, IP, Suitability string
	ID                           string
	RedirectsTo                  string `json:"redirects_to"`
	Score                        int
	Reasons                      []struct{ Code, Text string }
}

func begin(t *testing.T) *world {
	w := &world{T: t, set: sites.Open(t)}
	w.stand = rigtest.Install(t, rig.PanelSettings{Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.0/8"}})
	roots, hosts := w.set.Files(w.stand.Folder)
	inside := []string{"unshare", "-m", "--", "sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, hosts}
	if said, err := exec.Command(inside[0], append(slices.Clone(inside[1:]), "true")...).CombinedOutput(); err != nil {
		inside = slices.Insert(inside, 1, "-U", "--map-root-user")
		require.NoError(t, exec.Command(inside[0], append(slices.Clone(inside[1:]), "true")...).Run(), "%s", said)
	}
	agent, err := w.stand.Enroll(t.Context(), "scout")
	require.NoError(t, err)
	agent.Spec.Prefix = inside
	agent.Spec.Env = append(agent.Spec.Env, "PANEL_OUTBOUND_ALLOW=127.0.0.0/8", "SSL_CERT_FILE="+roots)
	w.agent = agent
	rigtest.Run(t, w.stand, agent)
	return w
}

// start begins a search over inputs.
func (w *world) start(t *testing.T, inputs ...string) string {
	t.Helper()
	var made search
	order := map[string]any{
		"node_id": w.agent.NodeID, "mode": "host_list", "inputs": inputs, "limits": map[string]any{"timeout_s": 3},
	}
	require.NoError(t, w.stand.API.Post(t.Context(), path, order, &made))
	require.Equal(t, "running", made.State)
	return made.ID
}

// until waits for a search of which something holds.
func (w *world) until(t *testing.T, id string, holds func(search) bool) (now search) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), within, func(ctx context.Context) error {
		if err := w.stand.API.Get(ctx, path+"/"+id, &now); err != nil {
			return err
		}
		if !holds(now) {
			return fmt.Errorf("the search is %+v; last words of the agent: %s", now, w.agent.LastWords())
		}
		return nil
	}))
	return now
}

func ended(s search) bool { return s.State != "running" }

func (w *world) results(t *testing.T, id string) map[string]result {
	t.Helper()
	var page struct{ Items []result }
	require.NoError(t, w.stand.API.Get(t.Context(), path+"/"+id+"/results?limit=200", &page))
	byTarget := map[string]result{}
	for _, r := range page.Items {
		byTarget[r.Target] = r
	}
	return byTarget
}

func TestSearchForTargets(t *testing.T) {
	t.Parallel()
	w := begin(t)
	t.Run("each target gets its verdict with its reason, and the running flow stays as it is", w.verdicts)
	t.Run("kill -9 of the agent in a search", w.agentKilled)
	t.Run("kill -9 of the panel in a search", w.panelKilled)
	t.Run("a search that is cancelled stops the agent", w.cancelled)
}

// verdicts also shows that a target that tarpits, sends 10 MB or redirects inside harms nothing, and that a name that
// leads inside is not followed.
func (w *world) verdicts(t *testing.T) {
	flow := w.install(t)
	before := w.flow(t, flow)

	expected := map[string][2]string{
		sites.Good: {"suitable", "post_quantum"}, sites.Classic: {"suitable", "x25519"},
		sites.Stapled: {"suitable", "ocsp"}, sites.Www: {"suitable", "redirects_own"},
		sites.Fake: {"unsuitable", "name_invalid"}, sites.SelfSigned: {"unsuitable", "self_signed"},
		sites.Expired: {"unsuitable", "expired"}, sites.Away: {"unsuitable", "redirects"},
		sites.Inward: {"unsuitable", "redirects_inside"}, sites.Behind: {"acceptable", "cdn"},
		sites.Old: {"unsuitable", "no_tls13"}, sites.Plain: {"unsuitable", "no_h2"},
		sites.Curve: {"unsuitable", "other_group"}, sites.Tarpit: {"unknown", "no_tls"},
		sites.Heavy: {"suitable", "h2"}, sites.Noise: {"unknown", "no_tls"}, sites.Closed: {"unknown", "no_answer"},
	}
	require.Len(t, expected, len(w.set.Names()))
	inputs := make([]string, 0, len(expected))
	for name := range expected {
		inputs = append(inputs, w.set.Target(name))
	}
	id := w.start(t, append(inputs, "nobody.sites.example.net")...)
	done := w.until(t, id, ended)
	require.Equal(t, search{ID: id, State: "done", Total: 18, Scanned: 18, Found: 6}, done)
	found := w.results(t, id)
	for name, want := range expected {
		r := found[w.set.Target(name)]
		codes := make([]string, len(r.Reasons))
		for i, reason := range r.Reasons {
			codes[i] = reason.Code
		}
		require.Equal(t, want[0], r.Suitability, "%s: %v", name, codes)
		require.Contains(t, codes, want[1], name)
		require.Equal(t, sites.Host(name), r.SNI)
	}
	require.Equal(t, "no_address", found["nobody.sites.example.net:443"].Reasons[0].Code)
	require.Equal(t, before, w.flow(t, flow), "a search changes no flow")
}

// install has a flow run on the node and gives its id.
func (w *world) install(t *testing.T) string {
	t.Helper()
	site, err := rig.OpenSite(sites.Address)
	require.NoError(t, err)
	t.Cleanup(site.Close)
	port, err := freeport.Find()
	require.NoError(t, err)
	api := w.stand.API
	flow, err := api.Draw(t.Context(), "running", rig.OneServer(w.agent.NodeID, port, site))
	require.NoError(t, err)
	p, err := api.Compile(t.Context(), flow.ID)
	require.NoError(t, err)
	applied, err := api.Apply(t.Context(), flow.ID, p)
	require.NoError(t, err)
	require.NoError(t, api.Finished(t.Context(), flow.ID, &applied))
	require.NoError(t, api.InSync(t.Context(), flow.ID))
	return flow.ID
}

// flow is all that the API says of a flow and of what is installed.
func (w *world) flow(t *testing.T, id string) string {
	t.Helper()
	var text strings.Builder
	for _, at := range []string{
		"/api/v1/connection-units/" + id, "/api/v1/connection-units/" + id + "/draft",
		"/api/v1/connection-units/" + id + "/rendered?node_id=" + w.agent.NodeID,
	} {
		var part json.RawMessage
		require.NoError(t, w.stand.API.Get(t.Context(), at, &part), at)
		text.Write(part)
	}
	return text.String()
}

// tarpits are targets that keep a search busy.
func (w *world) tarpits(n int) []string {
	inputs := make([]string, n)
	for i := range inputs {
		inputs[i] = fmt.Sprintf("127.0.1.%d:%d", i+1, w.set.Port(sites.Tarpit))
	}
	return append([]string{w.set.Target(sites.Good)}, inputs...)
}

func someScanned(s search) bool { return s.Scanned > 0 || ended(s) }

func (w *world) agentKilled(t *testing.T) {
	id := w.start(t, w.tarpits(60)...)
	w.until(t, id, someScanned)
	w.agent.Kill()
	require.NoError(t, w.agent.Launch())
	now := w.until(t, id, ended)
	require.Equal(t, "failed", now.State)
	require.Equal(t, "agent_restarted", now.Reason)
	require.Equal(t, "suitable", w.results(t, id)[w.set.Target(sites.Good)].Suitability, "what was found stays")
}

func (w *world) panelKilled(t *testing.T) {
	id := w.start(t, w.tarpits(20)...)
	w.until(t, id, someScanned)
	w.stand.Panel.Kill()
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	now := w.until(t, id, ended)
	require.Equal(t, "done", now.State, "the agent went on, and its results waited for the panel")
	require.Equal(t, 21, now.Scanned)
}

func (w *world) cancelled(t *testing.T) {
	id := w.start(t, w.tarpits(200)...)
	w.until(t, id, someScanned)
	require.NoError(t, w.stand.API.Post(t.Context(), path+"/"+id+"/cancel", nil, nil))
	require.Equal(t, "cancelled", w.until(t, id, ended).State)
	// The next search begins at once, and nothing is left of the one before that takes its turns.
	next := w.start(t, w.set.Target(sites.Good))
	require.Equal(t, "done", w.until(t, next, ended).State)
	require.Less(t, w.until(t, id, ended).Scanned, 200)
}
