package cloud

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Custom is the kind whose servers are entered by hand; nobody is called.
const Custom = "custom"

// Abilities of kinds.
const (
	CanServers = "servers" // its servers are read
	CanPlans   = "plans"   // regions and plans with prices are read
	CanBalance = "balance" // it says what is left to spend
	CanEntries = "entries" // servers are entered by hand
	CanCreate  = "create"  // servers are made
	CanPower   = "power"   // servers are switched on and off and started anew
	CanDelete  = "delete"  // servers are deleted
)

// Field is one credential of an account.
type Field struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Help     string `json:"help" doc:"What to enter, in English"`
}

// Credentials are what was entered, by the names of the fields.
type Credentials map[string]string

// Kind is one provider.
type Kind struct {
	Name      string
	Title     string // as the provider writes itself
	BaseURL   string // of its API; empty: nobody is called
	Fields    []Field
	Abilities []string
	// Rights are what the credentials need, in the provider's words.
	Rights []string
	// perSecond is how often the provider may be asked with one account.
	perSecond int
	// proof is what calls prove themselves with; nil: the API token as a bearer's.
	proof func(given Credentials) map[string]config.Secret
	open  func(r *rest) driver
}

// Can tells whether the kind has an ability.
func (k *Kind) Can(ability string) bool { return slices.Contains(k.Abilities, ability) }

// Kinds lists the providers by their names.
func Kinds() []*Kind {
	return []*Kind{
		aezaKind(), customKind(), digitalOceanKind(), hetznerKind(), linodeKind(), selectelKind(), timewebKind(),
		vultrKind(),
	}
}

func customKind() *Kind {
	return &Kind{Name: Custom, Title: "Other", Fields: []Field{}, Abilities: []string{CanEntries}, Rights: []string{}}
}

const tokenField = "api_token"

func apiToken(help string) []Field { return []Field{{Name: tokenField, Required: true, Help: help}} }

// bearer is how most providers want their token.
func bearer(given Credentials) map[string]config.Secret {
	return map[string]config.Secret{"Authorization": config.NewSecret("Bearer " + given[tokenField])}
}

// Providers opens accounts. It is safe for concurrent use.
type Providers struct {
	network  *outbound.Network
	pace     Pace
	kinds    []*Kind
	patience time.Duration // with one call
	now      func() time.Time
	tokens   *tokens
}

// New makes providers.
func New(network *outbound.Network, pace Pace, now func() time.Time) *Providers {
	const patience = 20 * time.Second
	return &Providers{
		network: network, pace: pace, kinds: Kinds(), patience: patience, now: now, tokens: newTokens(now),
	}
}

// Kind gives a provider; nil for an unknown one.
func (p *Providers) Kind(name string) *Kind {
	i := slices.IndexFunc(p.kinds, func(k *Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return p.kinds[i]
}

// Check refuses an account that cannot be meant. Fault: invalid_value (422).
func (p *Providers) Check(kindName, baseURL string, given Credentials) error {
	kind := p.Kind(kindName)
	switch {
	case kind == nil:
		return fault.InvalidValue("kind", "must be one of the kinds of GET /api/v1/cloud-providers/kinds")
	case kind.BaseURL == "" && baseURL != "":
		return fault.InvalidValue("base_url", "must be empty: nobody is called")
	}
	if baseURL != "" {
		at, err := p.network.Address(baseURL, outbound.Private)
		if err != nil || at.RawQuery != "" || at.Fragment != "" || at.User != nil {
			return fault.InvalidValue("base_url",
				"must be an http or https address that the panel may call, without a query")
		}
	}
	for name := range given {
		if !slices.ContainsFunc(kind.Fields, func(f Field) bool { return f.Name == name }) {
			return fault.InvalidValue("credentials", "has a field that this kind does not have")
		}
	}
	for _, field := range kind.Fields {
		if wrong := field.wrong(given[field.Name]); wrong != "" {
			return fault.InvalidValue("credentials."+field.Name, wrong)
		}
	}
	return nil
}

func (f Field) wrong(value string) string {
	const longest = 4096
	switch {
	case value == "" && f.Required:
		return "is required"
	case len(value) > longest:
		return fmt.Sprintf("must have at most %d characters", longest)
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "must not contain spaces or control characters"
	}
	return ""
}

// Open makes a client for an account. Nothing is called yet. Fault: invalid_value (422); not_able (409) of a kind that
// is not called.
func (p *Providers) Open(accountID, kindName, baseURL string, given Credentials) (*Client, error) {
	if err := p.Check(kindName, baseURL, given); err != nil {
		return nil, err
	}
	kind := p.Kind(kindName)
	if kind.open == nil {
		return nil, NotAble(kind)
	}
	if baseURL == "" {
		baseURL = kind.BaseURL
	}
	return &Client{Kind: kind, driver: kind.open(p.rest(accountID, kind, baseURL, given))}, nil
}

// NotAble refuses an act that a kind has no way for.
func NotAble(kind *Kind) *fault.Fault {
	return fault.Conflict("not_able", "an account of this kind cannot do this").With("kind", kind.Name).
		With("abilities", kind.Abilities)
}
