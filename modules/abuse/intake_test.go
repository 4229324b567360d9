package abuse

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/lookups"
	"panel/modules/abuse/internal/views"
	"panel/modules/abuse/internal/watching"
	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/paneltest"
	"panel/platform/settings"
)

type fields = map[string]any

// served are the flows that are installed on nodes and the clients that may use them. It is flowsapi.Flows and
// clientsapi.Clients as far as this module asks them.
type served struct {
	flowsapi.Flows
	clientsapi.Clients
	clientsapi.Acts
	mu     sync.Mutex
	flows  map[string][]string // of a node
	users  map[string][]string // of a flow
	labels map[string]string
	panels []flowsapi.ServedEntry
	enter  map[string][]string // nodes with an entry of a flow; where none is named, those that the flow is on
	sends  map[string][]string // flows that send into a flow by pools
}

func (s *served) IDsOnNodes(_ context.Context, nodeIDs ...string) (map[string][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string][]string{}
	for _, id := range nodeIDs {
		found[id] = slices.Clone(s.flows[id])
	}
	return found, nil
}

func (s *served) OnNode(_ context.Context, nodeID string) (found []flowsapi.Flow, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.flows[nodeID] {
		one := flowsapi.Flow{ID: id}
		for node, flows := range s.flows {
			if len(s.enter[id]) == 0 && slices.Contains(flows, id) {
				one.Entries = append(one.Entries, flowsapi.Entry{NodeID: node})
			}
		}
		for _, node := range s.enter[id] {
			one.Entries = append(one.Entries, flowsapi.Entry{NodeID: node})
		}
		for i := range one.Entries {
			node := one.Entries[i].NodeID
			if slices.ContainsFunc(s.panels, func(e flowsapi.ServedEntry) bool { return e.NodeID == node }) {
				one.Entries[i].Offer = &flowsapi.Offer{}
			}
		}
		found = append(found, one)
	}
	return found, nil
}

func (s *served) Senders(_ context.Context, flowIDs ...string) (found []string, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range flowIDs {
		found = append(found, s.sends[id]...)
	}
	return found, nil
}

func (s *served) Flow(_ context.Context, id string) (flowsapi.Flow, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := flowsapi.Flow{ID: id}
	for _, node := range s.enter[id] {
		one.Entries = append(one.Entries, flowsapi.Entry{NodeID: node})
	}
	if len(one.Entries) == 0 {
		return one, flowsapi.ErrUnknown
	}
	return one, nil
}

// serves lets proxy panels serve these entries.
func (s *served) serves(entries ...flowsapi.ServedEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.panels = entries
}

func (s *served) ServedOn(_ context.Context, nodeIDs ...string) ([]flowsapi.ServedEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.panels), func(e flowsapi.ServedEntry) bool {
		return len(nodeIDs) > 0 && !slices.Contains(nodeIDs, e.NodeID)
	}), nil
}

func (s *served) Names(_ context.Context, ids ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, id := range ids {
		out[id] = "flow of a test"
	}
	return out, nil
}

func (s *served) Among(_ context.Context, flowIDs, clientIDs []string) (map[string][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string][]string{}
	for _, flow := range flowIDs {
		for _, client := range s.users[flow] {
			if slices.Contains(clientIDs, client) {
				found[client] = append(found[client], flow)
			}
		}
	}
	return found, nil
}

func (s *served) Labels(_ context.Context, ids ...string) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for _, id := range ids {
		if label, known := s.labels[id]; known {
			out[id] = label
		}
	}
	return out, nil
}

func (s *served) flowsModule() module.Module {
	return module.Module{
		Name: "flows", Summary: "Flows of a test", Attach: func() module.Parts { return module.Parts{} },
		Exports: []any{func() flowsapi.Flows { return s }, func() flowsapi.ServedEntries { return s }},
	}
}

func (s *served) clientsModule() module.Module {
	return module.Module{
		Name: "clients", Summary: "Clients of a test", Attach: func() module.Parts { return module.Parts{} },
		Exports: []any{func() clientsapi.Clients { return s }, func() clientsapi.Acts { return s }},
	}
}

// world is a panel with two nodes of one flow each; each flow has one client.
type world struct {
	*paneltest.Panel
	t      *testing.T
	served *served
	admin  *paneltest.Client
	intake *intake.Intake
	cases  *cases.Cases
	nodes  [2]*paneltest.Agent
	flows  [2]string
	users  [2]string // user_ref

	watching *watching.Watching
	lookups  *lookups.Lookups
}

func newWorld(t *testing.T, more ...paneltest.Setting) *world {
	t.Helper()
	w := &world{
		t: t, served: &served{
			flows: map[string][]string{}, users: map[string][]string{}, labels: map[string]string{},
			enter: map[string][]string{},
		},
	}
	manifest := Module()
	manifest.Attach = func(
		h *handlers, i *intake.Intake, doc *settings.Doc[Settings], db *database.DB, p *watching.Watching,
		c *cases.Cases, l *lookups.Lookups, a *acts.Acts, b *blocks.Blocks,
	) module.Parts {
		w.intake, w.watching, w.cases, w.lookups = i, p, c, l
		return attach(h, i, doc, db, p, c, l, a, b)
	}
	w.Panel = paneltest.Start(t, append(more, paneltest.Modules(nodes.Module(), w.served.flowsModule(),
		w.served.clientsModule(), panelModule(), manifest))...)
	w.admin = w.Admin()
	for i, name := range []string{"fra", "ams"} {
		client := database.NewID()
		w.nodes[i], w.flows[i], w.users[i] = w.Enroll(name), database.NewID(), "c:"+client
		w.served.serve(w.nodes[i].NodeID, w.flows[i], client, "user of "+name)
	}
	return w
}

// serve installs a flow on a node and lets a client use it.
func (s *served) serve(node, flow, client, label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flows[node] = append(s.flows[node], flow)
	s.users[flow] = append(s.users[flow], client)
	s.labels[client] = label
}

// seen is a signal of a user that ended now.
func seen(user string, change ...func(*agentapi.AbuseSignal)) agentapi.AbuseSignal {
	now := time.Now().UTC()
	s := agentapi.AbuseSignal{
		Kind: agentapi.AbuseTorrent, UserRef: user, Count: 3, FirstAt: now.Add(-time.Minute), LastAt: now,
		DetectedBy: agentapi.DetectedByRouting, Confidence: 0.9,
	}
	for _, one := range change {
		one(&s)
	}
	return s
}

func batchOf(seq int64, signals ...agentapi.AbuseSignal) *agentapi.AbuseBatch {
	return &agentapi.AbuseBatch{StreamID: "s-1", Seq: seq, Signals: signals}
}

// tells stores a batch of the first node, without the pace that agents keep over HTTP.
func (w *world) tells(seq int64, signals ...agentapi.AbuseSignal) {
	w.t.Helper()
	require.NoError(w.t, w.intake.Signals(w.t.Context(), w.nodes[0].NodeID, batchOf(seq, signals...)))
}

// signals are those that a query gives, the newest first.
func (w *world) signals(query string) (found []views.Signal) {
	w.t.Helper()
	var page struct {
		Items []views.Signal `json:"items"`
		Total int            `json:"total"`
	}
	w.As(string(View)).Get("/api/v1/abuse/signals" + query).Is(http.StatusOK).JSON(&page)
	require.Len(w.t, page.Items, page.Total)
	return page.Items
}

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
// nobody are the users of proxy panels where there is none.
type nobody struct{ proxypanelapi.People }

// Labels knows no names.
func (nobody) Labels(context.Context, ...string) (map[string]string, error) {
	return map[string]string{}, nil
}

// panelModule is a module proxypanel without a proxy panel.
func panelModule() module.Module {
	return module.Module{
		Name: "proxypanel", Summary: "No proxy panels", Exports: []any{func() proxypanelapi.People { return nobody{} }},
	}
}

func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	s := &served{}
	paneltest.Check(t, Module(), nodes.Module(), s.flowsModule(), s.clientsModule(), panelModule())
}

// Rule: an agent delivers signals with its token, and is told 202 when they are durable.
func TestSignalsAreStoredAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := seen(w.users[0], func(s *agentapi.AbuseSignal) {
		s.FlowID, s.InboundTag = w.flows[0], "in-443"
		s.Source = &agentapi.AbuseSource{IP: "192.0.2.7", PrefixHash: "ab12", ASN: 64500, Country: "de"}
		s.Dest = &agentapi.AbuseDest{Host: "Tracker.Example", IP: "198.51.100.9", Port: 6881, ASN: 64501}
		s.Evidence = "info_hash from 192.0.2.7"
	})
	answer := w.nodes[0].Post(agentapi.PathAbuseSignals, batchOf(1, one)).Is(http.StatusAccepted)
	require.EqualValues(t, 1, answer.Value("acked_seq"))
	found := w.signals("")
	require.Len(t, found, 1)
	got := found[0]
	require.Equal(t, "user of fra", got.UserLabel)
	require.Equal(t, "fra", got.NodeName)
	require.Equal(t, "flow of a test", got.FlowName)
	require.Equal(t, views.Source{IP: "192.0.2.7", PrefixHash: "ab12", ASN: 64500, Country: "DE"}, got.Source)
	require.Equal(t, views.Dest{Host: "tracker.example", IP: "198.51.100.9", Port: 6881, ASN: 64501}, got.Dest)
	require.Equal(t, "info_hash from [source]", got.Evidence, "the address of a user goes before the words do")
	require.WithinDuration(t, one.LastAt, got.LastAt, time.Millisecond)
	require.EqualValues(t, 3, got.Count)
}

// Rule: only an agent delivers; a session opens nothing here, and nobody is refused alike.
func TestOnlyAgentsDeliver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{agentapi.PathAbuseSignals, agentapi.PathSessionDiversity} {
		w.Anonymous().Post(path, batchOf(1)).Refused(http.StatusUnauthorized, "agent_token_invalid")
		w.admin.Post(path, batchOf(1)).Refused(http.StatusUnauthorized, "agent_token_invalid")
	}
}

// Rule: a repeated (node, stream_id, seq) is stored once; the same number of another node or stream is another batch.
func TestABatchThatComesTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { w.tells(1, seen(w.users[0])) })
	}
	all.Wait()
	require.Len(t, w.signals(""), 1)
	other := batchOf(1, seen(w.users[0]))
	other.StreamID = "s-2"
	require.NoError(t, w.intake.Signals(t.Context(), w.nodes[0].NodeID, other))
	require.NoError(t, w.intake.Signals(t.Context(), w.nodes[1].NodeID, batchOf(1, seen(w.users[1]))))
	require.Len(t, w.signals(""), 3)
	w.tells(2, seen(w.users[0]))
	require.Len(t, w.signals(""), 4)
}

// Rule: an agent that speaks of users or flows of other nodes is not believed; what else it says counts, and people see
// that something was refused.
func TestAnAgentSpeaksOnlyOfWhatItsNodeServes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, seen(w.users[0]), seen(w.users[1]), seen("c:"+database.NewID()), seen("p:panel:7"), seen("x"), seen(""),
		seen(w.users[0], func(s *agentapi.AbuseSignal) { s.FlowID = w.flows[1] }),
		seen(w.users[0], func(s *agentapi.AbuseSignal) { s.FlowID = "no id" }))
	found := w.signals("")
	require.Len(t, found, 1)
	require.Equal(t, w.users[0], found[0].UserRef)
	agents := w.agents()
	require.EqualValues(t, 7, agents[0].Refused)
	require.Equal(t, "foreign", agents[0].RefusedWhy)
	require.Equal(t, [2]int{}, [2]int{agents[0].Listeners, agents[0].Incomplete})
	w.served.serves(flowsapi.ServedEntry{NodeID: agents[0].NodeID, Tag: "flow.x.in.in"}, flowsapi.ServedEntry{NodeID: "other"})
	agents = w.agents()
	require.Equal(t, [2]int{1, 1}, [2]int{agents[0].Listeners, agents[0].Incomplete}, "nothing is seen of what a proxy panel serves")
	require.Contains(t, w.Scrape(), "panel_abuse_agents_refused 1")
}

// agents are those that told something, as people see them.
func (w *world) agents() []views.Agent {
	w.t.Helper()
	var page struct{ Items []views.Agent }
	w.admin.Get("/api/v1/abuse/agents").Is(http.StatusOK).JSON(&page)
	require.NotEmpty(w.t, page.Items)
	return page.Items
}

// Rule: counts and times have bounds, and what strangers wrote cannot harm whoever reads it.
func TestWhatAnAgentSaysIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("é", agentapi.MaxEvidence)
	w.tells(1, seen(w.users[0], func(s *agentapi.AbuseSignal) {
		s.Count, s.Confidence, s.LastAt = 1_000_000_000, 7, time.Now().AddDate(5, 0, 0)
		s.FirstAt = time.Time{}
		s.Evidence = "\u202e<script>'; drop table abuse_signals; --" + long
		s.Source = &agentapi.AbuseSource{IP: "not an address", PrefixHash: "192.0.2.1", ASN: -1, Country: "Germany"}
		s.Dest = &agentapi.AbuseDest{IP: "::ffff:198.51.100.1", Port: 70_000}
	}), seen(w.users[0], func(s *agentapi.AbuseSignal) { s.Kind = "mining" }),
		seen(w.users[0], func(s *agentapi.AbuseSignal) { s.DetectedBy = "guess" }),
		seen(w.users[0], func(s *agentapi.AbuseSignal) { s.FirstAt, s.LastAt = time.Unix(1, 0), time.Unix(2, 0) }))
	found := w.signals("")
	require.Len(t, found, 1)
	got := found[0]
	require.EqualValues(t, 1_000_000, got.Count)
	require.InDelta(t, 1.0, got.Confidence, 0)
	require.False(t, got.LastAt.After(time.Now()))
	require.Equal(t, got.LastAt, got.FirstAt)
	require.LessOrEqual(t, len(got.Evidence), agentapi.MaxEvidence)
	require.True(t, strings.HasPrefix(got.Evidence, "<script>'; drop table"), got.Evidence)
	require.Equal(t, views.Source{}, got.Source)
	require.Equal(t, views.Dest{IP: "198.51.100.1"}, got.Dest)
	require.Equal(t, "senseless", w.agents()[0].RefusedWhy)
}

// A batch names at most so many items: a megabyte of empty ones is refused as a whole, and may be sent again in parts.
func TestABatchNamesAtMostSoManyItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := make([]agentapi.AbuseSignal, agentapi.MostAbuseItems+1)
	w.nodes[0].Post(agentapi.PathAbuseSignals, batchOf(1, many...)).Refused(http.StatusUnprocessableEntity, "invalid_value")
	users := agentapi.DiversityBatch{StreamID: "s", Seq: 1, Users: make([]agentapi.UserDiversity, len(many))}
	w.nodes[0].Post(agentapi.PathSessionDiversity, users).Refused(http.StatusUnprocessableEntity, "invalid_value")
	coverage := agentapi.DiversityBatch{StreamID: "s", Seq: 1, Coverage: make([]agentapi.Coverage, len(many))}
	w.nodes[1].Post(agentapi.PathSessionDiversity, coverage).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	long := []agentapi.UserDiversity{{UserRef: w.users[0], Countries: make([]string, len(many))}}
	w.Enroll("third").Post(agentapi.PathSessionDiversity, agentapi.DiversityBatch{StreamID: "s", Seq: 1, Users: long}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Empty(t, w.admin.Get("/api/v1/abuse/agents").Is(http.StatusOK).Value("items"), "nothing of it is stored")
}

// Rule: 413 above 1 MiB, also of what comes out of gzip.
func TestABodyOfMoreThanAMebibyteIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	batch := batchOf(1)
	for len(batch.Signals) < 5000 {
		batch.Signals = append(batch.Signals, seen(w.users[0], func(s *agentapi.AbuseSignal) {
			s.Evidence = strings.Repeat("a", 200)
		}))
	}
	text, err := json.Marshal(batch)
	require.NoError(t, err)
	w.nodes[0].Post(agentapi.PathAbuseSignals, text).Refused(http.StatusRequestEntityTooLarge, "body_too_large")
	w.nodes[1].Do(http.MethodPost, agentapi.PathAbuseSignals, zipped(t, text), "Content-Encoding", "gzip").
		Refused(http.StatusRequestEntityTooLarge, "body_too_large")
	require.Empty(t, w.signals(""))
}

// A batch may come as gzip.
func TestABatchMayBeCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, err := json.Marshal(batchOf(1, seen(w.users[0])))
	require.NoError(t, err)
	w.nodes[0].Do(http.MethodPost, agentapi.PathAbuseSignals, zipped(t, text), "Content-Encoding", "gzip").
		Is(http.StatusAccepted)
	w.nodes[1].Do(http.MethodPost, agentapi.PathAbuseSignals, text, "Content-Encoding", "gzip").
		Refused(http.StatusBadRequest, "bad_json")
	require.Len(t, w.signals(""), 1)
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write(text)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return out.Bytes()
}

// Rule: more than one batch in five seconds of an agent is 429 with Retry-After; other agents and the other path are
// counted apart.
func TestAnAgentKeepsItsPace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.nodes[0].Post(agentapi.PathAbuseSignals, batchOf(1)).Is(http.StatusAccepted)
	refused := w.nodes[0].Post(agentapi.PathAbuseSignals, batchOf(2)).Refused(http.StatusTooManyRequests, "throttled")
	require.Contains(t, []string{"1", "2", "3", "4", "5"}, refused.Header.Get("Retry-After"))
	w.nodes[1].Post(agentapi.PathAbuseSignals, batchOf(1)).Is(http.StatusAccepted)
	w.nodes[0].Post(agentapi.PathSessionDiversity, agentapi.DiversityBatch{StreamID: "s-1", Seq: 1}).
		Is(http.StatusAccepted)
}

// Rule: unknown fields are ignored, so that agents may be newer than the panel; a batch without its number is refused.
func TestFieldsOfNewerAgentsAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, err := json.Marshal(seen(w.users[0]))
	require.NoError(t, err)
	with := strings.Replace(string(text), "{", `{"mood":{"deep":[1]},`, 1)
	w.nodes[0].Post(agentapi.PathAbuseSignals, `{"stream_id":"s","seq":1,"later":true,"signals":[`+with+`]}`).
		Is(http.StatusAccepted)
	require.Len(t, w.signals(""), 1)
	w.nodes[1].Post(agentapi.PathAbuseSignals, `{"stream_id":"s","signals":[]}`).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Rule: while the panel is read-only both paths answer 403 license_read_only with Retry-After, and without the feature
// 403 license_feature_blocked, by which an agent tells to keep from to forget; people go on reading.
func TestTheLicenseClosesDelivery(t *testing.T) {
	t.Parallel()
	for code, state := range map[string]entitlement.State{
		"license_read_only":       {State: entitlement.Degraded, Reason: "none"},
		"license_feature_blocked": {State: entitlement.Active, Reason: "ok"},
	} {
		license := &entitlement.Shared{}
		license.Follow(entitlement.Fixed{State: entitlement.Active, Enabled: []string{"abuse"}})
		w := newWorld(t, paneltest.License(license))
		license.Follow(entitlement.Fixed(state))
		for _, path := range []string{agentapi.PathAbuseSignals, agentapi.PathSessionDiversity} {
			refused := w.nodes[0].Post(path, batchOf(1, seen(w.users[0]))).Refused(http.StatusForbidden, code)
			require.Equal(t, code == "license_read_only", refused.Header.Get("Retry-After") != "", code)
		}
		require.Empty(t, w.signals(""))
		license.Follow(entitlement.Fixed{State: entitlement.Active, Enabled: []string{"abuse"}})
		w.nodes[0].Post(agentapi.PathAbuseSignals, batchOf(1, seen(w.users[0]))).Is(http.StatusAccepted)
		require.Len(t, w.signals(""), 1, "delivered once after the activation")
	}
}
