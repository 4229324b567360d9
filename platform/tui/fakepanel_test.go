package tui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// fakePanel answers like a panel whose license is in its grace period, and notes what it was asked to do.
type fakePanel struct {
	*httptest.Server
	mu      sync.Mutex
	posts   []string
	refused int
}

const sessionToken = "ps_session"

func newFakePanel(t *testing.T) *fakePanel {
	t.Helper()
	p := &fakePanel{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	t.Cleanup(p.Close)
	return p
}

func (p *fakePanel) answer(out http.ResponseWriter, in *http.Request) {
	out.Header().Set("Content-Type", "application/json")
	if in.Method == http.MethodPost {
		p.post(out, in)
		return
	}
	switch {
	case in.URL.Path == "/health":
		say(out, 200, map[string]any{"status": "ok", "version": "1.4.2"})
	case in.Header.Get("Authorization") != "Bearer "+sessionToken:
		p.mu.Lock()
		p.refused++
		p.mu.Unlock()
		say(out, 401, map[string]any{"code": "no_session", "detail": "no session"})
	case in.URL.Path == "/api/v1/license/status":
		say(
			out,
			200,
			map[string]any{
				"state": "grace", "grace_until": noon.Add(61*60*60*1e9 + 1e9),
				"valid_until": "2027-03-01T00:00:00Z",
			},
		)
	default:
		say(
			out,
			200,
			map[string]any{
				"status":         "running",
				"version":        "1.4.2",
				"database":       "connected",
				"setup_done":     true,
				"uptime_seconds": 1053060,
			},
		)
	}
}

func (p *fakePanel) post(out http.ResponseWriter, in *http.Request) {
	var body map[string]string
	_ = json.NewDecoder(in.Body).Decode(&body) // nothing is a body too
	p.mu.Lock()
	p.posts = append(p.posts, in.URL.Path+" "+body["license_key"])
	p.mu.Unlock()
	switch {
	case in.URL.Path == "/api/v1/auth/login" && body["password"] == "right":
		say(out, 401, map[string]any{"code": "second_factor_required", "challenge": "once"})
	case in.URL.Path == "/api/v1/auth/second-factor" && body["challenge"] == "once" && body["code"] == "123456":
		say(out, 200, map[string]any{"token": sessionToken})
	case in.URL.Path == "/api/v1/auth/login" || in.URL.Path == "/api/v1/auth/second-factor":
		say(out, 401, map[string]any{"code": "bad_credentials", "detail": "the username or the password is wrong"})
	default:
		say(out, 200, map[string]any{})
	}
}

func (p *fakePanel) did(what string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.posts, what)
}

func (p *fakePanel) refusals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

func say(out http.ResponseWriter, status int, body any) {
	out.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(body) // the client is the test itself
}

func (p *fakePanel) vars() settings {
	return settings{"PANEL_API_URL": p.URL, "PANEL_API_TOKEN": sessionToken}
}
