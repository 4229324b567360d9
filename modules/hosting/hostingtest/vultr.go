package hostingtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// vultr: https://www.vultr.com/api. Pages by cursors, UUIDs as ids, no prices with the machines; the rights of the key
// stand in the account.
func (c *Cloud) vultr(mux *http.ServeMux) refusal {
	says := func(w http.ResponseWriter, status int) {
		words := map[int]string{
			http.StatusUnauthorized: "Invalid API token.", http.StatusTooManyRequests: "Rate limit exceeded",
			http.StatusInternalServerError: "Internal server error.", http.StatusNotFound: "Invalid instance-id.",
			http.StatusBadRequest: "Invalid os_id.",
		}
		write(w, status, fields{"error": words[status], "status": status})
	}
	page := func(w http.ResponseWriter, r *http.Request, name string, all []fields) {
		from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		size := number(r, "per_page", 100, 500)
		part, more := cut(all[min(from, len(all)):], 1, size)
		links := fields{"next": "", "prev": ""}
		if more {
			links["next"] = strconv.Itoa(from + size)
		}
		write(w, http.StatusOK, fields{name: part, "meta": fields{"total": len(all), "links": links}})
	}
	mux.HandleFunc("GET /account", func(w http.ResponseWriter, _ *http.Request) {
		_, owed := c.listed()
		acls := []string{}
		for _, one := range []string{"subscriptions_view", "subscriptions", "provisioning", "billing"} {
			if c.may(one) {
				acls = append(acls, one)
			}
		}
		write(w, http.StatusOK, fields{"account": fields{"acls": acls, "balance": owed, "pending_charges": 2.5}})
	})
	mux.HandleFunc("GET /instances", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		page(w, r, "instances", shaped(all, vultrInstance))
	})
	mux.HandleFunc("GET /plans", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "plans", []fields{
			{
				"id": "vc2-1c-1gb", "vcpu_count": 1, "ram": 1024, "disk": 25, "monthly_cost": 5,
				"locations": []string{"ams", "ewr"},
			},
			{
				"id": "vc2-2c-4gb", "vcpu_count": 2, "ram": 4096, "disk": 80, "monthly_cost": 20,
				"locations": []string{"ewr"},
			},
		})
	})
	mux.HandleFunc("GET /regions", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "regions", []fields{{"id": "ams", "city": "Amsterdam", "country": "NL", "continent": "Europe"}})
	})
	c.vultrActs(mux, says)
	return says
}

// VultrID is the id of a machine there.
func VultrID(id int) string { return fmt.Sprintf("cb676a46-66fd-4dfb-b839-%012d", id) }

func vultrInstance(m Machine) fields {
	powers := map[string]string{"active": "running", "stopped": "stopped"}
	status := m.Status
	if status == "stopped" {
		status = "active"
	}
	return fields{
		"id": VultrID(m.ID), "ram": 1024, "disk": 25, "main_ip": m.IPv4, "vcpu_count": 1, "region": m.Region,
		"plan":   m.Plan,
		"status": status, "power_status": powers[m.Status], "server_status": "ok", "v6_main_ip": m.IPv6,
		"label": m.Name,
		"tags":  slices.Clone(append([]string{}, m.Tags...)),
	}
}
