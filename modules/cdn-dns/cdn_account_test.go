package cdndns

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdntest"
	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/flows/flowsapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// account is an integration with a CDN, whose stand-in asks the zone's own server where host names lead.
type account struct {
	kind, id string
	before   func(look func(method, path string))
	limit    func(calls int)
	empty    func() bool
	origins  func() []string
	occupy   func(host string)
}

// accounts are one at each CDN.
func (f *fronting) accounts() []account {
	f.t.Helper()
	bunny, yandex := cdntest.NewBunny(f.t, f.cloud.Address), cdntest.NewYandex(f.t, f.cloud.Address)
	return []account{
		{
			kind: "bunny", before: bunny.Before, limit: bunny.Limit,
			id:    f.account("bunny", fields{"api_key": cdntest.BunnyKey, "api_root": bunny.Root}),
			empty: func() bool { return len(bunny.Zones()) == 0 },
			origins: func() (all []string) {
				for _, z := range bunny.Zones() {
					all = append(all, z.OriginURL)
				}
				return all
			},
			occupy: func(host string) { bunny.Put("of-somebody-else", host) },
		},
		{
			kind: "yandex", before: yandex.Before, limit: yandex.Limit,
			id: f.account("yandex", fields{
				"folder_id": cdntest.YandexFolder, "service_account_key": yandex.Key, "api_root": yandex.Root,
			}),
			empty: yandex.Empty, origins: yandex.Sources, occupy: yandex.Put,
		},
	}
}

func (f *fronting) account(provider string, values fields) string {
	f.t.Helper()
	body := fields{"provider": provider, "label": provider, "fields": values}
	return f.Admin().Post(integrationsRoute, body).Is(http.StatusCreated).Text("id")
}

// through is an entry that both CDNs carry, at a new node with this address.
func (f *fronting) through(a account, address, label string) flowsapi.Entry {
	f.t.Helper()
	id, node := f.at(address, label, "example.com", fields{"mode": "cdn", "cdn_integration_id": a.id})
	return flowsapi.Entry{
		Block: "in", NodeID: node, DomainID: id, Host: label + ".example.com", Port: "443", Transport: "xhttp",
		Security: "tls",
	}
}

// shown is the network of a binding, as the API tells it.
func (f *fronting) shown(domainID, field string) any {
	f.t.Helper()
	return f.Admin().Get(bindingsRoute + "/" + domainID).Is(http.StatusOK).Value("cdn." + field)
}

// Rule: what an apply makes at a CDN is in the plan's diff before, made step by step, and gone when no flow needs it.
func TestAnApplyPutsACDNInFrontOfItsEntries(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	news := f.Follow()
	for _, at := range f.accounts() {
		entry := f.through(at, "203.0.113.7", at.kind)
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
		diffs, checks, err := f.provision.Preview(t.Context(), a.Change)
		require.NoError(t, err)
		require.Equal(t, []flowsapi.Diff{{
			Group: flowsapi.GroupCDN, Op: "added", NodeID: entry.NodeID, Name: entry.Host, Field: "front",
			To: at.kind + " 203.0.113.7",
		}}, diffs)
		require.Equal(t, "cdn_carries", checks[0].Finding.Code)
		require.True(t, at.empty(), "a plan changes nothing")
		require.Equal(t, "absent", f.shown(entry.DomainID, "state"))

		require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)
		require.Equal(t, entry.DomainID, news.Next(cdn.KindProvisioned).SubjectID)
		require.Len(t, f.stand(entry.Host), 1)
		require.Equal(t, "ready", f.shown(entry.DomainID, "state"))
		require.Equal(t, at.kind, f.shown(entry.DomainID, "kind"))
		require.Equal(t, []string{"CNAME " + fmt.Sprint(f.shown(entry.DomainID, "cname"))}, f.stand(entry.Host))
		require.Equal(t, "203.0.113.7", f.shown(entry.DomainID, "origin_host"))
		require.InDelta(t, 443, f.shown(entry.DomainID, "origin_port"), 0)
		fronts := 0
		for _, r := range f.resources() {
			require.Equal(t, []string{a.Change.FlowID}, r.FlowIDs)
			require.Equal(t, cdn.StateReady, r.State)
			if r.Object == "front" {
				require.Equal(t, cdn.Record{Type: "FRONT", Value: "203.0.113.7"}, r.Record)
				fronts++
			}
		}
		require.Equal(t, 1, fronts)
		require.Contains(t, f.Scrape(), `panel_cdn_resources{state="provisioning"} 0`)
		diffs, _, err = f.provision.Preview(t.Context(), a.Change)
		require.NoError(t, err)
		require.Empty(t, diffs, "it stands")
		f.Admin().Delete(integrationsRoute+"/"+at.id).Refused(http.StatusConflict, "integration_in_use")

		gone := applyOf(a.Change.FlowID, a.Change.After, nil)
		diffs, _, err = f.provision.Preview(t.Context(), gone.Change)
		require.NoError(t, err)
		require.Contains(t, diffs, flowsapi.Diff{
			Group: flowsapi.GroupCDN, Op: "removed", NodeID: entry.NodeID, Name: entry.Host, Field: "front",
			From: at.kind + " 203.0.113.7",
		})
		require.Equal(t, flowsapi.Done, f.done(f.release, gone).Result)
		require.True(t, at.empty())
		require.Empty(t, f.cloud.Records())
		require.Empty(t, f.resources())
		f.Admin().Delete(bindingsRoute + "/" + entry.DomainID).Is(http.StatusNoContent)
		f.Admin().Delete(integrationsRoute + "/" + at.id).Is(http.StatusNoContent)
	}
}

// A panel dies at each of its calls, to the zone's service and to the CDN, whose answers are lost: what stands at the
// CDN is made once, and nothing is left behind after an undo.
func TestACDNIsMadeOnceWhereverAPanelDies(t *testing.T) {
	t.Parallel()
	for n := range 2 {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			f := newFronting(t, "example.com")
			f.add("main")
			at := f.accounts()[n]
			for dies := int32(1); ; dies++ {
				if !f.diesAt(at, dies) {
					require.Greater(t, dies, int32(8), "it calls for what it makes, and for its names")
					return
				}
			}
		})
	}
}

// diesAt lets the panel die at one call, and go on or undo; it gives false when there are fewer calls.
func (f *fronting) diesAt(at account, dies int32) bool {
	f.t.Helper()
	a := applyOf(database.NewID(), nil, []flowsapi.Entry{f.through(at, "203.0.113.7", fmt.Sprintf("n%d", dies))})
	ctx, die := context.WithCancel(f.t.Context())
	defer die()
	var calls atomic.Int32
	look := func(string, string) {
		if calls.Add(1) == dies {
			die()
		}
	}
	f.cloud.Before(look)
	at.before(look)
	for ctx.Err() == nil {
		if outcome, err := f.provision.Do(ctx, a); err == nil && outcome.Result != flowsapi.Again {
			break
		}
	}
	f.cloud.Before(nil)
	at.before(nil)
	if ctx.Err() == nil {
		require.NoError(f.t, f.provision.Undo(f.t.Context(), a))
		return false
	}
	if dies%2 == 0 {
		require.Equal(f.t, flowsapi.Done, f.done(f.provision, a).Result)
		require.Len(f.t, at.origins(), 1, "killed at call %d", dies)
	}
	require.NoError(f.t, f.provision.Undo(f.t.Context(), a))
	require.True(f.t, at.empty(), "killed at call %d", dies)
	require.Empty(f.t, f.cloud.Records(), "killed at call %d", dies)
	require.Empty(f.t, f.resources())
	require.NoError(f.t, f.provision.Undo(f.t.Context(), a), "it is idempotent")
	return true
}

// What somebody else has at the CDN under the host name is never touched, and stops the apply.
func TestAHostNameThatIsTakenAtTheCDNStopsTheApply(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	for _, at := range f.accounts() {
		entry := f.through(at, "203.0.113.7", at.kind)
		at.occupy(entry.Host)
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
		var err error
		require.Eventually(t, func() bool {
			_, err = f.provision.Do(t.Context(), a)
			return err != nil
		}, soon, every)
		require.Equal(t, "record_conflict", fault.Code(err), at.kind)
		require.Contains(t, err.Error(), entry.Host)
		require.NoError(t, f.provision.Undo(t.Context(), a))
		require.Empty(t, f.stand(entry.Host))
		require.False(t, at.empty(), "that of somebody else is left")
	}
}

// A CDN that is slow, or asks to be called less often, makes the apply wait in its stage, which says for what.
func TestASlowCDNIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	for _, at := range f.accounts() {
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{f.through(at, "203.0.113.7", at.kind)})
		at.limit(1000)
		outcome, err := f.provision.Do(t.Context(), a)
		require.NoError(t, err)
		require.Equal(t, flowsapi.Again, outcome.Result)
		require.Equal(t, "waiting_for_cdn_service", outcome.Detail.Code)
		at.limit(0)
		f.cloud.Mute(true)
		waits := map[string]bool{}
		for range 6 {
			outcome, err = f.provision.Do(t.Context(), a)
			require.NoError(t, err)
			require.Equal(t, flowsapi.Again, outcome.Result)
			waits[outcome.Detail.Code] = true
		}
		require.True(t, waits["waiting_for_cdn_cname"] || waits["waiting_for_cdn_certificate"], "%v", waits)
		f.cloud.Mute(false)
		require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)
		require.NoError(t, f.provision.Undo(t.Context(), a))
		require.True(t, at.empty())
	}
}

// A node that has moved: the CDN fetches from the new address after the commit, and from the old one until then.
func TestACDNFollowsTheAddressOfItsNode(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	for _, at := range f.accounts() {
		entries := []flowsapi.Entry{f.through(at, "203.0.113.7", at.kind)}
		first := applyOf(database.NewID(), nil, entries)
		f.done(f.provision, first)
		f.done(f.release, first)
		node := f.Admin().Get("/api/v1/nodes/" + entries[0].NodeID).Is(http.StatusOK)
		f.Admin().Patch("/api/v1/nodes/"+entries[0].NodeID, fields{
			"revision": node.Value("revision"), "address": "203.0.113.8",
		}).Is(http.StatusOK)
		again := applyOf(first.Change.FlowID, entries, entries)
		diffs, _, err := f.provision.Preview(t.Context(), again.Change)
		require.NoError(t, err)
		require.Equal(t, "changed", diffs[0].Op)
		f.done(f.provision, again)
		require.Contains(t, at.origins()[0], "203.0.113.7")
		f.done(f.release, again)
		require.Contains(t, at.origins()[0], "203.0.113.8")
		require.Len(t, f.stand(entries[0].Host), 1)
		f.done(f.release, applyOf(first.Change.FlowID, entries, nil))
		require.True(t, at.empty())
	}
}

// Rule: what a CDN cannot carry, or cannot be led to, is said in the plan and never forced.
func TestACDNCarriesWhatItCanAlone(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	accounts := f.accounts()
	bunny, yandex := f.through(accounts[0], "203.0.113.7", "a"), f.through(accounts[1], "203.0.113.7", "b")
	judge := func(entries ...flowsapi.Entry) string {
		_, checks, err := f.provision.Preview(t.Context(), flowsapi.Change{FlowID: database.NewID(), After: entries})
		require.NoError(t, err)
		require.Equal(t, checks[0].Finding.Code != "cdn_carries", checks[0].Blocks)
		return checks[0].Finding.Code
	}
	with := func(e flowsapi.Entry, port, transport, security string) flowsapi.Entry {
		e.Port, e.Transport, e.Security = port, transport, security
		return e
	}
	require.Equal(t, "cdn_no_zone", judge(bunny))
	f.add("main")
	require.Equal(t, "cdn_carries", judge(bunny))
	require.Equal(t, "cdn_carries", judge(with(bunny, "443", "ws", "tls")))
	require.Equal(t, "cdn_carries", judge(with(bunny, "80", "ws", "none")))
	require.Equal(t, "cdn_transport", judge(with(bunny, "443", "grpc", "tls")))
	require.Equal(t, "cdn_port", judge(with(bunny, "8443", "ws", "tls")))
	require.Equal(t, "cdn_transport", judge(with(yandex, "443", "ws", "tls")))
	require.Equal(t, "cdn_one_origin", judge(bunny, with(bunny, "80", "xhttp", "none")))
	deep, node := f.at("203.0.113.7", "x", "deep.example.com", fields{"mode": "cdn", "cdn_integration_id": accounts[1].id})
	entry := flowsapi.Entry{Block: "in", NodeID: node, DomainID: deep, Port: "443", Transport: "xhttp", Security: "tls"}
	require.Equal(t, "cdn_deep_name", judge(entry))
	apex := f.Admin().Post(bindingsRoute, fields{
		"node_id": node, "zone": "example.com", "label": "@", "mode": "cdn", "cdn_integration_id": accounts[0].id,
	}).Is(http.StatusCreated).Text("id")
	entry = flowsapi.Entry{Block: "in", NodeID: node, DomainID: apex, Port: "443", Transport: "xhttp", Security: "tls"}
	require.Equal(t, "cdn_apex", judge(entry))
	require.Equal(t, "cdn_no_ipv4", judge(f.through(accounts[0], "2001:db8::7", "six")))
	f.Admin().Delete(integrationsRoute + "/" + accounts[0].id).Is(http.StatusNoContent)
	require.Equal(t, "cdn_gone", judge(bunny))
}

// A binding names an account at a CDN that there is, in the mode cdn alone.
func TestABindingNamesItsCDN(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	dns := f.add("main")
	at := f.accounts()[0]
	node := f.Admin().AddNode("node")
	for _, wrong := range []fields{
		{"mode": "cdn", "cdn_integration_id": dns},
		{"mode": "cdn", "cdn_integration_id": database.NewID()},
		{"mode": "cdn", "cdn_integration_id": "none"},
		{"mode": "direct", "cdn_integration_id": at.id},
	} {
		body := fields{"node_id": node, "zone": "example.com", "label": "n1"}
		for name, value := range wrong {
			body[name] = value
		}
		f.Admin().Post(bindingsRoute, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	id, _ := f.at("203.0.113.7", "n1", "example.com", fields{"mode": "cdn", "cdn_integration_id": at.id})
	require.Equal(t, at.id, f.shown(id, "integration_id"))
	f.Admin().Patch(bindingsRoute+"/"+id, fields{"revision": 1, "ttl": 600}).Is(http.StatusOK)
	require.Equal(t, at.id, f.shown(id, "integration_id"))
	f.Admin().Patch(bindingsRoute+"/"+id, fields{"revision": 2, "cdn_integration_id": ""}).Is(http.StatusOK)
	require.Nil(t, f.shown(id, "integration_id"))
	f.Admin().Patch(bindingsRoute+"/"+id, fields{"revision": 3, "cdn_integration_id": at.id}).Is(http.StatusOK)
	f.Admin().Patch(bindingsRoute+"/"+id, fields{"revision": 4, "mode": "direct"}).Is(http.StatusOK)
	require.Nil(t, f.shown(id, "integration_id"))
}

// Credentials that a CDN does not know are not kept, and never repeated; neither is the key of an account.
func TestTheCredentialsOfACDNAreCheckedAndWriteOnly(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	bunny, yandex := cdntest.NewBunny(t, f.cloud.Address), cdntest.NewYandex(t, f.cloud.Address)
	other := cdntest.NewYandex(t, f.cloud.Address)
	for code, one := range map[string]fields{
		"dns_token_refused": {"provider": "bunny", "fields": fields{"api_key": "another", "api_root": bunny.Root}},
		"invalid_value": {"provider": "yandex", "fields": fields{
			"folder_id": "f", "service_account_key": `{"id":"a","service_account_id":"b","private_key":"sesame"}`,
		}},
	} {
		one["label"] = "cdn"
		refused := f.Admin().Post(integrationsRoute, one).Refused(http.StatusUnprocessableEntity, code)
		require.NotContains(t, string(refused.Body), "sesame")
	}
	f.Admin().Post(integrationsRoute, fields{"provider": "yandex", "label": "cdn", "fields": fields{
		"folder_id": cdntest.YandexFolder, "service_account_key": other.Key, "api_root": yandex.Root,
	}}).Refused(http.StatusUnprocessableEntity, "dns_token_refused")
	made := f.Admin().Post(integrationsRoute, fields{"provider": "yandex", "label": "cdn", "fields": fields{
		"folder_id": cdntest.YandexFolder, "service_account_key": yandex.Key, "api_root": yandex.Root,
	}}).Is(http.StatusCreated)
	require.NotContains(t, string(made.Body), "PRIVATE")
	require.Equal(t, true, made.Value("has_token"))
	var kept string
	require.NoError(t, f.DB.NewRaw("select fields::text || sealed from cdndns_integrations").Scan(t.Context(), &kept))
	require.NotContains(t, kept, "PRIVATE")
}
