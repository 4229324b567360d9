package cloud

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func hetznerKind() *Kind {
	const asked = 5 // a second; 3,600 an hour, given back one a second
	return &Kind{
		Name: "hetzner", Title: "Hetzner", BaseURL: "https://api.hetzner.cloud/v1",
		Fields:    apiToken("API token of the project, Read & Write"),
		Abilities: []string{CanServers, CanPlans, CanCreate, CanPower, CanDelete}, Rights: []string{"Read & Write"}, perSecond: asked,
		open: func(r *rest) driver {
			r.explain = explainHetzner
			return &hetzner{rest: r}
		},
	}
}

// hetzner knows no balance and no due date: it charges a card at the end of the month.
type hetzner struct{ *rest }

func explainHetzner(body []byte, problem *Problem) {
	said := read[struct {
		Error struct{ Code, Message string }
	}](body).Error
	problem.Words = said.Message
	switch said.Code {
	case "unauthorized":
		problem.Cause = CredentialsRefused
	case "token_readonly":
		problem.Cause, problem.Missing = RightMissing, []string{"Read & Write"}
	case "forbidden":
		problem.Cause = RightMissing
	case "rate_limit_exceeded":
		problem.Cause = RateLimited
	case "locked", "conflict":
		problem.Cause = Busy
	case "resource_limit_exceeded":
		problem.Cause = LimitReached
	case "not_found":
		problem.Cause = NotFound
	}
}

// account reads one server, and tries a writing call that can have no effect: a token for reading is refused for being
// one, any other for what the call lacks.
func (h *hetzner) account(ctx context.Context) (Account, error) {
	if _, err := get[hetznerServers](ctx, h.rest, "/servers?per_page=1"); err != nil {
		return Account{}, err
	}
	_, err := h.call(ctx, http.MethodPost, "/servers", struct{}{}, nil)
	problem := ProblemOf(err)
	switch {
	case problem == nil && err != nil:
		return Account{}, err
	case problem != nil && problem.Cause == RightMissing:
		return Account{Missing: []string{"Read & Write"}}, nil
	case problem != nil && problem.Passing():
		return Account{}, err
	}
	return Account{}, nil
}

type hetznerMeta struct {
	Pagination struct {
		Next int `json:"next_page"`
	} `json:"pagination"`
}

func (m hetznerMeta) next() string {
	if m.Pagination.Next == 0 {
		return ""
	}
	return strconv.Itoa(m.Pagination.Next)
}

type hetznerPrice struct {
	Location string `json:"location"`
	Monthly  struct {
		Gross string `json:"gross"`
	} `json:"price_monthly"`
}

type hetznerType struct {
	ID          int64          `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Cores       int            `json:"cores"`
	Memory      float64        `json:"memory"` // GiB
	Disk        int64          `json:"disk"`   // GiB
	Prices      []hetznerPrice `json:"prices"`
	Deprecation *struct{}      `json:"deprecation"`
	// Locations tell where it can be had now; Prices alone name places where it is sold out or deprecated.
	Locations []struct {
		Name        string    `json:"name"`
		Available   bool      `json:"available"`
		Deprecation *struct{} `json:"deprecation"`
	} `json:"locations"`
}

// places are where it can be had. A type that does not tell them can be had wherever it has a price.
func (t *hetznerType) places() []string {
	list := []string{}
	for _, one := range t.Locations {
		if one.Available && one.Deprecation == nil {
			list = append(list, one.Name)
		}
	}
	if t.Locations != nil {
		return list
	}
	for _, one := range t.Prices {
		list = append(list, one.Location)
	}
	return list
}

func (t *hetznerType) specs() Specs {
	return Specs{VCPU: t.Cores, Mem: int64(t.Memory * gib), Disk: t.Disk * gib}
}

// price is that with tax, as it is charged, in a location; without one the lowest. An IPv4 address has a price of its
// own, by location.
func (t *hetznerType) price(location string, address map[string]int64) (best *Price) {
	for _, one := range t.Prices {
		amount, ok := minor(one.Monthly.Gross)
		if !ok || location != "" && one.Location != location {
			continue
		}
		amount += address[one.Location]
		if best == nil || amount < best.Amount {
			best = &Price{Amount: amount, Currency: "EUR", Period: Month}
		}
	}
	return best
}

// addressPrices are those of an IPv4 address, by location.
func (h *hetzner) addressPrices(ctx context.Context) (map[string]int64, error) {
	got, err := get[struct {
		Pricing struct {
			PrimaryIPs []struct {
				Type   string         `json:"type"`
				Prices []hetznerPrice `json:"prices"`
			} `json:"primary_ips"`
		} `json:"pricing"`
	}](ctx, h.rest, "/pricing")
	known := map[string]int64{}
	for _, address := range got.Pricing.PrimaryIPs {
		for _, one := range address.Prices {
			if amount, ok := minor(one.Monthly.Gross); ok && address.Type == "ipv4" {
				known[one.Location] = amount
			}
		}
	}
	return known, err
}

type hetznerServer struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Public struct {
		IPv4 *struct{ IP string } `json:"ipv4"`
		IPv6 *struct{ IP string } `json:"ipv6"`
	} `json:"public_net"`
	Type       hetznerType `json:"server_type"`
	Datacenter *struct {
		Location struct{ Name string } `json:"location"`
	} `json:"datacenter"`
	Location *struct{ Name string } `json:"location"`
	Labels   map[string]string      `json:"labels"`
}

type hetznerServers struct {
	Servers []hetznerServer `json:"servers"`
	Meta    hetznerMeta     `json:"meta"`
}

// region is named by the server, and was named by its datacenter before.
func (s *hetznerServer) region() string {
	switch {
	case s.Location != nil:
		return s.Location.Name
	case s.Datacenter != nil:
		return s.Datacenter.Location.Name
	}
	return ""
}

func (s *hetznerServer) server() Server {
	shown := Server{
		ID: strconv.FormatInt(s.ID, 10), Name: s.Name, Status: hetznerStatus(s.Status), Region: s.region(),
		Plan: s.Type.Name, Specs: s.Type.specs(), IPv4: []string{}, IPv6: []string{}, Tags: []string{},
	}
	if s.Public.IPv4 != nil {
		shown.IPv4 = Addresses(s.Public.IPv4.IP)
	}
	if s.Public.IPv6 != nil {
		shown.IPv6 = firstOf(s.Public.IPv6.IP)
	}
	for name, value := range s.Labels {
		shown.Tags = append(shown.Tags, strings.TrimSuffix(name+"="+value, "="))
	}
	slices.Sort(shown.Tags)
	return shown
}

// firstOf is the first address of a network of IPv6, which a server has there by itself.
func firstOf(network string) []string {
	network, _, isNetwork := strings.Cut(network, "/")
	if isNetwork && strings.HasSuffix(network, "::") {
		network += "1"
	}
	return Addresses(network)
}

// hetznerStatus: the words are the same but one.
func hetznerStatus(status string) string {
	known := []string{Initializing, Running, Off, Starting, Stopping, Migrating, Rebuilding, Deleting}
	if slices.Contains(known, status) {
		return status
	}
	return Unknown
}

func (h *hetzner) servers(ctx context.Context) ([]Server, error) { return h.list(ctx, "") }

// list reads the servers that a filter lets through. One that has an IPv4 address costs what that does besides.
func (h *hetzner) list(ctx context.Context, filter string) ([]Server, error) {
	address, err := h.addressPrices(ctx)
	if err != nil {
		return nil, err
	}
	priced := func(s *hetznerServer) Server {
		shown := s.server()
		if shown.Price = s.Type.price(shown.Region, nil); s.Public.IPv4 != nil {
			shown.Price = s.Type.price(shown.Region, address)
		}
		return shown
	}
	return pages(h.rest, func(number int, _ string) ([]Server, string, error) {
		got, err := get[hetznerServers](ctx, h.rest, "/servers?per_page=50&page="+strconv.Itoa(number)+filter)
		return mapped(got.Servers, priced), got.Meta.next(), err
	})
}

func (h *hetzner) regions(ctx context.Context) ([]Region, error) {
	type location struct{ Name, City, Country string }
	return pages(h.rest, func(number int, _ string) ([]Region, string, error) {
		got, err := get[struct {
			Locations []location
			Meta      hetznerMeta
		}](ctx, h.rest, "/locations?per_page=50&page="+strconv.Itoa(number))
		return mapped(got.Locations, func(l *location) Region {
			return Region{ID: l.Name, Name: l.City, Country: l.Country}
		}), got.Meta.next(), err
	})
}

// plans have the price of a server with an IPv4 address, which every one gets that the panel makes.
func (h *hetzner) plans(ctx context.Context, region string) ([]Plan, error) {
	address, err := h.addressPrices(ctx)
	if err != nil {
		return nil, err
	}
	return pages(h.rest, func(number int, _ string) ([]Plan, string, error) {
		got, err := get[struct {
			Types []hetznerType `json:"server_types"`
			Meta  hetznerMeta   `json:"meta"`
		}](ctx, h.rest, "/server_types?per_page=50&page="+url.QueryEscape(strconv.Itoa(number)))
		plans := []Plan{}
		for i := range got.Types {
			one := &got.Types[i]
			plan := Plan{
				ID: one.Name, Name: one.Description, Specs: one.specs(), Price: one.price(region, address),
				Regions: one.places(),
			}
			if one.Deprecation == nil && len(plan.Regions) > 0 &&
				(region == "" || slices.Contains(plan.Regions, region)) {
				plans = append(plans, plan)
			}
		}
		return plans, got.Meta.next(), err
	})
}

// mapped brings what a provider gave into our shape.
func mapped[T, U any](list []T, shape func(*T) U) []U {
	made := make([]U, len(list))
	for i := range list {
		made[i] = shape(&list[i])
	}
	return made
}
