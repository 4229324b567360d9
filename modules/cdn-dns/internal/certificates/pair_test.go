package certificates

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"
	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/domains/domainsapi"
	"panel/platform/fault"
)

// A pair is judged before it is kept: what could not serve is refused at its field, and nothing of it is repeated.
func TestAPairThatCannotServeIsRefused(t *testing.T) {
	t.Parallel()
	root, now := acmetest.NewRoot(t), time.Now()
	good := root.Sign(now.Add(-time.Hour), now.Add(time.Hour), "a.example.com", "*.example.com")
	other := acmetest.NewRoot(t).Sign(now.Add(-time.Hour), now.Add(time.Hour), "a.example.com")
	key, text, err := newKey()
	require.NoError(t, err)
	require.NotNil(t, key)
	for what, one := range map[string]struct {
		chain, key string
		names      []string
		met        error
		field      string
	}{
		"good":                      {good.Chain, good.Key, nil, nil, ""},
		"for its names":             {good.Chain, good.Key, []string{"a.example.com", "*.example.com"}, nil, ""},
		"for another name":          {good.Chain, good.Key, []string{"b.example.com"}, errNames, "chain"},
		"another key":               {good.Chain, string(text), nil, errNoPair, "key"},
		"no key":                    {good.Chain, "", nil, errNoPair, "key"},
		"no chain":                  {"", good.Key, nil, errNoPair, "key"},
		"the two exchanged":         {good.Key, good.Chain, nil, errNoPair, "key"},
		"no PEM":                    {"sesame", "open", nil, errNoPair, "key"},
		"half a chain":              {good.Chain[:len(good.Chain)/3], good.Key, nil, errNoPair, "key"},
		"a stranger in the chain":   {good.Chain + other.Chain, good.Key, nil, errChain, "chain"},
		"itself signed by a leaf":   {leafPEM(good.Chain) + leafPEM(other.Chain), good.Key, nil, errChain, "chain"},
		"a chain of the leaf alone": {leafPEM(good.Chain), good.Key, nil, nil, ""},
	} {
		leaf, err := checkPair([]byte(one.chain), []byte(one.key), one.names...)
		if one.met == nil {
			require.NoError(t, err, what)
			require.Contains(t, leaf.DNSNames, "a.example.com")
			continue
		}
		require.ErrorIs(t, err, one.met, what)
		shown, is := fault.As(refusedPair(err))
		require.True(t, is)
		require.Equal(t, one.field, shown.Fields[0].Field, what)
		require.NotContains(t, shown.Error(), "sesame")
	}
}

func leafPEM(chain string) string {
	block, _ := pem.Decode([]byte(chain))
	return string(pem.EncodeToMemory(block))
}

// A key that was stored is read again, and what is none is said without a part of it.
func TestKeysAreReadAgain(t *testing.T) {
	t.Parallel()
	made, text, err := newKey()
	require.NoError(t, err)
	again, err := readKey(text)
	require.NoError(t, err)
	require.Equal(t, made, again)
	for _, wrong := range []string{"", "sesame", "-----BEGIN PRIVATE KEY-----\nc2VzYW1l\n-----END PRIVATE KEY-----\n"} {
		_, err := readKey([]byte(wrong))
		require.Error(t, err)
		require.NotContains(t, err.Error(), "sesame")
	}
	for _, wrong := range []string{"", "sesame", "-----BEGIN CERTIFICATE-----\nc2VzYW1l\n-----END CERTIFICATE-----\n"} {
		_, err := leafOf(wrong)
		require.Error(t, err)
	}
	request, err := requestFor(made, []string{"*.example.com", "example.com"})
	require.NoError(t, err)
	require.NotEmpty(t, request)
}

// A wildcard covers one label, and no more.
func TestWhatACertificateCovers(t *testing.T) {
	t.Parallel()
	for host, covered := range map[string]bool{
		"example.com": true, "a.example.com": true, "a.b.example.com": false, "notexample.com": false, "com": false, "": false,
	} {
		require.Equal(t, covered, Covers([]string{"*.example.com", "example.com"}, host), host)
	}
	require.Equal(t, "*.example.com", wildcardOf("a.example.com"))
	require.False(t, Covers(nil, "a.example.com"))
}

// The record that proves a name must fit into a name of DNS: a wildcard is proved at its zone.
func TestWhichNamesARecordCanProve(t *testing.T) {
	t.Parallel()
	far := strings.Repeat(strings.Repeat("l", 60)+".", 4)
	for host, one := range map[string]struct {
		zone string
		is   bool
	}{
		"a.example.com":           {"example.com", true},
		"a.b.example.com":         {"example.com", true},
		far[:236] + "x":           {"zone.example", true},
		far + "a.test":            {"a.test", false},
		"n." + far[1:] + "a.test": {far[3:] + "a.test", false},
	} {
		require.Equal(t, one.is, provable(host, one.zone), "%d characters", len(host))
	}
}

// People are warned from fourteen days, or a sixth of the lifetime, before the end.
func TestWhenPeopleAreWarned(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.Add(90 * day)
	c := Certificate{NotBefore: &from, NotAfter: &until}
	require.False(t, EndsSoon(c, until.Add(-15*day)))
	require.True(t, EndsSoon(c, until.Add(-14*day)))
	require.True(t, EndsSoon(c, until.Add(day)), "what is over is not forgotten")
	require.False(t, EndsSoon(Certificate{}, until), "there is none yet")
}

// The authority proposes a window: the moment in it that was chosen before stays, and the warning to people is the end.
func TestTheMomentWithinTheWindowOfTheAuthority(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.Add(90 * day)
	at := func(days int) *time.Time {
		moment := from.Add(time.Duration(days) * day)
		return &moment
	}
	for what, one := range map[string]struct {
		chosen             *time.Time
		start, end, picked int
		want               int
	}{
		"none was chosen":     {nil, 50, 60, 55, 55},
		"the chosen one fits": {at(58), 50, 60, 55, 58},
		"at its beginning":    {at(50), 50, 60, 55, 50},
		"it was too early":    {at(40), 50, 60, 55, 55},
		"it was too late":     {at(70), 50, 60, 55, 55},
		"about to be revoked": {at(58), -2, -1, -1, -1},
		"later than allowed":  {nil, 80, 89, 85, 76},
	} {
		r := &row{NotBefore: &from, NotAfter: &until, RenewAt: one.chosen}
		var info acme.RenewalInfo
		info.SuggestedWindow.Start, info.SuggestedWindow.End = *at(one.start), *at(one.end)
		info.SelectedTime = *at(one.picked)
		require.Equal(t, *at(one.want), *renewWithin(r, info), what)
	}
}

// Errors are told by who made them: the authority, which has decided or may answer otherwise, or the network.
func TestWhoHasRefusedAnOrder(t *testing.T) {
	t.Parallel()
	problem := func(kind string, status int) error {
		return fmt.Errorf("hand in an order: %w", acme.Problem{Type: "urn:ietf:params:acme:error:" + kind, Status: status})
	}
	away := &url.Error{Op: "Post", URL: "https://secret.example", Err: &net.OpError{Op: "dial", Err: errors.New("refused")}}
	for what, one := range map[string]struct {
		err                     error
		answered, refused, lost bool
	}{
		"limited":          {problem("rateLimited", 429), true, true, false},
		"unauthorized":     {problem("unauthorized", 403), true, true, false},
		"malformed":        {problem("malformed", 400), true, true, false},
		"broken inside":    {problem("serverInternal", 500), true, false, false},
		"an old nonce":     {problem("badNonce", 400), false, false, false},
		"a lost account":   {problem("accountDoesNotExist", 400), true, true, true},
		"the network":      {away, false, false, false},
		"an invalid order": {refusal(acme.Order{}), false, true, false},
		"with a reason":    {refusal(acme.Order{Error: &acme.Problem{Type: "x", Status: 400}}), true, true, false},
		"of the panel":     {errors.New("disk full"), false, false, false},
	} {
		require.Equal(t, one.answered, answered(one.err), what)
		require.Equal(t, one.refused, refused(one.err), what)
		require.Equal(t, one.lost, forgotten(one.err), what)
	}
	require.True(t, unreachable(fmt.Errorf("register an account: %w", away)))
	require.False(t, unreachable(context.Canceled))
	require.NotContains(t, describe(away), "secret.example", "an address is not shown")
	require.Contains(t, describe(away), "could not be used")
	require.Contains(t, describe(refusal(acme.Order{Error: &acme.Problem{
		Type: "urn:ietf:params:acme:error:rejectedIdentifier", Detail: "not this name",
	}})), "rejectedIdentifier: not this name")
}

// Records of an order that a panel which died has noted are read again; none is no error.
func TestNotedRecordsAreReadAgain(t *testing.T) {
	t.Parallel()
	o := &order{Records: []byte(`[{"hostname":"a.example.com","name":"_acme-challenge.example.com","value":"v"}]`)}
	require.Equal(t, []record{{Hostname: "a.example.com", Name: "_acme-challenge.example.com", Value: "v"}}, o.noted())
	require.Empty(t, (&order{Records: []byte("[]")}).noted())
	require.Empty(t, (&order{}).noted())
	written := record{Name: "_acme-challenge.a.example.com", Value: "v"}.in("example.com").RR()
	require.Equal(t, "_acme-challenge.a", written.Name)
	require.Equal(t, "v", written.Data)
	require.Equal(t, recordTTL, written.TTL)
}

// The list of bindings shows what is in use now, what failed and what is on its way.
func TestTheListReadsCertificates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	const held = `"not_before":"2026-01-01T00:00:00Z","not_after":"2026-04-01T00:00:00Z"`
	for text, state := range map[string]string{
		`{}`:                                 StateNone,
		`{"ordered":true}`:                   StateIssuing,
		`{"last_error":"no"}`:                StateFailed,
		`{"last_error":"no","ordered":true}`: StateIssuing,
		`{` + held + `}`:                     StateValid,
		`{` + held + `,"ordered":true}`:      StateValid,
		`{` + held + `,"last_error":"no"}`:   StateFailed,
		`{"not_before":"2025-01-01T00:00:00Z","not_after":"2026-03-01T00:00:00Z"}`: StateExpired,
		`{"not_before":"2026-01-01T00:00:00Z","not_after":"2026-03-20T00:00:00Z"}`: StateExpiring,
	} {
		got, err := stateFrom([]byte(text), now)
		require.NoError(t, err, text)
		require.Equal(t, state, got.Certificate.State, text)
	}
	got, err := stateFrom([]byte(`{"issuer":"E5","challenge":"dns-01",`+held+`}`), now)
	require.NoError(t, err)
	require.Equal(t, &domainsapi.Certificate{
		State: StateValid, Issuer: "E5", Challenge: "dns-01", NotAfter: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
	}, got.Certificate)
	_, err = stateFrom([]byte(`[]`), now)
	require.Error(t, err)
}
