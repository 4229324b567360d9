package hostingtest

import (
	"fmt"
	"net/http"
	"slices"
)

// digitalOcean: https://docs.digitalocean.com/reference/api. Pages with the address of the next one, amounts of the
// balance as texts, rights of a token by name.
func (c *Cloud) digitalOcean(mux *http.ServeMux) refusal {
	says := func(w http.ResponseWriter, status int) {
		ids := map[int][2]string{
			http.StatusUnauthorized:        {"Unauthorized", "Unable to authenticate you"},
			http.StatusTooManyRequests:     {"too_many_requests", "API Rate limit exceeded."},
			http.StatusNotFound:            {"not_found", "The resource you were accessing could not be found."},
			http.StatusInternalServerError: {"server_error", "Unexpected server-side error"},
		}
		write(w, status, fields{"id": ids[status][0], "message": ids[status][1], "request_id": "4d9d8375-3c56"})
	}
	needs := func(right string, answer http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !c.may(right) {
				write(w, http.StatusForbidden, fields{
					"id": "Forbidden", "message": "You are missing the required permission " + right + ".",
				})
				return
			}
			answer(w, r)
		}
	}
	page := func(w http.ResponseWriter, r *http.Request, name string, all []fields) {
		number, size := number(r, "page", 1, 1<<20), number(r, "per_page", 20, 200)
		part, more := cut(all, number, size)
		pages := fields{}
		if more {
			pages["next"] = fmt.Sprintf("https://api.digitalocean.com/v2/%s?page=%d&per_page=%d", name, number+1, size)
		}
		write(w, http.StatusOK, fields{name: part, "links": fields{"pages": pages}, "meta": fields{"total": len(all)}})
	}
	mux.HandleFunc("GET /account", needs("account:read", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"account": fields{
			"droplet_limit": 25, "status": "active",
			"status_message": "",
		}})
	}))
	mux.HandleFunc("GET /customers/my/balance", needs("billing:read", func(w http.ResponseWriter, _ *http.Request) {
		_, owed := c.listed()
		write(w, http.StatusOK, fields{
			"month_to_date_balance": fmt.Sprintf("%.2f", owed), "account_balance": "0.00",
			"month_to_date_usage": "1.00",
			"generated_at":        "2026-07-09T15:01:12Z",
		})
	}))
	mux.HandleFunc("GET /droplets", needs("droplet:read", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		if mark := r.URL.Query().Get("tag_name"); mark != "" {
			all = slices.DeleteFunc(all, func(m Machine) bool { return !slices.Contains(m.Tags, mark) })
		}
		page(w, r, "droplets", shaped(all, droplet))
	}))
	mux.HandleFunc("GET /regions", needs("regions:read", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "regions", []fields{
			{"slug": "fra1", "name": "Frankfurt 1", "available": true, "sizes": []string{"s-1vcpu-1gb"}},
			{"slug": "nyc2", "name": "New York 2", "available": false, "sizes": []string{}},
		})
	}))
	mux.HandleFunc("GET /sizes", needs("sizes:read", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "sizes", []fields{
			{
				"slug": "s-1vcpu-1gb", "description": "Basic", "memory": 1024, "vcpus": 1, "disk": 25,
				"price_monthly": 6,
				"price_hourly":  0.00893, "regions": []string{"fra1"}, "available": true,
			},
			{
				"slug": "512mb", "description": "Old", "memory": 512, "vcpus": 1, "disk": 20, "price_monthly": 5,
				"price_hourly": 0.00744, "regions": []string{"nyc2"}, "available": false,
			},
		})
	}))
	c.digitalOceanActs(mux, says)
	return says
}

func droplet(m Machine) fields {
	return fields{
		"id": m.ID, "name": m.Name, "memory": 1024, "vcpus": 1, "disk": 25, "status": m.Status, "size_slug": m.Plan,
		"size":   fields{"slug": m.Plan, "price_monthly": 6, "price_hourly": 0.00893},
		"region": fields{"slug": m.Region, "name": m.Region}, "tags": append([]string{}, m.Tags...),
		"networks": fields{
			"v4": []fields{{"ip_address": "10.10.0.2", "type": "private"}, {"ip_address": m.IPv4, "type": "public"}},
			"v6": []fields{{"ip_address": m.IPv6, "type": "public"}},
		},
	}
}
