package provider

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"panel/platform/outbound"
)

func digitalOceanKind() *Kind {
	return &Kind{
		Name: "digitalocean", Title: "DigitalOcean", LeastTTL: 30,
		Fields: []Field{
			token("Personal access token with domain:read, domain:create, domain:update and domain:delete"),
			apiRoot("https://api.digitalocean.com/v2"),
		},
		open: func(p *Providers, values Values) (driver, error) {
			return &digitalOcean{p.rest("DigitalOcean", values["api_root"], outbound.Private, bearer(values["api_token"]),
				explainDigitalOcean)}, nil
		},
	}
}

type digitalOcean struct{ rest *rest }

func explainDigitalOcean(body []byte, refusal *Refusal) {
	said := read[struct {
		ID      string `json:"id"`
		Message string `json:"message"`
	}](body)
	refusal.Code, refusal.Words = said.ID, said.Message
}

// digitalOceanPages says whether another page follows. Its address is not followed: the panel counts by itself.
type digitalOceanPages struct {
	Pages struct {
		Next string `json:"next"`
	} `json:"pages"`
}

func (d *digitalOcean) zones(ctx context.Context) ([]Zone, error) {
	var zones []Zone
	for page := 1; ; page++ {
		var answer struct {
			Domains []struct {
				Name string `json:"name"`
			} `json:"domains"`
			Links digitalOceanPages `json:"links"`
		}
		if err := d.rest.call(ctx, http.MethodGet, "/domains?per_page=200&page="+strconv.Itoa(page), nil, &answer); err != nil {
			return nil, needs("domain:read", err)
		}
		for _, domain := range answer.Domains {
			zones = append(zones, namedZone(domain.Name))
		}
		if answer.Links.Pages.Next == "" {
			return zones, nil
		}
	}
}

// namedZone is a zone of a service that calls zones by their names.
func namedZone(name string) Zone { return Zone{ID: Canonical(name), Name: Canonical(name)} }

func (d *digitalOcean) zone(ctx context.Context, name string) (Zone, error) {
	err := d.rest.call(ctx, http.MethodGet, "/domains/"+url.PathEscape(name), nil, nil)
	if status(err) == http.StatusNotFound {
		return Zone{}, ErrNoZone
	}
	return namedZone(name), needs("domain:read", err)
}

type digitalOceanRecord struct {
	ID   int64  `json:"id,omitempty"`
	Type string `json:"type"`
	Name string `json:"name"`
	Data string `json:"data"`
	TTL  int    `json:"ttl"`
}

func (d *digitalOcean) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var records []Record
	for page := 1; ; page++ {
		var answer struct {
			Records []digitalOceanRecord `json:"domain_records"`
			Links   digitalOceanPages    `json:"links"`
		}
		path := "/domains/" + zone.ID + "/records?per_page=200&name=" + url.QueryEscape(name) + "&page=" + strconv.Itoa(page)
		if err := d.rest.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, needs("domain:read", err)
		}
		for _, r := range answer.Records {
			if written(r.Type) && absolute(r.Name, zone.Name) == name {
				records = append(records, Record{
					ID: strconv.FormatInt(r.ID, 10), Name: name, Type: r.Type, Value: bare(r.Type, r.Data), TTL: r.TTL,
				})
			}
		}
		if answer.Links.Pages.Next == "" {
			return records, nil
		}
	}
}

func (d *digitalOcean) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	wanted := digitalOceanRecord{Type: r.Type, Name: relative(r.Name, zone.Name), Data: r.Value, TTL: r.TTL}
	if r.Type == TypeCNAME {
		wanted.Data = dotted(r)
	}
	var answer struct {
		Record digitalOceanRecord `json:"domain_record"`
	}
	err := d.rest.call(ctx, http.MethodPost, "/domains/"+zone.ID+"/records", wanted, &answer)
	r.ID = strconv.FormatInt(answer.Record.ID, 10)
	return r, needs("domain:create", err)
}

func (d *digitalOcean) remove(ctx context.Context, zone Zone, r Record) error {
	err := d.rest.call(ctx, http.MethodDelete, "/domains/"+zone.ID+"/records/"+url.PathEscape(r.ID), nil, nil)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return needs("domain:delete", err)
}
