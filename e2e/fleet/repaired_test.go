package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/modules/cdn-dns/acmetest"
)

const (
	ownZone  = "own.example"
	quicPort = 8443
	tlsPort  = 8444
	poolPort = 8445
	brief    = 3 * time.Minute // how long the certificate is good that ends while it is watched
)

// messenger stands in for the bot API and keeps what people were told.
type messenger struct {
	mu    sync.Mutex
	texts []string
}

// openMessenger serves it on the address and gives its root.
func openMessenger(t *testing.T, host string) (m *messenger, root string) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	m = &messenger{}
	server := httptest.NewUnstartedServer(m)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return m, server.URL
}

func (m *messenger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		http.Error(w, "no form", http.StatusTeapot)
		return
	}
	m.mu.Lock()
	m.texts = append(m.texts, r.FormValue("text"))
	number := len(m.texts)
	m.mu.Unlock()
	_ = json.NewEncoder(w).Encode(object{"ok": true, "result": object{"message_id": number, "chat": object{"id": 42}}})
}

// hasTold waits for a message with all of the words among those since a moment.
func (m *messenger) hasTold(t *testing.T, since int, words ...string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(context.Context) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, text := range m.texts[since:] {
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
				return nil
			}
		}
		return fmt.Errorf("nobody was told %q: %q", words, m.texts[since:])
	}))
}

// sofar counts the messages up to now.
func (m *messenger) sofar() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.texts)
}

// tells has everything that is worth it told on the messenger.
func (w *watchedFleet) tells(root string) {
	w.Helper()
	const path = "/api/v1/notifications/settings"
	var now struct {
		Revision int `json:"revision"`
	}
	require.NoError(w, w.stand.API.Get(w.Context(), path, &now))
	require.NoError(w, w.stand.API.Put(w.Context(), path, object{"revision": now.Revision, "settings": object{
		"messenger":          object{"bot_token": "123456:a-bot-of-this-test", "chat_id": "42", "thread_id": 0},
		"messenger_api_root": root, "language": "en",
		"quiet_hours": object{"enabled": false, "from": "22:00", "to": "07:00", "zone": "UTC"},
	}}, nil))
}

// repaired is what the panel did about a node by itself.
type repaired struct {
	Act     string `json:"action"`
	Node    string `json:"node_name"`
	State   string `json:"state"`
	Outcome string `json:"outcome"`
}

// acts waits until the panel did this about a node.
func (w *watchedFleet) acts(t *testing.T, want repaired) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(ctx context.Context) error {
		done, err := w.done(ctx)
		if err != nil || slices.Contains(done, want) {
			return err
		}
		return fmt.Errorf("the panel did %+v and not %+v", done, want)
	}))
}

// done are the repairs so far, the newest first.
func (w *watchedFleet) done(ctx context.Context) ([]repaired, error) {
	var page struct{ Items []repaired }
	err := w.stand.API.Get(ctx, "/api/v1/health/self-heal/actions", &page)
	return page.Items, err
}

// agentEnds kills the agent alone. Its core serves on, and so the flow is well.
func (w *watchedFleet) agentEnds(t *testing.T) {
	w.entry.Kill()
	w.becomes(t, w.node(), []string{"down"}, judged{State: "degraded", Hint: "agent"})
	w.becomes(t, w.unit(), []string{"down"}, judged{State: "up"})
	require.NoError(t, w.entry.Launch())
	w.well(t)
	w.over(t)
}

// coreDies kills every core of the server as soon as it runs, until the panel has decided to start it. That one serves.
func (w *watchedFleet) coreDies(t *testing.T) {
	said := w.messenger.sofar()
	before, err := w.done(t.Context())
	require.NoError(t, err)
	decided := func(ctx context.Context) bool {
		now, err := w.done(ctx)
		return err == nil && len(now) > len(before)
	}
	ended := make(chan struct{})
	killing, stop := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		for tick := time.Tick(glance); killing.Err() == nil && !decided(killing); <-tick {
			for _, pid := range running(w.stand.Folder, "watched") {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			}
		}
	}()
	w.becomes(t, w.node(), nil, judged{"down", "core_failed", "core_failed"})
	w.acts(t, repaired{"restart_core", "watched", "succeeded", "helped"})
	stop()
	<-ended
	w.well(t)
	w.over(t)
	w.messenger.hasTold(t, said, "watched", "Action: Restart core")
}

// own installs flows with TLS of their own, one over TCP and one over UDP, by a certificate that ends soon.
func (w *watchedFleet) own(t *testing.T) {
	w.manages(t)
	var bound struct{ ID string }
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/node-domains", object{
		"node_id": w.entry.NodeID, "zone": ownZone, "label": "n1", "mode": "direct", "ttl": 60,
	}, &bound))
	w.root = acmetest.NewRoot(w.T)
	w.certify(t, brief)
	w.ends = time.Now().Add(brief)
	w.quic = w.serves(t, "quic", bound.ID, object{"protocol": "hysteria2", "listen_ip": "0.0.0.0", "port": quicPort})
	w.tls = w.serves(t, "tls", bound.ID, object{
		"protocol": "vless", "transport": "raw", "security": "tls", "listen_ip": "0.0.0.0", "port": tlsPort,
	})
	w.becomes(t, w.quic, nil, judged{State: "up"})
	w.becomes(t, w.tls, nil, judged{State: "up"})
}

// certify gives the panel a certificate for the zone.
func (w *watchedFleet) certify(t *testing.T, good time.Duration) {
	t.Helper()
	pair := w.root.Sign(time.Now().Add(-time.Hour), time.Now().Add(good), "*."+ownZone)
	body := object{"chain": pair.Chain, "key": pair.Key}
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/certificates", body, nil))
}

// serves installs a flow with one listener on the server and gives what the panel knows its health by.
func (w *watchedFleet) serves(t *testing.T, name, domainID string, listener object) string {
	t.Helper()
	flow, err := w.stand.API.Draw(t.Context(), name, object{
		"nodes": []object{
			{
				"key": "entry", "kind": "entry", "node_id": w.entry.NodeID, "node_domain_id": domainID,
				"params": object{"listener": listener},
			},
			{"key": "exit", "kind": "exit", "node_id": w.entry.NodeID, "params": object{"private": "allow"}},
		},
		"edges": []object{{"from": "entry", "to": "exit"}},
	})
	require.NoError(t, err)
	w.force(t, flow.ID)
	return "connection-units/" + flow.ID
}

// force installs a flow whose certificate ends soon, which the panel asks about.
func (w *watchedFleet) force(t *testing.T, flow string) {
	t.Helper()
	path := "/api/v1/connection-units/" + flow
	var plan rig.Plan
	require.NoError(t, w.stand.API.Post(t.Context(), path+"/plan/compile", nil, &plan))
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		if err := w.stand.API.Get(ctx, path+"/plans/"+plan.ID, &plan); err != nil {
			return err
		}
		for _, check := range plan.Readiness {
			if check.Status != "confirmed" && !strings.Contains(check.Evidence, "renew it, or upload a new one") {
				return fmt.Errorf("readiness of %s is %s: %s", check.Key, check.Status, check.Evidence)
			}
		}
		return nil
	}))
	var done rig.Applied
	order := object{"id": plan.ID, "revision": plan.Revision, "force_apply": true}
	require.NoError(t, w.stand.API.Post(t.Context(), path+"/apply", order, &done))
	require.NoError(t, w.stand.API.Finished(t.Context(), flow, &done))
	require.NoError(t, w.stand.API.InSync(t.Context(), flow))
}

// drops has the server drop packets. They are dropped by a rule of routes, which stands before that of local addresses.
func (w *watchedFleet) drops(t *testing.T, which string) {
	t.Helper()
	w.routes(t, "add pref 20 lookup local", "add pref 10 "+which+" blackhole", "del pref 0")
}

// letsIn has it drop nothing any more.
func (w *watchedFleet) letsIn(t *testing.T) {
	t.Helper()
	w.routes(t, "add pref 0 lookup local", "del pref 10", "del pref 20")
}

func (w *watchedFleet) routes(t *testing.T, rules ...string) {
	t.Helper()
	for _, rule := range rules {
		command(t, append(slices.Clone(w.enter), append([]string{"ip", "rule"}, strings.Fields(rule)...)...)...)
	}
}

// udpDropped lets no UDP in at the server. What listens there on TCP is well.
func (w *watchedFleet) udpDropped(t *testing.T) {
	w.drops(t, "ipproto udp")
	w.becomes(t, w.quic, nil, judged{State: "down", Hint: "unreachable"})
	w.becomes(t, w.unit(), []string{"down"}, judged{State: "up"})
	w.letsIn(t)
	w.becomes(t, w.quic, nil, judged{State: "up"})
	w.well(t)
	w.over(t)
}

// certificateEnds waits for the end of the certificate. A new one ends the incident.
func (w *watchedFleet) certificateEnds(t *testing.T) {
	said := w.messenger.sofar()
	w.becomes(t, w.tls, nil, judged{"down", "certificate_expired", "cert"})
	require.False(t, time.Now().Before(w.ends))
	w.becomes(t, w.unit(), []string{"down"}, judged{State: "up"})
	w.messenger.hasTold(t, said, "An incident began", "tls", "Likely cause: the certificate")
	w.certify(t, 30*24*time.Hour)
	w.becomes(t, w.tls, nil, judged{State: "up"})
	w.well(t)
	w.over(t)
}

// leavesItsPool cuts off an exit that a pool can spare. The panel sends no new traffic there until it is well again.
func (w *watchedFleet) leavesItsPool(t *testing.T) {
	near, far := w.near, w.far
	var pool shownPool
	require.NoError(t, w.stand.API.Post(t.Context(), poolsPath, object{
		"name": "Exits", "strategy": "ordered",
		"members": []object{{"node_id": near.NodeID}, {"node_id": far.NodeID}},
		"health":  object{"probe_url": w.site.Page + "/", "timeout_s": 10},
	}, &pool))
	drawing := w.drawing(poolPort)
	nodes := drawing["nodes"].([]map[string]any)
	drawing["nodes"] = []map[string]any{
		nodes[0], {"key": "pool", "kind": "transit_pool", "pool_id": pool.ID}, {"key": "out", "kind": "direct"},
	}
	drawing["edges"] = []map[string]any{{"from": "entry", "to": "pool"}, {"from": "pool", "to": "out"}}
	flow, err := w.stand.API.Draw(t.Context(), "pooled", drawing)
	require.NoError(t, err)
	in := w.crossing
	in.T, in.flow = t, flow.ID
	in.apply()
	w.becomes(t, "connection-units/"+flow.ID, nil, judged{State: "up"})

	command(t, "ip", "link", "set", "near", "down")
	w.acts(t, repaired{"withdraw_from_pool", "near", "succeeded", "helped"})
	require.Equal(t, []bool{true, false}, w.spared(t, pool.ID))
	command(t, "ip", "link", "set", "near", "up")
	w.acts(t, repaired{"withdraw_from_pool", "near", "undone", "helped"})
	require.Equal(t, []bool{false, false}, w.spared(t, pool.ID))
	w.over(t)
}

// spared says which members of a pool get no new traffic because of a repair.
func (w *watchedFleet) spared(t *testing.T, poolID string) (out []bool) {
	t.Helper()
	var pool struct {
		Members []struct{ Withdrawn bool }
	}
	require.NoError(t, w.stand.API.Get(t.Context(), poolsPath+"/"+poolID, &pool))
	for _, m := range pool.Members {
		out = append(out, m.Withdrawn)
	}
	return out
}
