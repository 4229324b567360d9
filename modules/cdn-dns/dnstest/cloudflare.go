package dnstest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
)

// Cloudflare keeps the rules of the service: pages, rights of tokens, conflicts, errors with codes, limits. What it
// holds it answers by DNS.
type Cloudflare struct {
	Root    string // of the API
	Address string // that answers DNS

	mutex   sync.Mutex
	zones   []*cloudflareZone
	tokens  map[string]*CloudflareToken
	records []CloudflareRecord
	next    int
	calls   []string
	limited int
	// Mute stops DNS from learning of writes.
	mute   bool
	asked  func()
	before func(method, path string)
}

// CloudflareToken is what a token may do. Zones empty: all.
type CloudflareToken struct {
	ZoneRead, DNSRead, DNSEdit bool
	Zones                      []string
}

// Full is a token with the rights that the panel asks for.
func Full(zones ...string) *CloudflareToken {
	return &CloudflareToken{ZoneRead: true, DNSRead: true, DNSEdit: true, Zones: zones}
}

type cloudflareZone struct{ id, name string }

// CloudflareRecord is a record as the API writes it.
type CloudflareRecord struct {
	ID      string `json:"id"`
	Zone    string `json:"-"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Content string `json:"content"`
	TTL     int    `json:"ttl"`
	Proxied bool   `json:"proxied"`
}

// NewCloudflare starts the stand-in with zones.
func NewCloudflare(t testing.TB, zones ...string) *Cloudflare {
	t.Helper()
	c := &Cloudflare{tokens: map[string]*CloudflareToken{}}
	c.AddZones(zones...)
	server := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(server.Close)
	c.Root = server.URL
	c.Address = serveDNS(t, dns.HandlerFunc(c.answer))
	return c
}

// serveDNS answers by UDP and TCP at one address.
func serveDNS(t testing.TB, handler dns.Handler) string {
	t.Helper()
	for {
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		udp, err := net.ListenPacket("udp", tcp.Addr().String())
		if err != nil {
			_ = tcp.Close()
			continue
		}
		for _, server := range []*dns.Server{{Listener: tcp, Handler: handler}, {PacketConn: udp, Handler: handler}} {
			go func() { _ = server.ActivateAndServe() }()
		}
		t.Cleanup(func() { _ = tcp.Close(); _ = udp.Close() })
		return tcp.Addr().String()
	}
}

// AddZones adds zones to the account.
func (c *Cloudflare) AddZones(names ...string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, name := range names {
		c.zones = append(c.zones, &cloudflareZone{fmt.Sprintf("zone%d", len(c.zones)+1), name})
	}
}

// ZoneID is the id of a zone.
func (c *Cloudflare) ZoneID(name string) string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, z := range c.zones {
		if z.name == name {
			return z.id
		}
	}
	return ""
}

// Allow makes a token known; nil revokes it.
func (c *Cloudflare) Allow(token string, may *CloudflareToken) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tokens[token] = may; may == nil {
		delete(c.tokens, token)
	}
}

// Limit answers so many of the next calls with 429.
func (c *Cloudflare) Limit(calls int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.limited = calls
}

// Mute keeps what is written from DNS, or no longer.
func (c *Cloudflare) Mute(on bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.mute = on
}

// Before is called with each request, before it is answered.
func (c *Cloudflare) Before(look func(method, path string)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.before = look
}

// Put adds a record past whoever is tested.
func (c *Cloudflare) Put(r CloudflareRecord) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.put(&r)
}

func (c *Cloudflare) put(r *CloudflareRecord) {
	c.next++
	r.ID = "record" + strconv.Itoa(c.next)
	c.records = append(c.records, *r)
}

// SwitchOff takes the network away from the records of a name, past whoever is tested.
func (c *Cloudflare) SwitchOff(name string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i := range c.records {
		c.records[i].Proxied = c.records[i].Proxied && c.records[i].Name != name
	}
}

// Wipe removes all records, as somebody does at the service.
func (c *Cloudflare) Wipe() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.records = nil
}

// Records gives what the account holds.
func (c *Cloudflare) Records() []CloudflareRecord {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.Clone(c.records)
}

// Calls gives what was asked: method and path.
func (c *Cloudflare) Calls() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return slices.Clone(c.calls)
}

func (c *Cloudflare) serve(w http.ResponseWriter, r *http.Request) {
	c.mutex.Lock()
	before := c.before
	c.mutex.Unlock()
	if before != nil {
		before(r.Method, r.URL.Path)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.calls = append(c.calls, r.Method+" "+r.URL.Path)
	if c.limited > 0 {
		c.limited--
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, 971, "Please wait and consider throttling your request speed")
		return
	}
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	token := c.tokens[given]
	switch {
	case !bearer:
		refuse(w, http.StatusBadRequest, 6003, "Invalid request headers")
	case token == nil:
		refuse(w, http.StatusUnauthorized, 1000, "Invalid API Token")
	default:
		c.route(w, r, token)
	}
}

func (c *Cloudflare) route(w http.ResponseWriter, r *http.Request, token *CloudflareToken) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var zone *cloudflareZone
	if len(parts) > 1 {
		i := slices.IndexFunc(c.zones, func(z *cloudflareZone) bool { return z.id == parts[1] && token.opens(z) })
		if i < 0 {
			refuse(w, http.StatusForbidden, 9109, "Unauthorized to access requested resource")
			return
		}
		zone = c.zones[i]
	}
	reads, writes := r.Method == http.MethodGet, r.Method != http.MethodGet
	switch {
	case len(parts) <= 2 && !token.ZoneRead, len(parts) > 2 && (reads && !token.DNSRead || writes && !token.DNSEdit):
		refuse(w, http.StatusForbidden, 10000, "Authentication error")
	case len(parts) == 1:
		c.listZones(w, r, token)
	case len(parts) == 2:
		give(w, c.shown(zone, token), nil)
	case reads:
		c.listRecords(w, r, zone)
	case r.Method == http.MethodPost:
		c.create(w, r, zone)
	case r.Method == http.MethodDelete:
		c.remove(w, parts[3])
	}
}

func (t *CloudflareToken) opens(z *cloudflareZone) bool {
	return len(t.Zones) == 0 || slices.Contains(t.Zones, z.name)
}

func (c *Cloudflare) shown(z *cloudflareZone, token *CloudflareToken) map[string]any {
	permissions := []string{"#zone:read"}
	if token.DNSRead {
		permissions = append(permissions, "#dns_records:read")
	}
	if token.DNSEdit {
		permissions = append(permissions, "#dns_records:edit")
	}
	return map[string]any{
		"id": z.id, "name": z.name, "status": "active", "name_servers": []string{c.Address}, "permissions": permissions,
	}
}

func (c *Cloudflare) listZones(w http.ResponseWriter, r *http.Request, token *CloudflareToken) {
	found := []any{}
	for _, z := range c.zones {
		if name := r.URL.Query().Get("name"); token.opens(z) && (name == "" || name == z.name) {
			found = append(found, c.shown(z, token))
		}
	}
	const largest = 50
	page(w, r, found, largest)
}

func (c *Cloudflare) listRecords(w http.ResponseWriter, r *http.Request, zone *cloudflareZone) {
	found := []any{}
	for _, record := range c.records {
		if name := r.URL.Query().Get("name"); record.Zone == zone.name && (name == "" || name == record.Name) {
			found = append(found, record)
		}
	}
	const largest = 5000
	page(w, r, found, largest)
}

func page(w http.ResponseWriter, r *http.Request, all []any, largest int) {
	per, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if per > largest {
		refuse(w, http.StatusBadRequest, 1004, "per_page is too large")
		return
	}
	from := min(max(number-1, 0)*per, len(all))
	give(w, all[from:min(from+per, len(all))], map[string]int{
		"page": number, "per_page": per, "count": len(all), "total_count": len(all), "total_pages": (len(all) + per - 1) / per,
	})
}

func (c *Cloudflare) create(w http.ResponseWriter, r *http.Request, zone *cloudflareZone) {
	var record CloudflareRecord
	if json.NewDecoder(r.Body).Decode(&record) != nil || record.TTL != 1 && record.TTL < 60 {
		refuse(w, http.StatusBadRequest, 9021, "Invalid TTL. Must be between 60 and 86400 seconds, or 1 for Automatic")
		return
	}
	addr, err := netip.ParseAddr(record.Content)
	if record.Type == "A" && (err != nil || !addr.Is4()) || record.Type == "AAAA" && (err != nil || addr.Is4()) {
		refuse(w, http.StatusBadRequest, 9005, "Content for this record is invalid.")
		return
	}
	for _, other := range c.records {
		switch {
		case other.Zone != zone.name || other.Name != record.Name:
		case other.Type == record.Type && other.Content == record.Content:
			refuse(w, http.StatusBadRequest, 81058, "An identical record already exists.")
			return
		case record.Type == "CNAME":
			refuse(w, http.StatusBadRequest, 81053, "An A, AAAA, or CNAME record with that host already exists.")
			return
		case other.Type == "CNAME":
			refuse(w, http.StatusBadRequest, 81054, "A CNAME record with that host already exists.")
			return
		}
	}
	record.Zone = zone.name
	c.put(&record)
	give(w, record, nil)
}

func (c *Cloudflare) remove(w http.ResponseWriter, id string) {
	i := slices.IndexFunc(c.records, func(r CloudflareRecord) bool { return r.ID == id })
	if i < 0 {
		refuse(w, http.StatusNotFound, 81044, "Record does not exist.")
		return
	}
	c.records = slices.Delete(c.records, i, i+1)
	give(w, map[string]string{"id": id}, nil)
}

func give(w http.ResponseWriter, result, info any) {
	body := map[string]any{"success": true, "errors": []any{}, "messages": []any{}, "result": result}
	if info != nil {
		body["result_info"] = info
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status, code int, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"success": false, "errors": []any{map[string]any{"code": code, "message": words}}, "result": nil,
	})
}

// BeforeAnswer has something done before each answer of its name server.
func (c *Cloudflare) BeforeAnswer(do func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked = do
}

// answer gives by DNS what the account holds; a proxied record has addresses of the network, of
// both families.
func (c *Cloudflare) answer(w dns.ResponseWriter, question *dns.Msg) {
	c.mutex.Lock()
	asked := c.asked
	c.mutex.Unlock()
	if asked != nil {
		asked()
	}
	c.reply(w, question)
}

func (c *Cloudflare) reply(w dns.ResponseWriter, question *dns.Msg) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	reply := new(dns.Msg)
	reply.SetReply(question)
	reply.Authoritative = true
	asked := question.Question[0]
	for _, r := range c.records {
		if c.mute || !strings.EqualFold(dns.Fqdn(r.Name), asked.Name) {
			continue
		}
		kind, content := r.Type, r.Content
		if r.Proxied && asked.Qtype == dns.TypeAAAA {
			kind, content = "AAAA", "2001:db8:cf::fe"
		} else if r.Proxied {
			kind, content = "A", "198.51.100.254"
		}
		if dns.StringToType[kind] != asked.Qtype {
			continue
		}
		if rr, err := dns.NewRR(fmt.Sprintf("%s 60 IN %s %s", asked.Name, kind, content)); err == nil {
			reply.Answer = append(reply.Answer, rr)
		}
	}
	_ = w.WriteMsg(reply)
}

// Slow is a server that takes questions and never answers.
func Slow(t testing.TB) string {
	t.Helper()
	return serveDNS(t, dns.HandlerFunc(func(dns.ResponseWriter, *dns.Msg) {}))
}
