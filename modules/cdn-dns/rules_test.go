package cdndns

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/flows/flowsapi"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// What could never work is refused when the settings are stored, at its field, before an authority is asked.
func TestSettingsOfCertificatesThatCannotWork(t *testing.T) {
	t.Parallel()
	cfg, err := config.Of(nil)
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	root := acmetest.NewRoot(t).Chain
	for what, one := range map[string]struct{ settings, field string }{
		"the usual one":           {`{"authority":"letsencrypt"}`, ""},
		"staging":                 {`{"authority":"letsencrypt-staging","email":"admin@example.org"}`, ""},
		"another one":             {`{"authority":"other","directory":"https://acme.example.org/directory"}`, ""},
		"inside the house":        {`{"authority":"other","directory":"https://10.0.0.7:14000/dir"}`, ""},
		"none given":              {`{"authority":"other"}`, "directory"},
		"two given":               {`{"authority":"letsencrypt","directory":"https://acme.example.org"}`, "directory"},
		"without encryption":      {`{"authority":"other","directory":"http://acme.example.org"}`, "directory"},
		"with a password":         {`{"authority":"other","directory":"https://me:sesame@acme.example.org"}`, "directory"},
		"with a fragment":         {`{"authority":"other","directory":"https://acme.example.org/#sesame"}`, "directory"},
		"of a cloud's own":        {`{"authority":"other","directory":"https://169.254.169.254/sesame"}`, "directory"},
		"no address":              {`{"authority":"other","directory":"sesame"}`, "directory"},
		"two mail addresses":      {`{"authority":"letsencrypt","email":"a@example.org,b@sesame.org"}`, "email"},
		"a header in it":          {`{"authority":"letsencrypt","email":"a@example.org?bcc=sesame"}`, "email"},
		"no mail address":         {`{"authority":"letsencrypt","email":"sesame"}`, "email"},
		"nobody at the host":      {`{"authority":"letsencrypt","email":"@sesame.org"}`, "email"},
		"no roots":                {`{"authority":"letsencrypt","roots":"sesame"}`, "roots"},
		"an external account":     {`{"authority":"letsencrypt","external_account":{"key_id":"k","mac_key":"c2VzYW1l"}}`, ""},
		"its key is padded":       {`{"authority":"letsencrypt","external_account":{"key_id":"k","mac_key":"c2VzYQ=="}}`, ""},
		"its key is another form": {`{"authority":"letsencrypt","external_account":{"key_id":"k","mac_key":"sesame!+/"}}`, "external_account.mac_key"},
		"its key alone":           {`{"authority":"letsencrypt","external_account":{"key_id":"","mac_key":"c2VzYW1l"}}`, "external_account.key_id"},
		"its id alone":            {`{"authority":"letsencrypt","external_account":{"key_id":"k","mac_key":""}}`, "external_account.key_id"},
	} {
		var s CertificateSettings
		require.NoError(t, json.Unmarshal([]byte(one.settings), &s), what)
		err := s.check(network)
		if one.field == "" {
			require.NoError(t, err, what)
			continue
		}
		wrong, is := fault.As(err)
		require.True(t, is, what)
		require.Equal(t, "settings."+one.field, wrong.Fields[0].Field, what)
		require.NotContains(t, err.Error(), "sesame", what)
	}
	require.NoError(t, (&CertificateSettings{Authority: letsEncrypt, Roots: root}).check(network))
}

// A name of an authority is its directory, and what is shown of the settings has no secret.
func TestTheAuthorityOfTheSettings(t *testing.T) {
	t.Parallel()
	for authority, directory := range map[string]string{
		letsEncrypt: certificates.LetsEncrypt, staging: certificates.Staging, otherCA: "https://acme.example.org/d",
	} {
		s := CertificateSettings{Authority: authority, Directory: "https://acme.example.org/d", Email: "a@example.org"}
		require.Equal(t, directory, s.authority().Directory)
		require.Equal(t, "a@example.org", s.authority().Email)
	}
	var s CertificateSettings
	require.NoError(t, json.Unmarshal([]byte(`{"external_account":{"key_id":"k","mac_key":"c2VzYW1l"}}`), &s))
	require.Equal(t, "c2VzYW1l", s.authority().MACKey)
	shown, err := json.Marshal(shownCertificateSettings(s))
	require.NoError(t, err)
	require.NotContains(t, string(shown), "c2VzYW1l")
	require.True(t, shownCertificateSettings(s).External.HasMACKey)
	require.False(t, shownCertificateSettings(CertificateSettings{}).External.HasMACKey)
}

// Doctor tells the worst that listeners show: another certificate, then agents that are behind, then nothing at all.
func TestWhatListenersShow(t *testing.T) {
	t.Parallel()
	good := showing{Hostname: "good.example", Fingerprint: "a", Seen: "a"}
	other := showing{Hostname: "other.example", Fingerprint: "a", Seen: "b"}
	away := showing{Hostname: "away.example", Fingerprint: "a", Met: errors.New("no route")}
	for what, one := range map[string]struct {
		all     []showing
		behind  []string
		status  doctor.Status
		subject string
	}{
		"all good":              {[]showing{good, good}, nil, doctor.OK, ""},
		"one away":              {[]showing{good, away}, nil, doctor.OK, ""},
		"all away":              {[]showing{away, away}, nil, doctor.Skipped, "away.example"},
		"another certificate":   {[]showing{good, away, other}, nil, doctor.Failed, "other.example"},
		"an agent is behind":    {[]showing{good}, []string{"fra-01"}, doctor.Warning, "fra-01"},
		"behind, and all away":  {[]showing{away}, []string{"fra-01"}, doctor.Warning, "fra-01"},
		"behind, and another":   {[]showing{other}, []string{"fra-01"}, doctor.Failed, "other.example"},
		"another of two others": {[]showing{other, other}, nil, doctor.Failed, "other.example"},
	} {
		found := judgeShown(one.all, one.behind)
		require.Equal(t, one.status, found.Status, what)
		require.Equal(t, one.subject, found.Subject, what)
		require.Equal(t, len(one.all), found.Data["listeners"], what)
		require.Equal(t, len(one.behind), found.Data["nodes_behind"], what)
	}
}

// The plan says of a name that leads elsewhere what servers answer, and only somebody else's record blocks it.
func TestThePlanOfANameThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	for what, one := range map[string]struct {
		detail records.Detail
		status string
		code   string
		says   string
		blocks bool
	}{
		"ok": {
			records.Detail{State: records.OK, ResolvedIPs: []string{"192.0.2.1", "2001:db8::1"}},
			flowsapi.Confirmed, "record_ok", "192.0.2.1, 2001:db8::1", false,
		},
		"elsewhere": {
			records.Detail{State: records.Mismatch, ResolvedIPs: []string{"198.51.100.9"}},
			flowsapi.Unconfirmed, "record_mismatch", "198.51.100.9", false,
		},
		"nowhere": {records.Detail{State: records.Mismatch}, flowsapi.Unconfirmed, "record_mismatch", "—", false},
		"blocked": {
			records.Detail{State: records.Mismatch, Conflicts: []records.Conflict{{Type: "CNAME", Value: "x.example"}}},
			flowsapi.Failed, "record_conflict", "CNAME x.example", true,
		},
	} {
		check, known := judgeRecords("a.example.com", one.detail)
		require.True(t, known, what)
		require.Equal(t, one.status, check.Status, what)
		require.Equal(t, one.code, check.Finding.Code, what)
		require.Contains(t, check.Finding.Text, one.says, what)
		require.Equal(t, one.blocks, check.Blocks, what)
	}
	for _, state := range []string{records.Pending, records.Propagating, records.Failed} {
		_, known := judgeRecords("a.example.com", records.Detail{State: state})
		require.False(t, known, "%s says nothing of what clients see", state)
	}
}

// The first installation takes a domain in any alphabet and an address that others reach, and nothing else.
func TestWhatTheSetupOfDNSTakes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("l", 62)+".", 4)
	for _, one := range []struct{ domain, ip, name, kind, value string }{
		{"panel.example.com", "192.0.2.10", "panel.example.com", "A", "192.0.2.10"},
		{" Panel.Example.com. ", " 2001:DB8::0:10 ", "panel.example.com", "AAAA", "2001:db8::10"},
		{"панель.пример.рф", "::ffff:192.0.2.10", "xn--80aksgi6f.xn--e1afmkfd.xn--p1ai", "A", "192.0.2.10"},
		{long[:251], "10.0.0.7", long[:251], "A", "10.0.0.7"},
	} {
		got, err := DNSSetup{Domain: one.domain, ServerIP: one.ip}.record()
		require.NoError(t, err, one.domain)
		require.Equal(t, provider.Record{Name: one.name, Type: one.kind, Value: one.value, TTL: setupTTL}, got)
	}
	for _, one := range []struct{ domain, ip, field string }{
		{"*.example.com", "192.0.2.10", "domain"},
		{"localhost", "192.0.2.10", "domain"},
		{"192.0.2.1", "192.0.2.10", "domain"},
		{"a..example.com", "192.0.2.10", "domain"},
		{"a.example.com/x", "192.0.2.10", "domain"},
		{"a.example.com\r\nb", "192.0.2.10", "domain"},
		{strings.Repeat("l", 64) + ".example.com", "192.0.2.10", "domain"},
		{"a.example.com", "127.0.0.1", "server_ip"},
		{"a.example.com", "0.0.0.0", "server_ip"},
		{"a.example.com", "::", "server_ip"},
		{"a.example.com", "224.0.0.1", "server_ip"},
		{"a.example.com", "fe80::1%eth0", "server_ip"},
		{"a.example.com", "169.254.1.1", "server_ip"},
		{"a.example.com", "a.example.com", "server_ip"},
		{"a.example.com", "192.0.2.10:443", "server_ip"},
		{"a.example.com", "192.0.2.010", "server_ip"},
	} {
		_, err := DNSSetup{Domain: one.domain, ServerIP: one.ip}.record()
		wrong, is := fault.As(err)
		require.True(t, is, "%q %q", one.domain, one.ip)
		require.Equal(t, one.field, wrong.Fields[0].Field, "%q %q", one.domain, one.ip)
	}
}

// The setup writes beside the other family, and never where another address or an alias stands.
func TestWhatStandsInTheWayOfTheSetup(t *testing.T) {
	t.Parallel()
	at := func(kind, value string) provider.Record {
		return provider.Record{Name: "a.example.com", Type: kind, Value: value}
	}
	wanted := at("A", "192.0.2.10")
	proxied := wanted
	proxied.Proxied = true
	for what, one := range map[string]struct {
		there  []provider.Record
		same   bool
		others int
	}{
		"nothing":               {nil, false, 0},
		"the very same":         {[]provider.Record{wanted}, true, 0},
		"the same by a network": {[]provider.Record{proxied}, true, 0},
		"the other family":      {[]provider.Record{at("AAAA", "2001:db8::1")}, false, 0},
		"a text":                {[]provider.Record{at("TXT", "v=spf1")}, false, 0},
		"another address":       {[]provider.Record{at("A", "198.51.100.1")}, false, 1},
		"an alias":              {[]provider.Record{at("CNAME", "x.example")}, false, 1},
		"both":                  {[]provider.Record{wanted, at("A", "198.51.100.1")}, true, 1},
	} {
		same, others := among(one.there, wanted)
		require.Equal(t, one.same, same, what)
		require.Len(t, others, one.others, what)
	}
	require.Equal(t, "no", reason(fault.Upstream("x_error", "no").Wrap(errors.New("at length"))))
	require.Equal(t, "at length", reason(errors.New("at length")))
}
