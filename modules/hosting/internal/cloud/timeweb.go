package cloud

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	roubles   = "RUB"
	mayDelete = "is_able_to_delete" // the one right that tokens are told apart by there
)

func timewebKind() *Kind {
	const asked = 10 // a second; twenty are allowed for each of its paths
	return &Kind{
		Name: "timeweb", Title: "Timeweb Cloud", BaseURL: "https://api.timeweb.cloud/api",
		Fields:    apiToken("API token of the account, that may delete without a confirmation"),
		Abilities: []string{CanServers, CanPlans, CanBalance, CanCreate, CanPower, CanDelete},
		Rights:    []string{mayDelete}, perSecond: asked,
		open: func(r *rest) driver {
			r.explain = explainTimeweb
			return &timeweb{rest: r}
		},
	}
}

// timeweb has no tags: the mark of an order is the comment of its server.
type timeweb struct {
	*rest
	noActions
}

func explainTimeweb(body []byte, problem *Problem) {
	problem.Words = read[struct{ Message string }](body).Message
	if problem.Status == http.StatusConflict {
		problem.Cause = Busy
	}
}

func (t *timeweb) account(ctx context.Context) (Account, error) {
	got, err := get[struct {
		Finances struct {
			Balance  float64 `json:"balance"`
			Currency string  `json:"currency"`
		} `json:"finances"`
	}](ctx, t.rest, "/v1/account/finances")
	if err != nil {
		return Account{}, err
	}
	if _, err := get[timewebServers](ctx, t.rest, "/v1/servers?limit=1"); err != nil {
		return Account{}, err
	}
	return Account{Balance: &Money{Amount: cents(got.Finances.Balance), Currency: got.Finances.Currency}}, nil
}

type timewebServer struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Comment  string `json:"comment"`
	PresetID int64  `json:"preset_id"`
	Location string `json:"location"`
	Status   string `json:"status"`
	CPU      int    `json:"cpu"`
	RAM      int64  `json:"ram"` // MiB
	Disks    []struct {
		Size int64 `json:"size"` // MiB
	} `json:"disks"`
	Networks []struct {
		Type string `json:"type"`
		IPs  []struct {
			IP string `json:"ip"`
		} `json:"ips"`
	} `json:"networks"`
}

type timewebServers struct {
	Servers []timewebServer `json:"servers"`
	Meta    struct {
		Total int `json:"total"`
	} `json:"meta"`
}

// removed is the state of a server that is not there any more and is still told of.
const removed = "removed"

func (s *timewebServer) status() string {
	known := map[string]string{
		"installing": Initializing, "software_install": Initializing, "configuring": Initializing, "on": Running,
		"off": Off, "blocked": Off, "no_paid": Off, "permanent_blocked": Off, "turning_on": Starting,
		"rebooting": Starting, "hard_rebooting": Starting, "turning_off": Stopping, "hard_turning_off": Stopping,
		"transfer": Migrating, "reinstalling": Rebuilding, "removing": Deleting,
	}
	if status := known[s.Status]; status != "" {
		return status
	}
	return Unknown
}

func (s *timewebServer) server(prices map[string]*Price) Server {
	shown := Server{
		ID: strconv.FormatInt(s.ID, 10), Name: s.Name, Status: s.status(), Region: s.Location,
		Plan: strconv.FormatInt(s.PresetID, 10), Specs: Specs{VCPU: s.CPU, Mem: s.RAM * mib},
		Tags: tags(strings.Fields(s.Comment)),
	}
	shown.Price = prices[shown.Plan]
	for _, disk := range s.Disks {
		shown.Specs.Disk += disk.Size * mib
	}
	addresses := []string{}
	for _, network := range s.Networks {
		for _, address := range network.IPs {
			if network.Type == "public" {
				addresses = append(addresses, address.IP)
			}
		}
	}
	shown.IPv4, shown.IPv6 = Split(Addresses(addresses...))
	return shown
}

// servers asks for the plans as well, which alone know the prices.
func (t *timeweb) servers(ctx context.Context) ([]Server, error) {
	const most = 100
	plans, err := t.plans(ctx, "")
	if err != nil {
		return nil, err
	}
	prices := map[string]*Price{}
	for _, plan := range plans {
		prices[plan.ID] = plan.Price
	}
	return pages(t.rest, func(number int, _ string) ([]Server, string, error) {
		from := (number - 1) * most
		got, err := get[timewebServers](ctx, t.rest, "/v1/servers?limit=100&offset="+strconv.Itoa(from))
		next := ""
		switch {
		case err == nil && len(got.Servers) == 0 && from < got.Meta.Total:
			err = &Problem{
				Service: t.kind.Title, Cause: AnswerUnreadable, Status: http.StatusOK, Words: "a list lacks servers",
			}
		case from+most < got.Meta.Total:
			next = strconv.Itoa(from + most)
		}
		there := slices.DeleteFunc(got.Servers, func(s timewebServer) bool { return s.Status == removed })
		return mapped(there, func(s *timewebServer) Server { return s.server(prices) }), next, err
	})
}

func (t *timeweb) regions(ctx context.Context) ([]Region, error) {
	type location struct {
		Location string `json:"location"`
		Code     string `json:"location_code"`
	}
	got, err := get[struct {
		Locations []location `json:"locations"`
	}](ctx, t.rest, "/v2/locations")
	return mapped(got.Locations, func(l *location) Region {
		return Region{ID: l.Location, Name: l.Location, Country: strings.ToUpper(l.Code)}
	}), err
}

// plans belong to one location each.
func (t *timeweb) plans(ctx context.Context, region string) ([]Plan, error) {
	got, err := get[struct {
		Presets []struct {
			ID       int64   `json:"id"`
			Location string  `json:"location"`
			Price    float64 `json:"price"`
			CPU      int     `json:"cpu"`
			RAM      int64   `json:"ram"`  // MiB
			Disk     int64   `json:"disk"` // MiB
			Short    string  `json:"description_short"`
		} `json:"server_presets"`
	}](ctx, t.rest, "/v1/presets/servers")
	list := []Plan{}
	for _, one := range got.Presets {
		if region == "" || one.Location == region {
			list = append(list, Plan{
				ID: strconv.FormatInt(one.ID, 10), Name: one.Short,
				Specs: Specs{VCPU: one.CPU, Mem: one.RAM * mib, Disk: one.Disk * mib},
				Price: monthly(one.Price, roubles), Regions: []string{one.Location},
			})
		}
	}
	return list, err
}
