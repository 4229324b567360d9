// Package remnawavetest is a stand-in for Remnawave 3. Only tests use it.
//
// The stand-in keeps the traps of the real one: sockets that are destroyed without forwarded headers, refusals in four
// shapes, ids that change with a tag, hosts that a PATCH enables, rows that go later than the answer says. The table in
// contract_test.go runs against the stand-in and, where one is named, a real instance, so that both are held to it.
package remnawavetest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// object is a resource as the API writes it.
type object = map[string]any

// Panel is a Remnawave of its own, with a database that begins with the default profile and no administrator.
type Panel struct {
	// URL leads through a reverse proxy, Direct to the program itself, which wants the forwarded headers.
	URL, Direct string

	t        testing.TB
	clock    clockwork.Clock
	mutex    sync.Mutex
	version  string
	skew     time.Duration
	secret   []byte
	admin    *credentials
	tokens   map[string]*issued
	silent   map[string]time.Time
	tables   map[string][]object
	metadata map[string]any
	nextUser int
	nextJob  int
	jobs     map[string]job
	pending  []effect
	calls    []Call
	gate     http.HandlerFunc
	before   func(Call)
}

// Call is a request that reached the panel.
type Call struct {
	Method, Path string
	At           time.Time
}

// effect happens later than the answer that announced it.
type effect struct {
	at time.Time
	do func()
}

// Version is what a new stand-in says it is.
const Version = "3.3.2"

// New starts a stand-in, which ends with the test.
func New(t testing.TB) *Panel {
	t.Helper()
	p := &Panel{
		t: t, clock: clockwork.NewRealClock(), version: Version, secret: []byte("secret-of-" + t.Name()), tokens: map[string]*issued{},
		silent: map[string]time.Time{}, tables: map[string][]object{}, metadata: map[string]any{},
		jobs: map[string]job{},
	}
	p.tables[profiles] = []object{defaultProfile(p.now())}
	naked := httptest.NewServer(http.HandlerFunc(p.naked))
	proxied := httptest.NewServer(http.HandlerFunc(p.proxied))
	t.Cleanup(func() { naked.Close(); proxied.Close() })
	p.URL, p.Direct = proxied.URL, naked.URL
	return p
}

// Be makes the panel another version.
func (p *Panel) Be(version string) { p.change(func() { p.version = version }) }

// Skew sets its clock off.
func (p *Panel) Skew(by time.Duration) { p.change(func() { p.skew = by }) }

// Silence lets a process of the panel (api, scheduler, processor) beat no more; it stays listed.
func (p *Panel) Silence(process string) { p.change(func() { p.silent[process] = p.now() }) }

// Gate puts something in front of the panel, which answers instead; nil takes it away.
func (p *Panel) Gate(h http.HandlerFunc) { p.change(func() { p.gate = h }) }

// Before is called with each request before it is answered, without a lock.
func (p *Panel) Before(f func(Call)) { p.change(func() { p.before = f }) }

// Calls are the requests that reached the panel so far.
func (p *Panel) Calls() []Call {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]Call(nil), p.calls...)
}

func (p *Panel) change(f func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	f()
}

func (p *Panel) now() time.Time { return p.clock.Now().Add(p.skew) }

// must ends the test where the stand-in itself is wrong.
func (p *Panel) must(err error) {
	if err != nil {
		p.t.Errorf("the stand-in for Remnawave: %v", err)
	}
}

// later lets something happen after the answer.
func (p *Panel) later(after time.Duration, do func()) {
	p.pending = append(p.pending, effect{p.clock.Now().Add(after), do})
}

// settle does what is due.
func (p *Panel) settle() {
	var still []effect
	for _, e := range p.pending {
		if p.clock.Now().Before(e.at) {
			still = append(still, e)
			continue
		}
		e.do()
	}
	p.pending = still
}

// proxied is the reverse proxy: it adds what the program wants, after the gate that may stand there.
func (p *Panel) proxied(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	gate := p.gate
	p.mutex.Unlock()
	if gate != nil {
		gate(w, r)
		return
	}
	r.Header.Set("X-Forwarded-For", "192.0.2.1")
	r.Header.Set("X-Forwarded-Proto", "https")
	p.naked(w, r)
}

// Pass hands a request on that a gate lets in.
func (p *Panel) Pass(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("X-Forwarded-For", "192.0.2.1")
	r.Header.Set("X-Forwarded-Proto", "https")
	p.naked(w, r)
}

// naked is the program itself: a request that seems not to have come through a reverse proxy gets no answer at all.
func (p *Panel) naked(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || r.Header.Get("X-Forwarded-Proto") != "https" {
		Destroy(w)
		return
	}
	call := Call{r.Method, r.URL.Path, p.clock.Now()}
	p.mutex.Lock()
	p.calls = append(p.calls, call)
	before := p.before
	p.mutex.Unlock()
	if before != nil {
		before(call)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.settle()
	p.write(w, r, p.answer(r))
}

// Destroy ends the connection without a byte.
func Destroy(w http.ResponseWriter) {
	if taken, ok := w.(http.Hijacker); ok {
		if conn, _, err := taken.Hijack(); err == nil {
			_ = conn.Close()
		}
	}
}
