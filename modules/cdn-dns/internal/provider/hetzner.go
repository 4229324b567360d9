package provider

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"panel/platform/outbound"
)

func hetznerKind() *Kind {
	return &Kind{
		Name: "hetzner", Title: "Hetzner", LeastTTL: 60,
		Fields: []Field{token("API token of the project, for reading and writing"), apiRoot("https://api.hetzner.cloud/v1")},
		open: func(p *Providers, values Values) (driver, error) {
			return &hetzner{p.rest("Hetzner", values["api_root"], outbound.Private, bearer(values["api_token"]), explainHetzner)},
				nil
		},
	}
}

type hetzner struct{ rest *rest }

type hetznerError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// busy is said while another action changes the same thing.
func (e hetznerError) busy() bool { return e.Code == "conflict" || e.Code == "locked" }

func explainHetzner(body []byte, refusal *Refusal) {
	said := read[struct {
		Error hetznerError `json:"error"`
	}](body).Error
	refusal.Code, refusal.Words = said.Code, said.Message
	refusal.Exists = said.Code == "uniqueness_error"
	refusal.Busy = said.busy()
	refusal.Forbidden = refusal.Forbidden || said.Code == "forbidden" || said.Code == "token_readonly"
	if said.Code == "token_readonly" {
		refusal.Missing = []string{"Read & Write"}
	}
}

type hetznerZone struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Servers struct {
		Assigned []string `json:"assigned"`
	} `json:"authoritative_nameservers"`
}

func (z hetznerZone) zone() Zone {
	return Zone{ID: strconv.FormatInt(z.ID, 10), Name: Canonical(z.Name), Servers: z.Servers.Assigned}
}

type hetznerPages struct {
	Pagination struct {
		Next int `json:"next_page"`
	} `json:"pagination"`
}

func (h *hetzner) zones(ctx context.Context) ([]Zone, error) {
	var zones []Zone
	for page := 1; page != 0; {
		var answer struct {
			Zones []hetznerZone `json:"zones"`
			Meta  hetznerPages  `json:"meta"`
		}
		if err := h.rest.call(ctx, http.MethodGet, "/zones?per_page=50&page="+strconv.Itoa(page), nil, &answer); err != nil {
			return nil, err
		}
		for _, z := range answer.Zones {
			zones = append(zones, z.zone())
		}
		page = answer.Meta.Pagination.Next
	}
	return zones, nil
}

func (h *hetzner) zone(ctx context.Context, name string) (Zone, error) {
	var answer struct {
		Zone hetznerZone `json:"zone"`
	}
	err := h.rest.call(ctx, http.MethodGet, "/zones/"+url.PathEscape(name), nil, &answer)
	if status(err) == http.StatusNotFound {
		return Zone{}, ErrNoZone
	}
	return answer.Zone.zone(), err
}

type hetznerRecord struct {
	Value string `json:"value"`
}

type hetznerSet struct {
	Name    string          `json:"name,omitempty"`
	Type    string          `json:"type,omitempty"`
	TTL     *int            `json:"ttl,omitempty"`
	Records []hetznerRecord `json:"records"`
}

func (h *hetzner) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	var records []Record
	for page := 1; page != 0; {
		var answer struct {
			Sets []hetznerSet `json:"rrsets"`
			Meta hetznerPages `json:"meta"`
		}
		path := "/zones/" + zone.ID + "/rrsets?per_page=50&page=" + strconv.Itoa(page) + "&name=" +
			url.QueryEscape(relative(name, zone.Name))
		if err := h.rest.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, err
		}
		for _, set := range answer.Sets {
			records = append(records, set.records(zone, name)...)
		}
		page = answer.Meta.Pagination.Next
	}
	return records, nil
}

func (s hetznerSet) records(zone Zone, name string) []Record {
	if absolute(s.Name, zone.Name) != name || !written(s.Type) {
		return nil
	}
	var records []Record
	for _, r := range s.Records {
		record := Record{Name: name, Type: s.Type, Value: bare(s.Type, r.Value)}
		if s.TTL != nil {
			record.TTL = *s.TTL
		}
		records = append(records, record)
	}
	return records
}

// add puts the record into its set, which has one TTL: that of the first record.
func (h *hetzner) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	there, err := h.records(ctx, zone, r.Name)
	if err != nil {
		return r, err
	}
	set := hetznerSet{TTL: &r.TTL, Records: []hetznerRecord{{Value: dotted(r)}}}
	for _, other := range there {
		switch {
		case other.Same(r):
			return r, nil
		case other.Type == r.Type:
			set.TTL = nil
		case other.Type == TypeCNAME || r.Type == TypeCNAME:
			return r, &Refusal{Service: "Hetzner", Exists: true}
		}
	}
	return r, h.act(ctx, zone, r, "add_records", set)
}

func (h *hetzner) remove(ctx context.Context, zone Zone, r Record) error {
	err := h.act(ctx, zone, r, "remove_records", hetznerSet{Records: []hetznerRecord{{Value: dotted(r)}}})
	if status(err) == http.StatusNotFound {
		return nil
	}
	return err
}

type hetznerAction struct {
	Action struct {
		ID     int64         `json:"id"`
		Status string        `json:"status"`
		Error  *hetznerError `json:"error"`
	} `json:"action"`
}

// act starts an action and waits for its end.
func (h *hetzner) act(ctx context.Context, zone Zone, r Record, what string, set hetznerSet) error {
	path := "/zones/" + zone.ID + "/rrsets/" + url.PathEscape(relative(r.Name, zone.Name)) + "/" + r.Type + "/actions/" + what
	var done hetznerAction
	if err := h.rest.call(ctx, http.MethodPost, path, set, &done); err != nil {
		return err
	}
	for pause := 100 * time.Millisecond; done.Action.Status == "running"; pause *= 2 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(pause, 2*time.Second)):
		}
		if err := h.rest.call(ctx, http.MethodGet, "/actions/"+strconv.FormatInt(done.Action.ID, 10), nil, &done); err != nil {
			return err
		}
	}
	if failed := done.Action.Error; done.Action.Status == "error" && failed != nil {
		return &Refusal{Service: "Hetzner", Code: failed.Code, Words: failed.Message, Busy: failed.busy()}
	}
	return nil
}
