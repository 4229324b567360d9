package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"panel/platform/outbound"
)

func selectelKind() *Kind {
	return &Kind{
		Name: "selectel", Title: "Selectel", LeastTTL: 60,
		Fields: []Field{
			{Name: "account_id", Form: formText, Required: true, Help: "Number of the account"},
			{Name: "project_name", Form: formText, Required: true, Help: "Project that the zones belong to"},
			{Name: "username", Form: formText, Required: true, Help: "Service user with a role in the project"},
			{Name: "password", Form: formSecret, Required: true, Help: "Password of the service user"},
			apiRoot("https://api.selectel.ru/domains/v2"),
			{
				Name: "identity_root", Form: formAddress, Default: "https://cloud.api.selcloud.ru/identity/v3",
				Help: "Address that gives tokens, if it is not the usual one",
			},
		},
		open: func(p *Providers, values Values) (driver, error) {
			return &selectel{
				rest:     p.rest("Selectel", values["api_root"], outbound.Private, nil, explainSelectel),
				identity: p.rest("Selectel", values["identity_root"], outbound.Private, nil, explainKeystone),
				values:   values,
			}, nil
		},
	}
}

// selectel exchanges the password of a service user for a token that lives for hours, once for each client.
type selectel struct {
	rest, identity *rest
	values         Values
	once           sync.Mutex
	token          string
}

func explainSelectel(body []byte, refusal *Refusal) {
	said := read[struct {
		Error       string `json:"error"`
		Description string `json:"description"`
	}](body)
	refusal.Code, refusal.Words = said.Error, said.Description
	refusal.Exists = refusal.Status == http.StatusConflict
}

func explainKeystone(body []byte, refusal *Refusal) {
	refusal.Words = read[struct {
		Error struct {
			Title string `json:"title"`
		} `json:"error"`
	}](body).Error.Title
}

type named struct {
	Name string `json:"name"`
}

// signIn gives the token. The password goes in the body, and the token comes in a header.
func (s *selectel) signIn(ctx context.Context) (string, error) {
	s.once.Lock()
	defer s.once.Unlock()
	if s.token != "" {
		return s.token, nil
	}
	account := named{s.values["account_id"]}
	user := map[string]any{"name": s.values["username"], "domain": account, "password": s.values["password"]}
	body := map[string]any{"auth": map[string]any{
		"identity": map[string]any{"methods": []string{"password"}, "password": map[string]any{"user": user}},
		"scope":    map[string]any{"project": map[string]any{"name": s.values["project_name"], "domain": account}},
	}}
	answer, err := s.identity.send(ctx, http.MethodPost, "/auth/tokens", body)
	if err != nil {
		return "", err
	}
	if !answer.OK() {
		return "", s.identity.refused(answer)
	}
	s.token = answer.Header.Get("X-Subject-Token")
	return s.token, nil
}

func (s *selectel) call(ctx context.Context, method, path string, in, out any) error {
	token, err := s.signIn(ctx)
	if err != nil {
		return err
	}
	return s.rest.call(ctx, method, path, in, out, "X-Auth-Token", token)
}

type selectelPage[T any] struct {
	Next   int `json:"next_offset"`
	Result []T `json:"result"`
}

func selectelPages[T any](ctx context.Context, s *selectel, path string) ([]T, error) {
	var all []T
	for offset := 0; ; {
		var page selectelPage[T]
		if err := s.call(ctx, http.MethodGet, path+"&limit=100&offset="+strconv.Itoa(offset), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Result...)
		if offset = page.Next; offset == 0 {
			return all, nil
		}
	}
}

type selectelZone struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (s *selectel) find(ctx context.Context, filter string) ([]Zone, error) {
	found, err := selectelPages[selectelZone](ctx, s, "/zones?filter="+url.QueryEscape(filter))
	zones := make([]Zone, len(found))
	for i, z := range found {
		zones[i] = Zone{ID: z.ID, Name: Canonical(z.Name)}
	}
	return zones, err
}

func (s *selectel) zones(ctx context.Context) ([]Zone, error) { return s.find(ctx, "") }

func (s *selectel) zone(ctx context.Context, name string) (Zone, error) {
	found, err := s.find(ctx, name)
	if err != nil {
		return Zone{}, err
	}
	if i := slices.IndexFunc(found, func(z Zone) bool { return z.Name == name }); i >= 0 {
		return found[i], nil
	}
	return Zone{}, ErrNoZone
}

type selectelSet struct {
	ID      string           `json:"id,omitempty"`
	Name    string           `json:"name,omitempty"`
	Type    string           `json:"type,omitempty"`
	TTL     int              `json:"ttl"`
	Records []selectelRecord `json:"records"`
}

type selectelRecord struct {
	Content  string `json:"content"`
	Disabled bool   `json:"disabled"`
}

func (s *selectel) sets(ctx context.Context, zone Zone, name string) ([]selectelSet, error) {
	found, err := selectelPages[selectelSet](ctx, s, "/zones/"+zone.ID+"/rrset?name="+url.QueryEscape(name+"."))
	return slices.DeleteFunc(found, func(set selectelSet) bool {
		return Canonical(set.Name) != name || !written(set.Type)
	}), err
}

func (s *selectel) records(ctx context.Context, zone Zone, name string) ([]Record, error) {
	sets, err := s.sets(ctx, zone, name)
	var records []Record
	for _, set := range sets {
		for _, r := range set.Records {
			records = append(records, Record{
				ID: set.ID, Name: name, Type: set.Type, Value: bare(set.Type, r.Content), TTL: set.TTL,
			})
		}
	}
	return records, err
}

// add makes a set for the record, or puts it into the one that is there.
func (s *selectel) add(ctx context.Context, zone Zone, r Record) (Record, error) {
	sets, err := s.sets(ctx, zone, r.Name)
	if err != nil {
		return r, err
	}
	set := selectelSet{Name: r.Name + ".", Type: r.Type, TTL: r.TTL}
	for _, there := range sets {
		if there.Type == r.Type {
			set = there
		}
	}
	if slices.ContainsFunc(set.Records, holds(r)) {
		return r, nil
	}
	set.Records = append(set.Records, selectelRecord{Content: dotted(r)})
	if set.ID == "" {
		return r, s.call(ctx, http.MethodPost, "/zones/"+zone.ID+"/rrset", set, nil)
	}
	return r, s.change(ctx, zone, set)
}

func holds(r Record) func(selectelRecord) bool {
	return func(other selectelRecord) bool {
		return sameValue(r, Record{Type: r.Type, Value: bare(r.Type, other.Content)})
	}
}

func (s *selectel) change(ctx context.Context, zone Zone, set selectelSet) error {
	body := selectelSet{TTL: set.TTL, Records: set.Records}
	return s.call(ctx, http.MethodPatch, "/zones/"+zone.ID+"/rrset/"+url.PathEscape(set.ID), body, nil)
}

func (s *selectel) remove(ctx context.Context, zone Zone, r Record) error {
	sets, err := s.sets(ctx, zone, r.Name)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if set.Type != r.Type || !slices.ContainsFunc(set.Records, holds(r)) {
			continue
		}
		if set.Records = slices.DeleteFunc(set.Records, holds(r)); len(set.Records) > 0 {
			return s.change(ctx, zone, set)
		}
		return s.call(ctx, http.MethodDelete, "/zones/"+zone.ID+"/rrset/"+url.PathEscape(set.ID), nil, nil)
	}
	return nil
}
