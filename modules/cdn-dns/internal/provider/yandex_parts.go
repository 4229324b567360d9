package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
)

type yandexResource struct {
	ID       string            `json:"id"`
	Host     string            `json:"cname"`
	Active   bool              `json:"active"`
	Group    string            `json:"originGroupId"`
	Protocol string            `json:"originProtocol"`
	Target   string            `json:"providerCname"`
	Labels   map[string]string `json:"labels"`
	SSL      struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	} `json:"sslCertificate"`
}

type yandexCertificate struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	Challenges []yandexChallenge `json:"challenges"`
}

type yandexChallenge struct {
	Error string `json:"error"`
	DNS   struct {
		Name  string `json:"name"`
		Type  string `json:"type"`
		Value string `json:"value"`
	} `json:"dnsChallenge"`
}

// label marks what the panel has made.
const yandexLabel = "panel"

// yandexPages looks through a list of the folder until one is found.
func yandexPages[T any](
	ctx context.Context, y *yandex, at *rest, path, member string, is func(T) bool,
) (*T, error) {
	query := url.Values{"folderId": {y.folder}, "pageSize": {"1000"}}
	for {
		var page map[string]json.RawMessage
		if err := y.call(ctx, at, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all := read[[]T](page[member])
		if i := slices.IndexFunc(all, is); i >= 0 {
			return &all[i], nil
		}
		next := read[string](page["nextPageToken"])
		if next == "" {
			return nil, nil
		}
		query.Set("pageToken", next)
	}
}

// resource gives the resource of a front; nil for none. One of this host name that is not the panel's is a conflict.
func (y *yandex) resource(ctx context.Context, f Front) (*yandexResource, error) {
	if f.Marks.Resource != "" {
		var one yandexResource
		err := y.call(ctx, y.cdn, http.MethodGet, "/cdn/v1/resources/"+url.PathEscape(f.Marks.Resource), nil, &one)
		if err == nil || status(err) != http.StatusNotFound {
			return &one, err
		}
	}
	one, err := yandexPages(ctx, y, y.cdn, "/cdn/v1/resources", "resources", func(r yandexResource) bool {
		return Canonical(r.Host) == Canonical(f.Host)
	})
	if one != nil && one.Labels[yandexLabel] != f.Name {
		return nil, &Refusal{Service: "Yandex Cloud", Words: "a resource has this host name already", Exists: true}
	}
	return one, err
}

// certificate gives the certificate of a front with what it is proved by; nil for none.
func (y *yandex) certificate(ctx context.Context, f Front) (*yandexCertificate, error) {
	const path = "/certificate-manager/v1/certificates"
	id := f.Marks.Certificate
	if id == "" {
		found, err := yandexPages(ctx, y, y.certificates, path, "certificates", func(c yandexCertificate) bool {
			return c.Name == f.Name
		})
		if err != nil || found == nil {
			return nil, err
		}
		id = found.ID
	}
	var one yandexCertificate
	err := y.call(ctx, y.certificates, http.MethodGet, path+"/"+url.PathEscape(id)+"?view=FULL", nil, &one)
	if status(err) == http.StatusNotFound {
		return nil, nil
	}
	return &one, err
}

// aliases are the records that prove the names of a certificate now, and at each renewal.
func (c *yandexCertificate) aliases() (all []Record) {
	for _, one := range c.Challenges {
		if one.DNS.Type == TypeCNAME {
			all = append(all, alias(one.DNS.Name, one.DNS.Value))
		}
	}
	return all
}

func (c *yandexCertificate) failed() error {
	if c.Status != "INVALID" && c.Status != "REVOKED" {
		return nil
	}
	words := "it does not issue the certificate"
	for _, one := range c.Challenges {
		if one.Error != "" {
			words += ": " + one.Error
		}
	}
	return &Refusal{Service: "Yandex Cloud", Final: true, Words: words}
}
