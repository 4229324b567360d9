package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// standIn is an account of a service in memory. What differs between services, their paths and bodies, is in talk.
type standIn struct {
	mutex   sync.Mutex
	zones   []string
	records []Record
	next    int
	limited int
	calls   []string
	// instead answers a request in another way than the service does, and tells whether it did.
	instead func(w http.ResponseWriter, r *http.Request) bool
	talk    func(s *standIn, w http.ResponseWriter, r *http.Request)
}

const goodToken = "a token of the tests"

func newStandIn(
	t *testing.T, talk func(*standIn, http.ResponseWriter, *http.Request), zones ...string,
) (*standIn, string) {
	t.Helper()
	s := &standIn{zones: zones, talk: talk}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.calls = append(s.calls, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		if s.instead == nil || !s.instead(w, r) {
			talk(s, w, r)
		}
	}))
	t.Cleanup(server.Close)
	return s, server.URL
}

// limit answers a limited call and says that it did.
func (s *standIn) limit(w http.ResponseWriter, body string) bool {
	if s.limited == 0 {
		return false
	}
	s.limited--
	w.Header().Set("Retry-After", "30")
	says(w, http.StatusTooManyRequests, body)
	return true
}

func says(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func gives(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func takes[T any](r *http.Request) (body T) {
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body
}

// path gives the parts of a path below a prefix.
func path(r *http.Request) []string { return strings.Split(strings.Trim(r.URL.Path, "/"), "/") }

func number(r *http.Request, name string) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(name))
	return n
}

// put adds a record if no rule of DNS forbids it.
func (s *standIn) put(zone string, r Record) (Record, bool) {
	r.Name = absolute(r.Name, zone)
	for _, other := range s.records {
		if other.Name == r.Name && (other.Same(r) || (other.Type == TypeCNAME) != (r.Type == TypeCNAME)) {
			return r, false
		}
	}
	s.next++
	r.ID = strconv.Itoa(s.next)
	s.records = append(s.records, r)
	return r, true
}

func (s *standIn) drop(id string) bool {
	before := len(s.records)
	s.records = slices.DeleteFunc(s.records, func(r Record) bool { return r.ID == id })
	return len(s.records) < before
}

// in gives the records of a zone, without those of a zone below it.
func (s *standIn) in(zone string) []Record {
	return slices.DeleteFunc(slices.Clone(s.records), func(r Record) bool {
		return r.Name != zone && !strings.HasSuffix(r.Name, "."+zone) ||
			zone != "deep.example.com" && strings.HasSuffix(r.Name, "deep.example.com")
	})
}

func (s *standIn) holds(zone string) bool { return slices.Contains(s.zones, zone) }

// part is one page of a list.
func part[T any](all []T, offset, size int) []T {
	offset = min(max(offset, 0), len(all))
	return append([]T{}, all[offset:min(offset+size, len(all))]...)
}

// manyZones are more than a page of any service holds.
func manyZones(n int) []string {
	zones := []string{"example.com", "deep.example.com"}
	for i := range n {
		zones = append(zones, fmt.Sprintf("zone%04d.example", i))
	}
	return zones
}

type vendor struct {
	kind   string
	talk   func(*standIn, http.ResponseWriter, *http.Request)
	values func(root, secret string) Values
}

func simple(root, secret string) Values { return Values{"api_root": root, "api_token": secret} }

func vendors() []vendor {
	return []vendor{
		{"hetzner", talkHetzner, simple},
		{"digitalocean", talkDigitalOcean, simple},
		{"vultr", talkVultr, simple},
		{"linode", talkLinode, simple},
		{"timeweb", talkTimeweb, simple},
		{"selectel", talkSelectel, func(root, secret string) Values {
			return Values{
				"api_root": root, "identity_root": root + "/identity/v3", "account_id": "12345", "project_name": "panel",
				"username": "service", "password": secret,
			}
		}},
	}
}
