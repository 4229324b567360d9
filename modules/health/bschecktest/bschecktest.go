// Package bschecktest is a stand-in for the service that bscheck speaks to, for tests alone: it keeps its promises
// (a key is charged once, one call a second is not enforced, one envelope for errors) and counts what it is paid.
package bschecktest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Key is the one that the service knows.
const Key = "bsk_live_canary-5f2e91c7"

// Service is the stand-in. Its members are read and changed under Do.
type Service struct {
	*httptest.Server
	mu sync.Mutex

	Balance int64
	Price   int64 // of one check
	// Slow is how long a probe takes.
	Slow time.Duration
	// Failing answers calls to a path, as many as there are, instead of the service.
	Failing map[string][]http.HandlerFunc
	// Lost ends the connection of so many probes after they were charged.
	Lost int
	// Down are operators from which nothing is reached.
	Down []string
	// Charged counts by key what was paid, and Asked the calls by method and path.
	Charged map[string]int64
	Asked   map[string]int
	// Targets are the addresses that were probed.
	Targets   []string
	answers   map[string][]byte
	running   map[string]chan struct{}
	cancelled map[string]bool
	tests     map[string]string // of scans and tunnels: the state by number
}

// Operators are those of the service, with the white list on and off.
var Operators = []string{"beeline|цфо|on", "megafon|цфо|off", "mts|пфо|on", "mts|цфо|on"}

// New starts a service; it ends with the test.
func New(t testing.TB) *Service {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a service that the caller closes.
func Start() *Service {
	s := &Service{
		Balance: 1_000_000, Price: 40, Failing: map[string][]http.HandlerFunc{}, Charged: map[string]int64{},
		Asked: map[string]int{}, answers: map[string][]byte{}, running: map[string]chan struct{}{},
		cancelled: map[string]bool{}, tests: map[string]string{},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Do changes or reads the service while nobody else does.
func (s *Service) Do(what func(s *Service)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what(s)
}

// Paid is what the service was paid, and for how many checks.
func (s *Service) Paid() (sum int64, checks int) {
	s.Do(func(s *Service) {
		for _, one := range s.Charged {
			sum, checks = sum+one, checks+1
		}
	})
	return sum, checks
}

// Calls is how often an operation was asked for, "POST /probe".
func (s *Service) Calls(operation string) (n int) {
	s.Do(func(s *Service) { n = s.Asked[operation] })
	return n
}

// Fail answers the next calls to an operation with an error of the service, or with plain text where code is empty.
func (s *Service) Fail(operation string, status int, code, retryAfter string, times int) {
	s.Do(func(s *Service) {
		for range times {
			s.Failing[operation] = append(s.Failing[operation], func(w http.ResponseWriter, _ *http.Request) {
				if retryAfter != "" {
					w.Header().Set("Retry-After", retryAfter)
				}
				if code == "" {
					w.WriteHeader(status)
					_, _ = io.WriteString(w, "<html>origin error</html>")
					return
				}
				refuse(w, status, code)
			})
		}
	})
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": code, "message": "refused: " + code, "details": map[string]any{"request_id": rand.Text()},
	}})
}

func tell(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	operation := r.Method + " " + r.URL.Path
	var failing http.HandlerFunc
	s.Do(func(s *Service) {
		s.Asked[operation]++
		if list := s.Failing[operation]; len(list) > 0 {
			failing, s.Failing[operation] = list[0], list[1:]
		}
	})
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Key:
		refuse(w, http.StatusUnauthorized, "unauthenticated")
		return
	case failing != nil:
		failing(w, r)
		return
	}
	switch operation {
	case "GET /account":
		s.Do(func(s *Service) {
			tell(w, map[string]any{
				"balance_total": s.Balance, "tier": "gold", "tier_expires_at": "2027-03-01T00:00:00Z",
				"webhook_secret": "whsec_canary-77b1",
			})
		})
	case "GET /operators":
		tell(w, map[string]any{"units": units(), "n_units": len(Operators)})
	case "POST /probe/preview", "POST /scans/preview":
		s.Do(func(s *Service) {
			tell(w, map[string]any{"cost_credits": s.Price, "selected_units": len(Operators), "n_targets": 1})
		})
	case "POST /probe":
		s.probe(w, r)
	case "POST /probe/cancel":
		s.cancelProbe(w, r)
	case "POST /scans", "POST /vless":
		s.queue(w, r)
	default:
		s.queued(w, r)
	}
}

func units() (all []map[string]any) {
	for _, key := range Operators {
		parts := strings.Split(key, "|")
		all = append(all, map[string]any{
			"op_key": key, "operator": parts[0], "name": strings.ToUpper(parts[0]), "region": parts[1], "dpi": parts[2],
			"channel_state": "DPI_" + strings.ToUpper(parts[2]), "probeable": true,
		})
	}
	return all
}

// charge takes the price once for each key, and gives what was answered for it before.
func (s *Service) charge(w http.ResponseWriter, r *http.Request) (key string, again []byte, ok bool) {
	if key = r.Header.Get("Idempotency-Key"); key == "" {
		refuse(w, http.StatusBadRequest, "idempotency_key_required")
		return key, nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, known := s.answers[key]; known {
		return key, answer, true
	}
	if _, known := s.Charged[key]; known {
		refuse(w, http.StatusConflict, "request_in_progress")
		return key, nil, false
	}
	if s.Balance < s.Price {
		refuse(w, http.StatusPaymentRequired, "insufficient_balance")
		return key, nil, false
	}
	s.Balance -= s.Price
	s.Charged[key] = s.Price
	s.running[key] = make(chan struct{})
	return key, nil, true
}

type question struct {
	Targets   []string `json:"targets"`
	Operators []string `json:"operators"`
}

func (s *Service) probe(w http.ResponseWriter, r *http.Request) {
	var asked question
	_ = json.NewDecoder(r.Body).Decode(&asked)
	key, again, ok := s.charge(w, r)
	if !ok {
		return
	}
	if again == nil {
		var slow time.Duration
		var ended chan struct{}
		s.Do(func(s *Service) { slow, ended = s.Slow, s.running[key] })
		select {
		case <-time.After(slow):
		case <-ended:
		}
		again = s.measured(key, asked)
	}
	lost := false
	s.Do(func(s *Service) {
		if lost = s.Lost > 0; lost {
			s.Lost--
		}
	})
	if lost {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) // the connection ends, the money is gone
		_, _ = w.Write(again)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(again)
}

// measured writes the result of a probe: of a cancelled one half of the operators, at half of the price.
func (s *Service) measured(key string, asked question) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	operators := asked.Operators
	if len(operators) == 0 {
		operators = Operators
	}
	s.Targets = append(s.Targets, asked.Targets...)
	cancelled, refunded := s.cancelled[key], int64(0)
	if cancelled {
		operators, refunded = operators[:len(operators)/2], s.Price/2
		s.Balance, s.Charged[key] = s.Balance+refunded, s.Charged[key]-refunded
	}
	legs := map[string]any{}
	for _, one := range operators {
		up := !slices.Contains(s.Down, one)
		legs[one] = map[string]any{
			"ok": true, "channel_state": "DPI_ON", "icmp": map[string]any{"ok": up, "loss_pct": 0, "rtt_avg_ms": 41.5},
			"tcp": map[string]any{"ok": up, "latency_ms": 44, "error": "timed out"}, "sni": []any{map[string]any{"ok": up}},
		}
	}
	by := map[string]any{}
	for _, target := range asked.Targets {
		by[target] = map[string]any{"target_resolved": target, "by_operator": legs}
	}
	answer, _ := json.Marshal(map[string]any{
		"by_target": by, "cost_credits": s.Price, "refunded": refunded, "cancelled": cancelled,
		"skipped_dpi_off":     []string{"yota|уфо|on"},
		"skipped_unavailable": []map[string]string{{"operator": "tele2", "name": "T2", "region": "цфо"}},
	})
	s.answers[key] = answer
	return answer
}

func (s *Service) cancelProbe(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, over := s.answers[key]; over || s.running[key] == nil || s.cancelled[key] {
		refuse(w, http.StatusNotFound, "not_found")
		return
	}
	s.cancelled[key] = true
	close(s.running[key])
	tell(w, map[string]any{"ok": true})
}

// queue begins a scan or a tunnel.
func (s *Service) queue(w http.ResponseWriter, r *http.Request) {
	key, again, ok := s.charge(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if again == nil {
		number := len(s.tests) + 1
		s.tests[fmt.Sprint(number)] = "queued"
		again, _ = json.Marshal(map[string]any{
			map[bool]string{true: "scan_id", false: "test_id"}[strings.HasPrefix(r.URL.Path, "/scans")]: number,
			"cost_credits": s.Price, "n_servers": 1, "skipped_dpi_off": []string{"yota|уфо|on"},
		})
		s.answers[key] = again
	}
	_, _ = w.Write(again)
}

// queued answers for a scan or a tunnel by its number: the first question finds it running, the next one done.
func (s *Service) queued(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(parts) < 2 || s.tests[parts[1]] == "" {
		refuse(w, http.StatusNotFound, "not_found")
		return
	}
	state := s.tests[parts[1]]
	next := map[string]string{"queued": "running", "running": "done"}[state]
	if len(parts) == 3 {
		next = "cancelled"
	}
	if next != "" && state != "cancelled" {
		s.tests[parts[1]], state = next, next
	}
	result := []map[string]any{}
	if state == "done" {
		for _, key := range Operators {
			names := strings.Split(key, "|")
			result = append(result, map[string]any{
				"op_key": key, "operator": names[0], "region": names[1], "channel_state": "DPI_ON", "ok": true,
				"tunnel_up": !slices.Contains(s.Down, key), "alive": 3, "tcp_latency_ms": 52, "fail_reason": "handshake",
			})
		}
	}
	tell(w, map[string]any{
		"state": state, "cost_credits": s.Price, "refunded_credits": map[bool]int64{true: s.Price}[state == "cancelled"],
		"result_ready": state == "done", "result": result,
	})
}
