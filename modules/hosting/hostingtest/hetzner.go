package hostingtest

import (
	"net/http"
	"slices"
	"strconv"
)

// hetzner: https://docs.hetzner.cloud. Pages of at most 50, numbers as ids, prices as texts with ten decimals. A token
// for reading is refused by every call that writes before anything else is looked at.
func (c *Cloud) hetzner(mux *http.ServeMux) refusal {
	says := func(w http.ResponseWriter, status int) {
		codes := map[int][2]string{
			http.StatusUnauthorized:        {"unauthorized", "unable to authenticate"},
			http.StatusTooManyRequests:     {"rate_limit_exceeded", "limit of 3600 requests per hour reached"},
			http.StatusInternalServerError: {"service_error", "an error occurred"},
			http.StatusForbidden:           {"token_readonly", "the token is only allowed to perform GET requests"},
			http.StatusNotFound:            {"not_found", "server with ID not found"},
			http.StatusUnprocessableEntity: {"invalid_input", "invalid input in fields 'name', 'server_type', 'image'"},
		}
		write(w, status, fields{"error": fields{"code": codes[status][0], "message": codes[status][1], "details": nil}})
	}
	page := hetznerPage[fields]
	as := func(one fields) fields { return one }
	mux.HandleFunc("GET /servers", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		if mark := r.URL.Query().Get("label_selector"); mark != "" {
			all = slices.DeleteFunc(all, func(m Machine) bool { return !slices.Contains(m.Tags, mark) })
		}
		hetznerPage(w, r, "servers", all, c.hetznerServer)
	})
	c.hetznerActs(mux, says)
	mux.HandleFunc("GET /locations", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "locations", []fields{
			{"id": 1, "name": "fsn1", "city": "Falkenstein", "country": "DE"},
			{"id": 3, "name": "hel1", "city": "Helsinki", "country": "FI"},
		}, as)
	})
	mux.HandleFunc("GET /pricing", func(w http.ResponseWriter, _ *http.Request) {
		of := func(location, gross string) fields {
			return fields{
				"location": location, "price_hourly": fields{"net": "0.0010000000", "gross": "0.0011000000"},
				"price_monthly": fields{"net": "0.5900000000", "gross": gross},
			}
		}
		write(w, http.StatusOK, fields{"pricing": fields{"currency": "EUR", "vat_rate": "19.00", "primary_ips": []fields{
			{"type": "ipv4", "prices": []fields{of("fsn1", "0.7000000000"), of("hel1", "0.7000000000")}},
			{"type": "ipv6", "prices": []fields{of("fsn1", "0.0000000000"), of("hel1", "0.0000000000")}},
		}}})
	})
	mux.HandleFunc("GET /server_types", func(w http.ResponseWriter, r *http.Request) {
		old := c.hetznerType("cx11")
		old["deprecation"] = fields{"announced": "2024-09-06T00:00:00Z"}
		page(w, r, "server_types", []fields{c.hetznerType("cx22"), old}, as)
	})
	return says
}

// hetznerPage answers the page of a list that is asked for; only that is shaped.
func hetznerPage[T any](w http.ResponseWriter, r *http.Request, name string, all []T, shape func(T) fields) {
	number, size := number(r, "page", 1, 1<<20), number(r, "per_page", 25, 50)
	part, more := cut(all, number, size)
	meta := fields{
		"page": number, "per_page": size, "previous_page": nil, "next_page": nil, "total_entries": len(all),
	}
	if more {
		meta["next_page"] = number + 1
	}
	write(w, http.StatusOK, fields{name: shaped(part, shape), "meta": fields{"pagination": meta}})
}

func (c *Cloud) hetznerType(name string) fields {
	price := func(location, gross string) fields {
		return fields{
			"location": location, "price_hourly": fields{"net": "0.0060000000", "gross": "0.0071400000"},
			"price_monthly": fields{"net": "3.7900000000", "gross": gross},
		}
	}
	gross := "3.8101000000" // an IPv4 address costs 0.70 besides
	c.mu.Lock()
	if c.price > 0 {
		gross = strconv.Itoa(c.price-1) + ".3000000000"
	}
	c.mu.Unlock()
	place := func(name string, available bool) fields {
		return fields{"name": name, "available": available, "deprecation": nil}
	}
	return fields{
		"id": 104, "name": name, "description": "CX22", "cores": 2, "memory": 4, "disk": 40, "deprecation": nil,
		"prices":    []fields{price("fsn1", gross), price("hel1", "4.2500000000"), price("ash", "4.5900000000")},
		"locations": []fields{place("fsn1", true), place("hel1", true), place("ash", false)},
	}
}

func (c *Cloud) hetznerServer(m Machine) fields {
	labels := fields{}
	for _, tag := range m.Tags {
		labels[tag] = ""
	}
	var address any
	if m.IPv4 != "" {
		address = fields{"id": 1, "ip": m.IPv4, "blocked": false}
	}
	return fields{
		"id": m.ID, "name": m.Name, "status": m.Status, "created": "2026-01-30T23:50:00+00:00", "labels": labels,
		"public_net":  fields{"ipv4": address, "ipv6": fields{"id": 2, "ip": m.IPv6, "blocked": false}},
		"server_type": c.hetznerType(m.Plan), "location": fields{"name": m.Region},
	}
}
