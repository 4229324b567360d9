package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"panel/platform/outbound"
)

func bunnyKind() *Kind {
	return &Kind{
		Name: "bunny", Title: "bunny.net", LeastTTL: 60, CDN: true,
		Fields: []Field{
			{Name: "api_key", Form: formSecret, Required: true, Help: "API key of the account"},
			apiRoot("https://api.bunny.net"),
		},
		open: func(p *Providers, values Values) (driver, error) {
			headers := map[string]string{"AccessKey": values["api_key"]}
			return &bunny{rest: p.rest("bunny.net", values["api_root"], outbound.Private, headers, explainBunny)}, nil
		},
	}
}

// bunny keeps one pull zone for each host name. It issues and renews the certificate of the name by itself, once the
// name leads to the zone.
type bunny struct {
	zoneless
	rest *rest
}

type bunnyZone struct {
	ID        int64       `json:"Id"`
	Name      string      `json:"Name"`
	OriginURL string      `json:"OriginUrl"`
	Enabled   bool        `json:"Enabled"`
	Hostnames []bunnyHost `json:"Hostnames"`
}

type bunnyHost struct {
	Value          string `json:"Value"`
	System         bool   `json:"IsSystemHostname"`
	HasCertificate bool   `json:"HasCertificate"`
}

func explainBunny(body []byte, refusal *Refusal) {
	said := read[struct {
		ErrorKey string `json:"ErrorKey"`
		Message  string `json:"Message"`
	}](body)
	refusal.Code, refusal.Words = said.ErrorKey, said.Message
	words := strings.ToLower(said.Message)
	refusal.Exists = strings.Contains(words, "already registered") || strings.Contains(words, "already taken")
}

func (b *bunny) rights(ctx context.Context) (Rights, error) {
	return Rights{}, b.rest.call(ctx, http.MethodGet, "/pullzone?page=1&perPage=5", nil, nil)
}

func zonePath(id string) string { return "/pullzone/" + url.PathEscape(id) }

// find gives the pull zone of a front by what it is called, else by the name that it was begun under; nil for none.
func (b *bunny) find(ctx context.Context, f Front) (*bunnyZone, error) {
	if f.Marks.Resource != "" {
		var zone bunnyZone
		err := b.rest.call(ctx, http.MethodGet, zonePath(f.Marks.Resource), nil, &zone)
		if err == nil || status(err) != http.StatusNotFound {
			return &zone, err
		}
	}
	const per = 1000
	for number := 1; ; number++ {
		var page struct {
			Items []bunnyZone `json:"Items"`
			More  bool        `json:"HasMoreItems"`
		}
		query := url.Values{"search": {f.Name}, "page": {strconv.Itoa(number)}, "perPage": {strconv.Itoa(per)}}
		if err := b.rest.call(ctx, http.MethodGet, "/pullzone?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(page.Items, func(z bunnyZone) bool { return z.Name == f.Name }); i >= 0 {
			return &page.Items[i], nil
		}
		if !page.More {
			return nil, nil
		}
	}
}

func originURL(o Origin) string {
	host := o.Address.String()
	if o.Address.Is6() {
		host = "[" + host + "]"
	}
	return o.scheme() + "://" + host
}

// create makes the pull zone. It caches nothing, and hands the name that clients asked for on to the node.
func (b *bunny) create(ctx context.Context, f Front) (*bunnyZone, error) {
	var zone bunnyZone
	err := b.rest.call(ctx, http.MethodPost, "/pullzone", map[string]any{
		"Name": f.Name, "OriginUrl": originURL(f.Origin), "OriginHostHeader": f.Host, "AddHostHeader": true,
		"VerifyOriginSSL": false, "EnableWebSockets": true, "CacheControlMaxAgeOverride": 0,
		"CacheControlPublicMaxAgeOverride": 0, "IgnoreQueryStrings": false, "DisableCookies": false,
	}, &zone)
	return &zone, err
}

// Advance makes the pull zone, gives it the host name and, once that leads there, its certificate.
func (b *bunny) Advance(ctx context.Context, f Front) (Progress, error) {
	zone, err := b.find(ctx, f)
	if err == nil && zone == nil {
		zone, err = b.create(ctx, f)
	}
	if err != nil {
		return Progress{Step: StepCreate}, err
	}
	s := Progress{Marks: Marks{Resource: strconv.FormatInt(zone.ID, 10)}, Step: StepCreate}
	at := slices.IndexFunc(zone.Hostnames, func(h bunnyHost) bool { return Canonical(h.Value) == Canonical(f.Host) })
	if at < 0 {
		body := map[string]string{"Hostname": f.Host}
		if err := b.rest.call(ctx, http.MethodPost, zonePath(s.Marks.Resource)+"/addHostname", body, nil); err != nil {
			return s, err
		}
	}
	s.Target = zone.system()
	s.Records = []Record{alias(f.Host, s.Target)}
	switch {
	case !f.Named:
		s.Step = StepName
	case !f.Origin.TLS || at >= 0 && zone.Hostnames[at].HasCertificate:
		s.Step, s.Ready = StepReady, at >= 0 && zone.Enabled
	default:
		s.Step, err = StepCertificate, b.secure(ctx, f)
	}
	return s, err
}

func (z *bunnyZone) system() string {
	for _, h := range z.Hostnames {
		if h.System {
			return h.Value
		}
	}
	return z.Name + ".b-cdn.net"
}

// secure asks for the certificate. That the name does not lead there yet, in the eyes of the service, is waited for.
func (b *bunny) secure(ctx context.Context, f Front) error {
	path := "/pullzone/loadFreeCertificate?" + url.Values{"hostname": {f.Host}}.Encode()
	err := b.rest.call(ctx, http.MethodGet, path, nil, nil)
	if status(err) == http.StatusBadRequest {
		return nil
	}
	return err
}

// Point changes the address that the pull zone fetches from.
func (b *bunny) Point(ctx context.Context, f Front) error {
	zone, err := b.find(ctx, f)
	if err != nil || zone == nil || zone.OriginURL == originURL(f.Origin) {
		return err
	}
	body := map[string]string{"OriginUrl": originURL(f.Origin)}
	return b.rest.call(ctx, http.MethodPost, zonePath(strconv.FormatInt(zone.ID, 10)), body, nil)
}

// Remove deletes the pull zone, with its host name and certificate.
func (b *bunny) Remove(ctx context.Context, f Front, _ func(Marks) error) error {
	zone, err := b.find(ctx, f)
	if err != nil || zone == nil {
		return err
	}
	err = b.rest.call(ctx, http.MethodDelete, zonePath(strconv.FormatInt(zone.ID, 10)), nil, nil)
	if status(err) == http.StatusNotFound {
		return nil
	}
	return err
}
