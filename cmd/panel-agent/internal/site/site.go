// Package site is the part of the agent that serves a status page to everybody, from memory and on a port of its own,
// so that it goes on when the panel is away. It keeps nothing of its readers, and knows nothing but the files.
package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "site",
	Documents: []agentapi.DocumentName{agentapi.DocumentSite},
	Open: func(*part.Env) (*part.Live, error) {
		s := &server{listen: net.Listen}
		return &part.Live{
			Documents: []documents.Document{{Name: agentapi.DocumentSite, Apply: s.apply}},
			Close:     func(context.Context, bool) error { return s.close() },
		}, nil
	},
}

const (
	readWithin  = 10 * time.Second
	writeWithin = time.Minute
	idleWithin  = time.Minute
	mostHeader  = 16 << 10
	mostAtOnce  = 256
)

// file is one file as it is answered.
type file struct {
	mediaType, tag string
	content        []byte
}

// server serves the files of the newest document.
type server struct {
	listen func(network, address string) (net.Listener, error)

	mu    sync.RWMutex
	files map[string]file
	port  int // 0: it does not listen
	http  *http.Server
}

// apply puts a page in the place of the one before, in one step. Without files the port is free again.
func (s *server) apply(_ context.Context, content json.RawMessage) error {
	var wanted agentapi.Site
	if err := json.Unmarshal(content, &wanted); err != nil {
		return documents.Refuse(errors.New("read the status page: it is no JSON of the expected form"))
	}
	if err := wanted.Check(); err != nil {
		return documents.Refuse(err)
	}
	files := make(map[string]file, len(wanted.Files))
	for _, f := range wanted.Files {
		sum := sha256.Sum256(f.Content)
		files[f.Path] = file{f.MediaType, `"` + hex.EncodeToString(sum[:]) + `"`, f.Content}
	}
	if len(files) == 0 {
		return s.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.port != wanted.Port {
		if err := s.open(wanted.Port); err != nil {
			return err
		}
	}
	s.files = files
	return nil
}

// open listens on a port before it lets go of the one before. It is called with the lock held.
func (s *server) open(port int) error {
	listener, err := s.listen("tcp", net.JoinHostPort("", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("serve the status page on port %d: %w", port, err)
	}
	before := s.http
	s.port, s.http = port, &http.Server{
		Handler: s, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleWithin,
		MaxHeaderBytes: mostHeader,
	}
	go func(now *http.Server) { _ = now.Serve(netutil.LimitListener(listener, mostAtOnce)) }(s.http)
	if before != nil {
		_ = before.Close() // its readers ask again
	}
	return nil
}

func (s *server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http == nil {
		return nil
	}
	err := s.http.Close()
	s.http, s.port, s.files = nil, 0, nil
	return err
}

// ServeHTTP answers with a file of the page. There are no cookies, no redirects to elsewhere and no lists.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if path == "" || strings.HasSuffix(path, "/") {
		path += "index.html"
	}
	s.mu.RLock()
	f, there := s.files[path]
	s.mu.RUnlock()
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "no-referrer")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	case !there:
		http.Error(w, "Not Found", http.StatusNotFound)
		return
	}
	head.Set("ETag", f.tag)
	head.Set("Cache-Control", cacheFor(path))
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	head.Set("Content-Type", f.mediaType)
	head.Set("Content-Length", strconv.Itoa(len(f.content)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(f.content) // a reader who has left needs nothing
	}
}

// cacheFor says how long readers may keep a file: what is named by its digest for ever, all else not at all.
func cacheFor(path string) string {
	if strings.HasPrefix(path, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}
