package health

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/judge"
	"panel/modules/health/internal/view"
	"panel/modules/nodes/nodesapi"
	"panel/platform/doctor"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// The panel itself looks at what is installed, by its real loops: an entry that answers is up, one that is closed is
// down within the promised time, with nobody else to ask.
func TestThePanelLooksByItself(t *testing.T) {
	t.Parallel()
	guest := &flows{}
	p := paneltest.Start(t, paneltest.Modules(guest.modules(Module())...),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.0/8"}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	admin := p.Admin()
	node := admin.AddNode("ams", "address", "127.0.0.1")
	const flow = "01990000-0000-7000-8000-000000000001"
	guest.mu.Lock()
	guest.all = []flowsapi.Flow{{
		ID: flow, Name: "Europe", Enabled: true, InstalledRevision: 1, NodeIDs: []string{node},
		Entries: []flowsapi.Entry{{Block: "in", NodeID: node, Host: "127.0.0.1", Port: port, L4: "tcp", Protocol: "vless"}},
	}}
	guest.mu.Unlock()
	admin.Patch(policiesPath+"/"+defaultID, fields{"revision": 1, "checks": []fields{
		{"type": "heartbeat"}, {"type": "tcp", "interval_s": 10, "timeout_s": 2},
	}, "recheck": fields{"count": 3, "every_s": 1}}).Is(http.StatusOK) // which places what is there

	state := func() string {
		answer := admin.Get("/api/v1/health/connection-units/" + flow)
		if answer.Status != http.StatusOK {
			return ""
		}
		return answer.Text("state")
	}
	require.Eventually(t, func() bool { return state() == "up" }, 2*within, 100*time.Millisecond)
	var d view.SubjectDetail
	admin.Get("/api/v1/health/connection-units/" + flow).Is(http.StatusOK).JSON(&d)
	require.Len(t, d.Evidence, 1)
	require.Equal(t, "panel", d.Evidence[0].Vantage.Kind)
	require.Positive(t, *d.Evidence[0].LatencyMs)

	require.NoError(t, l.Close())
	require.Eventually(t, func() bool { return state() == "down" }, 2*within, 100*time.Millisecond)
	admin.Get("/api/v1/health/connection-units/" + flow).Is(http.StatusOK).JSON(&d)
	require.Equal(t, "refused", d.Evidence[0].Reason)
	require.Contains(t, p.Scrape(), "panel_health_flows_down 1\n")
	require.Contains(t, p.Scrape(), "panel_health_checks_late_seconds")
}

// An address that the panel must not dial is no failure of whoever stands there, and it is said that nobody looks.
func TestWhatThePanelMustNotDialSaysNothing(t *testing.T) {
	t.Parallel()
	guest := &flows{}
	p := paneltest.New(t, []module.Module{
		nodesModule(), guest.manifest(), guest.poolsModule(),
		guest.panelsModule(), guest.namesModule(), Module(),
	}...)
	admin := p.Admin()
	node := admin.AddNode("ams", "address", "127.0.0.1")
	const flow = "01990000-0000-7000-8000-000000000002"
	guest.mu.Lock()
	guest.all = []flowsapi.Flow{{
		ID: flow, Name: "Europe", Enabled: true, InstalledRevision: 1, NodeIDs: []string{node},
		Entries: []flowsapi.Entry{{Block: "in", NodeID: node, Host: "127.0.0.1", Port: "9", L4: "tcp"}},
	}}
	guest.mu.Unlock()
	admin.Patch(policiesPath+"/"+defaultID, fields{"revision": 1, "checks": []fields{
		{"type": "tcp", "interval_s": 10, "timeout_s": 2},
	}}).Is(http.StatusOK)
	looked := func() bool {
		var at []time.Time
		err := p.DB.NewRaw("select next_at from health_watches where next_at > ?", p.Clock.Now().Add(time.Second)).
			Scan(t.Context(), &at)
		return err == nil && len(at) == 1
	}
	require.Eventually(t, looked, 2*within, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		answer := admin.Get("/api/v1/health/connection-units/" + flow).Is(http.StatusOK)
		var d view.SubjectDetail
		answer.JSON(&d)
		return answer.Text("state") == "unknown" && answer.Text("reason") == "no_evidence" &&
			len(d.Evidence) == 1 && d.Evidence[0].At == nil && d.Evidence[0].Reason == "address_forbidden"
	}, within, 100*time.Millisecond)
}

// Rule of Doctor: it says what is wrong with health, also while the panel is down.
func TestDoctorSaysWhatIsWrongWithHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw")
	flow := w.flow("Europe", "ams")
	w.place()
	w.settled()
	require.Equal(t, doctor.OK, w.doctor(w.clock.Now()).Status)
	w.all(w.check(flow, "tls"), false)
	w.becomes(flow, missing)
	found := w.doctor(w.clock.Now())
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, 1, found.Data["down"])
	w.fleet.set(func(n *nodesapi.Node) { n.Online, n.State = false, "offline" })
	w.round()
	require.Equal(t, doctor.Failed, w.doctor(w.clock.Now()).Status)
	still := w.doctor(w.clock.Now().Add(judge.Still + time.Second))
	require.Equal(t, doctor.Warning, still.Status)
	require.Equal(t, "здоровье нод и потоков никто не оценивает", still.Found.In(doctor.Russian))
}

// doctor asks what Doctor asks, at a moment.
func (w *world) doctor(now time.Time) doctor.Finding { return w.asks(check(), now) }

func (w *world) asks(about doctor.Check, now time.Time) doctor.Finding {
	return about.Run(w.t.Context(), doctor.Env{
		Now: func() time.Time { return now }, Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": w.DB.Pool.Config().ConnString()}[name]
		},
	})
}
