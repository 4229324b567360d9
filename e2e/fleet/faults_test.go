package fleet

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/dnstest"
)

// Addresses on the wire of the fleet whose faults are watched. Nothing leaves the namespace.
const (
	watchPanel   = "203.0.112.1"
	watchNode    = "203.0.112.2"
	watchNear    = "203.0.112.3"
	watchFar     = "203.0.112.4"
	watchSite    = "203.0.112.5" // that the flow borrows its handshake from, beside the panel
	watchOther   = "203.0.112.6" // that the server has as well
	faultsWithin = 4 * time.Minute
)

// watchedFleet is a server with a flow, and two others that look at it beside the panel.
type watchedFleet struct {
	crossing
	enter     []string // runs commands on the server
	near, far *rig.Agent
	messenger *messenger
	root      *acmetest.Root
	zones     *dnstest.Cloudflare
	quic, tls string    // flows with a certificate of their own, as the panel knows their health
	ends      time.Time // of that certificate
}

// A route, a wire and a process that fail are told apart: each has its verdict and its hint, what only the panel does
// not reach is no node that is down, and what is mended is well again and its incident over. What the panel can repair
// it repairs, and takes back when the cause is gone; people are told on the messenger.
func TestFaultsAreToldApart(t *testing.T) {
	t.Parallel()
	w := &watchedFleet{crossing: crossing{T: t}}
	w.bringUp()
	w.watch()
	t.Run("all is well", func(t *testing.T) { w.well(t) })
	t.Run("the panel's own route to a node makes no node down", w.panelsRoute)
	t.Run("a wire that is cut is one incident, which ends with its cause", w.wireCut)
	t.Run("a process that stands still is a flow that is down", w.frozen)
	t.Run("an agent that ends leaves its flow well", w.agentEnds)
	t.Run("a core that keeps dying is started by the panel", w.coreDies)
	t.Run("flows with TLS of their own", w.own)
	t.Run("where UDP alone is dropped TCP is well", w.udpDropped)
	t.Run("a certificate that ends has a hint of its own", w.certificateEnds)
	t.Run("a name leads to another address while nobody gets in at the first", w.addressBlocked)
	t.Run("an exit that a pool can spare gets no new traffic until it is well", w.leavesItsPool)
}

func (w *watchedFleet) bringUp() {
	command(w.T, "ip", "link", "add", "watch", "type", "bridge")
	w.Cleanup(func() { command(w.T, "ip", "link", "del", "watch") })
	command(w.T, "ip", "addr", "add", watchPanel+"/24", "dev", "watch")
	command(w.T, "ip", "addr", "add", watchSite+"/24", "dev", "watch")
	command(w.T, "ip", "link", "set", "lo", "up")
	command(w.T, "ip", "link", "set", "watch", "up")
	var err error
	w.site, err = rig.OpenSite(watchSite)
	require.NoError(w, err)
	w.Cleanup(w.site.Close)
	w.zones = dnstest.NewCloudflare(w.T, ownZone)
	w.zones.Allow(zoneToken, dnstest.Full())
	w.stand = rigtest.Install(w, rig.PanelSettings{Host: watchPanel, Port: 8081, Env: []string{
		"PANEL_OUTBOUND_ALLOW=203.0.112.0/24,127.0.0.1", "PANEL_CLOUDFLARE_API_ROOT=" + w.zones.Root,
		"PANEL_DNS_RESOLVERS=" + w.zones.Address,
	}})
	w.enter = serverOn(w.T, "watch", "watched", watchNode+"/24")
	w.entry = w.agent("watched", w.enter)
	w.exit = w.entry
	w.near = w.agent("near", serverOn(w.T, "watch", "near", watchNear+"/24"))
	w.far = w.agent("far", serverOn(w.T, "watch", "far", watchFar+"/24"))
	var root string
	w.messenger, root = openMessenger(w.T, watchPanel)
	w.tells(root)
}

// watch installs a flow and has it looked at every ten seconds.
func (w *watchedFleet) watch() {
	w.Helper()
	drawing := w.drawing(443)
	drawing["nodes"].([]map[string]any)[1]["params"] = map[string]any{"private": "allow"}
	flow, err := w.stand.API.Draw(w.Context(), "watched", drawing)
	require.NoError(w, err)
	w.flow = flow.ID
	w.apply()
	w.policy(w.T, map[string]any{
		"recheck": map[string]any{"count": 3, "every_s": 1},
		"flap":    map[string]any{"max_changes": 100, "window_s": 60}, // each fault here is one of its own
		"checks": []map[string]any{
			{"type": "heartbeat"},
			{"type": "core"},
			{"type": "tcp", "interval_s": 10, "timeout_s": 4},
			{"type": "udp", "interval_s": 10, "timeout_s": 4},
			{"type": "tls", "interval_s": 10, "timeout_s": 4},
		},
	})
	w.repairs(w.T, "auto")
}

// policy changes the policy of everything.
func (w *watchedFleet) policy(t *testing.T, change map[string]any) {
	t.Helper()
	var policies struct {
		Items []struct {
			ID       string `json:"id"`
			Revision int    `json:"revision"`
		} `json:"items"`
	}
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/health/policies", &policies))
	change["revision"] = policies.Items[0].Revision
	require.NoError(t, w.stand.API.Patch(t.Context(), "/api/v1/health/policies/"+policies.Items[0].ID, change, nil))
}

// repairs says whether the panel repairs by itself or suggests.
func (w *watchedFleet) repairs(t *testing.T, mode string) {
	t.Helper()
	w.policy(t, map[string]any{"repair": map[string]any{
		"mode": mode, "actions": []string{"restart_core", "withdraw_from_pool", "switch_dns"},
		"limits": map[string]any{"max_actions_per_hour": 10, "cooldown_s": 60},
	}})
}

// judged is what the panel says of a node or flow.
type judged struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

func (w *watchedFleet) read(ctx context.Context, path string) (now judged, err error) {
	err = w.stand.API.Get(ctx, "/api/v1/health/"+path, &now)
	return now, err
}

func (w *watchedFleet) node() string { return "nodes/" + w.entry.NodeID }

func (w *watchedFleet) unit() string { return "connection-units/" + w.flow }

// becomes waits until the panel says this of something, for whatever reason where none is wanted, and meanwhile never
// what it must not say.
func (w *watchedFleet) becomes(t *testing.T, path string, never []string, want judged) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(ctx context.Context) error {
		now, err := w.read(ctx, path)
		if err != nil {
			return err
		}
		if slices.Contains(never, now.State) {
			return fmt.Errorf("%w: %s is %+v", rig.ErrHopeless, path, now)
		}
		if want.Reason == "" {
			now.Reason = ""
		}
		if now != want {
			return fmt.Errorf("%s is %+v and not %+v", path, now, want)
		}
		return nil
	}))
}

func (w *watchedFleet) well(t *testing.T) {
	t.Helper()
	w.becomes(t, w.node(), nil, judged{State: "up"})
	w.becomes(t, w.unit(), nil, judged{State: "up"})
}

// unresolved gives the incidents that are not over.
func (w *watchedFleet) unresolved(ctx context.Context) (names []string, hints []string, err error) {
	var page struct {
		Items []struct {
			Name string `json:"subject_name"`
			Hint string `json:"root_cause_hint"`
		} `json:"items"`
	}
	err = w.stand.API.Get(ctx, "/api/v1/health/incidents?state=unresolved", &page)
	for _, one := range page.Items {
		names, hints = append(names, one.Name), append(hints, one.Hint)
	}
	return names, hints, err
}

// over waits until no incident is left.
func (w *watchedFleet) over(t *testing.T) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(ctx context.Context) error {
		names, _, err := w.unresolved(ctx)
		if err == nil && len(names) > 0 {
			err = fmt.Errorf("there is still an incident of %v", names)
		}
		return err
	}))
}

// panelsRoute cuts the panel's way to the server alone. Its agent is not heard any more, and the others reach it.
func (w *watchedFleet) panelsRoute(t *testing.T) {
	rule := []string{"pref", "100", "from", watchPanel, "to", watchNode, "blackhole"}
	command(t, append([]string{"ip", "rule", "add"}, rule...)...)
	never := []string{"down"}
	w.becomes(t, w.node(), never, judged{State: "degraded", Hint: "agent"})
	flow, err := w.read(t.Context(), w.unit())
	require.NoError(t, err)
	require.Equal(t, "up", flow.State, "two of three places reach it: %+v", flow)
	_, hints, err := w.unresolved(t.Context())
	require.NoError(t, err)
	require.NotContains(t, hints, "unreachable")
	command(t, append([]string{"ip", "rule", "del"}, rule...)...)
	w.becomes(t, w.node(), never, judged{State: "up"})
	w.over(t)
}

// wireCut takes the server off the wire: node and flow are one incident.
func (w *watchedFleet) wireCut(t *testing.T) {
	command(t, "ip", "link", "set", "watched", "down")
	w.becomes(t, w.node(), nil, judged{"down", "unreachable", "unreachable"})
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(ctx context.Context) error {
		names, hints, err := w.unresolved(ctx)
		if err != nil {
			return err
		}
		flow, err := w.read(ctx, w.unit())
		if err != nil {
			return err
		}
		if flow.State != "down" || !slices.Equal(names, []string{"watched"}) || hints[0] != "unreachable" {
			return fmt.Errorf("the flow is %+v, the incidents are of %v by %v", flow, names, hints)
		}
		return nil
	}))
	command(t, "ip", "link", "set", "watched", "up")
	w.well(t)
	w.over(t)
}

// frozen stops the agent and the core where they are: the kernel still takes connections, and nobody answers them.
func (w *watchedFleet) frozen(t *testing.T) {
	all := append(cores(t, w.stand.Folder, "watched"), w.entry.PID())
	for _, pid := range all {
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	}
	goOn := func() {
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGCONT) // one may have ended
		}
	}
	t.Cleanup(goOn)
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(ctx context.Context) error {
		flow, err := w.read(ctx, w.unit())
		if err == nil && flow.State != "down" {
			err = fmt.Errorf("the flow is %+v", flow)
		}
		return err
	}))
	goOn()
	w.well(t)
	w.over(t)
}
