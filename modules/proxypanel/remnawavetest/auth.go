package remnawavetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

type credentials struct{ username, password string }

// issued is an API token that exists.
type issued struct {
	name   string
	scopes []string
}

// claims are the payload of both kinds of tokens.
type claims struct {
	UUID     string  `json:"uuid"`
	Username *string `json:"username"`
	Role     string  `json:"role"`
	Issued   int64   `json:"iat"`
	Expires  int64   `json:"exp"`
}

const (
	roleAPI   = "API"
	roleAdmin = "ADMIN"
)

// Token makes an API token with these scopes that is good for so long.
func (p *Panel) Token(good time.Duration, scopes ...string) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	id := uuid.NewString()
	p.tokens[id] = &issued{"test", scopes}
	now := p.clock.Now()
	return p.sign(claims{UUID: id, Role: roleAPI, Issued: now.Unix(), Expires: now.Add(good).Unix()})
}

// Revoke deletes every API token.
func (p *Panel) Revoke() { p.change(func() { clear(p.tokens) }) }

// Tokens are the scopes of the API tokens that exist, by their names.
func (p *Panel) Tokens() map[string][]string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	all := map[string][]string{}
	for _, t := range p.tokens {
		all[t.name] = t.scopes
	}
	return all
}

// Administer makes the first administrator.
func (p *Panel) Administer(username, password string) {
	p.change(func() { p.admin = &credentials{username, password} })
}

// Signs says whether these credentials open the panel.
func (p *Panel) Signs(username, password string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.admin != nil && *p.admin == credentials{username, password}
}

func (p *Panel) sign(c claims) string {
	payload, err := json.Marshal(c)
	p.must(err)
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
	text := head + "." + base64.RawURLEncoding.EncodeToString(payload)
	return text + "." + p.seal(text)
}

func (p *Panel) seal(text string) string {
	mac := hmac.New(sha256.New, p.secret)
	_, _ = mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// read gives the claims of a token that is genuine and has not expired.
func (p *Panel) read(token string) (c claims, good bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !hmac.Equal([]byte(parts[2]), []byte(p.seal(parts[0]+"."+parts[1]))) {
		return c, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &c) != nil {
		return c, false
	}
	return c, p.now().Unix() < c.Expires
}

// open are the scopes of operations that need no token, adminOnly those that no API token opens.
const (
	open      = ""
	adminOnly = "tokens:"
)

// admit refuses who may not: 401 for a token that cannot be read, and one and the same 403 for a deleted token, for a
// missing scope and for an administrator who does not come with a browser's header.
func (p *Panel) admit(to *route, r *http.Request) answer {
	if to.scope == open {
		return answer{}
	}
	token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	who, good := p.read(token)
	if !is || !good {
		return unauthorized()
	}
	if who.Role == roleAdmin {
		if r.Header.Get("X-Remnawave-Client-Type") != "browser" {
			return forbidden()
		}
		return answer{}
	}
	known := p.tokens[who.UUID]
	if known == nil || strings.HasPrefix(to.scope, adminOnly) || !known.opens(to) {
		return forbidden()
	}
	return answer{}
}

func (t *issued) opens(to *route) bool {
	resource, _, _ := strings.Cut(to.scope, ":")
	kind := resource + ":write"
	if to.read {
		kind = resource + ":read"
	}
	return slices.ContainsFunc([]string{"*", resource + ":*", kind, to.scope}, func(scope string) bool {
		return slices.Contains(t.scopes, scope)
	})
}

func authRoutes() []route {
	return []route{
		{http.MethodGet, "auth/status", open, true, (*Panel).authStatus},
		{http.MethodPost, "auth/register", open, false, (*Panel).register},
		{http.MethodPost, "auth/login", open, false, (*Panel).login},
		{http.MethodPost, "tokens", adminOnly + "create", false, (*Panel).createToken},
		{http.MethodDelete, "tokens/{uuid}", adminOnly + "delete", false, (*Panel).deleteToken},
	}
}

func (p *Panel) authStatus(*request) answer {
	status := object{
		"isLoginAllowed": p.admin != nil, "isRegisterAllowed": p.admin == nil, "authentication": nil,
		"branding": object{"title": nil, "logoUrl": nil},
	}
	if p.admin != nil {
		status["authentication"] = object{"password": object{"enabled": true}}
	}
	return ok(status)
}

func (p *Panel) register(r *request) answer {
	username, password := r.text("username"), r.text("password")
	switch {
	case username == "":
		return invalid("username")
	case !strong(password):
		return invalid("password")
	case p.admin != nil:
		return framework(http.StatusForbidden, "Forbidden")
	}
	p.admin = &credentials{username, password}
	return made(object{"accessToken": p.adminToken()})
}

// strong is the rule for passwords of administrators.
func strong(password string) bool {
	return len(password) >= 24 && strings.ContainsFunc(password, unicode.IsUpper) &&
		strings.ContainsFunc(password, unicode.IsLower) && strings.ContainsFunc(password, unicode.IsDigit)
}

func (p *Panel) login(r *request) answer {
	if p.admin == nil || *p.admin != (credentials{r.text("username"), r.text("password")}) {
		return framework(http.StatusForbidden, "Forbidden")
	}
	return ok(object{"accessToken": p.adminToken()})
}

func (p *Panel) adminToken() string {
	now := p.now()
	return p.sign(claims{
		UUID: uuid.NewString(), Username: &p.admin.username, Role: roleAdmin, Issued: now.Unix(),
		Expires: now.Add(12 * time.Hour).Unix(),
	})
}

func (p *Panel) createToken(r *request) answer {
	name, days := r.text("name"), r.number("expiresInDays")
	if len(name) < 2 || len(name) > 30 {
		return invalid("name")
	}
	if days < 1 {
		return invalid("expiresInDays")
	}
	scopes := []string{"*"}
	if given, is := r.body["scopes"].([]any); is {
		scopes = texts(given)
	}
	id, now := uuid.NewString(), p.now()
	expires := now.Add(time.Duration(days) * 24 * time.Hour)
	p.tokens[id] = &issued{name, scopes}
	return made(object{
		"uuid": id, "name": name, "scopes": scopes, "expireAt": stamp(expires), "createdAt": stamp(now),
		"updatedAt": stamp(now),
		"token":     p.sign(claims{UUID: id, Role: roleAPI, Issued: now.Unix(), Expires: expires.Unix()}),
	})
}

func (p *Panel) deleteToken(r *request) answer {
	if p.tokens[r.path["uuid"]] == nil {
		return domain(http.StatusNotFound, "A048", "API token not found")
	}
	delete(p.tokens, r.path["uuid"])
	return done()
}
