package imports

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/modules/imports/internal/xui"
	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// outsideWithin bounds all calls that reading another panel takes.
const outsideWithin = 25 * time.Second

// outside reads the inbounds of 3x-ui by its API.
type outside struct{ public, private *outbound.Client }

func newOutside(network *outbound.Network) *outside {
	options := outbound.Options{
		Name: "import", Service: "the other panel", Timeout: 10 * time.Second, MaxAnswer: reading.MostText,
	}
	o := &outside{public: network.New(options)}
	options.Reach = outbound.Private
	o.private = network.New(options)
	return o
}

// session is how one reading is let in.
type session struct {
	client  *outbound.Client
	base    string
	headers http.Header
}

// manage opens private networks: whoever sets up the panel's own infrastructure may name a panel there.
const manage access.Key = "settings.manage"

// read reads the inbounds. Faults: import_refused, import_unknown_format, invalid_value (422), import_error (502),
// import_timeout (504).
func (o *outside) read(ctx context.Context, at Outside) (*foreign.Config, error) {
	address, err := url.Parse(strings.TrimSpace(at.Address))
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" || address.User != nil ||
		address.RawQuery != "" || address.ForceQuery || address.Fragment != "" {
		return nil, fault.InvalidValue("address", "write http:// or https://, the host, and the base path if there is one")
	}
	at.Token, at.Code = strings.TrimSpace(at.Token), strings.TrimSpace(at.Code)
	if strings.ContainsFunc(at.Token, unicode.IsControl) {
		return nil, fault.InvalidValue("token", "an API token is one line")
	}
	if at.Token == "" && (at.Username == "" || at.Password == "") {
		return nil, fault.InvalidValue("token", "give an API token, or a username and a password")
	}
	s := &session{client: o.public, base: strings.TrimRight(address.String(), "/"), headers: http.Header{}}
	if access.From(ctx).Permissions.Has(manage) {
		s.client = o.private
	}
	ctx, stop := context.WithTimeout(ctx, outsideWithin-time.Second)
	defer stop()
	if at.Token != "" {
		s.headers.Set("Authorization", "Bearer "+at.Token)
	} else if err := s.login(ctx, at); err != nil {
		return nil, err
	}
	return s.inbounds(ctx)
}

// login signs in as the page of 3x-ui does: newer ones give a token first that the form must come with.
func (s *session) login(ctx context.Context, at Outside) error {
	answer, err := s.ask(ctx, http.MethodGet, "/csrf-token", "")
	if err != nil {
		return err
	}
	var given struct {
		Obj string `json:"obj"`
	}
	if answer.OK() && json.Unmarshal(answer.Body, &given) == nil && given.Obj != "" {
		s.headers.Set("X-Csrf-Token", given.Obj)
	}
	s.cookies(answer)
	form := url.Values{"username": {at.Username}, "password": {at.Password}}
	if at.Code != "" {
		form.Set("twoFactorCode", at.Code)
	}
	if answer, err = s.ask(ctx, http.MethodPost, "/login", form.Encode()); err != nil {
		return err
	}
	var outcome struct {
		Success bool `json:"success"`
	}
	if !answer.OK() || json.Unmarshal(answer.Body, &outcome) != nil || !outcome.Success {
		return errRefused
	}
	s.cookies(answer)
	return nil
}

var errRefused = fault.Invalid("import_refused", "the other panel does not let you in: look at the address with its base path, "+
	"the token or the password, and the second factor")

// cookies keeps what names the session.
func (s *session) cookies(answer outbound.Answer) {
	kept := map[string]string{}
	for _, c := range (&http.Request{Header: s.headers}).Cookies() {
		kept[c.Name] = c.Value
	}
	for _, c := range (&http.Response{Header: answer.Header}).Cookies() {
		kept[c.Name] = c.Value
	}
	s.headers.Del("Cookie")
	request := &http.Request{Header: s.headers}
	for name, value := range kept {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}

func (s *session) inbounds(ctx context.Context) (*foreign.Config, error) {
	answer, err := s.ask(ctx, http.MethodGet, "/panel/api/inbounds/list", "")
	if err != nil {
		return nil, err
	}
	if answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden ||
		answer.Status == http.StatusNotFound || answer.Status >= 300 && answer.Status < 400 {
		return nil, errRefused
	}
	var listed struct {
		Success bool            `json:"success"`
		Obj     json.RawMessage `json:"obj"`
	}
	if !answer.OK() || json.Unmarshal(answer.Body, &listed) != nil || !listed.Success {
		return nil, errOtherAnswer
	}
	c, err := xui.Inbounds(listed.Obj)
	if err != nil {
		return nil, errOtherAnswer
	}
	return c, nil
}

var errOtherAnswer = fault.Upstream("import_error", "the answer of the other panel is not that of 3x-ui")

func (s *session) ask(ctx context.Context, method, path, form string) (outbound.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(form))
	if err != nil {
		return outbound.Answer{}, fault.InvalidValue("address", "this is no address of a panel")
	}
	request.Header = s.headers.Clone()
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Requested-With", "XMLHttpRequest")
	if form != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := s.client.Do(ctx, request)
	if err != nil && ctx.Err() != nil {
		return answer, fault.UpstreamTimeout("import_timeout", "the other panel did not answer in time").Wrap(err)
	}
	return answer, err
}
