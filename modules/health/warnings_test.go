package health

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/view"
	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/paneltest"
)

// checksOf are the checks of a subject that the panel looks at, by what is stored of them.
func (w *world) checksOf(subject string) (out []string) {
	w.t.Helper()
	err := w.DB.NewRaw(`select concat_ws(' ', c.type, c.target, c.interval_s, count(*)) from health_checks c
		join health_watches w on w.check_id = c.id where c.subject_id = ? group by c.id order by 1`, subject).
		Scan(w.t.Context(), &out)
	require.NoError(w.t, err)
	return out
}

// checking gives the policy of everything checks.
func checking(t *testing.T, admin *paneltest.Client, checks ...fields) {
	t.Helper()
	at := policiesPath + "/" + defaultID
	revision := admin.Get(at).Is(http.StatusOK).Value("revision")
	admin.Patch(at, fields{"revision": revision, "checks": checks}).Is(http.StatusOK)
}

// Design, checks: cert_expiry and metric. The panel alone looks at them, and at certificates of entries that show their
// own: REALITY shows another's.
func TestWarningsAreLookedAtByThePanelAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw")
	borrowed := w.flow("Borrowed", "ams")
	own := w.flow("Own", "ams", func(f *flowsapi.Flow) { f.Entries[0].Security = "tls" })
	checking(t, w.admin, fields{"type": "tls"}, fields{"type": "cert_expiry"}, fields{"type": "metric", "metric": "disk"},
		fields{"type": "metric", "metric": "cpu", "above": 75, "interval_s": 60})
	w.place()
	require.Equal(t, []string{"tls entry.example:443 30 3"}, w.checksOf(borrowed))
	require.Equal(t, []string{"cert_expiry entry.example:443 3600 1", "tls entry.example:443 30 3"}, w.checksOf(own))
	require.Equal(t, []string{"metric cpu 60 1", "metric disk 30 1"}, w.checksOf(w.node("fra")))
	policy := w.admin.Get(policiesPath + "/" + defaultID).Is(http.StatusOK)
	var p Policy
	policy.JSON(&p)
	require.Equal(t, []int{14, 90, 75}, []int{p.Checks[1].Days, p.Checks[2].Above, p.Checks[3].Above})
	require.Equal(t, []string{"tls"}, w.toldTypes(), "agents would refuse a list with one that they do not know")
}

// What only warns is degraded and never down; it opens an incident of its own cause, and repairs nothing.
func TestWhatWarnsIsDegradedAndNeverDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw")
	flow := w.flow("Europe", "fra", func(f *flowsapi.Flow) { f.Entries[0].Security = "tls" })
	checking(t, w.admin, fields{"type": "heartbeat"}, fields{"type": "tls"}, fields{"type": "cert_expiry"},
		fields{"type": "metric", "metric": "disk"})
	w.place()
	w.settled()
	node := w.node("ams")
	busy, ends := w.check(node, "metric"), w.check(flow, "cert_expiry")
	w.all(w.check(flow, "tls"), true)
	w.says("panel", busy, true, 3)
	w.says("panel", ends, true, 3)
	w.becomes(node, well)
	w.becomes(flow, well)
	w.passes(time.Minute)
	w.beat()
	w.found(busy, "above_limit", 3)
	w.found(ends, "certificate_ends", 3)
	w.becomes(node, verdictRow{healthapi.Degraded, "overloaded", "overload"})
	w.becomes(flow, verdictRow{healthapi.Degraded, "certificate_ends", "cert"})
	hints := map[string]string{}
	for _, one := range w.incidents("") {
		hints[one.SubjectName] = one.Severity + " " + one.Hint
	}
	require.Equal(t, map[string]string{"ams": "warning overload", "Europe": "warning cert"}, hints)
	w.heal()
	require.Empty(t, w.actions(), "no repair makes a disk larger")
	var d view.SubjectDetail
	w.admin.Get("/api/v1/health/nodes/" + node).Is(http.StatusOK).JSON(&d)
	require.Equal(t, "degraded", d.Checks[len(d.Checks)-1].State, "the matrix does not say down either")
	w.passes(time.Minute)
	w.beat()
	w.says("panel", busy, true, 3)
	w.becomes(node, well)
}

// found stores what the panel found of a check, so often.
func (w *world) found(check, reason string, times int) {
	w.t.Helper()
	results := make([]agentapi.CheckResult, times)
	for i := range results {
		at := w.clock.Now().Add(time.Duration(i-times+1) * time.Second)
		results[i] = agentapi.CheckResult{WatchID: check, Reason: reason, At: at}
	}
	require.NoError(w.t, w.own.Own(w.t.Context(), results))
}

// Design, scope pool: a policy may speak of the members of a pool, its nodes and its flows, and follows who joins.
func TestAPolicySpeaksOfTheMembersOfAPool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra", "waw")
	flow := w.flow("Europe", "ams")
	pool := poolsapi.Pool{ID: database.NewID(), Name: "Exits", NodeIDs: []string{w.node("fra")}}
	w.pools.listed = []poolsapi.Pool{pool}
	body := fields{"name": "Exits", "scope": fields{"kind": "pool", "id": database.NewID()}}
	require.Equal(t, "scope.id", fieldOf(w.admin.Post(policiesPath, body).
		Refused(http.StatusUnprocessableEntity, "invalid_value")))
	body["scope"] = fields{"kind": "pool", "id": pool.ID}
	made := w.admin.Post(policiesPath, body).Is(http.StatusCreated)
	require.Equal(t, "Exits", made.Text("scope_name"))
	at := policiesPath + "/" + made.Text("id")
	w.place()
	speaks := func() []any {
		answer := w.admin.Get(at).Is(http.StatusOK)
		return []any{answer.Value("nodes"), answer.Value("connection_units")}
	}
	require.Equal(t, []any{1.0, 0.0}, speaks())

	w.pools.mu.Lock()
	w.pools.listed[0].NodeIDs = append(w.pools.listed[0].NodeIDs, w.node("waw"))
	w.pools.listed[0].FlowIDs = []string{flow}
	w.pools.mu.Unlock()
	require.NoError(t, w.DB.InTx(t.Context(), func(ctx context.Context) error {
		return w.Bus().Emit(ctx, events.Event{Kind: poolsapi.EventUpdated, SubjectID: pool.ID, At: w.clock.Now()})
	}))
	w.place()
	require.Equal(t, []any{2.0, 1.0}, speaks())

	w.admin.Post(policiesPath, fields{"name": "One", "scope": fields{"kind": "node", "id": w.node("waw")}}).
		Is(http.StatusCreated)
	w.place()
	require.Equal(t, []any{1.0, 1.0}, speaks(), "a policy of the node itself is narrower")

	w.pools.mu.Lock()
	w.pools.listed = nil
	w.pools.mu.Unlock()
	w.place()
	require.Equal(t, []any{0.0, 0.0}, speaks(), "a pool that is gone has no members")
	require.Empty(t, w.admin.Get(at).Text("scope_name"))
}

// Checks that lack what they need, or say what belongs to others, are refused with their field.
func TestChecksThatSayTooLittleOrTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for field, check := range map[string]fields{
		"checks[0].metric": {"type": "metric"},
		"checks[0].days":   {"type": "tls", "days": 3},
		"checks[0].above":  {"type": "tcp", "above": 3},
	} {
		body := fields{"revision": 1, "checks": []fields{check}}
		refused := w.admin.Patch(policiesPath+"/"+defaultID, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Equal(t, field, fieldOf(refused))
	}
	twice := fields{"type": "metric", "metric": "cpu"}
	body := fields{"revision": 1, "checks": []fields{twice, twice}}
	w.admin.Patch(policiesPath+"/"+defaultID, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	body = fields{"revision": 1, "checks": []fields{twice, {"type": "metric", "metric": "tape"}}}
	w.admin.Patch(policiesPath+"/"+defaultID, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// The panel compares real samples of an agent with the limits, and a real certificate with its end.
func TestThePanelSeesABusyNodeAndACertificateThatEnds(t *testing.T) {
	t.Parallel()
	guest := &flows{}
	p := paneltest.Start(t, paneltest.Modules(guest.modules(Module())...),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.0/8"}))
	admin, agent := p.Admin(), p.Enroll("ams")
	agent.Online()
	const flow = "01990000-0000-7000-8000-000000000003"
	guest.install(flowsapi.Flow{
		ID: flow, Name: "Europe", Enabled: true, InstalledRevision: 1, NodeIDs: []string{agent.NodeID},
		Entries: []flowsapi.Entry{{
			Block: "in", NodeID: agent.NodeID, Host: "127.0.0.1", Port: endsIn(t, 5*24*time.Hour), L4: "tcp",
			Security: "tls", ServerName: "entry.example", Protocol: "trojan",
		}},
	})
	checking(t, admin, fields{"type": "cert_expiry", "interval_s": 10}, fields{"type": "metric", "metric": "cpu", "interval_s": 10},
		fields{"type": "metric", "metric": "memory", "interval_s": 10, "above": 40})
	seq, told := int64(0), time.Time{}
	looked := func(kind, target string) (found struct{ Reason, Error string }) {
		if now := p.Clock.Now(); now.Sub(told) > 10*time.Second {
			seq, told = seq+1, now
			agent.Deliver("s", seq, paneltest.Samples(1, now)).Is(http.StatusOK)
		}
		err := p.DB.NewRaw(`select w.reason, coalesce(r.error, '') as error from health_checks c
			join health_watches w on w.check_id = c.id left join lateral (select error from health_results r
				where r.check_id = c.id order by at desc limit 1) r on true
			where c.type = ? and c.target like ? and w.at is not null`, kind, target).Scan(t.Context(), &found)
		require.True(t, err == nil || errors.Is(err, sql.ErrNoRows), err)
		return found
	}
	require.Eventually(t, func() bool { return looked("cert_expiry", "%").Reason == "certificate_ends" }, 2*within, every)
	require.Eventually(t, func() bool { return looked("metric", "memory").Reason == "above_limit" }, 2*within, every)
	require.Equal(t, "memory 50 %, more than 40 %", looked("metric", "memory").Error)
	require.Empty(t, looked("metric", "cpu").Reason, "50 % are no more than 90 %")
}

// endsIn listens with a certificate that ends in a while, and gives the port.
func endsIn(t *testing.T, left time.Duration) (port string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"entry.example"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(left),
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, err = net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	return port
}
