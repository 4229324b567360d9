package app_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const canary = "c4n4ry-5ecret-value"

var badBodies = map[string]string{
	"broken":             `{"name":"` + canary,
	"not JSON":           canary,
	"array":              `["` + canary + `"]`,
	"null":               `null`,
	"unknown field":      `{"no_such_field":"` + canary + `"}`,
	"deep":               strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000),
	"deep array":         strings.Repeat(`[`, 20_000),
	"control character":  `{"name":"` + canary + `\u0000","username":"` + canary + `\u0007","password":"` + canary + `\u0000"}`,
	"wrong types":        `{"name":{"x":"` + canary + `"},"username":17,"password":["` + canary + `"],"revision":"` + canary + `","id":{}}`,
	"not UTF-8":          "{\"name\":\"\xff\xfe" + canary + "\"}",
	"huge number":        `{"revision":1e400,"limit":99999999999999999999999999}`,
	"duplicate keys":     `{"name":"` + canary + `","name":{"x":1}}`,
	"trailing something": `{}{"x":"` + canary + `"}`,
}

// Bad input gets a clear error with a stable code, is never echoed and never a server error, on every writing operation.
// Specification, Errors: 400 is invalid JSON, a missing field or a wrong parameter.
func TestBadBodiesAreRefusedWithoutEcho(t *testing.T) {
	t.Parallel()
	p := everything(t)
	each(t, func(t *testing.T, line policy) {
		if line.method == http.MethodGet {
			return
		}
		for what, body := range badBodies {
			status, answer := send(t, p, line, p.Admin().Token, body)
			require.Less(t, status, http.StatusInternalServerError, "%s: %s", what, answer)
			require.NotContains(t, answer, canary, what)
			if status >= http.StatusBadRequest {
				require.Contains(t, answer, `"code":"`, what)
			}
		}
	}, "session", "throttled", "public", "first", "setup")
}

// A body over the limit is 413 before anything reads it.
func TestAHugeBodyIsRefused(t *testing.T) {
	t.Parallel()
	p := everything(t)
	line := policies(t)["POST /api/v1/auth/login"]
	status, answer := send(t, p, line, "", `{"username":"`+strings.Repeat("x", 2<<20)+`","password":"x"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, status, answer)
	require.Contains(t, answer, "body_too_large")
}

// Query parameters that no operation of ours takes are refused or ignored, never a server error.
func TestBadQueriesAreNeverAServerError(t *testing.T) {
	t.Parallel()
	p := everything(t)
	token := p.Admin().Token
	queries := []string{"?limit=0", "?limit=x", "?limit=9999999999999999999", "?cursor=" + canary, "?sort=" + canary, "?q=%00", "?q=%ff", "?state=" + canary, "?from=x&to=y", "?%zz"}
	each(t, func(t *testing.T, line policy) {
		for _, query := range queries {
			got := ask(t, p, line, line.somewhere()+query, bearer(token)...)
			require.Less(t, got.status, http.StatusInternalServerError, query)
		}
	}, "session")
}

func send(t *testing.T, p *paneltest.Panel, line policy, token, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), line.method, p.URL+line.somewhere(), bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(answer)
}
