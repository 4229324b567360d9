package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"panel/platform/outbound"
)

func linodeKind() *Kind {
	return &Kind{
		Name: "linode", Title: "Linode", LeastTTL: 30,
		Fields: []Field{
			token("Personal access token with Domains: Read/Write"), apiRoot("https://api.linode.com/v4"),
		},
		open: func(p *Providers, values Values) (driver, error) {
			return &linode{p.rest("Linode", values["api_root"], outbound.Private, bearer(values["api_token"]), explainLinode)}, nil
		},
	}
}

type linode struct{ rest *rest }

const linodeRight = "Domains: Read/Write"

// explainLinode reads the first reason. A token without the right is answered with 401 as well, as if it were unknown.
func explainLinode(body []byte, refusal *Refusal) {
	said := read[struct {
		Errors []struct {
			Reason string `json:"reason"`
		} `json:"errors"`
	}](body)
	if len(said.Errors) == 0 {
		return
	}
	refusal.Words = said.Errors[0].Reason
	if refusal.Words == "Your OAuth token is not authorized to use this endpoint." {
		refusal.Unknown, refusal.Forbidden = false, true
	}
}

type linodePage[T any] struct {
	Data  []T `json:"data"`
	Pages int `json:"pages"`
}

// linodePages reads all pages. The filter is JSON in a header.
func linodePages[T any](ctx context.Context, r *rest, path string, filter map[string]string) ([]T, error) {
	wanted, err := json.Marshal(filter)
	if err != nil {
		return nil, fmt.Errorf("write a filter for Linode: %w", err)
	}
	var all []T
	for page := 1; ; page++ {
		var answer linodePage[T]
		err := r.call(ctx, http.MethodGet, path+"?page_size=500&page="+strconv.Itoa(page), nil, &answer,
			"X-Filter", string(wanted))
		if err != nil {
			return nil, needs(linodeRight, err)
		}
		all = append(all, answer.Data...)
		if page >= answer.Pages {
			return all, nil
		}
	}
}

type linodeDomain struct {
	ID     int64  `json:"id"`
	Domain string `json:"domain"`
	Type   string `json:"type"`
}

func (l *linode) find(ctx context.Context, filter map[string]string) ([]Zone, error) {
	found, err := linodePages[linodeDomain](ctx, l.rest, "/domains", filter)
	zones := make([]Zone, len(found))
	for i, d := range found {
		zones[i] = Zone{ID: strconv.FormatInt(d.ID, 10), Name: Canonical(d.Domain)}
	}
	return zones, err
}

func (l *linode) zones(ctx context.Context) ([]Zone, error) { return l.find(ctx, map[string]string{}) }

func (l *linode) zone(ctx context.Context, name string) (Zone, error) {
	found, err := l.find(ctx, map[string]string{"domain": name})
	if err != nil {
		return Zone{}, err
	}
	if i := slices.IndexFunc(found, func(z Zone) bool { return z.Name == name }); i >= 0 {
		return found[i], nil
	}
	return Zone{}, ErrNoZone
}

type linodeRecord struct {
	ID     int64  `json:"id,omitempty"`
	Type   string `json:"type"`
	Name   string `json:"name"`
	Target string `json:"target"`
	TTL    int    `json:"ttl_sec"`
}

// records reads the zone page by page: records have no filter.
func (l *linode) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	found, err := linodePages[linodeRecord](ctx, l.rest, "/domains/"+zone.ID+"/records", map[string]string{})
	var records []Record
	for _, r := range found {
		if written(r.Type) && absolute(r.Name, zone.Name) == name {
			records = append(records, Record{
				ID: strconv.FormatInt(r.ID, 10), Name: name, Type: r.Type, Value: bare(r.Type, r.Target), TTL: r.TTL,
			})
		}
	}
	return records, err
}

func (l *linode) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	wanted := linodeRecord{Type: r.Type, Name: relative(r.Name, zone.Name), Target: r.Value, TTL: r.TTL}
	if wanted.Name == "@" {
		wanted.Name = ""
	}
	var made linodeRecord
	err := l.rest.call(ctx, http.MethodPost, "/domains/"+zone.ID+"/records", wanted, &made)
	r.ID = strconv.FormatInt(made.ID, 10)
	return r, needs(linodeRight, err)
}

func (l *linode) remove(ctx context.Context, zone Zone, r Record) error {
	err := l.rest.call(ctx, http.MethodDelete, "/domains/"+zone.ID+"/records/"+url.PathEscape(r.ID), nil, nil)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return needs(linodeRight, err)
}
