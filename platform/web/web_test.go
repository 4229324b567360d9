package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

func served(t *testing.T, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	built, err := load(fstest.MapFS{
		"index.html":            {Data: []byte(`<script nonce="__CSP_NONCE__"></script>`)},
		"assets/app-1a2b.js":    {Data: []byte("plain")},
		"assets/app-1a2b.js.br": {Data: []byte("brotli")},
		"assets/app-1a2b.js.gz": {Data: []byte("gzip")},
		"theme.js":              {Data: []byte("theme")},
	})
	require.NoError(t, err)
	app := fiber.New()
	app.Post("/api/v1/x", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusNoContent) })
	app.Use(built.serve)
	request := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := app.Test(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func TestEachPageHasItsOwnNonceInPolicyAndTags(t *testing.T) {
	t.Parallel()
	nonces := map[string]bool{}
	for _, path := range []string{"/", "/nodes", "/flows/1"} {
		response, body := served(t, path)
		nonce := regexp.MustCompile(`nonce="([^"]+)"`).FindStringSubmatch(body)
		require.Len(t, nonce, 2, path)
		require.Contains(t, response.Header.Get("Content-Security-Policy"), "'nonce-"+nonce[1]+"'")
		require.NotContains(t, response.Header.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		require.False(t, nonces[nonce[1]], "a nonce is never used twice")
		nonces[nonce[1]] = true
	}
}

func TestAssetsAreServedForEverInTheBestEncoding(t *testing.T) {
	t.Parallel()
	for accepted, body := range map[string]string{"gzip, br": "brotli", "gzip": "gzip", "": "plain"} {
		response, got := served(t, "/assets/app-1a2b.js", "Accept-Encoding", accepted)
		require.Equal(t, body, got)
		require.Contains(t, response.Header.Get("Cache-Control"), "immutable")
		require.Equal(t, "Accept-Encoding", response.Header.Get("Vary"))
		require.Contains(t, response.Header.Get("Content-Type"), "javascript")
	}
}

// A program that asks for something unknown gets a 404, never the page of the web interface.
func TestMachineAddressesNeverGetThePage(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/v1/nothing", "/agent/v1/nothing", "/s/token", "/install/x", "/assets/gone.js", "/health/x"} {
		response, body := served(t, path)
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
		require.NotContains(t, body, "<script", path)
	}
	response, _ := served(t, "/api/v1/x")
	require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)
}
