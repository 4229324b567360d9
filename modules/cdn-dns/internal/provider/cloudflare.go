package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"panel/platform/outbound"
)

// Cloudflare is the kind that the first installation speaks to.
const Cloudflare = "cloudflare"

// Rights of a token, as Cloudflare writes them.
const (
	rightZoneRead = "Zone:Read"
	rightDNSEdit  = "DNS:Edit"
)

func cloudflareKind() *Kind {
	return &Kind{
		Name: Cloudflare, Title: "Cloudflare", LeastTTL: 60, Proxies: true,
		Fields: []Field{
			token("API token with Zone:Read and DNS:Edit"),
			{Name: "zone_id", Form: formText, Help: "Id of the zone, for a token that opens this zone alone"},
		},
		open: func(p *Providers, values Values) (driver, error) {
			c := &cloudflare{zoneID: values["zone_id"]}
			c.rest = p.rest("Cloudflare", p.root, outbound.Configured, bearer(values["api_token"]), explainCloudflare)
			return c, nil
		},
	}
}

type cloudflare struct {
	rest   *rest
	zoneID string
}

type cloudflareZone struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	NameServers []string `json:"name_servers"`
	Permissions []string `json:"permissions"`
}

func (z cloudflareZone) zone() Zone {
	return Zone{ID: z.ID, Name: Canonical(z.Name), Servers: z.NameServers}
}

type cloudflareRecord struct {
	ID      string `json:"id,omitempty"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Content string `json:"content"`
	TTL     int    `json:"ttl"`
	Proxied bool   `json:"proxied"`
	Comment string `json:"comment,omitempty"`
}

type cloudflareAnswer[T any] struct {
	Result T `json:"result"`
	Info   struct {
		Page  int `json:"page"`
		Pages int `json:"total_pages"`
	} `json:"result_info"`
}

// Codes of Cloudflare that say more than their status.
const (
	cloudflareBadToken      = 1000
	cloudflareBadHeader     = 6003
	cloudflareUnauthorized  = 9109
	cloudflareNotAuthorized = 10000
	cloudflareAddressTaken  = 81053
	cloudflareNameTaken     = 81054
	cloudflareTwin          = 81057
	cloudflareIdentical     = 81058
)

func explainCloudflare(body []byte, refusal *Refusal) {
	said := read[struct {
		Errors []struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}](body)
	if len(said.Errors) == 0 {
		return
	}
	first := said.Errors[0]
	refusal.Code, refusal.Words = strconv.Itoa(first.Code), first.Message
	switch first.Code {
	case cloudflareBadToken, cloudflareBadHeader:
		refusal.Unknown, refusal.Forbidden = true, false
	case cloudflareNotAuthorized:
		refusal.Unknown, refusal.Forbidden = false, true
	case cloudflareUnauthorized:
		refusal.Unknown = first.Message == "Invalid access token"
		refusal.Forbidden = !refusal.Unknown
	case cloudflareAddressTaken, cloudflareNameTaken, cloudflareTwin, cloudflareIdentical:
		refusal.Exists = true
	}
}

func (c *cloudflare) zones(ctx context.Context) ([]Zone, error) {
	found, err := c.list(ctx)
	zones := make([]Zone, len(found))
	for i, z := range found {
		zones[i] = z.zone()
	}
	return zones, err
}

func (c *cloudflare) list(ctx context.Context) ([]cloudflareZone, error) {
	if c.zoneID != "" {
		var answer cloudflareAnswer[cloudflareZone]
		err := c.rest.call(ctx, http.MethodGet, "/zones/"+url.PathEscape(c.zoneID), nil, &answer)
		if err != nil {
			return nil, needs(rightZoneRead, err)
		}
		return []cloudflareZone{answer.Result}, nil
	}
	found, err := cloudflarePages[cloudflareZone](ctx, c.rest, "/zones?per_page=50")
	return found, needs(rightZoneRead, err)
}

func cloudflarePages[T any](ctx context.Context, r *rest, path string) ([]T, error) {
	var all []T
	for page := 1; ; page++ {
		var answer cloudflareAnswer[[]T]
		if err := r.call(ctx, http.MethodGet, path+"&page="+strconv.Itoa(page), nil, &answer); err != nil {
			return nil, err
		}
		all = append(all, answer.Result...)
		if page >= answer.Info.Pages {
			return all, nil
		}
	}
}

func (c *cloudflare) zone(ctx context.Context, name string) (Zone, error) {
	var found []cloudflareZone
	var err error
	if c.zoneID != "" {
		found, err = c.list(ctx)
	} else {
		found, err = cloudflarePages[cloudflareZone](ctx, c.rest, "/zones?per_page=50&name="+url.QueryEscape(name))
	}
	if err != nil {
		return Zone{}, needs(rightZoneRead, err)
	}
	for _, z := range found {
		if Canonical(z.Name) == name {
			return z.zone(), nil
		}
	}
	return Zone{}, ErrNoZone
}

func (c *cloudflare) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	found, err := cloudflarePages[cloudflareRecord](ctx, c.rest,
		recordsPath(zone)+"?per_page=100&name="+url.QueryEscape(name))
	if err != nil {
		return nil, needs(rightDNSEdit, err)
	}
	var records []Record
	for _, r := range found {
		if written(r.Type) && Canonical(r.Name) == name {
			records = append(records, Record{
				ID: r.ID, Name: name, Type: r.Type, Value: bare(r.Type, r.Content), TTL: r.TTL, Proxied: r.Proxied,
			})
		}
	}
	return records, nil
}

func recordsPath(zone Zone) string { return "/zones/" + url.PathEscape(zone.ID) + "/dns_records" }

// add writes a record. The very same one that is there already is what was wanted.
func (c *cloudflare) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	const automatic = 1 // the TTL of every proxied record
	wanted := cloudflareRecord{
		Type: r.Type, Name: r.Name, Content: r.Value, TTL: r.TTL, Proxied: r.Proxied, Comment: "made by the panel",
	}
	if r.Proxied {
		wanted.TTL = automatic
	}
	if r.Type == TypeTXT {
		wanted.Content = quoted(r.Value)
	}
	var answer cloudflareAnswer[cloudflareRecord]
	err := c.rest.call(ctx, http.MethodPost, recordsPath(zone), wanted, &answer)
	if code := refusalCode(err); code == cloudflareTwin || code == cloudflareIdentical {
		return r, nil
	}
	r.ID = answer.Result.ID
	return r, needs(rightDNSEdit, err)
}

func (c *cloudflare) remove(ctx context.Context, zone Zone, r Record) error {
	err := c.rest.call(ctx, http.MethodDelete, recordsPath(zone)+"/"+url.PathEscape(r.ID), nil, nil)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return needs(rightDNSEdit, err)
}

// rights reads what a token may do from the zones that it opens. Cloudflare names the permissions of each; where it
// does not, reading is all that can be tried without a write.
func (c *cloudflare) rights(ctx context.Context) (Rights, error) {
	found, err := c.list(ctx)
	if err != nil {
		return Rights{}, err
	}
	if len(found) == 0 {
		return Rights{}, &Refusal{Service: "Cloudflare", Missing: []string{rightZoneRead}}
	}
	rights := Rights{ZoneRead: true, DNSEdit: true}
	for _, z := range found {
		if len(z.Permissions) > 0 && !slices.Contains(z.Permissions, "#dns_records:edit") {
			rights.DNSEdit = false
		}
	}
	if !rights.DNSEdit {
		return rights, &Refusal{Service: "Cloudflare", Missing: []string{rightDNSEdit}}
	}
	_, err = c.records(ctx, found[0].zone(), Canonical(found[0].Name))
	rights.DNSEdit = err == nil
	return rights, err
}

func refusalCode(err error) int {
	refusal := refusalOf(err)
	if refusal == nil {
		return 0
	}
	code, _ := strconv.Atoi(refusal.Code)
	return code
}
