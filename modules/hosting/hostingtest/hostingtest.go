// Package hostingtest stands in for hosting providers in tests: each answers as its public API is documented, with its
// own paging, error bodies and rate limits. Only tests use it.
package hostingtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Machine is a server there, in nobody's words.
type Machine struct {
	ID     int
	Name   string
	Region string
	Plan   string
	Status string // in the words of the provider
	IPv4   string
	IPv6   string
	Tags   []string
}

// Cloud is an account at a provider that runs on this machine.
type Cloud struct {
	URL   string // of the API, for base_url
	Token string

	t        testing.TB
	proves   func(r *http.Request) bool
	mu       sync.Mutex
	machines []Machine
	rights   []string // that the token has; "*" is all
	balance  float64  // owed
	busy     int      // calls that are answered with 429
	broken   int      // calls that are answered with 500
	pause    string   // what Retry-After says
	calls    []string

	kind        string
	number      int // of the machine that was made last
	made        func(m Machine, script string)
	brokenAfter int // calls that are carried out and answered with 500
	stuck       bool
	price       int // of a month, where a test says it
	issued      int // times that tokens of Selectel have ended
}

// New starts a provider: hetzner, digitalocean, vultr, linode, timeweb, aeza or selectel.
func New(t testing.TB, kind string) *Cloud {
	t.Helper()
	c := &Cloud{Token: "token-of-" + kind, kind: kind, t: t, rights: []string{"*"}, pause: "1"}
	c.proves = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+c.Token }
	mux := http.NewServeMux()
	refuse := map[string]func(*http.ServeMux) refusal{
		"hetzner": c.hetzner, "digitalocean": c.digitalOcean, "vultr": c.vultr, "linode": c.linode,
		"timeweb": c.timeweb, "aeza": c.aeza, "selectel": c.selectel,
	}[kind]
	if refuse == nil {
		t.Fatalf("there is no stand-in for %s", kind)
	}
	says := refuse(mux)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.enter(w, r, says, mux)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL + "/api"
	return c
}

// refusal writes an error in the words of the provider.
type refusal func(w http.ResponseWriter, status int)

// enter is what all providers have before their operations: limits, faults and the token.
func (c *Cloud) enter(w http.ResponseWriter, r *http.Request, says refusal, mux http.Handler) {
	c.mu.Lock()
	c.calls = append(c.calls, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api"))
	busy, broken := c.busy > 0, c.broken > 0
	c.busy, c.broken = max(c.busy-1, 0), max(c.broken-1, 0)
	pause := c.pause
	c.mu.Unlock()
	switch {
	case busy:
		w.Header().Set("Retry-After", pause)
		says(w, http.StatusTooManyRequests)
	case broken:
		says(w, http.StatusInternalServerError)
	case !c.proves(r):
		says(w, http.StatusUnauthorized)
	default:
		http.StripPrefix("/api", mux).ServeHTTP(w, r)
	}
}

// Put adds machines, or replaces those with the same id.
func (c *Cloud) Put(all ...Machine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range all {
		i := slices.IndexFunc(c.machines, func(m Machine) bool { return m.ID == one.ID })
		if i < 0 {
			c.machines = append(c.machines, one)
			continue
		}
		c.machines[i] = one
	}
}

// Drop removes a machine, as somebody does in the provider's own console.
func (c *Cloud) Drop(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.machines = slices.DeleteFunc(c.machines, func(m Machine) bool { return m.ID == id })
}

// Allow gives the token these rights and no others, in the provider's words.
func (c *Cloud) Allow(rights ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rights = rights
}

// Owes sets what the account owes, in dollars.
func (c *Cloud) Owes(amount float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.balance = amount
}

// Busy answers so many of the next calls with 429 and this Retry-After, in seconds.
func (c *Cloud) Busy(calls int, pause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy, c.pause = calls, pause
}

// Break answers so many of the next calls with 500.
func (c *Cloud) Break(calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = calls
}

// Calls gives what was asked since the last time, "GET /servers".
func (c *Cloud) Calls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

func (c *Cloud) may(right string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.rights, "*") || slices.Contains(c.rights, right)
}

// listed is a copy of the machines and of what is owed.
func (c *Cloud) listed() ([]Machine, float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.machines), c.balance
}

type fields = map[string]any

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// number reads a parameter of the query that lies within bounds, else it is the usual value.
func number(r *http.Request, name string, usual, most int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 || n > most {
		return usual
	}
	return n
}

// cut gives one page, counted from 1, and whether another one follows.
func cut[T any](all []T, page, size int) (part []T, more bool) {
	from := min((page-1)*size, len(all))
	to := min(from+size, len(all))
	return all[from:to], to < len(all)
}

func shaped[T any](all []T, shape func(T) fields) []fields {
	list := make([]fields, len(all))
	for i, one := range all {
		list[i] = shape(one)
	}
	return list
}
