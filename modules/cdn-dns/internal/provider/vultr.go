package provider

import (
	"context"
	"net/http"
	"net/url"

	"panel/platform/outbound"
)

func vultrKind() *Kind {
	return &Kind{
		Name: "vultr", Title: "Vultr", LeastTTL: 60,
		Fields: []Field{
			token("API key; the address of the panel must be in its access control"), apiRoot("https://api.vultr.com/v2"),
		},
		open: func(p *Providers, values Values) (driver, error) {
			return &vultr{p.rest("Vultr", values["api_root"], outbound.Private, bearer(values["api_token"]), explainVultr)}, nil
		},
	}
}

type vultr struct{ rest *rest }

func explainVultr(body []byte, refusal *Refusal) {
	refusal.Words = read[struct {
		Error string `json:"error"`
	}](body).Error
}

type vultrPages struct {
	Links struct {
		Next string `json:"next"`
	} `json:"links"`
}

func (v *vultr) zones(ctx context.Context) ([]Zone, error) {
	var zones []Zone
	for cursor := ""; ; {
		var answer struct {
			Domains []struct {
				Domain string `json:"domain"`
			} `json:"domains"`
			Meta vultrPages `json:"meta"`
		}
		path := "/domains?per_page=500&cursor=" + url.QueryEscape(cursor)
		if err := v.rest.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, err
		}
		for _, d := range answer.Domains {
			zones = append(zones, namedZone(d.Domain))
		}
		if cursor = answer.Meta.Links.Next; cursor == "" {
			return zones, nil
		}
	}
}

func (v *vultr) zone(ctx context.Context, name string) (Zone, error) {
	err := v.rest.call(ctx, http.MethodGet, "/domains/"+url.PathEscape(name), nil, nil)
	if status(err) == http.StatusNotFound {
		return Zone{}, ErrNoZone
	}
	return namedZone(name), err
}

type vultrRecord struct {
	ID   string `json:"id,omitempty"`
	Type string `json:"type"`
	Name string `json:"name"`
	Data string `json:"data"`
	TTL  int    `json:"ttl"`
}

// records reads the zone page by page: the service has no filter.
func (v *vultr) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var records []Record
	for cursor := ""; ; {
		var answer struct {
			Records []vultrRecord `json:"records"`
			Meta    vultrPages    `json:"meta"`
		}
		path := "/domains/" + zone.ID + "/records?per_page=500&cursor=" + url.QueryEscape(cursor)
		if err := v.rest.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, err
		}
		for _, r := range answer.Records {
			if written(r.Type) && absolute(r.Name, zone.Name) == name {
				records = append(records, Record{
					ID: r.ID, Name: name, Type: r.Type, Value: bare(r.Type, r.Data), TTL: r.TTL,
				})
			}
		}
		if cursor = answer.Meta.Links.Next; cursor == "" {
			return records, nil
		}
	}
}

func (v *vultr) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	wanted := vultrRecord{Type: r.Type, Name: relative(r.Name, zone.Name), Data: r.Value, TTL: r.TTL}
	if wanted.Name == "@" {
		wanted.Name = ""
	}
	if r.Type == TypeTXT {
		wanted.Data = quoted(r.Value)
	}
	var answer struct {
		Record vultrRecord `json:"record"`
	}
	err := v.rest.call(ctx, http.MethodPost, "/domains/"+zone.ID+"/records", wanted, &answer)
	r.ID = answer.Record.ID
	return r, err
}

func (v *vultr) remove(ctx context.Context, zone Zone, r Record) error {
	err := v.rest.call(ctx, http.MethodDelete, "/domains/"+zone.ID+"/records/"+url.PathEscape(r.ID), nil, nil)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return err
}
