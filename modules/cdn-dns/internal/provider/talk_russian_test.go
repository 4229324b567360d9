package provider

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func talkTimeweb(s *standIn, w http.ResponseWriter, r *http.Request) {
	parts := path(r)
	const gone = `{"status_code":404,"error_code":"not_found","message":"Domain not found","response_id":"x"}`
	switch {
	case s.limit(w, `{"status_code":429,"error_code":"too_many_requests","message":"Too Many Requests"}`):
	case bearerOf(r) != goodToken:
		says(w, http.StatusUnauthorized, `{"status_code":401,"message":"Unauthorized","error_code":"unauthorized"}`)
	case len(parts) == 1:
		found := []any{}
		for _, name := range part(s.zones, number(r, "offset"), min(number(r, "limit"), 100)) {
			found = append(found, map[string]any{"fqdn": name})
		}
		gives(w, http.StatusOK, map[string]any{"domains": found, "meta": map[string]int{"total": len(s.zones)}})
	case !s.holds(parts[1]):
		says(w, http.StatusNotFound, gone)
	case len(parts) == 2:
		gives(w, http.StatusOK, map[string]any{"domain": map[string]any{"fqdn": parts[1]}})
	case r.Method == http.MethodGet:
		found, all := []any{}, s.in(parts[1])
		for _, record := range part(all, number(r, "offset"), number(r, "limit")) {
			id, _ := strconv.Atoi(record.ID)
			var subdomain any
			if name := relative(record.Name, parts[1]); name != "@" {
				subdomain = name
			}
			found = append(found, map[string]any{
				"id": id, "type": record.Type, "ttl": record.TTL,
				"data": map[string]any{"subdomain": subdomain, "value": record.Value},
			})
		}
		gives(w, http.StatusOK, map[string]any{"dns_records": found, "meta": map[string]int{"total": len(all)}})
	case r.Method == http.MethodPost:
		body := takes[newTimewebRecord](r)
		made, ok := s.put(parts[1], sent(body.Subdomain, body.Type, body.Value, body.TTL))
		if !ok {
			says(w, http.StatusConflict, `{"status_code":409,"error_code":"conflict","message":["DNS record already exists"]}`)
			return
		}
		id, _ := strconv.Atoi(made.ID)
		gives(w, http.StatusCreated, map[string]any{"dns_record": map[string]any{"id": id, "type": body.Type}})
	case s.drop(parts[3]):
		w.WriteHeader(http.StatusNoContent)
	default:
		says(w, http.StatusNotFound, gone)
	}
}

func talkSelectel(s *standIn, w http.ResponseWriter, r *http.Request) {
	parts := path(r)
	switch {
	case s.limit(w, `{"error":"too_many_requests"}`):
		return
	case parts[0] == "identity":
		body := takes[struct{ Auth keystoneAuth }](r).Auth
		if body.Identity.Password.User.Password != goodToken || body.Scope.Project.Domain.Name != "12345" {
			says(w, http.StatusUnauthorized, `{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}`)
			return
		}
		w.Header().Set("X-Subject-Token", "a session of the tests")
		says(w, http.StatusCreated, `{"token":{"expires_at":"2030-01-01T00:00:00Z"}}`)
		return
	case r.Header.Get("X-Auth-Token") != "a session of the tests":
		says(w, http.StatusUnauthorized, `{"error":"unauthorized","code":401}`)
		return
	}
	offset := number(r, "offset")
	next := func(total int) int {
		if offset+100 < total {
			return offset + 100
		}
		return 0
	}
	if len(parts) == 1 {
		found := []selectelZone{}
		for i, name := range s.zones {
			if strings.Contains(name, r.URL.Query().Get("filter")) {
				found = append(found, selectelZone{"zone" + strconv.Itoa(i), name + "."})
			}
		}
		gives(w, http.StatusOK, map[string]any{
			"count": len(found), "next_offset": next(len(found)), "result": part(found, offset, 100),
		})
		return
	}
	index, _ := strconv.Atoi(strings.TrimPrefix(parts[1], "zone"))
	s.selectelSets(w, r, s.zones[index], parts)
}

type keystoneAuth struct {
	Identity struct {
		Password struct{ User struct{ Password string } }
	}
	Scope struct {
		Project struct{ Domain struct{ Name string } }
	}
}

// selectelSets keeps sets as records whose id is their name and type.
func (s *standIn) selectelSets(w http.ResponseWriter, r *http.Request, zone string, parts []string) {
	sets := map[string]*selectelSet{}
	for _, record := range s.in(zone) {
		id := record.Name + "-" + record.Type
		if sets[id] == nil {
			sets[id] = &selectelSet{ID: id, Name: record.Name + ".", Type: record.Type, TTL: record.TTL}
		}
		sets[id].Records = append(sets[id].Records, selectelRecord{Content: dotted(record)})
	}
	body := selectelSet{}
	switch r.Method {
	case http.MethodGet:
		found := []selectelSet{}
		for _, set := range sets {
			if set.Name == r.URL.Query().Get("name") {
				found = append(found, *set)
			}
		}
		gives(w, http.StatusOK, map[string]any{"count": len(found), "next_offset": 0, "result": found})
		return
	case http.MethodPost:
		body = takes[selectelSet](r)
		if sets[Canonical(body.Name)+"-"+body.Type] != nil {
			says(w, http.StatusConflict, `{"error":"rrset_already_exists","description":"RRset already exists"}`)
			return
		}
	default:
		there := sets[parts[3]]
		if there == nil {
			says(w, http.StatusNotFound, `{"error":"rrset_not_found"}`)
			return
		}
		body = takes[selectelSet](r)
		body.Name, body.Type = there.Name, there.Type
		s.records = slices.DeleteFunc(s.records, func(r Record) bool { return r.Name+"-"+r.Type == there.ID })
	}
	for _, record := range body.Records {
		one := sent(Canonical(body.Name), body.Type, record.Content, body.TTL)
		if _, ok := s.put(zone, one); !ok {
			says(w, http.StatusBadRequest, `{"error":"bad_request","description":"CNAME is not allowed beside other records"}`)
			return
		}
	}
	gives(w, http.StatusOK, body)
}
