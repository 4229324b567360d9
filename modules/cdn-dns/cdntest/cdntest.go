// Package cdntest has stand-ins for CDNs that keep the rules of the services: what must be unique, what is refused
// while something else stands, what happens later by itself, how errors are written. Nothing but tests uses it.
package cdntest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/miekg/dns"
)

// calls is what the stand-ins share: who looks at requests, and how many are to be refused.
type calls struct {
	mutex   sync.Mutex
	before  func(method, path string)
	limited int
	names   string // address of the name server that knows what is public
}

// Before is called with each request, before it is answered.
func (c *calls) Before(look func(method, path string)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.before = look
}

// Limit answers so many of the next calls with 429.
func (c *calls) Limit(calls int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.limited = calls
}

// enter lets a request in, with the lock held; it gives false where it was refused.
func (c *calls) enter(w http.ResponseWriter, r *http.Request) bool {
	c.mutex.Lock()
	before := c.before
	c.mutex.Unlock()
	if before != nil {
		before(r.Method, r.URL.Path)
	}
	c.mutex.Lock()
	if c.limited == 0 {
		return true
	}
	c.limited--
	c.mutex.Unlock()
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusTooManyRequests)
	return false
}

// leads tells whether the alias of a name leads to another one, as name servers answer.
func (c *calls) leads(name, target string) bool {
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), dns.TypeCNAME)
	reply, err := dns.Exchange(question, c.names)
	if err != nil || len(reply.Answer) == 0 {
		return false
	}
	alias, is := reply.Answer[0].(*dns.CNAME)
	return is && strings.EqualFold(alias.Target, dns.Fqdn(target))
}

func give(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

func taken(r *http.Request) map[string]any {
	body := map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body
}
