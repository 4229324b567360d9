package cloud

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

var explains = map[string]func([]byte, *Problem){
	"aeza": explainAeza, "digitalocean": explainDigitalOcean, "hetzner": explainHetzner, "linode": explainLinode,
	"selectel": explainSelectel, "timeweb": explainTimeweb, "vultr": explainVultr,
}

// explained is what is read of an answer that is no success.
func explained(kind string, status int, body string) Problem {
	problem := Problem{Status: status, Cause: causeOf(status)}
	explains[kind]([]byte(body), &problem)
	return problem
}

// Each provider says in its own way why it refuses; what that means is one word of ours.
func TestRefusalsAreReadInTheWordsOfEachProvider(t *testing.T) {
	t.Parallel()
	hetzner := func(code string) string { return `{"error":{"code":"` + code + `","message":"why"}}` }
	linode := func(reason string) string { return `{"errors":[{"reason":"` + reason + `"}]}` }
	for _, one := range []struct {
		kind   string
		status int
		body   string
		cause  string
		words  string
	}{
		{"hetzner", 401, hetzner("unauthorized"), CredentialsRefused, "why"},
		{"hetzner", 403, hetzner("forbidden"), RightMissing, "why"},
		{"hetzner", 403, hetzner("resource_limit_exceeded"), LimitReached, "why"},
		{"hetzner", 423, hetzner("locked"), Busy, "why"},
		{"hetzner", 409, hetzner("conflict"), Busy, "why"},
		{"hetzner", 409, hetzner("uniqueness_error"), Refused, "why"},
		{"hetzner", 404, hetzner("not_found"), NotFound, "why"},
		{"hetzner", 429, hetzner("rate_limit_exceeded"), RateLimited, "why"},
		{"hetzner", 503, hetzner("unavailable"), ProviderFailed, "why"},
		{"digitalocean", 429, `{"id":"too_many_requests","message":"slow"}`, RateLimited, "slow"},
		{"digitalocean", 403, `{"id":"too_many_requests","message":"slow"}`, RateLimited, "slow"},
		{
			"digitalocean", 422, `{"message":"this would exceed your droplet limit"}`, LimitReached,
			"this would exceed your droplet limit",
		},
		{
			"digitalocean", 422, `{"message":"Droplet already has a pending event."}`, Busy,
			"Droplet already has a pending event.",
		},
		{"digitalocean", 422, `{"message":"name is invalid"}`, Refused, "name is invalid"},
		{"digitalocean", 404, `{"message":"no such limit"}`, NotFound, "no such limit"},
		{"vultr", 400, `{"error":"Invalid os_id.","status":400}`, Refused, "Invalid os_id."},
		{"vultr", 403, `{"error":"Unauthorized IP address","status":403}`, RightMissing, "Unauthorized IP address"},
		{
			"linode", 400, linode("Account Limit reached. Please open a support ticket."), LimitReached,
			"Account Limit reached. Please open a support ticket.",
		},
		{"linode", 400, linode("Linode busy."), Busy, "Linode busy."},
		{"linode", 500, linode("Linode busy."), ProviderFailed, "Linode busy."},
		{
			"linode", 400, `{"errors":[{"field":"label","reason":"taken"},{"reason":"too short"}]}`, Refused,
			"label: taken; too short",
		},
		{"selectel", 409, `{"conflictingRequest":{"code":409,"message":"vm_state"}}`, Busy, "vm_state"},
		{"selectel", 413, `{"overLimit":{"code":413,"message":"later"}}`, RateLimited, "later"},
		{"selectel", 401, `{"error":{"code":401,"message":"who"}}`, CredentialsRefused, "who"},
		{"timeweb", 409, `{"message":"busy with something","error_code":"conflict"}`, Busy, "busy with something"},
		{"timeweb", 400, `{"message":["a must be b","c must be d"]}`, Refused, ""},
		{"aeza", 400, `{"message":"new form","error":"x.y"}`, Refused, "new form"},
		{"aeza", 404, `{"error":{"slug":"x","message":"old form"}}`, NotFound, "old form"},
		{"aeza", 409, `{"error":"service.active_task"}`, Busy, ""},
	} {
		problem := explained(one.kind, one.status, one.body)
		require.Equal(t, one.cause, problem.Cause, "%s %d %s", one.kind, one.status, one.body)
		require.Equal(t, one.words, problem.Words, "%s %d %s", one.kind, one.status, one.body)
	}
}

// The right that is missing is named where the provider names it.
func TestAMissingRightIsNamedAsTheProviderNamesIt(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"You are missing the required permission droplet:create.": {"droplet:create"},
		"You are missing the required permission tag:read to go":  {"tag:read"},
		"You are not authorized":                                  nil,
	} {
		problem := explained("digitalocean", http.StatusForbidden, `{"id":"Forbidden","message":"`+message+`"}`)
		require.Equal(t, RightMissing, problem.Cause)
		require.Equal(t, want, problem.Missing, message)
	}
	problem := explained("hetzner", http.StatusForbidden, `{"error":{"code":"token_readonly"}}`)
	require.Equal(t, RightMissing, problem.Cause)
	require.Equal(t, []string{"Read & Write"}, problem.Missing)
}

// A body that says nothing leaves what the status says, whatever form it has.
func TestABodyThatSaysNothingLeavesWhatTheStatusSays(t *testing.T) {
	t.Parallel()
	statuses := map[int]string{
		301: Refused, 400: Refused, 401: CredentialsRefused, 403: RightMissing, 404: NotFound, 410: Refused,
		422: Refused, 429: RateLimited, 500: ProviderFailed, 502: ProviderFailed, 599: ProviderFailed,
	}
	for kind := range explains {
		for _, body := range []string{
			"", "null", "[]", "7", `"text"`, "<html></html>", `{"error":7}`, `{"errors":"x"}`, `{"message":{}}`, `{"a":`,
			`{"errors":[]}`, `{"error":null}`,
		} {
			for status, cause := range statuses {
				problem := explained(kind, status, body)
				require.Equal(t, cause, problem.Cause, "%s %d %s", kind, status, body)
				require.Empty(t, problem.Words, "%s %d %s", kind, status, body)
				require.Empty(t, problem.Missing, "%s %d %s", kind, status, body)
			}
		}
	}
}

// A problem is a fault of the API with its cause; what may pass by itself is told apart from what needs a person.
func TestAProblemIsAFaultWithItsCause(t *testing.T) {
	t.Parallel()
	declared := map[string]fault.Kind{}
	for _, one := range Faults() {
		declared[one.Code] = one.Kind
	}
	for cause, want := range map[string]struct {
		code    string
		passing bool
	}{
		CredentialsRefused: {"hosting_credentials_refused", false}, RightMissing: {"hosting_right_missing", false},
		Unreachable: {"hosting_provider_timeout", true}, AccountLocked: {"hosting_provider_error", false},
		RateLimited: {"hosting_provider_error", true}, NotFound: {"hosting_provider_error", false},
		LimitReached: {"hosting_provider_error", false}, Busy: {"hosting_provider_error", true},
		Refused: {"hosting_provider_error", false}, ProviderFailed: {"hosting_provider_error", true},
		AnswerUnreadable: {"hosting_provider_error", false},
	} {
		problem := &Problem{Service: "Somebody", Cause: cause, Missing: []string{"a"}, After: time.Minute}
		wrapped := fmt.Errorf("look: %w", errors.Join(errors.New("also"), problem))
		require.Same(t, problem, ProblemOf(wrapped), cause)
		known, is := fault.As(AsFault(wrapped))
		require.True(t, is, cause)
		require.Equal(t, want.code, known.Code, cause)
		require.Equal(t, declared[want.code], known.Kind, "%s is declared as another kind", cause)
		require.Equal(t, map[string]any{"cause": cause, "missing": []string{"a"}}, known.Extra, cause)
		require.Equal(t, time.Minute, known.RetryAfter, cause)
		require.Equal(t, want.passing, problem.Passing(), cause)
	}
	other := errors.New("the database is away")
	require.Nil(t, ProblemOf(other))
	require.Nil(t, ProblemOf(nil))
	require.Same(t, other, AsFault(other))
	require.Nil(t, (&Problem{Cause: Busy}).Fault().Extra["missing"])
}

func TestAProblemIsOneSentence(t *testing.T) {
	t.Parallel()
	for want, problem := range map[string]Problem{
		"Vultr: unreachable":                     {Service: "Vultr", Cause: Unreachable},
		"Vultr: refused (HTTP 400)":              {Service: "Vultr", Cause: Refused, Status: 400},
		"Vultr: refused (HTTP 400): no such OS":  {Service: "Vultr", Cause: Refused, Status: 400, Words: "no such OS"},
		"Vultr: account_locked: pay your bills!": {Service: "Vultr", Cause: AccountLocked, Words: "pay your bills!"},
	} {
		require.Equal(t, want, problem.Error())
	}
}

// An account that is locked is told as that, with the provider's words.
func TestALockedAccountIsTold(t *testing.T) {
	t.Parallel()
	client := answering(t, "digitalocean", map[string]string{
		"/account": `{"account":{"status":"locked","status_message":"pay your bills, token","droplet_limit":25}}`,
	})
	_, err := client.Look(t.Context())
	require.Equal(t, &Problem{Service: "DigitalOcean", Cause: AccountLocked, Words: "pay your bills, ***"}, ProblemOf(err))
}

// Every kind says what an account of it needs, in a form that can be shown and checked.
func TestKindsSayWhatTheyNeed(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, kind := range Kinds() {
		require.False(t, known[kind.Name], kind.Name)
		known[kind.Name] = true
		require.NotEmpty(t, kind.Title, kind.Name)
		require.NotNil(t, kind.Rights, kind.Name)
		require.NotEmpty(t, kind.Abilities, kind.Name)
		require.False(t, kind.Can("everything"), kind.Name)
		if kind.Name == Custom {
			require.Empty(t, kind.BaseURL)
			continue
		}
		require.True(t, strings.HasPrefix(kind.BaseURL, "https://"), kind.Name)
		require.NotContains(t, strings.TrimPrefix(kind.BaseURL, "https://"), "//", kind.Name)
		require.True(t, kind.Can(CanServers), kind.Name)
		require.Positive(t, kind.perSecond, kind.Name)
		for _, field := range kind.Fields {
			require.True(t, field.Required, "%s %s", kind.Name, field.Name)
			require.NotEmpty(t, field.Help, "%s %s", kind.Name, field.Name)
		}
		require.Equal(t, kind.Can(CanCreate), kind.Can(CanPlans), "%s makes what it has no price of", kind.Name)
	}
	require.Nil(t, providers(t, &freely{}).Kind("nobody"))
}
