package cloud

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func linodeKind() *Kind {
	const asked = 3 // a second; two hundred lists a minute
	return &Kind{
		Name: "linode", Title: "Linode", BaseURL: "https://api.linode.com/v4",
		Fields:    apiToken("Personal access token"),
		Abilities: []string{CanServers, CanPlans, CanBalance, CanCreate, CanPower, CanDelete},
		Rights:    []string{"account:read_only", "linodes:read_write"},
		perSecond: asked,
		open: func(r *rest) driver {
			r.explain = explainLinode
			return &linode{rest: r}
		},
	}
}

type linode struct {
	*rest
	noActions
}

func explainLinode(body []byte, problem *Problem) {
	said := read[struct {
		Errors []struct{ Reason, Field string }
	}](body).Errors
	words := []string{}
	for _, one := range said {
		words = append(words, strings.TrimPrefix(one.Field+": "+one.Reason, ": "))
	}
	problem.Words = strings.Join(words, "; ")
	switch lower := strings.ToLower(problem.Words); {
	case strings.Contains(lower, "limit reached"):
		problem.Cause = LimitReached
	case problem.Status == http.StatusBadRequest && strings.Contains(lower, "linode busy"):
		problem.Cause = Busy
	}
}

// account goes by the scopes that Linode names with every answer.
func (l *linode) account(ctx context.Context) (Account, error) {
	var profile struct{}
	got, err := l.call(ctx, http.MethodGet, "/profile", nil, &profile)
	if err != nil {
		return Account{}, err
	}
	found := Account{}
	for _, right := range l.kind.Rights {
		if !opens(got.header.Get("X-Oauth-Scopes"), right) {
			found.Missing = append(found.Missing, right)
		}
	}
	if slices.Contains(found.Missing, "account:read_only") {
		return found, nil
	}
	account, err := get[struct {
		Balance    float64 `json:"balance"`
		Uninvoiced float64 `json:"balance_uninvoiced"`
	}](ctx, l.rest, "/account")
	if err := found.lacks(err, "account:read_only"); err != nil || slices.Contains(found.Missing, "account:read_only") {
		return found, err
	}
	// a balance above zero is owed
	found.Balance = &Money{Amount: -cents(account.Balance) - cents(account.Uninvoiced), Currency: dollars}
	return found, nil
}

// opens tells whether scopes, separated by spaces or commas, hold one that is for reading.
func opens(scopes, right string) bool {
	area, _, _ := strings.Cut(right, ":")
	for _, one := range strings.FieldsFunc(scopes, func(r rune) bool { return r == ' ' || r == ',' }) {
		if one == "*" || one == right || one == area+":read_write" || one == area+":*" {
			return true
		}
	}
	return scopes == "" // an older answer names none: the calls themselves will tell
}

type linodePages struct {
	Page  int `json:"page"`
	Pages int `json:"pages"`
}

func (p linodePages) next() string {
	if p.Page >= p.Pages {
		return ""
	}
	return strconv.Itoa(p.Page + 1)
}

type linodeInstance struct {
	ID     int64    `json:"id"`
	Label  string   `json:"label"`
	Status string   `json:"status"`
	Type   string   `json:"type"`
	Region string   `json:"region"`
	IPv4   []string `json:"ipv4"`
	IPv6   string   `json:"ipv6"`
	Tags   []string `json:"tags"`
	Specs  struct {
		Disk   int64 `json:"disk"`   // MiB
		Memory int64 `json:"memory"` // MiB
		VCPUs  int   `json:"vcpus"`
	} `json:"specs"`
}

var linodeStatuses = map[string]string{
	"running": Running, "offline": Off, "stopped": Off, "booting": Starting, "rebooting": Starting,
	"shutting_down": Stopping,
	"provisioning":  Initializing, "deleting": Deleting, "migrating": Migrating, "rebuilding": Rebuilding,
	"cloning": Initializing, "restoring": Rebuilding,
}

func (i *linodeInstance) server(price func(plan, region string) *Price) Server {
	shown := Server{
		ID: strconv.FormatInt(i.ID, 10), Name: i.Label, Status: linodeStatuses[i.Status], Region: i.Region,
		Plan:  i.Type,
		Specs: Specs{VCPU: i.Specs.VCPUs, Mem: i.Specs.Memory * mib, Disk: i.Specs.Disk * mib},
		IPv6:  Addresses(i.IPv6), Tags: tags(i.Tags), Price: price(i.Type, i.Region),
	}
	shown.IPv4, _ = Split(i.IPv4)
	if shown.Status == "" {
		shown.Status = Unknown
	}
	return shown
}

type linodeType struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Disk   int64  `json:"disk"`   // MiB
	Memory int64  `json:"memory"` // MiB
	VCPUs  int    `json:"vcpus"`
	Price  struct {
		Monthly float64 `json:"monthly"`
	} `json:"price"`
	RegionPrices []struct {
		ID      string  `json:"id"`
		Monthly float64 `json:"monthly"`
	} `json:"region_prices"`
}

func (t *linodeType) price(region string) *Price {
	for _, one := range t.RegionPrices {
		if one.ID == region {
			return monthly(one.Monthly, dollars)
		}
	}
	return monthly(t.Price.Monthly, dollars)
}

func (l *linode) types(ctx context.Context) ([]linodeType, error) {
	return pages(l.rest, func(number int, _ string) ([]linodeType, string, error) {
		got, err := get[struct {
			Data []linodeType
			linodePages
		}](ctx, l.rest, "/linode/types?page_size=500&page="+strconv.Itoa(number))
		return got.Data, got.next(), err
	})
}

// servers asks for the types as well, which alone know the prices.
func (l *linode) servers(ctx context.Context) ([]Server, error) {
	types, err := l.types(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]*linodeType{}
	for i := range types {
		byID[types[i].ID] = &types[i]
	}
	price := func(plan, region string) *Price {
		if known := byID[plan]; known != nil {
			return known.price(region)
		}
		return nil
	}
	return pages(l.rest, func(number int, _ string) ([]Server, string, error) {
		got, err := get[struct {
			Data []linodeInstance
			linodePages
		}](ctx, l.rest, "/linode/instances?page_size=500&page="+strconv.Itoa(number))
		return mapped(got.Data, func(i *linodeInstance) Server { return i.server(price) }), got.next(), err
	})
}

func (l *linode) regions(ctx context.Context) ([]Region, error) {
	type region struct{ ID, Label, Country string }
	return pages(l.rest, func(number int, _ string) ([]Region, string, error) {
		got, err := get[struct {
			Data []region
			linodePages
		}](ctx, l.rest, "/regions?page_size=500&page="+strconv.Itoa(number))
		return mapped(got.Data, func(r *region) Region {
			return Region{ID: r.ID, Name: r.Label, Country: strings.ToUpper(r.Country)}
		}), got.next(), err
	})
}

func (l *linode) plans(ctx context.Context, region string) ([]Plan, error) {
	types, err := l.types(ctx)
	if err != nil {
		return nil, err
	}
	return mapped(types, func(t *linodeType) Plan {
		return Plan{
			ID: t.ID, Name: t.Label, Specs: Specs{VCPU: t.VCPUs, Mem: t.Memory * mib, Disk: t.Disk * mib},
			Price: t.price(region), Regions: []string{},
		}
	}), nil
}
