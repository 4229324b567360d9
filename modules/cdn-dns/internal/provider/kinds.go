package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/cdn-dns/internal/lookup"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Field is one input of an integration, declared so that screen, command line and documentation follow.
type Field struct {
	Name     string   `json:"name"`
	Form     string   `json:"form" enum:"text,secret,address,list,choice,key"`
	Required bool     `json:"required"`
	Default  string   `json:"default"`
	Choices  []string `json:"choices"`
	Help     string   `json:"help" doc:"What to enter, in English; the screen has its own words by the field's name"`
}

// Forms of fields.
const (
	formText    = "text"
	formSecret  = "secret"
	formAddress = "address" // http or https
	formList    = "list"    // names separated by commas
	formChoice  = "choice"
	formKey     = "key" // secret as well, in several lines
)

const (
	longestValue = 2000
	longestKey   = 16000
)

// Secret tells whether a field is write-only.
func (f Field) Secret() bool { return f.Form == formSecret || f.Form == formKey }

// Values are what was entered, by the names of the fields.
type Values map[string]string

// Kind is one service.
type Kind struct {
	Name     string // of an integration's provider
	Title    string // as the service writes itself
	Fields   []Field
	LeastTTL int
	// Proxies says that records can be answered by the service's own network.
	Proxies bool
	// CDN says that the service is one: it holds no zones and stands in front of host names whose zones others hold.
	CDN  bool
	open func(p *Providers, values Values) (driver, error)
}

// Field gives a field by its name.
func (k *Kind) Field(name string) (Field, bool) {
	i := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return k.Fields[i], true
}

// Split parts what may be shown from what is sealed.
func (k *Kind) Split(values Values) (shown, secret Values) {
	shown, secret = Values{}, Values{}
	for name, value := range values {
		if field, _ := k.Field(name); field.Secret() {
			secret[name] = value
		} else {
			shown[name] = value
		}
	}
	return shown, secret
}

// Providers opens integrations. It is safe for concurrent use.
type Providers struct {
	network  *outbound.Network
	resolver *lookup.Resolver
	root     string // of Cloudflare's API
	kinds    []*Kind
	patience time.Duration // with one call
	confirm  time.Duration // with name servers that take over a write
	now      func() time.Time
	turns    Turns
}

// Turns makes writes to one name follow each other, whichever panel makes them: services that know sets of records
// alone are read, changed and written back. What it gives ends before another write may begin.
type Turns interface {
	Take(ctx context.Context, name string) (held context.Context, release func(), err error)
}

// New makes providers. The root is the address of Cloudflare's API.
func New(
	network *outbound.Network, resolver *lookup.Resolver, turns Turns, cloudflareRoot string, clock clockwork.Clock,
) *Providers {
	return &Providers{
		network: network, resolver: resolver, turns: turns, root: cloudflareRoot, kinds: Kinds(),
		patience: 15 * time.Second, confirm: 4 * time.Second, now: clock.Now,
	}
}

// Kinds lists the services by their names.
func Kinds() []*Kind {
	all := []*Kind{
		bunnyKind(), cloudflareKind(), digitalOceanKind(), hetznerKind(), linodeKind(), powerDNSKind(), rfc2136Kind(),
		selectelKind(), timewebKind(), vultrKind(), yandexKind(),
	}
	for _, kind := range all {
		for i := range kind.Fields {
			kind.Fields[i].Choices = append([]string{}, kind.Fields[i].Choices...) // a list, also where it is empty
		}
	}
	return all
}

// Kind gives a service; nil for an unknown one.
func (p *Providers) Kind(name string) *Kind {
	i := slices.IndexFunc(p.kinds, func(k *Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return p.kinds[i]
}

// Open makes a client from complete values. Nothing is called yet. Fault: invalid_value (422), whose fields begin with
// the given path.
func (p *Providers) Open(name string, values Values, path string) (*Client, error) {
	kind := p.Kind(name)
	if kind == nil {
		return nil, fault.InvalidValue("provider", "must be one of the providers that the panel knows")
	}
	full, err := p.complete(kind, values, path)
	if err != nil {
		return nil, err
	}
	opened, err := kind.open(p, full)
	if err != nil {
		return nil, err
	}
	return &Client{Kind: kind, providers: p, driver: opened}, nil
}

// complete adds defaults and refuses what cannot be meant.
func (p *Providers) complete(kind *Kind, values Values, path string) (Values, error) {
	for name := range values {
		if _, known := kind.Field(name); !known {
			return nil, fault.InvalidValue(path, "has a field that this provider does not have")
		}
	}
	full := Values{}
	for _, field := range kind.Fields {
		value := strings.TrimSpace(values[field.Name])
		if value == "" {
			value = field.Default
		}
		if wrong := p.wrong(field, value); wrong != "" {
			return nil, fault.InvalidValue(strings.TrimPrefix(path+"."+field.Name, "."), wrong)
		}
		full[field.Name] = value
	}
	return full, nil
}

func (p *Providers) wrong(field Field, value string) string {
	switch {
	case value == "" && field.Required:
		return "is required"
	case value == "":
		return ""
	case len(value) > field.most():
		return fmt.Sprintf("must have at most %d characters", field.most())
	case strings.ContainsFunc(value, field.control):
		return "must not contain control characters"
	case field.Form == formChoice && !slices.Contains(field.Choices, value):
		return "must be one of: " + strings.Join(field.Choices, ", ")
	case field.Form == formAddress:
		at, err := p.network.Address(value, outbound.Private)
		if err != nil || at.RawQuery != "" || at.Fragment != "" {
			return "must be an http or https address that the panel may call, without a query"
		}
	}
	return ""
}

func (f Field) most() int {
	if f.Form == formKey {
		return longestKey
	}
	return longestValue
}

// control tells whether a character is none that a value may have.
func (f Field) control(r rune) bool {
	line := f.Form == formKey && (r == '\n' || r == '\r' || r == '\t')
	return !line && (r < ' ' || r == 0x7f)
}

// root is the field that every service of a vendor has for an address of its API that is not the usual one.
func apiRoot(usual string) Field {
	return Field{
		Name: "api_root", Form: formAddress, Default: usual,
		Help: "Address of the API, if it is not the usual one",
	}
}

func token(help string) Field {
	return Field{Name: "api_token", Form: formSecret, Required: true, Help: help}
}

// list reads names separated by commas.
func list(text string) []string {
	var names []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			names = append(names, part)
		}
	}
	return names
}
