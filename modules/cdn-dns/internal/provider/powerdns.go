package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"panel/platform/outbound"
)

func powerDNSKind() *Kind {
	return &Kind{
		Name: "powerdns", Title: "PowerDNS", LeastTTL: 1,
		Fields: []Field{
			{Name: "api_root", Form: formAddress, Required: true, Help: "Address of the HTTP API, without /api/v1"},
			{Name: "api_key", Form: formSecret, Required: true, Help: "Key of the HTTP API"},
			{Name: "server_id", Form: formText, Default: "localhost", Help: "Id of the server in the API"},
			{
				Name: "name_servers", Form: formList,
				Help: "Name servers that are asked after a write, if public DNS does not name them",
			},
		},
		open: func(p *Providers, values Values) (driver, error) {
			root := strings.TrimSuffix(values["api_root"], "/") + "/api/v1/servers/" + url.PathEscape(values["server_id"])
			r := p.rest("PowerDNS", root, outbound.Private, map[string]string{"X-API-Key": values["api_key"]},
				explainPowerDNS)
			return &powerDNS{rest: r, servers: list(values["name_servers"])}, nil
		},
	}
}

type powerDNS struct {
	rest    *rest
	servers []string
}

func explainPowerDNS(body []byte, refusal *Refusal) {
	refusal.Words = read[struct {
		Error string `json:"error"`
	}](body).Error
	refusal.Exists = refusal.Status == http.StatusUnprocessableEntity &&
		strings.Contains(strings.ToLower(refusal.Words), "conflict")
}

type powerDNSZone struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	RRSets []powerDNSRRSet `json:"rrsets"`
}

type powerDNSRRSet struct {
	Name       string           `json:"name"`
	Type       string           `json:"type"`
	TTL        int              `json:"ttl,omitempty"`
	ChangeType string           `json:"changetype,omitempty"`
	Records    []powerDNSRecord `json:"records,omitempty"`
}

type powerDNSRecord struct {
	Content  string `json:"content"`
	Disabled bool   `json:"disabled"`
}

func (p *powerDNS) zones(ctx context.Context) ([]Zone, error) { return p.list(ctx, "/zones") }

func (p *powerDNS) list(ctx context.Context, path string) ([]Zone, error) {
	var found []powerDNSZone
	if err := p.rest.call(ctx, http.MethodGet, path, nil, &found); err != nil {
		return nil, err
	}
	zones := make([]Zone, len(found))
	for i, z := range found {
		zones[i] = Zone{ID: z.ID, Name: Canonical(z.Name), Servers: p.servers}
	}
	return zones, nil
}

func (p *powerDNS) zone(ctx context.Context, name string) (Zone, error) {
	found, err := p.list(ctx, "/zones?zone="+url.QueryEscape(name+"."))
	if err != nil {
		return Zone{}, err
	}
	if i := slices.IndexFunc(found, func(z Zone) bool { return z.Name == name }); i >= 0 {
		return found[i], nil
	}
	return Zone{}, ErrNoZone
}

func (p *powerDNS) path(zone Zone) string { return "/zones/" + url.PathEscape(zone.ID) }

func (p *powerDNS) sets(ctx context.Context, zone Zone, name string) ([]powerDNSRRSet, error) {
	var found powerDNSZone
	err := p.rest.call(ctx, http.MethodGet, p.path(zone)+"?rrset_name="+url.QueryEscape(name+"."), nil, &found)
	return slices.DeleteFunc(found.RRSets, func(s powerDNSRRSet) bool {
		return Canonical(s.Name) != name || !written(s.Type)
	}), err
}

func (p *powerDNS) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	sets, err := p.sets(ctx, zone, name)
	var records []Record
	for _, set := range sets {
		for _, r := range set.Records {
			records = append(records, Record{
				Name: name, Type: set.Type, Value: bare(set.Type, r.Content), TTL: set.TTL,
			})
		}
	}
	return records, err
}

// add puts the record into its set: the API knows no append.
func (p *powerDNS) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	sets, err := p.sets(ctx, zone, r.Name)
	if err != nil {
		return r, err
	}
	set := setOf(sets, r)
	if !slices.ContainsFunc(set.Records, sameAs(r)) {
		set.Records = append(set.Records, powerDNSRecord{Content: dotted(r)})
	}
	set.TTL = r.TTL
	return r, p.patch(ctx, zone, set, "REPLACE")
}

func setOf(sets []powerDNSRRSet, r Record) powerDNSRRSet {
	for _, set := range sets {
		if set.Type == r.Type {
			return set
		}
	}
	return powerDNSRRSet{Name: r.Name + ".", Type: r.Type}
}

func sameAs(r Record) func(powerDNSRecord) bool {
	return func(other powerDNSRecord) bool {
		return sameValue(r, Record{Type: r.Type, Value: bare(r.Type, other.Content)})
	}
}

func (p *powerDNS) patch(ctx context.Context, zone Zone, set powerDNSRRSet, change string) error {
	set.ChangeType = change
	body := map[string][]powerDNSRRSet{"rrsets": {set}}
	return p.rest.call(ctx, http.MethodPatch, p.path(zone), body, nil)
}

func (p *powerDNS) remove(ctx context.Context, zone Zone, r Record) error {
	sets, err := p.sets(ctx, zone, r.Name)
	if err != nil {
		return err
	}
	set := setOf(sets, r)
	before := len(set.Records)
	set.Records = slices.DeleteFunc(set.Records, sameAs(r))
	switch {
	case len(set.Records) == before:
		return nil
	case len(set.Records) == 0:
		return p.patch(ctx, zone, set, "DELETE")
	}
	return p.patch(ctx, zone, set, "REPLACE")
}
