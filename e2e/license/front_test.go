package license

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
)

// front stands before the real license authority and can fail in every way that a network and a broken server do.
type front struct {
	server *httptest.Server
	fault  atomic.Pointer[http.HandlerFunc]
	behind atomic.Pointer[httputil.ReverseProxy]
}

func newFront(t *testing.T) *front {
	f := &front{}
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := f.fault.Load(); fault != nil {
			question, _ := io.ReadAll(r.Body) // only who has read the question notices that the client left
			r.Body = io.NopCloser(bytes.NewReader(question))
			(*fault)(w, r)
			return
		}
		f.behind.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(f.server.Close)
	return f
}

// before gives the address that the panel is told.
func (f *front) before(authority string) string {
	address, err := url.Parse(authority)
	if err != nil {
		return authority
	}
	f.behind.Store(httputil.NewSingleHostReverseProxy(address))
	return f.server.URL
}

func (f *front) fails(how http.HandlerFunc) { f.fault.Store(&how) }

func (f *front) works() { f.fault.Store(nil) }

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusServiceUnavailable)
}

func garbage(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte("\x00\xff<html>not a document"))
}

// hang never answers.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
