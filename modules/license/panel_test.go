package license

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/migrations"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// panel is a license service on a real database, asking the real authority, with
// clocks in the hand of the test.
type panel struct {
	*service
	t         testing.TB
	authority *authority
	wall      *clockwork.FakeClock
	steady    *clockwork.FakeClock
	journal   *journal
	news      *news
	data      string
}

const masterKey = "a master key for the tests of the license"

var declared = []string{"assistant", "backups", "flows", "health"}

func newPanel(t testing.TB) *panel {
	t.Helper()
	return panelOn(t, startAuthority(t), dbtest.New(t, tables), t.TempDir())
}

var tables = migrations.Set{Name: "license", FS: module.SQL(files)}

func panelOn(t testing.TB, a *authority, db *database.DB, data string) *panel {
	t.Helper()
	now := time.Now().UTC() //nolint:forbidigo // the authority's process lives in real time
	p := &panel{
		t:         t,
		authority: a,
		wall:      clockwork.NewFakeClockAt(now),
		steady:    clockwork.NewFakeClockAt(now),
		journal:   &journal{},
		news:      &news{},
		data:      data,
	}
	p.open(db)
	return p
}

// calls is the panel's network with some settings.
func calls(t testing.TB, settings map[string]string) *outbound.Network {
	t.Helper()
	cfg, err := config.Of(settings)
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	return network
}

// open starts the service, as a start of the panel does.
func (p *panel) open(db *database.DB) {
	p.t.Helper()
	safe, err := vault.New(masterKey)
	require.NoError(p.t, err)
	asks := newClient([]string{p.authority.front.URL}, keys(p.authority), calls(p.t, nil), "test")
	p.service = build(parts{
		log: zap.NewNop(), clock: newTrustedClock(p.wall, p.steady), waiting: p.wall, store: newStore(db),
		file:   newCopyFile(p.data),
		client: asks, vault: safe, journal: p.journal, bus: p.news, live: hearing{}, features: declared,
		grace: 72 * time.Hour,
	})
	require.NoError(p.t, p.ready(p.t.Context()))
}

// restart is a new process with the same database and data folder.
func (p *panel) restart() { p.open(p.store.db) }

// breaks makes the license server fail; what hangs is given up soon.
func (p *panel) breaks(name string, how http.HandlerFunc) {
	p.client.limit = requestLimit
	if hangs(name) {
		p.client.limit = 200 * time.Millisecond
	}
	p.authority.fails(how)
}

func hangs(name string) bool { return name == "timeout" || name == "slow-loris" }

// works puts the license server right.
func (p *panel) works() { p.breaks("", nil) }

// pass lets time go by on both clocks and lets the panel do what is due.
func (p *panel) pass(d time.Duration) Status {
	p.t.Helper()
	p.wall.Advance(d)
	p.steady.Advance(d)
	return p.looked()
}

func (p *panel) looked() Status {
	p.t.Helper()
	require.NoError(p.t, p.turn(p.t.Context()))
	p.asks()
	return p.Status()
}

// asks lets the panel put the question that is due, or wait until nobody else puts it.
func (p *panel) asks() {
	p.t.Helper()
	if !p.due() {
		return
	}
	stop := p.drives()
	require.Eventually(p.t, func() bool { return !p.due() }, 60*time.Second, time.Millisecond)
	stop()
}

// drives lets the panel put questions until it is stopped.
func (p *panel) drives() (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.questions.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(p.t, <-ended)
	}
}

func (p *panel) due() bool {
	const open = "document <> '' and sealed_key <> '' and lease_until <= now()"
	now := p.clock.Now().Format(time.RFC3339Nano)
	return p.stored("lease_token <> '' or "+open+" and coalesce(next_check_at <= '"+now+"', false)") == "true"
}

// stored reads an expression over the row.
func (p *panel) stored(expression string) (value string) {
	p.t.Helper()
	query := "select coalesce((" + expression + ")::text, '') from licenses"
	require.NoError(p.t, p.store.db.NewRaw(query).Scan(p.t.Context(), &value))
	return value
}

// set changes the row behind the panel's back.
func (p *panel) set(columns string) {
	p.t.Helper()
	_, err := p.store.db.ExecContext(p.t.Context(), "update licenses set "+columns)
	require.NoError(p.t, err)
}

func (p *panel) activated(args ...string) issued {
	p.t.Helper()
	license := p.authority.issue(args...)
	_, err := p.Activate(p.t.Context(), license.Key)
	require.NoError(p.t, err)
	p.is("active", "ok")
	return license
}

func (p *panel) is(state, reason string) Status {
	p.t.Helper()
	status := p.Status()
	require.Equal(p.t, []string{state, reason}, []string{status.State, status.Reason})
	require.Equal(p.t, state == "degraded", status.ReadOnly)
	require.Equal(p.t, state, p.Current().State)
	return status
}

func (p *panel) refreshed() Status {
	p.t.Helper()
	status, err := p.Refresh(p.t.Context())
	require.NoError(p.t, err)
	return status
}

func (p *panel) refused(err error, code string) {
	p.t.Helper()
	require.Equal(p.t, code, fault.Code(err), "%v", err)
}

type journal struct {
	mu      sync.Mutex
	entries []audit.Entry
}

func (j *journal) Record(_ context.Context, _ bun.IDB, entry audit.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
	return nil
}

func (j *journal) lines() (lines []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		lines = append(lines, e.Action+" "+e.Result)
	}
	return lines
}

type news struct {
	mu        sync.Mutex
	published []events.Event
}

func (n *news) Emit(_ context.Context, emitted ...events.Event) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.published = append(n.published, emitted...)
	return nil
}

func (n *news) kinds() (kinds []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.published {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// hearing is a connection for notifications that always works.
type hearing struct{}

func (hearing) On(string, func(string)) {}
func (hearing) OnReady(func())          {}
func (hearing) Healthy() bool           { return true }
