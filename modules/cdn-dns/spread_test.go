package cdndns

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/dnstest"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/paneltest"
	"panel/platform/settings"
	"panel/platform/vault"
)

const (
	desiredRoute = "/agent/v1/desired/certificates"
	flowsRoute   = "/api/v1/connection-units"
)

// giving is a bench with the stages of certificates, called as an apply calls them.
type giving struct {
	*bench
	give, take flowsapi.Stage
}

func newGiving(t *testing.T, zones ...string) *giving {
	t.Helper()
	var open func(*integrations) *issuer
	asking := module.Module{
		Name: "asking", Summary: "Lets the test ask", Requires: []string{"nodes", "domains"},
		Attach: func(
			db *database.DB, v *vault.Vault, l *database.Listener, n *outbound.Network, j audit.Journal, b *events.Bus,
			clock clockwork.Clock, log *zap.Logger, s *settings.Store, d domainsapi.Domains,
			documents nodesapi.Documents, fleet nodesapi.Fleet, cfg *config.Config,
		) module.Parts {
			open = func(i *integrations) *issuer {
				return newIssuer(db, v, l, n, j, b, clock, log, s, d, i, documents, fleet, cfg)
			}
			return module.Parts{}
		},
	}
	cloud := dnstest.NewCloudflare(t, zones...)
	cloud.Allow(token, dnstest.Full())
	all := paneltest.Modules(nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module(), asking)
	g := &giving{bench: &bench{t: t, cloud: cloud, Panel: paneltest.Start(t, all, paneltest.Env(map[string]string{
		cloudflareRoot.Name: cloud.Root, resolvers.Name: cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))}}
	own := open(g.rules()) // orders like the panel's own, which brings the orders to their end
	stages := own.spread.Stages(own.domains)
	g.give, g.take = stages[0], stages[1]
	return g
}

func (g *giving) flow(name string) string {
	return g.Admin().Post(flowsRoute, fields{"name": name}).Is(http.StatusCreated).Text("id")
}

// entry is one with TLS for a binding of the agent's node.
func (g *giving) entry(agent *paneltest.Agent, label, zone string) flowsapi.Entry {
	g.t.Helper()
	id := g.Admin().Post(bindingsRoute, fields{
		"node_id": agent.NodeID, "zone": zone, "label": label, "mode": "direct", "ttl": 60,
	}).Is(http.StatusCreated).Text("id")
	return flowsapi.Entry{
		Block: "in", NodeID: agent.NodeID, DomainID: id, Host: label + "." + zone, Port: "443", Transport: "ws",
		Security: "tls",
	}
}

func applyOf(flow string, before, after []flowsapi.Entry) flowsapi.Apply {
	return flowsapi.Apply{ID: database.NewID(), By: "admin", Change: flowsapi.Change{
		FlowID: flow, FlowName: "Europe", Kind: flowsapi.KindApply, Before: before, After: after,
	}}
}

// held is what the agent is given; nil when it is given nothing.
func held(t *testing.T, agent *paneltest.Agent) (d agentapi.Document, all []agentapi.HostCertificate) {
	t.Helper()
	answer := agent.Get(desiredRoute)
	if answer.Status == http.StatusNotFound {
		return d, nil
	}
	answer.Is(http.StatusOK).JSON(&d)
	require.NoError(t, d.Verify())
	var content agentapi.Certificates
	require.NoError(t, json.Unmarshal(d.Content, &content))
	return d, content.Certificates
}

func applied(d agentapi.Document) func(*agentapi.Heartbeat) {
	return func(b *agentapi.Heartbeat) {
		b.Documents = []agentapi.DocumentStatus{{Name: d.Name, Revision: d.Revision, Hash: d.Hash}}
	}
}

// From nothing: the plan says that the certificate is ordered; the apply orders it once, gives it to the node that
// shows it and to nobody else, and waits until the agent holds it.
func TestAnApplyObtainsACertificateAndGivesItToItsNode(t *testing.T) {
	t.Parallel()
	g := newGiving(t, "alpha.example")
	g.ordering()
	g.add("our account")
	agent, stranger := g.Enroll("n1"), g.Enroll("n2")
	entry := g.entry(agent, "n1", "alpha.example")
	a := applyOf(g.flow("Europe"), nil, []flowsapi.Entry{entry})

	diffs, checks, err := g.give.Preview(t.Context(), a.Change)
	require.NoError(t, err)
	require.Equal(t, []flowsapi.Diff{{
		Group: flowsapi.GroupOther, Op: "added", NodeID: agent.NodeID, Name: "n1.alpha.example", Field: "certificate",
		To: "from the authority",
	}}, diffs)
	require.Equal(t, flowsapi.Confirmed, checks[0].Status)
	require.Equal(t, "certificate_ordered", checks[0].Finding.Code)

	g.until(a, flowsapi.Again, "waiting_for_nodes")
	document, given := held(t, agent)
	require.Len(t, given, 1)
	require.Equal(t, "n1.alpha.example", given[0].Host)
	require.Contains(t, given[0].Key, "PRIVATE KEY")
	stranger.Get(desiredRoute).Refused(http.StatusNotFound, "not_found")
	agent.With("a-token-of-nobody").Get(desiredRoute).Is(http.StatusUnauthorized)
	require.Contains(t, g.Scrape(), "panel_certificates_behind 1")

	agent.Beat(applied(document))
	g.until(a, flowsapi.Done, "")
	require.Eventually(t, func() bool { return strings.Contains(g.Scrape(), "panel_certificates_behind 0") },
		issuedWithin, every, "a number of the database is asked again after some seconds")
	require.Equal(t, 1, g.number("select count(*) from certificate_orders"), "however often the apply asked")
	require.Zero(t, g.number("select count(*) from node_document_contents where sealed like '%PRIVATE%'"))

	_, checks, err = g.give.Preview(t.Context(), a.Change)
	require.NoError(t, err)
	require.Equal(t, "certificate_valid", checks[0].Finding.Code)

	require.NoError(t, g.give.Undo(t.Context(), a))
	require.NoError(t, g.give.Undo(t.Context(), a), "repeated")
	_, given = held(t, agent)
	require.Empty(t, given, "an apply that was taken back leaves no key on the node")
}

func (g *giving) number(query string) (n int) {
	g.t.Helper()
	require.NoError(g.t, g.DB.NewRaw(query).Scan(g.t.Context(), &n))
	return n
}

// until calls the stage again as an apply does, until it comes to this result.
func (g *giving) until(a flowsapi.Apply, result flowsapi.Result, detail string) {
	g.t.Helper()
	require.Eventually(g.t, func() bool {
		got, err := g.give.Do(g.t.Context(), a)
		require.NoError(g.t, err)
		return got.Result == result && got.Detail.Code == detail
	}, issuedWithin, every)
}

func (g *giving) upload(root *acmetest.Root, from, until time.Time, names ...string) *paneltest.Answer {
	g.t.Helper()
	pair := root.Sign(from, until, names...)
	return g.Admin().Post(certificatesRoute, fields{"chain": pair.Chain, "key": pair.Key})
}

// A renewed certificate is in the documents of its nodes by the transaction that stores it; nodes with other names keep
// their revision, and a host name is given what is valid for it the longest.
func TestARenewedCertificateReachesItsNodesAlone(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now := acmetest.NewRoot(t), g.Clock.Now()
	day := 24 * time.Hour
	g.upload(root, now.Add(-day), now.Add(50*day), "*.own.example").Is(http.StatusCreated)
	g.upload(root, now.Add(-day), now.Add(50*day), "*.other.example").Is(http.StatusCreated)
	one, two := g.Enroll("n1"), g.Enroll("n2")
	first := []flowsapi.Entry{g.entry(one, "n1", "own.example")}
	_, err := g.give.Do(t.Context(), applyOf(g.flow("first"), nil, first))
	require.NoError(t, err)
	_, err = g.give.Do(t.Context(), applyOf(g.flow("second"), nil, []flowsapi.Entry{g.entry(two, "n2", "other.example")}))
	require.NoError(t, err)
	before, given := held(t, one)
	untouched, _ := held(t, two)

	g.upload(root, now.Add(-day), now.Add(90*day), "*.own.example").Is(http.StatusCreated)
	after, renewed := held(t, one)
	require.Equal(t, before.Revision+1, after.Revision)
	require.NotEqual(t, given[0].Chain, renewed[0].Chain)
	still, _ := held(t, two)
	require.Equal(t, untouched.Revision, still.Revision)

	g.upload(root, now.Add(-day), now.Add(60*day), "n1.own.example").Is(http.StatusCreated)
	same, _ := held(t, one)
	require.Equal(t, after.Hash, same.Hash, "the one that is valid longer stays")
}

func TestACertificateInUseIsNotRemoved(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now := acmetest.NewRoot(t), g.Clock.Now()
	first := g.upload(root, now.Add(-time.Hour), now.Add(1000*time.Hour), "n1.own.example").Is(http.StatusCreated).Text("id")
	agent := g.Enroll("n1")
	entries := []flowsapi.Entry{g.entry(agent, "n1", "own.example")}
	flow := g.flow("first")
	_, err := g.give.Do(t.Context(), applyOf(flow, nil, entries))
	require.NoError(t, err)
	g.Admin().Delete(certificatesRoute+"/"+first).Refused(http.StatusConflict, "certificate_in_use")
	g.upload(root, now.Add(-time.Hour), now.Add(900*time.Hour), "*.own.example").Is(http.StatusCreated)
	g.Admin().Delete(certificatesRoute + "/" + first).Is(http.StatusNoContent)
	_, given := held(t, agent)
	require.Len(t, given, 1, "the other one took its place")

	_, err = g.take.Do(t.Context(), applyOf(flow, entries, nil))
	require.NoError(t, err)
	_, given = held(t, agent)
	require.Empty(t, given, "a flow that left its node leaves no key there")
}

// Flows share a node: what one apply takes away, another still shows.
func TestANodeKeepsWhatAnotherFlowShows(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now := acmetest.NewRoot(t), g.Clock.Now()
	g.upload(root, now.Add(-time.Hour), now.Add(1000*time.Hour), "*.own.example").Is(http.StatusCreated)
	agent := g.Enroll("n1")
	a, b := g.entry(agent, "a", "own.example"), g.entry(agent, "b", "own.example")
	first, second := g.flow("first"), g.flow("second")
	for flow, entries := range map[string][]flowsapi.Entry{first: {a}, second: {a, b}} {
		_, err := g.give.Do(t.Context(), applyOf(flow, nil, entries))
		require.NoError(t, err)
	}
	hosts := func() (names []string) {
		_, given := held(t, agent)
		for _, one := range given {
			names = append(names, one.Host)
		}
		return names
	}
	require.Equal(t, []string{"a.own.example", "b.own.example"}, hosts())
	_, err := g.take.Do(t.Context(), applyOf(second, []flowsapi.Entry{a, b}, nil))
	require.NoError(t, err)
	require.Equal(t, []string{"a.own.example"}, hosts())
}

// What keeps a certificate from being there is said in the plan with what to do, and no force passes it.
func TestThePlanSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now := acmetest.NewRoot(t), g.Clock.Now()
	agent := g.Enroll("n1")
	entries := []flowsapi.Entry{g.entry(agent, "n1", "own.example")}
	a := applyOf(g.flow("first"), nil, entries)
	look := func() flowsapi.Check {
		_, checks, err := g.give.Preview(t.Context(), a.Change)
		require.NoError(t, err)
		require.Len(t, checks, 1)
		return checks[0]
	}
	missing := look()
	require.Equal(t, flowsapi.Failed, missing.Status)
	require.True(t, missing.Blocks)
	require.Equal(t, "certificate_missing", missing.Finding.Code)
	require.Contains(t, missing.Finding.Text, "upload a certificate")
	_, err := g.give.Do(t.Context(), a)
	require.Error(t, err)

	g.upload(root, now.Add(-1000*time.Hour), now.Add(24*time.Hour), "n1.own.example").Is(http.StatusCreated)
	ending := look()
	require.Equal(t, flowsapi.Unconfirmed, ending.Status)
	require.Equal(t, "certificate_ends", ending.Finding.Code)
	g.upload(root, now.Add(-time.Hour), now.Add(1000*time.Hour), "n1.own.example").Is(http.StatusCreated)
	require.Equal(t, flowsapi.Confirmed, look().Status)

	plain := flowsapi.Entry{Block: "in", NodeID: agent.NodeID, Host: "192.0.2.1", Port: "443", Security: "reality"}
	outcome, err := g.give.Do(t.Context(), applyOf(a.Change.FlowID, nil, []flowsapi.Entry{plain}))
	require.NoError(t, err)
	require.Equal(t, flowsapi.Nothing, outcome.Result)
}

func TestANodeThatRefusesTheCertificateFailsTheApply(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now := acmetest.NewRoot(t), g.Clock.Now()
	g.upload(root, now.Add(-time.Hour), now.Add(1000*time.Hour), "n1.own.example").Is(http.StatusCreated)
	agent := g.Enroll("n1")
	a := applyOf(g.flow("first"), nil, []flowsapi.Entry{g.entry(agent, "n1", "own.example")})
	_, err := g.give.Do(t.Context(), a)
	require.NoError(t, err)
	document, _ := held(t, agent)
	agent.Beat(func(b *agentapi.Heartbeat) {
		b.Documents = []agentapi.DocumentStatus{{Name: document.Name, FailedRevision: document.Revision, Error: "no room"}}
	})
	require.Eventually(t, func() bool {
		_, err := g.give.Do(t.Context(), a)
		return err != nil && errors.Unwrap(err) == nil
	}, issuedWithin, every)
}

// Two hundred nodes of one zone: one issuance, and the next certificate is in all documents when it is stored.
func TestTwoHundredNodesOfOneZone(t *testing.T) {
	t.Parallel()
	g := newGiving(t, "alpha.example")
	g.ordering()
	g.add("our account")
	const fleet = 200
	entries := make([]flowsapi.Entry, fleet)
	var agents []*paneltest.Agent
	for i := range entries {
		name := fmt.Sprintf("node-%d", i)
		agent := &paneltest.Agent{NodeID: ""}
		if i < 2 {
			agent = g.Enroll(name)
			agents = append(agents, agent)
		} else {
			agent.NodeID = g.Admin().AddNode(name)
		}
		entries[i] = g.entry(agent, name, "alpha.example")
	}
	a := applyOf(g.flow("Europe"), nil, entries)
	g.until(a, flowsapi.Again, "waiting_for_nodes")
	require.Equal(t, 1, g.number("select count(*) from certificate_orders"))
	require.Equal(t, fleet, g.number("select count(*) from node_documents where name = 'certificates'"))

	root, now := acmetest.NewRoot(t), g.Clock.Now()
	g.upload(root, now.Add(-time.Hour), now.Add(10000*24*time.Hour), "*.alpha.example").Is(http.StatusCreated)
	require.Equal(t, fleet, g.number("select count(*) from node_documents where name = 'certificates' and revision = 2"))
	for _, agent := range agents {
		_, given := held(t, agent)
		require.Len(t, given, 1)
	}
}
