package certificates

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/dnstest"
	"panel/platform/testneed/freeport"
)

const (
	issuedZone   = "issued.example"
	answeredZone = "answered.example" // of which no integration knows
	nodeAddress  = "203.0.113.7"
)

// standUp installs a panel that asks the name server, and an agent.
func standUp(t *testing.T, resolver string, env ...string) *world {
	t.Helper()
	w := &world{T: t}
	var err error
	w.site, err = rig.OpenSite("127.0.0.1")
	require.NoError(t, err)
	t.Cleanup(w.site.Close)
	w.stand = rigtest.Install(t, rig.PanelSettings{
		Env: append(env, "PANEL_DNS_RESOLVERS="+resolver, "PANEL_OUTBOUND_ALLOW=127.0.0.1"),
	})
	w.agent, err = w.stand.Enroll(t.Context(), "node")
	require.NoError(t, err)
	rigtest.Run(t, w.stand, w.agent)
	return w
}

// moves gives the node an address that others would reach.
func (w *world) moves() {
	w.Helper()
	var node struct{ Revision int }
	path := "/api/v1/nodes/" + w.agent.NodeID
	require.NoError(w, w.stand.API.Get(w.Context(), path, &node))
	require.NoError(w, w.stand.API.Patch(w.Context(), path, map[string]any{
		"revision": node.Revision, "address": nodeAddress,
	}, nil))
}

// forced begins the apply of a door whose address nobody on this machine reaches.
func (w *world) forced(d *door) (rig.Plan, rig.Applied, error) {
	w.Helper()
	var plan rig.Plan
	path := "/api/v1/connection-units/" + d.flow
	require.NoError(w, w.stand.API.Post(w.Context(), path+"/plan/compile", nil, &plan))
	var done rig.Applied
	err := w.stand.API.Post(w.Context(), path+"/apply", map[string]any{
		"id": plan.ID, "revision": plan.Revision, "force_apply": true,
	}, &done)
	return plan, done, err
}

func (w *world) integrate(provider string, fields map[string]any) {
	w.Helper()
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/dns/integrations", map[string]any{
		"provider": provider, "label": provider, "fields": fields,
	}, nil))
}

// From nothing: integration, domain, certificate from the authority, flows with TLS applied, a real client by each link
// (VLESS over WebSocket and XHTTP, Trojan), renewed under open streams, nothing cut. The name server and the authority
// are real. Panel and agent are killed while the first certificate is issued and given to the node, by a record as by
// the node's own answer, and the panel again while the next ones are on their way.
func TestFromNothing(t *testing.T) {
	t.Parallel()
	names := dnstest.NewPowerDNS(t, issuedZone)
	asks := freeport.For(t)
	authority := acmetest.Pebble(t, names.Address, map[string]any{"httpPort": asks})
	w := standUp(t, names.Address, fmt.Sprint("PANEL_ACME_HTTP_PORT=", asks))
	w.integrate("powerdns", map[string]any{
		"api_root": names.Root, "api_key": names.Key, "name_servers": names.Address,
	})
	require.NoError(t, w.stand.API.Put(t.Context(), "/api/v1/dns/certificate-settings", map[string]any{
		"revision": 0, "settings": map[string]any{
			"authority": "other", "directory": authority.Directory(), "email": "", "roots": authority.Roots,
			"external_account": map[string]any{"key_id": ""},
		},
	}, nil))
	w.root = trusted(t, authority.Root(t))
	bound := w.bindIn(issuedZone, "n1", "direct")
	w.doors = []door{
		{name: "websocket", protocol: "vless", transport: "ws"},
		{name: "xhttp", protocol: "vless", transport: "xhttp"},
		{name: "trojan", protocol: "trojan", transport: "raw"},
	}
	for i := range w.doors {
		d := &w.doors[i]
		d.host, d.port = "n1."+issuedZone, freeport.For(t)
		if i == 0 {
			w.installedUnderKills(t, d, bound)
		} else {
			w.install(d, bound)
		}
		require.NoError(t, w.fetch(*d, "/", "ok"), d.name)
	}
	require.Len(t, w.certificates(t), 1, "one wildcard for the zone")
	w.answered(t, names)
	w.renewedUnderStreams(t)
	for _, after := range []time.Duration{20 * time.Millisecond, time.Second} {
		w.killedWhileRenewing(t, after)
	}
	require.Len(t, w.certificates(t), 2)
	w.moves()
	require.Eventually(t, func() bool {
		answer := dnstest.Ask(t, names.Address, "n1."+issuedZone, dns.TypeA).Answer
		return len(answer) == 1 && answer[0].(*dns.A).A.Equal(net.ParseIP(nodeAddress))
	}, within, 100*time.Millisecond, "the record of the host name is written")
}

// installedUnderKills applies a flow whose certificate is not there yet. The panel is killed while it is ordered, and
// the agent and then the panel while the node gets it; the same apply goes on and ends well.
func (w *world) installedUnderKills(t *testing.T, d *door, bound string) {
	t.Helper()
	w.draw(d, bound)
	plan := w.plan(d)
	var done rig.Applied
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/connection-units/"+d.flow+"/apply?wait=0", map[string]any{
		"id": plan.ID, "revision": plan.Revision,
	}, &done))
	w.killedAfter(t, 100*time.Millisecond)
	w.agent.Kill()
	require.Eventually(t, func() bool {
		all := w.certificates(t)
		return len(all) == 1 && all[0].State == "valid"
	}, within, 50*time.Millisecond, "the order goes on without the agent")
	w.killedAfter(t, 0)
	require.NoError(t, w.agent.Launch())
	require.NoError(t, w.stand.API.Finished(t.Context(), d.flow, &done))
	w.linked(d)
}

// killedAfter kills the panel some time from now, and has it again.
func (w *world) killedAfter(t *testing.T, after time.Duration) {
	t.Helper()
	<-time.After(after) // the moment of the kill
	w.stand.Panel.Process.Kill()
	require.NoError(t, w.stand.Panel.Up(t.Context()))
}

// answered has a name proved whose zone no integration holds, so that the authority asks its node. The panel is killed
// while it waits for that.
func (w *world) answered(t *testing.T, names *dnstest.PowerDNS) {
	t.Helper()
	names.Hold(answeredZone)
	names.Set(answeredZone, "n1."+answeredZone, "A", "127.0.0.1")
	bound := w.bindIn(answeredZone, "n1", "direct")
	var ordered issued
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/node-domains/"+bound+"/renew-certificate", nil, &ordered))
	w.killedAfter(t, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(w.certificates(t), func(one issued) bool {
			return one.ID == ordered.ID && one.State == "valid" && one.Challenge == "http-01"
		})
	}, within, 50*time.Millisecond, "the node has answered the authority")
	d := door{name: "proved by the node", protocol: "vless", transport: "ws", host: "n1." + answeredZone}
	d.port = freeport.For(t)
	w.draw(&d, bound)
	_, done, err := w.forced(&d) // the name leads to this machine, which nobody else reaches
	require.NoError(t, err)
	require.NoError(t, w.stand.API.Finished(t.Context(), d.flow, &done))
	w.linked(&d)
	require.NoError(t, w.fetch(d, "/", "ok"))
}

type issued struct {
	ID, State, Serial, Challenge string
	Names                        []string
}

func (w *world) certificates(t *testing.T) []issued {
	t.Helper()
	var list struct{ Items []issued }
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/certificates", &list))
	return list.Items
}

func (w *world) order(t *testing.T) {
	t.Helper()
	all := w.certificates(t)
	at := slices.IndexFunc(all, func(one issued) bool { return slices.Contains(one.Names, issuedZone) })
	require.GreaterOrEqual(t, at, 0)
	path := "/api/v1/certificates/" + all[at].ID + "/renew"
	require.NoError(t, w.stand.API.Post(t.Context(), path, nil, nil))
}

// untilOther waits until every door shows another certificate than this one, and clients still get through.
func (w *world) untilOther(t *testing.T, before int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, d := range w.doors {
			if now := w.shown(d); now == 0 || now == before {
				return false
			}
		}
		return true
	}, 2*within, 100*time.Millisecond, "every door shows the next certificate")
	for _, d := range w.doors {
		require.NoError(t, w.fetch(d, "/", "ok"), d.name)
	}
}

func (w *world) renewedUnderStreams(t *testing.T) {
	before := w.shown(w.doors[0])
	require.NotZero(t, before)
	ended := make(chan error, len(w.doors))
	for _, d := range w.doors {
		go func() { ended <- w.fetch(d, "/held", "ended") }()
	}
	require.Eventually(t, func() bool { return w.site.Held() == len(w.doors) }, within, 20*time.Millisecond)
	w.order(t)
	w.untilOther(t, before)
	require.Empty(t, ended, "the streams are still open")
	w.site.Release()
	for range w.doors {
		require.NoError(t, <-ended)
	}
}

// killedWhileRenewing kills the panel some time after a renewal was ordered. The old certificate serves on, and the
// same order goes on when the panel is back.
func (w *world) killedWhileRenewing(t *testing.T, after time.Duration) {
	before := w.shown(w.doors[0])
	w.order(t)
	<-time.After(after) // the moment of the kill
	w.stand.Panel.Process.Kill()
	require.NotZero(t, w.shown(w.doors[0]))
	require.NoError(t, w.fetch(w.doors[0], "/", "ok"), "clients do not notice")
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.untilOther(t, before)
}

const frontedZone = "fronted.example"

// A flow through a CDN with the real panel, agent and client: the plan shows it, the apply makes it, also when the
// panel is killed in the middle and again, and an apply that fails leaves nothing behind.
func TestACDNUnderKills(t *testing.T) {
	t.Parallel()
	cloud := dnstest.NewCloudflare(t, frontedZone)
	const token = "a-token-of-the-tests"
	cloud.Allow(token, dnstest.Full())
	w := standUp(t, cloud.Address, "PANEL_CLOUDFLARE_API_ROOT="+cloud.Root)
	w.moves()
	w.root = newAuthority(t)
	w.integrate("cloudflare", map[string]any{"api_token": token})
	w.uploadFor(frontedZone, 1)
	first, second := w.bindIn(frontedZone, "n1", "cdn"), w.bindIn(frontedZone, "n2", "cdn")
	d := &door{name: "through a CDN", protocol: "vless", transport: "ws", host: "n1." + frontedZone}
	d.port = cdnPort(t)
	flow := w.draw(d, first)
	inMiddle := w.killedAt(t, cloud, http.MethodPost)
	plan, _, _ := w.forced(d) // its answer is lost
	inMiddle()
	require.NoError(t, w.stand.Panel.Launch())
	again := w.killedAt(t, cloud, http.MethodGet)
	again()
	cloud.Before(nil)
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	require.NoError(t, w.stand.API.InSync(t.Context(), flow))
	require.Contains(t, w.text(t, "/api/v1/connection-units/"+flow+"/plans/"+plan.ID), `"A `+nodeAddress+`"`)
	require.Equal(t, []string{"n1." + frontedZone + " A " + nodeAddress}, proxiedRecords(t, cloud), "it was made once")
	w.linked(d)
	require.NoError(t, w.fetch(*d, "/", "ok"))
	require.Contains(t, w.text(t, "/api/v1/cdn/resources"), flow)
	require.NoError(t, w.stand.API.Call(t.Context(), http.MethodDelete, "/api/v1/connection-units/"+flow, nil, nil))
	require.Eventually(t, func() bool { return len(cloud.Records()) == 0 }, within, 100*time.Millisecond)

	cloud.Put(dnstest.CloudflareRecord{
		Zone: frontedZone, Name: "n2." + frontedZone, Type: "A", Content: "198.51.100.1", TTL: 60,
	})
	other := &door{name: "half of it is taken", protocol: "vless", transport: "ws", port: cdnPort(t), path: "/x"}
	other.second = cdnPort(t, other.port)
	w.draw(other, first, second)
	_, done, err := w.forced(other)
	require.NoError(t, err)
	require.ErrorContains(t, w.stand.API.Finished(t.Context(), other.flow, &done), "the apply has failed")
	require.Eventually(t, func() bool { return len(cloud.Records()) == 1 }, within, 100*time.Millisecond,
		"nothing is left but the record of somebody else")
}

// proxiedRecords are the records of the account, all of them proxied.
func proxiedRecords(t *testing.T, cloud *dnstest.Cloudflare) (all []string) {
	t.Helper()
	for _, r := range cloud.Records() {
		require.True(t, r.Proxied)
		all = append(all, r.Name+" "+r.Type+" "+r.Content)
	}
	return all
}

func (w *world) text(t *testing.T, path string) string {
	t.Helper()
	var content json.RawMessage
	require.NoError(t, w.stand.API.Get(t.Context(), path, &content))
	return string(content)
}

// killedAt kills the panel with the next call for records of this method, whose answer is lost. What it gives waits for
// that.
func (w *world) killedAt(t *testing.T, cloud *dnstest.Cloudflare, method string) (wait func()) {
	t.Helper()
	killed := make(chan struct{})
	var once sync.Once
	cloud.Before(func(called, path string) {
		if called == method && len(path) > len("/zones/zone1") {
			once.Do(func() {
				w.stand.Panel.Process.Kill()
				close(killed)
			})
		}
	})
	return func() {
		select {
		case <-killed:
		case <-time.After(within):
			require.Fail(t, "the panel has not called")
		}
	}
}

// cdnPort is a free port of those that Cloudflare passes on and that need no rights.
func cdnPort(t *testing.T, but ...int) int {
	t.Helper()
	for _, port := range []int{2053, 2083, 2087, 2096, 8443} {
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil && listener.Close() == nil && !slices.Contains(but, port) {
			return port
		}
	}
	require.Fail(t, "a port that a CDN passes on is free")
	return 0
}
