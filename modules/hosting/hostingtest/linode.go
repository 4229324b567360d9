package hostingtest

import (
	"net/http"
	"slices"
	"strings"
)

// linode: https://techdocs.akamai.com/linode-api. Pages with their count, the scopes of a token in a header of every
// answer, memory and disk in MiB, prices with the types alone.
func (c *Cloud) linode(mux *http.ServeMux) refusal {
	reasons := map[int]string{
		http.StatusUnauthorized: "Invalid Token", http.StatusTooManyRequests: "Too many requests",
		http.StatusInternalServerError: "Internal Server Error",
		http.StatusNotFound:            "Not found", http.StatusBadRequest: "root_pass is required",
		http.StatusForbidden: "Your OAuth token is not authorized to use this endpoint.",
	}
	says := func(w http.ResponseWriter, status int) {
		write(w, status, fields{"errors": []fields{{"reason": reasons[status]}}})
	}
	scoped := func(right string, answer http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			c.mu.Lock()
			scopes := slices.Clone(c.rights)
			c.mu.Unlock()
			w.Header().Set("X-OAuth-Scopes", strings.Join(scopes, " "))
			if right != "" && !c.may(right) && !c.may(strings.Replace(right, "read_only", "read_write", 1)) {
				says(w, http.StatusForbidden)
				return
			}
			answer(w, r)
		}
	}
	page := func(w http.ResponseWriter, r *http.Request, all []fields) {
		number, size := number(r, "page", 1, 1<<20), number(r, "page_size", 100, 500)
		part, _ := cut(all, number, size)
		pages := max((len(all)+size-1)/size, 1)
		write(w, http.StatusOK, fields{"data": part, "page": number, "pages": pages, "results": len(all)})
	}
	mux.HandleFunc("GET /profile", scoped("", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"username": "somebody", "restricted": false})
	}))
	mux.HandleFunc("GET /account", scoped("account:read_only", func(w http.ResponseWriter, _ *http.Request) {
		_, owed := c.listed()
		write(w, http.StatusOK, fields{"balance": owed, "balance_uninvoiced": 1.25})
	}))
	mux.HandleFunc("GET /linode/instances", scoped("linodes:read_only", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		page(w, r, shaped(all, linodeInstance))
	}))
	mux.HandleFunc("GET /linode/types", scoped("", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, []fields{{
			"id": "g6-nanode-1", "label": "Nanode 1GB", "disk": 25600, "memory": 1024, "vcpus": 1,
			"price":         fields{"hourly": 0.0075, "monthly": 5},
			"region_prices": []fields{{"id": "br-gru", "hourly": 0.0105, "monthly": 7}},
		}})
	}))
	mux.HandleFunc("GET /regions", scoped("", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, []fields{{"id": "eu-central", "label": "Frankfurt, DE", "country": "de", "status": "ok"}})
	}))
	c.linodeActs(mux, says, scoped)
	return says
}

func linodeInstance(m Machine) fields {
	return fields{
		"id": m.ID, "label": m.Name, "status": m.Status, "type": m.Plan, "region": m.Region,
		"ipv4": []string{m.IPv4}, "ipv6": m.IPv6 + "/128", "tags": append([]string{}, m.Tags...),
		"specs": fields{"disk": 25600, "memory": 1024, "vcpus": 1, "transfer": 1000},
	}
}
