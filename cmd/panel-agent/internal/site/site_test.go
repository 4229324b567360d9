package site

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// page is a server on a free port of this machine.
func page(t *testing.T) (s *server, port int, address string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port = free.Addr().(*net.TCPAddr).Port
	address = "http://" + free.Addr().String()
	require.NoError(t, free.Close())
	s = &server{listen: func(network, at string) (net.Listener, error) {
		_, given, err := net.SplitHostPort(at)
		require.NoError(t, err)
		return net.Listen(network, net.JoinHostPort("127.0.0.1", given))
	}}
	t.Cleanup(func() { require.NoError(t, s.close()) })
	return s, port, address
}

func document(t *testing.T, port int, files ...agentapi.SiteFile) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(agentapi.Site{Port: port, Files: files})
	require.NoError(t, err)
	return text
}

func get(t *testing.T, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(text)
}

func TestAPageIsServedAndReplacedInOneStep(t *testing.T) {
	t.Parallel()
	s, port, address := page(t)
	html := "text/html; charset=utf-8"
	require.NoError(t, s.apply(t.Context(), document(t, port,
		agentapi.SiteFile{Path: "index.html", MediaType: html, Content: []byte("now")},
		agentapi.SiteFile{Path: "assets/a.css", MediaType: "text/css", Content: []byte("a{}")})))
	answer, text := get(t, address+"/")
	require.Equal(t, "now", text)
	require.Equal(t, html, answer.Header.Get("Content-Type"))
	require.Empty(t, answer.Cookies())
	again, _ := get(t, address+"/index.html", "If-None-Match", answer.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.StatusCode)
	asset, _ := get(t, address+"/assets/a.css")
	require.Contains(t, asset.Header.Get("Cache-Control"), "immutable")

	require.NoError(t, s.apply(t.Context(), document(t, port,
		agentapi.SiteFile{Path: "index.html", MediaType: html, Content: []byte("later")})))
	_, text = get(t, address+"/index.html")
	require.Equal(t, "later", text)
	gone, _ := get(t, address+"/assets/a.css")
	require.Equal(t, http.StatusNotFound, gone.StatusCode)
	up, _ := get(t, address+"/../../etc/passwd")
	require.Equal(t, http.StatusNotFound, up.StatusCode)
	posted, err := http.Post(address+"/index.html", "text/plain", nil) //nolint:noctx // it is refused
	require.NoError(t, err)
	require.NoError(t, posted.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, posted.StatusCode)

	require.NoError(t, s.apply(t.Context(), document(t, 0)))
	_, err = net.Dial("tcp", address[len("http://"):]) //nolint:noctx // nobody listens
	require.Error(t, err, "the port is free again")
}

// A port that is taken, and a document that no panel sends, leave the page that is served.
func TestWhatCannotBeServedLeavesThePageBefore(t *testing.T) {
	t.Parallel()
	s, port, address := page(t)
	file := agentapi.SiteFile{Path: "index.html", MediaType: "text/html", Content: []byte("now")}
	require.NoError(t, s.apply(t.Context(), document(t, port, file)))
	s.listen = func(string, string) (net.Listener, error) { return nil, errors.New("address already in use") }
	require.ErrorContains(t, s.apply(t.Context(), document(t, port+1, file)), "address already in use")
	for _, odd := range []json.RawMessage{
		json.RawMessage("{"), document(t, 70000, file), document(t, port, file, file),
		document(t, port, agentapi.SiteFile{Path: "../x", MediaType: "text/html"}),
		document(t, port, agentapi.SiteFile{Path: "/x", MediaType: "text/html"}),
		document(t, port, agentapi.SiteFile{Path: "x", MediaType: "text/html\r\nSet-Cookie: a=b"}),
	} {
		require.Error(t, s.apply(t.Context(), odd), string(odd))
	}
	_, text := get(t, address+"/")
	require.Equal(t, "now", text)
}
