// Package server is the license server's HTTP door: one half for panels, one half,
// behind a token, for the vendor.
package server

import (
	_ "embed"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/cmd/panel-licensed/internal/authority"
	"panel/platform/licensedoc"
)

// Description is the OpenAPI document of the server.
//
//go:embed openapi.json
var Description []byte

const maxBody = 64 << 10

// Server answers panels and the vendor.
type Server struct {
	authority *authority.Authority
	admin     string
	log       *slog.Logger
	guesses   *throttle
}

// New makes a server; the admin token opens the vendor's half.
func New(a *authority.Authority, adminToken string, clock clockwork.Clock, log *slog.Logger) *Server {
	return &Server{a, adminToken, log, newThrottle(clock)}
}

type route struct {
	method, path string
	handle       func(*http.Request) (status int, body any, err error)
}

func (s *Server) public() []route {
	return []route{
		{"POST", licensedoc.ActivatePath, s.verdict("activate", s.authority.Activate)},
		{"POST", licensedoc.RefreshPath, s.verdict("refresh", s.authority.Refresh)},
		{"POST", licensedoc.ReleasePath, s.release},
		{"GET", "/v1/public-key", s.publicKey},
		{"GET", "/health", s.health},
	}
}

// Handler serves every route of the description.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.public() {
		mux.Handle(r.method+" "+r.path, s.answered(r, r.handle))
	}
	for _, r := range s.vendor() {
		mux.Handle(r.method+" "+r.path, s.answered(r, s.trusted(r.handle)))
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(Description)
	})
	return mux
}

// HTTP wraps the handler with limits that no slow client can stretch.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

func (s *Server) answered(r route, handle func(*http.Request) (int, any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Body = http.MaxBytesReader(w, req.Body, maxBody)
		status, body, err := handle(req)
		if err != nil {
			status, body = s.problem(w, err)
		}
		s.log.Info("answered", "method", r.method, "route", r.path, "status", status, "address", address(req))
		write(w, status, body)
	})
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

var (
	errToken = errors.New("the admin token is missing or wrong; it is in the file admin-token of the data folder")
	errWait  = errors.New("too many unknown keys from this address; wait and try again")
)

// problem never repeats what the caller sent.
func (s *Server) problem(w http.ResponseWriter, err error) (int, any) {
	status, code := http.StatusInternalServerError, "internal"
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		status, code = http.StatusRequestEntityTooLarge, "body_too_large"
	case errors.Is(err, authority.ErrRequest):
		status, code = http.StatusBadRequest, "bad_request"
	case errors.Is(err, authority.ErrNotFound):
		status, code = http.StatusNotFound, "not_found"
	case errors.Is(err, errToken):
		status, code = http.StatusUnauthorized, "admin_token_invalid"
	case errors.Is(err, errWait):
		w.Header().Set("Retry-After", strconv.Itoa(int(window.Seconds())))
		status, code = http.StatusTooManyRequests, "throttled"
	case errors.Is(err, authority.ErrBusy):
		w.Header().Set("Retry-After", "5")
		status, code = http.StatusServiceUnavailable, "unavailable"
	default:
		s.log.Error("request failed", "error", err)
		err = errors.New("the license server could not do this; its log says why")
	}
	return status, Problem{Code: code, Detail: err.Error()}
}

// Problem is the body of every answer that is no success.
type Problem struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}
