package cloud

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"panel/platform/config"
)

func selectelKind() *Kind {
	const asked = 5 // a second; it does not say what it allows
	return &Kind{
		Name: "selectel", Title: "Selectel", BaseURL: "https://cloud.api.selcloud.ru/identity/v3",
		Fields: []Field{
			{Name: "account_id", Required: true, Help: "Number of the account"},
			{Name: "username", Required: true, Help: "Name of a service user"},
			{Name: "password", Required: true, Help: "Password of the service user"},
			{Name: "project_id", Required: true, Help: "Project of the servers"},
			{Name: "region", Required: true, Help: "Pool of the servers, such as ru-7"},
		},
		Abilities: []string{CanServers, CanPower, CanDelete}, Rights: []string{projectRole}, perSecond: asked,
		proof: func(Credentials) map[string]config.Secret { return nil },
		open: func(r *rest) driver {
			r.explain = explainSelectel
			return &selectel{rest: r, noMaking: noMaking{r.kind}}
		},
	}
}

// projectRole is that of a service user who may change servers of a project.
const projectRole = "member"

// selectel is OpenStack: an identity service gives a token for a project, and says where its servers are asked for. No
// price is told there.
type selectel struct {
	*rest
	noActions
	noMaking
}

// explainSelectel: errors have one member, named after what is wrong.
func explainSelectel(body []byte, problem *Problem) {
	for name, one := range read[map[string]struct{ Message string }](body) {
		problem.Words = one.Message
		switch name {
		case "conflictingRequest":
			problem.Cause = Busy
		case "overLimit":
			problem.Cause = RateLimited
		}
	}
}

type selectelToken struct {
	Token struct {
		ExpiresAt time.Time `json:"expires_at"`
		Roles     []struct {
			Name string `json:"name"`
		} `json:"roles"`
		Catalog []struct {
			Type      string `json:"type"`
			Endpoints []struct {
				Interface string `json:"interface"`
				Region    string `json:"region_id"`
				URL       string `json:"url"`
			} `json:"endpoints"`
		} `json:"catalog"`
	} `json:"token"`
}

// compute is where the servers of a region are asked for; empty: the project has none there.
func (t *selectelToken) compute(region string) string {
	for _, service := range t.Token.Catalog {
		for _, one := range service.Endpoints {
			if service.Type == "compute" && one.Interface == "public" && one.Region == region {
				return one.URL
			}
		}
	}
	return ""
}

// enter has a token issued.
func (s *selectel) enter(ctx context.Context) (session, selectelToken, error) {
	var got selectelToken
	said, err := s.again(ctx, http.MethodPost, "/auth/tokens", map[string]any{"auth": map[string]any{
		"identity": map[string]any{"methods": []string{"password"}, "password": map[string]any{"user": map[string]any{
			"name": s.given["username"], "password": s.given["password"],
			"domain": map[string]string{"name": s.given["account_id"]},
		}}},
		"scope": map[string]any{"project": map[string]string{"id": s.given["project_id"]}},
	}}, &got)
	if problem := ProblemOf(err); problem != nil {
		problem.Sent = false // a token more changes nothing
	}
	if err != nil {
		return session{}, got, err
	}
	entered := session{
		token: said.header.Get("X-Subject-Token"), root: got.compute(s.given["region"]), ends: got.Token.ExpiresAt,
	}
	switch {
	case entered.token == "":
		err = &Problem{Service: s.kind.Title, Cause: AnswerUnreadable, Status: said.status, Words: "no token came"}
	case entered.root == "":
		err = &Problem{
			Service: s.kind.Title, Cause: Refused, Status: said.status,
			Words: fmt.Sprintf("the project has no servers in the region %s", s.given["region"]),
		}
	default:
		s.tokens.put(placeOf(s.root, s.given), entered)
	}
	return entered, got, err
}

// with does something with the servers of the project. A token that is not known there any more is replaced once.
func (s *selectel) with(ctx context.Context, do func(compute *rest) error) (err error) {
	place := placeOf(s.root, s.given)
	entered, kept := s.tokens.get(place)
	if !kept {
		if entered, _, err = s.enter(ctx); err != nil {
			return err
		}
	}
	err = do(s.at(entered.root, "X-Auth-Token", entered.token))
	if problem := ProblemOf(err); !kept || problem == nil || problem.Cause != CredentialsRefused {
		return err
	}
	s.tokens.forget(place)
	return s.with(ctx, do)
}

func (s *selectel) account(ctx context.Context) (found Account, err error) {
	_, got, err := s.enter(ctx)
	if err != nil {
		return found, err
	}
	reads := false
	for _, role := range got.Token.Roles {
		if role.Name == projectRole {
			return found, nil
		}
		reads = reads || role.Name == "reader"
	}
	if reads {
		found.Missing = []string{projectRole}
	}
	return found, nil
}

type novaServer struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	Task      string `json:"OS-EXT-STS:task_state"`
	Addresses map[string][]struct {
		Addr string `json:"addr"`
	} `json:"addresses"`
	Flavor struct {
		ID string `json:"id"`
	} `json:"flavor"`
	Metadata map[string]string `json:"metadata"`
}

func (v *novaServer) status() string {
	tasks := map[string]string{"powering-off": Stopping, "powering-on": Starting, "deleting": Deleting}
	known := map[string]string{
		"ACTIVE": Running, "BUILD": Initializing, "SHUTOFF": Off, "SUSPENDED": Off, "PAUSED": Off, "SHELVED": Off,
		"SHELVED_OFFLOADED": Off, "REBOOT": Starting, "HARD_REBOOT": Starting, "MIGRATING": Migrating,
		"RESIZE": Migrating, "VERIFY_RESIZE": Migrating, "REBUILD": Rebuilding, "DELETED": Deleting,
		"SOFT_DELETED": Deleting,
	}
	return cmp.Or(tasks[v.Task], known[v.Status], Unknown)
}

func (v *novaServer) server(region string, sizes map[string]Specs) Server {
	shown := Server{
		ID: v.ID, Name: v.Name, Status: v.status(), Region: region, Plan: v.Flavor.ID, Specs: sizes[v.Flavor.ID],
		Tags: []string{},
	}
	addresses := []string{}
	for _, network := range v.Addresses {
		for _, one := range network {
			if at, err := netip.ParseAddr(one.Addr); err == nil && !at.IsPrivate() {
				addresses = append(addresses, one.Addr)
			}
		}
	}
	slices.Sort(addresses)
	shown.IPv4, shown.IPv6 = Split(addresses)
	for name, value := range v.Metadata {
		shown.Tags = append(shown.Tags, strings.TrimSuffix(name+"="+value, "="))
	}
	slices.Sort(shown.Tags)
	return shown
}

// novaLink leads to the next page of a list.
type novaLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// following is the marker of the page that a list names as the next one; empty: there is none.
func following(links []novaLink) string {
	for _, link := range links {
		if at, err := url.Parse(link.Href); err == nil && link.Rel == "next" {
			return at.Query().Get("marker")
		}
	}
	return ""
}

// past is the part of a query that asks for what comes after a marker.
func past(marker string) string {
	if marker == "" {
		return ""
	}
	return "&marker=" + url.QueryEscape(marker)
}

// flavors reads what servers can be like, by the ids that servers name.
func flavors(ctx context.Context, compute *rest) (map[string]Specs, error) {
	type flavor struct {
		ID   string `json:"id"`
		VCPU int    `json:"vcpus"`
		RAM  int64  `json:"ram"`  // MiB
		Disk int64  `json:"disk"` // GiB; 0: it begins from a volume
	}
	list, err := pages(compute, func(_ int, marker string) ([]flavor, string, error) {
		got, err := get[struct {
			Flavors []flavor   `json:"flavors"`
			Links   []novaLink `json:"flavors_links"`
		}](ctx, compute, "/flavors/detail?limit=1000"+past(marker))
		return got.Flavors, following(got.Links), err
	})
	known := map[string]Specs{}
	for _, one := range list {
		known[one.ID] = Specs{VCPU: one.VCPU, Mem: one.RAM * mib, Disk: one.Disk * gib}
	}
	return known, err
}

func (s *selectel) servers(ctx context.Context) (list []Server, err error) {
	err = s.with(ctx, func(compute *rest) error {
		known, err := flavors(ctx, compute)
		if err != nil {
			return err
		}
		list, err = pages(compute, func(_ int, marker string) ([]Server, string, error) {
			got, err := get[struct {
				Servers []novaServer `json:"servers"`
				Links   []novaLink   `json:"servers_links"`
			}](ctx, compute, "/servers/detail?limit=1000"+past(marker))
			shape := func(v *novaServer) Server { return v.server(s.given["region"], known) }
			return mapped(got.Servers, shape), following(got.Links), err
		})
		return err
	})
	return list, err
}

func (s *selectel) server(ctx context.Context, id string) (found Server, err error) {
	err = s.with(ctx, func(compute *rest) error {
		got, err := get[struct {
			Server novaServer `json:"server"`
		}](ctx, compute, "/servers/"+segment(id))
		found = got.Server.server(s.given["region"], nil)
		return err
	})
	return found, err
}

// power asks for nothing where the server is as it is wanted already, which would be a conflict there.
func (s *selectel) power(ctx context.Context, id, act string) (string, error) {
	acts := map[string]any{
		PowerOn: map[string]any{"os-start": nil}, PowerOff: map[string]any{"os-stop": nil},
		Reboot: map[string]any{"reboot": map[string]string{"type": "HARD"}},
	}
	there := map[string]string{PowerOn: Running, PowerOff: Off}
	now, err := s.server(ctx, id)
	if err != nil || now.Status == there[act] {
		return "", err
	}
	return "", s.with(ctx, func(compute *rest) error {
		_, err := compute.call(ctx, http.MethodPost, "/servers/"+segment(id)+"/action", acts[act], nil)
		return err
	})
}

func (s *selectel) remove(ctx context.Context, id string) (string, error) {
	return "", s.with(ctx, func(compute *rest) error {
		_, err := compute.call(ctx, http.MethodDelete, "/servers/"+segment(id), nil, nil)
		return err
	})
}
