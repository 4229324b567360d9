package cloud

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const dollars = "USD"

func digitalOceanKind() *Kind {
	const asked = 4 // a second; 250 a minute
	return &Kind{
		Name: "digitalocean", Title: "DigitalOcean", BaseURL: "https://api.digitalocean.com/v2",
		Fields:    apiToken("Personal access token"),
		Abilities: []string{CanServers, CanPlans, CanBalance, CanCreate, CanPower, CanDelete},
		Rights: []string{
			"account:read", "actions:read", "billing:read", "droplet:create", "droplet:delete", "droplet:read",
			"droplet:update", "image:read", "regions:read", "sizes:read", "tag:create", "tag:read",
		},
		perSecond: asked,
		open: func(r *rest) driver {
			r.explain = explainDigitalOcean
			return &digitalOcean{rest: r}
		},
	}
}

type digitalOcean struct{ *rest }

func explainDigitalOcean(body []byte, problem *Problem) {
	said := read[struct{ ID, Message string }](body)
	problem.Words = said.Message
	if said.ID == "too_many_requests" {
		problem.Cause = RateLimited
	}
	// "You are missing the required permission droplet:read."
	if _, right, found := strings.Cut(said.Message, "missing the required permission "); found {
		right, _, _ = strings.Cut(right, " ")
		problem.Cause, problem.Missing = RightMissing, []string{strings.Trim(right, ".")}
	}
	if problem.Status != http.StatusUnprocessableEntity {
		return
	}
	switch {
	case strings.Contains(said.Message, "limit"):
		problem.Cause = LimitReached
	case strings.Contains(said.Message, "pending event"):
		problem.Cause = Busy
	}
}

// account asks one question for each right that reading needs.
func (d *digitalOcean) account(ctx context.Context) (Account, error) {
	found := Account{}
	who, err := get[struct {
		Account struct {
			Limit   int    `json:"droplet_limit"`
			Status  string `json:"status"`
			Message string `json:"status_message"`
		} `json:"account"`
	}](ctx, d.rest, "/account")
	if err := found.lacks(err, "account:read"); err != nil {
		return found, err
	}
	if who.Account.Status == "locked" {
		return found, &Problem{Service: d.kind.Title, Cause: AccountLocked, Words: d.clean(who.Account.Message)}
	}
	found.ServersMax = who.Account.Limit
	balance, err := get[struct {
		Owed string `json:"month_to_date_balance"`
	}](ctx, d.rest, "/customers/my/balance")
	if err := found.lacks(err, "billing:read"); err != nil {
		return found, err
	}
	if owed, ok := minor(balance.Owed); ok {
		found.Balance = &Money{Amount: -owed, Currency: dollars}
	}
	_, err = get[struct{}](ctx, d.rest, "/droplets?per_page=1")
	return found, found.lacks(err, "droplet:read")
}

// lacks notes a right that a refused question needs; another error is given back.
func (a *Account) lacks(err error, right string) error {
	problem := ProblemOf(err)
	if problem == nil || problem.Cause != RightMissing {
		return err
	}
	if len(problem.Missing) > 0 {
		right = problem.Missing[0]
	}
	if !slices.Contains(a.Missing, right) {
		a.Missing = append(a.Missing, right)
	}
	return nil
}

type digitalOceanPages struct {
	Pages struct {
		Next string `json:"next"`
	} `json:"pages"`
}

// next says whether there is another page; its address is not followed, only its number counts.
func (p digitalOceanPages) next(number int) string {
	if p.Pages.Next == "" {
		return ""
	}
	return strconv.Itoa(number + 1)
}

type digitalOceanSize struct {
	Slug        string   `json:"slug"`
	Description string   `json:"description"`
	Memory      int64    `json:"memory"` // MiB
	VCPUs       int      `json:"vcpus"`
	Disk        int64    `json:"disk"` // GiB
	Monthly     float64  `json:"price_monthly"`
	Regions     []string `json:"regions"`
	Available   bool     `json:"available"`
}

type droplet struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Memory   int64  `json:"memory"` // MiB
	VCPUs    int    `json:"vcpus"`
	Disk     int64  `json:"disk"` // GiB
	Status   string `json:"status"`
	SizeSlug string `json:"size_slug"`
	Size     struct {
		Monthly float64 `json:"price_monthly"`
	} `json:"size"`
	Region   struct{ Slug string } `json:"region"`
	Networks struct {
		V4 []dropletAddress `json:"v4"`
		V6 []dropletAddress `json:"v6"`
	} `json:"networks"`
	Tags []string `json:"tags"`
}

type dropletAddress struct {
	Address string `json:"ip_address"`
	Type    string `json:"type"`
}

func public(list []dropletAddress) []string {
	texts := []string{}
	for _, one := range list {
		if one.Type == "public" {
			texts = append(texts, one.Address)
		}
	}
	return Addresses(texts...)
}

func (d *droplet) server() Server {
	statuses := map[string]string{"new": Initializing, "active": Running, "off": Off, "archive": Off}
	shown := Server{
		ID: strconv.FormatInt(d.ID, 10), Name: d.Name, Status: statuses[d.Status], Region: d.Region.Slug,
		Plan:  d.SizeSlug,
		Specs: Specs{VCPU: d.VCPUs, Mem: d.Memory * mib, Disk: d.Disk * gib}, IPv4: public(d.Networks.V4),
		IPv6: public(d.Networks.V6), Tags: tags(d.Tags),
	}
	if shown.Status == "" {
		shown.Status = Unknown
	}
	if d.Size.Monthly > 0 {
		shown.Price = monthly(d.Size.Monthly, dollars)
	}
	return shown
}

func (d *digitalOcean) servers(ctx context.Context) ([]Server, error) { return d.list(ctx, "") }

// list reads the droplets that a filter lets through.
func (d *digitalOcean) list(ctx context.Context, filter string) ([]Server, error) {
	return pages(d.rest, func(number int, _ string) ([]Server, string, error) {
		got, err := get[struct {
			Droplets []droplet         `json:"droplets"`
			Links    digitalOceanPages `json:"links"`
		}](ctx, d.rest, "/droplets?per_page=200&page="+strconv.Itoa(number)+filter)
		return mapped(got.Droplets, (*droplet).server), got.Links.next(number), err
	})
}

func (d *digitalOcean) regions(ctx context.Context) ([]Region, error) {
	type region struct {
		Slug, Name string
		Available  bool
	}
	return pages(d.rest, func(number int, _ string) ([]Region, string, error) {
		got, err := get[struct {
			Regions []region
			Links   digitalOceanPages
		}](ctx, d.rest, "/regions?per_page=200&page="+strconv.Itoa(number))
		list := []Region{}
		for _, one := range got.Regions {
			if one.Available {
				list = append(list, Region{ID: one.Slug, Name: one.Name})
			}
		}
		return list, got.Links.next(number), err
	})
}

func (d *digitalOcean) plans(ctx context.Context, region string) ([]Plan, error) {
	return pages(d.rest, func(number int, _ string) ([]Plan, string, error) {
		got, err := get[struct {
			Sizes []digitalOceanSize
			Links digitalOceanPages
		}](ctx, d.rest, "/sizes?per_page=200&page="+strconv.Itoa(number))
		list := []Plan{}
		for _, one := range got.Sizes {
			if !one.Available || region != "" && !slices.Contains(one.Regions, region) {
				continue
			}
			list = append(list, Plan{
				ID: one.Slug, Name: one.Description,
				Specs: Specs{VCPU: one.VCPUs, Mem: one.Memory * mib, Disk: one.Disk * gib},
				Price: monthly(one.Monthly, dollars), Regions: tags(one.Regions),
			})
		}
		return list, got.Links.next(number), err
	})
}
