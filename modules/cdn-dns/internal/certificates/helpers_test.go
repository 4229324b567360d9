package certificates_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/libdns/libdns"
	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/paneltest"
	"panel/platform/testneed/freeport"
	"panel/platform/vault"
)

const (
	within = 2 * time.Minute
	every  = 20 * time.Millisecond
)

// zone is a real DNS server in the process, and who writes into it.
type zone struct {
	address string

	mu    sync.Mutex
	texts map[string][]string
	wrong bool  // writes something else than it was given
	fails error // of writes
	keeps error // of removals

	removals int
}

func newZone(t testing.TB) *zone {
	t.Helper()
	z := &zone{texts: map[string][]string{}}
	z.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(freeport.For(t)))
	packets, err := net.ListenPacket("udp", z.address)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", z.address)
	require.NoError(t, err)
	for _, server := range []*dns.Server{{PacketConn: packets, Handler: z}, {Listener: listener, Handler: z}} {
		go func() { _ = server.ActivateAndServe() }()
		t.Cleanup(func() { _ = server.Shutdown() })
	}
	return z
}

// ServeDNS answers for every TXT record that was written; names below .example lead to this machine.
func (z *zone) ServeDNS(w dns.ResponseWriter, question *dns.Msg) {
	answer := new(dns.Msg).SetReply(question)
	answer.Authoritative = true
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, asked := range question.Question {
		if asked.Qtype == dns.TypeA && strings.HasSuffix(asked.Name, ".example.") {
			answer.Answer = append(answer.Answer, &dns.A{
				Hdr: dns.RR_Header{Name: asked.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1},
				A:   net.IPv4(127, 0, 0, 1),
			})
		}
		for _, text := range z.texts[strings.ToLower(asked.Name)] {
			if asked.Qtype == dns.TypeTXT {
				answer.Answer = append(answer.Answer, &dns.TXT{
					Hdr: dns.RR_Header{Name: asked.Name, Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: 1},
					Txt: []string{text},
				})
			}
		}
	}
	_ = w.WriteMsg(answer)
}

// AppendRecords adds TXT records.
func (z *zone) AppendRecords(_ context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.fails != nil {
		return nil, z.fails
	}
	for _, one := range records {
		name, text := libdns.AbsoluteName(one.RR().Name, zone+"."), one.RR().Data
		if z.wrong {
			text = "something else"
		}
		if !slices.Contains(z.texts[name], text) {
			z.texts[name] = append(z.texts[name], text)
		}
	}
	return records, nil
}

// DeleteRecords removes all texts of the names.
func (z *zone) DeleteRecords(_ context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.removals++
	if z.keeps != nil {
		return nil, z.keeps
	}
	for _, one := range records {
		delete(z.texts, libdns.AbsoluteName(one.RR().Name, zone+"."))
	}
	return records, nil
}

func (z *zone) set(change func(z *zone)) {
	z.mu.Lock()
	defer z.mu.Unlock()
	change(z)
}

func (z *zone) left() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return len(z.texts)
}

// node answers over HTTP for all names below .example, when the test lets it.
type node struct {
	address string

	mu      sync.Mutex
	answers map[string]certificates.Answer // by token
	orders  map[string]string              // of the token
	lacks   string                         // why it cannot answer
	away    bool                           // does not take answers
}

func newNode(t testing.TB) *node {
	t.Helper()
	n := &node{
		address: net.JoinHostPort("127.0.0.1", strconv.Itoa(freeport.For(t))),
		answers: map[string]certificates.Answer{}, orders: map[string]string{},
	}
	listener, err := net.Listen("tcp", n.address)
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: within, Handler: n}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return n
}

// ServeHTTP answers for the tokens that the node was given.
func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	one, known := n.answers[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]
	if host, _, err := net.SplitHostPort(r.Host); !known || err == nil && host != one.Host {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, one.Text)
}

func (n *node) set(change func(n *node)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n)
}

func (n *node) left() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.answers)
}

// Can knows the names below .example.
func (n *node) Can(_ context.Context, host string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !strings.HasSuffix(host, ".example") {
		return "it is bound to no node", nil
	}
	return n.lacks, nil
}

// Show takes answers, unless the node is away.
func (n *node) Show(_ context.Context, orderID string, all ...certificates.Answer) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range all {
		n.answers[one.Token], n.orders[one.Token] = one, orderID
	}
	return !n.away, nil
}

// Withdraw forgets the answers of an order.
func (n *node) Withdraw(_ context.Context, orderID string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for token, order := range n.orders {
		if order == orderID {
			delete(n.answers, token)
			delete(n.orders, token)
		}
	}
	return nil
}

// find knows the zones below .test.
func (z *zone) find(_ context.Context, hostname string) (string, certificates.Solver, error) {
	parts := strings.Split(hostname, ".")
	if parts[len(parts)-1] != "test" {
		return "", nil, certificates.ErrNoZone
	}
	return strings.Join(parts[max(0, len(parts)-2):], "."), z, nil
}

// gate stands before an authority: it counts requests, and lets tests answer or lose them.
type gate struct {
	*httptest.Server

	mu     sync.Mutex
	target *url.URL
	seen   map[string]int
	before func(w http.ResponseWriter, r *http.Request) (answered bool)
	after  func(r *http.Response) error
}

func newGate(t testing.TB, authority acmetest.Authority) *gate {
	t.Helper()
	g := &gate{target: authority.URL, seen: map[string]int{}}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // an authority of tests
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			g.mu.Lock()
			defer g.mu.Unlock()
			r.SetURL(g.target)
			r.Out.Host = r.In.Host // the authority names its addresses after it
		},
		ModifyResponse: func(r *http.Response) error {
			g.mu.Lock()
			after := g.after
			g.mu.Unlock()
			if after == nil {
				return nil
			}
			return after(r)
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	g.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.seen[strings.Split(r.URL.Path, "/")[1]]++
		before := g.before
		g.mu.Unlock()
		if before == nil || !before(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	g.Config.ErrorLog = log.New(io.Discard, "", 0)
	g.StartTLS()
	t.Cleanup(g.Close)
	return g
}

func (g *gate) set(change func(g *gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
}

func (g *gate) count(what string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[what]
}

func (g *gate) authority() certificates.Authority {
	return certificates.Authority{
		Directory: g.URL + "/dir", Email: "admin@example.org",
		Roots: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.Certificate().Raw})),
	}
}

// stand is a panel with an engine, a zone and an authority.
type stand struct {
	*paneltest.Panel
	*certificates.Engine
	t     testing.TB
	db    *database.DB
	vault *vault.Vault
	zone  *zone
	node  *node
	gate  *gate
	clock *clockwork.FakeClock

	authority certificates.Authority
	run       func(ctx context.Context) // work of the engine, where the test lets it run
}

type inside struct {
	engine *certificates.Engine
	db     *database.DB
	vault  *vault.Vault
}

// manifest is a module that consists of the engine.
func manifest(s *stand, own *inside) module.Module {
	migrations := fstest.MapFS{}
	for _, name := range []string{
		"20261123090000_certificates.tx.up.sql", "20261123112900_certificate_orders.tx.up.sql",
	} {
		text, err := os.ReadFile("../../migrations/" + name)
		require.NoError(s.t, err)
		migrations[name] = &fstest.MapFile{Data: text}
	}
	return module.Module{
		Name: "cdndns", Summary: "Certificates", Secrets: certificates.Secrets(), Faults: certificates.Faults(),
		Permissions: []access.Permission{{Key: "cdndns.view", Summary: "See certificates"}},
		Events:      certificates.EventKinds("cdndns.view"), Tidy: certificates.Tidy(),
		Journal:    audit.Kinds{Actions: certificates.Actions(), Objects: []string{certificates.Object}},
		Migrations: migrations,
		Attach: func(db *database.DB, v *vault.Vault, l *database.Listener, n *outbound.Network, j audit.Journal,
			b *events.Bus, logger *zap.Logger,
		) module.Parts {
			own.db, own.vault = db, v
			own.engine = certificates.New(certificates.Tools{
				DB: db, Vault: v, Listener: l, Network: n, Journal: j, Bus: b, Clock: s.clock, Log: logger,
				Find: s.zone.find, Answers: s.node,
				Settings: func(context.Context) (certificates.Authority, error) { return s.authority, nil },
			})
			parts := module.Parts{Jobs: []jobs.Worker{own.engine.Worker()}}
			if s.run == nil {
				parts.Schedules = []jobs.Schedule{certificates.Schedule()}
				parts.Loops = []func(context.Context) error{own.engine.Run}
			}
			return parts
		},
	}
}

// newStand starts all of it. The panel works on orders by itself, unless quiet.
func newStand(t testing.TB, quiet bool, changes ...map[string]any) *stand {
	t.Helper()
	s := &stand{t: t, zone: newZone(t), node: newNode(t), clock: clockwork.NewFakeClockAt(time.Now().UTC())}
	_, port, err := net.SplitHostPort(s.node.address)
	require.NoError(t, err)
	asks, err := strconv.Atoi(port)
	require.NoError(t, err)
	changes = append(changes, map[string]any{"httpPort": asks})
	s.gate = newGate(t, acmetest.Pebble(t, s.zone.address, changes...))
	s.authority = s.gate.authority()
	if quiet {
		s.run = func(ctx context.Context) { _ = s.Engine.Run(ctx) }
	}
	own := new(inside)
	s.Panel = paneltest.Start(t, paneltest.Modules(manifest(s, own)),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"}))
	s.Engine, s.db, s.vault = own.engine, own.db, own.vault
	return s
}

// another is a second panel on the same database.
func (s *stand) another() *stand {
	twin, own := *s, new(inside)
	twin.Panel = paneltest.Start(s.t, paneltest.Modules(manifest(&twin, own)), paneltest.On(s.db),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"}))
	twin.Engine, twin.db, twin.vault = own.engine, own.db, own.vault
	return &twin
}

func (s *stand) ensure(hostname, zone string) string {
	s.t.Helper()
	id, err := s.Ensure(s.t.Context(), hostname, zone)
	require.NoError(s.t, err)
	return id
}

func (s *stand) shown(hostname string) certificates.Certificate {
	s.t.Helper()
	found, err := s.Covering(s.t.Context(), hostname)
	require.NoError(s.t, err)
	return found[hostname]
}

// until waits for a state of the certificate of a host name, with no order on its way.
func (s *stand) until(hostname, state string) (shown certificates.Certificate) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		shown = s.shown(hostname)
		return shown.State == state && s.number("select count(*) from certificate_orders where finished_at is null") == 0
	}, within, every, "%+v", &shown)
	return shown
}

// issue orders the certificate of a host name and waits for it.
func (s *stand) issue(hostname, zone string) (id string, shown certificates.Certificate) {
	s.t.Helper()
	id = s.ensure(hostname, zone)
	require.NoError(s.t, s.Order(s.t.Context(), id))
	return id, s.until(hostname, certificates.StateValid)
}

func (s *stand) number(query string, args ...any) (n int) {
	s.t.Helper()
	require.NoError(s.t, s.db.NewRaw(query, args...).Scan(s.t.Context(), &n))
	return n
}

func (s *stand) text(query string, args ...any) (text string) {
	s.t.Helper()
	require.NoError(s.t, s.db.NewRaw(query, args...).Scan(s.t.Context(), &text))
	return text
}

// due runs what the schedule runs.
func (s *stand) due() {
	s.t.Helper()
	require.NoError(s.t, s.Due(s.t.Context()))
}

func retryAfter(seconds int) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/order-plz") {
			return false
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"type":"urn:ietf:params:acme:error:rateLimited","status":429,"detail":"too many certificates"}`))
		return true
	}
}
