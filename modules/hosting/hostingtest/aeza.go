package hostingtest

import (
	"net/http"
	"strconv"
)

// aeza: https://github.com/AezaGroup/dev-docs. A key in a header of its own, pages by offset, of 100, each list inside
// of data, prices in roubles; machines are services among others, and acts have no id.
func (c *Cloud) aeza(mux *http.ServeMux) refusal {
	c.proves = func(r *http.Request) bool { return r.Header.Get("X-Api-Key") == c.Token }
	says := func(w http.ResponseWriter, status int) {
		words := map[int][2]string{
			http.StatusUnauthorized:        {"unauthorized", "Unauthorized"},
			http.StatusTooManyRequests:     {"too_many_requests", "Too many requests"},
			http.StatusInternalServerError: {"internal", "Internal server error"},
			http.StatusNotFound:            {"service.not_found", "Service not found"},
			http.StatusBadRequest:          {"service.invalid_status", "Service is in an invalid status"},
		}
		write(w, status, fields{"error": fields{"slug": words[status][0], "message": words[status][1], "data": fields{}}})
	}
	list := func(items []fields, total int) fields {
		return fields{"data": fields{"selectorMode": "all", "filter": nil, "items": items, "total": total, "edit": false}}
	}
	mux.HandleFunc("GET /services", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		services := append(shaped(all, aezaService), fields{
			"id": 1, "name": "example.com", "ip": "", "status": "active", "paymentTerm": "year",
			"product": fields{"id": 5, "name": ".com", "type": "domain"},
		})
		from, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		part, _ := cut(services[min(from, len(services)):], 1, number(r, "count", 100, 100))
		write(w, http.StatusOK, list(part, len(services)))
	})
	mux.HandleFunc("GET /services/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, list([]fields{aezaService(m)}, 1))
	}))
	mux.HandleFunc("DELETE /services/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		c.Drop(m.ID)
		c.done(w, says, http.StatusOK, fields{"data": "ok"})
	}))
	mux.HandleFunc("POST /services/{id}/ctl", c.of(says, func(w http.ResponseWriter, r *http.Request, m Machine) {
		switch act := text(sent(r), "action"); act {
		case "suspend", "resume", "reboot":
			c.turn(m, act != "suspend")
			c.done(w, says, http.StatusOK, list([]fields{aezaService(m)}, 1))
		default:
			says(w, http.StatusBadRequest)
		}
	}))
	return says
}

func aezaService(m Machine) fields {
	product, _ := strconv.Atoi(m.Plan)
	return fields{
		"id": m.ID, "ownerId": 7, "productId": product, "name": m.Name, "ip": m.IPv4, "paymentTerm": "month",
		"autoProlong": true, "backups": false, "status": m.Status, "lastStatus": nil, "locationCode": m.Region,
		"currentStatus": m.Status, "product": fields{"id": product, "name": "NLs-1", "type": "vps"},
		"parameters":       fields{"os": "debian_12", "recipe": nil},
		"ips":              []fields{{"key": "ip", "value": m.IPv4, "mask": "255.255.255.0", "status": "active"}},
		"ipv6":             []fields{{"key": "ipv6", "value": m.IPv6, "prefix": 64}},
		"rawPrices":        fields{"hour": 1.5, "month": 707.8},
		"individualPrices": fields{"hour": 1.5, "month": 636.9},
		"timestamps":       fields{"createdAt": 1764245933, "expiresAt": "1798761600"},
	}
}
