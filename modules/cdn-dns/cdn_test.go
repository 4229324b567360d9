package cdndns

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/cdn-dns/internal/lookup"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/paneltest"
)

const resourcesRoute = "/api/v1/cdn/resources"

// fronting is a bench with the stages of networks, called as an apply calls them.
type fronting struct {
	*bench
	provision, release flowsapi.Stage
	watch              *watcher
	domains            domainsapi.Domains
}

func newFronting(t *testing.T, zones ...string) *fronting {
	t.Helper()
	cloud := dnstest.NewCloudflare(t, zones...)
	cloud.Allow(token, dnstest.Full())
	var open func(*integrations) (*networks, *watcher)
	var bindings domainsapi.Domains
	asking := module.Module{
		Name: "asking", Summary: "Lets the test ask", Requires: []string{"nodes", "domains"},
		Attach: func(
			db *database.DB, l *database.Listener, n *outbound.Network, j audit.Journal, b *events.Bus,
			clock clockwork.Clock, log *zap.Logger, d domainsapi.Domains, f nodesapi.Fleet, stop *automation.Switch,
		) module.Parts {
			bindings = d
			open = func(i *integrations) (*networks, *watcher) {
				resolver := lookup.New(n, []string{cloud.Address})
				w := newWatcher(db, l, j, b, clock, log, resolver, d, f, stop, i)
				return newNetworks(db, j, b, clock, d, f, w), w
			}
			return module.Parts{}
		},
	}
	all := paneltest.Modules(nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module(), asking)
	f := &fronting{bench: &bench{t: t, cloud: cloud, Panel: paneltest.Start(t, all, paneltest.Env(map[string]string{
		cloudflareRoot.Name: cloud.Root, resolvers.Name: cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))}}
	made, watching := open(f.rules())
	stages := made.Stages()
	f.provision, f.release, f.watch, f.domains = stages[0], stages[1], watching, bindings
	return f
}

// entry is one that a network can carry, at a new node with this address.
func (f *fronting) entry(address, label, zone string) flowsapi.Entry {
	f.t.Helper()
	id, node := f.at(address, label, zone, fields{"mode": "cdn"})
	return flowsapi.Entry{
		Block: "in", NodeID: node, DomainID: id, Host: label + "." + zone, Port: "443", Transport: "ws", Security: "tls",
	}
}

// done calls the stage again, as an apply does, until it has nothing to wait for.
func (f *fronting) done(stage flowsapi.Stage, a flowsapi.Apply) flowsapi.Outcome {
	f.t.Helper()
	for range 100 {
		outcome, err := stage.Do(f.t.Context(), a)
		require.NoError(f.t, err)
		if outcome.Result != flowsapi.Again {
			return outcome
		}
	}
	require.Fail(f.t, "the stage waits for ever")
	return flowsapi.Outcome{}
}

func (f *fronting) resources() (all []cdn.Resource) {
	f.t.Helper()
	var page struct{ Items []cdn.Resource }
	f.Admin().Get(resourcesRoute).Is(http.StatusOK).JSON(&page)
	return page.Items
}

func (f *fronting) proxied() (all []string) {
	for _, r := range f.cloud.Records() {
		require.True(f.t, r.Proxied, "%s %s", r.Type, r.Content)
		all = append(all, r.Name+" "+r.Type+" "+r.Content)
	}
	return all
}

// The plan shows it, the apply makes it, and when no flow needs it any more nothing of it is left.
func TestAnApplyPutsANetworkInFrontOfItsEntries(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	news := f.Follow()
	entry := f.entry("203.0.113.7", "n1", "example.com")
	a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})

	diffs, checks, err := f.provision.Preview(t.Context(), a.Change)
	require.NoError(t, err)
	require.Equal(t, []flowsapi.Diff{{
		Group: flowsapi.GroupCDN, Op: "added", NodeID: entry.NodeID, Name: "n1.example.com", Field: "record",
		To: "A 203.0.113.7",
	}}, diffs)
	require.Equal(t, flowsapi.Confirmed, checks[0].Status)
	require.Equal(t, "cdn_carries", checks[0].Finding.Code)
	require.Empty(t, f.cloud.Records(), "a plan changes nothing")

	require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)
	require.Equal(t, []string{"n1.example.com A 203.0.113.7"}, f.proxied())
	require.Equal(t, entry.DomainID, news.Next(cdn.KindProvisioned).SubjectID)
	shown := f.resources()
	require.Len(t, shown, 1)
	require.Equal(t, cdn.StateReady, shown[0].State)
	require.True(t, shown[0].Made)
	require.Equal(t, cdn.Record{Type: "A", Value: "203.0.113.7"}, shown[0].Record)
	require.Equal(t, []string{a.Change.FlowID}, shown[0].FlowIDs)
	require.Equal(t, a.ID, shown[0].ApplyID)
	diffs, _, err = f.provision.Preview(t.Context(), a.Change)
	require.NoError(t, err)
	require.Empty(t, diffs, "it stands")
	require.Equal(t, flowsapi.Done, f.done(f.release, a).Result)
	require.Len(t, f.proxied(), 1, "the installed flow needs it")

	gone := applyOf(a.Change.FlowID, a.Change.After, nil)
	diffs, _, err = f.provision.Preview(t.Context(), gone.Change)
	require.NoError(t, err)
	require.Equal(t, "removed", diffs[0].Op)
	require.Equal(t, "A 203.0.113.7", diffs[0].From)
	require.Equal(t, flowsapi.Nothing, f.done(f.provision, gone).Result)
	require.Len(t, f.proxied(), 1, "it serves until the flow is gone")
	require.Equal(t, flowsapi.Done, f.done(f.release, gone).Result)
	require.Empty(t, f.cloud.Records())
	require.Empty(t, f.resources())
	require.Equal(t, flowsapi.Nothing, f.done(f.release, gone).Result)
}

// A panel dies at each of its calls, whose answers are lost: the next one makes the record once, or undoes it; either
// way nothing is left behind.
func TestANetworkIsMadeOnceWhereverAPanelDies(t *testing.T) {
	t.Parallel()
	for _, goesOn := range []bool{true, false} {
		for dies := int32(1); ; dies++ {
			f := newFronting(t, "example.com")
			f.add("main")
			a := applyOf(database.NewID(), nil, []flowsapi.Entry{f.entry("203.0.113.7", "n1", "example.com")})
			ctx, die := context.WithCancel(t.Context())
			var calls atomic.Int32
			f.cloud.Before(func(string, string) {
				if calls.Add(1) == dies {
					die()
				}
			})
			_, err := f.provision.Do(ctx, a)
			die()
			if err == nil && calls.Load() < dies {
				require.Greater(t, dies, int32(3), "it calls at least for records, a write and its check")
				break
			}
			f.cloud.Before(nil)
			if goesOn {
				require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)
				require.Equal(t, []string{"n1.example.com A 203.0.113.7"}, f.proxied(), "killed at call %d", dies)
				require.True(t, f.resources()[0].Made)
			}
			require.NoError(t, f.provision.Undo(t.Context(), a))
			require.Empty(t, f.cloud.Records(), "killed at call %d", dies)
			require.Empty(t, f.resources())
			require.NoError(t, f.provision.Undo(t.Context(), a), "it is idempotent")
		}
	}
}

// What the panel did not make is never changed: it stops the apply, or is used as it is and left.
func TestRecordsOfSomebodyElseAreLeftByTheNetwork(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	news := f.Follow()
	for label, other := range map[string]dnstest.CloudflareRecord{
		"n1": {Type: "A", Content: "198.51.100.1", TTL: 60},
		"n2": {Type: "CNAME", Content: "elsewhere.example.org", TTL: 60},
		"n3": {Type: "A", Content: "203.0.113.7", TTL: 60}, // the node's own, past the network
	} {
		entry := f.entry("203.0.113.7", label, "example.com")
		other.Zone, other.Name = "example.com", entry.Host
		f.cloud.Put(other)
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
		_, err := f.provision.Do(t.Context(), a)
		require.Equal(t, "record_conflict", fault.Code(err), label)
		require.NotEmpty(t, news.Next(cdn.KindFailed).SubjectID)
		require.NoError(t, f.provision.Undo(t.Context(), a))
		require.Len(t, f.stand(entry.Host), 1)
	}
	entry := f.entry("203.0.113.7", "n4", "example.com")
	f.cloud.Put(dnstest.CloudflareRecord{
		Zone: "example.com", Name: entry.Host, Type: "A", Content: "203.0.113.7", TTL: 1, Proxied: true,
	})
	a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
	require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)
	require.False(t, f.resources()[0].Made)
	f.done(f.release, applyOf(a.Change.FlowID, a.Change.After, nil))
	require.Len(t, f.stand(entry.Host), 1, "it was there before")
}

// Two flows at one host name: it stands as long as one of them needs it.
func TestANetworkStaysAsLongAsAFlowNeedsIt(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	entries := []flowsapi.Entry{f.entry("203.0.113.7", "n1", "example.com")}
	first, second := applyOf(database.NewID(), nil, entries), applyOf(database.NewID(), nil, entries)
	f.done(f.provision, first)
	f.done(f.provision, second)
	require.Len(t, f.proxied(), 1)
	require.NoError(t, f.provision.Undo(t.Context(), first))
	require.Len(t, f.proxied(), 1, "the second flow needs what the first one made")
	f.done(f.provision, first)
	f.done(f.release, applyOf(second.Change.FlowID, entries, nil))
	require.Len(t, f.proxied(), 1)
	f.done(f.release, applyOf(first.Change.FlowID, entries, nil))
	require.Empty(t, f.cloud.Records())
}

// A node that has moved: the new address is added before the switch and the old one removed after the commit; an apply
// that fails removes what it added and nothing else.
func TestANetworkFollowsTheAddressOfItsNode(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	entries := []flowsapi.Entry{f.entry("203.0.113.7", "n1", "example.com")}
	first := applyOf(database.NewID(), nil, entries)
	f.done(f.provision, first)
	f.done(f.release, first)
	node := f.Admin().Get("/api/v1/nodes/" + entries[0].NodeID).Is(http.StatusOK)
	f.Admin().Patch("/api/v1/nodes/"+entries[0].NodeID, fields{
		"revision": node.Value("revision"), "address": "203.0.113.8",
	}).Is(http.StatusOK)
	again := applyOf(first.Change.FlowID, entries, entries)
	f.done(f.provision, again)
	require.Len(t, f.proxied(), 2)
	require.NoError(t, f.provision.Undo(t.Context(), again))
	require.Equal(t, []string{"n1.example.com A 203.0.113.7"}, f.proxied())
	f.done(f.provision, again)
	f.done(f.release, again)
	require.Equal(t, []string{"n1.example.com A 203.0.113.8"}, f.proxied())
}

// A network that is slow, or a service that asks to wait, makes the apply wait in its stage. Credentials that are
// refused end it.
func TestASlowNetworkIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	a := applyOf(database.NewID(), nil, []flowsapi.Entry{f.entry("203.0.113.7", "n1", "example.com")})
	f.cloud.Limit(1000)
	outcome, err := f.provision.Do(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, flowsapi.Again, outcome.Result)
	require.Equal(t, "waiting_for_cdn_service", outcome.Detail.Code)
	require.True(t, outcome.At.After(f.Clock.Now()))

	f.cloud.Limit(0)
	f.cloud.Mute(true)
	outcome, err = f.provision.Do(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, "waiting_for_cdn", outcome.Detail.Code)
	require.Equal(t, cdn.StateProvisioning, f.resources()[0].State)
	f.cloud.Mute(false)
	require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)

	f.cloud.Allow(token, nil)
	_, err = f.provision.Do(t.Context(), a)
	require.Equal(t, "dns_token_refused", fault.Code(err))
	require.Error(t, f.provision.Undo(t.Context(), a), "what was made cannot be removed yet")
	f.cloud.Allow(token, dnstest.Full())
	require.NoError(t, f.provision.Undo(t.Context(), a))
	require.Empty(t, f.cloud.Records())
}

// A network that somebody has switched off past the panel is switched on again by the next apply.
func TestANetworkThatWasSwitchedOffIsSwitchedOn(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	a := applyOf(database.NewID(), nil, []flowsapi.Entry{f.entry("203.0.113.7", "n1", "example.com")})
	f.done(f.provision, a)
	f.cloud.SwitchOff("n1.example.com")
	f.done(f.provision, a)
	require.Equal(t, []string{"n1.example.com A 203.0.113.7"}, f.proxied())
}

// A binding that led to its node before: its own record goes by itself and is waited for.
func TestADirectNameBecomesOneOfANetwork(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	id, node := f.at("203.0.113.7", "n1", "example.com")
	f.becomes(id, "ok")
	f.Admin().Patch(bindingsRoute+"/"+id, fields{"revision": 1, "mode": "cdn"}).Is(http.StatusOK)
	a := applyOf(database.NewID(), nil, []flowsapi.Entry{{
		Block: "in", NodeID: node, DomainID: id, Host: "n1.example.com", Port: "443", Transport: "ws", Security: "tls",
	}})
	require.Eventually(t, func() bool {
		outcome, err := f.provision.Do(t.Context(), a)
		require.NoError(t, err)
		return outcome.Result == flowsapi.Done
	}, soon, every)
	require.Equal(t, []string{"n1.example.com A 203.0.113.7"}, f.proxied())
}

// Rule: a network passes HTTP on, at the ports of its list alone. No force passes an entry that it cannot carry.
func TestANetworkCarriesWhatItCanAlone(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	good := f.entry("203.0.113.7", "n1", "example.com")
	judge := func(e flowsapi.Entry) flowsapi.Check {
		_, checks, err := f.provision.Preview(t.Context(), flowsapi.Change{After: []flowsapi.Entry{e}})
		require.NoError(t, err)
		require.Len(t, checks, 1)
		return checks[0]
	}
	require.Equal(t, "cdn_unmanaged", judge(good).Finding.Code)
	f.add("main")
	for code, changes := range map[string][]func(*flowsapi.Entry){
		"cdn_carries": {
			func(*flowsapi.Entry) {},
			func(e *flowsapi.Entry) { e.Port = "8443" },
			func(e *flowsapi.Entry) { e.Transport = "grpc" },
			func(e *flowsapi.Entry) { e.Port, e.Security = "8080", "none" },
		},
		"cdn_port": {
			func(e *flowsapi.Entry) { e.Port = "4443" },
			func(e *flowsapi.Entry) { e.Port = "443-450" },
			func(e *flowsapi.Entry) { e.Port, e.Transport = "8443", "grpc" },
			func(e *flowsapi.Entry) { e.Security = "none" },
		},
		"cdn_transport": {
			func(e *flowsapi.Entry) { e.Transport = "raw" },
			func(e *flowsapi.Entry) { e.Security = "reality" },
			func(e *flowsapi.Entry) { e.Transport, e.Security, e.Port = "grpc", "none", "80" },
		},
	} {
		for i, change := range changes {
			e := good
			change(&e)
			check := judge(e)
			require.Equal(t, code, check.Finding.Code, "%s %d", code, i)
			require.Equal(t, code != "cdn_carries", check.Blocks)
		}
	}
	unreached := f.entry("127.0.0.1", "n2", "example.com")
	require.Equal(t, "cdn_no_address", judge(unreached).Finding.Code)
}

func TestWhatStandsAtNetworksIsShownToThoseWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.As("nodes.view").Get(resourcesRoute).Refused(http.StatusForbidden, "permission_denied")
	f.As("dns.view").Get(resourcesRoute).Is(http.StatusOK)
	f.As("dns.view").Get(resourcesRoute+"?sort=value").Refused(http.StatusBadRequest, "bad_parameter")
}
