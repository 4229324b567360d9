package web

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
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
	for _, path := range []string{
		"/api/v1/nothing", "/agent/v1/nothing", "/s/token", "/sub/token", "/install/x", "/assets/gone.js",
		"/health/x",
	} {
		response, body := served(t, path)
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
		require.NotContains(t, body, "<script", path)
	}
	response, _ := served(t, "/api/v1/x")
	require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)
}

// Only the page itself is copied at the start; everything else stays where the executable has it.
func TestAssetsAreNotReadBeforeSomebodyAsks(t *testing.T) {
	t.Parallel()
	from := &watched{FS: fstest.MapFS{
		"index.html": {}, "assets/a.js": {Data: []byte("a")},
		"assets/a.js.br": {Data: []byte("b")},
	}}
	built, err := load(from)
	require.NoError(t, err)
	require.Equal(t, []string{"index.html"}, from.read)
	app := fiber.New()
	app.Use(built.serve)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		response, err := app.Test(httptest.NewRequest(method, "/assets/a.js", nil))
		require.NoError(t, err)
		require.EqualValues(t, 1, response.ContentLength, method)
		require.Equal(t, "text/javascript; charset=utf-8", response.Header.Get("Content-Type"))
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, map[string]string{http.MethodGet: "a", http.MethodHead: ""}[method], string(body))
	}
	require.Equal(t, []string{"index.html", "assets/a.js"}, from.read)
}

// watched notes which files were read, not merely looked at.
type watched struct {
	fs.FS
	read []string
}

func (w *watched) Open(name string) (fs.File, error) {
	file, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if _, isFolder := file.(fs.ReadDirFile); isFolder {
		return file, nil
	}
	return &watchedFile{File: file, name: name, in: w}, nil
}

type watchedFile struct {
	fs.File
	name string
	in   *watched
	seen bool
}

func (f *watchedFile) Read(into []byte) (int, error) {
	if !f.seen {
		f.seen = true
		f.in.read = append(f.in.read, f.name)
	}
	return f.File.Read(into)
}

func TestThePageIsCompressed(t *testing.T) {
	t.Parallel()
	built, err := load(fstest.MapFS{"index.html": {Data: []byte(strings.Repeat(`<script nonce="__CSP_NONCE__"></script>`, 100))}})
	require.NoError(t, err)
	app := fiber.New()
	app.Use(built.serve)
	request := httptest.NewRequest(http.MethodGet, "/nodes", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := app.Test(request)
	require.NoError(t, err)
	require.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	require.Less(t, response.ContentLength, int64(400))
}
