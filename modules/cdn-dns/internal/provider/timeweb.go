package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"panel/platform/outbound"
)

func timewebKind() *Kind {
	return &Kind{
		Name: "timeweb", Title: "Timeweb Cloud", LeastTTL: 60,
		Fields: []Field{token("API token of the account"), apiRoot("https://api.timeweb.cloud/api/v1")},
		open: func(p *Providers, values Values) (driver, error) {
			return &timeweb{p.rest("Timeweb Cloud", values["api_root"], outbound.Private, bearer(values["api_token"]),
				explainTimeweb)}, nil
		},
	}
}

type timeweb struct{ rest *rest }

// explainTimeweb reads a message that is a text or a list of texts.
func explainTimeweb(body []byte, refusal *Refusal) {
	said := read[struct {
		Code    string          `json:"error_code"`
		Message json.RawMessage `json:"message"`
	}](body)
	refusal.Code, refusal.Words = said.Code, read[string](said.Message)
	if all := read[[]string](said.Message); len(all) > 0 {
		refusal.Words = all[0]
	}
	refusal.Exists = refusal.Status == http.StatusConflict
}

const timewebPage = 100

func (t *timeweb) zones(ctx context.Context) ([]Zone, error) {
	var zones []Zone
	for offset := 0; ; offset += timewebPage {
		var answer struct {
			Domains []struct {
				Name string `json:"fqdn"`
			} `json:"domains"`
			Meta timewebTotal `json:"meta"`
		}
		if err := t.rest.call(ctx, http.MethodGet, "/domains"+timewebRange(offset), nil, &answer); err != nil {
			return nil, err
		}
		for _, d := range answer.Domains {
			zones = append(zones, namedZone(d.Name))
		}
		if offset+timewebPage >= answer.Meta.Total {
			return zones, nil
		}
	}
}

type timewebTotal struct {
	Total int `json:"total"`
}

func timewebRange(offset int) string {
	return "?limit=" + strconv.Itoa(timewebPage) + "&offset=" + strconv.Itoa(offset)
}

func (t *timeweb) zone(ctx context.Context, name string) (Zone, error) {
	err := t.rest.call(ctx, http.MethodGet, "/domains/"+url.PathEscape(name), nil, nil)
	if status(err) == http.StatusNotFound {
		return Zone{}, ErrNoZone
	}
	return namedZone(name), err
}

type timewebRecord struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
	TTL  int    `json:"ttl"`
	Data struct {
		Subdomain string `json:"subdomain"`
		Value     string `json:"value"`
	} `json:"data"`
}

// newTimewebRecord is flat, unlike what is read.
type newTimewebRecord struct {
	Type      string `json:"type"`
	Subdomain string `json:"subdomain,omitempty"`
	Value     string `json:"value"`
	TTL       int    `json:"ttl"`
}

func (t *timeweb) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var records []Record
	for offset := 0; ; offset += timewebPage {
		var answer struct {
			Records []timewebRecord `json:"dns_records"`
			Meta    timewebTotal    `json:"meta"`
		}
		path := "/domains/" + zone.ID + "/dns-records" + timewebRange(offset)
		if err := t.rest.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, err
		}
		for _, r := range answer.Records {
			if written(r.Type) && absolute(r.Data.Subdomain, zone.Name) == name {
				records = append(records, Record{
					ID: strconv.FormatInt(r.ID, 10), Name: name, Type: r.Type, Value: bare(r.Type, r.Data.Value),
					TTL: r.TTL,
				})
			}
		}
		if offset+timewebPage >= answer.Meta.Total {
			return records, nil
		}
	}
}

func (t *timeweb) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	wanted := newTimewebRecord{Type: r.Type, Subdomain: relative(r.Name, zone.Name), Value: r.Value, TTL: r.TTL}
	if wanted.Subdomain == "@" {
		wanted.Subdomain = ""
	}
	var answer struct {
		Record timewebRecord `json:"dns_record"`
	}
	err := t.rest.call(ctx, http.MethodPost, "/domains/"+zone.ID+"/dns-records", wanted, &answer)
	r.ID = strconv.FormatInt(answer.Record.ID, 10)
	return r, err
}

func (t *timeweb) remove(ctx context.Context, zone Zone, r Record) error {
	err := t.rest.call(ctx, http.MethodDelete, "/domains/"+zone.ID+"/dns-records/"+url.PathEscape(r.ID), nil, nil)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return err
}
