package cdn

import (
	"encoding/json"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/fault"
)

// Rule: each network passes on what it is known to pass on, at its own ports; all else is an obstacle, named.
func TestWhatEachNetworkPassesOn(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		network, transport, security, port string
		problem                            string
	}{
		{"cloudflare", "ws", "tls", "443", ""},
		{"cloudflare", "httpupgrade", "tls", "2096", ""},
		{"cloudflare", "xhttp", "none", "8880", ""},
		{"cloudflare", "ws", "", "80", ""},
		{"cloudflare", "grpc", "tls", "443", ""},
		{"cloudflare", "grpc", "tls", "8443", "port"},
		{"cloudflare", "grpc", "none", "443", "transport"},
		{"cloudflare", "ws", "tls", "80", "port"},
		{"cloudflare", "ws", "none", "443", "port"},
		{"cloudflare", "raw", "tls", "443", "transport"},
		{"cloudflare", "ws", "reality", "443", "transport"},
		{"cloudflare", "ws", "tls", "0443x", "port"},
		{"cloudflare", "ws", "tls", "", "port"},
		{"cloudflare", "ws", "tls", "443-450", "port"},
		{"bunny", "ws", "tls", "443", ""},
		{"bunny", "xhttp", "none", "80", ""},
		{"bunny", "httpupgrade", "tls", "443", "transport"},
		{"bunny", "grpc", "tls", "443", "transport"},
		{"bunny", "ws", "tls", "8443", "port"},
		{"yandex", "xhttp", "tls", "443", ""},
		{"yandex", "ws", "tls", "443", "transport"},
		{"yandex", "xhttp", "none", "8080", "port"},
		{"nobody", "ws", "tls", "443", "transport"},
	} {
		entry := flowsapi.Entry{Transport: one.transport, Security: one.security, Port: one.port}
		problem, allowed := carries(one.network, entry)
		require.Equal(t, one.problem, problem, "%v", one)
		if problem == "port" {
			require.NotEmpty(t, allowed, "%v", one)
		}
		text := carried(&provider.Kind{Name: one.network, Title: "The network"}, entry)
		require.Equal(t, map[string]string{"": "", "port": "cdn_port", "transport": "cdn_transport"}[problem], text.Code)
	}
	_, allowed := carries("cloudflare", flowsapi.Entry{Transport: "grpc", Security: "tls", Port: "80"})
	require.Equal(t, "443", allowed, "gRPC has one port, whatever others the network has")
}

// A host name leads to a CDN by an alias: its zone must be the panel's to write, and it must not be the zone itself.
func TestWhichNamesCanLeadToACDN(t *testing.T) {
	t.Parallel()
	for what, one := range map[string]struct {
		network, host, security string
		held                    bool
		code                    string
	}{
		"below a zone":           {"bunny", "a.example.com", "tls", true, ""},
		"deep below a zone":      {"bunny", "a.b.example.com", "tls", true, ""},
		"no zone":                {"bunny", "a.example.com", "tls", false, "cdn_no_zone"},
		"the zone itself":        {"bunny", "example.com", "tls", true, "cdn_apex"},
		"Yandex, one label":      {"yandex", "a.example.com", "tls", true, ""},
		"Yandex, deep":           {"yandex", "a.b.example.com", "tls", true, "cdn_deep_name"},
		"Yandex, deep and plain": {"yandex", "a.b.example.com", "none", true, ""},
	} {
		kind := &provider.Kind{Name: one.network, Title: "The CDN"}
		text := nameable(kind, flowsapi.Entry{Security: one.security}, domainsapi.Domain{Hostname: one.host}, one.held,
			"example.com")
		require.Equal(t, one.code, text.Code, what)
		require.Equal(t, one.code == "", text.Text == "", what)
	}
}

// An apply says what it waits for, looks again soon, and less often where an authority takes its time.
func TestAnApplySaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	for step, one := range map[string]struct {
		code  string
		pause time.Duration
	}{
		provider.StepCreate:      {"waiting_for_cdn_create", lookAgain},
		provider.StepCertificate: {"waiting_for_cdn_certificate", issueAgain},
		provider.StepName:        {"waiting_for_cdn_cname", lookAgain},
		provider.StepReady:       {"waiting_for_cdn", lookAgain},
	} {
		text := waiting(step, "a.example.com")
		require.Equal(t, one.code, text.Code)
		require.Contains(t, text.Text, "a.example.com")
		require.Equal(t, one.pause, patience(step))
	}
	limited := fault.Upstream(provider.CodeError, "later").After(time.Minute)
	require.Equal(t, time.Minute, pause(limited), "what the service asks for")
	require.Equal(t, lookAgain, pause(fault.Upstream(provider.CodeError, "now").After(time.Millisecond)))
	require.Equal(t, lookAgain, pause(errors.New("x")))
	require.Equal(t, StateReady, stateOf(true))
	require.Equal(t, StateProvisioning, stateOf(false))
}

// One entry over TLS is enough for a CDN to fetch over TLS.
func TestWhetherTheOriginSpeaksTLS(t *testing.T) {
	t.Parallel()
	tls := overTLS([]flowsapi.Entry{
		{DomainID: "a", Security: "none"},
		{DomainID: "a", Security: "tls"},
		{DomainID: "a"},
		{DomainID: "b", Security: "none"},
		{DomainID: "c", Security: "reality"},
	})
	require.Equal(t, map[string]bool{"a": true, "b": false, "c": false}, tls)
	require.Empty(t, overTLS(nil))
}

// What is stored of a front is what the service is asked about.
func TestAFrontIsReadAsItWasStored(t *testing.T) {
	t.Parallel()
	row := &front{
		Name: "panel-1", Hostname: "a.example.com", Origin: "203.0.113.7", OriginTLS: true,
		Marks:   json.RawMessage(`{"resource":"r","group":"g","certificate":"c"}`),
		Records: json.RawMessage(`[{"Name":"a.example.com","Type":"CNAME","Value":"x.b-cdn.net","TTL":300}]`),
	}
	require.Equal(t, provider.Front{
		Name: "panel-1", Host: "a.example.com", Named: true,
		Origin: provider.Origin{Address: netip.MustParseAddr("203.0.113.7"), TLS: true},
		Marks:  provider.Marks{Resource: "r", Group: "g", Certificate: "c"},
	}, row.at(true))
	require.Equal(t, "x.b-cdn.net", row.wanted()[0].Value)
	begun := &front{Marks: json.RawMessage("{}"), Records: json.RawMessage("[]")}
	require.Empty(t, begun.wanted())
	require.Equal(t, provider.Marks{}, begun.marks())
}

// A record is shown as what it is, and as the panel's own unless it stood there before.
func TestWhatStandsAtANetworkIsShown(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 3, 0, 0, 0, time.FixedZone("", 3*3600))
	for _, one := range []struct {
		kind, phase string
		object      string
		made        bool
	}{
		{"A", phaseWritten, "record", true},
		{"AAAA", phaseIntent, "record", true},
		{"CNAME", phaseFound, "record", false},
		{typeFront, phaseWritten, "front", true},
	} {
		row := resource{Type: one.kind, Value: "v", Phase: one.phase, State: StateReady, CreatedAt: at, UpdatedAt: at}
		shown := row.shown()
		require.Equal(t, one.object, shown.Object)
		require.Equal(t, one.made, shown.Made)
		require.Equal(t, Record{Type: one.kind, Value: "v"}, shown.Record)
		require.NotNil(t, shown.FlowIDs, "an empty list, not null")
		require.Equal(t, time.UTC, shown.CreatedAt.Location())
	}
	record := (&resource{Hostname: "A.Example.com", Type: "A", Value: "192.0.2.1", ProviderID: "7"}).record()
	require.Equal(t, provider.Record{ID: "7", Name: "a.example.com", Type: "A", Value: "192.0.2.1", Proxied: true}, record)
	require.False(t, (&resource{Type: "CNAME"}).record().Proxied, "an alias leads to the CDN by itself")
	record.Proxied = false
	require.True(t, alike(record, provider.Record{Name: "a.example.com", Type: "A", Value: "192.0.2.1", Proxied: true}))
}

// The plan names each change with where it was and will be.
func TestThePlanNamesRecords(t *testing.T) {
	t.Parallel()
	binding := domainsapi.Domain{NodeID: "n", Hostname: "a.example.com"}
	r := provider.Record{Type: "A", Value: "192.0.2.1"}
	added, removed := difference("added", binding, r), difference("removed", binding, r)
	require.Equal(t, "A 192.0.2.1", added.To)
	require.Empty(t, added.From)
	require.Equal(t, "A 192.0.2.1", removed.From)
	require.Empty(t, removed.To)
	require.Equal(t, flowsapi.GroupCDN, added.Group)
}

// A list of bindings tells a front before records, and records as ready when all of them are.
func TestTheListReadsWhatStandsAtNetworks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]domainsapi.State{
		`{}`:             {},
		`{"records":[]}`: {},
		`{"front":{"kind":"bunny","resource":"7","target":"x.b-cdn.net.","origin":"192.0.2.7","tls":true,"state":"ready"}}`: {
			RecordType: "CNAME", CDN: &domainsapi.CDN{
				Kind: "bunny", ResourceID: "7", CNAME: "x.b-cdn.net", OriginHost: "192.0.2.7", OriginPort: 443, State: StateReady,
			},
		},
		`{"front":{"kind":"yandex","origin":"192.0.2.7","state":"provisioning"},"records":[{"kind":"cloudflare"}]}`: {
			RecordType: "CNAME", CDN: &domainsapi.CDN{
				Kind: "yandex", OriginHost: "192.0.2.7", OriginPort: 80, State: StateProvisioning,
			},
		},
		`{"records":[{"kind":"cloudflare","resource":"r","value":"192.0.2.1","state":"ready"},{"state":"ready"}]}`: {
			CDN: &domainsapi.CDN{Kind: "cloudflare", ResourceID: "r", OriginHost: "192.0.2.1", State: StateReady},
		},
		`{"records":[{"kind":"cloudflare","value":"192.0.2.1","state":"ready"},{"state":"provisioning"}]}`: {
			CDN: &domainsapi.CDN{Kind: "cloudflare", OriginHost: "192.0.2.1", State: StateProvisioning},
		},
	} {
		got, err := stateFrom([]byte(text), time.Now())
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	_, err := stateFrom([]byte("no json"), time.Now())
	require.Error(t, err)
}
