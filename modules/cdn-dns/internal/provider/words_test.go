package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
	"panel/platform/outbound"
)

// explains are how the answers of services are read that are no success.
func explains() map[string]func([]byte, *Refusal) {
	return map[string]func([]byte, *Refusal){
		"bunny": explainBunny, "cloudflare": explainCloudflare, "digitalocean": explainDigitalOcean,
		"hetzner": explainHetzner, "keystone": explainKeystone, "linode": explainLinode, "powerdns": explainPowerDNS,
		"selectel": explainSelectel, "timeweb": explainTimeweb, "vultr": explainVultr, "yandex": explainYandex,
	}
}

// refusedWith is the refusal that an answer of a service is read as.
func refusedWith(service string, status int, body string, headers ...string) *Refusal {
	r := &rest{service: service, explain: explains()[service], now: time.Now, hidden: []string{"sesame-open", ""}}
	header := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return r.refused(outbound.Answer{Status: status, Header: header, Body: []byte(body)})
}

// An answer may come from a proxy, be cut off, or have another form than it should: its status decides then.
func TestAnAnswerOfAnyFormIsReadByItsStatus(t *testing.T) {
	t.Parallel()
	bodies := []string{
		"", "null", "[]", "{}", "42", `"text"`, "<html><body>Bad Gateway</body></html>", `{"error":{"code":"serv`,
		`{"error":42,"errors":"x","message":{},"id":[],"code":"x"}`, "\x00\xff\xfe", strings.Repeat("{", 5000),
	}
	for service := range explains() {
		for _, body := range bodies {
			for _, one := range []struct {
				status  int
				code    string
				passing bool
			}{
				{http.StatusUnauthorized, CodeRefused, false},
				{http.StatusForbidden, CodeLacksRights, false},
				{http.StatusTooManyRequests, CodeError, true},
				{http.StatusBadRequest, CodeError, false},
				{http.StatusNotFound, CodeError, false},
				{http.StatusInternalServerError, CodeError, true},
				{http.StatusBadGateway, CodeError, true},
				{http.StatusServiceUnavailable, CodeError, true},
			} {
				err := asFault(refusedWith(service, one.status, body))
				require.Equal(t, one.code, fault.Code(err), "%s %d %.40q", service, one.status, body)
				require.Equal(t, one.passing, Passing(err), "%s %d %.40q", service, one.status, body)
			}
		}
	}
}

// What a service says is understood in its own words, and told in them.
func TestRefusalsAreUnderstoodInTheWordsOfTheService(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		service string
		status  int
		body    string
		code    string
		words   string
	}{
		{"cloudflare", 400, `{"errors":[{"code":6003,"message":"Invalid request headers"}]}`, CodeRefused, ""},
		{"cloudflare", 403, `{"errors":[{"code":1000,"message":"Invalid API Token"}]}`, CodeRefused, ""},
		{"cloudflare", 403, `{"errors":[{"code":9109,"message":"Invalid access token"}]}`, CodeRefused, ""},
		{"cloudflare", 403, `{"errors":[{"code":9109,"message":"Unauthorized to access requested resource"}]}`, CodeLacksRights, ""},
		{"cloudflare", 401, `{"errors":[{"code":10000,"message":"Authentication error"}]}`, CodeLacksRights, ""},
		{"cloudflare", 400, `{"errors":[{"code":81053,"message":"An A, AAAA, or CNAME record already exists"}]}`, CodeConflict, ""},
		{"cloudflare", 400, `{"errors":[{"code":81054,"message":"A CNAME record already exists"}]}`, CodeConflict, ""},
		{"cloudflare", 400, `{"errors":[{"code":9005,"message":"Content for A record must be a valid IPv4 address."}]}`, CodeError, "valid IPv4"},
		{"digitalocean", 422, `{"id":"unprocessable_entity","message":"Data needs to end with a dot (.)"}`, CodeError, "end with a dot"},
		{"digitalocean", 403, `{"id":"Forbidden","message":"You are not authorized to perform this operation"}`, CodeLacksRights, ""},
		{"hetzner", 409, `{"error":{"code":"uniqueness_error","message":"record exists"}}`, CodeConflict, ""},
		{"hetzner", 409, `{"error":{"code":"conflict","message":"the resource has changed"}}`, CodeError, "has changed"},
		{"hetzner", 403, `{"error":{"code":"token_readonly","message":"only GET"}}`, CodeLacksRights, "Read & Write"},
		{"hetzner", 422, `{"error":{"code":"invalid_input","message":"ttl is too small"}}`, CodeError, "ttl is too small"},
		{"linode", 401, `{"errors":[{"reason":"Your OAuth token is not authorized to use this endpoint."}]}`, CodeLacksRights, ""},
		{"linode", 401, `{"errors":[{"reason":"Invalid Token"}]}`, CodeRefused, ""},
		{"linode", 400, `{"errors":[{"reason":"Hostname is invalid","field":"name"}]}`, CodeError, "Hostname is invalid"},
		{"linode", 400, `{"errors":[]}`, CodeError, "HTTP 400"},
		{"powerdns", 422, `{"error":"RRset a.example.com. IN A: Conflicts with pre-existing RRset"}`, CodeConflict, ""},
		{"powerdns", 422, `{"error":"Record a.example.com./A '1.2.3': Parsing record content"}`, CodeError, "Parsing record"},
		{"powerdns", 500, `{"error":"Backend conflict"}`, CodeError, "Backend conflict"},
		{"selectel", 409, `{"error":"conflict","description":"rrset already exists"}`, CodeConflict, ""},
		{"selectel", 400, `{"error":"bad_request","description":"ttl must be at least 60"}`, CodeError, "at least 60"},
		{"keystone", 401, `{"error":{"code":401,"title":"Unauthorized","message":"who are you"}}`, CodeRefused, ""},
		{"timeweb", 409, `{"error_code":"conflict","message":["DNS record already exists","really"]}`, CodeConflict, ""},
		{"timeweb", 400, `{"error_code":"bad_request","message":["value must be an IP address"]}`, CodeError, "must be an IP address"},
		{"timeweb", 400, `{"error_code":"bad_request","message":"type is unknown"}`, CodeError, "type is unknown"},
		{"vultr", 400, `{"error":"Invalid record data","status":400}`, CodeError, "Invalid record data"},
		{"bunny", 400, `{"ErrorKey":"pullzone.hostname_already_registered","Message":"The hostname is already registered."}`, CodeConflict, ""},
		{"bunny", 400, `{"ErrorKey":"pullzone.name_taken","Message":"The Pull Zone name is already taken."}`, CodeConflict, ""},
		{"bunny", 400, `{"ErrorKey":"pullzone.validation","Message":"The Name field is not valid."}`, CodeError, "pullzone.validation"},
		{"yandex", 409, `{"code":6,"message":"Resource already exists"}`, CodeConflict, ""},
		{"yandex", 403, `{"code":7,"message":"Permission denied"}`, CodeLacksRights, ""},
		{"yandex", 400, `{"code":3,"message":"Illegal argument cname"}`, CodeError, "Illegal argument"},
	} {
		err := asFault(refusedWith(one.service, one.status, one.body))
		shown, is := fault.As(err)
		require.True(t, is, one.body)
		require.Equal(t, one.code, shown.Code, "%s %s", one.service, one.body)
		require.Contains(t, shown.Detail, one.words, "%s %s", one.service, one.body)
	}
}

// A service that is at work on the same record is asked again; that is nobody's conflict.
func TestAServiceThatIsAtWorkIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"conflict", "locked"} {
		busy := refusedWith("hetzner", http.StatusConflict, `{"error":{"code":"`+code+`","message":"in a moment"}}`)
		require.True(t, Passing(asFault(busy)), code)
		require.False(t, decided(busy), "what stands at the name does not matter")
	}
	gone := refusedWith("hetzner", http.StatusNotFound, `{"error":{"code":"not_found","message":"no such zone"}}`)
	require.False(t, Passing(asFault(gone)))
}

// A service may repeat what it was sent, and at any length: a secret and more than a line of it are never shown.
func TestWhatAServiceSaysIsBoundedAndHasNoSecret(t *testing.T) {
	t.Parallel()
	said := refusedWith("vultr", http.StatusBadRequest, `{"error":"the key sesame-open is `+strings.Repeat("ж", 5000)+`"}`)
	require.NotContains(t, said.Error(), "sesame")
	require.Contains(t, said.Error(), "the key *** is")
	require.Len(t, []rune(said.Words), 200, "whole characters")
	require.Equal(t, "vultr refused: HTTP 400: ", said.Error()[:len("vultr refused: HTTP 400: ")])
	require.Equal(t, "the name server refused: NOTZONE", (&Refusal{Service: rfc2136Service, Code: "NOTZONE"}).Error())
}

// Services say in two ways when they want to be called again.
func TestWhenAServiceWantsToBeCalledAgain(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for _, one := range []struct {
		name, value string
		after       time.Duration
	}{
		{"Retry-After", "30", 30 * time.Second},
		{"Retry-After", "0", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "soon", 0},
		{"Ratelimit-Reset", "1800000060", time.Minute},
		{"Ratelimit-Reset", "1799999990", 0},
		{"Ratelimit-Reset", "later", 0},
		{"X-Other", "30", 0},
	} {
		header := http.Header{}
		header.Set(one.name, one.value)
		require.Equal(t, one.after, after(header, now), "%s: %s", one.name, one.value)
	}
	limited := asFault(refusedWith("linode", http.StatusTooManyRequests, ""))
	shown, _ := fault.As(limited)
	require.Equal(t, time.Second, shown.RetryAfter, "where it does not say")
	limited = asFault(refusedWith("linode", http.StatusTooManyRequests, "", "Retry-After", "90"))
	shown, _ = fault.As(limited)
	require.Equal(t, 90*time.Second, shown.RetryAfter)
}

// Whoever waits for a service goes on waiting where time helps, and stops where a person has to act.
func TestWhatPassesByItself(t *testing.T) {
	t.Parallel()
	for what, one := range map[string]struct {
		err     error
		passing bool
	}{
		"slow":             {fault.UpstreamTimeout(CodeTimeout, "too slow"), true},
		"unreachable":      {fault.Upstream(CodeError, "no route"), true},
		"broken":           {asFault(&Refusal{Status: 503}), true},
		"limited":          {asFault(&Refusal{Status: 429}), true},
		"speaks DNS":       {asFault(&Refusal{Service: rfc2136Service, Code: "SERVFAIL"}), true},
		"unreadable":       {asFault(&Refusal{Status: 200, Words: "the answer cannot be read"}), true},
		"unknown token":    {asFault(&Refusal{Status: 401, Unknown: true}), false},
		"lacks a right":    {asFault(&Refusal{Status: 403, Forbidden: true}), false},
		"names the right":  {asFault(&Refusal{Missing: []string{"DNS:Edit"}}), false},
		"another record":   {asFault(&Refusal{Status: 400, Exists: true}), false},
		"wrong value":      {asFault(&Refusal{Status: 422}), false},
		"said to be final": {asFault(&Refusal{Final: true}), false},
		"final and broken": {asFault(&Refusal{Status: 503, Final: true}), false},
		"no zone":          {ErrNoZone, false},
		"of the panel":     {errors.New("disk full"), false},
		"wrapped":          {fmt.Errorf("add a record: %w", asFault(&Refusal{Status: 500})), true},
	} {
		require.Equal(t, one.passing, Passing(one.err), what)
	}
}

// The right that a call needs is named where the service only says that it is not allowed.
func TestTheRightThatACallNeedsIsNamed(t *testing.T) {
	t.Parallel()
	err := asFault(needs("domain:create", refusedWith("digitalocean", http.StatusForbidden, "{}")))
	shown, _ := fault.As(err)
	require.Equal(t, CodeLacksRights, shown.Code)
	require.Equal(t, []string{"domain:create"}, shown.Extra["missing"])
	require.Contains(t, shown.Detail, "domain:create")

	shown, _ = fault.As(asFault(&Refusal{Service: "Vultr", Forbidden: true}))
	require.Equal(t, []string{"access to this zone"}, shown.Extra["missing"], "a service that names none")
	require.NoError(t, needs("domain:create", nil))
	require.Zero(t, status(errors.New("x")))
	require.Zero(t, refusalCode(errors.New("x")))
	require.Equal(t, 81053, refusalCode(&Refusal{Code: "81053"}))
}
