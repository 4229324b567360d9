package provider

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"panel/platform/fault"
	"panel/platform/outbound"
)

const yandexRoot = "https://api.cloud.yandex.net"

func yandexKind() *Kind {
	return &Kind{
		Name: "yandex", Title: "Yandex Cloud CDN", LeastTTL: 60, CDN: true,
		Fields: []Field{
			{Name: "folder_id", Form: formText, Required: true, Help: "Id of the folder that resources are made in"},
			{
				Name: "service_account_key", Form: formKey, Required: true,
				Help: "JSON of the authorized key of a service account with cdn.editor and certificate-manager.editor",
			},
			{
				Name: "api_root", Form: formAddress, Default: yandexRoot,
				Help: "Address that takes the calls of all services, if it is not the usual ones",
			},
		},
		open: func(p *Providers, values Values) (driver, error) {
			key, err := readYandexKey(values["service_account_key"])
			if err != nil {
				return nil, fault.InvalidValue("fields.service_account_key", err.Error())
			}
			at := func(service string) *rest {
				return p.rest("Yandex Cloud", yandexAt(values["api_root"], service), outbound.Private, nil, explainYandex)
			}
			return &yandex{
				folder: values["folder_id"], cdn: at("cdn"), certificates: at("certificate-manager"),
				operations: at("operation"), tokens: &yandexTokens{rest: at("iam"), key: key, now: p.now},
			}, nil
		},
	}
}

// yandexAt is the address of one of the services: each has a host of its own, another root takes all of them.
func yandexAt(root, service string) string {
	if root == yandexRoot {
		return strings.Replace(root, "://", "://"+service+".", 1)
	}
	return root
}

// yandex keeps a resource with its origin group for each host name, and a certificate that its Certificate Manager
// issues and renews as long as the name of the challenge leads there.
type yandex struct {
	zoneless
	folder                        string
	cdn, certificates, operations *rest
	tokens                        *yandexTokens
}

// Codes of gRPC, which the service answers with beside HTTP's status.
const (
	grpcExists      = 6
	grpcForbidden   = 7
	grpcUnavailable = 14
)

func explainYandex(body []byte, refusal *Refusal) {
	said := read[yandexError](body)
	refusal.Words = said.Message
	refusal.Exists = said.Code == grpcExists
	refusal.Forbidden = refusal.Forbidden || said.Code == grpcForbidden
}

type yandexError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// operation is how the service answers writes.
type operation struct {
	ID    string       `json:"id"`
	Done  bool         `json:"done"`
	Error *yandexError `json:"error"`
	Meta  struct {
		Resource    string `json:"resourceId"`
		Certificate string `json:"certificateId"`
	} `json:"metadata"`
}

func (o operation) failed() error {
	if o.Error == nil {
		return nil
	}
	return &Refusal{
		Service: "Yandex Cloud", Words: o.Error.Message, Final: o.Error.Code != grpcUnavailable,
		Exists: o.Error.Code == grpcExists, Forbidden: o.Error.Code == grpcForbidden,
	}
}

func (y *yandex) call(ctx context.Context, at *rest, method, path string, in, out any) error {
	for again := true; ; again = false {
		token, err := y.tokens.get(ctx)
		if err != nil {
			return err
		}
		err = at.call(ctx, method, path, in, out, "Authorization", "Bearer "+token)
		if status(err) != http.StatusUnauthorized || !again {
			return err
		}
		y.tokens.drop(token) // it was revoked before its time
	}
}

func (y *yandex) rights(ctx context.Context) (Rights, error) {
	for _, probe := range []struct {
		at          *rest
		path, right string
	}{
		{y.cdn, "/cdn/v1/resources", "cdn.editor"},
		{y.certificates, "/certificate-manager/v1/certificates", "certificate-manager.editor"},
	} {
		query := url.Values{"folderId": {y.folder}, "pageSize": {"1"}}
		err := y.call(ctx, probe.at, http.MethodGet, probe.path+"?"+query.Encode(), nil, nil)
		if err != nil {
			return Rights{}, needs(probe.right, err)
		}
	}
	return Rights{}, nil
}

// Advance requests the certificate, and makes the resource when it is issued.
func (y *yandex) Advance(ctx context.Context, f Front) (Progress, error) {
	s := Progress{Marks: f.Marks, Step: StepCertificate}
	if f.Origin.TLS {
		issued, err := y.secure(ctx, f, &s)
		if err != nil || !issued {
			return s, err
		}
	}
	s.Step = StepCreate
	f.Marks = s.Marks
	at, err := y.resource(ctx, f)
	if err != nil {
		return s, err
	}
	if at == nil {
		s.Marks.Resource, err = y.create(ctx, f)
		return s, err
	}
	s.Marks.Resource, s.Marks.Group = at.ID, at.Group
	if s.Target = at.Target; s.Target == "" {
		if s.Target, err = y.target(ctx); err != nil {
			return s, err
		}
	}
	s.Records = append(s.Records, alias(f.Host, s.Target))
	secured := !f.Origin.TLS || at.SSL.Status == "READY"
	if s.Step = StepName; f.Named {
		s.Step, s.Ready = StepReady, at.Active && secured
	}
	return s, nil
}

// secure requests the certificate, and tells whether it is issued.
func (y *yandex) secure(ctx context.Context, f Front, s *Progress) (issued bool, err error) {
	have, err := y.certificate(ctx, f)
	if err != nil {
		return false, err
	}
	if have == nil {
		var made operation
		err = y.call(ctx, y.certificates, http.MethodPost, "/certificate-manager/v1/certificates/requestNew", map[string]any{
			"folderId": y.folder, "name": f.Name, "domains": []string{f.Host}, "challengeType": "DNS",
			"description": "made by the panel",
		}, &made)
		s.Marks.Certificate = made.Meta.Certificate
		return false, orElse(err, made.failed())
	}
	s.Marks.Certificate, s.Records = have.ID, have.aliases()
	if err := have.failed(); err != nil {
		return false, err
	}
	return have.Status != "VALIDATING", nil
}

func orElse(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func (y *yandex) target(ctx context.Context) (string, error) {
	var answer struct {
		Name string `json:"cname"`
	}
	err := y.call(ctx, y.cdn, http.MethodGet, "/cdn/v1/cname/"+url.PathEscape(y.folder), nil, &answer)
	return answer.Name, err
}

// create makes the resource and its origin group. It caches nothing, and hands the name that clients asked for on to
// the node.
func (y *yandex) create(ctx context.Context, f Front) (id string, err error) {
	on := func(value any) map[string]any { return map[string]any{"enabled": true, "value": value} }
	certificate := map[string]any{"type": "DONT_USE"}
	if f.Origin.TLS {
		certificate = map[string]any{"type": "CM", "data": map[string]any{"cm": map[string]any{"id": f.Marks.Certificate}}}
	}
	var made operation
	err = y.call(ctx, y.cdn, http.MethodPost, "/cdn/v1/resources", map[string]any{
		"folderId": y.folder, "cname": f.Host, "active": true, "labels": map[string]string{yandexLabel: f.Name},
		"origin":         map[string]any{"originSource": f.Origin.Address.String()},
		"originProtocol": strings.ToUpper(f.Origin.scheme()), "sslCertificate": certificate,
		"options": map[string]any{
			"disableCache": on(true), "customServerName": on(f.Host), "hostOptions": map[string]any{"host": on(f.Host)},
			"queryParamsOptions": map[string]any{"ignoreQueryString": on(false)},
		},
	}, &made)
	return made.Meta.Resource, orElse(err, made.failed())
}

// Point changes the origin that the resource fetches from.
func (y *yandex) Point(ctx context.Context, f Front) error {
	at, err := y.resource(ctx, f)
	if err != nil || at == nil {
		return err
	}
	var made operation
	err = y.call(ctx, y.cdn, http.MethodPatch, "/cdn/v1/originGroups/"+url.PathEscape(at.Group), map[string]any{
		"folderId": y.folder, "useNext": true,
		"origins": []any{map[string]any{"source": f.Origin.Address.String(), "enabled": true}},
	}, &made)
	if err = orElse(err, made.failed()); err != nil || at.Protocol == strings.ToUpper(f.Origin.scheme()) {
		return err
	}
	err = y.call(ctx, y.cdn, http.MethodPatch, "/cdn/v1/resources/"+url.PathEscape(at.ID), map[string]any{
		"originProtocol": strings.ToUpper(f.Origin.scheme()),
	}, &made)
	return orElse(err, made.failed())
}

// Remove deletes the resource, then its origin group, then the certificate, each when the one before is gone.
func (y *yandex) Remove(ctx context.Context, f Front, keep func(Marks) error) error {
	at, err := y.resource(ctx, f)
	if refusal := refusalOf(err); refusal != nil && refusal.Exists {
		at, err = nil, nil // somebody else has the host name
	}
	if err != nil {
		return err
	}
	if at != nil {
		f.Marks.Resource, f.Marks.Group = at.ID, at.Group
		if err := keep(f.Marks); err != nil {
			return err
		}
		if err := y.gone(ctx, y.cdn, "/cdn/v1/resources/"+url.PathEscape(at.ID)); err != nil {
			return err
		}
	}
	if f.Marks.Group != "" {
		path := "/cdn/v1/originGroups/" + url.PathEscape(f.Marks.Group) + "?folderId=" + url.QueryEscape(y.folder)
		if err := y.gone(ctx, y.cdn, path); err != nil {
			return err
		}
	}
	have, err := y.certificate(ctx, f)
	if err != nil || have == nil {
		return err
	}
	return y.gone(ctx, y.certificates, "/certificate-manager/v1/certificates/"+url.PathEscape(have.ID))
}

const (
	goneWithin = 20 * time.Second
	lookEvery  = 500 * time.Millisecond
)

// gone deletes one thing and waits until it is.
func (y *yandex) gone(ctx context.Context, at *rest, path string) error {
	var made operation
	err := y.call(ctx, at, http.MethodDelete, path, nil, &made)
	if status(err) == http.StatusNotFound {
		return nil
	}
	for waited := time.Duration(0); err == nil && !made.Done; waited += lookEvery {
		if waited > goneWithin {
			return fault.UpstreamTimeout(CodeTimeout, "Yandex Cloud has not deleted it in time")
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookEvery):
		}
		err = y.call(ctx, y.operations, http.MethodGet, "/operations/"+url.PathEscape(made.ID), nil, &made)
	}
	return orElse(err, made.failed())
}
