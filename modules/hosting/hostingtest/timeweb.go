package hostingtest

import (
	"fmt"
	"net/http"
	"strconv"
)

// timeweb: https://timeweb.cloud/api-docs. Pages by offset, of 100, numbers as ids, no tags, prices with the plans
// alone, in roubles; actions have no id. Sizes are in MiB.
func (c *Cloud) timeweb(mux *http.ServeMux) refusal {
	says := func(w http.ResponseWriter, status int) {
		words := map[int][2]string{
			http.StatusUnauthorized: {"unauthorized", "Unauthorized"}, http.StatusForbidden: {"forbidden", "Forbidden"},
			http.StatusTooManyRequests:     {"too_many_requests", "Too many requests"},
			http.StatusInternalServerError: {"internal_server_error", "Internal server error"},
			http.StatusNotFound:            {"not_found", "Server not found"},
			http.StatusBadRequest:          {"bad_request", "preset_id must be a number"},
		}
		write(w, status, fields{
			"status_code": status, "error_code": words[status][0], "message": words[status][1],
			"response_id": "15095f25-aac3-4d60-a788-96cb5136f186",
		})
	}
	mux.HandleFunc("GET /v1/account/finances", func(w http.ResponseWriter, _ *http.Request) {
		_, owed := c.listed()
		write(w, http.StatusOK, fields{"finances": fields{"balance": -owed, "currency": "RUB", "hours_left": nil}})
	})
	mux.HandleFunc("GET /v1/servers", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		from, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		part, _ := cut(all[min(from, len(all)):], 1, number(r, "limit", 100, 100))
		write(w, http.StatusOK, fields{"meta": fields{"total": len(all)}, "servers": shaped(part, timewebServer)})
	})
	mux.HandleFunc("GET /v1/presets/servers", func(w http.ResponseWriter, _ *http.Request) {
		preset := func(id int, location string, price float64) fields {
			return fields{
				"id": id, "location": location, "price": price, "cpu": 1, "cpu_frequency": "3.3", "ram": 1024,
				"disk":      15360,
				"disk_type": "nvme", "bandwidth": 100, "description_short": "Cloud 15", "tags": []string{},
			}
		}
		write(w, http.StatusOK, fields{
			"meta":           fields{"total": 2},
			"server_presets": []fields{preset(2447, "ru-1", 199), preset(3001, "nl-1", 450.5)},
		})
	})
	mux.HandleFunc("GET /v2/locations", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"meta": fields{"total": 2}, "locations": []fields{
			{"location": "ru-1", "location_code": "RU", "availability_zones": []string{"spb-1"}},
			{"location": "nl-1", "location_code": "NL", "availability_zones": []string{"ams-1"}},
		}})
	})
	c.timewebActs(mux, says)
	return says
}

func (c *Cloud) timewebActs(mux *http.ServeMux, says refusal) {
	mux.HandleFunc("POST /v1/servers", func(w http.ResponseWriter, r *http.Request) {
		body := sent(r)
		preset, isNumber := body["preset_id"].(float64)
		if _, isSystem := body["os_id"].(float64); !isNumber || !isSystem {
			says(w, http.StatusBadRequest)
			return
		}
		location := map[int]string{2447: "ru-1", 3001: "nl-1"}[int(preset)]
		m := c.begin(wanted{
			text(body, "name"), location, strconv.Itoa(int(preset)), text(body, "cloud_init"),
			[]string{text(body, "comment")},
		})
		c.done(w, says, http.StatusCreated, fields{"server": timewebServer(m)})
	})
	mux.HandleFunc("GET /v1/servers/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, fields{"server": timewebServer(m)})
	}))
	mux.HandleFunc("DELETE /v1/servers/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		if !c.may("is_able_to_delete") { // the account wants it confirmed by a code
			asked := fields{"hash": "15095f25", "is_moved_in_quarantine": false}
			write(w, http.StatusOK, fields{"server_delete": asked})
			return
		}
		c.Drop(m.ID)
		c.done(w, says, http.StatusNoContent, nil)
	}))
	mux.HandleFunc("POST /v1/servers/{id}/{act}", c.of(says, func(w http.ResponseWriter, r *http.Request, m Machine) {
		c.turn(m, r.PathValue("act") != "hard-shutdown")
		c.done(w, says, http.StatusNoContent, nil)
	}))
	mux.HandleFunc("GET /v1/os/servers", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"meta": fields{"total": 3}, "servers_os": []fields{
			{"id": 99, "family": "linux", "name": "debian", "version": "12", "version_codename": "bookworm"},
			{"id": 57, "family": "windows", "name": "windows", "version": "2022", "version_codename": ""},
			{"id": 71, "family": "linux", "name": "routeros", "version": "7", "version_codename": ""},
		}})
	})
}

func timewebServer(m Machine) fields {
	preset, _ := strconv.Atoi(m.Plan)
	comment := ""
	for _, tag := range m.Tags {
		comment += tag + " "
	}
	return fields{
		"id": m.ID, "name": m.Name, "comment": comment, "created_at": "2026-01-30T23:50:00.000Z", "preset_id": preset,
		"location": m.Region, "status": m.Status, "cpu": 1, "ram": 1024, "root_pass": "never-shown",
		"os":    fields{"id": 99, "name": "debian", "version": "12"},
		"disks": []fields{{"id": 1, "size": 15360, "used": 2100, "is_system": true}},
		"networks": []fields{
			{"type": "public", "ips": []fields{
				{"type": "ipv4", "ip": m.IPv4, "is_main": true}, {"type": "ipv6", "ip": m.IPv6, "is_main": false},
			}},
			{"type": "local", "id": "network-1", "ips": []fields{
				{"type": "ipv4", "ip": fmt.Sprintf("10.0.0.%d", m.ID%250+1)},
			}},
		},
	}
}
