package app_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

// The rules of the specification that hold for all operations, asked of every operation that is mounted: a new module
// is under them on its first day.

func everything(t testing.TB, settings ...paneltest.Setting) *paneltest.Panel {
	t.Helper()
	full := entitlement.Fixed{State: entitlement.Active, Reason: "ok", Enabled: app.Features(modules.All())}
	return paneltest.Start(t, append([]paneltest.Setting{paneltest.Modules(modules.All()...), paneltest.License(full)},
		settings...)...)
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

// somewhere fills the path's parameters with an id that nothing has.
func (p policy) somewhere() string {
	return parameter.ReplaceAllString(p.path, "01900000-0000-7000-8000-000000000000")
}

type reply struct {
	status int
	code   string
	header http.Header
}

var codeMember = regexp.MustCompile(`"code":"([a-z_]+)"`)

// ask sends one request and reads no more than the beginning of the answer: streams never end.
func ask(t testing.TB, p *paneltest.Panel, line policy, path string, headers ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	body := strings.NewReader("")
	if line.method != http.MethodGet && line.method != http.MethodDelete {
		body = strings.NewReader("{}")
	}
	request, err := http.NewRequestWithContext(ctx, line.method, p.URL+path, body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err, "%s %s", line.method, line.path)
	defer func() { _ = response.Body.Close() }()
	found := reply{status: response.StatusCode, header: response.Header}
	if response.Header.Get("Content-Type") == "application/problem+json" {
		start := make([]byte, 4096)
		n, _ := response.Body.Read(start)
		if match := codeMember.FindSubmatch(start[:n]); match != nil {
			found.code = string(match[1])
		}
	}
	return found
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// each runs the check for every line of the policy with one of the accesses.
func each(t *testing.T, check func(t *testing.T, line policy), accesses ...string) {
	for name, line := range policies(t) {
		if slices.Contains(accesses, line.access) {
			t.Run(name, func(t *testing.T) { check(t, line) })
		}
	}
}

// Specification, Authentication 3 and 6: missing, invalid or misplaced tokens give 401.
// Specification, Authentication 2: a protected call sends Authorization: Bearer.
// Specification, Errors: 401 is no session, an invalid or expired token.
func TestProtectedOperationsRefuseMissingAndMisplacedTokens(t *testing.T) {
	t.Parallel()
	p := everything(t)
	token := p.Admin().Token
	each(t, func(t *testing.T, line policy) {
		for what, headers := range map[string][]string{
			"no token": nil, "garbage": bearer("garbage"), "basic": {"Authorization", "Basic " + token},
			"cookie": {"Cookie", "token=" + token}, "empty": bearer(""),
		} {
			require.Equal(t, http.StatusUnauthorized, ask(t, p, line, line.somewhere(), headers...).status, what)
		}
		query := line.somewhere() + "?token=" + token + "&access_token=" + token
		require.Equal(t, http.StatusUnauthorized, ask(t, p, line, query).status, "token in the query")
	}, "session", "agent")
}

// Specification, Versioning: the API is under the "prefix /api/v1", agent routes under /agent/v1; the rest is at the
// root.
func TestOperationsAreUnderTheirPrefixes(t *testing.T) {
	t.Parallel()
	for name, line := range policies(t) {
		require.Regexp(t, `^(/api/v1/|/agent/v1/|/s/|/sub/|/status/|/install/|/health$|/livez$|/readyz$)`, line.path, name)
	}
}

// Specification, Authentication 7: agent routes take the agent's own token, not a session.
func TestASessionOpensNoAgentOperation(t *testing.T) {
	t.Parallel()
	p := everything(t)
	token := p.Admin().Token
	each(t, func(t *testing.T, line policy) {
		got := ask(t, p, line, line.somewhere(), bearer(token)...)
		require.Equal(t, http.StatusUnauthorized, got.status)
		require.Equal(t, "agent_token_invalid", got.code)
	}, "agent")
}

// A key that opens nothing would be a promise to whoever grants it.
func TestEveryPermissionKeyOpensAnOperation(t *testing.T) {
	t.Parallel()
	opens := map[string]bool{}
	for _, op := range everything(t).App.Server().Routes() {
		for _, key := range op.Rule.Keys {
			opens[string(key)] = true
		}
	}
	for _, permission := range app.Permissions(app.With(modules.All())) {
		require.True(t, opens[string(permission.Key)], "%s opens nothing", permission.Key)
	}
}

// Specification, Authentication 6 and 8: each permission is a key checked per route; "*" grants all.
// Specification, Errors: 403 is insufficient permissions.
func TestPermissionKeysOpenExactlyTheirOperations(t *testing.T) {
	t.Parallel()
	p := everything(t)
	all := app.Permissions(app.With(modules.All()))
	each(t, func(t *testing.T, line policy) {
		if len(line.keys) == 0 {
			require.NotEqual(t, http.StatusForbidden, ask(t, p, line, line.somewhere(), bearer(p.As().Token)...).status,
				"no key is needed")
			return
		}
		var others []string
		for _, permission := range all {
			if !slices.Contains(line.keys, string(permission.Key)) {
				others = append(others, string(permission.Key))
			}
		}
		refused := ask(t, p, line, line.somewhere(), bearer(p.As(others...).Token)...)
		require.Equal(t, http.StatusForbidden, refused.status, "all keys but the needed one")
		require.Equal(t, "permission_denied", refused.code)
		noun, _, _ := strings.Cut(line.keys[0], ".")
		for _, held := range []string{line.keys[0], noun + ".*", "*"} {
			holds := []string{held}
			if held != "*" {
				holds = append(holds, line.also...)
			}
			opened := ask(t, p, line, line.somewhere(), bearer(p.As(holds...).Token)...)
			require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, opened.status, held)
		}
		for _, key := range line.also {
			alone := ask(t, p, line, line.somewhere(), bearer(p.As(line.keys[0]).Token)...)
			require.Equal(t, http.StatusForbidden, alone.status, "%s is needed besides", key)
		}
	}, "session")
}

// Specification, Degraded mode rules: GET succeeds, all state-changing requests get 403 but for the listed ones.
func TestReadOnlyModeRefusesEveryWriteButTheListed(t *testing.T) {
	t.Parallel()
	p := everything(t, paneltest.License(entitlement.Fixed{State: entitlement.Degraded, Reason: "none"}))
	each(t, func(t *testing.T, line policy) {
		got := ask(t, p, line, line.somewhere(), bearer(p.Admin().Token)...)
		if line.method == http.MethodGet || line.whileDegraded {
			require.NotEqual(t, http.StatusForbidden, got.status)
			return
		}
		require.Equal(t, http.StatusForbidden, got.status)
		require.Equal(t, "license_read_only", got.code)
	}, "session", "throttled", "public")
}

// Domain decision 2: while active or in grace, a feature that the plan lacks gives 403 license_feature_blocked.
func TestAFeatureOutsideThePlanIsBlocked(t *testing.T) {
	t.Parallel()
	p := everything(t, paneltest.License(entitlement.Fixed{State: entitlement.Grace, Reason: "unreachable"}))
	each(t, func(t *testing.T, line policy) {
		got := ask(t, p, line, line.somewhere(), bearer(p.Admin().Token)...)
		if line.feature == "" {
			require.NotEqual(t, "license_feature_blocked", got.code)
			return
		}
		require.Equal(t, http.StatusForbidden, got.status)
		require.Equal(t, "license_feature_blocked", got.code)
	}, "session")
}

// Specification, Limits: over the limit a public throttled route gives 429 with Retry-After.
// Specification, Errors: 429 carries Retry-After.
func TestThrottledOperationsCarryRetryAfter(t *testing.T) {
	t.Parallel()
	p := everything(t)
	each(t, func(t *testing.T, line policy) {
		var last reply
		for range 200 {
			if last = ask(t, p, line, line.somewhere()); last.status == http.StatusTooManyRequests {
				break
			}
		}
		require.Equal(t, http.StatusTooManyRequests, last.status)
		require.Equal(t, "throttled", last.code)
		require.Regexp(t, `^[1-9][0-9]*$`, last.header.Get("Retry-After"))
	}, "throttled")
}

// Every answer carries the security headers, refusals included.
func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	p := everything(t)
	each(t, func(t *testing.T, line policy) {
		header := ask(t, p, line, line.somewhere()).header
		require.Contains(t, header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		require.NotEmpty(t, header.Get("X-Request-Id"))
	}, "public", "throttled", "agent", "setup", "setup-session", "first", "session")
}

func TestOperationIDsAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, op := range everything(t).App.Server().Routes() {
		require.Empty(t, seen[op.ID()], "%s and %s share the id %s", op.Path, seen[op.ID()], op.ID())
		seen[op.ID()] = op.Path
	}
}
