package flows_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/nodes"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// estate is a panel with the real nodes module: bindings, owners and accounts are what they are in a panel.
type estate struct {
	t     *testing.T
	panel *paneltest.Panel
	full  *paneltest.Client
	node  string
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	e := &estate{t: t, panel: paneltest.New(t, nodes.Module(), domains.Module(), clients.Module(), flows.Module())}
	e.full = e.panel.Admin()
	e.node = e.full.AddNode("fra-01", "address", "192.0.2.1")
	return e
}

func (e *estate) operator() *paneltest.Client { return e.panel.As("connection_units.*", "nodes.*") }

func (e *estate) bind(as *paneltest.Client, label string) string {
	e.t.Helper()
	body := map[string]any{"node_id": e.node, "zone": "example.org", "label": label}
	return as.Post("/api/v1/node-domains", body).Is(http.StatusCreated).Text("id")
}

func (e *estate) drawing(domain string, port int) graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{
				Key: "in", Kind: graph.Entry, NodeID: e.node, NodeDomainID: domain,
				Params: graph.Params{Listener: &graph.Listener{
					Protocol: "vless", Port: port, Reality: &graph.Reality{Target: "www.example.org:443"},
				}},
			},
			{Key: "out", Kind: graph.Direct},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
}

func (e *estate) create(as *paneltest.Client, name, domain string) string {
	e.t.Helper()
	return as.Post(units, map[string]any{"name": name, "graph": e.drawing(domain, 443)}).Is(http.StatusCreated).
		Text("id")
}

// Many people save drawings with a domain binding at once: every save has one connection and never waits for a second
// one, so that the twelve of the pool are enough.
func TestManySavesAtOnceNeedOneConnectionEach(t *testing.T) {
	t.Parallel()
	const people = 36
	e := newEstate(t)
	owner := e.operator()
	domain := e.bind(owner, "entry")
	ids := make([]string, people)
	for i := range ids {
		ids[i] = e.create(owner, fmt.Sprintf("Flow %d", i), domain)
	}
	save := func(i int) *paneltest.Answer {
		return owner.Put(units+"/"+ids[i]+"/draft", map[string]any{"revision": 1, "graph": e.drawing(domain, 1000+i)})
	}
	var all sync.WaitGroup
	statuses := make([]int, people)
	for i := range ids {
		all.Go(func() { statuses[i] = save(i).Status })
	}
	all.Wait()
	for _, status := range statuses {
		require.Equal(t, http.StatusOK, status)
	}
}

// A flow goes to an account that exists and that holds the bindings which the flow names.
func TestAFlowIsHandedToAnOwnerOfItsBindings(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	owner, other := e.operator(), e.operator()
	flow := units + "/" + e.create(owner, "Europe", e.bind(owner, "entry"))
	for _, unknown := range []string{"zzz", database.NewID()} {
		refused := e.full.Patch(flow, map[string]any{"revision": 1, "owner_id": unknown}).Refused(422, "invalid_value")
		require.Contains(t, string(refused.Body), `"owner_id"`)
	}
	refused := e.full.Patch(flow, map[string]any{"revision": 1, "owner_id": other.AccountID}).
		Refused(422, "invalid_value")
	require.Contains(t, string(refused.Body), `"node_domain_unknown"`)
	require.Equal(t, owner.AccountID, e.full.Get(flow).Text("owner_id"))

	e.full.Put(flow+"/draft", map[string]any{"revision": 1, "graph": e.drawing("", 443)}).Is(200)
	e.full.Patch(flow, map[string]any{"revision": 1, "owner_id": other.AccountID}).Is(200)
	require.Equal(t, other.AccountID, e.full.Get(flow).Text("owner_id"))
}

// A binding is in use from the save that names it until the save that no longer does.
func TestADraftKeepsItsBindingAsItIs(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	owner := e.operator()
	domain := e.bind(owner, "entry")
	flow := units + "/" + e.create(owner, "Europe", domain)
	path := "/api/v1/node-domains/" + domain
	owner.Patch(path, map[string]any{"revision": 1, "label": "other"}).Refused(409, "domain_conflict")
	e.full.Patch(path, map[string]any{"revision": 1, "owner_id": e.full.AccountID}).Refused(409, "domain_conflict")
	owner.Delete("/api/v1/nodes/"+e.node).Refused(409, "node_in_use")
	require.Equal(t, "entry.example.org", owner.Get(flow).Text("entry.host"))
	owner.Put(flow+"/draft", map[string]any{"revision": 1, "graph": e.drawing("", 443)}).Is(200)
	owner.Patch(path, map[string]any{"revision": 1, "label": "other"}).Is(200)
}

// Whoever deletes an account hands over its flows and its bindings together, so that they still fit.
func TestADeletedAccountLeavesNoFlowBehind(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	owner, heir := e.operator(), e.operator()
	domain := e.bind(owner, "entry")
	flow := units + "/" + e.create(owner, "Europe", domain)
	account := "/api/v1/accounts/" + owner.AccountID
	refused := e.full.Delete(account).Refused(409, "account_in_use")
	require.EqualValues(t, 3, refused.Value("owned_total"), "the flow, its first client and the binding")
	require.Len(t, refused.Value("owned"), 3)
	e.full.Delete(account + "?hand_over_to=" + heir.AccountID).Is(http.StatusNoContent)
	require.Equal(t, heir.AccountID, heir.Get(flow).Is(200).Text("owner_id"))
	require.Equal(t, heir.AccountID, heir.Get("/api/v1/node-domains/"+domain).Is(200).Text("owner_id"))
	require.Empty(t, heir.Post(flow+"/plan/preview", nil).Is(200).Value("errors"))
	e.full.Delete("/api/v1/accounts/"+heir.AccountID).Refused(409, "account_in_use")
}

// A flow and the deletion of its owner meet in one order: whoever is second finds the other's work.
func TestAnAccountIsNotDeletedBesideAFlowThatItMakes(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for round := range 8 {
		owner := e.operator()
		answers := make(chan int, 2)
		go func() { answers <- owner.Post(units, map[string]any{"name": fmt.Sprintf("Race %d", round)}).Status }()
		go func() { answers <- e.full.Delete("/api/v1/accounts/" + owner.AccountID).Status }()
		first, second := <-answers, <-answers
		require.NotContains(t, []int{first, second}, 500)
		orphans, err := e.panel.DB.NewSelect().Table("flows").
			Where("owner_id not in (select id::text from accounts)").Count(t.Context())
		require.NoError(t, err)
		require.Zero(t, orphans, "%d and %d", first, second)
	}
}

// What a draft names is noted with the draft: when the transaction of a proposal is undone, its binding is as free as
// before.
func TestABindingIsNotInUseByADraftThatWasUndone(t *testing.T) {
	t.Parallel()
	g := &guest{health: map[string]string{}, pools: map[string]flowsapi.Pool{}}
	e := &estate{t: t, panel: paneltest.New(t, nodes.Module(), domains.Module(),
		clients.Module(), flows.Module(), g.manifest())}
	e.full = e.panel.Admin()
	e.node = e.full.AddNode("fra-01", "address", "192.0.2.1")
	domain := e.bind(e.full, "entry")
	flow := e.create(e.full, "Europe", "")
	drawing, err := json.Marshal(e.drawing(domain, 443))
	require.NoError(t, err)
	undone := errors.New("undo it")
	err = e.panel.DB.InTx(access.With(t.Context(), access.Caller{Kind: access.System}),
		func(ctx context.Context) error {
			revision, err := g.flows.Propose(ctx, flow, 1, drawing)
			require.NoError(t, err)
			require.Equal(t, 2, revision)
			return undone
		})
	require.ErrorIs(t, err, undone)
	require.EqualValues(t, 1, e.full.Get(units+"/"+flow).Is(200).Value("draft_revision"))
	e.full.Patch("/api/v1/node-domains/"+domain, map[string]any{"revision": 1, "label": "other"}).Is(200)

	_, err = g.flows.Propose(access.With(t.Context(), access.Caller{Kind: access.System}), flow, 1, drawing)
	require.NoError(t, err)
	e.full.Patch("/api/v1/node-domains/"+domain, map[string]any{"revision": 2, "label": "third"}).
		Refused(409, "domain_conflict")
}
