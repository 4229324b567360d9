package domains

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/platform/doctor"
)

// Without a label the node's name gives it: what no host name can have becomes a dash.
func TestALabelIsMadeFromTheNameOfItsNode(t *testing.T) {
	t.Parallel()
	const id = "0199a0de-0000-7000-8000-0000abcdef01"
	for name, label := range map[string]string{
		"Waw 03":                        "waw-03",
		"fra-01":                        "fra-01",
		"-edge-":                        "edge",
		"a_b.c/d":                       "a-b-c-d",
		"узел":                          "node-abcdef01",
		"узел 7":                        "7",
		"":                              "node-abcdef01",
		"---":                           "node-abcdef01",
		strings.Repeat("n", 80):         strings.Repeat("n", 63),
		strings.Repeat("n", 62) + "  x": strings.Repeat("n", 62),
		"<script>":                      "script",
	} {
		require.Equal(t, label, labelOf(name, id), "%q", name)
	}
}

// A label is what name servers know it as; none, and the sign for the zone itself, stay.
func TestLabelsInAnyAlphabet(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"": "", "@": "@", "N1": "n1", "bücher": "xn--bcher-kva", "ПРИВЕТ": "xn--b1agh1afp", "xn--b1agh1afp": "xn--b1agh1afp",
	} {
		got, err := labelInASCII(label)
		require.NoError(t, err, label)
		require.Equal(t, want, got)
	}
	for _, label := range []string{"a b", "a\x00", "xn--0", "*", "_x", "-a", "\u202e"} {
		_, err := labelInASCII(label)
		require.Error(t, err, "%q", label)
		require.NotContains(t, err.Error(), label, "a rejected value is never echoed")
	}
}

// Nobody knows anything of a new binding, and its lists are empty, not null.
func TestANewBindingSaysThatNobodyHasLooked(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 3, 0, 0, 0, time.FixedZone("", 3*3600))
	d := (&domainRow{Hostname: "a.example.com", Mode: "direct", TTL: 60, CreatedAt: at, UpdatedAt: at}).shown()
	require.Equal(t, "pending", d.DNSState)
	require.Equal(t, Record{Type: "A", TTL: 60}, d.Record)
	require.Equal(t, Certificate{State: "none"}, d.Certificate)
	require.Equal(t, CDN{State: "absent"}, d.CDN)
	require.NotNil(t, d.UsedByFlows)
	require.NotNil(t, d.ResolvedIPs)
	require.Equal(t, time.UTC, d.CreatedAt.Location())
	require.True(t, (&domainRow{Mode: modeCDN}).shown().Record.Proxied)
}

// A binding leads through its account at a CDN, the network of its DNS service, or none.
func TestTheNetworkOfABinding(t *testing.T) {
	t.Parallel()
	account := "0199a0de-0000-7000-8000-00000000000c"
	zone := "0199a0de-0000-7000-8000-00000000000d"
	for _, one := range []struct {
		row     domainRow
		network string
	}{
		{domainRow{Mode: "direct"}, ""},
		{domainRow{Mode: "direct", CDNID: &account}, ""},
		{domainRow{Mode: modeCDN}, modeCDN},
		{domainRow{Mode: modeCDN, CDNID: &account}, account},
	} {
		require.Equal(t, one.network, one.row.network())
	}
	outside := (&domainRow{ID: "i", ZoneID: &zone, CDNID: &account, Mode: modeCDN, TTL: 60}).outside()
	require.Equal(t, domainsapi.Domain{ID: "i", ZoneID: zone, CDNID: account, Mode: modeCDN, TTL: 60}, outside)
	require.Empty(t, (&domainRow{}).outside().ZoneID)
}

// What a source leaves empty is taken from those before it; one that knows nothing of a binding changes nothing.
func TestSourcesCompleteEachOther(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 4, 1, 3, 0, 0, 0, time.FixedZone("", 3*3600))
	says := func(name string, state domainsapi.State) domainsapi.Source {
		read := func([]byte, time.Time) (domainsapi.State, error) { return state, nil }
		return domainsapi.Source{Name: name, Read: read}
	}
	s := newStates()
	s.Add(says("records", domainsapi.State{DNS: "ok", RecordType: "AAAA", ResolvedIPs: []string{"2001:db8::1"}}))
	s.Add(says("certificates", domainsapi.State{Certificate: &domainsapi.Certificate{
		State: "valid", Issuer: "E5", Challenge: "dns-01", NotAfter: until,
	}}))
	s.Add(says("networks", domainsapi.State{RecordType: "CNAME", CDN: &domainsapi.CDN{
		Kind: "bunny", ResourceID: "7", CNAME: "x.b-cdn.net", OriginHost: "192.0.2.7", OriginPort: 443, State: "ready",
	}}))
	account := "0199a0de-0000-7000-8000-00000000000c"
	row := &domainRow{CDNID: &account, Known: []json.RawMessage{json.RawMessage("{}"), json.RawMessage("{}"), json.RawMessage("{}")}}
	d, err := s.shown(row, until)
	require.NoError(t, err)
	require.Equal(t, "ok", d.DNSState)
	require.Equal(t, "CNAME", d.Record.Type, "the last that says something")
	require.Equal(t, []string{"2001:db8::1"}, d.ResolvedIPs)
	require.Equal(t, time.UTC, d.Certificate.NotAfter.Location())
	require.Equal(t, &account, d.CDN.IntegrationID, "what was entered stays")
	require.Equal(t, "x.b-cdn.net", d.CDN.CNAME)

	row.Known = []json.RawMessage{json.RawMessage("null"), json.RawMessage("{}"), json.RawMessage("null")}
	d, err = s.shown(row, until)
	require.NoError(t, err)
	require.Equal(t, "pending", d.DNSState)
	require.Equal(t, "valid", d.Certificate.State)
	require.Equal(t, "absent", d.CDN.State)

	s.Add(domainsapi.Source{Name: "broken", Read: func([]byte, time.Time) (domainsapi.State, error) {
		return domainsapi.State{}, errors.New("no json")
	}})
	row.Known = append(row.Known, json.RawMessage("{}"))
	_, err = s.shown(row, until)
	require.ErrorContains(t, err, "what broken knows")
	is, err := newStates().isCDN(t.Context(), account)
	require.NoError(t, err)
	require.False(t, is, "without the module that knows them there are no accounts")
}

// A certificate without an end, as one that was only ordered, has none in the list.
func TestACertificateWithoutAnEndHasNone(t *testing.T) {
	t.Parallel()
	var d Domain
	d.learn(domainsapi.State{Certificate: &domainsapi.Certificate{State: "issuing", LastError: "no"}})
	require.Equal(t, Certificate{State: "issuing", LastError: "no"}, d.Certificate)
	d.learn(domainsapi.State{})
	require.Equal(t, "issuing", d.Certificate.State, "nothing is nothing")
}

// Doctor names the first certificate that ends; a host that shows none of its own is counted and no fault.
func TestDoctorNamesTheFirstCertificateThatEnds(t *testing.T) {
	t.Parallel()
	names := []string{"a.example", "b.example", "c.example"}
	seen := map[string]any{"days": 3}
	none, good := doctor.Finding{Status: doctor.Failed}, doctor.Finding{Status: doctor.OK, Data: seen}
	ends := doctor.Finding{Status: doctor.Warning, Data: seen}
	over := doctor.Finding{Status: doctor.Failed, Data: seen}
	for what, one := range map[string]struct {
		found   []doctor.Finding
		status  doctor.Status
		subject string
	}{
		"all good":           {[]doctor.Finding{good, good, good}, doctor.OK, ""},
		"one shows none":     {[]doctor.Finding{none, good, good}, doctor.OK, ""},
		"none shows any":     {[]doctor.Finding{none, none, none}, doctor.OK, ""},
		"the second ends":    {[]doctor.Finding{good, ends, over}, doctor.Warning, "b.example"},
		"the third is over":  {[]doctor.Finding{none, good, over}, doctor.Failed, "c.example"},
		"the first of three": {[]doctor.Finding{over, over, ends}, doctor.Failed, "a.example"},
	} {
		got := worst(names, one.found)
		require.Equal(t, one.status, got.Status, what)
		require.Equal(t, one.subject, got.Subject, what)
	}
	env := doctor.Env{Now: time.Now, Getenv: func(string) string { return "" }}
	require.Empty(t, certificates(t.Context(), env, nil), "no name is asked for")
}
