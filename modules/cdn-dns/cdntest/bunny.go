package cdntest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// BunnyKey is what the account takes.
const BunnyKey = "a-bunny-key-of-the-tests"

// Bunny is an account at bunny.net.
type Bunny struct {
	Root string // of the API

	calls
	zones []*PullZone
	next  int64
}

// PullZone is one as the API writes it.
type PullZone struct {
	ID        int64          `json:"Id"`
	Name      string         `json:"Name"`
	OriginURL string         `json:"OriginUrl"`
	Enabled   bool           `json:"Enabled"`
	Hostnames []PullZoneHost `json:"Hostnames"`
	Asked     map[string]any `json:"-"` // at creation
}

// PullZoneHost is a host name of a pull zone.
type PullZoneHost struct {
	Value          string `json:"Value"`
	System         bool   `json:"IsSystemHostname"`
	HasCertificate bool   `json:"HasCertificate"`
}

// NewBunny starts the stand-in; the name server is the one that it asks where host names lead.
func NewBunny(t testing.TB, nameServer string) *Bunny {
	t.Helper()
	b := &Bunny{calls: calls{names: nameServer}, next: 100}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(server.Close)
	b.Root = server.URL
	return b
}

// Zones gives what the account holds.
func (b *Bunny) Zones() []PullZone {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	zones := make([]PullZone, len(b.zones))
	for i, z := range b.zones {
		zones[i] = *z
		zones[i].Hostnames = slices.Clone(z.Hostnames)
	}
	return zones
}

// Put adds a pull zone past whoever is tested.
func (b *Bunny) Put(name string, hosts ...string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	z := b.add(map[string]any{"Name": name, "OriginUrl": "https://198.51.100.1"})
	for _, host := range hosts {
		z.Hostnames = append(z.Hostnames, PullZoneHost{Value: host})
	}
}

func (b *Bunny) add(asked map[string]any) *PullZone {
	b.next++
	name, _ := asked["Name"].(string)
	origin, _ := asked["OriginUrl"].(string)
	z := &PullZone{
		ID: b.next, Name: name, OriginURL: origin, Enabled: true, Asked: asked,
		Hostnames: []PullZoneHost{{Value: name + ".b-cdn.net", System: true, HasCertificate: true}},
	}
	b.zones = append(b.zones, z)
	return z
}

func wrong(w http.ResponseWriter, key, message string) {
	give(w, http.StatusBadRequest, map[string]string{"ErrorKey": key, "Field": "", "Message": message})
}

var pullZoneName = regexp.MustCompile(`^[a-z0-9-]{3,60}$`)

func (b *Bunny) serve(w http.ResponseWriter, r *http.Request) {
	if !b.enter(w, r) {
		return
	}
	defer b.mutex.Unlock()
	if r.Header.Get("AccessKey") != BunnyKey {
		give(w, http.StatusUnauthorized, map[string]string{"Message": "Authorization has been denied for this request."})
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) == 1 && r.Method == http.MethodGet:
		b.list(w, r.URL.Query())
	case len(parts) == 1:
		b.create(w, r)
	case parts[1] == "loadFreeCertificate":
		b.secure(w, r.URL.Query().Get("hostname"))
	default:
		b.one(w, r, parts)
	}
}

func (b *Bunny) list(w http.ResponseWriter, query url.Values) {
	found := []*PullZone{}
	for _, z := range b.zones {
		if strings.Contains(z.Name, query.Get("search")) {
			found = append(found, z)
		}
	}
	per, _ := strconv.Atoi(query.Get("perPage"))
	page, _ := strconv.Atoi(query.Get("page"))
	from := min((page-1)*per, len(found))
	to := min(from+per, len(found))
	give(w, http.StatusOK, map[string]any{
		"Items": found[from:to], "CurrentPage": page, "TotalItems": len(found), "HasMoreItems": to < len(found),
	})
}

func (b *Bunny) create(w http.ResponseWriter, r *http.Request) {
	asked := taken(r)
	name, _ := asked["Name"].(string)
	switch {
	case !pullZoneName.MatchString(name):
		wrong(w, "pullzone.validation", "The Name field is not valid.")
	case slices.ContainsFunc(b.zones, func(z *PullZone) bool { return z.Name == name }):
		wrong(w, "pullzone.name_taken", "The Pull Zone name is already taken.")
	default:
		give(w, http.StatusCreated, b.add(asked))
	}
}

func (b *Bunny) secure(w http.ResponseWriter, host string) {
	for _, z := range b.zones {
		for i := range z.Hostnames {
			if z.Hostnames[i].Value != host {
				continue
			}
			if !b.leads(host, z.Name+".b-cdn.net") {
				wrong(w, "pullzone.hostname_not_pointing", "The hostname is not pointing to our servers.")
				return
			}
			z.Hostnames[i].HasCertificate = true
			give(w, http.StatusOK, nil)
			return
		}
	}
	give(w, http.StatusNotFound, map[string]string{"Message": "The requested hostname was not found"})
}

func (b *Bunny) one(w http.ResponseWriter, r *http.Request, parts []string) {
	at := slices.IndexFunc(b.zones, func(z *PullZone) bool { return strconv.FormatInt(z.ID, 10) == parts[1] })
	if at < 0 {
		give(w, http.StatusNotFound, map[string]string{"Message": "The requested Pull Zone was not found"})
		return
	}
	z := b.zones[at]
	switch {
	case len(parts) == 3:
		host, _ := taken(r)["Hostname"].(string)
		for _, other := range b.zones {
			if slices.ContainsFunc(other.Hostnames, func(h PullZoneHost) bool { return h.Value == host }) {
				wrong(w, "pullzone.hostname_already_registered", "The hostname is already registered.")
				return
			}
		}
		z.Hostnames = append(z.Hostnames, PullZoneHost{Value: host})
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet:
		give(w, http.StatusOK, z)
	case r.Method == http.MethodDelete:
		b.zones = slices.Delete(b.zones, at, at+1)
		w.WriteHeader(http.StatusNoContent)
	default:
		z.OriginURL, _ = taken(r)["OriginUrl"].(string)
		give(w, http.StatusOK, z)
	}
}
