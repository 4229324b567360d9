// Package remnawave asks a Remnawave over its API: how it is reached, what it is, what its token may do.
//
// Every call has a deadline, takes its turn (Pace), and ends in an answer or a Problem that names the cause. What
// differs between major versions is a dialect.
package remnawave

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/textproto"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Access is how a panel is reached. All but the address and Direct is secret.
type Access struct {
	BaseURL string `json:"-"`
	Direct  bool   `json:"-"`

	Token string `json:"token,omitempty"`
	// Headers and Cookie open a gate in front of the panel.
	Headers map[string]string `json:"headers,omitempty"`
	Cookie  string            `json:"cookie,omitempty"`
	// CA replaces the system's authorities, Certificate proves us: a certificate and its key. Both are PEM.
	CA          string `json:"ca,omitempty"`
	Certificate string `json:"certificate,omitempty"`
}

// Bounds of one call: its time, and what its answer may weigh.
const (
	callWithin = 10 * time.Second
	mostAnswer = 32 << 20
)

// Most of what an access may carry.
const (
	mostHeaders = 16
	mostValue   = 8 << 10
)

// own are the headers that the client sets by itself.
var own = []string{"Authorization", "Cookie", "Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Accept"}

// Check refuses what can never work, before anybody is asked. Fault: invalid_value (422).
func (a *Access) Check(network *outbound.Network) error {
	if err := a.address(network); err != nil {
		return err
	}
	if strings.ContainsFunc(a.Cookie, unicode.IsControl) || len(a.Cookie) > mostValue {
		return fault.InvalidValue("cookie", "must be one line, as the header Cookie carries it")
	}
	if len(a.Headers) > mostHeaders {
		return fault.InvalidValue("extra_headers", "there may be at most 16")
	}
	for name, value := range a.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) || len(value) > mostValue {
			return fault.InvalidValue("extra_headers", "must be names and values of HTTP headers")
		}
		for _, taken := range own {
			if textproto.CanonicalMIMEHeaderKey(name) == taken {
				return fault.InvalidValue("extra_headers", "must not hold "+taken+", which the panel sets itself")
			}
		}
	}
	if _, err := a.roots(); err != nil {
		return err
	}
	_, err := a.certificate()
	return err
}

// address brings the base address into its one form: without /api and without a slash at its end.
func (a *Access) address(network *outbound.Network) error {
	target, err := network.Address(strings.TrimSpace(a.BaseURL), outbound.Private)
	if err != nil || target.RawQuery != "" || target.ForceQuery || target.Fragment != "" {
		return fault.InvalidValue("base_url", "must be the address of the panel as http:// or https://, and one that may be called")
	}
	target.Path = strings.TrimSuffix(strings.TrimRight(target.Path, "/"), "/api")
	target.Host = strings.ToLower(target.Host)
	a.BaseURL = strings.TrimRight(target.String(), "/")
	return nil
}

func (a *Access) roots() (*x509.CertPool, error) {
	if a.CA == "" {
		return nil, nil //nolint:nilnil // the system's own
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(a.CA)) {
		return nil, fault.InvalidValue("ca", "must be certificates in PEM")
	}
	return pool, nil
}

func (a *Access) certificate() (*tls.Certificate, error) {
	if a.Certificate == "" {
		return nil, nil //nolint:nilnil // none
	}
	pair, err := tls.X509KeyPair([]byte(a.Certificate), []byte(keyOf(a.Certificate)))
	if err != nil {
		return nil, fault.InvalidValue("client_certificate", "must be a certificate and its key in PEM, without a password")
	}
	return &pair, nil
}

// keyOf is the private key among the blocks of a text.
func keyOf(text string) string {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return ""
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return string(pem.EncodeToMemory(block))
		}
	}
}

// options are those of the one client for outgoing calls.
func (a *Access) options() (outbound.Options, error) {
	roots, err := a.roots()
	if err != nil {
		return outbound.Options{}, err
	}
	certificate, err := a.certificate()
	if err != nil {
		return outbound.Options{}, err
	}
	headers := map[string]config.Secret{}
	for name, value := range a.Headers {
		headers[name] = config.NewSecret(value)
	}
	if a.Cookie != "" {
		headers["Cookie"] = config.NewSecret(a.Cookie)
	}
	if a.Token != "" {
		headers["Authorization"] = config.NewSecret("Bearer " + a.Token)
	}
	return outbound.Options{
		Name: "proxypanel", Service: "the proxy panel", Reach: outbound.Private, Timeout: callWithin,
		MaxAnswer: mostAnswer, Headers: headers, Roots: roots, Certificate: certificate,
	}, nil
}

// forward sets what the panel wants from a reverse proxy, where there is none.
func (a *Access) forward(request *http.Request) {
	if a.Direct {
		request.Header.Set("X-Forwarded-For", "127.0.0.1")
		request.Header.Set("X-Forwarded-Proto", "https")
	}
}

// Secrets are the secret parts as one text, to be sealed; ReadSecrets is the way back.
func (a *Access) Secrets() ([]byte, error) { return json.Marshal(a) }

// ReadSecrets fills the secret parts from what Secrets gave.
func (a *Access) ReadSecrets(text []byte) error { return json.Unmarshal(text, a) }
