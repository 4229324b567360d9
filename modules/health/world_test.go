package health

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/judge"
	"panel/modules/health/internal/own"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/repair"
	"panel/modules/health/internal/results"
	"panel/modules/health/internal/view"
	"panel/modules/nodes"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/ingest"
	"panel/platform/module"
	"panel/platform/operations"
	"panel/platform/paneltest"
)

type fields = map[string]any

const (
	within = time.Minute
	every  = 20 * time.Millisecond
)

// world is a panel whose nodes and flows say what the test makes them say, and whose judge and placer do what the test
// tells them, by a clock of its own.
type world struct {
	*paneltest.Panel
	t      *testing.T
	admin  *paneltest.Client
	clock  *clockwork.FakeClock
	placer *place.Placer
	judge  *judge.Judge
	intake ingest.Intake
	own    *results.Results
	views  *view.Views
	fleet  *fleet
	flows  *flows
	seq    int64

	documents *documents
	heals     *repair.Repairs
	orders    *orders
	pools     *inPool
	hosts     *shownHosts
	names     *ledNames
}

func nodesModule() module.Module { return nodes.Module() }

// fleet are the nodes. It is nodesapi.Fleet and nodesapi.Configs.
type fleet struct {
	nodesapi.Configs
	mu    sync.Mutex
	nodes []nodesapi.Node
	ports map[string]int
}

func (f *fleet) Nodes(_ context.Context, ids ...string) ([]nodesapi.Node, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []nodesapi.Node{}
	for _, n := range f.nodes {
		if len(ids) == 0 || slices.Contains(ids, n.ID) {
			out = append(out, n)
		}
	}
	return out, nil
}

// Statuses gives as much of the nodes as judging and placing need.
func (f *fleet) Statuses(ctx context.Context, capability string) ([]nodesapi.Status, error) {
	nodes, err := f.Nodes(ctx)
	out := make([]nodesapi.Status, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		out[i] = nodesapi.Status{
			ID: n.ID, Name: n.Name, Address: n.Address, State: n.State, Online: n.Online, Able: n.Can(capability),
			CoreState: n.CoreState, Wanted: n.RevisionDesired > 0, Provider: n.Provider, Country: n.Country,
			Tags: n.Tags, SeenAt: n.SeenAt,
		}
	}
	return out, err
}

func (f *fleet) Node(ctx context.Context, id string) (nodesapi.Node, error) {
	found, _ := f.Nodes(ctx, id)
	if len(found) == 0 {
		return nodesapi.Node{}, nodesapi.ErrUnknown
	}
	return found[0], nil
}

func (*fleet) Hold(context.Context, ...string) ([]string, error) { return nil, nil }

func (*fleet) Able(context.Context, string, int) ([]nodesapi.Node, error) { return nil, nil }

func (f *fleet) Desired(_ context.Context, id string) (nodesapi.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ports[id] == 0 {
		return nodesapi.Config{}, nil
	}
	return nodesapi.Config{Listeners: []nodesapi.Listener{
		{L4: agentapi.TCP, IP: "127.0.0.1", Port: 1},
		{L4: agentapi.UDP, IP: "0.0.0.0", Port: 2},
		{L4: agentapi.TCP, IP: "0.0.0.0", Port: f.ports[id]},
	}}, nil
}

// set changes nodes.
func (f *fleet) set(change func(n *nodesapi.Node), ids ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.nodes {
		if len(ids) == 0 || slices.Contains(ids, f.nodes[i].ID) {
			change(&f.nodes[i])
		}
	}
}

// flows are the flows. It is flowsapi.Flows and flowsapi.HealthStates.
type flows struct {
	flowsapi.Flows
	mu     sync.Mutex
	all    []flowsapi.Flow
	states func(context.Context, []string) (map[string]string, error)

	readAll  func() // called when a placing has read all flows
	canaries func(context.Context, flowsapi.CanaryWatch) ([]flowsapi.CanaryFinding, error)
	members  func(context.Context, []string) (map[string]poolsapi.MemberHealth, error)
	pools    inPool
	hosts    shownHosts
	names    ledNames
	tunnel   func(entry, from string) flowsapi.Probe
}

func (f *flows) Page(_ context.Context, after string, most int) ([]flowsapi.Flow, error) {
	out := f.page(after, most)
	if len(out) == 0 && f.readAll != nil {
		f.readAll()
	}
	return out, nil
}

func (f *flows) page(after string, most int) []flowsapi.Flow {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []flowsapi.Flow{}
	for _, one := range f.all {
		if one.ID > after && len(out) < most {
			out = append(out, one)
		}
	}
	return out
}

func (f *flows) install(one flowsapi.Flow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, one)
}

func (f *flows) Flow(_ context.Context, id string) (flowsapi.Flow, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.all {
		if one.ID == id {
			return one, nil
		}
	}
	return flowsapi.Flow{}, flowsapi.ErrUnknown
}

// Through answers as the test says, and as a flow that is not there when it says nothing.
func (f *flows) Through(_ context.Context, _, entry, from string) (flowsapi.Probe, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tunnel == nil {
		return flowsapi.Probe{}, flowsapi.ErrUnknown
	}
	return f.tunnel(entry, from), nil
}

func (f *flows) Add(_ string, states func(context.Context, []string) (map[string]string, error)) {
	f.states = states
}

func (f *flows) manifest() module.Module {
	return module.Module{
		Name: "flows", Summary: "Flows of a test", Events: flowKinds(), Journal: audit.Kinds{Objects: []string{"flow"}},
		Exports: []any{
			func() flowsapi.Flows { return f }, func() flowsapi.HealthStates { return f },
			func() flowsapi.CanaryEvidence { return canaryHook{f} },
			func() flowsapi.Applies { return &orders{} }, func() flowsapi.Probes { return f },
		},
		Attach: func() module.Parts { return module.Parts{} },
	}
}

// poolsModule is a build's module of pools as far as this one needs it. What is added to it is kept.
func (f *flows) poolsModule() module.Module {
	return module.Module{
		Name: "pools", Summary: "Pools of a test", Events: []events.Kind{
			{Name: poolsapi.EventUpdated, Summary: "A pool of a test"},
			{Name: poolsapi.EventDeleted, Summary: "A pool of a test"},
		},
		Exports: []any{
			func() poolsapi.HealthEvidence { return memberHook{f} }, func() poolsapi.Members { return &f.pools },
			func() poolsapi.Directory { return &f.pools },
		},
		Attach: func() module.Parts { return module.Parts{} },
	}
}

// panelsModule is a build's module of proxy panels as far as this one needs it.
func (f *flows) panelsModule() module.Module {
	return module.Module{
		Name: "proxypanel", Summary: "Proxy panels of a test",
		Exports: []any{func() proxypanelapi.Hosts { return &f.hosts }, func() proxypanelapi.Nodes { return &f.hosts }},
		Attach:  func() module.Parts { return module.Parts{} },
	}
}

// namesModule is a build's module of DNS as far as this one needs it.
func (f *flows) namesModule() module.Module {
	return module.Module{
		Name: "cdndns", Summary: "Names of a test", Exports: []any{func() cdndnsapi.Names { return &f.names }},
		Attach: func() module.Parts { return module.Parts{} },
	}
}

// modules are those of the test, with this one beside them.
func (f *flows) modules(own module.Module) []module.Module {
	return []module.Module{
		nodes.Module(), f.manifest(), f.poolsModule(), f.panelsModule(), f.namesModule(), own,
	}
}

type (
	memberHook struct{ *flows }
	canaryHook struct{ *flows }
)

func (h memberHook) Add(_ string, ask func(context.Context, []string) (map[string]poolsapi.MemberHealth, error)) {
	h.members = ask
}

func (h canaryHook) Add(
	_ string, ask func(context.Context, flowsapi.CanaryWatch) ([]flowsapi.CanaryFinding, error),
) {
	h.canaries = ask
}

func flowKinds() []events.Kind {
	kinds := []events.Kind{}
	for _, name := range []string{
		flowsapi.EventApplySucceeded, flowsapi.EventDisabled, flowsapi.EventDeleted, flowsapi.EventChanged,
	} {
		kinds = append(kinds, events.Kind{Name: name, Summary: "A flow of a test"})
	}
	return kinds
}

// began is long ago, so that the clock of a test can go on and is never ahead of the database's.
const began = 3 * time.Hour

func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	w := &world{
		t: t, clock: clockwork.NewFakeClockAt(time.Now().Add(-began).UTC().Truncate(time.Second)),
		fleet: &fleet{ports: map[string]int{}}, flows: &flows{},
		documents: &documents{held: map[string]agentapi.Watches{}}, orders: &orders{},
	}
	w.pools, w.hosts, w.names = &w.flows.pools, &w.flows.hosts, &w.flows.names
	manifest := Module()
	manifest.Attach = func(
		h *handlers, r *results.Results, looks *own.Looks, db *database.DB, bus *events.Bus, journal audit.Journal,
		stop *automation.Switch, listener *database.Listener, follow *operations.Store,
	) module.Parts {
		w.views = view.New(db, w.fleet, looks, w.clock)
		w.flows.Add("health", w.views.FlowStates)
		w.placer = place.New(db, w.fleet, w.fleet, w.documents, w.flows, w.pools, w.clock)
		kept := incidents.New(db, bus, journal, w.clock)
		w.judge = judge.New(db, w.fleet, w.hosts, w.pools, bus, kept, w.clock, zap.NewNop())
		w.intake, w.own = r.Intake(), r
		w.heals = repair.New(repair.Tools{
			DB: db, Listener: listener, Clock: w.clock, Log: zap.NewNop(), Journal: journal, Bus: bus, Stop: stop,
			Commands: w.orders, Applies: w.orders, Incidents: kept,
			Follow: follow, Pools: w.pools, Names: w.names, Hosts: w.hosts,
		})
		return module.Parts{
			Routes: newHandlers(h.policies, w.views, h.runs, kept, w.heals).routes(), Loops: r.Loops(),
			AgentBatches: []ingest.Intake{r.Intake()}, Ready: []func(context.Context) error{r.Renew},
			Jobs: append(r.Jobs(), worker(w.placer)), Metrics: repairMetrics(db),
		}
	}
	w.Panel = paneltest.New(t, w.flows.modules(manifest)...)
	w.admin = w.Admin()
	for i, name := range names {
		w.fleet.nodes = append(w.fleet.nodes, nodesapi.Node{
			ID: w.admin.AddNode(name, "address", fmt.Sprint("192.0.2.", i+1)), Name: name,
			Address: fmt.Sprint("192.0.2.", i+1), State: "online", Online: true, CoreState: "running",
			RevisionDesired: 1, SeenAt: w.clock.Now(),
			Capabilities: []string{string(agentapi.DocumentWatches.Capability())},
		})
	}
	return w
}

func (w *world) node(name string) string {
	w.t.Helper()
	at := slices.IndexFunc(w.fleet.nodes, func(n nodesapi.Node) bool { return n.Name == name })
	require.GreaterOrEqual(w.t, at, 0, name)
	return w.fleet.nodes[at].ID
}

// flow installs a flow with one entry of REALITY on a node.
func (w *world) flow(name, node string, more ...func(*flowsapi.Flow)) string {
	id := database.NewID()
	f := flowsapi.Flow{
		ID: id, Name: name, Enabled: true, InstalledRevision: 1, NodeIDs: []string{w.node(node)},
		Entries: []flowsapi.Entry{{
			Block: "in", NodeID: w.node(node), Host: "entry.example", Port: "443", Transport: "raw", Security: "reality",
			Protocol: "vless", L4: "tcp", ServerName: "target.example",
		}},
	}
	for _, one := range more {
		one(&f)
	}
	w.flows.mu.Lock()
	defer w.flows.mu.Unlock()
	w.flows.all = append(w.flows.all, f)
	return id
}

func (w *world) place() {
	w.t.Helper()
	require.NoError(w.t, w.placer.Place(w.t.Context()))
}

// check gives a check of a subject.
func (w *world) check(subject, kind string) (id string) {
	w.t.Helper()
	err := w.DB.NewRaw("select id from health_checks where subject_id = ? and type = ?", subject, kind).
		Scan(w.t.Context(), &id)
	require.NoError(w.t, err)
	return id
}

// vantages are the nodes that look at a check, in the order of their names, without the panel.
func (w *world) vantages(check string) (out []string) {
	w.t.Helper()
	err := w.DB.NewRaw("select s.name from health_watches w join health_states s on s.subject_id = w.vantage where w.check_id = ? order by 1",
		check).Scan(w.t.Context(), &out)
	require.NoError(w.t, err)
	return out
}

// says stores what a node has found of a check now, so often; the panel when it is named so.
func (w *world) says(vantage, check string, ok bool, times int) {
	w.t.Helper()
	w.saysAt(vantage, check, ok, times, w.clock.Now())
}

func (w *world) saysAt(vantage, check string, ok bool, times int, newest time.Time) {
	w.t.Helper()
	found := make([]agentapi.CheckResult, times)
	for i := range found {
		found[i] = agentapi.CheckResult{
			WatchID: check, OK: ok, LatencyMillis: 20, At: newest.Add(time.Duration(i-times+1) * time.Second),
		}
		if !ok {
			found[i].Reason, found[i].LatencyMillis = agentapi.CheckTimeout, 0
		}
	}
	if vantage == "panel" {
		require.NoError(w.t, w.own.Own(w.t.Context(), found))
		return
	}
	w.seq++
	batch := &agentapi.Batch{Kind: agentapi.BatchHealth, StreamID: "s", Seq: w.seq}
	for _, one := range found {
		raw, err := json.Marshal(one)
		require.NoError(w.t, err)
		batch.Items = append(batch.Items, raw)
	}
	require.NoError(w.t, w.intake.Take(w.t.Context(), w.node(vantage), batch))
}

// refused stores one result that is not well for a reason.
func (w *world) refused(vantage, check, reason string, at time.Time) {
	w.t.Helper()
	raw, err := json.Marshal(agentapi.CheckResult{WatchID: check, Reason: reason, At: at})
	require.NoError(w.t, err)
	w.seq++
	batch := &agentapi.Batch{Kind: agentapi.BatchHealth, StreamID: "s", Seq: w.seq, Items: []json.RawMessage{raw}}
	require.NoError(w.t, w.intake.Take(w.t.Context(), w.node(vantage), batch))
}

// all lets every vantage of a check say the same.
func (w *world) all(check string, ok bool) {
	w.t.Helper()
	for _, one := range append(w.vantages(check), "panel") {
		w.says(one, check, ok, 3)
	}
}

func (w *world) passes(d time.Duration) { w.clock.Advance(d) }

// settled judges until the panel trusts what it sees.
func (w *world) settled() {
	w.t.Helper()
	w.round()
	for range 3 {
		w.passes(50 * time.Second)
		w.beat()
		w.round()
	}
}

// beat lets all agents be heard that are online.
func (w *world) beat() {
	w.fleet.set(func(n *nodesapi.Node) {
		if n.Online {
			n.SeenAt = w.clock.Now()
		}
	})
}

func (w *world) round() {
	w.t.Helper()
	require.NoError(w.t, w.judge.Wake(w.t.Context()))
	require.NoError(w.t, w.judge.Round(w.t.Context()))
}

type verdictRow struct{ State, Reason, Hint string }

func (w *world) verdict(subject string) (row verdictRow) {
	w.t.Helper()
	err := w.DB.NewRaw("select state, reason, hint from health_states where subject_id = ?", subject).
		Scan(w.t.Context(), &row.State, &row.Reason, &row.Hint)
	require.NoError(w.t, err)
	return row
}

// becomes judges until a subject is what is wanted: what other tests write at the same moment may hold the last results
// back for a moment.
func (w *world) becomes(subject string, want verdictRow) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { w.round(); return w.verdict(subject) == want }, within, every,
		"%+v is not %+v", w.verdict(subject), want)
}

// folded judges until all results that are stored were read.
func (w *world) folded() {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		w.round()
		var left int
		err := w.DB.NewRaw("select count(*) from health_results where xact >= (select folded from health_progress)").
			Scan(w.t.Context(), &left)
		return err == nil && left == 0
	}, within, every)
}

var (
	well    = verdictRow{State: healthapi.Up}
	missing = verdictRow{healthapi.Down, "unreachable", "unreachable"}
)

// changes are the states that a subject went through.
func (w *world) changes(subject string) (states []string) {
	w.t.Helper()
	err := w.DB.NewRaw("select state from health_changes where subject_id = ? order by id", subject).
		Scan(w.t.Context(), &states)
	require.NoError(w.t, err)
	return states
}

func (w *world) detail(kind, id string) (d view.SubjectDetail) {
	w.t.Helper()
	w.As(string(View)).Get("/api/v1/health/" + kind + "/" + id).Is(http.StatusOK).JSON(&d)
	return d
}

// turns are the changes of a subject without those to degraded: what other tests write at the same moment may hold some
// of the results back for a round.
func (w *world) turns(subject string) []string {
	w.t.Helper()
	return slices.DeleteFunc(w.changes(subject), func(state string) bool { return state == healthapi.Degraded })
}

// documents keeps what agents shall look at. It is nodesapi.Documents.
type documents struct {
	mu   sync.Mutex
	held map[string]agentapi.Watches
	sets int
}

func (d *documents) Set(_ context.Context, all ...nodesapi.Document) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range all {
		d.held[one.NodeID], _ = one.Content.(agentapi.Watches)
		d.sets++
	}
	return nil
}

func (*documents) States(context.Context, string, ...string) (map[string]nodesapi.DocumentState, error) {
	return nil, nil
}

// toldTypes are the types of all watches that agents were told of.
func (w *world) toldTypes() []string {
	w.documents.mu.Lock()
	defer w.documents.mu.Unlock()
	types := map[string]bool{}
	for _, held := range w.documents.held {
		for _, one := range held.Watches {
			types[one.Type] = true
		}
	}
	return slices.Sorted(maps.Keys(types))
}

// told are the watches of a node's agent by the checks.
func (w *world) told(node string) map[string]agentapi.Watch {
	w.documents.mu.Lock()
	defer w.documents.mu.Unlock()
	out := map[string]agentapi.Watch{}
	for _, one := range w.documents.held[w.node(node)].Watches {
		out[one.ID] = one
	}
	return out
}
