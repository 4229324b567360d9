package cdndns

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/paneltest"
)

const (
	oldAddress, newAddress = "203.0.113.7", "203.0.113.8"
)

// replacement is a flow whose only entry has a host name, and a node that takes the place of the entry's.
type replacement struct {
	*fronting
	admin            *paneltest.Client
	flow             string
	binding          string
	from, to         string
	host             string
	withCaller       context.Context //nolint:containedctx // a caller for all calls of a test
	before, replaced flowsapi.Entry
}

func newReplacement(t *testing.T, zone string, more ...fields) *replacement {
	t.Helper()
	r := &replacement{fronting: newFronting(t, "example.com"), host: "n1." + zone}
	r.add("main")
	r.admin = r.Admin()
	r.from, r.to = r.admin.AddNode("fra-01", "address", oldAddress), r.admin.AddNode("waw-01", "address", newAddress)
	body := fields{"node_id": r.from, "zone": zone, "label": "n1", "mode": "direct", "ttl": 60}
	for _, one := range more {
		maps.Copy(body, one)
	}
	r.binding = r.admin.Post(bindingsRoute, body).Is(http.StatusCreated).Text("id")
	r.withCaller = access.With(t.Context(), access.Caller{Kind: access.System, Username: "test"})
	r.flow = r.draw("Office", 443)
	r.before = flowsapi.Entry{
		Block: "in", NodeID: r.from, DomainID: r.binding, Host: r.host, Port: "443", Transport: "ws", Security: "tls",
	}
	r.replaced = r.before
	r.replaced.NodeID = r.to
	return r
}

func (r *replacement) draw(name string, port int) string {
	r.t.Helper()
	return r.admin.Post(flowsRoute, fields{"name": name, "graph": fields{
		"nodes": []fields{
			{
				"key": "in", "kind": "entry", "node_id": r.from, "node_domain_id": r.binding,
				"params": fields{"listener": fields{"protocol": "shadowsocks2022", "port": port}},
			},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "out"}},
	}}).Is(http.StatusCreated).Text("id")
}

// replace puts the new node in the place of the old one in all drafts, as an operator does.
func (r *replacement) replace() {
	r.t.Helper()
	begun := r.admin.Post(flowsRoute+"/bulk/replace-node", fields{"node_id": r.from, "by_node_id": r.to}).
		Is(http.StatusAccepted).Text("id")
	var change *paneltest.Answer
	require.Eventually(r.t, func() bool {
		change = r.admin.Get(flowsRoute + "/bulk/changes/" + begun).Is(http.StatusOK)
		return change.Value("finished_at") != nil
	}, soon, 50*time.Millisecond)
	for _, item := range change.Value("items").([]any) {
		require.Equal(r.t, "changed", item.(fields)["state"], "%v", item)
	}
}

func (r *replacement) bound() domainsapi.Domain {
	r.t.Helper()
	found, err := r.domains.ByIDs(r.t.Context(), r.binding)
	require.NoError(r.t, err)
	return found[r.binding]
}

// decided is what the transaction of an apply does that installs the flow on its new node.
func (r *replacement) decided() {
	r.t.Helper()
	require.NoError(r.t, r.domains.Arrive(r.withCaller, map[string]string{r.binding: r.to}))
}

// The record of a host name leads to the old node until the apply is decided, then to the new one, by itself; the plan
// says so before.
func TestARecordGoesWithTheFlowToTheNodeInItsPlace(t *testing.T) {
	t.Parallel()
	r := newReplacement(t, "example.com")
	r.becomes(r.binding, records.OK)
	r.replace()
	require.Equal(t, r.to, r.bound().MovingTo)
	r.becomes(r.binding, records.OK)
	require.Equal(t, []string{"A " + oldAddress}, r.stand(r.host), "nothing is installed on the new node yet")

	_, checks, err := r.watch.stage().Preview(t.Context(), flowsapi.Change{
		Before: []flowsapi.Entry{r.before}, After: []flowsapi.Entry{r.replaced},
	})
	require.NoError(t, err)
	require.Equal(t, "record_moves", checks[0].Finding.Code, "not that it leads to its node already")
	require.Equal(t, map[string]string{"host": r.host, "to": newAddress}, checks[0].Finding.Params)
	require.Equal(t, flowsapi.Confirmed, checks[0].Status)
	require.Equal(t, r.to, checks[0].NodeID)

	r.decided()
	require.Eventually(t, func() bool {
		found := r.stand(r.host)
		return len(found) == 1 && found[0] == "A "+newAddress
	}, soon, 50*time.Millisecond, "one record, and nobody asks for it")
	d := r.becomes(r.binding, records.OK)
	require.Equal(t, []string{newAddress}, d.ResolvedIPs)
}

// Nobody but the operator can lead a name of a foreign zone: the plan says where to, and asks.
func TestAPlanSaysThatANameMustBeLedByHand(t *testing.T) {
	t.Parallel()
	r := newReplacement(t, "example.org")
	r.becomes(r.binding, records.Mismatch)
	r.replace()
	change := flowsapi.Change{Before: []flowsapi.Entry{r.before}, After: []flowsapi.Entry{r.replaced}}
	_, checks, err := r.watch.stage().Preview(t.Context(), change)
	require.NoError(t, err)
	require.Equal(t, "record_moves_by_hand", checks[0].Finding.Code)
	require.Equal(t, newAddress, checks[0].Finding.Params["to"])
	require.Equal(t, flowsapi.Unconfirmed, checks[0].Status)
	require.False(t, checks[0].Blocks)
	r.decided()
	_, checks, err = r.watch.stage().Preview(t.Context(), change)
	require.NoError(t, err)
	require.Equal(t, "record_mismatch", checks[0].Finding.Code, "it has moved: what name servers say counts")
}

// A network gets the new node before the switch and loses the old one after the commit; an apply that fails leaves it
// as it was.
func TestANetworkGoesWithTheFlowToTheNodeInItsPlace(t *testing.T) {
	t.Parallel()
	r := newReplacement(t, "example.com", fields{"mode": "cdn"})
	first := applyOf(r.flow, nil, []flowsapi.Entry{r.before})
	r.done(r.provision, first)
	r.done(r.release, first)
	r.replace()
	again := applyOf(r.flow, []flowsapi.Entry{r.before}, []flowsapi.Entry{r.replaced})
	diffs, checks, err := r.provision.Preview(t.Context(), again.Change)
	require.NoError(t, err)
	require.Equal(t, "cdn_carries", checks[0].Finding.Code)
	require.Equal(t, "A "+newAddress, diffs[0].To)

	r.done(r.provision, again)
	require.Equal(t, []string{r.host + " A " + oldAddress, r.host + " A " + newAddress}, slices.Sorted(slices.Values(r.proxied())))
	require.NoError(t, r.provision.Undo(t.Context(), again))
	require.Equal(t, []string{r.host + " A " + oldAddress}, r.proxied())

	again.ID = database.NewID()
	r.done(r.provision, again)
	r.decided()
	r.done(r.release, again)
	require.Equal(t, []string{r.host + " A " + newAddress}, r.proxied())
	require.Equal(t, cdn.StateReady, r.resources()[0].State)
}

// A second flow of the name that is still on the old node takes nothing back: rendered again there, it leaves the
// network where the first flow has taken it.
func TestAFlowThatIsStillOnTheOldNodeTakesNoNetworkBack(t *testing.T) {
	t.Parallel()
	r := newReplacement(t, "example.com", fields{"mode": "cdn"})
	second := r.draw("Other", 8443)
	old := []flowsapi.Entry{r.before}
	for _, flow := range []string{r.flow, second} {
		a := applyOf(flow, nil, old)
		r.done(r.provision, a)
		r.done(r.release, a)
	}
	r.replace()
	moved := applyOf(r.flow, old, []flowsapi.Entry{r.replaced})
	r.done(r.provision, moved)
	r.decided()
	r.done(r.release, moved)
	require.Equal(t, r.from, r.bound().MovedFrom, "the second flow has its right to the name there")

	rendered := applyOf(second, old, old)
	diffs, _, err := r.provision.Preview(t.Context(), rendered.Change)
	require.NoError(t, err)
	require.Empty(t, diffs)
	r.done(r.provision, rendered)
	r.done(r.release, rendered)
	require.Equal(t, []string{r.host + " A " + newAddress}, r.proxied())
}
