package cdndns

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

const soon = 30 * time.Second

// at binds a name to a new node with this address and gives the ids of both.
func (b *bench) at(address, label, zone string, more ...fields) (binding, node string) {
	b.t.Helper()
	node = b.Admin().AddNode("node-"+label, "address", address)
	body := fields{"node_id": node, "zone": zone, "label": label, "mode": "direct", "ttl": 60}
	for _, one := range more {
		for name, value := range one {
			body[name] = value
		}
	}
	return b.Admin().Post(bindingsRoute, body).Is(http.StatusCreated).Text("id"), node
}

func (b *bench) dns(id string) (d records.Detail) {
	b.t.Helper()
	b.Admin().Get(bindingsRoute + "/" + id + "/dns").Is(http.StatusOK).JSON(&d)
	return d
}

func (b *bench) look(id string) (d records.Detail) {
	b.t.Helper()
	b.Admin().Post(bindingsRoute+"/"+id+"/check", nil).Is(http.StatusOK).JSON(&d)
	return d
}

// becomes looks until the name is in a state.
func (b *bench) becomes(id, state string) (d records.Detail) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { d = b.look(id); return d.State == state }, soon, 50*time.Millisecond,
		"the state %s", state)
	return d
}

// stand are the contents at a name, as the service holds them.
func (b *bench) stand(name string) (found []string) {
	for _, r := range b.cloud.Records() {
		if r.Name == name {
			found = append(found, r.Type+" "+r.Content)
		}
	}
	slices.Sort(found)
	return found
}

// A binding in a zone that an integration holds gets its record, which is looked up until everybody sees it, and goes
// with the binding. Nobody asks for anything.
func TestABindingMakesItsRecordAndTakesItAlong(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	news := b.Follow()
	b.add("main")
	id, node := b.at("203.0.113.7", "n1", "example.com")
	require.Equal(t, id, news.Next(records.KindOK).SubjectID)
	require.Equal(t, []string{"A 203.0.113.7"}, b.stand("n1.example.com"))
	d := b.dns(id)
	require.Equal(t, records.OK, d.State)
	require.True(t, d.Managed)
	require.Equal(t, []records.Wanted{{
		Type: "A", Name: "n1.example.com", Value: "203.0.113.7", TTL: 60, State: "written",
	}}, d.Wanted)
	require.Equal(t, []string{"203.0.113.7"}, d.ResolvedIPs)
	require.Len(t, d.Seen, 2, "the zone's own server and the resolver")
	require.Contains(t, b.Recorded("dns_name", "n1.example.com"), records.ActionWritten)
	shown := b.Admin().Get(bindingsRoute + "/" + id).Is(http.StatusOK)
	require.Equal(t, "ok", shown.Text("dns_state"))
	require.Equal(t, []any{"203.0.113.7"}, shown.Value("resolved_ips"))

	second := b.Admin().Post(bindingsRoute, fields{"node_id": node, "zone": "example.com", "label": "n2"}).
		Is(http.StatusCreated).Text("id")
	b.becomes(second, records.OK)
	b.Admin().Delete(bindingsRoute + "/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return len(b.stand("n1.example.com")) == 0 }, soon, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		return slices.Contains(b.Recorded("dns_name", "n1.example.com"), records.ActionRemoved)
	}, soon, 50*time.Millisecond, "the journal follows the service")
	require.Len(t, b.stand("n2.example.com"), 1, "no other record is touched")

	b.Admin().Delete("/api/v1/nodes/" + node).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return len(b.cloud.Records()) == 0 }, soon, 50*time.Millisecond,
		"the records of a node that is gone")
	require.Eventually(t, func() bool { return b.count("select count(*) from domain_watches") == 0 }, soon,
		50*time.Millisecond)
}

func (b *bench) count(query string) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw(query).Scan(b.t.Context(), &n))
	return n
}

// "Never touches a record that it did not make": one that stands in the way stops the writing, is shown, blocks the
// plan, and is still there when the binding goes.
func TestARecordOfSomebodyElseIsNeverTouched(t *testing.T) {
	t.Parallel()
	for _, there := range []dnstest.CloudflareRecord{
		{Zone: "example.com", Type: "A", Name: "n1.example.com", Content: "198.51.100.9", TTL: 300},
		{Zone: "example.com", Type: "AAAA", Name: "n1.example.com", Content: "2001:db8::9", TTL: 300},
		{Zone: "example.com", Type: "CNAME", Name: "n1.example.com", Content: "other.example.net", TTL: 300},
	} {
		b := newBench(t, "example.com")
		b.cloud.Put(there)
		b.add("main")
		id, node := b.at("203.0.113.7", "n1", "example.com")
		d := b.becomes(id, records.Mismatch)
		require.Equal(t, []records.Conflict{{Type: there.Type, Name: there.Name, Value: there.Content}}, d.Conflicts)
		require.Equal(t, "conflict", d.Wanted[0].State)
		require.Equal(t, []string{there.Type + " " + there.Content}, b.stand("n1.example.com"))

		check, known := judgeRecords(d.Hostname, d)
		require.True(t, known)
		require.True(t, check.Blocks)
		require.Equal(t, flowsapi.Failed, check.Status)
		require.Equal(t, "record_conflict", check.Finding.Code)

		b.Admin().Delete(bindingsRoute + "/" + id).Is(http.StatusNoContent)
		require.Eventually(t, func() bool { return b.count("select count(*) from domain_watches") == 0 }, soon,
			50*time.Millisecond)
		require.Equal(t, []string{there.Type + " " + there.Content}, b.stand("n1.example.com"))
		require.NotEmpty(t, node)
	}
}

// A record that stood there already is as good as one of the panel's own, and is left when the binding goes.
func TestARecordThatStoodThereAlreadyIsLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.cloud.Put(dnstest.CloudflareRecord{
		Zone: "example.com", Type: "A", Name: "n1.example.com", Content: "203.0.113.7", TTL: 300,
	})
	b.add("main")
	id, _ := b.at("203.0.113.7", "n1", "example.com")
	require.Equal(t, "found", b.becomes(id, records.OK).Wanted[0].State)
	b.Admin().Delete(bindingsRoute + "/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return b.count("select count(*) from domain_watches") == 0 }, soon,
		50*time.Millisecond)
	require.Equal(t, []string{"A 203.0.113.7"}, b.stand("n1.example.com"))
	require.NotContains(t, b.Recorded("dns_name", "n1.example.com"), records.ActionRemoved)
}

// When the node moves, the new record is written before the old one is removed: the name leads somewhere at any time.
func TestARecordFollowsTheAddressOfItsNode(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, node := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	var mu sync.Mutex
	var acts []string
	b.cloud.Before(func(method, path string) {
		mu.Lock()
		defer mu.Unlock()
		if method != http.MethodGet {
			acts = append(acts, method)
		}
	})
	revision := b.Admin().Get("/api/v1/nodes/" + node).Is(http.StatusOK).Value("revision")
	b.Admin().Patch("/api/v1/nodes/"+node, fields{"revision": revision, "address": "203.0.113.8"}).Is(http.StatusOK)
	require.Eventually(t, func() bool {
		return slices.Equal(b.stand("n1.example.com"), []string{"A 203.0.113.8"})
	}, soon, 50*time.Millisecond)
	mu.Lock()
	require.Equal(t, []string{http.MethodPost, http.MethodDelete}, acts)
	mu.Unlock()
	b.becomes(id, records.OK)

	revision = b.Admin().Get(bindingsRoute + "/" + id).Is(http.StatusOK).Value("revision")
	b.Admin().Patch(bindingsRoute+"/"+id, fields{"revision": revision, "label": "moved"}).Is(http.StatusOK)
	require.Eventually(t, func() bool {
		return len(b.stand("n1.example.com")) == 0 && len(b.stand("moved.example.com")) == 1
	}, soon, 50*time.Millisecond, "a new name")
}

// A panel that dies after the service has written a record and before it could note that goes on with the same record:
// it is the panel's, and there is no second one.
func TestARecordIsThePanelsAlsoWhenItDiedInBetween(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, _ := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	_, err := b.DB.NewRaw("update domain_records set phase = 'intent', provider_id = ''").Exec(t.Context())
	require.NoError(t, err)
	require.Equal(t, "written", b.becomes(id, records.OK).Wanted[0].State)
	require.Len(t, b.stand("n1.example.com"), 1)
	b.Admin().Delete(bindingsRoute + "/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return len(b.cloud.Records()) == 0 }, soon, 50*time.Millisecond)
}

// A service that refuses is named with its reason; the panel writes as soon as it can.
func TestWhatTheServiceRefusesIsSaidAndTriedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	reading := dnstest.Full()
	reading.DNSEdit = false
	b.cloud.Allow(token, reading)
	id, _ := b.at("203.0.113.7", "n1", "example.com")
	require.Eventually(t, func() bool { return b.look(id).LastError != "" }, soon, 50*time.Millisecond)
	d := b.dns(id)
	require.Contains(t, d.LastError, "DNS:Edit")
	require.Equal(t, "missing", d.Wanted[0].State)
	require.NotContains(t, d.LastError, token)
	finding := astray(t.Context(), asked(b.DB.Pool.Config().ConnString()))
	require.Equal(t, doctor.Warning, finding.Status)
	require.Equal(t, "n1.example.com", finding.Subject)

	b.cloud.Allow(token, dnstest.Full())
	require.Empty(t, b.becomes(id, records.OK).LastError)
	finding = astray(t.Context(), asked(b.DB.Pool.Config().ConnString()))
	require.Equal(t, doctor.OK, finding.Status)
	require.Contains(t, b.Scrape(), `panel_domains{state="ok"} 1`)
}

// A record that was removed behind the panel's back is written again; it is told once that the name led nowhere, and
// once that it leads to its node again.
func TestAMismatchIsToldOnceAndMended(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, _ := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	news := b.Follow()
	b.cloud.Mute(true)
	require.Equal(t, records.Mismatch, b.look(id).State)
	b.look(id)
	told := news.Next(records.KindMismatch)
	require.Equal(t, id, told.SubjectID)
	b.look(id)
	b.cloud.Mute(false)
	b.becomes(id, records.OK)
	require.Equal(t, id, news.Next(records.KindOK).SubjectID)
	require.Equal(t, 1, b.count("select count(*) from domain_watches where told = 'domain.dns_ok'"))
}

// Without an integration the panel writes nothing: it says what is wanted and what a real server answers.
func TestWithoutAnIntegrationThePanelOnlyLooks(t *testing.T) {
	t.Parallel()
	server := dnstest.NewPowerDNS(t, "example.net")
	panel := paneltest.Start(t, built(), paneltest.Env(map[string]string{
		resolvers.Name: server.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))
	b := &bench{Panel: panel, t: t}
	id, _ := b.at("203.0.113.7", "n1", "example.net")
	d := b.becomes(id, records.Mismatch)
	require.False(t, d.Managed)
	require.Equal(t, "missing", d.Wanted[0].State)
	require.Equal(t, "empty", d.Seen[0].Answer)
	server.Set("example.net", "n1.example.net", "A", "198.51.100.1")
	require.Equal(t, "different", b.becomes(id, records.Mismatch).Seen[0].Answer)
	server.Set("example.net", "n1.example.net", "A", "203.0.113.7")
	require.Equal(t, []string{"203.0.113.7"}, b.becomes(id, records.OK).ResolvedIPs)
}

// "IPv6-only nodes end to end", by signed updates of a real BIND: the record is an AAAA, also where the binding shows
// it.
func TestANodeWithIPv6AloneGetsAnAAAA(t *testing.T) {
	t.Parallel()
	server := dnstest.NewBIND(t, "example.org")
	panel := paneltest.Start(t, built(), paneltest.Env(map[string]string{
		resolvers.Name: server.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))
	b := &bench{Panel: panel, t: t}
	b.Admin().Post(integrationsRoute, fields{"provider": "rfc2136", "label": "bind", "fields": fields{
		"server": server.Address, "key_name": server.KeyName, "key_secret": server.Secret, "zones": "example.org",
	}}).Is(http.StatusCreated)
	id, _ := b.at("2001:db8::7", "n1", "example.org")
	d := b.becomes(id, records.OK)
	require.Equal(t, "AAAA", d.Wanted[0].Type)
	require.Equal(t, "AAAA", b.Admin().Get(bindingsRoute+"/"+id).Is(http.StatusOK).Text("record.type"))
	require.Len(t, dnstest.Ask(t, server.Address, "n1.example.org", dns.TypeAAAA).Answer, 1)

	taken, _ := b.at("203.0.113.7", "taken", "example.org")
	require.NotEmpty(t, b.becomes(taken, records.Mismatch).Conflicts, "an address that BIND had before")
}

// DNS changes stop while the panel is read-only; looking goes on, and the reason is shown.
func TestNothingIsWrittenWhileThePanelIsReadOnly(t *testing.T) {
	t.Parallel()
	cloud := dnstest.NewCloudflare(t, "example.com")
	cloud.Allow(token, dnstest.Full())
	license := &switched{state: entitlement.State{State: entitlement.Active, Enabled: []string{feature, "flows"}}}
	panel := paneltest.Start(t, built(), paneltest.License(license), paneltest.Env(map[string]string{
		cloudflareRoot.Name: cloud.Root, resolvers.Name: cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))
	b := &bench{Panel: panel, t: t, cloud: cloud}
	b.add("main")
	id, node := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	license.set(entitlement.State{State: entitlement.Active, Enabled: []string{"flows"}})
	revision := b.Admin().Get("/api/v1/nodes/" + node).Is(http.StatusOK).Value("revision")
	b.Admin().Patch("/api/v1/nodes/"+node, fields{"revision": revision, "address": "203.0.113.8"}).Is(http.StatusOK)
	require.Eventually(t, func() bool {
		return strings.Contains(b.dns(id).LastError, "its feature is not in the plan")
	}, soon, 50*time.Millisecond)
	require.Equal(t, []string{"A 203.0.113.7"}, b.stand("n1.example.com"))
	license.set(entitlement.State{State: entitlement.Active, Enabled: []string{feature, "flows"}})
	b.becomes(id, records.OK)
	require.Equal(t, []string{"A 203.0.113.8"}, b.stand("n1.example.com"))
}

const automationRoute = "/api/v1/system/automation"

// While everything automatic is stopped a record that somebody removed is not written again, and the binding says why;
// what a person asks for is written all the same. Resumed, the panel mends what was left.
func TestNoRecordIsMendedWhileEverythingAutomaticIsStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, node := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	require.Eventually(t, func() bool { return b.count("select count(*) from domain_watches where asked > 0") == 0 }, soon,
		50*time.Millisecond, "what was asked for is done")
	b.Admin().Post(automationRoute+"/stop", fields{"reason": "strange"}).Is(http.StatusOK)
	b.cloud.Wipe()
	b.becomes(id, records.Mismatch)
	for range 3 {
		require.Contains(t, b.look(id).LastError, "everything automatic is stopped")
	}
	require.Empty(t, b.stand("n1.example.com"))

	second := b.Admin().Post(bindingsRoute, fields{"node_id": node, "zone": "example.com", "label": "n2"}).
		Is(http.StatusCreated).Text("id")
	b.becomes(second, records.OK)
	require.Empty(t, b.stand("n1.example.com"))

	b.Admin().Post(automationRoute+"/resume", nil).Is(http.StatusOK)
	b.becomes(id, records.OK)
	require.Equal(t, []string{"A 203.0.113.7"}, b.stand("n1.example.com"))
}

// What somebody asks for while a look is under way is done by the next one, also while everything automatic is stopped.
func TestAChangeDuringALookIsNotForgotten(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, node := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	none := func() bool { return b.count("select count(*) from domain_watches where asked > 0") == 0 }
	require.Eventually(t, none, soon, 50*time.Millisecond)
	b.Admin().Post(automationRoute+"/stop", fields{"reason": "strange"}).Is(http.StatusOK)

	begun, changed, first := make(chan struct{}), make(chan struct{}), sync.Once{}
	b.cloud.BeforeAnswer(func() { first.Do(func() { close(begun); <-changed }) })
	looked := make(chan struct{})
	go func() { defer close(looked); b.look(id) }()
	<-begun
	revision := b.Admin().Get("/api/v1/nodes/" + node).Value("revision")
	b.Admin().Patch("/api/v1/nodes/"+node, fields{"revision": revision, "address": "203.0.113.8"}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return !none() }, soon, 5*time.Millisecond, "the change is known")
	close(changed)
	<-looked
	require.Eventually(t, func() bool { return slices.Equal(b.stand("n1.example.com"), []string{"A 203.0.113.8"}) }, soon,
		50*time.Millisecond)
}

type switched struct {
	mu    sync.Mutex
	state entitlement.State
}

func (s *switched) Current() entitlement.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *switched) set(to entitlement.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = to
}

// The plan says of each entry with a host name whether it leads to its node; what nobody could look at is left out.
func TestThePlanSaysWhereNamesLead(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	good, node := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(good, records.OK)
	b.cloud.Mute(true)
	bad, other := b.at("203.0.113.8", "n2", "example.org")
	b.becomes(bad, records.Mismatch)
	unknown := b.Admin().Post(bindingsRoute, fields{
		"node_id": b.Admin().AddNode("no address"), "zone": "example.org", "label": "n3",
	}).Is(http.StatusCreated).Text("id")
	b.becomes(unknown, records.Pending)
	checks := b.previewed(flowsapi.Change{After: []flowsapi.Entry{
		{Block: "a", NodeID: node, DomainID: good, Host: "n1.example.com"},
		{Block: "b", NodeID: other, DomainID: bad, Host: "n2.example.org"},
		{Block: "c", NodeID: other, DomainID: unknown, Host: "n3.example.org"},
		{Block: "d", NodeID: other, Host: "203.0.113.8"},
	}})
	require.Len(t, checks, 2)
	require.Equal(t, flowsapi.Confirmed, checks[0].Status)
	require.Equal(t, "record_ok", checks[0].Finding.Code)
	require.Equal(t, map[string]string{"host": "n1.example.com", "seen": "203.0.113.7"}, checks[0].Finding.Params)
	require.Equal(t, flowsapi.Unconfirmed, checks[1].Status)
	require.False(t, checks[1].Blocks, "whoever knows better may force it")
	require.Equal(t, "record_mismatch", checks[1].Finding.Code)
}

// previewed are the checks of the stage as a plan asks it.
func (b *bench) previewed(c flowsapi.Change) []flowsapi.Check {
	b.t.Helper()
	w := &watcher{Engine: &records.Engine{Tools: records.Tools{DB: b.DB, Clock: b.Clock}}, domains: named{}}
	_, checks, err := w.stage().Preview(b.t.Context(), c)
	require.NoError(b.t, err)
	return checks
}

// named gives bindings by their ids and knows nothing else of them.
type named struct{ domainsapi.Domains }

func (named) ByIDs(_ context.Context, ids ...string) (map[string]domainsapi.Domain, error) {
	found := map[string]domainsapi.Domain{}
	for _, id := range ids {
		found[id] = domainsapi.Domain{ID: id}
	}
	return found, nil
}

// A binding of somebody else is answered like an unknown one.
func TestTheRecordsOfSomebodyElseAreUnknown(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	id, _ := b.at("203.0.113.7", "n1", "example.com")
	stranger := b.As("dns.view", "nodes.view")
	for _, one := range []string{id, "01a20972-0000-7000-8000-000000000000", "none"} {
		stranger.Get(bindingsRoute+"/"+one+"/dns").Refused(http.StatusNotFound, "not_found")
		stranger.Post(bindingsRoute+"/"+one+"/check", nil).Refused(http.StatusNotFound, "not_found")
	}
	b.As("nodes.view").Get(bindingsRoute+"/"+id+"/dns").Refused(http.StatusForbidden, "permission_denied")
}

// Bindings of before are watched without an event, and a name in any alphabet is one.
func TestEveryBindingIsWatched(t *testing.T) {
	t.Parallel()
	b := newBench(t, "xn--e1afmkfd.xn--p1ai")
	b.add("main")
	id, _ := b.at("203.0.113.7", "n1", "пример.рф")
	require.Equal(t, "n1.xn--e1afmkfd.xn--p1ai", b.becomes(id, records.OK).Hostname)
	other := b.Admin().AddNode("other")
	for _, zone := range []string{"203.0.113.7", "2001:db8::1", "bad_name.com", "com", "-a-.рф"} {
		b.Admin().Post(bindingsRoute, fields{"node_id": other, "zone": zone, "label": "@"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	_, err := b.DB.NewRaw("delete from domain_watches").Exec(t.Context())
	require.NoError(t, err)
	require.Equal(t, records.Pending, b.dns(id).State)
	b.Admin().Post(bindingsRoute+"/"+id+"/check", nil).Is(http.StatusOK)
	require.Equal(t, "found", b.becomes(id, records.OK).Wanted[0].State, "what it wrote is forgotten, so it is left")
}

// "Half of the records written": of a node with both families one record stands when the service asks for time, or
// takes the right to write away. What stands is kept and not written again, the other is told, and follows by itself.
func TestTheSecondRecordOfANodeWithBothFamiliesFollows(t *testing.T) {
	t.Parallel()
	for fault, breakIt := range map[string]func(*bench){
		"asks for time":   func(b *bench) { b.cloud.Limit(1) },
		"loses its right": func(b *bench) { b.cloud.Allow(token, &dnstest.CloudflareToken{ZoneRead: true, DNSRead: true}) },
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "example.com")
			b.add("main")
			writes, broken := atomic.Int32{}, make(chan struct{})
			b.cloud.Before(func(method, _ string) {
				if method == http.MethodPost && writes.Add(1) == 2 {
					breakIt(b)
					close(broken)
				}
			})
			agent := b.Enroll("node-n1")
			agent.Beat(func(beat *agentapi.Heartbeat) {
				beat.Addresses = []string{"203.0.113.7/24", "2001:db8::8/64"}
			})
			require.Eventually(t, func() bool {
				known, _ := agent.Node().Value("addresses").([]any)
				return len(known) == 2
			}, soon, 50*time.Millisecond)
			b.Admin().Patch("/api/v1/nodes/"+agent.NodeID, fields{
				"address": "203.0.113.7", "revision": agent.Node().Value("revision"),
			}).Is(http.StatusOK)
			id := b.Admin().Post(bindingsRoute, fields{"node_id": agent.NodeID, "zone": "example.com", "label": "n1"}).
				Is(http.StatusCreated).Text("id")
			<-broken
			require.Len(t, b.stand("n1.example.com"), 1, "half of the records")
			require.NotEqual(t, records.OK, b.dns(id).State)

			b.cloud.Allow(token, dnstest.Full())
			d := b.becomes(id, records.OK)
			require.Len(t, d.Wanted, 2)
			require.Equal(t, []string{"A 203.0.113.7", "AAAA 2001:db8::8"}, b.stand("n1.example.com"))

			b.Admin().Delete(bindingsRoute + "/" + id).Is(http.StatusNoContent)
			require.Eventually(t, func() bool { return len(b.cloud.Records()) == 0 }, soon, 50*time.Millisecond,
				"both go with the binding")
		})
	}
}
