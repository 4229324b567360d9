package provider

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func bearerOf(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func talkHetzner(s *standIn, w http.ResponseWriter, r *http.Request) {
	const gone = `{"error":{"code":"not_found","message":"zone not found","details":null}}`
	parts := path(r)
	switch {
	case s.limit(w, `{"error":{"code":"rate_limit_exceeded","message":"limit of 3600 requests per hour reached"}}`):
		return
	case bearerOf(r) == "read only" && r.Method == http.MethodPost:
		says(w, http.StatusForbidden, `{"error":{"code":"token_readonly","message":"token is only allowed to perform GET requests"}}`)
		return
	case bearerOf(r) != goodToken && bearerOf(r) != "read only":
		says(w, http.StatusUnauthorized, `{"error":{"code":"unauthorized","message":"unable to authenticate"}}`)
		return
	case parts[0] == "actions":
		gives(w, http.StatusOK, map[string]any{"action": map[string]any{"id": 7, "status": "success", "error": nil}})
		return
	case len(parts) == 1:
		s.hetznerZones(w, r)
		return
	}
	name := parts[1]
	if id, err := strconv.Atoi(name); err == nil && id <= len(s.zones) {
		name = s.zones[id-1]
	}
	switch {
	case !s.holds(name):
		says(w, http.StatusNotFound, gone)
	case len(parts) == 2:
		gives(w, http.StatusOK, map[string]any{"zone": s.hetznerZone(name)})
	case r.Method == http.MethodGet:
		s.hetznerSets(w, r, name)
	default:
		s.hetznerAct(w, r, name, absolute(parts[3], name), parts[4], parts[6])
	}
}

func (s *standIn) hetznerZone(name string) map[string]any {
	return map[string]any{
		"id": slices.Index(s.zones, name) + 1, "name": name,
		"authoritative_nameservers": map[string]any{"assigned": []string{"127.0.0.1:1."}},
	}
}

func (s *standIn) hetznerZones(w http.ResponseWriter, r *http.Request) {
	if number(r, "per_page") > 50 {
		says(w, http.StatusUnprocessableEntity, `{"error":{"code":"invalid_input","message":"per_page is too large"}}`)
		return
	}
	page, found := number(r, "page"), []any{}
	for _, name := range part(s.zones, (page-1)*50, 50) {
		found = append(found, s.hetznerZone(name))
	}
	var next any
	if page*50 < len(s.zones) {
		next = page + 1
	}
	gives(w, http.StatusOK, map[string]any{
		"zones": found, "meta": map[string]any{"pagination": map[string]any{"page": page, "next_page": next}},
	})
}

func (s *standIn) hetznerSets(w http.ResponseWriter, r *http.Request, zone string) {
	sets := []map[string]any{}
	for _, record := range s.in(zone) {
		name := relative(record.Name, zone)
		if name != r.URL.Query().Get("name") {
			continue
		}
		i := slices.IndexFunc(sets, func(set map[string]any) bool { return set["type"] == record.Type })
		if i < 0 {
			sets = append(sets, map[string]any{"name": name, "type": record.Type, "ttl": record.TTL, "records": []any{}})
			i = len(sets) - 1
		}
		values, _ := sets[i]["records"].([]any)
		sets[i]["records"] = append(values, map[string]any{"value": dotted(record), "comment": ""})
	}
	gives(w, http.StatusOK, map[string]any{"rrsets": sets, "meta": map[string]any{"pagination": map[string]any{"next_page": nil}}})
}

func (s *standIn) hetznerAct(w http.ResponseWriter, r *http.Request, zone, name, kind, what string) {
	body := takes[hetznerSet](r)
	for _, record := range body.Records {
		one := Record{Name: name, Type: kind, Value: bare(kind, record.Value)}
		if what == "remove_records" {
			i := slices.IndexFunc(s.records, one.Same)
			if i < 0 {
				says(w, http.StatusNotFound, `{"error":{"code":"not_found","message":"RRSet not found"}}`)
				return
			}
			s.records = slices.Delete(s.records, i, i+1)
			continue
		}
		if _, ok := s.put(zone, one); !ok {
			says(w, http.StatusUnprocessableEntity, `{"error":{"code":"invalid_input","message":"invalid RRSet"}}`)
			return
		}
	}
	gives(w, http.StatusCreated, map[string]any{"action": map[string]any{"id": 7, "status": "running", "error": nil}})
}

func talkDigitalOcean(s *standIn, w http.ResponseWriter, r *http.Request) {
	parts := path(r)
	switch {
	case s.limit(w, `{"id":"too_many_requests","message":"API Rate limit exceeded."}`):
	case bearerOf(r) != goodToken:
		says(w, http.StatusUnauthorized, `{"id":"unauthorized","message":"Unable to authenticate you"}`)
	case len(parts) == 1:
		page, size, found := number(r, "page"), min(number(r, "per_page"), 200), []any{}
		for _, name := range part(s.zones, (page-1)*size, size) {
			found = append(found, map[string]any{"name": name, "ttl": 1800})
		}
		pages := map[string]any{}
		if page*size < len(s.zones) {
			pages["next"] = "https://api.digitalocean.com/v2/domains?page=" + strconv.Itoa(page+1)
		}
		gives(w, http.StatusOK, map[string]any{"domains": found, "links": map[string]any{"pages": pages}})
	case !s.holds(parts[1]):
		says(w, http.StatusNotFound, `{"id":"not_found","message":"The resource you were accessing could not be found."}`)
	case len(parts) == 2:
		gives(w, http.StatusOK, map[string]any{"domain": map[string]any{"name": parts[1]}})
	case r.Method == http.MethodGet:
		found := []digitalOceanRecord{}
		for _, record := range s.in(parts[1]) {
			if name := r.URL.Query().Get("name"); name == "" || name == record.Name {
				id, _ := strconv.ParseInt(record.ID, 10, 64)
				found = append(found, digitalOceanRecord{
					id, record.Type, relative(record.Name, parts[1]), record.Value, record.TTL,
				})
			}
		}
		gives(w, http.StatusOK, map[string]any{"domain_records": found, "links": map[string]any{}})
	case r.Method == http.MethodPost:
		body := takes[digitalOceanRecord](r)
		if body.Type == TypeCNAME && !strings.HasSuffix(body.Data, ".") {
			says(w, http.StatusUnprocessableEntity, `{"id":"unprocessable_entity","message":"Data needs to end with a dot (.)"}`)
			return
		}
		made, ok := s.put(parts[1], sent(body.Name, body.Type, body.Data, body.TTL))
		if !ok {
			says(w, http.StatusUnprocessableEntity, `{"id":"unprocessable_entity","message":"Name already in use"}`)
			return
		}
		body.ID, _ = strconv.ParseInt(made.ID, 10, 64)
		gives(w, http.StatusCreated, map[string]any{"domain_record": body})
	case s.drop(parts[3]):
		w.WriteHeader(http.StatusNoContent)
	default:
		says(w, http.StatusNotFound, `{"id":"not_found","message":"The resource you were accessing could not be found."}`)
	}
}

func talkVultr(s *standIn, w http.ResponseWriter, r *http.Request) {
	parts := path(r)
	const size = 500
	cursor := number(r, "cursor")
	next := func(total int) map[string]any {
		link := ""
		if cursor+size < total {
			link = strconv.Itoa(cursor + size)
		}
		return map[string]any{"total": total, "links": map[string]any{"next": link, "prev": ""}}
	}
	switch {
	case s.limit(w, `{"error":"Rate limit exceeded","status":429}`):
	case bearerOf(r) != goodToken:
		says(w, http.StatusUnauthorized, `{"error":"Invalid API token.","status":401}`)
	case len(parts) == 1:
		found := []any{}
		for _, name := range part(s.zones, cursor, size) {
			found = append(found, map[string]any{"domain": name})
		}
		gives(w, http.StatusOK, map[string]any{"domains": found, "meta": next(len(s.zones))})
	case !s.holds(parts[1]):
		says(w, http.StatusNotFound, `{"error":"Invalid domain.","status":404}`)
	case len(parts) == 2:
		gives(w, http.StatusOK, map[string]any{"domain": map[string]any{"domain": parts[1]}})
	case r.Method == http.MethodGet:
		found, all := []vultrRecord{}, s.in(parts[1])
		for _, record := range part(all, cursor, size) {
			name, data := strings.TrimPrefix(relative(record.Name, parts[1]), "@"), record.Value
			if record.Type == TypeTXT {
				data = quoted(data)
			}
			found = append(found, vultrRecord{record.ID, record.Type, name, data, record.TTL})
		}
		gives(w, http.StatusOK, map[string]any{"records": found, "meta": next(len(all))})
	case r.Method == http.MethodPost:
		body := takes[vultrRecord](r)
		made, ok := s.put(parts[1], sent(body.Name, body.Type, body.Data, body.TTL))
		if !ok || body.Type == TypeTXT && !strings.HasPrefix(body.Data, `"`) {
			says(w, http.StatusBadRequest, `{"error":"Invalid record data","status":400}`)
			return
		}
		body.ID = made.ID
		gives(w, http.StatusCreated, map[string]any{"record": body})
	case s.drop(parts[3]):
		w.WriteHeader(http.StatusNoContent)
	default:
		says(w, http.StatusNotFound, `{"error":"Invalid record.","status":404}`)
	}
}

func talkLinode(s *standIn, w http.ResponseWriter, r *http.Request) {
	parts := path(r)
	page, size := number(r, "page"), number(r, "page_size")
	switch {
	case s.limit(w, `{"errors":[{"reason":"Too many requests"}]}`):
		return
	case bearerOf(r) == "read only" && r.Method != http.MethodGet:
		says(w, http.StatusUnauthorized, `{"errors":[{"reason":"Your OAuth token is not authorized to use this endpoint."}]}`)
		return
	case bearerOf(r) != goodToken && bearerOf(r) != "read only":
		says(w, http.StatusUnauthorized, `{"errors":[{"reason":"Invalid Token"}]}`)
		return
	case r.Method == http.MethodGet && (size < 25 || size > 500):
		says(w, http.StatusBadRequest, `{"errors":[{"reason":"Must be 25-500","field":"page_size"}]}`)
		return
	case len(parts) == 1:
		found := []linodeDomain{}
		for i, name := range s.zones {
			if filter := r.Header.Get("X-Filter"); filter == "{}" || strings.Contains(filter, `"`+name+`"`) {
				found = append(found, linodeDomain{int64(i + 1), name, "master"})
			}
		}
		gives(w, http.StatusOK, linodeOf(found, page, size))
		return
	}
	id, _ := strconv.Atoi(parts[1])
	zone := s.zones[id-1]
	switch r.Method {
	case http.MethodGet:
		found := []linodeRecord{}
		for _, record := range s.in(zone) {
			id, _ := strconv.ParseInt(record.ID, 10, 64)
			name := strings.TrimPrefix(relative(record.Name, zone), "@")
			found = append(found, linodeRecord{id, record.Type, name, record.Value, record.TTL})
		}
		gives(w, http.StatusOK, linodeOf(found, page, size))
	case http.MethodPost:
		body := takes[linodeRecord](r)
		made, ok := s.put(zone, sent(body.Name, body.Type, body.Target, body.TTL))
		if !ok {
			says(w, http.StatusBadRequest, `{"errors":[{"reason":"Record conflict","field":"name"}]}`)
			return
		}
		body.ID, _ = strconv.ParseInt(made.ID, 10, 64)
		gives(w, http.StatusOK, body)
	default:
		if !s.drop(parts[3]) {
			says(w, http.StatusNotFound, `{"errors":[{"reason":"Not found"}]}`)
			return
		}
		says(w, http.StatusOK, "{}")
	}
}

// sent is a record as somebody sent it.
func sent(name, kind, value string, ttl int) Record {
	return Record{Name: name, Type: kind, Value: bare(kind, value), TTL: ttl}
}

func linodeOf[T any](all []T, page, size int) linodePage[T] {
	return linodePage[T]{part(all, (page-1)*size, size), (len(all) + size - 1) / size}
}
