package cloud

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

func vultrKind() *Kind {
	const asked = 10 // a second; thirty are allowed
	return &Kind{
		Name: "vultr", Title: "Vultr", BaseURL: "https://api.vultr.com/v2",
		Fields:    apiToken("API key; the address of the panel must be in its access control"),
		Abilities: []string{CanServers, CanPlans, CanBalance, CanCreate, CanPower, CanDelete},
		Rights:    []string{"subscriptions_view", "subscriptions", "provisioning", "billing"},
		perSecond: asked,
		open: func(r *rest) driver {
			r.explain = explainVultr
			return &vultr{rest: r}
		},
	}
}

type vultr struct {
	*rest
	noActions
}

func explainVultr(body []byte, problem *Problem) {
	problem.Words = read[struct{ Error string }](body).Error
}

// account names what the key's list of rights lacks.
func (v *vultr) account(ctx context.Context) (Account, error) {
	got, err := get[struct {
		Account struct {
			ACLs    []string `json:"acls"`
			Balance float64  `json:"balance"`
			Pending float64  `json:"pending_charges"`
		} `json:"account"`
	}](ctx, v.rest, "/account")
	if err != nil {
		return Account{}, err
	}
	// a balance below zero is a credit; what is pending comes off it
	found := Account{
		Balance: &Money{Amount: -cents(got.Account.Balance) - cents(got.Account.Pending), Currency: dollars},
	}
	for _, right := range v.kind.Rights {
		if !slices.Contains(got.Account.ACLs, right) {
			found.Missing = append(found.Missing, right)
		}
	}
	return found, nil
}

type vultrMeta struct {
	Links struct{ Next string } `json:"links"`
}

type vultrInstance struct {
	ID     string   `json:"id"`
	RAM    int64    `json:"ram"`  // MiB
	Disk   int64    `json:"disk"` // GiB
	MainIP string   `json:"main_ip"`
	VCPUs  int      `json:"vcpu_count"`
	Region string   `json:"region"`
	Plan   string   `json:"plan"`
	Status string   `json:"status"`
	Power  string   `json:"power_status"`
	Server string   `json:"server_status"`
	MainV6 string   `json:"v6_main_ip"`
	Label  string   `json:"label"`
	Tags   []string `json:"tags"`
}

func (i *vultrInstance) status() string {
	switch {
	case i.Status == "pending":
		return Initializing
	case i.Status == "resizing":
		return Rebuilding
	case i.Status != "active":
		return Unknown
	case i.Power == "running" && i.Server == "installingbooting":
		return Starting
	case i.Power == "running":
		return Running
	case i.Power == "stopped":
		return Off
	}
	return Unknown
}

func (i *vultrInstance) server(prices map[string]*Price) Server {
	return Server{
		ID: i.ID, Name: i.Label, Status: i.status(), Region: i.Region, Plan: i.Plan,
		Specs: Specs{VCPU: i.VCPUs, Mem: i.RAM * mib, Disk: i.Disk * gib},
		IPv4:  Addresses(i.MainIP), IPv6: Addresses(i.MainV6), Tags: tags(i.Tags), Price: prices[i.Plan],
	}
}

// servers asks for the plans as well, which alone know the prices.
func (v *vultr) servers(ctx context.Context) ([]Server, error) {
	plans, err := v.plans(ctx, "")
	if err != nil {
		return nil, err
	}
	prices := map[string]*Price{}
	for _, plan := range plans {
		prices[plan.ID] = plan.Price
	}
	return pages(v.rest, func(_ int, cursor string) ([]Server, string, error) {
		got, err := get[struct {
			Instances []vultrInstance
			Meta      vultrMeta
		}](ctx, v.rest, "/instances?per_page=500"+at(cursor))
		list := mapped(got.Instances, func(i *vultrInstance) Server { return i.server(prices) })
		return list, got.Meta.Links.Next, err
	})
}

func at(cursor string) string {
	if cursor == "" {
		return ""
	}
	return "&cursor=" + url.QueryEscape(cursor)
}

func (v *vultr) regions(ctx context.Context) ([]Region, error) {
	type region struct{ ID, City, Country string }
	return pages(v.rest, func(_ int, cursor string) ([]Region, string, error) {
		got, err := get[struct {
			Regions []region
			Meta    vultrMeta
		}](ctx, v.rest, "/regions?per_page=500"+at(cursor))
		return mapped(got.Regions, func(r *region) Region {
			return Region{ID: r.ID, Name: r.City, Country: strings.ToUpper(r.Country)}
		}), got.Meta.Links.Next, err
	})
}

func (v *vultr) plans(ctx context.Context, region string) ([]Plan, error) {
	type plan struct {
		ID        string   `json:"id"`
		VCPUs     int      `json:"vcpu_count"`
		RAM       int64    `json:"ram"`  // MiB
		Disk      int64    `json:"disk"` // GiB
		Monthly   float64  `json:"monthly_cost"`
		Locations []string `json:"locations"`
	}
	return pages(v.rest, func(_ int, cursor string) ([]Plan, string, error) {
		got, err := get[struct {
			Plans []plan
			Meta  vultrMeta
		}](ctx, v.rest, "/plans?per_page=500"+at(cursor))
		list := []Plan{}
		for _, one := range got.Plans {
			if region == "" || slices.Contains(one.Locations, region) {
				list = append(list, Plan{
					ID: one.ID, Name: one.ID, Specs: Specs{VCPU: one.VCPUs, Mem: one.RAM * mib, Disk: one.Disk * gib},
					Price: monthly(one.Monthly, dollars), Regions: tags(one.Locations),
				})
			}
		}
		return list, got.Meta.Links.Next, err
	})
}
