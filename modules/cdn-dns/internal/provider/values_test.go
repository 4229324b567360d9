package provider

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/libdns/libdns"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// Names are compared in lower case without their final dot, and written as each service has them.
func TestNamesWithinAZone(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ name, zone, relative string }{
		{"example.com", "example.com", "@"},
		{"www.example.com", "example.com", "www"},
		{"a.b.example.com", "example.com", "a.b"},
		{"*.example.com", "example.com", "*"},
		{"_acme-challenge.example.com", "example.com", "_acme-challenge"},
		{"xn--e1afmkfd.xn--p1ai", "xn--p1ai", "xn--e1afmkfd"},
	} {
		require.Equal(t, one.relative, relative(one.name, one.zone))
		require.Equal(t, one.name, absolute(one.relative, one.zone))
		require.Equal(t, one.name, absolute(one.name, one.zone), "a service may write the whole name")
		require.Equal(t, one.name, absolute(strings.ToUpper(one.name)+".", one.zone))
	}
	require.Equal(t, "example.com", absolute("", "example.com"))
	require.Equal(t, "notexample.com.example.com", absolute("notexample.com", "example.com"), "no label is cut in two")
	require.Equal(t, "notexample.com", relative("notexample.com", "example.com"))
	require.Equal(t, "www.example.com", Canonical("WWW.Example.COM."))
}

// Two records are the same when they say the same, however they are written.
func TestRecordsAreTheSameWhenTheySayTheSame(t *testing.T) {
	t.Parallel()
	at := func(kind, value string) Record { return Record{Name: "a.example.com", Type: kind, Value: value} }
	for _, one := range []struct {
		a, b Record
		same bool
	}{
		{at("A", "192.0.2.1"), at("A", "192.0.2.1"), true},
		{at("A", "192.0.2.1"), at("A", "192.0.2.2"), false},
		{at("AAAA", "2001:db8::1"), at("AAAA", "2001:0DB8:0:0::1"), true},
		{at("AAAA", "2001:db8::1"), at("AAAA", "2001:db8::2"), false},
		{at("CNAME", "x.example"), at("CNAME", "X.example."), true},
		{at("CNAME", "x.example"), at("CNAME", "y.example"), false},
		{at("TXT", "token"), at("TXT", "Token"), false},
		{at("TXT", "192.0.2.1"), at("A", "192.0.2.1"), false},
		{at("A", "192.0.2.1"), Record{Name: "b.example.com", Type: "A", Value: "192.0.2.1"}, false},
		{at("A", "192.0.2.1"), Record{Name: "a.example.com", Type: "A", Value: "192.0.2.1", Proxied: true}, false},
		{at("A", "192.0.2.1"), Record{Name: "a.example.com", Type: "A", Value: "192.0.2.1", TTL: 7, ID: "7"}, true},
		{at("A", "not an address"), at("A", "192.0.2.1"), false},
	} {
		require.Equal(t, one.same, one.a.Same(one.b), "%v %v", one.a, one.b)
		require.Equal(t, one.same, one.b.Same(one.a), "%v %v", one.b, one.a)
	}
	require.True(t, at("CNAME", "x.example").excludes(at("TXT", "t")))
	require.True(t, at("A", "192.0.2.1").excludes(at("CNAME", "x.example")))
	require.False(t, at("A", "192.0.2.1").excludes(at("AAAA", "2001:db8::1")))
	require.False(t, at("CNAME", "x.example").excludes(at("CNAME", "y.example")))
}

// A network answers with addresses of its own; for other records the value decides.
func TestWhatAnAuthoritativeServerConfirms(t *testing.T) {
	t.Parallel()
	record := Record{Name: "a.example.com", Type: "A", Value: "192.0.2.1"}
	proxied := record
	proxied.Proxied = true
	require.False(t, matches(record, nil))
	require.False(t, matches(record, []string{"198.51.100.1"}))
	require.True(t, matches(record, []string{"198.51.100.1", "192.0.2.1"}))
	require.False(t, matches(proxied, nil))
	require.True(t, matches(proxied, []string{"198.51.100.1"}))
	require.True(t, matches(Record{Type: "CNAME", Value: "x.example."}, []string{"X.example"}))
	require.Equal(t, TypeA, AddressType(netip.MustParseAddr("192.0.2.1")))
	require.Equal(t, TypeA, AddressType(netip.MustParseAddr("::ffff:192.0.2.1")))
	require.Equal(t, TypeAAAA, AddressType(netip.MustParseAddr("2001:db8::1")))
}

// Services that write zone files have dots and quotes that the others do not have.
func TestValuesOfZoneFiles(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ kind, bare, dotted string }{
		{"A", "192.0.2.1", "192.0.2.1"},
		{"AAAA", "2001:db8::1", "2001:db8::1"},
		{"CNAME", "x.example", "x.example."},
		{"TXT", "token", `"token"`},
		{"TXT", `say "yes"`, `"say \"yes\""`},
		{"TXT", "", `""`},
		{"TXT", strings.Repeat("a", 256), `"` + strings.Repeat("a", 255) + `" "a"`},
	} {
		require.Equal(t, one.dotted, dotted(Record{Type: one.kind, Value: one.bare}))
		require.Equal(t, one.bare, bare(one.kind, one.dotted))
		require.Equal(t, one.bare, bare(one.kind, one.bare), "a service may leave them out")
	}
	for kind, is := range map[string]bool{"A": true, "AAAA": true, "CNAME": true, "TXT": true, "MX": false, "NS": false, "": false} {
		require.Equal(t, is, written(kind), kind)
	}
	require.Equal(t, []string{"a", "b"}, list(" a, ,b ,"))
	require.Empty(t, list(" , "))
}

// Each required field of each service is asked for by its name, and defaults fill in the rest.
func TestARequiredFieldIsNamed(t *testing.T) {
	t.Parallel()
	p := providers(t, "https://api.cloudflare.com/client/v4")
	for _, kind := range Kinds() {
		all := Values{}
		for _, field := range kind.Fields {
			if field.Required {
				all[field.Name] = "eA=="
			}
			if field.Required && field.Form == formAddress {
				all[field.Name] = "http://10.0.0.1"
			}
		}
		for _, field := range kind.Fields {
			if !field.Required {
				continue
			}
			lacking := Values{}
			for name, value := range all {
				if name != field.Name {
					lacking[name] = value
				}
			}
			_, err := p.Open(kind.Name, lacking, "fields")
			wrong, is := fault.As(err)
			require.True(t, is, "%s without %s", kind.Name, field.Name)
			require.Equal(t, "fields."+field.Name, wrong.Fields[0].Field, kind.Name)
		}
		full, err := p.complete(kind, all, "fields")
		require.NoError(t, err, kind.Name)
		for _, field := range kind.Fields {
			if !field.Required {
				require.Equal(t, field.Default, full[field.Name], "%s %s", kind.Name, field.Name)
			}
		}
	}
}

// Addresses of APIs are http or https, of a host that the panel may call, without a query; keys may have lines.
func TestFormsOfFields(t *testing.T) {
	t.Parallel()
	p := providers(t, "https://api.cloudflare.com/client/v4")
	address, key, text := Field{Form: formAddress}, Field{Form: formKey}, Field{Form: formText}
	for _, one := range []struct {
		field Field
		value string
		good  bool
	}{
		{address, "", true},
		{address, "https://api.example.com/v2", true},
		{address, "http://10.0.0.1:8081", true},
		{address, "https://api.example.com/?token=x", false},
		{address, "https://api.example.com/#x", false},
		{address, "file:///etc/passwd", false},
		{address, "gopher://10.0.0.1", false},
		{address, "http://169.254.169.254/latest", false},
		{address, "//10.0.0.1", false},
		{text, "one line", true},
		{text, "two\nlines", false},
		{text, "tab\tulator", false},
		{text, "\x7f", false},
		{text, strings.Repeat("x", longestValue), true},
		{text, strings.Repeat("x", longestValue+1), false},
		{key, "-----BEGIN\r\n\tkey\n-----END", true},
		{key, "\x00", false},
		{key, strings.Repeat("x", longestKey), true},
		{key, strings.Repeat("x", longestKey+1), false},
		{Field{Form: formChoice, Choices: []string{"a", "b"}}, "b", true},
		{Field{Form: formChoice, Choices: []string{"a", "b"}}, "c", false},
		{Field{Form: formText, Required: true}, "", false},
	} {
		wrong := p.wrong(one.field, one.value)
		require.Equal(t, one.good, wrong == "", "%s %.40q: %s", one.field.Form, one.value, wrong)
	}
	require.True(t, key.Secret())
	require.False(t, text.Secret())
}

// Records of libdns are relative to their zone; an empty type or value stands for all.
func TestRecordsOfLibdns(t *testing.T) {
	t.Parallel()
	zone := Zone{Name: "example.com"}
	for _, one := range []struct {
		theirs libdns.RR
		ours   Record
	}{
		{
			libdns.RR{Name: "www", Type: "A", Data: "192.0.2.1", TTL: time.Minute},
			Record{Name: "www.example.com", Type: "A", Value: "192.0.2.1", TTL: 60},
		},
		{
			libdns.RR{Name: "@", Type: "AAAA", Data: "2001:db8::1", TTL: time.Hour},
			Record{Name: "example.com", Type: "AAAA", Value: "2001:db8::1", TTL: 3600},
		},
		{
			libdns.RR{Name: "_acme-challenge", Type: "TXT", Data: "token", TTL: 2 * time.Minute},
			Record{Name: "_acme-challenge.example.com", Type: "TXT", Value: "token", TTL: 120},
		},
	} {
		require.Equal(t, one.ours, ours(one.theirs, zone))
		require.Equal(t, one.theirs, theirs(one.ours, zone).RR())
	}
	odd := theirs(Record{Name: "a.example.com", Type: "A", Value: "no address"}, zone)
	require.Equal(t, "no address", odd.RR().Data, "what libdns cannot read stays as it is")
}

// Records that somebody leaves open are all taken away, and a zone that the credentials do not open is told.
func TestTextsOfAZoneAreTakenAway(t *testing.T) {
	t.Parallel()
	_, root := newStandIn(t, talkVultr, "example.com")
	p := providers(t, "")
	p.confirm = 0
	c := open(t, p, "vultr", simple(root, goodToken))
	zone := zoneOf(t, c, "example.com")
	for _, r := range []Record{
		{Name: "a.example.com", Type: TypeTXT, Value: "one", TTL: 60},
		{Name: "a.example.com", Type: TypeTXT, Value: "two", TTL: 60},
		{Name: "a.example.com", Type: TypeA, Value: "192.0.2.1", TTL: 60},
		{Name: "b.example.com", Type: TypeTXT, Value: "one", TTL: 60},
	} {
		add(t, c, zone, r)
	}
	gone, err := c.DeleteRecords(t.Context(), "example.com.", []libdns.Record{libdns.RR{Name: "a", Type: "TXT"}})
	require.NoError(t, err)
	require.Len(t, gone, 2)
	gone, err = c.DeleteRecords(t.Context(), "example.com.", []libdns.Record{libdns.RR{Name: "a"}})
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Len(t, bareRecords(t, c, zone, "b.example.com"), 1, "another name keeps its records")
	for _, act := range []func() error{
		func() error {
			_, err := c.AppendRecords(t.Context(), "other.example.", []libdns.Record{libdns.RR{Name: "a", Type: "TXT"}})
			return err
		},
		func() error {
			_, err := c.DeleteRecords(t.Context(), "other.example.", []libdns.Record{libdns.RR{Name: "a", Type: "TXT"}})
			return err
		},
	} {
		require.ErrorIs(t, act(), ErrNoZone)
	}
}
